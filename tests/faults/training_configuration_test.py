"""Mistakes in configurations and data of trainings: each ends at once with status 2 and a message that names the place and
what was expected, on one rank and on several, and leaves no run directory behind."""

import gzip
import re
import struct
import unittest

import pearlite_runner as runner

GOOD = """\
[model]
name = "rbm-training"
images = "HERE/images.csv"
held_out = "HERE/images.csv"
hidden = 3
[algorithm]
updates = 30
batch = 10
persistent = true
"""
NO_IMAGES = 'images = "HERE/images.csv"\nheld_out'

# name: (text replaced in GOOD, its replacement, what stderr must contain). A place is the file with a line.
EDITS = {
    "no images": (NO_IMAGES, "held_out", [r"model\.images"]),
    "no hidden units": ("hidden = 3", "", [r"model\.hidden"]),
    "no file": (NO_IMAGES, 'images = "/none.csv"\nheld_out', [r"bad\.toml:3: model\.images", "no such file /none.csv"]),
    "images of other sizes": ('held_out = "HERE/images.csv"', 'held_out = "HERE/five.csv"',
                              [r"bad\.toml:4: model\.held_out", "images of 5 pixels, expected 4"]),
    "no levels": ('held_out = "HERE/images.csv"', 'held_out = "HERE/levels.csv"',
                  [r"bad\.toml:4: model\.held_out", r"levels\.csv, image 1, pixel 2", "got 256", "from 0 to 255"]),
    "idx cut short": (NO_IMAGES, 'images = "HERE/short.gz"\nheld_out', [r"bad\.toml:3: model\.images", r"short\.gz",
                                                                       "2 images of 4 bytes"]),
    "no HDF5": (NO_IMAGES, 'images = "HERE/text.h5"\nheld_out', [r"bad\.toml:3: model\.images", "not an HDF5 file"]),
    "a batch of more than all": ("batch = 10", "batch = 21", [r"bad\.toml:8: algorithm\.batch", "got 21",
                                                             "at most 20, the number of training examples"]),
    "an empty batch": ("batch = 10", "batch = 0", [r"bad\.toml:8: algorithm\.batch", "got 0"]),
    "no rate": ("updates = 30", "updates = 30\nrate = 0.0", [r"bad\.toml:8: algorithm\.rate", "got 0"]),
    "a momentum that never ends": ("updates = 30", "updates = 30\nmomentum = 1.0",
                                   [r"bad\.toml:8: algorithm\.momentum", r"\[0, 1\)"]),
    "chains of examples": ("persistent = true", "chains = 10", [r"bad\.toml:9: .*algorithm\.chains"]),
    "too many sweeps": ("updates = 30", "updates = 3000000000\nsweeps = 2",
                        [r"bad\.toml:8: algorithm\.sweeps", "at most 4000000000 sweeps in all"]),
    "no common denominator": ("batch = 10\npersistent = true", "batch = 1100\npersistent = true\nchains = 1000000",
                              [r"bad\.toml:10: algorithm\.chains", r"a product of at most 2\^30"]),
    "an algorithm that anneals": ("[algorithm]", '[algorithm]\nname = "smc"',
                                  [r"bad\.toml:7: algorithm\.name", "is trained", '"contrastive-divergence"']),
    "a model that is annealed": (GOOD, '[model]\nname = "ising"\n[algorithm]\nname = "contrastive-divergence"\n',
                                 [r"bad\.toml:4: algorithm\.name", "is annealed"]),
    "tables of annealing": ("[algorithm]", "[schedule]\nsteps = 10\n[algorithm]", [r"schedule"]),
}
ON_TWO_RANKS = ("no levels", "a batch of more than all")


class TrainingConfigurations(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def write(self, name, text):
        directory = self.directory / re.sub(r"\W", "-", name)
        directory.mkdir()
        (directory / "bad.toml").write_text(text.replace("HERE", str(directory)), encoding="utf-8")
        (directory / "images.csv").write_text("0,1,1,0\n1,0,0,1\n" * 10, encoding="utf-8")
        (directory / "five.csv").write_text("0,1,1,0,1\n", encoding="utf-8")
        (directory / "levels.csv").write_text("0,1,1,0\n2,3,256,0\n", encoding="utf-8")
        (directory / "text.h5").write_text("text", encoding="utf-8")
        with gzip.open(directory / "short.gz", "wb") as file:
            file.write(struct.pack(">4i", 2051, 2, 2, 2) + b"\1\2\3")
        return directory

    def refused(self, directory, *arguments, contains, **options):
        ended = runner.pearlite(*arguments, directory=directory, **options)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        for pattern in contains:
            self.assertRegex(ended.err, pattern)
        self.assertFalse((directory / "new").exists())
        return ended

    def test_mistakes(self):
        for name, (old, new, contains) in EDITS.items():
            with self.subTest(name):
                self.assertIn(old, GOOD)
                directory = self.write(name, GOOD.replace(old, new, 1))
                self.refused(directory, "check", "bad.toml", contains=contains)
                self.refused(directory, "run", "bad.toml", "-o", "new", contains=contains)
                if name in ON_TWO_RANKS:
                    self.refused(directory, "run", "bad.toml", "-o", "new", contains=contains, ranks=2)

    def test_the_good_file_is_good(self):
        directory = self.write("good", GOOD)
        ended = runner.pearlite("check", "bad.toml", directory=directory)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertRegex(ended.out, "# cost: 30 updates, 15 epochs of 20 examples")

    def test_parameters_that_are_no_numbers(self):
        """All ranks fail at once, and none waits."""
        directory = self.write("diverging", GOOD.replace("updates = 30", "updates = 30\nrate = 1e300"))
        for ranks in (None, 3):
            ended = runner.pearlite("run", "bad.toml", "-o", "new", "--overwrite", directory=directory, ranks=ranks)
            self.assertEqual(ended.status, runner.FAILED, ended.describe())
            self.assertRegex(ended.err, r"a parameter is no longer finite; lower algorithm\.rate")

    def test_other_data(self):
        """A resume with other images is refused."""
        directory = self.write("changed", GOOD)
        stopped = runner.pearlite("run", "bad.toml", "-o", "new", "--step-limit", "7", directory=directory)
        self.assertIn(stopped.status, (runner.STOPPED, runner.FAILED), stopped.describe())
        (directory / "images.csv").write_text("0,1,1,1\n1,0,0,1\n" * 10, encoding="utf-8")
        ended = runner.pearlite("resume", "new", directory=directory)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("the model or its data", ended.err)


if __name__ == "__main__":
    runner.main()
