"""Forest and pairs of a posterior, and labels of ticks that never touch."""

import unittest
import xml.etree.ElementTree

from pages import WithDirectory  # first: skips the test if there are no libraries

import numpy
import synthetic_runs
from matplotlib.figure import Figure
from pearlite_report import numbers, parameters, style

SVG = "{http://www.w3.org/2000/svg}"


def median(values, weights=None):
    """The weighted median from its definition."""
    order = numpy.argsort(values)
    weights = numpy.ones(len(values)) if weights is None else weights
    return values[order][numpy.flatnonzero(numpy.cumsum(weights[order]) >= 0.5 * weights.sum())[0]]


class Parameters(WithDirectory):
    def drawing(self, name):
        return xml.etree.ElementTree.parse(self.directory / "figures" / name).getroot()

    def places_of_medians(self):
        groups = {group.get("id"): group for group in self.drawing("forest.svg").iter(f"{SVG}g")}
        names = sorted((name for name in groups if name and name.startswith("median-")), key=lambda name: int(name[7:]))
        return numpy.array([float(next(groups[name].iter(f"{SVG}use")).get("x")) for name in names])

    def test_a_forest_has_the_medians_of_the_weighted_draws(self):
        values, log_weight = synthetic_runs.weighted(self.directory)
        page = self.page()
        self.assert_shows(page, "Medians with intervals of 50 % (thick) and of 95 % (thin).", "Weighted draws.")
        places = self.places_of_medians()
        weights = numpy.exp(log_weight)

        def disagreement(expected):
            """The largest distance of places and values, which an axis maps on each other linearly."""
            scale = (expected[-1] - expected[0]) / (places[-1] - places[0])
            return numpy.abs(expected[0] + scale * (places - places[0]) - expected).max()

        self.assertLess(disagreement(numpy.array([median(column, weights) for column in values.T])), 1e-4)
        self.assertGreater(disagreement(numpy.array([median(column) for column in values.T])), 0.01)  # the wrong twin

    def test_pairs_are_of_the_weighted_draws(self):
        values, log_weight = synthetic_runs.weighted(self.directory)
        self.assert_shows(self.page(), "Points are draws in proportion to their weights; above the diagonal, correlations.")
        points = [group for group in self.drawing("pairs.svg").iter(f"{SVG}g") if len(list(group.findall(f".//{SVG}use"))) > 500]
        self.assertTrue(points)
        weights = numbers.normalised_weights(log_weight)
        drawn = parameters._points(values, weights)
        numpy.testing.assert_allclose(drawn.mean(axis=0), weights @ values, atol=0.05)
        self.assertGreater(numpy.abs(values.mean(axis=0) - weights @ values).min(), 0.1)  # the wrong twin
        covariance = numpy.cov(values.T, aweights=weights)
        sd = numpy.sqrt(covariance.diagonal())
        numpy.testing.assert_allclose(
            parameters._correlations(values, weights), covariance / numpy.outer(sd, sd), atol=1e-12
        )

    def test_many_draws_are_drawn_as_a_density(self):
        synthetic_runs.weighted(self.directory, n_draws=20000, tilt=0.0)
        self.assert_shows(self.page(), "Densities; above the diagonal", "The draws have equal weights.")

    def test_many_parameters(self):
        synthetic_runs.regression(self.directory, n_parameters=45)
        self.assert_shows(
            self.page(),
            "The first 40 of 45 parameters are drawn.",
            "The 6 parameters with the strongest correlations among 40.",
        )
        self.assertEqual(len(self.places_of_medians()), 40)

    def test_the_strongest_correlations_are_chosen(self):
        correlations = numpy.eye(10)
        for first, second, r in ((1, 8, 0.9), (3, 4, -0.8), (4, 7, 0.7), (0, 9, 0.1)):
            correlations[first, second] = correlations[second, first] = r
        chosen = set(parameters._most_correlated(correlations))
        self.assertEqual(len(chosen), 6)
        self.assertLessEqual({1, 8, 3, 4, 7}, chosen)

    def test_parameters_of_other_scales_have_axes_of_their_own(self):
        quantiles = numpy.array([[3000.0, 3010, 3020, 3030, 3040], [180, 183, 185, 187, 190], [170, 175, 180, 185, 190],
                                 [-11, -10.9, -10.8, -10.7, -10.6]])
        self.assertEqual(parameters._panels(quantiles), [[0], [1, 2], [3]])
        self.assertLessEqual(len(parameters._panels(10.0 ** numpy.arange(30)[:, None] * numpy.arange(5.0))), 8)

    def test_one_parameter_has_neither(self):
        synthetic_runs.regression(self.directory, n_parameters=1)
        self.page()
        self.assertFalse({"forest.svg", "pairs.svg"} & self.figure_names())


class Labels(unittest.TestCase):
    def figures(self):
        """Crowded labels as in real reports."""
        names = [f"a rather long name of the parameter {k}" for k in range(30)]
        for kind in ("numbers", "names", "names below", "symmetric log", "decades"):
            figure = Figure(figsize=(3.2, 3) if kind == "numbers" else style.WIDE)
            axes = figure.add_subplot()
            if kind == "numbers":
                axes.plot([-268.05123, -267.92456], [0, 1])
                axes.locator_params(axis="x", nbins=9)
                axes.set_yticks([0, 1], ["a name", "another name"])
            elif kind == "names":
                axes.set_yticks(range(30), names)
            elif kind == "names below":
                axes.set_xticks(range(30), [name[-12:] for name in names])
            elif kind == "symmetric log":
                axes.plot([0, 1e-6, 1e-3, 1], [0, 1, 2, 3])
                axes.set_xscale("symlog", linthresh=1e-6, linscale=0.1)
            else:
                axes.plot([1e-30, 1e30], [1e-100, 1e100])
                axes.set(xscale="log", yscale="log")
            yield kind, figure

    def touching(self, figure):
        figure.draw_without_rendering()
        return [pair for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for pair in style.touching_labels(axis)]

    def test_labels_do_not_touch(self):
        with style.drawing_style():
            for kind, figure in self.figures():
                with self.subTest(kind):
                    if kind != "decades":
                        self.assertTrue(self.touching(figure), "not crowded before")
                    style.keep_labels_apart(figure)
                    self.assertEqual(self.touching(figure), [])
                    for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis):
                        shown = [label for label in axis.get_ticklabels() if label.get_visible() and label.get_text()]
                        self.assertGreater(len(shown), 1)

    def test_long_names_keep_their_ends(self):
        self.assertEqual(style.shortened("short"), "short")
        shown = style.shortened("random_effect_of_the_clinic[12,intercept]")
        self.assertEqual(len(shown), style.LONGEST_NAME)
        self.assertRegex(shown, "^random_effect.*….*intercept\\]$")


if __name__ == "__main__":
    unittest.main()
