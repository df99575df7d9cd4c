"""Malformed tables: each is refused with status 2, and the message names file, line and column, and what was expected."""

import unittest

import pearlite_runner as runner

GOOD = "y,x,colour\n0,1.5,red\n1,2.5,green\n0,3.5,red\n1,0.5,green\n"
LOGISTIC = {"name": "logistic-regression", "factors": ["colour"]}
LINEAR = {"name": "linear-regression", "factors": ["colour"]}
COUNTS = {"name": "poisson-regression", "factors": ["colour"], "terms": ["colour"], "exposure": "x"}
RETURNS = {"name": "stochastic-volatility", "column": "y", "dates": "day"}
PRICES = {**RETURNS, "values": "prices"}
MIXED = {"name": "mixed-logistic", "study": "table", "subject": "who"}

# model, table, parts of the message
CASES = [
    (LOGISTIC, GOOD.replace("2.5", "2,5"), ["own.csv:3", "wrong number of columns (got 4), expected 3"]),
    (LOGISTIC, GOOD.replace("2.5", ""), ["own.csv:3", "column 2 ('x'): got \"\"", "model.missing"]),
    (LOGISTIC, GOOD.replace("2.5", "NA"), ["own.csv:3", "column 2 ('x'): got \"NA\""]),
    (LOGISTIC, GOOD.replace("2.5", "2.5e999"), ["own.csv:3", "column 2 ('x')"]),
    (LOGISTIC, GOOD.replace("\n1,2.5", "\n2,2.5"), ["own.csv:3", "column 1 ('y'): got \"2\", expected 0 or 1"]),
    (LOGISTIC, GOOD.replace("\n1,2.5", "\nyes,2.5"), ["own.csv:3", "column 1 ('y'): got \"yes\", expected 0 or 1"]),
    ({**LOGISTIC, "factors": []}, GOOD, ["own.csv:2", "column 3 ('colour'): got \"red\"", "model.factors"]),
    (LOGISTIC, GOOD.replace("green", "red"), ["column 'colour': 1 different level(s), expected 2 to 1000"]),
    (LOGISTIC, GOOD.replace("1,2.5,green", "1,2.5,\"green"), ["own.csv:3", "column 3: a quote is not closed"]),
    (LOGISTIC, GOOD.replace("\n1,2.5", "\n\n1,2.5"), ["own.csv:3", "blank line"]),
    (LOGISTIC, "y,x,x\n0,1,2\n1,2,3\n", ["own.csv:1", "column 3: the name 'x' stands twice"]),
    (LOGISTIC, "0,1\n1,2\n", ["own.csv:1", "numbers only"]),
    (LOGISTIC, "", ["own.csv: the file is empty"]),
    (LOGISTIC, "y,x,colour\n", ["own.csv: no rows"]),
    ({**LINEAR, "standardise": True}, "y,x,colour\n0,1,a\n1,1,b\n", ["column 'x' has one value only"]),
    (LINEAR, GOOD.replace("\n1,2.5", "\ninf,2.5"), ["own.csv:3", "column 1 ('y'): got \"inf\", expected a finite number"]),
    ({**LINEAR, "missing": "drop"}, "y,x,colour\n0,NA,a\nNA,1,b\n", ["a value is missing in every row"]),
    (COUNTS, GOOD.replace("\n1,2.5", "\n-1,2.5"), ["own.csv:3", "column 1 ('y'): got \"-1\", expected a whole number"]),
    (COUNTS, GOOD.replace("\n1,2.5", "\n1.5,2.5"), ["own.csv:3", "column 1 ('y'): got \"1.5\", expected a whole number"]),
    (COUNTS, GOOD.replace("2.5", "0"), ["own.csv:3", "column 2 ('x'): got \"0\", expected a number above 0"]),
    ({**COUNTS, "exposure": "hours"}, GOOD, ["there is no column 'hours', the columns are y, x, colour"]),
    (RETURNS, "day,y\n2024-02-30,1\n", ["own.csv:2", "column 1 ('day'): got \"2024-02-30\", expected a date, YYYY-MM-DD"]),
    (RETURNS, "day,y\n2024-03-01,1\n2024-02-01,2\n", ["own.csv:3", "column 1 ('day')", "later than that of the row before"]),
    (PRICES, "day,y\n2024-03-01,1\n2024-03-02,0\n", ["own.csv:3", "column 2 ('y'): got \"0\", expected a price above 0"]),
    (MIXED, "who,y,x\na,0,1\na,3,2\n", ["own.csv:3", "column 2 ('y'): got \"3\", expected 0 or 1"]),
    ({**MIXED, "terms": ["x"]}, "who,y,x\na,0,1\na,1\n", ["own.csv:3", "wrong number of columns (got 2)"]),
    (MIXED, "who,y,x\na,0,1\na,1,two\n", ["own.csv:3", "column 3 ('x'): got \"two\""]),
    ({"name": "gp-classification", "label": "colour"}, GOOD.replace("2.5", "x"), ["own.csv:3", "column 2 ('x')"]),
    ({"name": "gp-classification", "label": "colour"}, GOOD.replace("3.5,red", "3.5,blue"), ["3 classes, expected two"]),
    ({"name": "gaussian-mixture", "column": "x"}, GOOD.replace("2.5", "?"), ["own.csv:3", "column 2 ('x'): got \"?\""]),
    ({"name": "bayesian-network", "header": True}, GOOD, ["row 1, column 2", "expected a whole number"]),
]


class Malformed(unittest.TestCase):
    def checked(self, directory, number, model, table):
        where = directory / str(number)
        where.mkdir()
        (where / "own.csv").write_text(table, encoding="utf-8")
        file = runner.write_configuration(where / "own.toml", model={**model, "data": "own.csv"})
        return runner.pearlite("check", file, "--probe", 0, environment={"PEARLITE_DATA_DIR": ""})

    def test_each_is_named(self):
        with runner.scratch_directory() as directory:
            found = runner.side_by_side(lambda number, case: self.checked(directory, number, *case[:2]),
                                        list(enumerate(CASES)), workers=2)
        for (model, table, words), ended in zip(CASES, found):
            with self.subTest(f"{model['name']}: {table!r}"):
                self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                for word in words:
                    self.assertIn(word, ended.err)
                self.assertNotIn("unknown key", ended.err)
        self.assertGreaterEqual(len(CASES), 20)

    def test_the_good_one_is_accepted(self):
        with runner.scratch_directory() as directory:
            for number, model in enumerate((LOGISTIC, LINEAR, COUNTS)):
                ended = self.checked(directory, number, model, GOOD)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())


if __name__ == "__main__":
    unittest.main()
