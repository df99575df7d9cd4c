"""The parts of a sweep's report: what becomes a line or a panel, where it lies, what it is called."""

import types
import unittest

import pages  # noqa: F401  first: skips the test if there are no libraries

import numpy
from pearlite_report import words
from pearlite_report.run import ReportError
from pearlite_report.sweep import layout, progress, read, scalars

VALUE = "log_evidence.product.log_ratio.value"


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
        low, high = scalars.wilson(numpy.array([1.0, 0.5]), numpy.array([8.0, 100]))
        # All of n: the probability p with (1 - p) = 2 sqrt(p (1 - p) / n), which is n / (n + 4).
        self.assertAlmostEqual(low[0], 8 / 12)
        self.assertAlmostEqual(high[0], 1.0)
        self.assertAlmostEqual(high[1] - 0.5, 0.5 - low[1])
        self.assertAlmostEqual(high[1], 0.5 + 2 * 0.05 / numpy.sqrt(1.04))

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
