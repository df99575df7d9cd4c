"""Runs the report on invented searches for low energies."""

import json
import types
import unittest
import xml.etree.ElementTree

from pages import MINUS, WithDirectory  # first: skips the test if there are no libraries

import matplotlib.image
import numpy
import synthetic_runs
from pearlite_report import style
from pearlite_report.search import conformation, network, progress


class Searches(WithDirectory):
    ALONE = dict.fromkeys(["search/iteration", "search/best", "search/evaluations", "regions/desired", "operations/names"])
    FIGURES = {"progress-iterations.svg", "progress-evaluations.svg", "theta.svg", "visits.svg", "operations.svg"}

    def test_replicates(self):
        synthetic_runs.search(self.directory, 'sequence = "ABBAB"\nlength = 5', limit=-3.1)
        page = self.page()
        best = json.loads((self.directory / "summary.json").read_text())["replicates"]
        below = sum(row["best"] < -3.1 for row in best)
        self.assert_shows(
            page,
            "Known minimum −3.2941",
            "iteration 15\u202f000, with those that found the range and the scales; replicate 2",
            "sequence ABBAB, length 5",
            "8 replicates, 10 chains, 20\u202f000 iterations",
            "all 30 numbers are in summary.json",
            f"({below} of 8 below −3.1)",
            "1\u202f600\u202f000 in all, 200\u202f000 a replicate on average",
            "1 h 12 min 2 s on 4 ranks; 36 min 1 s of a rank a replicate",
            "mean of 8 replicates, and where all of them",
            "proposed to 18 of 21 regions",
            "was in 18 of 21 regions",
            "between visited and desired: 0.000",
            str(2**63 + 8),
        )
        self.assertNotIn("Mean best 1.25", page.text)
        self.assertEqual(page.tags.count("details"), 2)
        self.assertIn("<details open>", page.source)
        self.assertEqual(self.figure_names(), self.FIGURES | {"replicates.svg"})
        for figure in (self.directory / "figures").iterdir():
            xml.etree.ElementTree.parse(figure)

    def test_mean_error_and_deviation(self):
        synthetic_runs.search(self.directory)
        summary = json.loads((self.directory / "summary.json").read_text())
        for row, value in zip(summary["replicates"], (1, 2, 3, 4, None, 3, 2, 1)):
            row["best"] = value
        (self.directory / "summary.json").write_text(json.dumps(summary))
        # The mean of the seven values is 16/7, the sum of their squared distances 52/7.
        self.assert_shows(
            self.page(),
            "Mean best energy 2.29 ± 0.42",
            "Standard deviation 1.113",
            "Without a finite energy 1",
            "1 replicate left out (not finite)",
        )

    def test_descents_from_the_best_states(self):
        square = numpy.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
        synthetic_runs.search(
            self.directory, "length = 4", **{"best/positions": 2 * square[:2], "polished/positions": square}
        )
        summary = json.loads((self.directory / "summary.json").read_text())
        for k, row in enumerate(summary["replicates"]):
            row |= {"polished": -3.29 + 0.01 * (k % 2), "polish_evaluations": 40}
        summary["polished"] = {"energy": -3.29, "replicate": 0, "energies": 21, "gradients": 20, "state": [0.5, 0.25]}
        (self.directory / "summary.json").write_text(json.dumps(summary))
        page = self.page()
        self.assertLess(page.text.index("lowest energy after descents"), page.text.index("lowest energy found"))
        self.assert_shows(
            page,
            "lowest energy after descents from the best states −3.29",
            "21 energies; 20 gradients; replicate 0",
            "State 0.5, 0.25",
            "The best conformation after the descents, 4 beads",
            # Four times each of -3.29 and -3.28: a standard deviation of 0.005 sqrt(8/7).
            "Mean after descents −3.2850 ± 0.0019",
            "Standard deviation 0.005345",
            "replicate seed after its descent best energy",
        )

    def test_grids_of_other_replicates_that_would_hide_the_best(self):
        points = numpy.tile(numpy.linspace(-3, 6, 20), (8, 1))
        points[5] *= 1000
        synthetic_runs.search(self.directory, **{"regions/points": points})
        self.assert_shows(self.page(), "1 replicate not drawn (their grids are much coarser, or beyond 21)")

    def test_a_single_replicate(self):
        synthetic_runs.search(self.directory, n_replicates=1)
        page = self.page()
        self.assert_shows(page, "of the only replicate", "The search was in", "1 replicate, 10 chains")
        self.assertNotIn("replicate 1", page.text)
        self.assertNotIn('id="replicates"', page.source)
        self.assertEqual(self.figure_names(), self.FIGURES)

    def test_psaa_says_whose_bias(self):
        synthetic_runs.search(self.directory, algorithm="psaa")
        self.assert_shows(self.page(), "First chain only: each chain has its own bias.")

    def test_without_bias_there_are_no_regions(self):
        nothing = {f"regions/{name}": numpy.zeros((8, 0)) for name in ("points", "theta", "visits")}
        synthetic_runs.search(self.directory, algorithm="vfsa", **nothing, **{"regions/desired": numpy.zeros(0)})
        self.page()
        self.assertEqual(self.figure_names(), self.FIGURES - {"theta.svg", "visits.svg"} | {"replicates.svg"})

    def test_conformations(self):
        helix = numpy.stack([numpy.cos(numpy.arange(13.0)), numpy.sin(numpy.arange(13.0)), 0.3 * numpy.arange(13)], 1)
        for positions, words in ((helix, "Paler is farther away"), (helix[:, :2], "A are filled, B are open")):
            synthetic_runs.search(self.directory, "length = 13", **self.ALONE, **{"best/positions": positions})
            self.assert_shows(self.page(), "13 beads, turned to its principal axes. Beads A are filled", words)
            self.assertIn("conformation.svg", self.figure_names())
        synthetic_runs.search(self.directory, **self.ALONE, **{"best/positions": helix})
        self.assert_shows(self.page(), "The configuration has no sequence for these beads.")

    def test_a_restored_image_beside_the_observed_one(self):
        observed = numpy.zeros((6, 8))
        observed[1:4, 2:5] = 1
        restored = observed.copy()
        restored[1, 2], restored[5, 7], restored[5, 6] = 0, 1, 1
        pixels = numpy.stack([restored.ravel(), observed.ravel()])
        synthetic_runs.search(self.directory, **{"images/pixels": pixels, "images/rows": 6, "images/columns": 8})
        self.assert_shows(self.page(), "6 × 8 pixels", "3 pixels differ: 2 became 1 (blue), 1 became 0 (orange)")
        picture = matplotlib.image.imread(self.directory / "figures" / "restoration.png")
        shades = numpy.round(picture[:, :, :3].reshape(-1, 3) * 255).astype(int)
        for colour in ([0, 0x72, 0xB2], [0xE6, 0x9F, 0]):
            self.assertTrue((shades == colour).all(axis=1).any(), colour)
        self.assertNotIn("particles.png", self.figure_names())

    def test_a_network(self):
        graph = 'digraph network {\n  "a";\n  "b\\"<";\n  "c";\n  "d";\n  "a" -> "b\\"<";\n  "b\\"<" -> "c";\n  "a" -> "c";\n}\n'
        synthetic_runs.search(self.directory, **self.ALONE, **{"best/graph": graph})
        page = self.page()
        self.assert_shows(page, "4 nodes, 3 edges, parents above children. 1 node without an edge.", "the network drawn below")
        self.assertIn("network.svg", self.figure_names())

    def test_edges(self):
        probability = numpy.array([[0, 0.81, 0.004], [0.12, 0, 0.5], [0, 0.5, 0]])
        error = numpy.full((3, 3), 0.0123)
        datasets = {"edges/nodes": ["a", "b<", "c"], "edges/probability": probability, "edges/standard_error": error,
                    "edges/adjacent": probability + probability.T, "edges/adjacent_standard_error": error}
        synthetic_runs.search(self.directory, **self.ALONE, **datasets)
        page = self.page()
        self.assert_shows(page, "Expected number of edges 1.934", "Pairs that are probably adjacent 2",
                          "a \N{RIGHTWARDS ARROW} b< 0.8100 0.012 0.9300 0.012", "Probability of each edge")
        self.assertNotIn("0.0040", page.text)
        self.assertIn("edges.svg", self.figure_names())

    def test_a_graph_with_a_cycle_is_remarked_on(self):
        synthetic_runs.search(self.directory, **self.ALONE, **{"best/graph": 'digraph x { "a" -> "b"; "b" -> "a"; }'})
        self.assert_shows(self.page(), "best/graph has a cycle; it is not drawn")

    def test_datasets_that_do_not_match_are_remarked_on(self):
        synthetic_runs.search(
            self.directory,
            **{
                "search/best": numpy.zeros((8, 3)),
                "search/evaluations": None,
                "regions/theta": numpy.zeros((8, 4)),
                "operations/names": ["one"],
                "best/positions": numpy.zeros(5),
            },
        )
        self.assert_shows(
            self.page(),
            "search/best has 3 columns",
            "The arrays in regions/ do not match; bias and visits are left out",
            "operations/acceptance has 3 columns for 1 names",
            "best/positions is not a numeric array of 2 dimension(s)",
        )
        self.assertEqual(self.figure_names(), {"replicates.svg"})

    def test_missing_datasets_and_infinite_energies(self):
        started = numpy.full((8, 40), numpy.inf)
        started[:, 30:] = -1.0
        iteration = numpy.arange(1.0, 41)
        without = dict.fromkeys(["regions/desired", "operations/scales", "search/evaluations", "configuration"])
        synthetic_runs.search(self.directory, **{"search/best": started, "search/iteration": iteration, **without})
        self.page()
        self.assertEqual(self.figure_names(), {"progress-iterations.svg", "operations.svg", "replicates.svg"})
        synthetic_runs.search(self.directory, **{"search/best": numpy.full((8, 40), numpy.inf), "search/iteration": iteration})
        self.page()
        self.assertNotIn("progress-iterations.svg", self.figure_names())


class SearchDrawings(unittest.TestCase):
    def test_layers_are_above_their_children(self):
        rng = numpy.random.default_rng(5)
        names = [f"n{i}" for i in range(12)]
        for _ in range(20):
            edges = [(names[i], names[j]) for i in range(12) for j in range(i + 1, 12) if rng.random() < 0.2]
            layers = network.layers_of(names, edges)
            self.assertTrue(all(layers[a] < layers[b] for a, b in edges))
            rows, links = network._with_waypoints(layers, edges)
            ordered = network._uncrossed(rows, links)
            self.assertEqual([set(row) for row in ordered], [set(row) for row in rows])
            places = network._places(ordered, links)
            for row in ordered:
                apart = [places[b][0] - places[a][0] for a, b in zip(row, row[1:])]
                least = [network._half(a) + network._half(b) for a, b in zip(row, row[1:])]
                self.assertTrue(all(gap >= needed - 1e-9 for gap, needed in zip(apart, least)))

    def test_a_crossing_that_need_not_be_is_removed(self):
        rows, links = [["a", "b"], ["c", "d"]], [["a", "d"], ["b", "c"]]
        ordered = network._uncrossed(rows, links)
        self.assertEqual(network._crossings(rows, {"a": ["d"], "b": ["c"]}), 1)
        self.assertEqual(network._crossings(ordered, {"a": ["d"], "b": ["c"]}), 0)

    def test_principal_axes_keep_distances_and_handedness(self):
        points = numpy.random.default_rng(6).normal(size=(9, 3)) * [1, 5, 2]
        turned = conformation.principal_axes(points)
        spread = turned.std(axis=0)
        self.assertTrue(spread[0] > spread[1] > spread[2])
        volume = [numpy.linalg.det(p[1:4] - p[0]) for p in (points, turned)]
        self.assertAlmostEqual(volume[0], volume[1], places=9)

    def test_progress_against_evaluations_counts_each_replicates_own(self):
        run = types.SimpleNamespace(
            search={"evaluations": numpy.array([[10.0, 20, 40], [20, 40, 80]]), "best": numpy.array([[9.0, 5, 1], [8, 6, 4]])}
        )
        found = progress.progress_by_evaluations(run)
        self.assertEqual((found.x[0], found.x[-1]), (20, 40))
        self.assertEqual(found.best[:, 0].tolist(), [5, 8])
        self.assertEqual(found.best[:, -1].tolist(), [1, 6])
        self.assertEqual((found.mean[-1], found.standard_error[-1]), (3.5, 2.5))

    def test_ticks(self):
        ticks = style._PlainTicks()
        self.assertEqual(ticks.format_ticks([-0.5, 0.0, 0.5]), [f"{MINUS}0.5", "0.0", "0.5"])
        self.assertEqual(ticks.format_ticks([0, 2.5, 5]), ["0.0", "2.5", "5.0"])
        self.assertEqual(ticks.format_ticks([-298000, -297000]), [f"{MINUS}298\u202f000", f"{MINUS}297\u202f000"])
        self.assertEqual(ticks.format_ticks([1e9, 2e9]), ["1 × 10⁹", "2 × 10⁹"])
        self.assertEqual(ticks.format_ticks([]), [])


if __name__ == "__main__":
    unittest.main()
