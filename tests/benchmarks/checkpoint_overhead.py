"""Cost of checkpoints for each algorithm: seconds for one, and the share of a run with one every 1, 10 and 60 s.

usage: checkpoint_overhead.py PEARLITE [--ranks P] [--seconds S] [--pairs N] [--directory DIR] [ALGORITHM...]

A run of each algorithm writes a checkpoint every half second, as far as its steps allow, for S seconds once its state
has some megabytes, in DIR, which should lie on the file system to measure. The kernel reports (inotify) when a file is
created, when it is renamed into its place and when the last but one is removed. A checkpoint takes from the first to
the last of these events, and the run waits for it. With one rank (the default) the time for which its main thread
waited for a core (/proc/PID/schedstat) is subtracted, so that other work on the machine hardly disturbs the figures;
waits for the disk remain. The table has the median and quartiles; overheads are the median over the interval.

With --pairs each algorithm also runs N times to the same step with a checkpoint every second and without any, in turns,
so that the work before the file counts, too. The table then has median and range of the ratio of times minus one, which
needs idle cores, and of the processor time per checkpoint, which does not but leaves out waits for the disk.

Needs Linux, and the data directory (PEARLITE_DATA_DIR) for some algorithms.
"""

import argparse
import contextlib
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEARCH = ["model.dimension=200", "algorithm.regions=20000", "algorithm.replicates=16", "algorithm.iterations=100000000"]
# The job of each algorithm: a file of jobs/ or one of those below, its changes, and what it is, for the table.
JOBS = {
    "annealed-importance": ("ising", ["algorithm.trajectories=65536"], "Ising 32 x 32, 65 536 trajectories"),
    "smc": ("smc", [], "Ising 32 x 32, 65 536 particles"),
    "nonequilibrium": ("ising-work", ["algorithm.trajectories=32768", "schedule.steps=100000"],
                       "Ising 32 x 32, 32 768 trajectories each way"),
    "parallel-tempering": ("ising-tempering", ["model.size=128", "algorithm.scans=1000000"],
                           "Ising 128 x 128, 64 systems at 48 temperatures"),
    "resample-move": ("ising-arm", ["algorithm.particles=16384"], "Ising 16 x 16, 8 x 16 384 particles"),
    "importance-squared": ("returns", [], "stochastic volatility, 100 000 draws"),
    "pseudo-marginal": ("logistic-chains", [], "logistic regression, 64 chains of 20 000"),
    "contrastive-divergence": ("rbm-train-cd25-500", [], "RBM 784 x 500"),
    "sa": ("rastrigin", SEARCH, "Rastrigin in 200 dimensions, 16 replicates"),
    "vfsa": ("rastrigin", SEARCH, "the same, 14 chains each"),
    "saa": ("rastrigin", SEARCH, "16 replicates, 20 000 regions"),
    "psaa": ("rastrigin", [*SEARCH, "algorithm.regions=2000"], "16 replicates of 14 chains, 2000 regions each"),
    "pisaa": ("rastrigin", SEARCH, "16 replicates of 14 chains, 20 000 regions"),
    "asamc": ("rastrigin", SEARCH, "16 replicates, 20 000 regions"),
    "aesamc": ("rastrigin", SEARCH, "16 replicates of 14 chains, 20 000 regions"),
}
WRITTEN_HERE = {"smc": """
[run]
block = 512
[model]
name = "ising"
size = 32
[path]
inverse_temperature_end = 1.0
[schedule]
kind = "linear"
steps = 20000
[algorithm]
name = "smc"
particles = 65536
""", "returns": """
[model]
name = "stochastic-volatility"
data = "pound_dollar/svpd_returns.csv"
particles = 100
[algorithm]
name = "importance-squared"
draws = 100000
""", "logistic-chains": """
[model]
name = "logistic-regression"
data = "bayes/pima_standardised_532.dat"
response = "column1"
prior_variance = 100.0
[algorithm]
name = "pseudo-marginal"
chains = 64
iterations = 20000
burn_in = 1000
thin = 1
"""}
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}
LEAST_BYTES = 2_000_000
CREATED, MOVED_HERE, DELETED = 0x100, 0x80, 0x200


class Watch:
    """Times of events in a directory: (seconds, mask, name)."""

    def __init__(self, directory):
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init()
        if libc.inotify_add_watch(self._descriptor, os.fsencode(directory), CREATED | MOVED_HERE | DELETED) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")
        self.events = []
        self.program = None # whose waiting for cores is taken off
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            data = os.read(self._descriptor, 1 << 16)
            now = time.monotonic() - self._waited()
            while data:
                _, mask, _, length = struct.unpack_from("iIII", data)
                self.events.append((now, mask, data[16:16 + length].rstrip(b"\0").decode()))
                data = data[16 + length:]

    def _waited(self):
        try:
            schedule = pathlib.Path(f"/proc/{self.program}/schedstat").read_text() if self.program else "0 0"
            return int(schedule.split()[1]) / 1e9
        except (OSError, IndexError):
            return 0

    def checkpoints(self):
        """Seconds of each checkpoint, from the beginning of its file to the removal of the last but one."""
        taken, begun, placed = [], None, None
        for when, mask, name in self.events:
            if not name.startswith("checkpoint.") and "checkpoint" not in name:
                continue
            if mask == CREATED:
                if placed is not None and begun is not None:
                    taken.append(placed - begun)
                begun, placed = when, None
            elif begun is not None and (mask == MOVED_HERE or placed is not None):
                placed = when
        return taken[1:] # the first has none to remove

    def restart(self):
        self.events.clear()


def command(options, algorithm, directory, every, *more):
    job, changes, _ = JOBS[algorithm]
    file = ROOT / f"jobs/{job}.toml"
    if job in WRITTEN_HERE:
        file = directory / f"{job}.toml"
        file.write_text(WRITTEN_HERE[job], encoding="utf-8")
    changes = [f"run.checkpoint_every={every}", *changes]
    if job == "rastrigin":
        changes.append(f"algorithm.name={algorithm}")
    run = directory / "run"
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    sets = [word for change in changes for word in ("--set", change)]
    return ["mpirun", "-n", str(options.ranks), options.pearlite, "run", file, *sets, "-o", run, *more]


def start(arguments):
    return subprocess.Popen([str(a) for a in arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **MPI_ENVIRONMENT})


def rank_of(launcher):
    """Process id of the launcher's only rank."""
    while launcher.poll() is None:
        found = pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
        for child in found:
            with contextlib.suppress(OSError):
                if b"OMPI_COMM_WORLD_RANK=" in pathlib.Path(f"/proc/{child}/environ").read_bytes():
                    return int(child)
        time.sleep(0.01)
    return None


def size_of_newest(directory):
    sizes = [0]
    for file in sorted((directory / "run").glob("checkpoint.*.h5")):
        with contextlib.suppress(FileNotFoundError):
            sizes.append(file.stat().st_size)
    return sizes[-1]


def cost(options, algorithm, directory):
    """(bytes of a checkpoint, its seconds)."""
    arguments = command(options, algorithm, directory, 0.5)
    watch = Watch(directory / "run")
    program = start(arguments)
    if options.ranks == 1:
        watch.program = rank_of(program)
    patience = time.monotonic() + 120
    while program.poll() is None and size_of_newest(directory) < LEAST_BYTES and time.monotonic() < patience:
        time.sleep(0.2)
    watch.restart()
    end = time.monotonic() + options.seconds
    while program.poll() is None and (time.monotonic() < end or len(watch.checkpoints()) < 5) and \
            time.monotonic() < end + 60:
        time.sleep(0.2)
    taken = watch.checkpoints()
    if program.poll() is None:
        program.send_signal(signal.SIGUSR1)
    errors = program.communicate()[1]
    size = size_of_newest(directory)
    if len(taken) < 2 or not size:
        raise RuntimeError(f"{algorithm}: {len(taken)} checkpoints\n{errors}")
    return size, taken


def seconds_of_run(options, algorithm, directory, every, steps):
    arguments = command(options, algorithm, directory, every, "--step-limit", steps)
    watch = Watch(directory / "run")
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    program = start(arguments)
    errors = program.communicate()[1]
    if program.returncode not in (0, 1, 3):
        raise RuntimeError(f"{algorithm}: status {program.returncode}\n{errors}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    written = sum(mask == CREATED and "checkpoint" in name for _, mask, name in list(watch.events))
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, written


def pairs(options, algorithm, directory):
    """Compares runs with a checkpoint every second and without: median and range of the ratio of times minus one, in %,
    and of the processor seconds per checkpoint."""
    steps = 16
    while (taken := seconds_of_run(options, algorithm, directory, 1e6, steps)[0]) < options.seconds / 2:
        steps = int(steps * min(10.0, 1.2 * options.seconds / max(taken - 1, 0.2)))
    ratios, costs = [], []
    for i in range(options.pairs):
        order = (1, 1e6) if i % 2 else (1e6, 1)
        runs = {every: seconds_of_run(options, algorithm, directory, every, steps) for every in order}
        (time_with, processor_with, written), (time_without, processor_without, fewer) = runs[1], runs[1e6]
        ratios.append(100 * (time_with / time_without - 1))
        costs.append((processor_with - processor_without) / max(written - fewer, 1))
    return [f"{statistics.median(x):{form}} ({min(x):{form}} to {max(x):{form}})"
            for x, form in ((ratios, ".1f"), (costs, ".3f"))]


def listed(pearlite):
    """The algorithms of `pearlite list`."""
    text = subprocess.run([pearlite, "list"], check=True, capture_output=True, text=True).stdout
    sections = re.findall(r"^algorithms for them:\n((?:  .*\n)+)", text, re.MULTILINE)
    return [line.split()[0] for section in sections for line in section.splitlines()]


def main():
    parser = argparse.ArgumentParser(description="Measures the cost of checkpoints.")
    parser.add_argument("pearlite")
    parser.add_argument("algorithms", nargs="*")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--directory", default=None)
    options = parser.parse_intermixed_args()
    missing = sorted(set(listed(options.pearlite)) - set(JOBS))
    print("| algorithm | job | checkpoints | MB | seconds: median | quartiles | % at 1 s | 10 s | 60 s |"
          + (" in pairs: % at 1 s | processor seconds |" if options.pairs else ""))
    print("|---|---|---|---|---|---|---|---|---|" + ("---|---|" if options.pairs else ""))
    for algorithm in options.algorithms or JOBS:
        with tempfile.TemporaryDirectory(prefix="pearlite-", dir=options.directory) as scratch:
            try:
                size, taken = cost(options, algorithm, pathlib.Path(scratch))
                paired = pairs(options, algorithm, pathlib.Path(scratch)) if options.pairs else []
            except RuntimeError as error:
                missing.append(algorithm)
                print(error, file=sys.stderr)
                continue
        low, median, high = statistics.quantiles(taken, n=4, method="inclusive")
        cells = [algorithm, JOBS[algorithm][2], len(taken), f"{size / 1e6:.1f}", f"{median:.3f}",
                 f"{low:.3f} to {high:.3f}", *(f"{100 * median / every:.3g}" for every in (1, 10, 60)), *paired]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    if missing:
        print("not measured: " + ", ".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
