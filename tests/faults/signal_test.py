"""Requests to stop, by signal or by time: checkpoint, summary with status "stopped", exit status 3 (1 where mpirun says so),
and a resume that ends with the digest of an uninterrupted run."""

import os
import signal
import subprocess
import unittest

import pearlite_runner as runner

FAULTY = os.environ["PEARLITE_FAULTY"]
# Each evaluation of the third of three ranks sleeps, so that the run takes eight seconds; its resume on fewer ranks
# ends at once.
CONFIGURATION = {
    "run": {"block": 16, "checkpoint_every": 0.02},
    "model": {"name": "faulty", "fault": "slow", "rank": 2, "after": 0},
    "kernel": {"moves": 1},
    "schedule": {"kind": "linear", "steps": 250},
    "algorithm": {"name": "smc", "particles": 48},
}


class Signals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = runner.scratch_directory()
        cls.directory = scratch.__enter__()
        cls.addClassCleanup(scratch.__exit__, None, None, None)
        cls.file = runner.write_configuration(cls.directory / "signals.toml", **CONFIGURATION)
        ended = runner.pearlite("run", cls.file, "-o", cls.directory / "whole", executable=FAULTY)
        assert ended.status == runner.FINISHED, ended.describe()
        cls.expected = runner.findings(cls.directory / "whole")

    def goes_on(self, where, ranks, expected=None, environment=None):
        """`where` was stopped with a checkpoint, and its resume gives the results of the uninterrupted run."""
        found = runner.summary(where)
        self.assertEqual(found.get("status"), "stopped", found)
        self.assertNotIn("digest", found)
        self.assertFalse((where / "results.h5").exists())
        self.assertTrue(runner.checkpoints(where))
        ended = runner.pearlite("resume", where, ranks=ranks, executable=FAULTY, environment=environment)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertIn("resumed from", ended.err)
        self.assertEqual(runner.findings(where), expected or self.expected)

    def stop(self, name, number, ranks, to, *options):
        """Sends a signal to the "launcher", or to a rank, once the run is under way."""
        where = self.directory / name
        with runner.Program("run", self.file, "-o", where, *options, ranks=ranks, executable=FAULTY) as program:
            self.assertTrue(runner.wait_until(lambda: len(runner.checkpoints(where)) > 0 and program.running()))
            self.assertEqual(len(pids := program.ranks()), ranks or 0)
            program.send(number, program.launcher if to == "launcher" else pids[to])
            return where, program.wait()

    def test_to_mpirun(self):
        """Signals that mpirun forwards to its ranks."""
        for ranks, name in ((1, "SIGUSR1"), (2, "SIGUSR2")):
            with self.subTest(name):
                where, ended = self.stop(name, getattr(signal, name), 3, "launcher")
                self.assertIn(ended.status, (runner.STOPPED, runner.FAILED), ended.describe())
                self.assertRegex(ended.err, "stopped by signal .*with a checkpoint; `pearlite_faulty resume ")
                self.goes_on(where, ranks)

    def test_end_of_mpirun(self):
        """An mpirun that got a signal may not forward the output of its ranks, but they stop with a checkpoint."""
        for ranks, name in ((1, "SIGTERM"), (2, "SIGINT")):
            with self.subTest(name):
                where, ended = self.stop(name, getattr(signal, name), 3, "launcher")
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                self.goes_on(where, ranks)

    def test_to_one_rank(self):
        for name, to in (("SIGTERM", 2), ("SIGINT", 0), ("SIGXCPU", 1)):
            with self.subTest(name, rank=to):
                where, ended = self.stop(f"{name}-one", getattr(signal, name), 3, to)
                self.assertIn(ended.status, (runner.STOPPED, runner.FAILED), ended.describe())
                self.assertRegex(ended.err, "stopped by (a )?signal .*with a checkpoint; `pearlite_faulty resume ")
                self.goes_on(where, 2)

    def test_without_mpirun(self):
        sleeping, awake = ("--set", "model.rank=0"), {"OMPI_COMM_WORLD_RANK": "1"}
        ended = runner.pearlite("run", self.file, "-o", self.directory / "alone", *sleeping, executable=FAULTY,
                                environment=awake)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        expected = runner.findings(self.directory / "alone")
        for name in ("SIGTERM", "SIGINT", "SIGUSR1", "SIGXCPU"):
            with self.subTest(name):
                where, ended = self.stop(f"{name}-alone", getattr(signal, name), None, "launcher", *sleeping)
                self.assertEqual(ended.status, runner.STOPPED, ended.describe())
                self.assertIn("stopped by signal", ended.err)
                self.goes_on(where, None, expected, awake)

    def test_time_limit(self):
        for ranks, name, arguments in ((2, "option", ["--time-limit", "0.4"]), (1, "key", ["--set", "run.time_limit=0.4"]),
                                       (1, "at once", ["--time-limit", "00:00:00"])):
            with self.subTest(name):
                where = self.directory / f"limit {name}"
                ended = runner.pearlite("run", self.file, "-o", where, *arguments, ranks=3, executable=FAULTY)
                self.assertIn(ended.status, (runner.STOPPED, runner.FAILED), ended.describe())
                self.assertIn("stopped by the time limit", ended.err)
                resumed = runner.pearlite("resume", where, "--time-limit", "1:00:00", ranks=ranks, executable=FAULTY)
                self.assertEqual(resumed.status, runner.FINISHED, resumed.describe())
                self.assertEqual(runner.findings(where)["digest"], self.expected["digest"])

    def test_limit_of_long_steps(self):
        """A step takes a fifth of the time: the run stops before the step that would overrun the limit. On a busy machine a
        step may take longer than all before it: one of three runs has to stop in time, which a run that stops after the
        limit never does."""
        limit = 4
        slow = {"model": {"name": "faulty", "fault": "slow", "rank": 0, "after": 0}, "kernel": {"moves": 1},
                "schedule": {"kind": "linear", "steps": 100}, "algorithm": {"name": "smc", "particles": 700}}
        file = runner.write_configuration(self.directory / "slow.toml", **slow)
        where, found = self.directory / "slow", []
        while len(found) < 3 and not any(limit / 2 < seconds < limit for seconds in found):
            ended = runner.pearlite("run", file, "-o", where, "--overwrite", "--time-limit", str(limit), executable=FAULTY)
            self.assertEqual(ended.status, runner.STOPPED, ended.describe())
            self.assertIn("stopped by the time limit", ended.err)
            # By the run's clock, since a busy machine may take long to start and to end a process.
            found.append(runner.summary(where)["timing"]["wall_seconds"])
        self.assertTrue(limit / 2 < found[-1] < limit, found)

    def test_status_of_a_process(self):
        """Exit status 3 of the program without mpirun."""
        where = self.directory / "limited"
        ended = runner.pearlite("run", self.file, "-o", where, "--step-limit", "5", executable=FAULTY)
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        self.goes_on(where, 2)

    def test_nobody_listens(self):
        """A closed stderr, as of a terminal that has gone, does not end a run."""
        where = self.directory / "deaf"
        reader, writer = os.pipe()
        os.close(reader)
        status = subprocess.run([FAULTY, "run", self.file, "-o", where], stdin=subprocess.DEVNULL, stdout=writer,
                                stderr=writer, timeout=60, check=False).returncode
        os.close(writer)
        self.assertEqual(status, runner.FINISHED)
        self.assertEqual(runner.findings(where), self.expected)


if __name__ == "__main__":
    runner.main()
