"""Starts the pearlite command, alone or under mpirun, as a user does, and ends all its processes after a test.

The environment names what to start: PEARLITE (the executable) and MPIEXEC (default mpirun).
"""

import atexit
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing
import unittest

PEARLITE = os.environ.get("PEARLITE", "pearlite")
MPIEXEC = os.environ.get("MPIEXEC", "mpirun")
FINISHED, FAILED, BAD_INPUT, STOPPED = 0, 1, 2, 3
# Seconds in which anything happens that happens at all: a program that takes longer hangs, however busy the machine.
PATIENCE = 240


def roomy_memory():
    """Directory for files in memory: it is the program that is under test, not the disk. None where there is no room."""
    memory = pathlib.Path("/dev/shm")
    return memory if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > (512 << 20) else None


_LAUNCHERS = tempfile.mkdtemp(prefix="mpi-", dir=roomy_memory())
atexit.register(shutil.rmtree, _LAUNCHERS, ignore_errors=True)


def _launcher_files():
    """Environment that has Open MPI keep the files of a program in one directory: ranks that are killed cannot clean up
    themselves, and programs that start at the same time would both make a directory that they share."""
    directory = tempfile.mkdtemp(prefix="", dir=_LAUNCHERS)
    return {"OMPI_MCA_orte_tmpdir_base": directory, "OMPI_MCA_btl_vader_backing_directory": directory}


class Ended(typing.NamedTuple):
    """A program that has ended."""

    status: int
    out: str
    err: str
    seconds: float

    def describe(self):
        return f"status {self.status} after {self.seconds:.1f} s\nstdout:\n{self.out}\nstderr:\n{self.err}"


class Hang(AssertionError):
    """The program did not end in time; it and its ranks were killed."""


def _processes():
    """(pid, session, state) of every process."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            # A process may end between listing and reading.
            with contextlib.suppress(OSError):
                stat = pathlib.Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
                fields = stat.rpartition(")")[2].split()
                yield int(entry), int(fields[3]), fields[0]


class Program:
    """A program in a new session. mpirun gives every rank its own process group, so only the session contains all
    processes."""

    def __init__(self, *arguments, ranks=None, environment=None, executable=None, directory=None, before=None):
        command = [executable or PEARLITE, *map(str, arguments)]
        if ranks is not None:
            command = [MPIEXEC, "-n", str(ranks), *command]
        self.started = time.monotonic()
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err, start_new_session=True,
            env={**os.environ, **_launcher_files(), **(environment or {})}, cwd=directory, preexec_fn=before)
        self.launcher = self._process.pid

    def processes(self):
        """All living processes of the session, the launcher included."""
        return [pid for pid, session, state in _processes() if session == self.launcher and state not in "ZX"]

    def ranks(self):
        """{rank: pid} of the ranks that mpirun has started; not of the processes that read files for them."""
        found = {}
        for pid in sorted(self.processes(), reverse=True):
            with contextlib.suppress(OSError):
                variables = pathlib.Path("/proc", str(pid), "environ").read_bytes().split(b"\0")
                rank = [v.partition(b"=")[2] for v in variables if v.startswith(b"OMPI_COMM_WORLD_RANK=")]
                if rank:
                    found[int(rank[0])] = pid
        return found

    def running(self):
        return self._process.poll() is None

    def errors(self):
        """The contents of stderr so far."""
        return os.pread(self._err.fileno(), 1 << 24, 0).decode(errors="replace")

    def send(self, number, *pids):
        for pid in pids or [self.launcher]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill_all(self):
        """SIGKILL to launcher and ranks alike, as when a node dies."""
        deadline = time.monotonic() + 10
        while (pids := self.processes()) and time.monotonic() < deadline:
            self.send(signal.SIGKILL, *pids)
            time.sleep(0.005)
        self._process.wait(10)

    def wait(self, timeout=PATIENCE):
        """Waits for the end; after `timeout` seconds everything is killed and Hang raised."""
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill_all()
            raise Hang(f"still running after {timeout} s\n{self._ended(-1).describe()}") from None
        ended = self._ended(status)
        self.kill_all()
        return ended

    def _ended(self, status):
        texts = []
        for file in (self._out, self._err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Ended(status, *texts, time.monotonic() - self.started)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill_all()
        self._out.close()
        self._err.close()


def pearlite(*arguments, timeout=PATIENCE, **options):
    """Runs the command to its end; options as for Program."""
    with Program(*arguments, **options) as program:
        return program.wait(timeout)


def side_by_side(function, cases, workers=4):
    """function(*case) of every case, several at a time: short programs spend their time on starting and ending."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda case: function(*case), cases))


def wait_until(condition, timeout=PATIENCE, pause=0.002):
    """The first true value of condition(); None if there is none in time."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(pause)
    return None


def toml_value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def write_configuration(path, /, **tables):
    """A TOML file of tables of plain values."""
    lines = []
    for name, table in tables.items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in table.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def summary(directory):
    with contextlib.suppress(OSError):
        return json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    return {}


def findings(directory):
    """All of a finished run that may depend on configuration, seed and data only: estimates, predictions, digest, and the
    files of results and of the posterior to the byte."""
    found = summary(directory)
    if found.get("status") != "finished":
        raise AssertionError(f"{directory}: not finished: {found}")
    files = {name: hashlib.sha256((directory / name).read_bytes()).hexdigest()
             for name in ("results.h5", "posterior.nc") if (directory / name).exists()}
    keys = ("digest", "log_evidence", "approximations", "posterior", "predictions", "best", "replicates", "algorithm", "model",
            "seed", "block")
    return {**{key: found.get(key) for key in keys}, "ess": found["diagnostics"].get("ess"), "files": files}


def checkpoints(directory):
    """Checkpoint files, newest first."""
    return sorted(directory.glob("checkpoint.*.h5"), reverse=True)


@contextlib.contextmanager
def scratch_directory():
    """A temporary directory."""
    with tempfile.TemporaryDirectory(prefix="pearlite-", dir=roomy_memory()) as directory:
        yield pathlib.Path(directory)


SKIPPED = 77


def main():
    """Runs the tests of the calling script, or those named on the command line; status 77 and a last line with the reason
    if all of them were skipped."""
    program = unittest.main(module="__main__", verbosity=2, exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0:
        sys.exit("no such tests")
    if len(result.skipped) >= result.testsRun:
        print(f"skipped: {result.skipped[0][1]}")
        sys.exit(SKIPPED)
