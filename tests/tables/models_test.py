"""Models on users' tables beside the configuration, without a data directory, as docs/tables.md describes.

Estimates must lie within 4 standard errors of exact answers, a false alarm in 15 000 seeds if errors are normal; seeds are fixed.
"""

import math
import random
import unittest

import numpy
import pearlite_runner as runner
from scipy import integrate

SMC = {"name": "smc", "particles": 1024}


def write(path, header, rows):
    lines = [",".join(header)] + [",".join(str(value) for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path.name


class Case(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.draw = random.Random(1)

    def run_of(self, name, model, algorithm=SMC, **tables):
        file = runner.write_configuration(self.directory / f"{name}.toml", model=model, algorithm=algorithm, **tables)
        ended = runner.pearlite("run", file, "-o", self.directory / name, environment={"PEARLITE_DATA_DIR": ""})
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return runner.summary(self.directory / name)

    def names(self, summary):
        return [parameter["name"] for parameter in summary["posterior"]]


class Regressions(Case):
    def rows(self, n=60):
        """y, x, colour, count, hours."""
        rows = []
        for _ in range(n):
            x, colour, hours = self.draw.gauss(10, 4), self.draw.choice(["red", "green", "blue"]), self.draw.uniform(1, 5)
            mean = 0.4 * (x - 10) / 4 + (colour == "red")
            rows.append([round(mean + self.draw.gauss(0, 0.5), 3), round(x, 3), colour,
                         numpy.random.default_rng(len(rows)).poisson(hours * math.exp(mean)), round(hours, 2)])
        return rows

    def test_linear_regression_has_its_exact_evidence(self):
        data = write(self.directory / "own.csv", ["y", "x", "colour", "count", "hours"], self.rows())
        found = self.run_of("linear", {"name": "linear-regression", "data": data, "factors": ["colour"],
                                       "terms": ["x", "colour"], "standardise": True, "prior_variance": 10})
        estimate = found["log_evidence"][0]
        self.assertLess(abs(estimate["z_score"]), 4)
        self.assertLess(estimate["standard_error"], 0.2)
        self.assertEqual(self.names(found), ["intercept", "x", "colour[green]", "colour[red]", "log_precision"])

    def test_default_priors_follow_the_unit_of_the_response(self):
        """Catches a Bayes factor that depends on the unit, as with priors of fixed size."""
        rows = self.rows()
        exact = {}
        for unit in (0.01, 1, 100):
            data = write(self.directory / f"{unit}.csv", ["y", "x"], [[unit * (row[0] + 30), row[1]] for row in rows])
            for terms in (["x"], ["x", "x:x"]):
                found = self.run_of(f"{unit}-{len(terms)}", {"name": "linear-regression", "data": data, "response": "y",
                                                             "terms": terms, "standardise": True})
                exact[unit, len(terms)] = found["log_evidence"][0]["exact"]
                self.assertLess(abs(found["log_evidence"][0]["z_score"]), 4)
        for unit in (0.01, 100):
            self.assertAlmostEqual(exact[unit, 2] - exact[unit, 1], exact[1, 2] - exact[1, 1], places=6)
            self.assertAlmostEqual(exact[unit, 1], exact[1, 1] - len(rows) * math.log(unit), places=6)

    def test_a_default_prior_follows_the_unit_of_the_exposure(self):
        """The evidence of counts is the same if hours are minutes."""
        rows = self.rows()
        found = {}
        for unit in (1, 60):
            data = write(self.directory / f"{unit}.csv", ["count", "x", "hours"],
                         [[row[3], row[1], unit * row[4]] for row in rows])
            found[unit] = self.run_of(f"rate-{unit}", {"name": "poisson-regression", "data": data, "response": "count",
                                                       "exposure": "hours", "standardise": True})
        one, other = (found[unit]["log_evidence"][0] for unit in (1, 60))
        self.assertLess(abs(one["value"] - other["value"]), 4 * math.hypot(one["standard_error"], other["standard_error"]))
        shift = found[1]["posterior"][0]["mean"] - found[60]["posterior"][0]["mean"]
        self.assertLess(abs(shift - math.log(60)), 0.1)

    def test_evidences_with_priors_of_another_scale(self):
        """By the draws, against the exact ones of runs with these priors. Catches a scale that is a variance."""
        data = write(self.directory / "own.csv", ["y", "x"], [[row[0], row[1]] for row in self.rows()])
        model = {"name": "linear-regression", "data": data, "response": "y", "standardise": True, "prior_variance": 0.5}
        found = self.run_of("prior", model)
        exact = found["log_evidence"][0]["exact"]
        for change in found["prior_scale"]:
            other = self.run_of(f"prior-{change['scale']}", {**model, "prior_variance": 0.5 * change["scale"]**2})
            expected = other["log_evidence"][0]["exact"] - exact
            self.assertGreater(change["ess"], 100)
            self.assertLess(abs(change["log_ratio"] - expected), 4 / math.sqrt(change["ess"]))
            self.assertGreater(abs(expected), 8 / math.sqrt(change["ess"]))

    def test_a_square_is_the_column_that_one_would_write(self):
        rows = [[row[0], row[1]] for row in self.rows()]
        data = write(self.directory / "own.csv", ["y", "x"], rows)
        squares = write(self.directory / "squares.csv", ["y", "x", "xx"], [[y, x, x * x] for y, x in rows])
        by_term = self.run_of("term", {"name": "linear-regression", "data": data, "terms": ["x", "x:x"]})
        by_column = self.run_of("column", {"name": "linear-regression", "data": squares})
        self.assertEqual(self.names(by_term), ["intercept", "x", "x:x", "log_precision"])
        self.assertEqual(by_term["log_evidence"], by_column["log_evidence"])
        other = self.run_of("line", {"name": "linear-regression", "data": data})
        self.assertNotEqual(other["log_evidence"], by_term["log_evidence"])
        refused = runner.write_configuration(self.directory / "factor.toml",
                                             model={"name": "linear-regression", "data": data, "factors": ["x"],
                                                    "terms": ["x:x"]})
        ended = runner.pearlite("run", refused, "-o", self.directory / "factor")
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn('model.terms: element 1 is "x:x"', ended.err)

    def test_factors_are_the_columns_that_one_would_write(self):
        rows = self.rows()
        data = write(self.directory / "own.csv", ["y", "x", "colour"], [[int(r[0] > 0.4), *r[1:3]] for r in rows])
        dummies = write(self.directory / "dummies.csv", ["y", "x", "green", "red"],
                        [[int(r[0] > 0.4), r[1], int(r[2] == "green"), int(r[2] == "red")] for r in rows])
        with_factor = self.run_of("factor", {"name": "logistic-regression", "data": data, "factors": ["colour"]})
        with_columns = self.run_of("columns", {"name": "logistic-regression", "data": dummies})
        self.assertEqual(with_factor["log_evidence"], with_columns["log_evidence"])
        self.assertEqual([p["mean"] for p in with_factor["posterior"]], [p["mean"] for p in with_columns["posterior"]])
        other = self.run_of("product", {"name": "logistic-regression", "data": data, "factors": ["colour"],
                                        "terms": ["x", "colour", "x:colour"]})
        self.assertEqual(self.names(other)[-2:], ["x:colour[green]", "x:colour[red]"])
        self.assertNotEqual(other["log_evidence"], with_factor["log_evidence"])

    def test_poisson_regression_by_quadrature(self):
        rows = self.rows()
        data = write(self.directory / "own.csv", ["y", "x", "colour", "count", "hours"], rows)
        found = self.run_of("poisson", {"name": "poisson-regression", "data": data, "response": "count",
                                        "exposure": "hours", "terms": ["x"], "standardise": True, "intercept": False,
                                        "prior_variance": 4})
        x, y, hours = (numpy.array([row[k] for row in rows], float) for k in (1, 3, 4))
        x = (x - x.mean()) / x.std(ddof=1)
        constant = (y * numpy.log(hours)).sum() - sum(math.lgamma(count + 1) for count in y)

        def log_density(b):
            return constant + (y * x).sum() * b - (hours * numpy.exp(x * b)).sum() - b**2 / 8 - 0.5 * math.log(8 * math.pi)
        shift = max(log_density(b) for b in numpy.linspace(-2, 2, 401))
        exact = shift + math.log(integrate.quad(lambda b: math.exp(log_density(b) - shift), -3, 3, points=[0.3])[0])
        estimate = found["log_evidence"][0]
        self.assertLess(abs(estimate["value"] - exact), 4 * estimate["standard_error"])
        self.assertGreater(abs(estimate["value"] - exact - 1), 4 * estimate["standard_error"])
        self.assertEqual(self.names(found), ["x"])

    def test_rows_that_lack_a_value_are_left_out_if_one_says_so(self):
        rows = [[r[0], r[1]] for r in self.rows(30)]
        whole = write(self.directory / "whole.csv", ["y", "x"], rows)
        holes = write(self.directory / "holes.csv", ["y", "x", "unused"],
                      [[*rows[0], ""], ["NA", 3, 1], *[[*r, ""] for r in rows[1:]], [2, "", 1]])
        model = {"name": "linear-regression", "terms": ["x"]}
        self.assertEqual(self.run_of("whole", {**model, "data": whole})["digest"],
                         self.run_of("holes", {**model, "data": holes, "missing": "drop"})["digest"])

    def test_a_run_resumes_without_the_directory_in_which_it_began(self):
        data = write(self.directory / "own.csv", ["y", "x"], [[r[0], r[1]] for r in self.rows(30)])
        file = runner.write_configuration(self.directory / "stopped.toml", algorithm=SMC,
                                          model={"name": "linear-regression", "data": data})
        where = self.directory / "elsewhere" / "run"
        where.parent.mkdir()
        environment = {"PEARLITE_DATA_DIR": ""}
        ended = runner.pearlite("run", file, "-o", where, "--step-limit", 2, environment=environment)
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        ended = runner.pearlite("resume", where, environment=environment, directory="/")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        whole = self.run_of("again", {"name": "linear-regression", "data": data})
        self.assertEqual(runner.summary(where)["digest"], whole["digest"])


class Others(Case):
    def test_words_are_classes_subjects_and_levels(self):
        points = [[self.draw.gauss(i % 2, 0.7), self.draw.gauss(0, 1), ["no", "yes"][i % 2], f"s{i % 7}", i % 2]
                  for i in range(42)]
        data = write(self.directory / "own.csv", ["u", "v", "class", "who", "y"], points)
        found = self.run_of("gp", {"name": "gp-classification", "data": data, "label": "class", "inputs": ["u", "v"]})
        self.assertLess(found["log_evidence"][0]["value"], 0)
        found = self.run_of("mixed", {"name": "mixed-logistic", "study": "table", "data": data, "subject": "who",
                                      "response": "y", "factors": [], "terms": ["u"], "samples": 32},
                            {"name": "smc", "particles": 64})
        self.assertIn("u", self.names(found))
        weather = [[self.draw.choice(["dry", "wet"]), self.draw.choice(["low", "middle", "high"]), i % 2] for i in range(40)]
        data = write(self.directory / "words.csv", ["sky", "level", "bit"], weather)
        search = {"name": "pisaa", "iterations": 200}
        words = self.run_of("words", {"name": "bayesian-network", "data": data, "header": True}, search)
        codes = {"dry": 0, "wet": 1, "high": 0, "low": 1, "middle": 2}
        data = write(self.directory / "codes.csv", ["sky", "level", "bit"],
                     [[codes.get(value, value) for value in row] for row in weather])
        self.assertEqual(words["digest"],
                         self.run_of("codes", {"name": "bayesian-network", "data": data, "header": True}, search)["digest"])

    def test_prices_are_returns(self):
        price, rows = 100.0, []
        for day in range(1, 29):
            price *= math.exp(self.draw.gauss(0, 0.02))
            rows.append([f"2024-02-{day:02}", repr(price)])
        prices = write(self.directory / "prices.csv", ["date", "close"], rows)
        logs = numpy.log([float(row[1]) for row in rows])
        returns = write(self.directory / "returns.csv", ["r"], [[repr(100 * (b - a))] for a, b in zip(logs, logs[1:])])
        model = {"name": "stochastic-volatility", "particles": 64}
        smc = {"name": "smc", "particles": 64}
        found = self.run_of("prices", {**model, "data": prices, "column": "close", "dates": "date", "values": "prices"}, smc)
        self.assertEqual(len(found["posterior"]), 3)
        other = self.run_of("returns", {**model, "data": returns, "column": "r"}, smc)
        self.assertAlmostEqual(found["log_evidence"][0]["value"], other["log_evidence"][0]["value"], places=4)

    def test_mixture_of_a_column(self):
        data = write(self.directory / "own.csv", ["name", "size"],
                     [[f"n{i}", round(self.draw.gauss(10 + 10 * (i % 2), 1), 3)] for i in range(30)])
        found = self.run_of("mixture", {"name": "gaussian-mixture", "data": data, "column": "size", "unit": 1,
                                        "components": 2}, {"name": "smc", "particles": 64})
        self.assertIn("log_evidence", found)


if __name__ == "__main__":
    unittest.main()
