"""Tables as other programs write them: the right columns and rows are read, and said, or the file is refused in words.

Fails where a number of rows becomes the response, a file of another form is read as something else, a column is chosen among several in
silence, or a missing observation closes the gap in time.
"""

import math
import random
import unittest

import pearlite_runner as runner

ROWS = [f"{y:.3f},{x:.3f},{z:.3f}" for y, x, z in ((math.sin(3 * i) + 0.2 * i, math.cos(i), math.sin(i * i)) for i in range(20))]
PLAIN = "y,x,z\n" + "\n".join(ROWS) + "\n"
LINEAR = {"name": "linear-regression", "data": "own.csv"}
SMC = {"name": "smc", "particles": 64}


def numbered(names, first, rows=ROWS, name=str):
    """Rows under `names`, with a column in front: `first`, `first` + 1, ..., as `name` writes them."""
    return names + "\n" + "\n".join(f"{name(first + i)},{row}" for i, row in enumerate(rows)) + "\n"


# file, its contents, words on the screen; all have the numbers of PLAIN
SAME = [
    ("row_names.csv", numbered('"","y","x","z"', 1, name='"{}"'.format), ["column 1 ('') numbers the rows: left out"]),
    ("index.csv", numbered(",y,x,z", 0), ["column 1 ('') numbers the rows: left out"]),
    ("names.csv", numbered('"","y","x","z"', 1, name='"Mazda {}"'.format), ["column 1 ('') has no name", "left out"]),
    ("twice.csv", numbered(",Unnamed: 0,y,x,z", 0, [f"{i},{row}" for i, row in enumerate(ROWS)]),
     ["column 1 ('') numbers the rows", "column 2 ('Unnamed: 0') numbers the rows"]),
    ("rownames.csv", numbered("rownames,y,x,z", 1), ["column 1 ('rownames') numbers the rows: left out"]),
    ("X.csv", numbered("X,y,x,z", 1), ["column 1 ('X') numbers the rows: left out"]),
    ("id.csv", numbered("id,y,x,z", 0), ["column 1 ('id') numbers the rows: left out"]),
    ("no_header_of_rows.csv", numbered('"y","x","z"', 1, name='"{}"'.format), ["column 1 ('') numbers the rows: left out"]),
    ("commas.csv", PLAIN.replace(",", ";").replace(".", ","), ["commas in numbers are decimal points"]),
    ("tabs.tsv", PLAIN.replace(",", "\t"), []),
    ("tabs.txt", PLAIN.replace(",", "\t"), []),
    ("remarks.csv", "# 20 rows, of a program\n#\n" + PLAIN, []),
    ("mac.csv", PLAIN.replace("\n", "\r"), []),
    ("mark.csv", "\ufeff" + PLAIN.replace("\n", "\r\n"), []),
    ("notes.csv", "y,x,z,\n" + "\n".join(row + ',"a ""note"",\nof two lines"' for row in ROWS) + "\n",
     ["column 4 ('') has no name: left out"]),
]

# contents, more keys of the model, words of the refusal
REFUSED = [
    ("crop,nitrogen\n1,2\n3,4\n5,7\n", {}, ["model.response", "could be (crop, nitrogen)", 'response = "crop"']),
    ("a,y,target\n1,2,3\n3,4,5\n5,7,1\n", {}, ["model.response", "(a, y, target)"]),
    (",height,age\n1,2,3\n2,4,5\n3,7,1\n", {}, ["model.response", "(height, age)"]),
    ("a,b\n1,2\n3,4\n5,7\n", {"name": "poisson-regression"}, ["model.response", "(a, b)"]),
    ("kind,u,v\n0,1,2\n1,4,5\n", {"name": "gp-classification"}, ["model.label", "(kind, u, v)"]),
    ("subject,improved,week\n1,0,1\n1,1,2\n2,0,3\n", {"name": "mixed-logistic", "study": "table"},
     ["model.response", "(improved, week)"]),
    ("y,größe\n1,2\n".encode("latin-1"), {}, ["own.csv:1: column 2", "0xF6", "Latin-1", "iconv -f LATIN1 -t UTF-8"]),
    ("y,x\n1,2\n2,gr\u00fcn\n".encode("cp1252"), {}, ["own.csv:3: column 2", "0xFC"]),
    (PLAIN.encode("utf-16"), {}, ["own.csv:1", "UTF-16", "iconv -f UTF-16"]),
    (b"PK\x03\x04\x14\x00", {}, ["own.csv: is an Excel workbook"]),
    (b"<html><body><table>", {}, ["own.csv: is a web page"]),
]


class Case(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def write(self, name, content):
        (self.directory / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def ended(self, command, name, model, *arguments, **tables):
        file = runner.write_configuration(self.directory / f"{name}.toml", model=model, **tables)
        return runner.pearlite(command, file, *arguments, environment={"PEARLITE_DATA_DIR": ""})

    def summary_of(self, name, model, **tables):
        ended = self.ended("run", name, model, "-o", self.directory / name, **{"algorithm": SMC, **tables})
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return runner.summary(self.directory / name), ended


class Columns(Case):
    def test_the_same_numbers_are_the_same_data(self):
        self.write("own.csv", PLAIN)
        expected = self.summary_of("plain", LINEAR)[0]["digest"]
        for name, content, words in SAME:
            with self.subTest(name):
                self.write(name, content)
                found, ended = self.summary_of(name.replace(".", "-"), {**LINEAR, "data": name})
                self.assertEqual(found["digest"], expected)
                for word in [*words, "model.response: the column 'y'"]:
                    self.assertIn(word, ended.out + ended.err)

    def test_others_are_refused_in_words(self):
        for number, (content, keys, words) in enumerate(REFUSED):
            with self.subTest(words):
                self.write("own.csv", content)
                ended = self.ended("check", f"refused-{number}", {**LINEAR, **keys}, "--probe", 0)
                self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                for word in words:
                    self.assertIn(word, ended.err)

    def test_the_only_column_left_is_the_response(self):
        self.write("own.csv", "crop,nitrogen\n" + "\n".join(row.rsplit(",", 1)[0] for row in ROWS) + "\n")
        found, ended = self.summary_of("left", {**LINEAR, "terms": ["nitrogen"]})
        self.assertIn("model.response: the column 'crop' of", ended.out + ended.err)
        named, _ = self.summary_of("named", {**LINEAR, "response": "crop"})
        self.assertEqual(found["digest"], named["digest"])


def kalman(observations, mean, persistence, state_sd, noise_sd):
    """The log density of the observations that are there; None stands for one that is missing."""
    centre, variance, total = mean, state_sd**2 / (1 - persistence**2), 0.0
    for y in observations:
        if y is not None:
            spread = variance + noise_sd**2
            total -= 0.5 * (math.log(2 * math.pi * spread) + (y - centre)**2 / spread)
            centre, variance = centre + variance / spread * (y - centre), variance * noise_sd**2 / spread
        centre, variance = mean + persistence * (centre - mean), persistence**2 * variance + state_sd**2
    return total


class Gaps(Case):
    PARAMETERS = {"mean": 0.2, "persistence": 0.9, "state_sd": 0.5, "noise_sd": 0.7}

    def setUp(self):
        super().setUp()
        draw, state, self.series = random.Random(5), 0.0, []
        for i in range(60):
            state = 0.9 * state + draw.gauss(0, 0.5)
            self.series.append(None if i % 3 == 2 or i in (0, 30, 31) else round(state + draw.gauss(0, 0.7), 4))
        self.write("gaps.csv", "t,y\n" + "\n".join(f"{i},{'NA' if y is None else y}" for i, y in enumerate(self.series)) + "\n")
        self.write("closed.csv", "y\n" + "\n".join(str(y) for y in self.series if y is not None) + "\n")

    def test_evidence_is_that_of_a_filter_that_steps_over_gaps(self):
        exact = kalman(self.series, **self.PARAMETERS)
        self.assertGreater(abs(exact - kalman([y for y in self.series if y is not None], **self.PARAMETERS)), 0.3)
        model = {"name": "linear-gaussian", "data": "gaps.csv", "missing": "drop", "particles": 64}
        for kind in ("bootstrap", "adapted"):
            with self.subTest(kind):
                found, ended = self.summary_of(kind, {**model, "filter": kind}, growth=self.PARAMETERS,
                                               algorithm={"name": "resample-move", "particles": 1024})
                estimate = found["log_evidence"][0]
                self.assertAlmostEqual(estimate["exact"], exact, places=6)
                self.assertLess(abs(estimate["value"] - exact), 4 * estimate["standard_error"])
                self.assertIn("23 of 60 values of 'y' are missing (lines 2, 4,", ended.out + ended.err)

    def test_gaps_are_not_closed_in_any_model_of_series(self):
        for name in ("linear-gaussian", "stochastic-volatility"):
            model = {"name": name, "missing": "drop", "particles": 64}
            digests = {self.summary_of(f"{name}-{data}", {**model, "data": f"{data}.csv"})[0]["digest"] for data in ("gaps", "closed")}
            self.assertEqual(len(digests), 2)

    def test_a_missing_value_is_refused_unless_one_says_so(self):
        ended = self.ended("check", "refused", {"name": "linear-gaussian", "data": "gaps.csv"}, "--probe", 0)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("gaps.csv:2: column 2 ('y'): got \"NA\", expected a finite number", ended.err)
        self.write("gaps.csv", "y\nNA\nNA\n")
        ended = self.ended("check", "none", {"name": "linear-gaussian", "data": "gaps.csv", "missing": "drop"}, "--probe", 0)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("a value is missing in every row", ended.err)

    def test_a_missing_price_makes_two_returns_missing(self):
        prices = ["100", "101", "NA", "103", "102", "104"]
        logs = [None if price == "NA" else math.log(float(price)) for price in prices]
        returns = ["NA" if a is None or b is None else repr(100 * (b - a)) for a, b in zip(logs, logs[1:])]
        self.write("prices.csv", "close\n" + "\n".join(prices) + "\n")
        self.write("returns.csv", "close\n" + "\n".join(returns) + "\n")
        model = {"name": "stochastic-volatility", "missing": "drop", "column": "close", "particles": 64}
        values = [self.summary_of(f"of-{data}", {**model, "data": f"{data}.csv", **more})[0]["log_evidence"][0]["value"]
                  for data, more in (("prices", {"values": "prices"}), ("returns", {}))]
        self.assertAlmostEqual(*values, places=4)


if __name__ == "__main__":
    unittest.main()
