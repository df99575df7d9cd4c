"""The calibration study: are the stated standard errors of log Z true? Judges the sweep jobs/calibration.toml, and two
more of few particles and few families, by their tables, and wrong twins of both, which it must reject.

usage: calibration_test.py [REPLICATES] [-o DIRECTORY]       200 replicates by default; status 1 if a figure misses

Scores are errors in units of the stated standard error. Limits for n of them: |mean| <= 0.2 and 0.85 <= sd <= 1.15 from
200 on, and as many of their own standard errors (1/sqrt(n), 1/sqrt(2n)) for fewer: 2.8 and 3.0. A true standard error
with normal scores misses the first in 0.5 % of all studies of 200 and the second in 0.3 %. exp(estimate - truth) of an
unbiased estimate of Z has mean 1, within 3 of its standard errors.
"""

import argparse
import contextlib
import csv
import math
import os
import pathlib
import statistics
import sys

import h5py

import pearlite_runner as runner
import study_record as record

HERE = pathlib.Path(__file__).resolve().parent
JOBS = HERE.parents[1] / "jobs"
RANKS = min(4, os.cpu_count() or 1)
FULL_STUDY = 200
VALUE = "log_evidence.product.log_ratio."
LARGEST_BIAS = 3  # standard errors
FEWEST_FAMILIES = 20
BATCHES = 16

# The errors of each method: column, whether it claims to be exact (else a bound), degrees of freedom (0: normal).
ERRORS = {
    "AIS": [("delta", "", True, 0), ("bootstrap", "bootstrap.", True, 0)],
    "SMC, multinomial": [("lee-whiteley", "", True, 0)],
    "SMC, multinomial at every step": [("chan-lai (bound)", "", False, 0)],
    "SMC, systematic": [("chan-lai (bound)", "", False, 0)],
    "SMC, systematic at every step": [("chan-lai (bound)", "", False, 0)],
    "SMC, systematic, 16 replicates": [("replicates", "", True, BATCHES - 1)],
}


def sweep(file, where, *arguments):
    ended = runner.pearlite("run", file, "-o", where, "--overwrite", *arguments, ranks=RANKS, timeout=3000)
    if ended.status != runner.FINISHED:
        raise AssertionError(ended.describe())
    with open(where / "runs.csv", encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def numbers(rows, column):
    return [float(row[column]) for row in rows if row[column] != ""]


def student_tail(t, degrees):
    """P(T > t) for t >= 0 and an odd number of degrees of freedom (Abramowitz & Stegun 26.7.3)."""
    angle = math.atan(t / math.sqrt(degrees))
    term, total = math.cos(angle), math.cos(angle) if degrees > 1 else 0.0
    for k in range(3, degrees - 1, 2):
        term *= math.cos(angle) ** 2 * (k - 1) / k
        total += term
    return 0.5 - (angle + math.sin(angle) * total) / math.pi


def normal_score(score, degrees):
    """The normal quantile of the probability that Student's t gives a score."""
    if not degrees:
        return score
    tail = max(student_tail(abs(score), degrees), 1e-15)
    return math.copysign(statistics.NormalDist().inv_cdf(1 - tail), score)


def limits_of(scores, is_exact):
    """(largest mean, least and largest standard deviation) of scores."""
    scale = max(1.0, math.sqrt(FULL_STUDY / len(scores)))
    return 0.2 * scale, 1 - 0.15 * scale if is_exact else 0.0, 1 + 0.15 * scale


def is_accepted(scores, is_exact):
    largest_mean, least, largest = limits_of(scores, is_exact)
    return abs(statistics.fmean(scores)) <= largest_mean and least <= statistics.stdev(scores) <= largest


def record_scores(case, scores, is_exact, twins=()):
    """The judged figures of scores, and those of wrong twins, (what, scores), that are beyond the limits."""
    largest_mean, least, largest = limits_of(scores, is_exact)
    record.figure(f"{case}, mean z", statistics.fmean(scores), -largest_mean, largest_mean)
    record.figure(f"{case}, sd z", statistics.stdev(scores), least, largest)
    for what, twin in twins:
        if least <= statistics.stdev(twin) <= largest:  # rejected by its mean
            mean = statistics.fmean(twin)
            record.figure(f"{case}, mean z of {what}", mean, -largest_mean, largest_mean, outside=True)
        else:
            record.figure(f"{case}, sd z of {what}", statistics.stdev(twin), least, largest, outside=True)


class Study:
    def __init__(self):
        self.lines, self.missed = [], []

    def require(self, condition, what):
        if not condition:
            self.missed.append(what)

    def judge_errors(self, problem, method, rows):
        for name, prefix, is_exact, degrees in ERRORS[method]:
            scores = [normal_score(score, degrees) for score in numbers(rows, f"{VALUE}{prefix}z_score")]
            case = f"{problem}, {method}, {name}"
            self.require(len(scores) == len(rows), f"{case}: an error bar is missing")
            good = is_accepted(scores, is_exact)
            self.require(good, f"{case}: the standard error is not true")
            self.lines.append(f"| {problem} | {method} | {name} | {statistics.stdev(numbers(rows, VALUE + 'value')):.3f} "
                              f"| {min(numbers(rows, 'diagnostics.ess')):.0f} | {statistics.fmean(scores):+.3f} "
                              f"| {statistics.stdev(scores):.3f} |")
            # Few replicates detect only large faults.
            twins = []
            factor = math.sqrt(2) if len(scores) >= FULL_STUDY else 2.0
            for wrong in (factor, 1 / factor) if is_exact else ():
                twin = [normal_score(wrong * score, degrees) for score in numbers(rows, f"{VALUE}{prefix}z_score")]
                twins.append((f"scores times {wrong:.2f}", twin))
                self.require(not is_accepted(twin, True), f"{case}: scores times {wrong:.2f} passed")
            record_scores(case, scores, is_exact, twins)

    def judge_bias(self, case, rows, is_unbiased=True):
        ratios = [math.exp(float(row[VALUE + "value"]) - float(row[VALUE + "exact"])) for row in rows]
        error = statistics.stdev(ratios) / math.sqrt(len(ratios))
        deviation = abs(statistics.fmean(ratios) - 1) / error
        self.lines.append(f"{case}: mean Z/Z exact {statistics.fmean(ratios):.4f} +- {error:.4f}, {deviation:.1f} of it")
        record.figure(f"{case}, bias of Z in its errors", deviation, 0, LARGEST_BIAS, outside=not is_unbiased)
        self.require((deviation <= LARGEST_BIAS) == is_unbiased,
                     f"{case}: " + ("Z is biased" if is_unbiased else "the biased twin passed"))

    def judge_families(self, where, rows):
        """An error bar is given if and only if 20 families are left; both happen."""
        offered = {True: [], False: []}
        for row in rows:
            with h5py.File(where / "runs" / f"{int(row['run']):06}" / "results.h5", "r") as file:
                families = file["per_step/eves"][()][-2]  # at the last weighting
            offered[families < FEWEST_FAMILIES].append(row[VALUE + "standard_error"] != "")
        self.lines.append(f"few families: {len(offered[True])} of {len(rows)} runs with fewer than {FEWEST_FAMILIES}; an "
                          f"error given in {sum(offered[True])} of those and in {sum(offered[False])} of the others")
        record.figure("few families, runs with an error", sum(offered[True]), 0, 0)
        record.figure("few families, other runs with an error", sum(offered[False]), 1)
        self.require(offered[True] and not any(offered[True]), "an error bar with too few families")
        self.require(offered[False] and any(offered[False]), "no error bar at all")


def main():
    parser = argparse.ArgumentParser(description="Are the stated standard errors of log Z true?")
    parser.add_argument("replicates", nargs="?", type=int, default=FULL_STUDY)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="where the sweeps' directories stay")
    options = parser.parse_args()
    study = Study()
    with contextlib.ExitStack() as stack:
        place = options.output or stack.enter_context(runner.scratch_directory())
        if record.is_first():
            record.first_replicates(JOBS / "calibration.toml", place / "calibration",
                                    f"sweep.replicates={options.replicates}", ranks=RANKS)
            record.first_replicates(HERE / "few-particles.toml", place / "few-particles", ranks=RANKS)
            record.first_of_all(HERE / "few-families.toml", place / "few-families", "sweep.replicates=1")
            return 0
        rows = sweep(JOBS / "calibration.toml", place / "calibration", "--set", f"sweep.replicates={options.replicates}")
        for problem in dict.fromkeys(row["problem"] for row in rows):
            for method in ERRORS:
                own = [row for row in rows if (row["problem"], row["method"]) == (problem, method)]
                study.judge_errors(problem, method, own)
                study.judge_bias(f"{problem}, {method}", own)
        rows = sweep(HERE / "few-particles.toml", place / "few-particles")
        for variant in dict.fromkeys(row["variant"] for row in rows):
            study.judge_bias(f"ten particles, {variant}", [row for row in rows if row["variant"] == variant],
                             is_unbiased="pilot" in variant)
        study.judge_families(place / "few-families", sweep(HERE / "few-families.toml", place / "few-families"))
    print("\n".join(study.lines))
    for what in study.missed:
        print(f"MISSED: {what}")
    return 1 if study.missed else 0


if __name__ == "__main__":
    sys.exit(main())
