"""`pearlite compare`: the Bayes factor of two regressions with exact evidences, its refusals and its warnings."""

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
        factor, error = map(float, re.search(r"(\d+\.\d+) \+- (\d+\.\d+) +\d+\.\d+ +\S+  supported\n(?:Bayes)", text).groups())
        self.assertAlmostEqual(factor, abs(a["value"] - b["value"]), places=3)
        self.assertAlmostEqual(error**2, a["standard_error"]**2 + b["standard_error"]**2, places=3)
        self.assertLess(abs(factor - abs(a["exact"] - b["exact"])), 4 * error)
        best = "a" if a["value"] > b["value"] else "b"
        self.assertRegex(text.splitlines()[1], f"^{self.directory / best} ")
        self.assertNotIn("warning", text)

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
