"""Log evidence of the simulated logistic regressions of verdicts_test.py, without pearlite.

usage: regression_evidence.py D [DRAWS]

Importance sampling from a multivariate t density, first about the mode, then with the mean and the covariance that
those draws give the posterior: of 10^6 draws (half a minute) 0.97, 0.85 and 0.45 are effective for 11, 31 and 61
coefficients. Needs NumPy.
"""
import csv
import math
import pathlib
import sys
import tempfile

import numpy

from dimensions_test import simulated

DEGREES, VARIANCE, CHUNK = 60, 100.0, 20000


class Posterior:
    def __init__(self, file):
        with open(file, encoding="utf-8", newline="") as text:
            table = numpy.array(list(csv.reader(text))[1:], dtype=float)
        design = numpy.column_stack([numpy.ones(len(table)), table[:, 1:]])
        self.signed = design * (1 - 2 * table[:, 0])[:, None]
        self.d = design.shape[1]

    def log_density(self, points):
        eta = points @ self.signed.T
        softplus = numpy.maximum(eta, 0) + numpy.log1p(numpy.exp(-numpy.abs(eta)))
        return (-softplus.sum(1) - (points**2).sum(1) / (2 * VARIANCE)
                - self.d / 2 * math.log(2 * math.pi * VARIANCE))

    def mode(self):
        """The mode and the inverse of the curvature there."""
        x = numpy.zeros(self.d)
        for _ in range(50):
            p = 1 / (1 + numpy.exp(-self.signed @ x))
            curvature = (self.signed * (p * (1 - p))[:, None]).T @ self.signed + numpy.eye(self.d) / VARIANCE
            x = x - numpy.linalg.solve(curvature, self.signed.T @ p + x / VARIANCE)
        return x, numpy.linalg.inv(curvature)


def sampled(posterior, mean, covariance, draws, random):
    """Log evidence, its standard error, and the posterior's mean and covariance."""
    d, factor = posterior.d, numpy.linalg.cholesky(covariance)
    constant = (math.lgamma((DEGREES + d) / 2) - math.lgamma(DEGREES / 2) - d / 2 * math.log(DEGREES * math.pi)
                - numpy.log(numpy.diag(factor)).sum())
    logs, first, second, unit = [], numpy.zeros(d), numpy.zeros((d, d)), None
    for _ in range(draws // CHUNK):
        z = random.normal(size=(CHUNK, d))
        scale = random.chisquare(DEGREES, CHUNK) / DEGREES
        points = mean + (z @ factor.T) / numpy.sqrt(scale)[:, None]
        log_q = constant - (DEGREES + d) / 2 * numpy.log1p((z**2).sum(1) / scale / DEGREES)
        logs.append(posterior.log_density(points) - log_q)
        unit = logs[0].max() if unit is None else unit
        weights = numpy.exp(logs[-1] - unit)
        first += weights @ points
        second += (points * weights[:, None]).T @ points
    weights = numpy.exp(numpy.concatenate(logs) - unit)
    ess = weights.sum() ** 2 / (weights**2).sum()
    first, second = first / weights.sum(), second / weights.sum()
    return (unit + math.log(weights.mean()), math.sqrt(1 / ess - 1 / len(weights)), first,
            second - numpy.outer(first, first))


def main():
    d, draws = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10**6
    with tempfile.TemporaryDirectory() as place:
        posterior = Posterior(simulated(pathlib.Path(place) / "table.csv", d))
    random = numpy.random.default_rng(1)
    mean, covariance = posterior.mode()
    _, _, mean, covariance = sampled(posterior, mean, 1.05 * covariance, 200000, random)
    value, error, *_ = sampled(posterior, mean, covariance, draws, random)
    print(f"{value:.5f} +- {error:.5f}")


if __name__ == "__main__":
    main()
