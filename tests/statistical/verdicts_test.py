"""Verdicts of runs with nothing set but model and algorithm: are the intervals that a run prints without a warning true,
and is a wrong number ever printed without one?

usage: verdicts_test.py [REPLICATES] [-o DIRECTORY] [--problems A,B] [--algorithms A,B] [--ranks N]

A sweep of all problems and algorithms that go together, by default 10 replicates of each. A run is *silent* if it
prints an interval and no warning. The table counts, per cell: silent runs whose 95 % interval holds the truth; silent
runs that are wrong, |z| > 4; runs that warn, or withhold their interval, although right, |z| < 2 (where an interval is
withheld: within half a nat). Comparison with the exact value is not among the warnings. Limits, over each algorithm
with n silent runs: coverage at least 95 % less 2.33 binomial standard errors (one false alarm in a hundred, as limits
of 93 % have from 650 runs on); silently wrong runs below 0.5 %, or one; runs that warn although right below 10 %, and
2.33 errors. Cells: 95 % less 4 binomial errors. A few problems exceed the 10 % by themselves.

Evidence is exact but for logistic regressions (simulated data; importance sampling, regression_evidence.py) and for the
one with random effects (8 replicates of a bridge from its Laplace approximation); the errors of these enter z.
"""

import argparse
import contextlib
import csv
import json
import math
import os
import pathlib
import random
import sys

import pearlite_runner as runner
import study_record as record
from dimensions_test import simulated

GAUSSIANS = [1, 5, 10, 20, 50, 100]
REGRESSIONS = {11: (-295.70234, 0.00016), 31: (-311.31892, 0.00042), 61: (-548.79248, 0.00101)}
ALGORITHMS = ["annealed-importance", "smc", "nonequilibrium", "parallel-tempering", "importance-squared"]
PROGRAM = os.environ.get("PEARLITE_KNOWN", "known_densities")


def subjects(file):
    """A table of 20 subjects with four responses each: intercept -0.5 + N(0, 1) a subject, slope 0.8 of a covariate."""
    draw = random.Random(20)
    lines = ["subject,y,x"]
    for subject in range(20):
        intercept = draw.gauss(-0.5, 1)
        for _ in range(4):
            x = draw.gauss(0, 1)
            lines.append(f"{subject},{int(draw.random() < 1 / (1 + math.exp(-intercept - 0.8 * x)))},{x:.6f}")
    file.write_text("\n".join(lines) + "\n")
    return file


def problems(place):
    """{name: {dotted key: value}}"""
    found = {f"gaussian {d}": {"model.name": "gaussian", "model.dimension": d} for d in GAUSSIANS}
    for d in REGRESSIONS:
        data = simulated(place / f"logistic-{d}.csv", d)
        found[f"logistic {d}"] = {"model.name": "logistic-regression", "model.data": str(data)}
    found["mixed logistic"] = {"model.name": "mixed-logistic", "model.study": "table", "model.likelihood": "exact",
                               "model.data": str(subjects(place / "subjects.csv"))}
    for name in ("funnel", "banana", "two-peaks", "schools", "line", "student-tails", "corner", "shells", "change-point"):
        found[name] = {"model.name": name}
    found["ising"] = {"model.name": "ising", "model.size": 10, "path.inverse_temperature_end": 0.44,
                      "schedule.kind": "linear", "schedule.steps": 30}
    return found


def goes_with(problem, algorithm):
    return not (problem == "ising" and algorithm == "importance-squared")


def references(place, problems):
    """{problem: (log evidence, its standard error)} of those without an exact value."""
    found = {f"logistic {d}": evidence for d, evidence in REGRESSIONS.items()}
    for name, keys in problems.items():
        if name != "mixed logistic":
            continue
        model = {key.removeprefix("model."): value for key, value in keys.items() if key.startswith("model.")}
        toml = runner.write_configuration(place / "reference.toml", model=model,
                                          algorithm={"name": "smc", "replicates": 8},
                                          path={"kind": "bridge", "prior_leg": False})
        where = place / f"reference-{name.replace(' ', '-')}"
        ended = runner.pearlite("run", toml, "-o", where, "--overwrite", timeout=3000)
        if ended.status != runner.FINISHED:
            raise RuntimeError(ended.describe())
        first = runner.summary(where)["log_evidence"][0]
        found[name] = first["value"], first["standard_error"]
    return found


def sweep_text(problems, algorithms, replicates):
    lines = ["[run]", "seed = 1", "[sweep]", f"replicates = {replicates}", 'seeds = "separate"']
    for problem, keys in problems.items():
        for algorithm in algorithms:
            if goes_with(problem, algorithm):
                lines += [record.VARIANT.strip(), f'name = "{problem}, {algorithm}"', f'algorithm.name = "{algorithm}"']
                lines += [f"{key} = {runner.toml_value(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def score(summary, reference):
    """(z of the headline or None, its error in nats or None)"""
    estimates = summary.get("log_evidence", [])
    if not estimates or "value" not in estimates[0]:
        return None, None
    first = estimates[0]
    truth, of_truth = reference or (first["exact"], 0.0)
    error = first["value"] - truth
    if "standard_error" not in first:
        return None, error
    return error / math.hypot(first["standard_error"], of_truth), error


def holds(summary, reference):
    first = summary["log_evidence"][0]
    truth, of_truth = reference or (first["exact"], 0.0)
    low, high = first["interval95"]
    widen = math.hypot(1, of_truth / first["standard_error"])
    return abs(truth - first["value"]) <= widen * (high - first["value"] if truth > first["value"] else first["value"] - low)


class Cell:
    def __init__(self):
        self.runs = self.silent = self.covers = self.wrong = self.needless = self.withheld = self.failed = 0
        self.seconds, self.scores, self.errors = 0.0, [], []

    def add(self, summary, reference):
        self.runs += 1
        if summary.get("status") != "finished":
            self.failed += 1
            return
        self.seconds += summary["timing"]["wall_seconds"]
        z, error = score(summary, reference)
        warns = bool(summary["diagnostics"].get("warnings"))
        if error is not None:
            self.errors.append(error)
        if z is not None and not warns:
            self.silent += 1
            self.scores.append(z)
            self.covers += holds(summary, reference)
            self.wrong += abs(z) > 4
        elif z is not None:
            self.needless += abs(z) < 2
        else:
            self.withheld += 1
            self.needless += error is not None and abs(error) < 0.5

    def merge(self, other):
        for name in ("runs", "silent", "covers", "wrong", "needless", "withheld", "failed", "seconds", "scores", "errors"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def row(self, name):
        mean = sum(self.scores) / len(self.scores) if self.scores else math.nan
        spread = math.sqrt(sum(z * z for z in self.scores) / len(self.scores)) if self.scores else math.nan
        error = sum(self.errors) / len(self.errors) if self.errors else math.nan
        return (f"| {name} | {self.runs} | {self.silent} | {self.covers} | {self.wrong} | {self.withheld} "
                f"| {self.needless} | {mean:+.2f} | {spread:.2f} | {error:+.3f} | {self.seconds / max(1, self.runs):.2f} |"
                + (f" {self.failed} failed" if self.failed else ""))

    def misses(self, name, errors):
        """The limits that the runs miss, widened by `errors` binomial standard errors."""
        least = 0.95 - errors * math.sqrt(0.95 * 0.05 / self.silent) if self.silent else 0
        found = []
        if self.silent:
            record.figure(f"{name}, coverage", self.covers / self.silent, least)
        record.figure(f"{name}, silently wrong", self.wrong, 0, max(1, 0.005 * self.runs))
        if self.silent and self.covers / self.silent < least:
            found.append(f"coverage {self.covers}/{self.silent}")
        if self.wrong > max(1, 0.005 * self.runs):
            found.append(f"{self.wrong} silently wrong")
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("replicates", nargs="?", type=int, default=10)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--problems", type=lambda text: text.split(","))
    parser.add_argument("--algorithms", type=lambda text: text.split(","), default=ALGORITHMS)
    parser.add_argument("--ranks", type=int, default=os.cpu_count())
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        place = (options.output or stack.enter_context(runner.scratch_directory())).resolve()
        place.mkdir(parents=True, exist_ok=True)
        chosen = {name: keys for name, keys in problems(place).items() if not options.problems or name in options.problems}
        truth = references(place, chosen)
        (place / "verdicts.toml").write_text(sweep_text(chosen, options.algorithms, options.replicates))
        if record.is_first():
            for name, evidence in truth.items():
                record.first(name, *evidence)
            record.first_replicates(place / "verdicts.toml", place / "runs", executable=PROGRAM, ranks=options.ranks)
            return 0
        ended = runner.pearlite("run", place / "verdicts.toml", "-o", place / "runs", "--overwrite", executable=PROGRAM,
                                ranks=options.ranks, timeout=100000)
        if ended.status not in (runner.FINISHED, runner.FAILED):
            raise RuntimeError(ended.describe())
        cells = {}
        with open(place / "runs" / "runs.csv", encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text):
                problem, _, algorithm = row["variant"].rpartition(", ")
                summary = runner.summary(place / "runs" / "runs" / f"{int(row['run']):06d}")
                cells.setdefault((algorithm, problem), Cell()).add(summary, truth.get(problem))
    missed = []
    print("| algorithm, problem | runs | silent | of these hold | silently wrong | withheld | warned though right "
          "| mean z | rms z | mean error | s |\n|---|---|---|---|---|---|---|---|---|---|---|")
    for algorithm in options.algorithms:
        whole = Cell()
        for (its, problem), cell in cells.items():
            if its == algorithm:
                print(cell.row(f"{algorithm}, {problem}"))
                missed += [f"{algorithm}, {problem}: {miss}" for miss in cell.misses(f"{algorithm}, {problem}", 4)]
                whole.merge(cell)
        print(whole.row(f"**{algorithm}**"))
        missed += [f"{algorithm}: {miss}" for miss in whole.misses(algorithm, 2.33)]
        most = 0.1 * whole.runs + 2.33 * math.sqrt(0.1 * 0.9 * whole.runs)
        record.figure(f"{algorithm}, warned though right", whole.needless, 0, most)
        if whole.needless > most:
            missed.append(f"{algorithm}: {whole.needless} of {whole.runs} runs warn although right")
    for miss in missed:
        print("MISSED:", miss)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
