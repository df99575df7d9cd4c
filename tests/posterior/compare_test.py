"""`pearlite compare`: the Bayes factor of two regressions with exact evidences, its refusals and its warnings. Catches
Bayes factors of other rows, other values, another unit or another temperature."""

import hashlib
import math
import re
import unittest

import pearlite_runner as runner


class Compare(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(runner.scratch_directory())
        rows = [f"{3000 + 200 * (i % 7) - 150 * (i % 3)},{20 + i % 7},{20 + 1.1 * (i % 7) - (i % 3)}" for i in range(30)]
        (self.directory / "own.csv").write_text("y,a,b\n" + "\n".join(rows) + "\n", encoding="utf-8")

    def run_of(self, name, term, **algorithm):
        model = {"name": "linear-regression", "data": "own.csv", "terms": [term], "standardise": True, "precision_rate": 1e5}
        file = runner.write_configuration(self.directory / f"{name}.toml", model=model,
                                          algorithm={"name": "smc", "particles": 1024, **algorithm})
        ended = runner.pearlite("run", file, "-o", self.directory / name)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return runner.summary(self.directory / name)["log_evidence"][0]

    def compared(self, *names, status=runner.FINISHED):
        ended = runner.pearlite("compare", *(self.directory / name for name in names))
        self.assertEqual(ended.status, status, ended.describe())
        return ended.out if status == runner.FINISHED else ended.err

    def test_two_models(self):
        a, b = self.run_of("a", "a"), self.run_of("b", "b")
        text = self.compared("a", "b")
        factor, error = map(float, re.search(r"(\d+\.\d+) \+- (\d+\.\d+) +\d+\.\d+ +\S+ \+- \S+  supported\n(?:Bayes)", text).groups())
        self.assertAlmostEqual(factor, abs(a["value"] - b["value"]), places=3)
        self.assertAlmostEqual(error**2, a["standard_error"]**2 + b["standard_error"]**2, places=3)
        self.assertLess(abs(factor - abs(a["exact"] - b["exact"])), 4 * error)
        probability, its_error = map(float, re.search(r"(\S+) \+- (\S+)  supported\nBayes", text).groups())
        self.assertAlmostEqual(probability, 1 / (1 + math.exp(factor)), places=3)
        self.assertAlmostEqual(its_error, probability * (1 - probability) * error, places=3)
        best = "a" if a["value"] > b["value"] else "b"
        self.assertRegex(text.splitlines()[1], f"^{self.directory / best} ")
        self.assertNotIn("warning", text)

    def table(self, name, rows, header="y,a,b"):
        (self.directory / name).write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n",
                                           encoding="utf-8")

    def regression(self, name, data, *terms, model=None, **tables):
        """A run of a linear regression; returns its configuration."""
        tables = {"model": {"name": "linear-regression", "data": data, "response": "y", "terms": list(terms), "missing": "drop",
                            **(model or {})}, "algorithm": {"name": "smc", "particles": 512}, **tables}
        file = runner.write_configuration(self.directory / f"{name}.toml", **tables)
        ended = runner.pearlite("run", file, "-o", self.directory / name)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return file, ended.out

    def rows(self, y=lambda i: (7 * i) % 5 + 0.3 * i, a=lambda i: i % 7):
        return [(y(i), a(i), i % 3) for i in range(30)]

    def test_other_observations(self):
        self.table("all.csv", self.rows())
        self.table("gaps.csv", self.rows(a=lambda i: "NA" if i in (4, 5, 6, 20) else i % 7))
        self.table("cents.csv", self.rows(y=lambda i: 100 * ((7 * i) % 5 + 0.3 * i)))
        self.table("others.csv", self.rows(y=lambda i: i % 4))
        first, out = self.regression("gaps-a", "gaps.csv", "a")
        self.assertIn("data: y, 26 value(s) of the table; ", out)
        digest = hashlib.sha256((self.directory / "gaps.csv").read_bytes()).hexdigest()
        self.assertIn(f"file: {self.directory / 'gaps.csv'} (model.data), SHA-256 {digest[:16]}", out)
        self.assertIn("design: intercept, a\n", out)
        self.assertIn("4 row(s) left out, which lack a value of a (4): 5-7, 21\n", out)
        second, _ = self.regression("gaps-b", "gaps.csv", "b")
        self.regression("all", "all.csv", "a")
        self.regression("cents", "cents.csv", "a")
        self.regression("others", "others.csv", "b")
        refused = self.compared("gaps-a", "gaps-b", status=runner.BAD_INPUT)
        for words in ("another number of rows", "26 value(s) of y", "30 value(s) of y", "without row(s) 5-7, 21, which lack a"):
            self.assertIn(words, refused)
        self.assertIn("100 times those of the first, in another unit", self.compared("all", "cents", status=runner.BAD_INPUT))
        self.assertIn("their values differ", self.compared("all", "others", status=runner.BAD_INPUT))
        with self.subTest("on common rows"):
            where = self.directory / "common"
            ended = runner.pearlite("compare", first, second, "-o", where)
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
            self.assertIn("26 value(s) of y", ended.out)
            self.table("complete.csv", [row for row in self.rows(a=lambda i: "NA" if i in (4, 5, 6, 20) else i % 7) if row[1] != "NA"])
            for name, term in (("gaps-a", "a"), ("gaps-b", "b")):
                self.regression(f"whole-{term}", "complete.csv", term)
                self.assertEqual(runner.summary(where / name)["log_evidence"],
                                 runner.summary(self.directory / f"whole-{term}")["log_evidence"])
        with self.subTest("the same rows of another file"):
            self.assertNotIn("warning", self.compared("gaps-a", "whole-a").replace("warning: the first two", ""))

    def test_other_rows_with_the_same_values(self):
        """Binary responses are often alike."""
        self.table("binary.csv", [(0, "NA" if i == 3 else i, "NA" if i == 4 else i % 3) for i in range(12)])
        for name in ("a", "b"):
            self.regression(name, "binary.csv", name, model={"precision_rate": 1})
        self.assertIn("other rows with the same values", self.compared("a", "b", status=runner.BAD_INPUT))

    def test_other_rows_of_a_classification(self):
        self.table("classes.csv", [(i % 2, i % 7, "NA" if i == 5 else i % 3) for i in range(16)])
        for name in ("a", "b"):
            file = runner.write_configuration(
                self.directory / f"{name}.toml", model={"name": "gp-classification", "data": "classes.csv", "label": "y",
                                                        "inputs": [name], "missing": "drop"},
                algorithm={"name": "smc", "particles": 64})
            ended = runner.pearlite("run", file, "-o", self.directory / name)
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertIn("data: y, 15 value(s) of", ended.out)
        self.assertIn("another number of rows", self.compared("a", "b", status=runner.BAD_INPUT))

    def test_a_tempered_integral(self):
        self.table("all.csv", self.rows())
        _, out = self.regression("half", "all.csv", "a", path={"inverse_temperature_end": 0.5})
        self.assertIn("log integral at inverse temperature 0.5: ", out)
        self.regression("whole", "all.csv", "a")
        self.assertIn("expected evidences of whole likelihoods", self.compared("half", "whole", status=runner.BAD_INPUT))

    def test_a_run_that_does_not_say_what_it_observed(self):
        self.table("all.csv", self.rows())
        self.regression("known", "all.csv", "a")
        (self.directory / "foreign").mkdir()
        (self.directory / "foreign" / "summary.json").write_text(
            '{"status": "finished", "headline": {"label": "log evidence", "value": -50, "support": {"word": "supported"}}}',
            encoding="utf-8")
        self.assertIn("does not say what it observed", self.compared("known", "foreign"))

    def test_what_it_warns_of_and_refuses(self):
        self.run_of("a", "a")
        self.run_of("again", "a", particles=512)
        self.assertIn("differ by less than two standard errors", self.compared("a", "again"))
        self.assertIn("one run only", self.compared("a", status=runner.BAD_INPUT))
        self.assertIn("no readable summary.json", self.compared("a", "none", status=runner.BAD_INPUT))
        for text in ("", "[]", "{}", '{"status": "finished"}', '{"status": "stopped"}',
                     '{"status": "finished", "headline": {"label": "lowest energy", "value": 1}}',
                     '{"status": "finished", "headline": {"label": "log evidence"}}'):
            (self.directory / "odd").mkdir(exist_ok=True)
            (self.directory / "odd" / "summary.json").write_text(text, encoding="utf-8")
            self.assertIn("expected the directory of a finished run", self.compared("a", "odd", status=runner.BAD_INPUT))


if __name__ == "__main__":
    unittest.main()
