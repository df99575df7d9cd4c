"""Results as tables, datasets, draws and figures, of runs of a few steps in this process."""

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy

sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
os.environ["MPLBACKEND"] = "Agg"
import pearlite

FEW = {"particles": 256, "seed": 3, "progress": False, "vectorized": True, "schedule": {"kind": "linear", "steps": 6},
       "kernel__moves": 2}
SD = 0.5


def normal(d, factor=1.0, **more):
    """A posterior N(1, SD^2) in d dimensions, from a prior N(0, 3^2), with the evidence times `factor`."""
    def log_density(x):
        return numpy.log(factor) - 0.5 * (((x - 1) / SD) ** 2).sum(axis=1)
    return pearlite.sample(log_density, [f"x{k}" for k in range(d)], prior=pearlite.priors.Normal(0, 3, d), **{**FEW, **more})


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = normal(3)

    def test_datasets_have_the_groups_of_inference_data(self):
        result = self.result
        self.assertIn("posterior", result.groups)
        found = result.to_xarray()
        self.assertEqual(found.x0.dims, ("chain", "draw"))
        numpy.testing.assert_array_equal(found.x1.values, result.draws()["x1"])
        self.assertEqual(sorted(found.coords), ["chain", "draw"])
        with self.assertRaisesRegex(pearlite.InputError, "expected one of .*posterior"):
            result.to_xarray("priors")

    def test_predictions_are_groups(self):
        """Catches draws in another order, another generator at each call, and shapes that change unseen."""
        y = numpy.array([0.5, 2.0])

        def log_likelihood(x0, x2):
            return -0.5 * (y - x0) ** 2 - x2

        def predict(theta, rng):
            return {"z": theta["x1"] + rng.normal(size=3)}

        result, draws = normal(3).add_predictions(log_likelihood, predict, y), self.result.draws()
        for name in ("log_likelihood", "posterior_predictive", "observed_data"):
            self.assertIn(name, result.groups)
        found = result.to_xarray("log_likelihood").y
        self.assertEqual(found.dims, ("chain", "draw", "y_dim_0"))
        numpy.testing.assert_allclose(found[0, 7], -0.5 * (y - draws["x0"][0, 7]) ** 2 - draws["x2"][0, 7])
        drawn = pickle.loads(pickle.dumps(result)).to_xarray("posterior_predictive").z
        self.assertEqual(drawn.shape, (*draws["x1"].shape, 3))
        self.assertAlmostEqual(float((drawn - draws["x1"][..., None]).std()), 1, delta=0.15)
        numpy.testing.assert_array_equal(result.to_xarray("observed_data").y, y)
        with self.assertRaisesRegex(pearlite.InputError, "no parameter is called slope, expected some of x0"):
            result.add_predictions(lambda x0, slope: y)
        with self.assertRaisesRegex(pearlite.InputError, r"y is float64 of shape \(\), expected an array"):
            result.add_predictions(lambda x0: x0)

    def test_weighted_and_equal_draws(self):
        draws, weights = self.result.weighted_draws()
        self.assertAlmostEqual(weights.sum(), 1)
        self.assertAlmostEqual(weights @ draws["x0"], self.result.posterior["x0"].mean, delta=1e-9)
        equal = self.result.equal_weight_draws(100)
        self.assertEqual(equal["x2"].shape, (100,))
        self.assertAlmostEqual(equal["x0"].mean(), 1, delta=5 * SD / 10)

    def test_summaries(self):
        result = self.result
        self.assertIn(f"log evidence {result.log_evidence}".split(" +-")[0].split()[-1], result._repr_html_())
        self.assertIn("<th>x2</th>", result._repr_html_())
        again = pickle.loads(pickle.dumps(result))
        self.assertEqual(again.log_evidence, result.log_evidence)
        self.assertEqual(again.summary["digest"], result.summary["digest"])
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        table = again.summary()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertEqual(list(table.columns), ["mean", "sd", "hdi_3%", "hdi_97%", "mcse_mean", "ess_bulk"])
        self.assertAlmostEqual(table["hdi_97%"]["x0"] - table["hdi_3%"]["x0"], 2 * 1.88 * SD, delta=0.35)

    def test_comparisons_have_the_guards_of_the_command(self):
        better = normal(3, numpy.e)
        found = pearlite.compare({"plain": self.result, "better": better})
        self.assertEqual(found.names, ["better", "plain"])
        self.assertAlmostEqual(found.log_bayes_factors[1][0], better.log_evidence.value - self.result.log_evidence.value)
        three = str(pearlite.compare({"plain": self.result, "better": better, "again": better}))
        self.assertEqual(three.count("does not say what it observed"), 1)
        header, first = str(found).splitlines()[:2]
        self.assertEqual(header.index("model"), first.index("python"))
        tempered = normal(3, path__inverse_temperature_end=0.5)
        with self.assertRaisesRegex(pearlite.InputError, "^plain has a .* they cannot be compared"):
            pearlite.compare({"plain": self.result, "half": tempered})
        with self.assertRaisesRegex(pearlite.InputError, "one run only"):
            pearlite.compare([self.result])


class Plots(unittest.TestCase):
    def drawn(self, axes):
        """The figure has been drawn, and no two labels of an axis touch."""
        from pearlite._report import style
        first = numpy.ravel(axes)[0]
        with tempfile.TemporaryDirectory() as place:
            first.figure.savefig(pathlib.Path(place) / "figure.pdf")
        for one in numpy.ravel(axes):
            for axis in (one.xaxis, one.yaxis):
                self.assertEqual(style.touching_labels(axis) if one.axison else [], [])
        return first.figure

    def test_one_two_and_twelve_parameters(self):
        for d, names, shown in ((1, None, 1), (2, None, 2), (12, None, 6), (12, ["x1", "x2", "x0"], 3)):
            with self.subTest(d=d):
                axes = pearlite.plots.corner(normal(d), names, dark=d == 2)
                self.assertEqual(axes.shape, (shown, shown))
                self.drawn(axes)
        self.assertEqual(pearlite.plots.corner(normal(12), width=3.4).shape, (4, 4))
        with self.assertRaisesRegex(pearlite.InputError, "y: no such parameter"):
            pearlite.plots.corner(normal(1), ["y"])

    def test_bounded_parameters_stay_bounded(self):
        found = pearlite.sample(log_likelihood=lambda x: 2 * x[:, 1] - x[:, 0], prior={"sd": (0, 9), "share": (0, 1)}, **FEW)
        axes = pearlite.plots.corner(found)
        self.assertGreaterEqual(axes[0, 0].get_xlim()[0], 0)
        self.assertLessEqual(axes[1, 1].get_xlim()[1], 1)

    def test_path_weights_and_evidences(self):
        from matplotlib.figure import Figure
        one, other = normal(2), normal(2, 2.0)
        mine = Figure().add_subplot()
        self.assertIs(pearlite.plots.path(one, mine), mine)
        self.drawn(pearlite.plots.path(one, dark=True))
        self.drawn(pearlite.plots.weights(one, width=3.4))
        self.drawn(pearlite.plots.evidences(pearlite.compare([one, other])))
        with self.assertRaisesRegex(pearlite.InputError, "no Markov chains to draw"):
            pearlite.plots.trace(one, "x0")

    def test_chains_that_mix_and_one_that_does_not(self):
        prior = pearlite.priors.Normal(0, 3, 1)
        found = pearlite.anneal(prior.log_density, lambda x, keys: -2 * (x[:, 0] - 1) ** 2, prior.draw, ["a"], estimated=True,
                                algorithm="pseudo-marginal", particles=3, algorithm__iterations=600, **{
                                    **{key: FEW[key] for key in ("seed", "progress", "vectorized")}})
        self.drawn(pearlite.plots.trace(found, "a", width=3.4))
        axes = pearlite.plots.ranks(found, "a", dark=True)
        self.drawn(axes)
        self.assertEqual(len(axes.patches), 4)  # the band, and three chains
        run = pearlite.plots._report_of(found)
        run.samples[run.chain == 1] += 2
        from matplotlib.figure import Figure
        from pearlite._report import chains
        far = Figure().add_subplot()
        chains.draw_ranks(far, run, 0)
        self.assertGreater(far.get_ylim()[1], 1.5 * axes.get_ylim()[1])

    def test_works_and_states(self):
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            job = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "gaussian-work.toml"
            found = pearlite.run(job, output=place / "works", algorithm__trajectories=100, progress=False)
            self.drawn(pearlite.plots.works(found, width=3.4))
            x = numpy.random.default_rng(1).normal(size=200) + numpy.repeat([0, 1], 100)
            numpy.savez(place / "u.npz", u_kn=0.5 * (x - numpy.array([[0], [1]])) ** 2, N_k=[100, 100])
            subprocess.run([os.environ["PEARLITE"], "mbar", place / "u.npz", "-o", place / "mbar"], check=True,
                           capture_output=True)
            found = pearlite.load(place / "mbar")
            axes = pearlite.plots.overlap(found)
            self.drawn(axes)
            shares = axes.images[0].get_array()
            numpy.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-6)
            self.assertGreater(shares[0, 0], shares[0, 1])
            from pearlite._report import states  # reports have it, too
            self.assertEqual(states.overlap(pearlite.plots._report_of(found)).name, "overlap")
        with self.assertRaisesRegex(pearlite.InputError, "no states to draw"):
            pearlite.plots.overlap(normal(1))

    def test_energies_of_a_search(self):
        found = pearlite.minimize(lambda x: (x**2).sum(axis=1), [(-1, 1)] * 2, seed=1, progress=False, vectorized=True,
                                  algorithm__iterations=500)
        self.drawn(pearlite.plots.energies(found))


if __name__ == "__main__":
    unittest.main()
