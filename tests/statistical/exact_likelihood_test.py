"""Runs with an estimated likelihood against runs with the exact one and another seed: posterior means and evidences
differ by at most three combined Monte Carlo errors, and a run with another prior is rejected. Prints the comparison as
a table.

    PEARLITE=... PEARLITE_DATA_DIR=... exact_likelihood_test.py [Series|Mixed[.test_NAME]]

With right answers one of Mixed's 32 comparisons fails for 9 % of all seeds, one of Series' for 2 %; the seeds are fixed.
"""

import math
import os
import pathlib
import unittest

import pearlite_runner as runner
import study_record as record

JOBS = pathlib.Path(__file__).resolve().parents[2] / "jobs"
LIMIT = 3.0


class Comparison:
    FEW = ("algorithm.particles=64",)  # in the short run: a run has no smaller part

    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def findings(self, name, configuration, *settings, timeout=3600):
        """{quantity: (value, Monte Carlo error)} of a run."""
        where = self.directory / name
        settings += self.FEW if record.is_first() else ()
        chosen = [word for setting in settings for word in ("--set", setting)]
        ended = runner.pearlite("run", configuration, "-o", where, *chosen, timeout=timeout)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        summary = runner.summary(where)
        if record.is_first():
            record.first_run([self.id(), name], summary)
            return {}
        for each in summary["posterior"]:
            self.assertIn("mcse", each, f"{name}: too few families survive")
        found = {each["name"]: (each["mean"], each["mcse"]) for each in summary["posterior"]}
        for each in summary["log_evidence"]:
            # The quadrature of the first has an additional error, and only exact likelihoods have the second.
            if each["estimator"] not in ("power-posterior", "bridge-sampling"):
                self.assertIn("standard_error", each, f"{name}: {each}")
                found[f"log p(y), {each['estimator']}"] = (each["value"], each["standard_error"])
        return found

    def compare(self, estimated, exact):
        """{quantity: difference in combined errors}."""
        self.assertEqual(estimated.keys(), exact.keys())
        z = {}
        print("\n| | estimated | exact | z |\n|---|---|---|---|")
        for name, (value, error) in estimated.items():
            other, other_error = exact[name]
            z[name] = (value - other) / math.hypot(error, other_error)
            print(f"| {name} | {value:.4g} ± {error:.2g} | {other:.4g} ± {other_error:.2g} | {z[name]:+.1f} |")
        return z

    def judge(self, configuration, estimated_settings, exact_settings, twin):
        estimated = self.findings("estimated", configuration, "run.seed=1", *estimated_settings)
        exact = self.findings("exact", configuration, "run.seed=3", "model.likelihood=exact", *exact_settings)
        wrong = self.findings("wrong", configuration, "run.seed=1", *estimated_settings, twin)
        if record.is_first():
            return
        case = configuration.stem
        for name, z in self.compare(estimated, exact).items():
            record.figure(f"{case}, {name}, z", z, -LIMIT, LIMIT)
            self.assertLess(abs(z), LIMIT, name)
        for which, found in (("estimated", estimated), ("exact", exact)):
            product, corrected = (found[f"log p(y), {each}"] for each in ("product", "power-posterior-corrected"))
            z = (product[0] - corrected[0]) / math.hypot(product[1], corrected[1])
            record.figure(f"{case}, {which}, z of product and corrected", z, -LIMIT, LIMIT)
            self.assertLess(abs(z), LIMIT)
        worst = max((z for z in self.compare(wrong, exact).values()), key=abs)
        record.figure(f"{case}, z of the wrong twin", worst, -2 * LIMIT, 2 * LIMIT, outside=True)
        self.assertGreater(abs(worst), 2 * LIMIT, twin)


class Series(Comparison, unittest.TestCase):
    """A short series by particle filter, against the Kalman filter."""

    def test_series(self):
        configuration = runner.write_configuration(
            self.directory / "series.toml",
            model={"name": "linear-gaussian", "simulated_length": 20, "particles": 60},
            schedule={"log_weight_sd": 0.3}, kernel={"moves": 5}, algorithm={"name": "smc", "particles": 512})
        self.judge(configuration, (), (), "prior.noise_sd=half-normal(0.1)")


class Mixed(Comparison, unittest.TestCase):
    """Mixed logistic regressions by importance sampling, against quadrature."""

    EXACT = ("algorithm.particles=512", "kernel.moves=3")
    EXACT_IN_BATCHES = ("algorithm.particles=256", "algorithm.replicates=8", "kernel.moves=3")

    FEW = ("run.short=true", "algorithm.particles=16", "algorithm.replicates=2", "kernel.moves=1")

    def setUp(self):
        super().setUp()
        if "PEARLITE_DATA_DIR" not in os.environ:
            self.skipTest("PEARLITE_DATA_DIR is not set")

    def test_toenail(self):
        self.judge(JOBS / "toenail.toml", (), self.EXACT, "prior.coefficients=normal(0, 0.5)")

    def test_wheeze(self):
        self.judge(JOBS / "wheeze.toml", (), self.EXACT, "prior.coefficients=normal(0, 0.5)")

    def test_polypharm(self):
        self.judge(JOBS / "polypharm.toml", (), self.EXACT_IN_BATCHES, "prior.coefficients=normal(0, 0.5)")


if __name__ == "__main__":
    runner.main()
