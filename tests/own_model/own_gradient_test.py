"""A user-defined model with automatic derivatives, as docs/own-models.md describes: installs a build, moves it, builds
drivers/custom_gradient.cpp outside the tree against it and runs the program, and then one with a wrong gradient.

usage: own_gradient_test.py SOURCE_DIRECTORY BUILD_DIRECTORY MPIEXEC

The estimate must lie within 3 standard errors of the exact value: a false alarm in 110 seeds (its error comes from 16 batches). The
seed is fixed.
"""

import json
import math
import pathlib
import shutil
import sys
import tempfile
import unittest

from installed_package import build_and_compile, call, install, set_up_project

SOURCE, BUILD, MPIEXEC = (pathlib.Path(argument) for argument in sys.argv[1:4])
EFFECTS, ERRORS = [28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]
BATCHES = [f"--set={key}" for key in ("algorithm.name='smc'", "algorithm.replicates=16", "algorithm.particles=256",
                                      "kernel.adapt='pilot'", "kernel.moves=20")]
BAD_INPUT = 2


def log_normal_evidence(spread, effects):
    """log N(y; 0, diag(s^2 + spread^2) + 25 11'), by the matrix determinant lemma."""
    variances = [error**2 + spread**2 for error in ERRORS]
    shrink = 1 + 25 * sum(1 / v for v in variances)
    square = sum(y * y / v for y, v in zip(effects, variances))
    square -= 25 * sum(y / v for y, v in zip(effects, variances)) ** 2 / shrink
    return -0.5 * (sum(math.log(2 * math.pi * v) for v in variances) + math.log(shrink) + square)


def exact(effects):
    """log evidence: the trapezoidal rule over the spread, half-normal(5)."""
    step = 0.01
    terms = (math.exp(log_normal_evidence(k * step, effects) - 0.5 * (k * step / 5) ** 2) * (0.5 if k == 0 else 1)
             for k in range(5000))
    return math.log(step * sum(terms) * 2 / (5 * math.sqrt(2 * math.pi)))


class OwnGradient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="own_gradient-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        prefix = install(BUILD, cls.place)
        project = cls.place / "project"
        line = "target_link_libraries(custom_gradient PRIVATE Pearlite::automatic_gradient)"
        assert line in (SOURCE / "docs/own-models.md").read_text()
        set_up_project(SOURCE, prefix, project, "custom_gradient", line)
        build_and_compile(project / "build", [])
        wrong = cls.place / "wrong"
        set_up_project(SOURCE, prefix, wrong, "wrong_gradient", folder="tests/own_model")
        build_and_compile(wrong / "build", [])
        cls.program, cls.wrong = project / "build/custom_gradient", wrong / "build/wrong_gradient"
        cls.toml = cls.place / "empty.toml"
        cls.toml.write_text("")

    def run_smc(self, name, ranks):
        call(MPIEXEC, "-n", ranks, self.program, "run", self.toml, "-o", name, *BATCHES, directory=self.place)
        return json.loads((self.place / name / "summary.json").read_text())

    def test_check_compares_the_gradient(self):
        output = call(self.program, "check", self.toml)
        self.assertRegex(output, r"the gradient agrees with finite differences at 4 points .* difference \d\.\de-(09|1\d)")

    def test_check_refuses_a_wrong_gradient(self):
        output = call(self.wrong, "check", self.toml, expect=BAD_INPUT)
        self.assertRegex(output, r"the model's gradient is wrong at x = .*: the derivative by y is .*, and finite differences give")

    def test_evidence_is_exact_on_any_number_of_ranks(self):
        one, three = self.run_smc("one", 1), self.run_smc("three", 3)
        self.assertEqual(one["digest"], three["digest"])
        headline = one["log_evidence"][0]
        self.assertLess(abs(headline["value"] - exact(EFFECTS)), 3 * headline["standard_error"])
        # The comparison is sensitive: one effect moved by 20 is rejected.
        self.assertGreater(abs(headline["value"] - exact([EFFECTS[0] + 20, *EFFECTS[1:]])), 5 * headline["standard_error"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
