"""run.log has results, warnings, checkpoints and the end of each session, but no progress lines."""

import os
import pty
import re
import subprocess
import unittest

import pearlite_runner as runner

GAUSSIAN = {"model": {"name": "gaussian", "dimension": 2}, "schedule": {"kind": "linear", "steps": 60},
            "algorithm": {"name": "annealed-importance", "trajectories": 64}}
SEARCH = {"model": {"name": "test-function", "function": "rastrigin", "dimension": 2},
          "algorithm": {"name": "pisaa", "chains": 4, "iterations": 2000}}
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (info|warning|error): ")


class RunLog(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.where = self.directory / "run"

    def go(self, *arguments, status=runner.FINISHED):
        ended = runner.pearlite(*arguments)
        self.assertEqual(ended.status, status, ended.describe())
        return ended

    def log(self, where=None):
        text = ((where or self.where) / "run.log").read_text(encoding="utf-8")
        self.assertNotIn("\r", text)
        self.assertNotIn("ETA", text)
        self.assertRegex(text, LINE)
        return text

    def assert_in_order(self, text, *parts):
        at = 0
        for part in parts:
            found = re.compile(part).search(text, at)
            self.assertTrue(found, f"no {part!r} after character {at} of\n{text}")
            at = found.end()

    def test_a_run_that_stops_and_resumes(self):
        file = runner.write_configuration(self.directory / "a.toml", **GAUSSIAN)
        self.go("run", file, "-o", self.where, "--step-limit", 20, status=runner.STOPPED)
        result = self.go("resume", self.where).out
        text = self.log()
        self.assert_in_order(text, "info: gaussian, annealed-importance", "info: stopped by the step limit at step 20",
                             "seed 1; resumed from checkpoint", "info: finished\n", "verdict: ", "digest ")
        self.assertIn(result, text)
        self.go("resume", self.where)  # prints the result again
        self.assertEqual(self.log(), text)

    def test_a_search_and_a_sweep(self):
        file = runner.write_configuration(self.directory / "a.toml", **SEARCH)
        self.go("run", file, "-o", self.where)
        self.assert_in_order(
            self.log(), "info: test-function, pisaa", "checkpoint at iteration", "finished\n", "lowest energy"
        )
        file = runner.write_configuration(self.directory / "s.toml", **SEARCH, sweep={"replicates": 2})
        table = self.go("run", file, "-o", self.directory / "sweep").out
        self.assertIn(f"info: finished\n{table}", self.log(self.directory / "sweep"))
        self.assert_in_order(self.log(self.directory / "sweep" / "runs" / "000000"), "run 0 of a sweep", "finished\n")

    def test_at_a_terminal(self):
        """Lines renew themselves there twice a second: the run is long enough for some."""
        tables = {**GAUSSIAN, "schedule": {"kind": "linear", "steps": 200_000},
                  "algorithm": {**GAUSSIAN["algorithm"], "trajectories": 2000}}
        file = runner.write_configuration(self.directory / "a.toml", **tables)
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm"}
        with open(ours, "rb", buffering=0) as screen:
            subprocess.run([os.environ["PEARLITE"], "run", file, "-o", self.where, "--time-limit", "3"], stderr=theirs,
                           stdout=subprocess.DEVNULL, env=environment, timeout=60, check=False)
            os.close(theirs)
            shown = b""
            try:
                while part := screen.read(65536):
                    shown += part
            except OSError:  # the other end is closed
                pass
        self.assertIn(b"\r\033[K", shown)
        self.assertIn(b"ETA", shown)
        self.assert_in_order(self.log(), "stopped by the time limit")

    def test_a_failure(self):
        file = runner.write_configuration(self.directory / "a.toml", **GAUSSIAN)
        self.go("run", file, "-o", self.where, "--step-limit", 20, status=runner.STOPPED)
        (self.where / "results.h5").mkdir()  # which no file can replace
        ended = self.go("resume", self.where, status=runner.FAILED)
        message = ended.err.splitlines()[-1].partition(": ")[2]
        self.assertIn("results.h5", message)
        self.assertTrue(self.log().splitlines()[-1].endswith(f" error: {message}"), self.log())


if __name__ == "__main__":
    runner.main()
