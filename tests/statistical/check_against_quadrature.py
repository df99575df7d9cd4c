#!/usr/bin/env python3
"""Posterior means and evidence of a finished run of mixed logistic regression with a random intercept against importance
sampling with the exact likelihood: draws from a t distribution shaped like the run's posterior, the likelihood by the
trapezoidal rule, an independent implementation of designs and densities.

    check_against_quadrature.py RUN_DIRECTORY FILE.csv SUBJECT RESPONSE [DRAWS SEED]

FILE is the run's data with the columns of subjects and responses; priors are the default ones. DRAWS: 1000 by default.
Prints a table; exit status 1 if a difference exceeds three combined Monte Carlo errors, or if a wrong twin (observations of
one subject in ten left out) does not.
"""

import csv
import json
import math
import pathlib
import re
import sys

import h5py
import numpy

LIMIT = 3.0
DEGREES_OF_FREEDOM = 5
NODES = numpy.arange(-9, 9.01, 0.1)  # of the standardised random intercept
LOG_MEASURE = numpy.log(0.1) - 0.5 * NODES**2 - 0.5 * math.log(2 * math.pi)
LEVELS = {
    "mhv4": ["0", "1-5", "6-14", ">14"],
    "inptmhv3": ["0", "1", ">1"],
    "gender": ["Female", "Male"],
    "race": ["White", "Black", "Other"],
}


def main(arguments):
    if len(arguments) not in (4, 6):
        print(__doc__, file=sys.stderr)
        return 2
    directory, file, subject, response = arguments[:4]
    n, seed = (int(each) for each in arguments[4:] or (1000, 20))
    summary = json.loads((pathlib.Path(directory) / "summary.json").read_text(encoding="utf-8"))
    with h5py.File(pathlib.Path(directory) / "results.h5") as results:
        names = [name.decode() if isinstance(name, bytes) else name for name in results["samples/names"][:]]
        values = results["samples/values"][:]
        log_weights = results["samples/log_weight"][:]
    with open(file, encoding="utf-8") as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: float(row[subject]))
    run = {each["name"]: (each["mean"], each["mcse"]) for each in summary["posterior"]}
    evidence = summary["log_evidence"][0]
    run["log p(y)"] = (evidence["value"], evidence["standard_error"])

    points = values.copy()
    points[:, -1] = numpy.log(points[:, -1])  # the deviation
    exact = importance_sampling(names, points, log_weights, Data(rows, names, subject, response), n, seed)
    worst = compare(run, exact, show=True)
    thinned = [row for row in rows if int(float(row[subject])) % 10 != 0]
    wrong = importance_sampling(names, points, log_weights, Data(thinned, names, subject, response), n, seed)
    twin = compare(run, wrong)
    print(f"largest difference {worst:.1f} standard errors; of the wrong twin {twin:.0f}")
    return 0 if worst < LIMIT < twin else 1


class Data:
    """Rows, sorted by subject, as a design matrix; signs are 1 for a response of 1 and -1 for 0."""

    def __init__(self, rows, names, subject, response):
        self.design = numpy.column_stack([column(rows, name) for name in names[:-1]])
        self.signs = 2 * numbers(rows, response) - 1
        subjects = numbers(rows, subject)
        self.first_rows = numpy.flatnonzero(numpy.diff(subjects, prepend=subjects[0] - 1))

    def log_likelihood(self, point):
        fixed = self.design @ point[:-1]
        predictor = self.signs[:, None] * (fixed[:, None] + math.exp(point[-1]) * NODES)
        of_rows = -numpy.logaddexp(0, -predictor)
        of_nodes = numpy.add.reduceat(of_rows, self.first_rows) + LOG_MEASURE
        return numpy.logaddexp.reduce(of_nodes, axis=1).sum()


def numbers(rows, name):
    return numpy.array([float(row[name]) for row in rows])


def column(rows, name):
    if name == "intercept":
        return numpy.ones(len(rows))
    if ":" in name:
        first, second = name.split(":")
        return column(rows, first) * column(rows, second)
    if level := re.fullmatch(r"(\w+)\[(.*)\]", name):
        return 1.0 * (numbers(rows, level[1]) == LEVELS[level[1]].index(level[2]))
    return numbers(rows, name)


def log_prior(point):
    """normal(0, 10) for coefficients, half-cauchy(2.5) for the deviation, whose logarithm is the coordinate."""
    coefficients, deviation = point[:-1], math.exp(point[-1])
    normal = -0.5 * numpy.sum(coefficients**2) / 100 - len(coefficients) * math.log(10 * math.sqrt(2 * math.pi))
    return normal + math.log(2 / (math.pi * 2.5)) - math.log1p((deviation / 2.5) ** 2) + point[-1]


def importance_sampling(names, points, log_weights, data, n, seed):
    """{quantity: (estimate, standard error)} from n draws."""
    generator = numpy.random.default_rng(seed)
    weights = numpy.exp(log_weights - log_weights.max())
    centre = numpy.average(points, axis=0, weights=weights)
    factor = numpy.linalg.cholesky(numpy.cov(points, rowvar=False, aweights=weights))
    d, nu = len(centre), DEGREES_OF_FREEDOM
    standard = generator.standard_normal((n, d)) * numpy.sqrt(nu / generator.chisquare(nu, n))[:, None]
    log_proposal = (
        math.lgamma((nu + d) / 2) - math.lgamma(nu / 2) - 0.5 * d * math.log(nu * math.pi)
        - numpy.log(numpy.diag(factor)).sum() - (nu + d) / 2 * numpy.log1p((standard**2).sum(axis=1) / nu)
    )
    draws = centre + standard @ factor.T
    log_w = numpy.array([data.log_likelihood(point) + log_prior(point) for point in draws]) - log_proposal
    log_mean = numpy.logaddexp.reduce(log_w) - math.log(n)
    shares = numpy.exp(log_w - log_mean) / n
    draws[:, -1] = numpy.exp(draws[:, -1])
    means = shares @ draws
    errors = numpy.sqrt(shares**2 @ (draws - means) ** 2)
    found = {name: (mean, error) for name, mean, error in zip(names, means, errors)}
    found["log p(y)"] = (log_mean, math.sqrt(max(numpy.sum(shares**2) - 1 / n, 0)))
    return found


def compare(run, exact, show=False):
    """The largest difference in combined errors."""
    worst = 0.0
    if show:
        print("| | run | exact | z |\n|---|---|---|---|")
    for name, (value, error) in run.items():
        other, other_error = exact[name]
        z = (value - other) / math.hypot(error, other_error)
        worst = max(worst, abs(z))
        if show:
            print(f"| {name} | {value:.4f} ± {error:.4f} | {other:.4f} ± {other_error:.4f} | {z:+.1f} |")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
