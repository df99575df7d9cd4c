"""Progress of unfinished runs: the table of `pearlite status`, the file progress.h5, reports of its numbers."""

import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import unittest

import pearlite_runner as runner

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

FAULTY = os.environ.get("PEARLITE_FAULTY", "pearlite_faulty")
GAUSSIAN = {"name": "gaussian", "dimension": 20}
LONG = {"model": GAUSSIAN, "algorithm": {"name": "smc", "particles": 2048}, "run": {"checkpoint_every": 0.1},
        "schedule": {"kind": "linear", "steps": 500}, "kernel": {"moves": 1, "adapt": "online"}}
RUNS = {
    "smc": ({"name": "gaussian", "dimension": 5}, {"name": "smc", "particles": 512, "replicates": 4}, 5),
    "annealed-importance": ({"name": "ising", "size": 8}, {"name": "annealed-importance", "trajectories": 64}, 30),
    "nonequilibrium": ({"name": "ising", "size": 8}, {"name": "nonequilibrium", "trajectories": 64}, 30),
    "tempering": ({"name": "gaussian", "dimension": 2}, {"name": "parallel-tempering"}, 200),
    "search": ({"name": "test-function", "function": "rastrigin", "dimension": 4}, {"name": "pisaa", "chains": 4, "iterations": 100000}, 1500),
    "growth": ({"name": "ising", "size": 6}, {"name": "resample-move", "particles": 64}, 10),
}


def write(place, name, model, algorithm, **tables):
    return runner.write_configuration(place / f"{name}.toml", model=model, algorithm=algorithm, **tables)


def progress_of(directory):
    with h5py.File(directory / "progress.h5") as file:
        return json.loads(file["summary"][()])


def arrays_of(directory):
    found = {}
    with h5py.File(directory / "progress.h5") as file:
        file.visititems(lambda name, item: found.update({name: item[()]})
                        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" else None)
    return found


@unittest.skipIf(h5py is None, "h5py is not installed")
class Watched(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.place = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def stop(self, name, steps, ranks=None):
        model, algorithm, _ = RUNS[name]
        where = self.place / f"{name}-{ranks or 0}"
        ended = runner.pearlite("run", write(self.place, name, model, algorithm), "-o", where, "--step-limit", steps,
                                ranks=ranks)
        self.assertEqual(runner.summary(where).get("status"), "stopped", ended.describe())
        return where

    def paused_run(self, name="long"):
        """A run with many checkpoints that waits for SIGCONT after its first progress."""
        where = self.place / name
        program = runner.Program("run", write(self.place, name, **LONG), "-o", where)
        self.addCleanup(program.__exit__)
        self.assertTrue(runner.wait_until(
            lambda: not program.running() or ((where / "progress.h5").exists() and progress_of(where)["progress"]["done"])))
        program.send(signal.SIGSTOP)
        return program, where


class Status(Watched):
    def rows(self, *directories, **options):
        ended = runner.pearlite("status", *directories, **options)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        lines = ended.out.splitlines()
        return {pathlib.Path(line.split()[0]).name: line for line in lines[1:]}, lines[0]  # a remark's name has a colon

    def test_every_state(self):
        finished = self.place / "finished"
        file = write(self.place, "finished", {"name": "ising", "size": 16}, {"name": "annealed-importance", "trajectories": 32},
                     schedule={"kind": "linear", "steps": 600}, path={"inverse_temperature_end": 0.6})
        runner.pearlite("run", file, "-o", finished)
        stopped = self.stop("search", 1500)
        faulty = runner.write_configuration(
            self.place / "faulty.toml", model={"name": "faulty", "fault": "exception", "rank": 0, "after": 300},
            algorithm={"name": "smc", "particles": 117})
        failed = self.place / "failed"
        runner.pearlite("run", faulty, "-o", failed, executable=FAULTY)
        dying, died = self.paused_run("died")
        dying.kill_all()
        going, running = self.paused_run("running")
        rows, head = self.rows(finished, stopped, failed, died, running)
        for title in ("state", "place", "so far", "left", "checkpoint", "warnings"):
            self.assertIn(title, head)
        summary = runner.summary(finished)
        value, warnings = summary["headline"], summary["diagnostics"]["warnings"]
        self.assertIn(f"{value['value']:.4f} +- {value['standard_error']:.4f}, {value['support']['word']}", rows["finished"])
        self.assertNotEqual(value["support"]["word"], "supported")
        self.assertGreater(len(warnings), 0)
        self.assertRegex(rows["finished"], rf" {len(warnings)}$")
        self.assertRegex(rows["search-0"], r"stopped +test-function, pisaa +\d+/\d+ +best [\d.]+")
        self.assertRegex(rows["died"], r"died +gaussian, smc +(pilot )?\d+.*s ago")
        self.assertRegex(rows["running"], r"running +gaussian, smc +(pilot )?\d+.*log Z/Z_0 -\d+\.\d+ \+- 0\.\d+ .*s ago")
        self.assertRegex(rows["failed"], r"failed ")
        self.assertIn("the library of the model gave up", rows["failed:"])
        self.assertTrue(going.running())
        # `status` took no lock: the run continues and finds no second run.
        self.assertEqual(runner.pearlite("status", running).status, runner.FINISHED)
        going.send(signal.SIGCONT)
        self.assertEqual(going.wait().status, runner.FINISHED)
        self.assertFalse((running / "progress.h5").exists())
        self.assertRegex(self.rows(running)[0]["running"], r"finished +gaussian, smc +log Z/Z_0")

    def test_directories(self):
        """All of runs/ by default. Directories without a run are left out, or refused if there are no others."""
        place = self.place / "runs"
        place.mkdir()
        (place / "notes.txt").write_text("none")
        (place / "empty").mkdir()
        ended = runner.pearlite("status", directory=self.place)
        self.assertEqual((ended.status, ended.out), (runner.BAD_INPUT, ""), ended.describe())
        self.assertIn("expected directories of runs", ended.err)
        file = write(self.place, "a", GAUSSIAN, {"name": "smc", "particles": 64})
        runner.pearlite("run", file, directory=self.place)
        rows, _ = self.rows(directory=self.place)
        self.assertEqual(list(rows), ["a"])
        ended = runner.pearlite("status", place / "empty")
        self.assertEqual(ended.status, runner.BAD_INPUT)
        self.assertIn("not the directory of a run", ended.err)

    def test_sweep(self):
        file = self.place / "sweep.toml"
        file.write_text('[model]\nname = "gaussian"\ndimension = 2\n[algorithm]\nname = "smc"\nparticles = 64\n'
                        "[sweep]\nreplicates = 3\n\"algorithm.particles\" = [64, 128]\n")
        where = self.place / "sweep"
        ended = runner.pearlite("run", file, "-o", where)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertRegex(self.rows(where)[0]["sweep"], r"finished +sweep +6/6 runs")


class Progress(Watched):
    def test_same_on_any_number_of_ranks(self):
        for name, (_, _, steps) in RUNS.items():
            with self.subTest(name):
                alone = self.stop(name, steps)
                summary, arrays = progress_of(alone), arrays_of(alone)
                self.assertEqual(summary["status"], "running")  # as the last checkpoint saw it
                for ranks in (1, 2, 3, 4):
                    where = self.stop(name, steps, ranks)
                    found = progress_of(where)["progress"]
                    self.assertEqual({**found, "seconds_left": 0}, {**summary["progress"], "seconds_left": 0}, ranks)
                    others = arrays_of(where)
                    self.assertEqual(others.keys(), arrays.keys())
                    for key, values in arrays.items():
                        numpy.testing.assert_array_equal(others[key], values, f"{name}, {ranks} ranks, {key}")

    def test_error_so_far(self):
        """At the middle of a fixed path the standard deviation of 40 seeds agrees with the printed errors: the ratio
        lies within 0.7 and 1.4, which 40 normal values leave once in 500 times. The wrong twin has half the errors, and
        its ratio is above 1.4."""
        sizes = {"annealed-importance": "trajectories", "smc": "particles", "nonequilibrium": "trajectories"}
        for name, size in sizes.items():
            file = write(self.place, name, {"name": "ising", "size": 6}, {"name": name, size: 1000},
                         schedule={"kind": "linear", "steps": 60})
            found = [self.middle(file, name, seed) for seed in range(1, 41)]
            spread = statistics.stdev(value for value, _ in found)
            error = math.sqrt(statistics.mean(error**2 for _, error in found))
            self.assertTrue(0.7 < spread / error < 1.4, (name, spread, error))
            self.assertFalse(0.7 < spread / (error / 2) < 1.4, (name, spread, error))

    def middle(self, file, name, seed):
        where = self.place / f"{name}-{seed}"
        ended = runner.pearlite("run", file, "-o", where, "--seed", seed, "--step-limit", 20)
        self.assertEqual(runner.summary(where).get("status"), "stopped", ended.describe())
        progress = progress_of(where)["progress"]
        return progress["log_ratio"], progress["standard_error"]

    def test_end(self):
        """A finished run has none, also after a resume; --overwrite removes it; a stopped summary has the same place."""
        where = self.stop("smc", 5)
        self.assertEqual(runner.summary(where)["progress"]["done"], 5)
        self.assertTrue((where / "progress.h5").exists())
        ended = runner.pearlite("resume", where, ranks=2)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertFalse((where / "progress.h5").exists())
        where = self.stop("search", 1500)
        ended = runner.pearlite("run", write(self.place, "other", GAUSSIAN, {"name": "smc", "particles": 64}), "-o", where,
                                "--overwrite")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertFalse((where / "progress.h5").exists())


    def test_what_cannot_be_written_is_a_warning(self):
        """A checkpoint is valid without progress.h5, and the run continues to its end."""
        program, where = self.paused_run()
        (where / "progress.h5").unlink()
        (where / "progress.h5").mkdir()
        (where / "progress.h5" / "in the way").touch()
        program.send(signal.SIGCONT)
        ended = program.wait()
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertIn("warning: cannot write progress.h5, so `status` and `report` show old progress", ended.err)
        self.assertNotIn("no checkpoint", ended.err)


class Reports(Watched):
    @classmethod
    def setUpClass(cls):
        check = "import h5py, matplotlib"
        if subprocess.run([sys.executable, "-c", check], capture_output=True, check=False).returncode != 0:
            raise unittest.SkipTest("matplotlib is not installed")

    def report(self, where):
        ended = runner.pearlite("report", where, environment={"PEARLITE_PYTHON": sys.executable})
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return (where / "report.html").read_text(encoding="utf-8")

    def shows(self, page, words, expected=True):
        """Compares without the page in the message, since it contains figures."""
        self.assertEqual(words in page, expected, words)

    def test_stopped(self):
        for name, figure in (("smc", "Running log"), ("search", "Progress"), ("growth", "Effective share"),
                             ("annealed-importance", "Running log")):
            with self.subTest(name):
                page = self.report(self.stop(name, RUNS[name][2]))
                self.shows(page, "This run is stopped, not finished")
                self.shows(page, "pearlite resume")
                self.shows(page, figure)
                self.shows(page, "http-equiv", False)

    def test_damaged(self):
        where = self.stop("smc", 5)
        data = bytearray((where / "progress.h5").read_bytes())
        data[len(data) // 2] ^= 1
        (where / "progress.h5").write_bytes(data)
        ended = runner.pearlite("report", where, environment={"PEARLITE_PYTHON": sys.executable})
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("progress.h5", ended.err)
        self.assertIn("stopped", runner.pearlite("status", where).out)

    def test_follow(self):
        program, where = self.paused_run()
        with runner.Program("report", where, "--follow", environment={"PEARLITE_PYTHON": sys.executable}) as follower:
            page = runner.wait_until(lambda: (where / "report.html").exists()
                                     and (where / "report.html").read_text(encoding="utf-8"))
            self.shows(page, "This run is going on")
            self.shows(page, 'http-equiv="refresh"')
            self.shows(page, "log Z/Z<sub>0</sub> so far")
            program.send(signal.SIGCONT)
            self.assertEqual(program.wait().status, runner.FINISHED)
            ended = follower.wait()
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertGreater(ended.out.count("report.html"), 1, ended.describe())
        page = (where / "report.html").read_text(encoding="utf-8")
        self.shows(page, "http-equiv", False)
        self.shows(page, "95 % interval")


if __name__ == "__main__":
    runner.main()
