"""Runs the benchmarks several times, takes the best of each figure and prints a table beside the targets.

usage: compare.py DIRECTORY_OF_BENCHMARKS [--repeats N] [--real-time] [NAME...]
NAME: rbm, ising, potts, energies, search, filter, mixed, smc, bar, statistics, resampling, checkpoint, scaling. --real-time (root only) runs them before all other work on the
machine, without which two ranks cannot be timed on a busy one.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
}


class Figure(NamedTuple):
    """A counter of a benchmark (its rows are chosen by a prefix of their names) and its target."""

    benchmark: str
    row: str
    counter: str
    meaning: str
    target: float
    larger_is_better: bool

    def best(self, values):
        return max(values) if self.larger_is_better else min(values)

    def is_met(self, value):
        return value >= self.target if self.larger_is_better else value <= self.target


FIGURES = [
    Figure("rbm", "rbm_anneal", "of_products", "RBM 784 x 500, an AIS update against its float products alone", 0.7, True),
    Figure("ising", "anneal/metropolis", "times_plain", "Ising 32 x 32, Metropolis sweeps against a plain loop", 3, True),
    Figure("ising", "anneal/heat_bath", "times_plain", "Ising 32 x 32, heat-bath sweeps against a plain loop", 3, True),
    Figure("ising", "anneal/random_site", "times_plain", "Ising 32 x 32, random sites against a plain loop of sweeps", 12, True),
    Figure("potts", "move/sweep/10", "times_plain", "Potts 32 x 32 of 10 colours, sweeps against a plain loop", 12, True),
    Figure("potts", "move/random_site/10", "times_plain", "the same at random sites", 12, True),
    Figure("energies", "lanes/rastrigin", "times_plain", "rotated Rastrigin of 30 dimensions against a plain loop", 3, True),
    Figure("energies", "lanes/protein_in_the_plane", "times_plain", "AB protein of 55 monomers against a plain loop", 3, True),
    Figure("search", "search_rastrigin/14", "updates", "PISAA, rotated Rastrigin of 30 dimensions, 14 chains: updates per second", 1.2e7, True),
    Figure("search", "search_rastrigin/14", "times_plain", "the same against a plain loop that only computes energies", 3, True),
    Figure("search", "search_protein/10", "updates", "PISAA, AB protein of 55 monomers, 10 chains: updates per second", 3.8e5, True),
    Figure("search", "search_protein/10", "times_plain", "the same against a plain loop that only computes energies", 3, True),
    Figure("search", "search_protein_locally/10", "updates", "the same protein, mostly local moves: updates per second", 3.8e5, True),
    Figure("search", "search_protein_locally/10", "times_plain", "the same against a plain loop that only computes energies", 3, True),
    Figure("filter", "filter/plain/1000", "times_plain", "particle filter of 945 returns, 1000 particles, against a plain loop", 2, True),
    Figure("mixed", "logistic_regression", "terms", "logistic regression 768 x 9: data terms x coefficients per second", 4e9, True),
    Figure("smc", "logistic_regression", "terms", "the same of a whole SMC run", 4e9, True),
    Figure("smc", "logistic_regression", "of_evaluate", "the same over the rate of likelihoods alone", 0.6, True),
    Figure("bar", "solve", "seconds", "BAR of 10^6 + 10^6 works, seconds", 1.0, False),
    Figure("statistics", "ising", "of_step", "statistics of a temperature, share of an Ising step", 0.05, False),
    Figure("statistics", "rbm", "of_step", "statistics of a temperature, share of an RBM step", 0.05, False),
    Figure("resampling", "resample", "times_all", "resampling 10^5 x 2 KiB against memcpy of the population", 1.2, False),
    Figure("checkpoint", "commit_checkpoint", "times_plain", "checkpoint of 256 MiB against write + fsync", 1.5, False),
    Figure("scaling", "ising", "efficiency", "two ranks against one, Ising AIS", 0.9, True),
    Figure("scaling", "rbm", "efficiency", "two ranks against one, RBM AIS", 0.9, True),
    Figure("scaling", "logistic", "efficiency", "two ranks against one, SMC of logistic regression 532 x 8", 0.95, True),
    Figure("scaling", "toenail", "efficiency", "two ranks against one, SMC of mixed logistic regression", 0.95, True),
    Figure("scaling", "volatility", "efficiency", "two ranks against one, SMC of stochastic volatility", 0.95, True),
]


def google_benchmark(program, prefix):
    """{row name: {counter: value}} of one run; the prefix goes before the command."""
    with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
        output = pathlib.Path(scratch) / "out.json"
        subprocess.run([*prefix, program.resolve(), f"--benchmark_out={output.resolve()}", "--benchmark_out_format=json"], cwd=scratch,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return {row["name"]: row for row in json.loads(output.read_text())["benchmarks"]}


def scaling(program, prefix, repeats=3):
    """Like google_benchmark: wall-clock time at one rank over that at two, taken in turns, the best of each."""
    environment = os.environ | MPI_ENVIRONMENT
    rows = {}
    for model in ("ising", "rbm", "logistic", "toenail", "volatility"):
        seconds = {1: [], 2: []}
        for ranks in [1, 2] * repeats:
            run = subprocess.run([*prefix, "mpirun", "-n", str(ranks), program, model], env=environment, check=True, text=True,
                                 stdout=subprocess.PIPE)
            seconds[ranks].append(float(run.stdout))
        rows[model] = {"efficiency": min(seconds[1]) / min(seconds[2])}
    return rows


def measure(directory, name, prefix):
    program = directory / f"{name}_benchmark"
    return scaling(program, prefix) if name == "scaling" else google_benchmark(program, prefix)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--real-time", action="store_true")
    arguments = parser.parse_args()
    if shutil.which("mpirun") is None:
        sys.exit("mpirun is not on the path")
    names = list(dict.fromkeys(figure.benchmark for figure in FIGURES))
    if unknown := set(arguments.names) - set(names):
        sys.exit(f"no benchmark called {', '.join(sorted(unknown))}; there are {', '.join(names)}")

    prefix = ["chrt", "-f", "10"] if arguments.real_time else []
    print("| figure | best | target | |\n|---|---|---|---|")
    missed = 0
    for name in arguments.names or names:
        runs = [measure(arguments.directory, name, prefix) for _ in range(1 if name == "scaling" else arguments.repeats)]
        for figure in (figure for figure in FIGURES if figure.benchmark == name):
            values = [row[figure.counter] for run in runs for key, row in run.items() if key.startswith(figure.row)]
            best = figure.best(values)
            met = figure.is_met(best)
            missed += not met
            sign = ">=" if figure.larger_is_better else "<="
            print(f"| {figure.meaning} | {best:.3g} | {sign} {figure.target:g} | {'met' if met else 'MISSED'} |", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
