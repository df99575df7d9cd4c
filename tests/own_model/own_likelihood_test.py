"""A user-defined model with an estimated likelihood, as docs/own-models.md describes: installs a build, moves it,
builds drivers/custom_likelihood.cpp outside the tree against it and runs the program.

usage: own_likelihood_test.py SOURCE_DIRECTORY BUILD_DIRECTORY MPIEXEC

The estimates must lie within 3 standard errors of the exact values: a false alarm in 110 seeds for the evidence (its error comes from
16 batches), in 370 for the posterior mean. The seed is fixed.
"""

import json
import math
import pathlib
import shutil
import sys
import tempfile
import unittest

from installed_package import block_of_page, build_and_compile, call, install, set_up_project

SOURCE, BUILD, MPIEXEC = (pathlib.Path(argument) for argument in sys.argv[1:4])
VALUES = [0.3, 1.9, -0.4, 1.2, 2.4, 0.8]
PRIOR_SD, SPREAD, NOISE = 2.0, 1.0, 0.7
BATCHES = ["--set", "algorithm.replicates=16", "--set", "algorithm.particles=256", "--set", "kernel.adapt='pilot'"]


def exact(values):
    """log p(y), posterior mean: y ~ N(0, s^2 I + prior^2 11'), s^2 = spread^2 + noise^2, by the matrix determinant lemma."""
    n, variance, prior = len(values), SPREAD**2 + NOISE**2, PRIOR_SD**2
    total = sum(values)
    square = (sum(y * y for y in values) - prior * total**2 / (variance + n * prior)) / variance
    log_determinant = (n - 1) * math.log(variance) + math.log(variance + n * prior)
    return -0.5 * (n * math.log(2 * math.pi) + log_determinant + square), prior * total / (variance + n * prior)


class OwnLikelihood(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="own_likelihood-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        prefix = install(BUILD, cls.place)
        project = cls.place / "project"
        set_up_project(SOURCE, prefix, project, "custom_likelihood")
        cls.toml = project / "measurements.toml"
        cls.toml.write_text(block_of_page(SOURCE, "toml", "spread"))
        build_and_compile(project / "build", [])
        cls.program = project / "build/custom_likelihood"

    def run_smc(self, name, ranks, *options):
        call(MPIEXEC, "-n", ranks, self.program, "run", self.toml, "-o", name, *options, directory=self.place)
        return json.loads((self.place / name / "summary.json").read_text())

    def test_evidence_and_posterior_are_exact(self):
        log_evidence, mean = exact(VALUES)
        for particles in (4, 32):  # however noisy
            with self.subTest(particles=particles):
                summary = self.run_smc(f"batches-{particles}", 2, *BATCHES, "--set", f"model.particles={particles}")
                headline, theta = summary["log_evidence"][0], summary["posterior"][0]
                self.assertAlmostEqual(headline["exact"], log_evidence, delta=1e-9)
                self.assertLess(abs(headline["value"] - log_evidence), 3 * headline["standard_error"])
                self.assertLess(abs(theta["mean"] - mean), 3 * theta["mcse"])

    def test_wrong_data_are_rejected(self):
        """The comparison is sensitive: one value moved by 3 is rejected."""
        values = [VALUES[0] + 3, *VALUES[1:]]
        headline = self.run_smc("wrong", 1, *BATCHES, "--set", f"model.values={values}")["log_evidence"][0]
        self.assertGreater(abs(headline["value"] - exact(VALUES)[0]), 5 * headline["standard_error"])

    def test_page_configuration_on_any_number_of_ranks(self):
        one, three = self.run_smc("one", 1), self.run_smc("three", 3)
        self.assertEqual(one["digest"], three["digest"])
        self.assertGreater(one["diagnostics"]["likelihood_log_variance"], 0)

    def test_tune_writes_the_number_of_particles(self):
        output = call(self.program, "tune", self.toml, "-o", self.place / "tuned.toml", directory=self.place)
        self.assertIn("<- to be used", output)
        self.assertRegex((self.place / "tuned.toml").read_text(), r"(?m)^particles = \d+$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
