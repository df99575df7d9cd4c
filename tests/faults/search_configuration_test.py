"""Configurations of searches with mistakes, and files that are not data, as in configuration_test.py."""

import re
import unittest

import matplotlib.image
import pearlite_runner as runner
from configuration_test import Base

GOOD = """\
[run]
seed = 1
[model]
name = "test-function"
dimension = 5
[schedule]
temperature_end = 0.01
[kernel]
scale = 0.1
[algorithm]
name = "pisaa"
chains = 4
iterations = 300
regions = 20
energy_low = 0.5
energy_high = 60.0
"""
IMAGE = """\
[model]
name = "image-restoration"
image = "HERE/good.pbm"
[algorithm]
name = "pisaa"
chains = 3
iterations = 300
[kernel]
operations = ["pixel"]
"""
NETWORK = """\
[model]
name = "bayesian-network"
data = "HERE/good.csv"
[algorithm]
name = "pisaa"
chains = 3
iterations = 300
"""
MODES = """\
[model]
name = "mode-mixture"
modes = "HERE/modes.csv"
[algorithm]
name = "pisaa"
iterations = 300
"""
PROTEIN = """\
[model]
name = "ab-protein"
length = 8
[algorithm]
name = "aesamc"
iterations = 300
"""

FILES = {
    "good.pbm": b"P1\n3 2\n0 1 1\n1 0 0\n", "grey.pgm": b"P2\n3 2\n255\n0 128 255\n255 0 7\n", "short.pbm": b"P1\n6 5\n0 1 0\n",
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(100), "picture.gif": b"GIF89a" + bytes(100), "empty.pbm": b"", "three.txt": b"2 3\n0 1 2\n0 0 1\n", "words.txt": b"hello\n",
    "narrow.pbm": b"P1\n0 5\n", "good.csv": b"0,1,0\n1,1,0\n1,0,2\n", "blank.csv": b"0,1,0\n1,,0\n1,0,2\n",
    "unknown.csv": b"0,1,0\n1,?,0\n", "ragged.csv": b"0,1,0\n1,1\n", "fraction.csv": b"0,1,0\n1,0.5,0\n",
    "negative.csv": b"0,1,0\n1,-1,0\n", "large.csv": b"0,1,0\n1,256,0\n", "empty.csv": b"", "header.csv": b"a,b,c\n0,1,0\n",
    "two.csv": b"0,1\n1,1\n", "modes.csv": b"mu1,mu2\n0,1\n", "other-modes.csv": b"a,b\n0,1\n",
}

# good text, {name: (text replaced in it, its replacement, what stderr must contain)}.
CASES = [
    (GOOD, {
        "regions that fall": ("energy_low = 0.5", "energy_low = 70.0", [r"bad\.toml:16: algorithm\.energy_high", "increase"]),
        "regions without height": ("energy_high = 60.0", "energy_high = 0.5", [r":16: algorithm\.energy_high", "increase"]),
        "one end of the regions": ("energy_high = 60.0\n", "", [r"algorithm\.energy_high", "missing", "a finite number"]),
        "infinite regions": ("energy_low = 0.5", "energy_low = -inf", [r":15: algorithm\.energy_low", "a finite number"]),
        "regions of no number": ("energy_high = 60.0", "energy_high = nan", [r":16: algorithm\.energy_high", "not a number"]),
        "no regions": ("regions = 20", "regions = 0", [r":14: algorithm\.regions", "got 0"]),
        "range of known regions": ("chains = 4", "range_iterations = 50", [r":12: unknown key .algorithm\.range_iterations"]),
        "no chains": ("chains = 4", "chains = 0", [r":12: algorithm\.chains", "got 0"]),
        "particles": ("chains = 4", "particles = 4", [r":12: unknown key .algorithm\.particles", "chains"]),
        "no iterations": ("iterations = 300", "iterations = 0", [r":13: algorithm\.iterations", "got 0"]),
        "iterations beyond what is addressed": ("iterations = 300", "iterations = 5000000000", [r":13: algorithm\.iterations"]),
        "negative lambda": ("chains = 4", "lambda = -1.0", [r":12: algorithm\.lambda", "got -1"]),
        "gain that falls too slowly": ("chains = 4", "gain_power = 0.5", [r":12: algorithm\.gain_power", r"\(0\.5, 1\]"]),
        "gain that never begins": ("chains = 4", "gain_start = 0", [r":12: algorithm\.gain_start", "got 0"]),
        "cold selection": ("chains = 4", "selection_temperature = 0.0", [r":12: algorithm\.selection_temperature", r"\(0, inf\)"]),
        "no collectives": ("chains = 4", "sync_every = 0", [r":12: algorithm\.sync_every", "got 0"]),
        "no replicates": ("chains = 4", "replicates = 0", [r":12: algorithm\.replicates", "got 0"]),
        "unknown crossover": ("chains = 4", 'crossover = "pair"', [r":12: algorithm\.crossover", '"population", "single"']),
        "unknown member": ('"pisaa"', '"pisa"', [r":11: algorithm\.name", 'did you mean "pisaa"']),
        "an algorithm for densities": ('"pisaa"', '"smc"', [r":11: algorithm\.name", "energy to be searched", '"pisaa"']),
        "a ladder of inverse temperatures": ("temperature_end = 0.01", 'kind = "linear"', [r":7: schedule\.kind", '"square-root"']),
        "steps of a schedule": ("temperature_end = 0.01", "steps = 20", [r":7: unknown key .schedule\.steps", "temperature_steps"]),
        "frozen": ("temperature_end = 0.01", "temperature_end = 0.0", [r":7: schedule\.temperature_end", r"\(0, inf\)"]),
        "negative temperature": ("temperature_end = 0.01", "temperature_start = -1.0", [r":7: schedule\.temperature_start"]),
        "no temperatures": ("temperature_end = 0.01", "temperature_steps = 0", [r":7: schedule\.temperature_steps", "got 0"]),
        "start of what is constant": ("temperature_end = 0.01", 'kind = "constant"\ntemperature_start = 2.0',
                                      [r":8: unknown key .schedule\.temperature_start"]),
        "a path": ("[kernel]", "[path]\ninverse_temperature_end = 0.5\n[kernel]", [r":8: unknown table \[path\]"]),
        "blocks": ("seed = 1", "block = 16", [r":2: unknown key .run\.block"]),
        "unknown operation": ("scale = 0.1", 'operations = ["metropolis", "snoker"]',
                              [r":9: kernel\.operations", 'element 2 is "snoker"', '"snooker"']),
        "operation of another space": ("scale = 0.1", 'operations = ["pixel"]', [r":9: kernel\.operations", '"metropolis"']),
        "no operation": ("scale = 0.1", "operations = []", [r":9: kernel\.operations", "empty"]),
        "an operation twice": ("scale = 0.1", 'operations = ["k-point", "k-point"]', [r":9: kernel\.operations", "again"]),
        "averages of another distribution": (
            'scale = 0.1\n[algorithm]\n', 'operations = ["metropolis", "snooker-as-printed"]\n[algorithm]\naverage_from = 100\n',
            [r":9: kernel\.operations", "does not leave the target invariant"]),
        "averages of minima": (
            'scale = 0.1\n[algorithm]\n',
            "descent_iterations = 9\nbasin_hopping = true\n[algorithm]\naverage_from = 100\n",
            [r":10: kernel\.basin_hopping", "does not leave the target invariant"]),
        "minima without a descent": ("scale = 0.1", "basin_hopping = true", [r":9: unknown key .kernel\.basin_hopping"]),
        "crossovers alone": ("scale = 0.1", 'operations = ["snooker", "linear"]', [r":9: kernel\.operations", "a mutation"]),
        "rates of other operations": ("scale = 0.1", "rates = [1.0, 2.0]", [r":9: kernel\.rates", "one for each operation"]),
        "a rate of 0": ("scale = 0.1", 'operations = ["k-point", "metropolis"]\nrates = [1.0, 0.0]', [r":10: kernel\.rates"]),
        "no scale": ("scale = 0.1", "scale = 0.0", [r":9: kernel\.scale", r"\(0, inf\)"]),
        "points beyond the dimension": ("scale = 0.1", "mutation_points = 6", [r"bad\.toml:[89]: kernel\.", "1 to 5 coordinates"]),
        "points of no operation": ("scale = 0.1", 'operations = ["metropolis"]\nmutation_points = 2',
                                   [r":10: unknown key .kernel\.mutation_points"]),
        "a kernel of densities": ("scale = 0.1", 'kind = "random-walk"', [r":9: unknown key .kernel\.kind"]),
        "negative pilot": ("scale = 0.1", "pilot_iterations = -1", [r":9: kernel\.pilot_iterations", "got -1"]),
        "unknown function": ("dimension = 5", 'function = "rastrign"', [r":5: model\.function", 'did you mean "rastrigin"']),
        "no dimension": ("dimension = 5", "dimension = 0", [r":5: model\.dimension", "got 0"]),
    }),
    (IMAGE, {
        "no such image": ("good.pbm", "none.pbm", [r"bad\.toml:3: model\.image", "no such file"]),
        "no image": ('image = "HERE/good.pbm"\n', "", [r"model\.image: missing"]),
        "a directory for an image": ("HERE/good.pbm", "HERE", [r":3: model\.image", "is a directory"]),
        "a grey image": ("good.pbm", "grey.pgm", [r":3: model\.image", r"grey\.pgm", "row 1, column 2 is grey", "0 or 255"]),
        "an image cut short": ("good.pbm", "short.pbm", [r":3: model\.image", r"short\.pbm:2: 7 characters are left"]),
        "an image of another kind": ("good.pbm", "picture.gif", [r":3: model\.image", "unknown format", "PGM"]),
        "half an image": ("good.pbm", "picture.png", [r":3: model\.image", r"picture\.png: not a whole PNG image"]),
        "an empty image": ("good.pbm", "empty.pbm", [r":3: model\.image", "unknown format"]),
        "an image of three colours": ("good.pbm", "three.txt", [r":3: model\.image", r"three\.txt:2", "row 1, column 3"]),
        "words for an image": ("good.pbm", "words.txt", [r":3: model\.image", "unknown format"]),
        "an image without columns": ("good.pbm", "narrow.pbm", [r":3: model\.image", "columns"]),
        "noise beyond 1": ("[algorithm]", "noise = 1.5\n[algorithm]", [r":4: model\.noise", r"\[0, 1\]"]),
        "no weight of data": ("[algorithm]", "data_weight = 0.0\n[algorithm]", [r":4: model\.data_weight", r"\(0, inf\)"]),
        "operation of a box": ('"pixel"', '"metropolis"', [r":9: kernel\.operations", '"pixel"']),
        "a scale of pixels": ("operations", "scale = 0.1\noperations", [r":9: unknown key .kernel\.scale"]),
        "polished pixels": ("chains = 3", "polish = true", [r":6: algorithm\.polish", "discrete"]),
    }),
    (NETWORK, {
        "no such table": ("good.csv", "none.csv", [r"bad\.toml:3: model\.data", "no such file"]),
        "a value left out": ("good.csv", "blank.csv", [r":3: model\.data", r"blank\.csv:2: column 2: not a number"]),
        "an unknown value": ("good.csv", "unknown.csv", [r":3: model\.data", r"unknown\.csv:2: column 2: not a number"]),
        "a short row": ("good.csv", "ragged.csv", [r":3: model\.data", r"ragged\.csv:2: wrong number of columns"]),
        "half a level": ("good.csv", "fraction.csv", [r":3: model\.data", "row 2, column 2", "whole number"]),
        "a level below 0": ("good.csv", "negative.csv", [r":3: model\.data", "row 2, column 2", "whole number"]),
        "too many levels": ("good.csv", "large.csv", [r":3: model\.data", "row 2, column 2", "255"]),
        "an empty table": ("good.csv", "empty.csv", [r":3: model\.data", "at least one"]),
        "names for numbers": ("good.csv", "header.csv", [r":3: model\.data", r"header\.csv:1: column 1: not a number"]),
        "numbers for names": ("[algorithm]", "header = true\n[algorithm]", [r":3: model\.data", "a header line"]),
        "two variables": ("good.csv", "two.csv", [r":3: model\.data", "3 to 64 variables"]),
        "more data of another kind": ("[algorithm]", 'more_data = "HERE/two.csv"\n[algorithm]',
                                      [r":4: model\.more_data", "wrong number of columns"]),
        "too many parents": ("[algorithm]", "parent_limit = 9\n[algorithm]", [r":4: model\.parent_limit", "got 9"]),
        "certain edges": ("[algorithm]", "edge_prior = 1.0\n[algorithm]", [r":4: model\.edge_prior", r"\(0, 1\)"]),
    }),
    (MODES, {
        "no modes": ("modes.csv", "none.csv", [r"bad\.toml:3: model\.modes", "no such file"]),
        "modes without names": ("modes.csv", "two.csv", [r":3: model\.modes", "a header line"]),
        "modes of other names": ("modes.csv", "other-modes.csv", [r":3: model\.modes", "there is no column .mu1."]),
        "modes without width": ("[algorithm]", "variance = 0.0\n[algorithm]", [r":4: model\.variance", r"\(0, inf\)"]),
    }),
    (PROTEIN, {
        "a short protein": ("length = 8", "length = 2", [r"bad\.toml:3: model\.length", "got 2"]),
        "a length that Fibonacci lacks": ("length = 8", "length = 9", [r":3: model\.length", "Fibonacci", "not 9"]),
        "another amino acid": ("length = 8", 'sequence = "ABC"', [r":3: model\.sequence", "A and B"]),
        "no margin": ("iterations = 300", "aleph = 0.0", [r":6: algorithm\.aleph", r"\(0, inf\)"]),
    }),
]


class SearchConfigurations(Base):
    def write(self, name, good, old="", new=""):
        directory = self.directory / name
        directory.mkdir()
        self.assertIn(old, good)
        (directory / "bad.toml").write_text(good.replace(old, new, 1).replace("HERE", str(directory)), encoding="utf-8")
        for file, content in FILES.items():
            (directory / file).write_bytes(content)
        return directory

    def test_the_good_files_are_good(self):
        for number, (good, _) in enumerate(CASES):
            directory = self.write(f"good-{number}", good)
            ended = runner.pearlite("run", directory / "bad.toml", "-o", directory / "run")
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())

    def test_mistakes(self):
        def judge(name, good, old, new, contains):
            return self.failure("bad.toml", contains=contains, directory=self.write(name, good, old, new))

        cases = [(name, good, *edit) for good, edits in CASES for name, edit in edits.items()]
        self.report([case[0] for case in cases], runner.side_by_side(judge, cases))

    def test_mistakes_on_two_ranks(self):
        for good, name in ((GOOD, "regions that fall"), (IMAGE, "a grey image"), (NETWORK, "a value left out")):
            old, new, contains = dict(CASES)[good][name]
            with self.subTest(name):
                directory = self.write(name, good, old, new)
                ended = self.refused("run", "bad.toml", "-o", "new", ranks=2, contains=contains, directory=directory)
                self.assertEqual(ended.err.count("\npearlite: ") + ended.err.startswith("pearlite: "), 1, ended.err)
                self.assertFalse((directory / "new").exists())

    def test_jobs_compare_the_family(self):
        """A job for pisaa runs with the other searches, which list the keys that they ignore in one line. Mistakes are
        refused."""
        directory = self.write("family", GOOD)
        job = directory / "bad.toml"
        for name, unused in (("pisaa", []), ("saa", ["algorithm.chains"]), ("aesamc", ["schedule.temperature_end"]),
                             ("sa", ["algorithm.chains", r"kernel.operations \(snooker\)"])):
            extra = ["--set", 'kernel.operations=["metropolis", "snooker"]'] if name == "sa" else []
            with self.subTest(name):
                options = ["--set", f"algorithm.name={name}", *extra]
                ended = runner.pearlite("run", job, "-o", directory / name, *options)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                log = (directory / name / "run.log").read_text(encoding="utf-8")
                notes = re.findall("ignored, .*", log)
                self.assertEqual(len(notes), 1 if unused else 0, log)
                for key in unused:
                    self.assertRegex(notes[0], key)
                self.assertEqual(notes, re.findall("ignored, .*", runner.pearlite("check", job, *options).out))
                self.assertEqual(runner.summary(directory / name)["algorithm"], name)
                slip = runner.pearlite("check", job, *options, "--set", "algorithm.gain_strat=5")
                self.assertEqual(slip.status, runner.BAD_INPUT, slip.describe())

    def test_defaults_suit_the_dimension(self):
        directory = self.write("line", GOOD, "dimension = 5", "dimension = 1")
        ended = runner.pearlite("run", directory / "bad.toml", "-o", directory / "run")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(sorted(runner.summary(directory / "run")["diagnostics"]["acceptance"]),
                         ["hit-and-run", "k-point", "linear", "metropolis", "snooker"])
        asked = runner.pearlite("check", directory / "bad.toml", "--set", 'kernel.operations=["metropolis", "k-point-crossover"]')
        self.assertEqual(asked.status, runner.BAD_INPUT, asked.describe())
        self.assertIn("two coordinates", asked.err)

    def test_the_best_state_is_in_a_file(self):
        """Images as PNG, networks as Graphviz: the states that the summary holds."""
        image = self.write("image", IMAGE)
        network = self.write("network", NETWORK)
        for directory in (image, network):
            ended = runner.pearlite("run", directory / "bad.toml", "-o", directory / "run", ranks=2)
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        best = runner.summary(image / "run")["best"]
        pixels = [[int(x) for x in best["state"]], [1, 0, 0, 0, 1, 1]]  # in a PBM 1 is black
        for name, content in zip(("best.png", "observed.png"), pixels):
            read = matplotlib.image.imread(image / "run" / name)
            self.assertEqual((read.shape, read.round().astype(int).ravel().tolist()), ((2, 3), content), name)
            # A run can read the pictures that a run writes.
            again = runner.pearlite("check", image / "bad.toml", "--set", f'model.image="{image / "run" / name}"', "--probe", 0)
            self.assertEqual(again.status, runner.FINISHED, again.describe())
        self.assertEqual((network / "run" / "best.dot").read_text(encoding="utf-8"), runner.summary(network / "run")["best"]["graph"])
        # Another run in this directory removes them if it has --overwrite.
        other = self.write("other", GOOD)
        again = runner.pearlite("run", other / "bad.toml", "-o", image / "run", "--overwrite")
        self.assertEqual(again.status, runner.FINISHED, again.describe())
        self.assertFalse((image / "run" / "best.png").exists())

    def test_one_chain_crosses_with_nobody(self):
        """A list of operations for many chains is legal for one chain, too."""
        directory = self.write("one", GOOD, "chains = 4", "chains = 1")
        ended = runner.pearlite("run", directory / "bad.toml", "-o", directory / "run")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        acceptance = runner.summary(directory / "run")["diagnostics"]["acceptance"]
        self.assertGreater(acceptance["metropolis"], 0)
        for name in ("k-point-crossover", "snooker", "linear"):
            self.assertNotIn(name, acceptance)


if __name__ == "__main__":
    runner.main()
