"""Configurations of densities that grow, and of Gaussian process classification, with mistakes: each ends at once with
status 2 and a message that names the place and what was expected, and leaves no run directory behind."""

import re
import unittest

import pearlite_runner as runner

ORTHANT = """\
[model]
name = "orthant"
size = 6
negative = 2
[algorithm]
name = "resample-move"
particles = 20
"""
CLASSES = """\
[model]
name = "gp-classification"
data = "HERE/classes.csv"
label = "kind"
[algorithm]
name = "resample-move"
particles = 20
"""
RBM = """\
[model]
name = "rbm"
random_visible = 4
random_hidden = 3
[algorithm]
name = "resample-move"
particles = 20
"""

# name: (the good text, what is replaced in it, its replacement, what stderr must contain). A place is the file with a
# line.
EDITS = {
    "more negative than all": (ORTHANT, "negative = 2", "negative = 7", [r"bad\.toml:4: model\.negative", "got 7"]),
    "a correlation of one": (ORTHANT, "negative = 2", "correlation = 1.0", [r"bad\.toml:4: model\.correlation"]),
    "more variables than all": (ORTHANT, "particles = 20", "variables = 7",
                                [r"bad\.toml:7: algorithm\.variables", "got 7", "at most 6"]),
    "no variables": (ORTHANT, "particles = 20", "variables = 0", [r"bad\.toml:7: algorithm\.variables", "got 0"]),
    "an order that there is not": (ORTHANT, "particles = 20", 'order = "variance"',
                                   [r"bad\.toml:7: algorithm\.order", '"given"']),
    "new particles that do not move": (ORTHANT, "particles = 20", "sweeps = 0",
                                       [r"bad\.toml:7: algorithm\.sweeps", "new particles must move"]),
    "a share that is never reached": (ORTHANT, "particles = 20", "gamma_threshold = 1.0",
                                      [r"bad\.toml:7: algorithm\.gamma_threshold"]),
    "chains from no data": (RBM, "particles = 20", 'enlarge = "reseed"',
                            [r"bad\.toml:7: algorithm\.enlarge", "no data to start chains from"]),
    "no data": (CLASSES, 'data = "HERE/classes.csv"', "", [r"model\.data"]),
    "no such column": (CLASSES, '"kind"', '"sort"', [r"bad\.toml:3: model\.data", r"classes\.csv", "sort"]),
    "three classes": (CLASSES, "classes.csv", "three.csv", [r"bad\.toml:3: model\.data", r"three\.csv"]),
    "one class of three": (CLASSES, 'label = "kind"', 'label = "kind"\nclasses = [1]',
                           [r"bad\.toml:5: model\.classes", "got 1 classes, expected two"]),
    "no number": (CLASSES, "classes.csv", "words.csv", [r"bad\.toml:3: model\.data", r"words\.csv", "two"]),
    "held out twice": (CLASSES, 'label = "kind"', 'label = "kind"\ntest_data = "HERE/three.csv"\ntraining_rows = 2',
                       [r"bad\.toml:6: model\.training_rows", "beside test_data"]),
    "more rows than there are": (CLASSES, 'label = "kind"', 'label = "kind"\ntraining_rows = 9',
                                 [r"bad\.toml:3: model\.data", "9"]),
    "a model that does not grow": (ORTHANT, ORTHANT[: ORTHANT.index("[algorithm]")], '[model]\nname = "gaussian"\n',
                                   [r"bad\.toml:4: algorithm\.name", "resample-move"]),
    "a normal distribution that there is not": (
        ORTHANT, ORTHANT, '[model]\nname = "gaussian"\n[path]\nkind = "bridge"\nfit = "model"\n',
        [r"bad\.toml:4: path\.kind", "no approximation of its own", r"path\.fit"]),
}
ON_TWO_RANKS = ("more variables than all", "three classes")


class GrowingConfigurations(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def write(self, name, text):
        directory = self.directory / re.sub(r"\W", "-", name)
        directory.mkdir()
        (directory / "bad.toml").write_text(text.replace("HERE", str(directory)), encoding="utf-8")
        (directory / "classes.csv").write_text("kind,a\n0,1.5\n1,2\n1,-1\n0,0.5\n", encoding="utf-8")
        (directory / "three.csv").write_text("kind,a\n0,1.5\n1,2\n2,-1\n", encoding="utf-8")
        (directory / "words.csv").write_text("kind,a\n0,1.5\n1,two\n", encoding="utf-8")
        return directory

    def refused(self, directory, *arguments, contains, **options):
        ended = runner.pearlite(*arguments, directory=directory, **options)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        for pattern in contains:
            self.assertRegex(ended.err, pattern)
        self.assertFalse((directory / "new").exists())

    def test_mistakes(self):
        for name, (good, old, new, contains) in EDITS.items():
            with self.subTest(name):
                self.assertIn(old, good)
                directory = self.write(name, good.replace(old, new, 1))
                self.refused(directory, "check", "bad.toml", contains=contains)
                self.refused(directory, "run", "bad.toml", "-o", "new", contains=contains)
                if name in ON_TWO_RANKS:
                    self.refused(directory, "run", "bad.toml", "-o", "new", contains=contains, ranks=2)

    def test_the_good_files_are_good(self):
        for k, good in enumerate((ORTHANT, CLASSES, RBM)):
            directory = self.write(f"good {k}", good)
            ended = runner.pearlite("check", "bad.toml", directory=directory)
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())


if __name__ == "__main__":
    runner.main()
