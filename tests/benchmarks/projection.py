"""Costs of ranks: messages, collectives and memory of a step, counted for up to 128 ranks, and a step on more of them.

usage: projection.py PEARLITE [--ranks P ...] [--job NAME ...] [--repeats N] [--latency US] [--overhead US] [--gap NS]
                     [--reduce NS]

Every job runs whole, as a user would run it: resampling, reductions, load balance, checkpoints each second. Counts are
those of the busiest rank (`timing.busiest_rank` of summary.json), the difference of a long and a short run over the
steps between them, so that start and results are left out. They do not depend on who else uses the machine, nor on how
many ranks share a core. The seconds of a step are those of one rank alone, of a processor.

A step on P ranks then takes, by the model of Alexandrov, Ionescu, Schauser & Scheiman (1997, LogGP), with the counts of
the most ranks that were tried, which go on to grow as they did from half as many,

    W / P  +  (reductions + other collectives) ceil(log2 P) (L + 2 o)  +  8 words ceil(log2 P) (G + r)
           +  collected bytes G  +  sends (L + 2 o)  +  sent bytes G

with latency L, overhead o, gap G a byte and r to add a byte. The defaults are typical of a cluster's network, not measured;
with --repeats N runs on one and on two ranks, and on one of half as much, are timed in turns, for the strong and the weak
efficiency of two; the model, with the numbers of a message in shared memory, is compared with these.
"""

import argparse
import json
import math
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from compare import MPI_ENVIRONMENT

ENVIRONMENT = os.environ | MPI_ENVIRONMENT


class Job(NamedTuple):
    """A configuration, and the keys of its numbers of particles and of steps."""

    about: str
    text: str
    size_key: str
    size: int  # particles, trajectories or chains in all
    size_of_rank: int  # where the problem grows with the ranks
    steps_key: str
    steps: tuple  # of the short and of the long run


JOBS = {
    "ais": Job("AIS of an Ising model of 32 x 32 spins, trajectories", """
model = {name = "ising", size = 32}
schedule = {kind = "linear"}
algorithm = {name = "annealed-importance"}
""", "algorithm.trajectories", 131072, 1024, "schedule.steps", (40, 120)),
    "smc": Job("SMC in eight dimensions that resamples at every step, particles", """
run = {block = 64}
model = {name = "gaussian", dimension = 8, start_mean = 2.0, start_sd = 3.0}
schedule = {kind = "exponential"}
kernel = {moves = 4}
algorithm = {name = "smc", ess_threshold = 1.0}
""", "algorithm.particles", 131072, 1024, "schedule.steps", (10, 30)),
    "pisaa": Job("PISAA on the rotated Rastrigin function in 30 dimensions, chains", """
model = {name = "test-function", function = "rastrigin", dimension = 30}
algorithm = {name = "pisaa", regions = 400, energy_low = -0.01, energy_high = 40.0, ranks_per_replicate = 1000}
""", "algorithm.chains", 1024, 8, "algorithm.iterations", (2000, 6000)),
}
COUNTS = ("reductions", "reduced_words", "other_collectives", "collected_bytes", "sends", "sent_bytes")


class Network(NamedTuple):
    """Microseconds of latency and overhead; nanoseconds of a byte, sent and added."""

    latency: float
    overhead: float
    gap: float
    add: float

    def message(self):
        return self.latency + 2 * self.overhead

    def step(self, counts, ranks):
        """Microseconds that a step's messages take, of counts of so many ranks."""
        if ranks == 1:
            return 0.0
        levels = math.ceil(math.log2(ranks))
        collectives = counts["reductions"] + counts["other_collectives"]
        return (collectives * levels * self.message() + 8e-3 * counts["reduced_words"] * levels * (self.gap + self.add)
                + 1e-3 * self.gap * (counts["collected_bytes"] + counts["sent_bytes"]) + counts["sends"] * self.message())


class Ended(NamedTuple):
    """A run: its summary's counts, and seconds on the clock and of processors."""

    counts: dict
    memory: int
    wall: float
    processor: float
    digest: str


def run(options, job, size, steps, ranks, directory):
    file, out = directory / "job.toml", directory / "out"
    file.write_text(job.text, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    launcher = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    command = [*launcher, str(options.pearlite), "run", str(file), "-o", str(out)]
    for key, value in ((job.size_key, size), (job.steps_key, steps), ("run.checkpoint_every", 1.0)):
        command += ["--set", f"{key}={value}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != 0:
        sys.exit(f"projection.py: {' '.join(command)}: status {ended.returncode}\n{ended.stderr}")
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    timing = summary["timing"]
    rank = timing["busiest_rank"]
    return Ended({name: rank[name] for name in COUNTS}, rank["peak_memory_bytes"], timing["wall_seconds"],
                 after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, summary["digest"])


def step_of(options, job, size, ranks, directory):
    """Counts of a step, and its seconds of processors and on the clock; the memory and digest of the long run."""
    short, long = (run(options, job, size, steps, ranks, directory) for steps in job.steps)
    n = job.steps[1] - job.steps[0]
    counts = {name: (long.counts[name] - short.counts[name]) / n for name in COUNTS}
    return counts, (long.processor - short.processor) / n, (long.wall - short.wall) / n, long


def on_more(counts, counted_on, ranks):
    """Counts of a rank on more ranks than were tried: each keeps its growth from half of the most tried ranks to
    these."""
    before, most = counts
    if ranks <= counted_on:
        return most

    def exponent(name):
        return min(2.0, max(0.0, math.log2(most[name] / before[name]))) if before[name] > 1 and most[name] > 1 else 0.0

    return {name: most[name] * (ranks / counted_on) ** exponent(name) for name in COUNTS}


def print_counts(options, job, directory, is_growing):
    """A row for each number of ranks; returns the counts of the last two, the seconds of a step of one rank."""
    print("| ranks | " + job.about.split(", ")[-1] + " | reductions | words | other collectives | bytes collected | "
          "sends | bytes sent | peak memory, MiB |\n|---|---|---|---|---|---|---|---|---|")
    digests, counted, seconds = set(), [], 0
    for ranks in options.ranks:
        size = job.size_of_rank * ranks if is_growing else job.size
        counts, processor, _, long = step_of(options, job, size, ranks, directory)
        counted.append(counts)
        if ranks == options.ranks[0]:
            seconds = processor
        digests.add(long.digest)
        print(f"| {ranks} | {size} | " + " | ".join(f"{counts[name]:.4g}" for name in COUNTS) +
              f" | {long.memory / 2**20:.0f} |", flush=True)
    if not is_growing and len(digests) != 1:
        sys.exit("projection.py: the digests differ")
    return counted[-2:], seconds


def print_projection(options, job, counts, seconds, is_growing):
    counted_on, network = options.ranks[-1], options.network
    print("\n| ranks | work of a rank, us | messages, us | efficiency | work for an efficiency of 0.9, us |\n"
          "|---|---|---|---|---|")
    for ranks in (*options.ranks, 1024, 10000):
        work = 1e6 * seconds / (1 if is_growing else ranks)
        messages = network.step(on_more(counts, counted_on, ranks), ranks)
        print(f"| {ranks} | {work:.4g} | {messages:.4g} | {work / (work + messages):.3f} | {9 * messages:.4g} |")
    print(flush=True)


def check_at_two(options, job, directory):
    """Runs on one rank, on two, and on one with half as much, in turns: what the model says, and what is true."""
    ones, twos, halves, counts = [], [], [], {}
    for _ in range(options.repeats):
        ones.append(step_of(options, job, job.size, 1, directory)[2])
        counts, _, wall, _ = step_of(options, job, job.size, 2, directory)
        twos.append(wall)
        halves.append(step_of(options, job, job.size // 2, 1, directory)[2])
    shared = Network(0.35, 0.08, 0.16, 0.2)  # messages in shared memory, of collective_benchmark
    one, two, half = statistics.median(ones), statistics.median(twos), statistics.median(halves)
    predicted = one / 2 + 1e-6 * shared.step(counts, 2)
    print(f"a step on one rank {1e6 * one:.4g} us ({1e6 * min(ones):.4g} to {1e6 * max(ones):.4g}), on two "
          f"{1e6 * two:.4g} us ({1e6 * min(twos):.4g} to {1e6 * max(twos):.4g}), on one of half as much "
          f"{1e6 * half:.4g} us ({1e6 * min(halves):.4g} to {1e6 * max(halves):.4g}): strong efficiency "
          f"{one / two / 2:.3f}, weak {half / two:.3f}; the model says {1e6 * predicted:.4g} us, "
          f"{one / predicted / 2:.3f}\n",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pearlite", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64, 128], help="each twice the last")
    parser.add_argument("--job", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--repeats", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.9)
    parser.add_argument("--overhead", type=float, default=0.3)
    parser.add_argument("--gap", type=float, default=0.1)
    parser.add_argument("--reduce", type=float, default=0.2)
    options = parser.parse_args()
    options.network = Network(options.latency, options.overhead, options.gap, options.reduce)
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.job:
            job, begin = JOBS[name], time.monotonic()
            for is_growing in (False, True):
                print(f"**{name}**: {job.about}, {'as many a rank' if is_growing else 'as many in all'}\n")
                counts, seconds = print_counts(options, job, pathlib.Path(scratch), is_growing)
                print_projection(options, job, counts, seconds, is_growing)
            if options.repeats:
                check_at_two(options, job, pathlib.Path(scratch))
            print(f"({time.monotonic() - begin:.0f} s)\n", flush=True)


if __name__ == "__main__":
    main()
