"""Probabilities of the edges of a network of four variables, from chains of searches, against sums over all 543
networks: every edge and every adjacency must lie within LIMIT standard errors of the exact probability. Two wrong
answers must not: probabilities over pairs of a network and an order, which are the states of the chains, and those at
the temperature of the chains.

    PEARLITE=... edge_probabilities_test.py

With right errors from 64 chains, a comparison exceeds the limit once in 2e4 (Student's t), and one of the 18 of a run
does once in 1000; the seeds are fixed.
"""

import csv
import itertools
import math
import unittest

import h5py
import numpy
import pearlite_runner as runner
import study_record as record

LIMIT = 4.3
ITERATIONS = 2000 if record.is_first() else 100000
NODES = 4
EDGE_PRIOR, SAMPLE_SIZE = 0.3, 2.0
NAMES = ["rain", "roof, wet", "grass", "shoes"]


def table():
    """Rows of a chain with noise and a common effect, so that some directions are known and others are not."""
    draws = numpy.random.default_rng(7)
    first = draws.integers(0, 2, 40)
    second = numpy.where(draws.random(40) < 0.75, first, 1 - first)
    third = draws.integers(0, 3, 40)
    fourth = numpy.where(draws.random(40) < 0.7, (second + third > 1).astype(int), draws.integers(0, 2, 40))
    return numpy.stack([first, second, third, fourth], axis=1)


def family_score(rows, node, parents):
    """The log marginal likelihood of a family and the log prior of its edges, in the plain way."""
    levels = rows.max(axis=0) + 1
    states = math.prod(int(levels[j]) for j in parents)
    a, whole = SAMPLE_SIZE / (levels[node] * states), SAMPLE_SIZE / states
    score = len(parents) * math.log(EDGE_PRIOR / (1 - EDGE_PRIOR))
    for state in itertools.product(*(range(levels[j]) for j in parents)):
        chosen = rows[(rows[:, list(parents)] == state).all(axis=1), node]
        score += math.lgamma(whole) - math.lgamma(whole + len(chosen))
        score += sum(math.lgamma(a + (chosen == j).sum()) - math.lgamma(a) for j in range(levels[node]))
    return score


def orders_of(parents):
    """The number of orders in which every parent stands before its children; 0 if there is a cycle."""
    return sum(
        all(order.index(j) < order.index(i) for i in range(NODES) for j in parents[i])
        for order in itertools.permutations(range(NODES))
    )


def probabilities(rows, temperature=1.0, over_orders=False):
    """P(parent -> child), exactly; `over_orders` counts a network as often as it has orders."""
    others = [[j for j in range(NODES) if j != i] for i in range(NODES)]
    sets = [[s for n in range(NODES) for s in itertools.combinations(rest, n)] for rest in others]
    scores = [{s: family_score(rows, i, s) for s in sets[i]} for i in range(NODES)]
    networks = [(parents, orders) for parents in itertools.product(*sets) if (orders := orders_of(parents)) > 0]
    assert len(networks) == 543
    logs = numpy.array([sum(scores[i][s] for i, s in enumerate(parents)) for parents, _ in networks]) / temperature
    weights = numpy.exp(logs - logs.max()) * [orders if over_orders else 1 for _, orders in networks]
    weights /= weights.sum()
    edges = numpy.zeros((NODES, NODES))
    for (parents, _), weight in zip(networks, weights):
        for child, those in enumerate(parents):
            edges[list(those), child] += weight
    return edges


class EdgeProbabilities(unittest.TestCase):
    SEARCHES = {
        "pisaa at 1": {"schedule": {"kind": "constant", "temperature": 1.0},
                       "algorithm": {"name": "pisaa", "chains": 64, "lambda": 0.0, "energy_low": 119.0, "energy_high": 139.0,
                                     "regions": 11}},
        "pisaa above 1": {"schedule": {"kind": "geometric", "temperature_start": 2.0, "temperature_end": 1.2,
                                       "temperature_steps": 60000},
                          "algorithm": {"name": "pisaa", "chains": 64, "lambda": 0.05, "regions": 20}},
        "vfsa": {"schedule": {"kind": "constant", "temperature": 1.3},
                 "algorithm": {"name": "vfsa", "chains": 32, "replicates": 2, "regions": 10}},
        "pisaa of networks": {"model": {"sampled": "networks"}, "schedule": {"kind": "constant", "temperature": 1.2},
                              "algorithm": {"name": "pisaa", "chains": 64, "lambda": 0.0, "energy_low": 119.0,
                                            "energy_high": 139.0, "regions": 11}},
        "sa": {"schedule": {"kind": "constant", "temperature": 1.0},
               "algorithm": {"name": "sa", "replicates": 64, "average_every": 1}},
    }

    @classmethod
    def setUpClass(cls):
        cls.rows = table()
        cls.exact = probabilities(cls.rows)

    def found(self, where, search):
        """Probabilities, errors, adjacencies and their errors of a run."""
        lines = ['"' + '","'.join(NAMES) + '"', *(",".join(map(str, row)) for row in self.rows)]
        (where / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        tables = {"model": {"name": "bayesian-network", "data": "table.csv", "header": True, "edge_prior": EDGE_PRIOR,
                            "equivalent_sample_size": SAMPLE_SIZE, **search.get("model", {})},
                  "schedule": search["schedule"],
                  "algorithm": {"iterations": ITERATIONS, "average_from": ITERATIONS // 5, **search["algorithm"]}}
        ended = runner.pearlite("run", runner.write_configuration(where / "run.toml", **tables), "-o", where / "out",
                                timeout=300)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertIn("pairs of nodes are probably adjacent", ended.out)
        with h5py.File(where / "out" / "results.h5") as results:
            self.assertEqual([name.decode() for name in results["edges/nodes"][()]], NAMES)
            return [results[f"edges/{name}"][()]
                    for name in ("probability", "standard_error", "adjacent", "adjacent_standard_error")]

    def test_against_all_networks(self):
        apart = ~numpy.eye(NODES, dtype=bool)
        for name, search in self.SEARCHES.items():
            with self.subTest(name), runner.scratch_directory() as where:
                found, error, adjacent, adjacent_error = self.found(where, search)
                if record.is_first():
                    record.first(name, self.exact.tolist(), found.tolist(), error.tolist(), adjacent.tolist(),
                                 adjacent_error.tolist())
                    continue
                score = (found - self.exact)[apart] / error[apart]
                exact_adjacent = self.exact + self.exact.T
                adjacent_score = ((adjacent - exact_adjacent) / numpy.where(adjacent_error > 0, adjacent_error, 1))[apart]
                print(f"{name}: scores from {score.min():+.2f} to {score.max():+.2f}, largest error {error.max():.4f}")
                record.figure(f"{name}, largest score", abs(score).max(), 0, LIMIT)
                record.figure(f"{name}, largest score of adjacency", abs(adjacent_score).max(), 0, LIMIT)
                self.assertLess(abs(score).max(), LIMIT)
                self.assertLess(abs(adjacent_score).max(), LIMIT)
                numpy.testing.assert_allclose(adjacent, found + found.T, atol=1e-12)
                twins = {"over orders": probabilities(self.rows, over_orders=True),
                         "at another temperature": probabilities(self.rows, temperature=1.5)}
                for what, twin in twins.items():
                    largest = (abs(found - twin)[apart] / error[apart]).max()
                    record.figure(f"{name}, largest score {what}", largest, 0, 2 * LIMIT, outside=True)
                    self.assertGreater(largest, 2 * LIMIT)

    def test_files_and_summary(self):
        with runner.scratch_directory() as where:
            found, *_ = self.found(where, self.SEARCHES["pisaa at 1"])
            with open(where / "out" / "edges.csv", newline="", encoding="utf-8") as file:
                lines = list(csv.DictReader(file))
            self.assertEqual([float(line["probability"]) for line in lines],
                             sorted((float(f"{p:.6g}") for p in found[found > 0]), reverse=True))
            for line in lines:
                place = NAMES.index(line["parent"]), NAMES.index(line["child"])
                self.assertEqual(float(line["probability"]), float(f"{found[place]:.6g}"))
            summary = runner.summary(where / "out")["edges"]
            self.assertEqual([edge["probability"] for edge in summary["strongest"]], sorted(found[found > 0])[::-1])
            self.assertAlmostEqual(summary["expected_number"], found.sum())
            self.assertEqual(summary["probably_adjacent"], int(((found + found.T) > 0.5).sum()) // 2)


if __name__ == "__main__":
    unittest.main()
