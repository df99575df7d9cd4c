"""One run at a time in a directory: a second one is refused and changes nothing, the lock of a killed run does not
prevent a resume, and `--overwrite` removes only files of a run."""

import signal
import socket
import unittest

import pearlite_runner as runner

LONG = {
    "run": {"block": 16, "checkpoint_every": 0.2},
    "model": {"name": "gaussian", "dimension": 4},
    "schedule": {"kind": "linear", "steps": 200000},
    "algorithm": {"name": "smc", "particles": 200},
}
SWEEP = {**LONG, "sweep": {"replicates": 2}}


class Locks(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.short = runner.write_configuration(
            self.directory / "short.toml", **{**LONG, "schedule": {"kind": "linear", "steps": 10}})

    def living(self, tables, where):
        """Starts a long run and waits for its lock and its first checkpoint."""
        file = runner.write_configuration(self.directory / "long.toml", **tables)
        program = runner.Program("run", file, "-o", where)
        self.addCleanup(program.__exit__, None, None, None)
        program.__enter__()
        at_work = lambda: (where / "run.lock").exists() and any(where.glob("**/checkpoint.*.h5"))
        self.assertTrue(runner.wait_until(at_work))
        return program

    def test_a_second_run_is_refused(self):
        for kind, tables in (("run", LONG), ("sweep", SWEEP)):
            where = self.directory / kind
            program = self.living(tables, where)
            program.send(signal.SIGSTOP)  # it holds the lock without computing
            holder = f"process {program.launcher} on {socket.gethostname()} runs here"
            for ranks, command in ((None, ["run", self.short, "-o", where, "--overwrite"]), (2, ["resume", where])):
                with self.subTest(kind, command=command[0]):
                    ended = runner.pearlite(*command, ranks=ranks)
                    self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                    self.assertIn(holder, ended.err)
            self.assertTrue(program.running())
            program.send(signal.SIGCONT)
            program.send(signal.SIGTERM)
            self.assertEqual(program.wait().status, runner.STOPPED)
            self.assertFalse((where / "run.lock").exists())

    def test_what_a_killed_run_leaves_is_taken_over(self):
        where = self.directory / "killed"
        program = self.living(LONG, where)
        program.send(signal.SIGKILL, program.launcher)
        program.wait()
        self.assertTrue((where / "run.lock").exists())
        ended = runner.pearlite("resume", where, "--step-limit", 3)
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        self.assertFalse((where / "run.lock").exists())
        (where / "run.lock").write_text("process 1 on another\n", encoding="utf-8")
        ended = runner.pearlite("run", self.short, "-o", where, "--overwrite")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertFalse((where / "run.lock").exists())

    def test_a_link_is_not_followed(self):
        where, other = self.directory / "linked", self.directory / "precious"
        where.mkdir()
        other.write_text("mine", encoding="utf-8")
        (where / "run.lock").symlink_to(other)
        ended = runner.pearlite("run", self.short, "-o", where, "--overwrite")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertIn("cannot be locked", ended.err)
        self.assertEqual(other.read_text(encoding="utf-8"), "mine")

    def test_overwrite_removes_only_a_runs_files(self):
        where = self.directory / "mixed"
        self.assertEqual(runner.pearlite("run", self.short, "-o", where).status, runner.FINISHED)
        mine = [where / name for name in ("checkpoint.backup/one.h5", "checkpoint.notes.txt", "checkpoint.h5", "figures/mine.svg")]
        ours = [where / name for name in ("checkpoint.000000000007.h5", "figures/evidence.svg", ".report-figures")]
        for file in mine + ours:
            file.parent.mkdir(exist_ok=True)
            file.write_text("evidence.svg\n", encoding="utf-8")
        ended = runner.pearlite("run", self.short, "-o", where, "--overwrite")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual([file for file in mine if not file.exists()], [])
        self.assertEqual([file for file in ours if file.exists()], [])


if __name__ == "__main__":
    runner.main()
