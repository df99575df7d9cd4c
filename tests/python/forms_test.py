"""Functions, priors and constraints as users write them: exact evidences, and messages that name what came.

Each evidence must lie within 4 standard errors of the exact one; one without Jacobians does not. All runs are in this
process, of a few steps.
"""

import io
import os
import sys
import unittest
import warnings
from math import lgamma, log, pi
from unittest import mock

import numpy

sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
import pearlite
from pearlite import _spaces

FEW = {"particles": 500, "seed": 3, "progress": False, "schedule": {"kind": "linear", "steps": 12}, "kernel__moves": 2,
       "algorithm__replicates": 4}
FEWEST = {**FEW, "particles": 64, "schedule": {"kind": "linear", "steps": 3}, "algorithm__replicates": 1}
COUNTS = numpy.array([3, 5, 2])  # of the simplex
Y, N_EVENTS, TRIALS, HITS = 1.5, 7, 10, 4
# A normal mean, a Poisson rate, a binomial probability, and multinomial shares, each with its conjugate prior.
EXACT = (-0.5 * log(2 * pi * 26) - 0.5 * Y**2 / 26
         + lgamma(N_EVENTS + 2) - lgamma(2) + 2 * log(0.5) - (N_EVENTS + 2) * log(1.5) - lgamma(N_EVENTS + 1)
         + lgamma(HITS + 1) + lgamma(TRIALS - HITS + 1) - lgamma(TRIALS + 2)
         + lgamma(6) - 3 * lgamma(2) + sum(map(lgamma, COUNTS + 2)) - lgamma(COUNTS.sum() + 6))
NAMES = ["m", "rate", "p", "w[1]", "w[2]", "w[3]"]
CONSTRAINTS = {"rate": "positive", "p": (0, 1), ("w[1]", "w[2]", "w[3]"): "simplex"}


def log_likelihood(x):
    m, rate, p, w = x[:, 0], x[:, 1], x[:, 2], x[:, 3:]
    return (-0.5 * (Y - m) ** 2 - 0.5 * log(2 * pi) + N_EVENTS * numpy.log(rate) - rate - lgamma(N_EVENTS + 1)
            + HITS * numpy.log(p) + (TRIALS - HITS) * numpy.log1p(-p) + numpy.log(w) @ COUNTS)


def gradient(x):
    m, rate, p, w = x[:, 0], x[:, 1], x[:, 2], x[:, 3:]
    return numpy.column_stack([Y - m, N_EVENTS / rate - 1, HITS / p - (TRIALS - HITS) / (1 - p), COUNTS / w])


def log_joint(x):
    m, rate, w = x[:, 0], x[:, 1], x[:, 3:]
    return (log_likelihood(x) - 0.5 * m**2 / 25 - 0.5 * log(50 * pi) + numpy.log(rate) + 2 * log(0.5) - 0.5 * rate
            + numpy.log(w).sum(axis=1) + lgamma(6))


def prior():
    from scipy import stats
    return {"m": stats.norm(0, 5), "rate": stats.gamma(2, scale=2), "p": (0, 1), "w": stats.dirichlet([2, 2, 2])}


class Functions(unittest.TestCase):
    def raised(self, function, names=("a", "b", "c"), **more):
        with self.assertRaises(Exception) as caught:
            pearlite.sample(function, list(names), **{**FEWEST, **more})
        return caught.exception

    def test_one_point_at_a_time_is_noticed_and_said(self):
        def of_point(theta):
            a, b, c = theta
            return -0.5 * (a**2 + b**2 + c**2)
        with self.assertWarnsRegex(UserWarning, "log_density takes one point at a time: it raised ValueError"):
            found = pearlite.sample(of_point, ["a", "b", "c"], **FEWEST)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for function, names, how in ((of_point, ["a", "b", "c"], {"vectorized": False}),
                                         (lambda a, b, c: -0.5 * (a**2 + b**2 + c**2), None, {}),
                                         (lambda p: -0.5 * (p["a"]**2 + p["b"]**2 + p["c"]**2), ["a", "b", "c"],
                                          {"arguments": "dict", "vectorized": False})):
                with self.subTest(how):
                    other = pearlite.sample(function, names, **FEWEST, **how)
                    self.assertEqual(other.log_evidence.value, found.log_evidence.value)

    def test_wrong_shapes(self):
        for function, words in (
                (lambda x: x, r"returned an array of shape \(2, 3\) for a block of 2 points, x of shape \(2, 3\), expected an "
                              r"array of shape \(2,\); for one point, shape \(3,\), it returned an array of shape \(3,\)"),
                (lambda x: None, "returned NoneType"), (lambda x: "one", "returned str, which is no array of numbers"),
                (lambda x: -((x - x.mean(axis=0)) ** 2).sum(axis=1), "does not depend on other points")):
            self.assertRegex(str(self.raised(function)), words)
        self.assertRegex(str(self.raised(lambda x: x, vectorized=False)),
                         r"log_density returned an array of shape \(3,\) for one point, expected a number")
        self.assertIn("expected one of 'array'", str(self.raised(log_joint, arguments="tuple")))
        self.assertIn("particles=0.5: expected an integer", str(self.raised(lambda a, b: -a * a - b * b, ("a", "b"), particles=0.5)))

    def test_a_number_for_a_block_of_one_point(self):
        from scipy import stats
        log_density = stats.multivariate_normal([0, 0], 4).logpdf  # () for (1, 2)
        found = pearlite.sample(log_density, ["a", "b"], prior=pearlite.priors.Normal(0, 3, 2), vectorized=True,
                                **{**FEW, "particles": 513})
        self.assertLess(abs(found.log_evidence.value), 4 * found.log_evidence.standard_error)

    def test_exceptions_name_the_parameters(self):
        def of_point(theta):
            if theta[0] > 0:
                raise KeyError("above")
            return -theta @ theta
        error = self.raised(of_point, ("a", "b"), vectorized=False)
        self.assertIsInstance(error, KeyError)
        self.assertRegex(error.__notes__[0], r"log_density was called at a = \d\S*, b = \S+$")

    def test_callbacks_see_progress_and_may_stop(self):
        seen = []

        def watch(progress):
            seen.append(progress)
            return len(seen) < 2
        slow = {"schedule": {"kind": "linear", "steps": 100000}, "vectorized": True}
        with self.assertRaisesRegex(pearlite.Stopped, "by its callback"):
            pearlite.sample(lambda x: -0.5 * (x**2).sum(axis=1), ["a"], callback=watch, **{**FEWEST, **slow})
        self.assertEqual(len(seen), 2)
        self.assertLess(seen[0].step, seen[1].step)
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            pearlite.sample(lambda x: -0.5 * (x**2).sum(axis=1), ["a"], callback=lambda p: 1 / 0, **{**FEWEST, **slow})

    def test_a_bar_in_a_terminal_alone(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True
        for stream, progress, bars in ((Terminal(), True, 1), (Terminal(), False, 0), (io.StringIO(), True, 0)):
            with mock.patch.object(sys, "stderr", stream):
                pearlite.sample(lambda x: -0.5 * (x**2).sum(axis=1), ["a"], vectorized=True, **{**FEWEST, "progress": progress})
            text = stream.getvalue()
            self.assertEqual(text.count("\r") > 0, bars == 1, text)
            if bars:
                self.assertRegex(text, r"step \d+/\d+ \[=* *\] +\d+ %  log Z/Z_0 -?\d+\.\d{4}  0 s")
                self.assertRegex(text, r"\r +\r$")  # removed

    def test_searches_of_scalar_functions(self):
        found = pearlite.minimize(lambda x: (x[0] - 0.5) ** 2 + x[1] ** 2, [(-1, 1)] * 2, vectorized=False, seed=1,
                                  progress=False, algorithm__iterations=200, algorithm__polish=True)
        self.assertLess(found.minimum, 1e-6)


class Priors(unittest.TestCase):
    def agrees(self, found, exact=EXACT):
        value, error = found.log_evidence.value, found.log_evidence.standard_error
        self.assertLess(error, 0.3)
        return abs(value - exact) < 4 * error

    def test_products_of_distributions(self):
        found = pearlite.sample(log_likelihood=log_likelihood, prior=prior(), **FEW)
        self.assertTrue(self.agrees(found), found)
        self.assertEqual(list(found.posterior), NAMES)
        draws = found.draws()
        self.assertGreater(min(draws[name].min() for name in ("rate", "p", "w")), 0)
        self.assertAlmostEqual(draws["w"].sum(axis=-1).max(), 1, delta=1e-12)
        steered = pearlite.sample(log_likelihood=log_likelihood, gradient=gradient, prior=prior(), **FEW)
        self.assertTrue(self.agrees(steered), steered)

    def test_constraints_have_jacobians(self):
        found = pearlite.sample(log_joint, NAMES, constraints=CONSTRAINTS, **FEW)
        self.assertTrue(self.agrees(found), found)
        whole = _spaces.Space.log_jacobian
        try:
            _spaces.Space.log_jacobian = lambda self, y: numpy.zeros(len(y))
            wrong = pearlite.sample(log_joint, NAMES, constraints=CONSTRAINTS, **FEW)
        finally:
            _spaces.Space.log_jacobian = whole
        self.assertFalse(self.agrees(wrong), wrong)

    def test_gradients_pass_through_constraints(self):
        space = _spaces.constrained(NAMES, {**CONSTRAINTS, "m": (None, 9)})
        y, step = numpy.random.default_rng(2).normal(size=(4, space.size)), 1e-6

        def density(y):
            return log_likelihood(space.parameters(y)) + space.log_jacobian(y)
        found = space.gradient(y, gradient(space.parameters(y)))
        for k in range(space.size):
            moved = numpy.eye(space.size)[k] * step
            slope = (density(y + moved) - density(y - moved)) / (2 * step)
            numpy.testing.assert_allclose(found[:, k], slope, atol=1e-6)

    def test_transforms_of_the_unit_cube(self):
        from scipy.special import ndtri
        transform = pearlite.priors.Transform(lambda u: (5 * ndtri(u[0]), u[1]), ["m", "p"], vectorized=False)
        found = pearlite.sample(log_likelihood=lambda m, p: -0.5 * (Y - m) ** 2 - 0.5 * log(2 * pi) + HITS * numpy.log(p)
                                + (TRIALS - HITS) * numpy.log1p(-p), prior=transform, **FEW)
        exact = (-0.5 * log(2 * pi * 26) - 0.5 * Y**2 / 26 + lgamma(HITS + 1) + lgamma(TRIALS - HITS + 1)
                 - lgamma(TRIALS + 2))
        self.assertTrue(self.agrees(found, exact), found)

    def test_an_object_with_the_interface_of_bridgestan(self):
        class Rate:
            def param_unc_num(self):
                return 1

            def param_names(self):
                return ["rate"]

            def param_constrain(self, y):
                return numpy.exp(y)

            def log_density(self, y, propto=True, jacobian=True):
                return float(8 * y[0] - numpy.exp(y[0]) - lgamma(8)) if not propto and jacobian else numpy.nan

            def log_density_gradient(self, y, propto=True, jacobian=True):
                return self.log_density(y, propto, jacobian), 8 - numpy.exp(y)
        found = pearlite.sample(Rate(), **FEW)
        self.assertTrue(self.agrees(found, 0), found)
        self.assertAlmostEqual(found.posterior["rate"].mean, 8, delta=0.6)

    def test_messages(self):
        for arguments, words in (
                ({"prior": {"a": "norm"}}, "prior of a: got str, expected a distribution such as scipy.stats.norm"),
                ({"prior": 3}, "prior: got int, expected a dict"), ({}, "prior: not given"),
                ({"prior": {"a": (1, 0)}}, r"a: got bounds \(1, 0\)"),
                ({"prior": {"a": (0, 1)}, "names": ["b"]}, "names: got b; the prior is of a"),
                ({"prior": {"a": (0, 1)}, "constraints": {"a": "positive"}}, "expected either")):
            with self.assertRaisesRegex(pearlite.InputError, words):
                pearlite.sample(log_likelihood=lambda x: x[:, 0], **{"names": None, **arguments}, **FEWEST)
        with self.assertRaisesRegex(pearlite.InputError, "constraints: 'b' is not a parameter"):
            pearlite.sample(lambda x: x[:, 0], ["a"], constraints={"b": "positive"}, **FEWEST)


if __name__ == "__main__":
    unittest.main()
