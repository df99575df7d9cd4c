"""The parts of a sweep's report: what becomes a line or a panel, where it lies, what it is called."""

import pathlib
import types
import unittest
import unittest.mock

import pages  # noqa: F401  first: skips the test if there are no libraries

import numpy
from pearlite_report import numbers, words
from pearlite_report.run import ReportError
from pearlite_report.sweep import against_time, asked, layout, progress, read, scalars, surface, theta

VALUE = "log_evidence.product.log_ratio.value"


class Statistics(unittest.TestCase):
    """Statistics of asked figures, and their errors against what many samples scatter by."""

    def test_values(self):
        values, known = numpy.array([1.0, 2.0, 3.0, 6.0]), numpy.full(4, 2.0)
        for name, expected in (("mean", 3.0), ("median", 2.5), ("sd", numpy.sqrt(14 / 3)), ("bias", 1.0),
                               ("rms-error", numpy.sqrt(18 / 4))):
            self.assertAlmostEqual(asked.statistic(name, values, known)[0], expected)

    def test_runs_without_a_value_do_not_count(self):
        values = numpy.array([1.0, numpy.nan, 3.0])
        self.assertEqual(asked.statistic("mean", values, values)[0], 2.0)
        self.assertTrue(numpy.isnan(asked.statistic("bias", values, numpy.full(3, numpy.nan))[0]))
        for name in ("mean", "median", "sd", "bias", "rms-error"):
            self.assertTrue(numpy.isnan(asked.statistic(name, numpy.array([2.0]), numpy.zeros(1))[1]), name)

    def test_errors(self):
        """The scatter of 4000 samples, known to 1.1 %; errors are means over samples, the median's a rough one."""
        draws = numpy.random.default_rng(7).normal(0.5, 2.0, (4000, 60))
        for name, tolerance in (("mean", 0.05), ("sd", 0.05), ("bias", 0.05), ("rms-error", 0.06), ("median", 0.12)):
            found = numpy.array([asked.statistic(name, row, numpy.zeros(60)) for row in draws])
            scatter, error = found[:, 0].std(ddof=1), found[:, 1].mean()
            self.assertLess(abs(error / scatter - 1), tolerance, name)
            self.assertGreater(abs(error / numpy.sqrt(2) / scatter - 1), tolerance, f"{name}, wrong by sqrt 2")


class Parts(unittest.TestCase):
    def sweep(self, settings, **columns):
        axes = list(settings[0])
        count = len(settings)
        values = numpy.array([columns[name] for name in columns], dtype=float).reshape(len(columns), count).T
        runs = {"setting": numpy.arange(count), "finished": numpy.ones(count), "values": values}
        statistics = {"mean": values, "sd": numpy.zeros_like(values)}
        return read.Sweep(None, {}, axes, settings, list(columns), runs=runs, statistics=statistics)

    def test_lists_that_march_together_make_one_line(self):
        settings = [{"a.chains": 2**k, "a.iterations": 2 ** (9 - k), "variant": v} for k in range(10) for v in "xy"]
        sweep = self.sweep(settings)
        self.assertEqual(sweep.tied_to("a.chains"), ["a.iterations"])
        (panel,) = layout.panels(sweep, "a.chains")
        self.assertEqual([(line.label, len(line.settings)) for line in panel.lines], [("x", 10), ("y", 10)])
        (panel,) = layout.panels(sweep, "variant")[:1]
        self.assertLessEqual(len(panel.lines), layout.MOST_LINES)

    def test_how_much_theta_differs(self):
        # Regions that a run of the setting does not know count for nothing, nor does a constant.
        points = numpy.array([0.0, 1.0, 2.0])
        rows = numpy.array([[1.0, 2, 3, -numpy.inf], [7.0, 7, 10, 1], [0.0, 3, 3, 5]])
        sweep = self.sweep([{"a.b": 1}], **{"best.energy": [1.0]})
        sweep.runs = {"setting": numpy.zeros(3, int), "finished": numpy.ones(3), "values": numpy.zeros((3, 1))}
        sweep.statistics |= {"count": numpy.array([[3.0]]), "standard_error": numpy.array([[0.0]])}
        with unittest.mock.patch.object(theta, "_read", lambda *_: {k: (row, points) for k, row in enumerate(rows)}):
            theta.add_deviations(sweep)
        centred = rows[:, :3] - rows[:, :3].mean(axis=1, keepdims=True)
        self.assertAlmostEqual(sweep.of_settings("mean", theta.DEVIATION)[0], centred.var(axis=0, ddof=1).mean())
        self.assertEqual(sweep.of_settings("count", theta.DEVIATION)[0], 3)
        self.assertEqual(len(sweep.of_runs(theta.DEVIATION, 0)), 3)

    def test_every_setting_is_drawn_once(self):
        settings = [{"m.a": a, "m.b": b, "v": v} for a in range(3) for b in range(11) for v in "pqr"]
        sweep = self.sweep(settings)
        for axis in (None, "m.a", "m.b", "v"):
            found = layout.panels(sweep, axis)
            drawn = sorted(number for panel in found for line in panel.lines for number in line.settings)
            self.assertEqual(drawn, list(range(99)))
            for panel in found:
                self.assertLessEqual(len(panel.lines), layout.MOST_LINES)
                looks = [tuple(line.style.items()) for line in panel.lines]
                self.assertEqual(len(set(looks)), len(looks))

    def test_other_sizes_have_panels_of_their_own(self):
        settings = [{"model.length": n, "variant": v} for n in (13, 55) for v in "xyz"]
        apart = self.sweep(settings, energy=[-3.1, -3.2, -3.3, -18, -18.2, -18.1])
        labels = [panel.label for panel in layout.panels(apart, "variant", "energy")]
        self.assertEqual(labels, ["length 13", "length 55"])
        near = self.sweep(settings, energy=[-3.1, -3.2, -3.3, -3.15, -3.2, -3.1])
        self.assertEqual(len(layout.panels(near, "variant", "energy")), 1)
        # A family of variants is of models where the sweep says so, and one of searches is for comparison.
        settings = [{"problem": n, "search": v} for n in ("image", "network") for v in "xyz"]
        families = self.sweep(settings, energy=[-3.1, -3.2, -3.3, -18, -18.2, -18.1])
        self.assertEqual(len(layout.panels(families, "search", "energy")), 1)
        families.summary["model_axes"] = ["problem"]
        labels = [panel.label for panel in layout.panels(families, "search", "energy")]
        self.assertEqual(labels, ["image", "network"])

    def test_where_numbers_lie(self):
        sweep = self.sweep([{"n": n, "b": b} for n in (100, 1, 10) for b in (True, False)])
        numbers = layout.Abscissa(sweep, "n")
        self.assertTrue(numbers.logarithmic)
        self.assertEqual([numbers.share(n) for n in (1, 10, 100)], [0, 0.5, 1])
        self.assertAlmostEqual(numbers.beside(10, 0.5), 100)
        categories = layout.Abscissa(sweep, "b")
        self.assertEqual((categories.numeric, categories.tick_labels()), (False, ["yes", "no"]))
        self.assertEqual(categories.at({"b": False}), 1)

    def test_exact_values(self):
        settings = [{"n": n, "v": v} for n in (1, 2) for v in "xy"]
        for exact, expected in (
            ([3, 3, 3, 3], ("exact", None, 3)),
            ([3, 3, 4, 4], ("exact", [1, 2], [3, 4])),
            ([3, 4, 3, 4], None),
            ([numpy.nan] * 4, None),
        ):
            sweep = self.sweep(settings, **{"e.value": [0] * 4, "e.exact": exact})
            self.assertEqual(scalars.reference_of(sweep, "e.value", layout.Abscissa(sweep, "n"), range(4)), expected)
        self.assertIsNone(scalars.reference_of(sweep, "other", layout.Abscissa(sweep, "n"), range(4)))

    def test_binomial_bars(self):
        low, high = numbers.wilson(numpy.array([1.0, 0.5]), numpy.array([8.0, 100]))
        # All of n: the probability p with (1 - p) = 2 sqrt(p (1 - p) / n), which is n / (n + 4).
        self.assertAlmostEqual(low[0], 8 / 12)
        self.assertAlmostEqual(high[0], 1.0)
        self.assertAlmostEqual(high[1] - 0.5, 0.5 - low[1])
        self.assertAlmostEqual(high[1], 0.5 + 2 * 0.05 / numpy.sqrt(1.04))

    def surface_of(self, settings, log_evidence, count=1):
        sweep = self.sweep(settings, **{VALUE: log_evidence})
        sweep.directory = pathlib.Path("no directory")
        shape = sweep.statistics["mean"].shape
        sweep.statistics |= {"count": numpy.full(shape, count), "standard_error": numpy.full(shape, 0.1)}
        return sweep

    def test_numbers_are_weighted_by_the_evidence(self):
        settings = [{"model.b": b, "model.a": a} for b in (5, 1) for a in (0.0, 2.0, 3.0)]
        evidence = {(5, 0.0): 1, (5, 2.0): 2, (5, 3.0): 3, (1, 0.0): 4, (1, 2.0): 5, (1, 3.0): 5}
        log_evidence = [-1000 + numpy.log(evidence[s["model.b"], s["model.a"]]) for s in settings]
        sweep = self.surface_of(settings, log_evidence, count=2)
        grid = surface.grid_of(sweep)
        self.assertEqual(grid.values, ([1, 5], [0.0, 2.0, 3.0]))
        b, a = (grid.moments(axis) for axis in (0, 1))
        self.assertAlmostEqual(b[0], (14 * 1 + 6 * 5) / 20)
        self.assertAlmostEqual(b[1] ** 2, (14 * 1 + 6 * 25) / 20 - b[0] ** 2)
        self.assertAlmostEqual(a[0], (7 * 2 + 8 * 3) / 20)
        # The error of the mean, by differences.
        moved = []
        for k in range(6):
            shifted = numpy.array(log_evidence)
            shifted[k] += 1e-6
            other = surface.grid_of(self.surface_of(settings, shifted))
            moved.append((other.moments(1)[0] - a[0]) / 1e-6)
            self.assertEqual(other.moments(1)[2], 0, "single runs have no error")
        self.assertAlmostEqual(a[2], 0.1 * numpy.sqrt(numpy.sum(numpy.square(moved))), places=5)
        # Flat weights are something else.
        self.assertGreater(abs(a[0] - 5 / 3), 0.1)
        self.assertEqual(len(surface.picture(sweep)), 1)
        self.assertIn("Weighted by the evidence", surface.weighted(sweep))

    def test_only_a_whole_grid_of_two_numbers_of_the_model_is_a_surface(self):
        whole = [{"model.b": b, "model.a": a} for b in (5, 1) for a in (0.0, 2.0)]
        self.assertIsNotNone(surface.grid_of(self.surface_of(whole, range(4))))
        self.assertIsNone(surface.grid_of(self.surface_of(whole, [0, 1, 2, numpy.nan])))
        self.assertIsNone(surface.grid_of(self.surface_of(whole[:3], range(3))))
        words_of_one = [{"model.b": str(s["model.b"]), "model.a": s["model.a"]} for s in whole]
        self.assertIsNone(surface.grid_of(self.surface_of(words_of_one, range(4))))
        other = [{"algorithm.b": s["model.b"], "model.a": s["model.a"]} for s in whole]
        self.assertIsNone(surface.grid_of(self.surface_of(other, range(4))))
        self.assertEqual(surface.picture(self.surface_of(whole[:3], range(3))), [])

    def sweep_of_samplers(self, settings, log_z, seconds):
        """Runs of each setting that differ by so much from its value."""
        others = numpy.array([-0.3, 0.0, 0.1, 0.4])
        normaliser = VALUE.replace("log_ratio", "log_normaliser")
        sweep = self.sweep(settings, **{VALUE: log_z, normaliser: log_z, against_time.TIME: seconds})
        n = len(settings)
        values = numpy.repeat(sweep.statistics["mean"], len(others), axis=0)
        values[:, 0] += 5 + numpy.tile(others, n)
        values[:, 1] += numpy.tile(others, n)
        number = numpy.repeat(numpy.arange(n), len(others))
        sweep.runs = {"setting": number, "finished": numpy.ones(len(number)), "values": values}
        sweep.chosen = list(sweep.columns)
        return sweep, others

    def test_samplers_against_time(self):
        settings = [{"variant": v, "algorithm.particles": n} for v in ("ARM", "RM") for n in (10, 100)]
        sweep, others = self.sweep_of_samplers(settings, [-7.0, -7.1, -9.0, -8.0], [1, 9, 2, 20])
        log_z = against_time.log_evidence(sweep, 0)  # of Z itself where both are known
        numpy.testing.assert_allclose(log_z, -7 + others)
        value, error = against_time.log_of_mean(log_z)
        self.assertAlmostEqual(value, numpy.log(numpy.mean(numpy.exp(-7 + others))))
        self.assertAlmostEqual(error, numpy.std(numpy.exp(others), ddof=1) / 2 / numpy.mean(numpy.exp(others)))
        self.assertAlmostEqual(against_time.log_of_mean(log_z - 2000)[0], value - 2000)
        self.assertAlmostEqual(against_time.spread(log_z)[0], numpy.std(others, ddof=1))
        self.assertEqual([picture.name for picture in against_time.curves(sweep)], ["log-mean-z", "sd-log-z"])

    def test_means_far_off_do_not_flatten_the_others(self):
        settings = [{"variant": name} for name in ("ARM 10", "ARM 100", "RM 10", "RM 100")]
        sweep, _ = self.sweep_of_samplers(settings, [-7.0, -7.1, -200.0, -8.0], [1, 9, 2, 20])
        means, spreads = against_time.curves(sweep)
        self.assertIn("Not drawn, because they are more than 30 nats off: points of RM.", means.caption)
        self.assertNotIn("Not drawn", spreads.caption)

    def test_variants_that_end_in_a_number_are_one_sampler(self):
        names = ("ARM 1000", "ARM 100", "RM 10", "EP")
        settings = [{"variant": v, "machine": m} for v in names for m in ("small", "large")]
        sweep, _ = self.sweep_of_samplers(settings, range(8), range(1, 9))
        small, large = against_time.samplers(sweep, "variant")
        self.assertEqual([small.label, large.label], ["small", "large"])
        self.assertEqual([(line.label, line.settings) for line in small.lines],
                         [("ARM", [0, 2]), ("RM", [4]), ("EP", [6])])
        self.assertNotEqual(small.lines[0].style, small.lines[1].style)
        self.assertEqual(small.lines[1].style, large.lines[1].style)
        self.assertEqual(len(against_time.curves(sweep)), 2)

    def test_only_budgets_are_drawn_against_time(self):
        settings = [{"variant": v, "algorithm.particles": n} for v in ("ARM", "RM") for n in (10, 100)]
        sweep, _ = self.sweep_of_samplers(settings, [-7.0, -7.1, -9.0, -8.0], [1, 9, 2, 20])
        sweep.chosen.remove(against_time.TIME)
        self.assertEqual(against_time.curves(sweep), [])
        sweep, _ = self.sweep_of_samplers([{"model.n": n} for n in (1, 2)], [-7.0, -7.1], [1, 9])
        self.assertEqual(against_time.curves(sweep), [])

    def test_scores_of_predictions(self):
        errors, loss = surface.scores(numpy.array([0.9, 0.2, 0.5, 0.4]), numpy.array([1.0, -1.0, 1.0, 1.0]))
        self.assertTrue(errors.startswith("38 ± "), errors)  # 37.5
        self.assertTrue(loss.startswith("0.48 ± "), loss)

    def test_bars_count_the_runs_that_have_intervals(self):
        low = [1.0, numpy.nan]
        sweep = self.sweep([{"n": 1}, {"n": 2}], **{"e.value": [1.0, 2.0], "e.interval95.low": low})
        sweep.statistics["count"] = numpy.ones((2, 2))
        self.assertEqual(scalars._intervals(sweep, "e.value", [0, 1]).tolist(), [1, 0])

    def test_distances_end_a_decade_below(self):
        middle, low, high = scalars.distance(numpy.array([2.0, 0.5]), numpy.array([3.0, 1.0]), 1.0)
        numpy.testing.assert_allclose(middle, [1, numpy.nan])
        self.assertEqual((low[0], high[0]), (0.1, 4.0))

    def test_progress_of_runs_that_got_differently_far(self):
        recorded = (([1.0, 10, 100], [9.0, 5, 1]), ([2.0, 20, 50], [8.0, 6, 4]))
        runs = [
            types.SimpleNamespace(search={"iteration": numpy.array(at), "best": numpy.array([best])})
            for at, best in recorded
        ]
        found = progress.joined(runs, "iterations")
        self.assertEqual(found.x.tolist(), [2, 10, 20, 50])
        self.assertEqual(found.best.tolist(), [[9, 5, 5, 5], [8, 8, 6, 4]])
        self.assertIsNone(progress.joined(runs, "evaluations"))

    def test_words(self):
        for name, expected in (
            (VALUE, "log Z / Z₀, product (nats)"),
            ("log_evidence.bar.log_normaliser.standard_error", "Standard error of log Z, bar (nats)"),
            ("log_evidence.bar.log_ratio.bootstrap.value", "log Z / Z₀, bar, bootstrap (nats)"),
            ("log_evidence.bar.log_ratio.interval95.low", "Lower end of the 95 % interval, log Z / Z₀, bar (nats)"),
            ("posterior.beta[1].mean", "Posterior mean of beta[1]"),
            ("posterior.beta[1].quantiles.0.025", "Posterior 2.5 % quantile of beta[1]"),
            ("timing.wall_seconds", "Wall time (s)"),
            ("diagnostics.peak_memory_bytes", "Peak memory (bytes)"),
            ("diagnostics.crooks_slope", "Crooks slope"),
        ):
            self.assertEqual(words.of_scalar(name), expected)
        self.assertEqual(words.of_key("kernel.pilot_iterations"), "Pilot iterations of the kernel")
        self.assertEqual(words.of_key("algorithm.chains"), "Chains")
        setting = {"algorithm.chains": 1, "kernel.rates": (1, 2.5), "variant": "VFSA", "model.exact": True}
        self.assertEqual(words.of_setting(setting), "1 chain, rates 1+2.5, VFSA, exact yes")

    def test_nearest_names(self):
        with self.assertRaisesRegex(ReportError, "best.enrgy: no such scalar; nearest: best.energy"):
            read.require_name("best.enrgy", ["best.energy", "timing.wall_seconds"], "scalar")


if __name__ == "__main__":
    unittest.main()
