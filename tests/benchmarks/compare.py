"""Runs the benchmarks several times and prints median and spread of each figure with its target; or compares builds.

usage: compare.py DIRECTORY [--repeats N] [--real-time] [NAME...]
       compare.py DIRECTORY --against OTHER_DIRECTORY [--repeats N] [--real-time] [NAME...]
DIRECTORY holds the benchmarks of a build. NAME: rbm, random, ising, potts, orthant, energies, search, network, filter, mixed,
smc, bar, statistics, resampling, checkpoint, scaling, jobs; with --against also sum. Jobs are whole runs of the command,
start, checkpoints and results included, against what their kernel alone does in its benchmark. --real-time (root only)
runs them before all other work on the machine, without which two ranks cannot be timed on a busy one.

The spread is from the smallest to the largest of the runs. --against runs each benchmark of the other build and of
this one in turns, N pairs. Its ratios are of times, new over old, of the two runs of a pair: 1.02 is 2 % slower. It
compares the figures, and the time of each row. A figure or row is flagged if its median ratio is above 1.02 and its
ratio is above 1 in each pair. Status 1 if a target is missed or anything is flagged.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
}
SLOWER = 1.02


class Figure(NamedTuple):
    """A counter of one row of a benchmark, and its target."""

    benchmark: str
    row: str
    counter: str
    meaning: str
    target: float
    larger_is_better: bool

    def of(self, rows):
        """The value in a run, {row name: {counter: value}}."""
        if self.row not in rows:
            sys.exit(f"{self.benchmark}_benchmark has no row called {self.row}; it has {', '.join(rows)}")
        return rows[self.row][self.counter]

    def is_known(self, rows):
        """Whether the machine has such a ceiling."""
        return self.counter != "of_ceiling" or self.counter in rows.get(self.row, {self.counter})

    def is_met(self, value):
        return value >= self.target if self.larger_is_better else value <= self.target

    def time_ratio(self, old, new):
        return old / new if self.larger_is_better else new / old


FIGURES = [
    Figure("rbm", "rbm_anneal/128/manual_time", "of_products",
           "RBM 784 x 500, an AIS update against its float products alone", 2, True),
    Figure("rbm", "rbm_anneal/portable/512/manual_time", "best_updates",
           "the same in plain C++ for any x86-64-v3 CPU: updates per second", 2e4, True),
    Figure("rbm", "rbm_anneal/avx2/512/manual_time", "best_updates", "the same with AVX2", 6e4, True),
    Figure("ising", "anneal/metropolis", "times_plain",
           "Ising 32 x 32, Metropolis sweeps against a plain loop", 3, True),
    Figure("ising", "anneal/heat_bath", "times_plain",
           "Ising 32 x 32, heat-bath sweeps against a plain loop", 3, True),
    Figure("ising", "anneal/random_site", "times_plain",
           "Ising 32 x 32, random sites against a plain loop of sweeps", 12, True),
    Figure("potts", "move/sweep/10", "times_plain",
           "Potts 32 x 32 of 10 colours, sweeps against a plain loop", 12, True),
    Figure("potts", "move/random_site/10", "times_plain", "the same at random sites", 12, True),
    Figure("random", "bits<ars>", "of_ceiling", "random bits by ARS against the AES instructions alone", 0.9, True),
    Figure("ising", "anneal/metropolis_ars", "of_ceiling",
           "Ising sweeps by ARS, the same ceiling of their random bits", 0.5, True),
    Figure("potts", "move/sweep_ars/10", "of_ceiling",
           "Potts sweeps of 10 colours by ARS, the same ceiling", 0.3, True),
    Figure("orthant", "sweep<float>", "of_ceiling",
           "Gibbs sweep of GP classification, 767 rows, 960 particles: share of the core's multipliers", 0.5, True),
    Figure("energies", "lanes/rastrigin", "of_ceiling",
           "rotated Rastrigin, the multiplications of the rotation at the core's peak: share of the time", 0.25, True),
    Figure("energies", "lanes/rastrigin", "times_plain",
           "rotated Rastrigin of 30 dimensions against a plain loop", 3, True),
    Figure("energies", "lanes/protein_in_the_plane", "times_plain",
           "AB protein of 55 monomers against a plain loop", 3, True),
    Figure("search", "search_rastrigin/14", "updates",
           "PISAA, rotated Rastrigin of 30 dimensions, 14 chains: updates per second", 1.2e7, True),
    Figure("search", "search_rastrigin/14", "times_plain",
           "the same against a plain loop that only computes energies", 3, True),
    Figure("search", "search_protein/10", "updates",
           "PISAA, AB protein of 55 monomers, 10 chains: updates per second", 3.8e5, True),
    Figure("search", "search_protein/10", "times_plain",
           "the same against a plain loop that only computes energies", 3, True),
    Figure("search", "search_protein_locally/10", "updates",
           "the same protein, mostly local moves: updates per second", 3.8e5, True),
    Figure("search", "search_protein_locally/10", "times_plain",
           "the same against a plain loop that only computes energies", 3, True),
    Figure("network", "looked_up/5", "scores",
           "scores of families of five parents, 23 variables, 267 rows: per second", 1e8, True),
    Figure("network", "all_tabulated", "times_plain",
           "the table of them all, against a loop that counts rows", 10, True),
    Figure("filter", "filter/plain/1000", "times_plain",
           "particle filter of 945 returns, 1000 particles, against a plain loop", 2, True),
    Figure("filter", "filter/plain_ars/1000", "times_plain", "the same with the generator ARS", 2, True),
    Figure("filter", "filter/both/1000", "times_plain",
           "the same with leverage and Student-t errors against the plain loop without", 1, True),
    Figure("filter", "small_volatility/plain", "steps",
           "blocks of filters of 50 returns, 50 particles: particle-steps per second", 1e8, True),
    Figure("filter", "small_linear_gaussian/bootstrap", "steps",
           "the same of the linear Gaussian model, in double precision", 4e7, True),
    Figure("mixed", "quadrature/4", "likelihoods",
           "exact likelihood of 294 subjects, deviation e^4: per second", 2e3, True),
    Figure("mixed", "logistic_regression", "terms",
           "logistic regression 768 x 9: data terms x coefficients per second", 4e9, True),
    Figure("smc", "logistic_regression", "terms", "the same of a whole SMC run", 4e9, True),
    Figure("smc", "logistic_regression", "of_evaluate", "the same over the rate of likelihoods alone", 0.6, True),
    Figure("bar", "solve", "seconds", "BAR of 10^6 + 10^6 works, seconds", 1.0, False),
    Figure("statistics", "ising/manual_time", "of_step",
           "statistics of a temperature, share of an Ising step", 0.05, False),
    Figure("statistics", "rbm/manual_time", "of_step",
           "statistics of a temperature, share of an RBM step", 0.05, False),
    Figure("resampling", "resample/manual_time", "times_all",
           "resampling 10^5 x 2 KiB against memcpy of the population", 1.2, False),
    Figure("checkpoint", "commit_checkpoint/MiB:256/iterations:5/manual_time", "times_plain",
           "checkpoint of 256 MiB against write + fsync", 1.5, False),
    Figure("scaling", "ising", "efficiency", "two ranks against one, Ising AIS", 0.9, True),
    Figure("scaling", "rbm", "efficiency", "two ranks against one, RBM AIS", 0.9, True),
    Figure("scaling", "logistic", "efficiency",
           "two ranks against one, SMC of logistic regression 532 x 8", 0.95, True),
    Figure("scaling", "toenail", "efficiency", "two ranks against one, SMC of mixed logistic regression", 0.95, True),
    Figure("scaling", "volatility", "efficiency", "two ranks against one, SMC of stochastic volatility", 0.95, True),
    Figure("jobs", "ising", "of_kernel", "jobs/ising.toml, the whole run against its sweeps alone", 0.8, True),
    Figure("jobs", "ising_ars", "of_kernel", "the same with run.generator = \"ars\"", 0.7, True),
    Figure("jobs", "potts", "of_kernel", "jobs/potts-work.toml, 500 steps, against its visits alone", 0.8, True),
    Figure("jobs", "rastrigin", "of_kernel", "jobs/rastrigin.toml, the whole run against its iterations alone", 0.8,
           True),
]



class Job(NamedTuple):
    """A run of the command, what it does in all, and the row of a benchmark that does only this."""

    file: str
    settings: tuple
    work: float
    benchmark: str
    row: str
    counter: str


ISING_ATTEMPTS = 1024 * 20000 * 32 * 32  # trajectories, steps, sites
JOBS = {
    "ising": Job("ising.toml", (), ISING_ATTEMPTS, "ising", "anneal/metropolis", "attempts"),
    "ising_ars": Job("ising.toml", ('run.generator="ars"',), ISING_ATTEMPTS, "ising", "anneal/metropolis_ars", "attempts"),
    # both directions and 100 moves before the second, 10000 visits each, of which 15 in 16 make a proposal
    "potts": Job("potts-work.toml", ("schedule.steps=500",), 1024 * (2 * 500 + 100) * 10000 * 15 / 16, "potts",
                 "move/random_site/10", "attempts"),
    "rastrigin": Job("rastrigin.toml", (), 14e6, "search", "search_rastrigin/14", "proposals"),
}
SCALING_MODELS = ("ising", "rbm", "logistic", "toenail", "volatility")
WITHOUT_FIGURES = ["sum"]  # compared with --against alone


def google_benchmark(program, prefix, *arguments):
    """{row name: {counter: value}} of one run; the prefix goes before the command."""
    with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
        output = pathlib.Path(scratch) / "out.json"
        options = [f"--benchmark_out={output.resolve()}", "--benchmark_out_format=json", *arguments]
        subprocess.run([*prefix, program.resolve(), *options], cwd=scratch, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return {row["name"]: row for row in json.loads(output.read_text())["benchmarks"]}


def scaling(program, prefix):
    """Like google_benchmark: for each model the seconds at one and at two ranks, and the ratio of these."""
    rows = {}
    for model in SCALING_MODELS:
        seconds = {}
        for ranks in (1, 2):
            command = [*prefix, "mpirun", "-n", str(ranks), program, model]
            run = subprocess.run(command, env=os.environ | MPI_ENVIRONMENT, check=True, text=True,
                                 stdout=subprocess.PIPE)
            seconds[ranks] = float(run.stdout)
            rows[f"{model}/{ranks}"] = {"real_time": seconds[ranks], "cpu_time": seconds[ranks]}
        rows[model] = {"efficiency": seconds[1] / seconds[2]}
    return rows


def jobs(directory, prefix):
    """For each job the time of its kernel for the same work, as a share of the time of the whole process."""
    rows = {}
    pearlite = directory.resolve().parent.parent / "drivers/pearlite"
    files = pathlib.Path(__file__).resolve().parent.parent.parent / "jobs"
    for name, job in JOBS.items():
        with tempfile.TemporaryDirectory() as scratch:
            command = [*prefix, pearlite, "run", files / job.file, "-o", f"{scratch}/run"]
            command += [word for setting in job.settings for word in ("--set", setting)]
            begin = time.monotonic()
            subprocess.run(command, env=os.environ | MPI_ENVIRONMENT, check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            seconds = time.monotonic() - begin
        alone = google_benchmark(directory / f"{job.benchmark}_benchmark", prefix, f"--benchmark_filter={job.row}$")
        rows[name] = {"real_time": seconds, "cpu_time": seconds,
                      "of_kernel": job.work / seconds / alone[job.row][job.counter]}
    return rows


def measure(directory, name, prefix):
    if name == "jobs":
        return jobs(directory, prefix)
    program = directory / f"{name}_benchmark"
    if not program.exists():
        sys.exit(f"{program} is not there; `cmake --build --preset ci --target benchmarks` builds it")
    return scaling(program, prefix) if name == "scaling" else google_benchmark(program, prefix)


def spread(values):
    return f"{min(values):.3g} .. {max(values):.3g}"


def compare_with_targets(directory, names, repeats, prefix):
    """Prints the table; how many targets are missed by the median."""
    print("| figure | median | spread | target | |\n|---|---|---|---|---|")
    missed = 0
    for name in names:
        runs = [measure(directory, name, prefix) for _ in range(repeats)]
        for figure in (figure for figure in FIGURES if figure.benchmark == name):
            if not all(figure.is_known(rows) for rows in runs):
                continue
            values = [figure.of(rows) for rows in runs]
            median = statistics.median(values)
            met = figure.is_met(median)
            missed += not met
            target = f"{'>=' if figure.larger_is_better else '<='} {figure.target:g}"
            print(f"| {figure.meaning} | {median:.3g} | {spread(values)} | {target} | {'met' if met else 'MISSED'} |",
                  flush=True)
    return missed


def time_of(row, name):
    """The time of an iteration, by the clock that the row goes by."""
    return row["real_time" if name.endswith(("manual_time", "real_time")) else "cpu_time"]


def ratios_of_pairs(name, pairs):
    """(what, ratios of times) of each figure, then of the times of each row that both builds have."""
    for figure in (figure for figure in FIGURES if figure.benchmark == name):
        if not all(figure.row in rows and figure.is_known(rows) for pair in pairs for rows in pair):
            continue  # an earlier build may lack it
        ratios = [figure.time_ratio(figure.of(old), figure.of(new)) for old, new in pairs]
        yield f"{name}: {figure.row}, {figure.counter}", ratios
    old, new = pairs[0]
    for row in old:
        if row in new and "cpu_time" in old[row]:
            yield f"{name}: {row}, time", [time_of(new[row], row) / time_of(old[row], row) for old, new in pairs]
    for row in old.keys() ^ new.keys():
        print(f"only one build has {name}: {row}", file=sys.stderr)


def is_slower(ratios):
    """Beyond the spread of the pairs: without a difference, one of 2^N would have N ratios above 1."""
    return statistics.median(ratios) > SLOWER and min(ratios) > 1


def compare_builds(new_directory, old_directory, names, repeats, prefix):
    """Prints the table; how many figures are slower."""
    print(f"| figure | time, new over old | spread of {repeats} pairs | |\n|---|---|---|---|")
    n_slower = 0
    for name in names:
        pairs = []
        for _ in range(repeats):
            old = measure(old_directory, name, prefix)
            pairs.append((old, measure(new_directory, name, prefix)))
        for what, ratios in ratios_of_pairs(name, pairs):
            slower = is_slower(ratios)
            n_slower += slower
            print(f"| {what} | {statistics.median(ratios):.3f} | {min(ratios):.3f} .. {max(ratios):.3f} | "
                  f"{'SLOWER' if slower else ''} |", flush=True)
    return n_slower


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--against", type=pathlib.Path, metavar="OTHER_DIRECTORY")
    parser.add_argument("--repeats", type=int, help="runs, 3 if not given; with --against pairs, 5 if not given")
    parser.add_argument("--real-time", action="store_true")
    arguments = parser.parse_intermixed_args()
    known = list(dict.fromkeys(figure.benchmark for figure in FIGURES)) + (WITHOUT_FIGURES if arguments.against else [])
    if unknown := set(arguments.names) - set(known):
        sys.exit(f"no benchmark called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    names = arguments.names or known
    if "scaling" in names and shutil.which("mpirun") is None:
        sys.exit("mpirun is not on the path")

    prefix = ["chrt", "-f", "10"] if arguments.real_time else []
    if arguments.against:
        failed = compare_builds(arguments.directory, arguments.against, names, arguments.repeats or 5, prefix)
    else:
        failed = compare_with_targets(arguments.directory, names, arguments.repeats or 3, prefix)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
