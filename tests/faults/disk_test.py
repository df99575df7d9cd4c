"""Full disks: a run that cannot write a checkpoint continues with a warning, and the previous checkpoint stays usable.
A run that cannot write its results ends with a message. Once there is room, a resume gives the results of an
undisturbed run."""

import contextlib
import functools
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import unittest
import unittest.mock

import pearlite_runner as runner

STEPS = 200


def configuration(steps=STEPS):
    """Particles of 176 bytes, so that checkpoints take some 300 kB; several in a run."""
    return {
        "run": {"block": 32, "checkpoint_every": 0.02},
        "model": {"name": "gaussian", "dimension": 20},
        "schedule": {"kind": "linear", "steps": steps},
        "kernel": {"moves": 1, "adapt": "online"},
        "algorithm": {"name": "smc", "particles": 1500},
    }


WARNING = r"warning: no checkpoint: .*; the run goes on, the previous one is still there"
ADVICE = "once it can be written, `pearlite resume .*` goes on from the last checkpoint"


class Base(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        tempfile.gettempdir()  # Python remembers its own, which outlives the test
        patch = unittest.mock.patch.dict(os.environ, TMPDIR=str(self.directory))
        patch.start()
        self.addCleanup(patch.stop)
        self.file = runner.write_configuration(self.directory / "disk.toml", **configuration())

    @staticmethod
    @functools.cache
    def expected(steps=STEPS):
        """The findings of an undisturbed run."""
        with runner.scratch_directory() as directory:
            file = runner.write_configuration(directory / "disk.toml", **configuration(steps))
            ended = runner.pearlite("run", file, "-o", directory / "whole", ranks=2)
            assert ended.status == runner.FINISHED, ended.describe()
            return runner.findings(directory / "whole")

    @contextlib.contextmanager
    def pause(self, program, where):
        """The run waits for this at its first checkpoint, however fast it is."""
        self.assertTrue(runner.wait_until(lambda: runner.checkpoints(where) or not program.running()))
        stopped = program.ranks().values() or program.processes()
        program.send(signal.SIGSTOP, *stopped)
        try:
            yield
        finally:
            program.send(signal.SIGCONT, *stopped)

    def goes_on(self, where, ranks):
        ended = runner.pearlite("resume", where, ranks=ranks)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.findings(where), self.expected())

    def no_left_over(self, where):
        self.assertEqual([name for name in os.listdir(where) if name.endswith(".tmp")], [])


class FileSizeLimit(Base):
    """A limit of file sizes stands for the full disk: writes fail, and SIGXFSZ must not kill."""

    def limit(self, program, bytes_):
        # Once MPI has started: its own files need more room than that.
        for pid in program.ranks().values() or [program.launcher]:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (bytes_, bytes_))

    def test_no_room_after_a_while(self):
        for number, ranks in enumerate((None, 2, 3)):
            with self.subTest(ranks=ranks):
                where = self.directory / f"limited-{number}"
                with runner.Program("run", self.file, "-o", where, ranks=ranks) as program:
                    with self.pause(program, where):
                        self.limit(program, 100_000)  # enough for run.log, too little for checkpoints and results
                    ended = program.wait()
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                self.assertRegex(ended.err, WARNING)
                self.assertRegex((where / "run.log").read_text(encoding="utf-8"), WARNING)
                self.assertRegex(ended.err, "pearlite: .*File too large.*" + ADVICE)
                self.assertTrue(runner.checkpoints(where))
                self.no_left_over(where)
                self.goes_on(where, 2)


@contextlib.contextmanager
def small_disk(directory, bytes_):
    """A file system of `bytes_` bytes; the test is skipped if it cannot be mounted."""
    directory.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={bytes_}", "pearlite-test", str(directory)]
    if os.geteuid() != 0:
        raise unittest.SkipTest("only root can mount a small file system")
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        raise unittest.SkipTest("a small file system cannot be mounted here")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


class ResultsWithoutAPlace(Base):
    """Results of a finished run are not lost if its files cannot be written."""

    def test_results_cannot_be_written(self):
        for number, ranks in enumerate((None, 2)):
            where = self.directory / f"run-{number}"
            with self.subTest(ranks=ranks), runner.Program("run", self.file, "-o", where, ranks=ranks) as program:
                with self.pause(program, where):
                    (where / "results.h5").mkdir()
                ended = program.wait()
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                self.assertRegex(ended.out, r"(?s)gaussian, smc: finished\n.*log Z.*digest ")
                found = re.search(r"; the estimates are above and in (\S+\.json); " + ADVICE + ", which holds the finished run",
                                  ended.err)
                self.assertTrue(found, ended.describe())
                rescued = json.loads(pathlib.Path(found[1]).read_text(encoding="utf-8"))
                self.assertEqual(rescued["status"], "finished")
                self.assertFalse((where / "summary.json").exists())
                self.no_left_over(where)
                (where / "results.h5").rmdir()
                self.goes_on(where, 3)
                self.assertEqual(runner.summary(where)["digest"], rescued["digest"])

    def test_any_file_of_results(self):
        """Catches a writer whose failure loses the estimates, or leaves a run that cannot be resumed."""
        file = runner.write_configuration(self.directory / "posterior.toml", run={"checkpoint_every": 0.02},
                                          model={"name": "radiata-pine"}, schedule={"kind": "linear", "steps": 200}, kernel={"moves": 1},
                                          algorithm={"name": "smc", "particles": 500, "replicates": 2})
        whole = self.directory / "whole"
        ended = runner.pearlite("run", file, "-o", whole)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        expected, written = runner.summary(whole)["digest"], {path.name for path in whole.iterdir() if not path.name.startswith("checkpoint.")}
        self.assertLessEqual({"results.h5", "posterior.nc", "summary.json"}, written)
        for name in written - {"run.log", "run.lock", "run.id"}:
            where = self.directory / f"without-{name}"
            with self.subTest(name), runner.Program("run", file, "-o", where) as program:
                with self.pause(program, where):
                    (where / name).mkdir()
                ended = program.wait()
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                self.assertIn("log evidence: ", ended.out)
                found = re.search(r"; the estimates are above and in (\S+\.json); ", ended.err)
                self.assertTrue(found, ended.describe())
                self.assertEqual(json.loads(pathlib.Path(found[1]).read_text(encoding="utf-8"))["digest"], expected)
                (where / name).rmdir()
                ended = runner.pearlite("resume", where)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertEqual(runner.summary(where)["digest"], expected)

    def test_no_second_place_either(self):
        where = self.directory / "run"
        with unittest.mock.patch.dict(os.environ, TMPDIR="/nowhere"), \
                runner.Program("run", self.file, "-o", where) as program:
            with self.pause(program, where):
                (where / "results.h5").mkdir()
            ended = program.wait()
        self.assertEqual(ended.status, runner.FAILED, ended.describe())
        self.assertIn("the estimates are above and in no file", ended.err)
        self.assertRegex(ended.out, "(?s)log Z.*digest ")


class FullDisk(Base):
    """A small file system that is filled during the run."""

    def fill(self, disk):
        """Leaves no byte free."""
        with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))

    def test_full_while_running(self):
        with small_disk(self.directory / "disk", 32 << 20) as disk:
            for number, ranks in enumerate((None, 3)):
                with self.subTest(ranks=ranks):
                    where = disk / f"run-{number}"
                    with runner.Program("run", self.file, "-o", where, ranks=ranks) as program:
                        with self.pause(program, where):
                            self.fill(disk)
                        ended = program.wait()
                    self.assertEqual(ended.status, runner.FAILED, ended.describe())
                    self.assertRegex(ended.err, WARNING)
                    self.assertRegex(ended.err, "No space left on device.*" + ADVICE)
                    self.assertTrue(runner.checkpoints(where))
                    self.no_left_over(where)
                    again = runner.pearlite("resume", where, ranks=2)
                    self.assertEqual(again.status, runner.FAILED, again.describe())
                    self.assertRegex(again.err, ADVICE)
                    (disk / "filler").unlink()
                    self.goes_on(where, 2)

    def test_no_room_from_the_start(self):
        """A run that could never be resumed does not begin."""
        with small_disk(self.directory / "disk", 64 << 10) as disk:
            for ranks in (None, 2):
                where = disk / "never"
                ended = runner.pearlite("run", self.file, "-o", where, "--overwrite", ranks=ranks)
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                self.assertIn("No space left on device", ended.err)
                self.assertNotIn("step 1/", ended.err)
                self.assertEqual(runner.checkpoints(where), [])
                self.no_left_over(where)

    def test_full_for_a_while(self):
        """The disk has room again while the run continues: the next checkpoint succeeds without intervention."""
        steps = 4 * STEPS
        file = runner.write_configuration(self.directory / "long.toml", **configuration(steps))
        with small_disk(self.directory / "disk", 32 << 20) as disk:
            where = disk / "run"
            with runner.Program("run", file, "-o", where, ranks=2) as program:
                with self.pause(program, where):
                    self.fill(disk)
                self.assertTrue(runner.wait_until(lambda: "no checkpoint" in program.errors()), program.errors())
                with self.pause(program, where):
                    full = {file.name for file in runner.checkpoints(where)}
                    (disk / "filler").unlink()
                ended = program.wait()
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
            self.assertEqual(runner.findings(where), self.expected(steps))
            self.assertTrue({file.name for file in runner.checkpoints(where)} - full)

    def test_no_directory(self):
        """The run directory vanishes: as many warnings as checkpoints, and an error at the end."""
        where = self.directory / "vanished"
        with runner.Program("run", self.file, "-o", where, ranks=2) as program:
            with self.pause(program, where):
                where.rename(self.directory / "elsewhere")
            ended = program.wait()
        self.assertEqual(ended.status, runner.FAILED, ended.describe())
        self.assertRegex(ended.err, WARNING)
        self.assertIn("No such file or directory", ended.err)
        self.goes_on(self.directory / "elsewhere", 1)


if __name__ == "__main__":
    runner.main()
