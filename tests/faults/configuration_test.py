"""Configurations and command lines with mistakes: each ends at once with status 2 and a message that names the place and
what was expected, and leaves no run directory behind."""

import ctypes
import os
import re
import struct
import subprocess
import unittest

import pearlite_runner as runner

GOOD = """\
[run]
seed = 1
block = 16
[model]
name = "gaussian"
end_sd = 1.0
[schedule]
kind = "linear"
steps = 20
[algorithm]
name = "smc"
particles = 64
"""

# name: (text replaced in GOOD, its replacement, what stderr must contain). A place is the file with a line.
EDITS = {
    "syntax": ("[model]", "[model", [r"bad\.toml:4:"]),
    "key twice": ("seed = 1", "seed = 1\nseed = 2", [r"bad\.toml:3:", "seed"]),
    "number out of TOML's range": ("seed = 1", "seed = 99999999999999999999", [r"bad\.toml:2:"]),
    "unknown table": ("[schedule]", "[shedule]", [r"bad\.toml:7: ", "shedule", "did you mean", "schedule"]),
    "unknown key": ("steps = 20", "step = 20",
                    [r"bad\.toml:9: unknown key .schedule\.step.; did you mean .schedule\.steps"]),
    "key of another model": ("end_sd = 1.0", "coupling = 1.0",
                             [r"bad\.toml:6: unknown key .model\.coupling.; the keys of \[model\] are name, dimension"]),
    "key of another algorithm": ("particles", "trajectories",
                                 [r"bad\.toml:12: unknown key .algorithm\.trajectories.; the keys of .* particles"]),
    "text for an integer": ("seed = 1", 'seed = "one"', [r"bad\.toml:2: run\.seed", "wrong type", "an integer"]),
    "fraction for an integer": ("particles = 64", "particles = 64.5", [r"bad\.toml:12: algorithm\.particles", "an integer"]),
    "text for a number": ("end_sd = 1.0", 'end_sd = "1.0"', [r"bad\.toml:6: model\.end_sd", "a number"]),
    "number for a text": ('kind = "linear"', "kind = 1", [r"bad\.toml:8: schedule\.kind", "wrong type", '"linear"']),
    "number for a table": (GOOD, "model = 3\n", [r"bad\.toml:1: model", r"a table \[model\]"]),
    "negative seed": ("seed = 1", "seed = -1", [r"bad\.toml:2: run\.seed", r"outside the range \(got -1\)", r"\[0, inf\)"]),
    "empty blocks": ("block = 16", "block = 0", [r"bad\.toml:3: run\.block", "got 0", "4096"]),
    "blocks too large": ("block = 16", "block = 5000", [r"bad\.toml:3: run\.block", "got 5000", "4096"]),
    "negative period": ("seed = 1", "checkpoint_every = -3", [r"bad\.toml:2: run\.checkpoint_every", "seconds"]),
    "no period": ("seed = 1", 'checkpoint_every = "often"',
                  [r"bad\.toml:2: run\.checkpoint_every: not a duration", r'"\[D-\]HH:MM:SS", or "auto"']),
    "no duration": ("seed = 1", 'time_limit = "1:99:00"', [r"bad\.toml:2: run\.time_limit", "HH:MM:SS"]),
    "unknown model": ('"gaussian"', '"gausian"', [r"bad\.toml:5: model\.name", 'did you mean "gaussian"', '"ising"']),
    "no model": ('name = "gaussian"', "", [r"bad\.toml", r"model\.name", '"gaussian"']),
    "nothing at all": (GOOD, "", [r"bad\.toml", r"model\.name"]),
    "unknown algorithm": ('"smc"', '"sms"', [r"bad\.toml:11: algorithm\.name", 'did you mean "smc"']),
    "unknown schedule": ('"linear"', '"liner"', [r"bad\.toml:8: schedule\.kind", 'did you mean "linear"']),
    "too few temperatures": ("steps = 20", "steps = 2", [r"bad\.toml:9: schedule\.steps", "got 2"]),
    "too few particles": ("particles = 64", "particles = 1", [r"bad\.toml:12: algorithm\.particles", "got 1"]),
    "more particles than can be": ("particles = 64", "particles = 9000000000000000000",
                                   [r"bad\.toml:12: algorithm\.particles"]),
    "parts of chains": ("particles = 64", "particles = 64\nwaste_free = 10",
                        [r"bad\.toml:13: algorithm\.waste_free", "got 10, which does not divide the 64 particles"]),
    "chains of one state": ("particles = 64", "particles = 64\nwaste_free = 1",
                            [r"bad\.toml:13: algorithm\.waste_free", "got 1", r"\[2, 32\]"]),
    "one chain": ("particles = 64", "particles = 64\nwaste_free = 64",
                  [r"bad\.toml:13: algorithm\.waste_free", "got 64", r"\[2, 32\]"]),
    "chains of more than all": ("particles = 64", "particles = 2\nwaste_free = 3",
                                [r"bad\.toml:13: algorithm\.waste_free", "got 3"]),
    "a threshold of what is always resampled": ("particles = 64", "particles = 64\nwaste_free = 8\ness_threshold = 0.5",
                                                [r"bad\.toml:14: .*algorithm\.ess_threshold"]),
    "zero deviation": ("end_sd = 1.0", "end_sd = 0.0", [r"bad\.toml:6: model\.end_sd", r"\(0, inf\)"]),
    "NaN": ("end_sd = 1.0", "end_sd = nan", [r"bad\.toml:6: model\.end_sd", "not a number"]),
    "infinity": ("end_sd = 1.0", "end_sd = inf", [r"bad\.toml:6: model\.end_sd", r"\(0, inf\)"]),
    "beyond the posterior": ("[schedule]", "[path]\ninverse_temperature_end = 1.5\n[schedule]",
                             [r"bad\.toml:8: path\.inverse_temperature_end", r"\(0, 1\]"]),
    "no step": ('kind = "linear"\nsteps = 20', 'kind = "adaptive"\nconditional_ess = 1.0',
                [r"bad\.toml:9: schedule\.conditional_ess", r"\(0, 1\)"]),
    "steps that stand still": ('kind = "linear"\nsteps = 20', 'kind = "adaptive"\nlog_weight_sd = 0.0',
                               [r"bad\.toml:9: schedule\.log_weight_sd", "got 0"]),
    "no schedule file": ('kind = "linear"\nsteps = 20', 'kind = "file"\nfile = "none.txt"',
                         [r"bad\.toml:9: schedule\.file", "no such file", "none.txt"]),
    "schedule of words": ('kind = "linear"\nsteps = 20', 'kind = "file"\nfile = "words.txt"',
                          [r"bad\.toml:9: schedule\.file", r"words\.txt"]),
    "schedule that turns back": ('kind = "linear"\nsteps = 20', 'kind = "file"\nfile = "back.txt"',
                                 [r"bad\.toml:9: schedule\.file: .*back\.txt: number 3 of the last column is 0\.4 after 0\.5"]),
    "kernel of other models": ("[schedule]", '[kernel]\nkind = "native"\n[schedule]',
                               [r"bad\.toml:8: kernel\.kind", '"random-walk"']),
    "two kinds of trajectories": ("[schedule]", '[kernel]\nkind = "mixture"\nkinds = ["riemannian-hmc", "mala"]\n[schedule]',
                                  [r"bad\.toml:9: kernel\.kinds: got .mala. and .riemannian-hmc., which share keys"]),
    "pilot needed": ('kind = "linear"\nsteps = 20\n[algorithm]\nname = "smc"\nparticles = 64',
                     'kind = "adaptive"\n[algorithm]\nname = "annealed-importance"\n[kernel]\nadapt = "online"',
                     [r"bad\.toml:12: kernel\.adapt", '"pilot"']),
    "a pilot that leaves no temperatures": ("[schedule]", '[kernel]\nadapt = "pilot"\npilot_algorithm = "importance-squared"\n[schedule]',
                                            [r"bad\.toml:9: kernel\.pilot_algorithm", '"smc", "parallel-tempering"']),
    "a pilot that leaves nothing": ('name = "smc"\nparticles = 64',
                                    'name = "importance-squared"\n[kernel]\npilot_algorithm = "pseudo-marginal"',
                                    [r"bad\.toml:13: kernel\.pilot_algorithm", '"parallel-tempering", "importance-squared"']),
    "keys of another pilot": ("[schedule]", '[kernel]\nadapt = "pilot"\npilot_scans = 30\n[schedule]',
                              [r"bad\.toml:9: .*kernel\.pilot_scans"]),
    "too many steps": ("[schedule]", "[kernel]\nmoves = 1000000\n[schedule]", [r"bad\.toml:8: kernel\.moves", "4e9"]),
    "unknown resampling": ("particles = 64", 'resampling = "bootstrap"',
                           [r"bad\.toml:12: algorithm\.resampling", '"systematic"']),
    "start of other models": ('name = "smc"\nparticles = 64', 'name = "nonequilibrium"\nreverse_start = "mode"',
                              [r"bad\.toml:12: algorithm\.reverse_start", '"weighted"']),
    "starts without images": ('"gaussian"\nend_sd = 1.0\n[schedule]\nkind = "linear"\nsteps = 20\n[algorithm]\nname = "smc"\nparticles = 64',
                              '"rbm"\nrandom_hidden = 3\n[algorithm]\nname = "nonequilibrium"\nreverse_start = "data"',
                              [r"bad\.toml:9: algorithm\.reverse_start", '"weighted"']),
    "one reverse trajectory": ('name = "smc"\nparticles = 64', 'name = "nonequilibrium"\nreverse_trajectories = 1',
                               [r"bad\.toml:12: algorithm\.reverse_trajectories", "got 1"]),
    "burn-in without end": ('name = "smc"\nparticles = 64', 'name = "parallel-tempering"\nscans = 100\nburn_in = 99\n[kernel]\nmoves = 1',
                            [r"bad\.toml:13: algorithm\.burn_in", "got 99"]),
    "chains without an end": ('name = "smc"\nparticles = 64', 'name = "pseudo-marginal"\niterations = 100\nburn_in = 95',
                              [r"bad\.toml:13: algorithm\.burn_in", "got 95"]),
    "too few draws of a chain": ('name = "smc"\nparticles = 64', 'name = "pseudo-marginal"\niterations = 1000\nthin = 200',
                                 [r"bad\.toml:13: algorithm\.thin", "smaller"]),
    "chains along a path": ('[schedule]\nkind = "linear"\nsteps = 20\n[algorithm]\nname = "smc"\nparticles = 64',
                            '[path]\ninverse_temperature_end = 0.5\n[algorithm]\nname = "pseudo-marginal"',
                            [r"unknown table \[path\]"]),
    "a pilot that there is not": ('name = "smc"\nparticles = 64', 'name = "importance-squared"\nstart = "prior"',
                                  [r"unknown table \[schedule\]"]),
    "infinite variance": ('name = "smc"\nparticles = 64', 'name = "importance-squared"\ndegrees_of_freedom = 2',
                          [r"bad\.toml:12: algorithm\.degrees_of_freedom", r"\(2, "]),
    "nothing but defence": ('name = "smc"\nparticles = 64', 'name = "importance-squared"\ndefensive_share = 1.0',
                            [r"bad\.toml:12: algorithm\.defensive_share", r"\[0, 1\)"]),
    "keys of chains": ('name = "smc"\nparticles = 64', 'name = "importance-squared"\nburn_in = 10',
                       [r"bad\.toml:12: unknown key .algorithm\.burn_in."]),
    "a round of more than all": ('name = "smc"\nparticles = 64', 'name = "importance-squared"\ndraws = 100\ndraws_per_round = 101',
                                 [r"bad\.toml:13: algorithm\.draws_per_round", "got 101"]),
    "chains of spins": ('"gaussian"\nend_sd = 1.0\n[schedule]\nkind = "linear"\nsteps = 20\n[algorithm]\nname = "smc"\nparticles = 64',
                        '"ising"\n[algorithm]\nname = "pseudo-marginal"',
                        [r"bad\.toml:7: algorithm\.name", "continuous parameters"]),
    "a block of temperatures": ('name = "smc"\nparticles = 64', 'name = "parallel-tempering"',
                                [r"bad\.toml:3: .*run\.block"]),
    "no growth": ('kind = "linear"\nsteps = 20', 'kind = "exponential"\nratio = 0.0',
                  [r"bad\.toml:9: schedule\.ratio", "got 0"]),
    "one colour": ('"gaussian"\nend_sd = 1.0', '"potts"\ncolours = 1', [r"bad\.toml:6: model\.colours", "got 1"]),
    "flips of a sweep": ('"gaussian"\nend_sd = 1.0', '"ising"\nflips = 10', [r"bad\.toml:6: .*model\.flips"]),
    "no points": ('"gaussian"\nend_sd = 1.0', '"gaussian-mixture"\nsimulated_points = 0',
                  [r"bad\.toml:6: model\.simulated_points", "got 0"]),
    "no coupling": ('"gaussian"\nend_sd = 1.0', '"ising"\ncoupling = 0.0', [r"bad\.toml:6: model\.coupling", "not 0"]),
    "no data directory": ('"gaussian"\nend_sd = 1.0', '"radiata-pine"', [r"model\.data", "PEARLITE_DATA_DIR", "--data-dir"]),
    "no data file": ('"gaussian"\nend_sd = 1.0', '"logistic-regression"\ndata = "/none.dat"',
                     [r"bad\.toml:6: model\.data", "no such file /none.dat"]),
    "no weights": ('"gaussian"\nend_sd = 1.0', '"rbm"', [r"model\.weights"]),
    "weights cut short": ('"gaussian"\nend_sd = 1.0', '"rbm"\nweights = "HERE/short.f64"',
                          [r"bad\.toml:6: model\.weights", "wrong size", "expected"]),
    "weights beyond single precision": ('"gaussian"\nend_sd = 1.0', '"rbm"\nweights = "HERE/huge.f64"',
                                        [r"huge\.f64, byte 16: no value of an RBM \(got 1e\+308\), expected"]),
    "responses of 0, 1 and 2": ('"gaussian"\nend_sd = 1.0', '"logistic-regression"\nresponse = "column1"\ndata = "HERE/three.dat"',
                                [r"bad\.toml:7: model\.data", r"three\.dat:3: column 1", "0 or 1"]),
}
STEPS_FOR_EDITS = {"too many steps": ("steps = 20", "steps = 5000")}

# name: (arguments, what stderr must contain), on the good file.
OVERRIDES = {
    "no value": (["--set", "run.seed"], ["--set run.seed", "expected section.key=value"]),
    "no key": (["--set", "run.se ed=1"], ["--set", "is not a key"]),
    "not a table": (["--set", "run.seed.low=1"], ["--set run.seed.low=1", "not a table"]),
    "unknown key": (["--set", "run.sede=2"], ["--set run.sede=2: unknown key .run.sede.; did you mean .run.seed"]),
    "wrong type": (["--set", "run.seed=two"], ["--set run.seed=two: run.seed", "an integer"]),
    "out of range": (["--set", "algorithm.particles=1"], ["--set algorithm.particles=1", "got 1"]),
    "seed of words": (["--seed", "two"], [r"run\.seed: wrong type \(got .two.\)"]),
}


class Base(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.environment = {"PEARLITE_DATA_DIR": ""}

    def refused(self, *arguments, contains=(), directory=None, **options):
        ended = runner.pearlite(*arguments, environment=self.environment, directory=directory or self.directory, **options)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        for pattern in contains:
            self.assertRegex(ended.err, pattern)
        return ended

    def refused_twice(self, file, *arguments, contains, directory=None):
        """Refused by `check` and by `run`, which makes no run directory."""
        directory = directory or self.directory
        checked = self.refused("check", file, *arguments, contains=contains, directory=directory)
        ran = self.refused("run", file, *arguments, "-o", "new", contains=contains, directory=directory)
        self.assertEqual(ran.err, checked.err)
        self.assertEqual(ran.out, "")
        self.assertFalse((directory / "new").exists())

    def failure(self, *case, **named):
        """The failed assertion of refused_twice(), or None, for cases that run in parallel and are reported later."""
        try:
            self.refused_twice(*case, **named)
        except AssertionError as error:
            return error
        return None

    def report(self, names, failures):
        for name, failure in zip(names, failures):
            with self.subTest(name):
                if failure:
                    raise failure


class Configurations(Base):
    def write(self, name):
        """Writes the files of a case to a new directory."""
        directory = self.directory / name
        directory.mkdir()
        old, new, _ = EDITS[name]
        old_steps, new_steps = STEPS_FOR_EDITS.get(name, ("", ""))
        self.assertIn(old, GOOD)
        text = GOOD.replace(old, new, 1).replace(old_steps, new_steps, 1)
        (directory / "bad.toml").write_text(text.replace("HERE", str(directory)), encoding="utf-8")
        (directory / "words.txt").write_text("from 0\nto 1\n", encoding="utf-8")
        (directory / "back.txt").write_text("0\n0.5\n0.4\n1\n", encoding="utf-8")
        (directory / "huge.f64").write_bytes(struct.pack("<2q3d", 1, 1, 1e308, 0.2, 0.3))
        (directory / "short.f64").write_bytes(struct.pack("<2q3d", 4, 2, 0.1, 0.2, 0.3))
        (directory / "three.dat").write_text("0 1.5\n1 2.5\n2 0.5\n", encoding="utf-8")
        return directory

    def test_the_good_file_is_good(self):
        (self.directory / "good.toml").write_text(GOOD, encoding="utf-8")
        ended = runner.pearlite("check", self.directory / "good.toml")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertIn("cost", ended.out)

    def test_mistakes(self):
        def judge(name):
            return self.failure("bad.toml", contains=EDITS[name][2], directory=self.write(name))

        self.report(EDITS, runner.side_by_side(judge, [(name,) for name in EDITS]))

    def test_mistakes_on_two_ranks(self):
        for name in ("syntax", "unknown key", "no schedule file", "pilot needed", "weights cut short"):
            with self.subTest(name):
                directory = self.write(name)
                ended = self.refused("run", "bad.toml", "-o", "new", ranks=2, contains=EDITS[name][2], directory=directory)
                self.assertEqual(len(re.findall(r"^pearlite: ", ended.err, re.MULTILINE)), 1, ended.err)
                self.assertFalse((directory / "new").exists())

    def test_all_mistakes_at_once(self):
        text = GOOD.replace("block = 16", "block = 0").replace("steps = 20", "step = 20").replace("1.0", "-1.0")
        (self.directory / "bad.toml").write_text(text, encoding="utf-8")
        self.refused_twice("bad.toml", contains=[r"toml:3: run\.block", r"toml:6: model\.end_sd",
                                                 r"toml:9: unknown key .schedule\.step"])

    def test_one_mistake_makes_no_others(self):
        """Keys of a model or part that was refused are not reported as unknown."""
        for number, (text, message) in enumerate((
                (GOOD.replace('"smc"\nparticles = 64', '"pisaa"\nchains = 64\niterations = 1000'), r"toml:11: algorithm\.name: got"),
                (GOOD.replace('"gaussian"\nend_sd = 1.0', '"logistic-regression"\ndata = "HERE/words.txt"')
                 + '[kernel]\nkind = "hmc"\ntrajectory = 2.0\n', r"words\.txt"))):
            file = f"one-{number}.toml"
            (self.directory / file).write_text(text.replace("HERE", str(self.directory)), encoding="utf-8")
            ended = self.refused("check", file, contains=[message])
            self.assertNotIn("unknown key", ended.err)

    def test_not_utf8(self):
        (self.directory / "bad.toml").write_bytes(GOOD.replace("gaussian", "gau\xdfian").encode("latin-1"))
        self.refused_twice("bad.toml", contains=[r"bad\.toml:5", "UTF-8|utf-8"])

    def test_a_binary_file(self):
        (self.directory / "bad.toml").write_bytes(bytes(range(256)) * 40)
        self.refused_twice("bad.toml", contains=[r"bad\.toml:1"])

    def test_a_directory(self):
        (self.directory / "bad.toml").mkdir()
        self.refused_twice("bad.toml", contains=["bad.toml: is a directory, expected a TOML configuration"])

    def test_no_file(self):
        self.refused_twice("bad.toml", contains=["bad.toml: cannot be read", "No such file", "a TOML configuration"])

    def test_unreadable(self):
        file = self.directory / "bad.toml"
        file.write_text(GOOD, encoding="utf-8")
        file.chmod(0)
        ended = self.refused("check", "bad.toml", before=obey_permissions)
        self.assertRegex(ended.err, "bad.toml: cannot be read .Permission denied., expected a TOML configuration")

    def test_no_such_data_directory(self):
        (self.directory / "bad.toml").write_text('[model]\nname = "radiata-pine"\n', encoding="utf-8")
        self.refused_twice("bad.toml", "--data-dir", "/none", contains=[r"model\.data", "no data directory /none"])
        self.environment = {"PEARLITE_DATA_DIR": "/neither"}
        self.refused_twice("bad.toml", contains=[r"model\.data", "no data directory /neither"])


def obey_permissions():
    """For the child process: takes root's capabilities to read files without permission."""
    drop_from_bounding_set, override, read_search = 24, 1, 2
    for capability in (override, read_search):
        ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0)


class CommandLines(Base):
    def setUp(self):
        super().setUp()
        (self.directory / "good.toml").write_text(GOOD, encoding="utf-8")

    def test_overrides(self):
        def judge(arguments, expected):
            return self.failure("good.toml", *arguments, contains=expected)

        self.report(OVERRIDES, runner.side_by_side(judge, OVERRIDES.values()))

    def test_limits(self):
        for arguments, expected in ((["--time-limit", "soon"], ["soon", "HH:MM:SS"]), (["--time-limit", "-5"], ["-5"]),
                                    (["--step-limit", "0"], ["--step-limit: got 0, expected an integer of at least 1"]),
                                    (["--step-limit", "few"], ["--step-limit: got few, expected an integer"]),
                                    (["--seed", "-1"], [r"run\.seed: outside the range \(got -1\), expected an integer"]),
                                    (["--seed", "one"], ["run.seed"])):
            with self.subTest(arguments):
                self.refused("run", "good.toml", "-o", "new", *arguments, contains=expected)
                self.assertFalse((self.directory / "new").exists())

    def test_words(self):
        for arguments in ([], ["walk"], ["run"], ["run", "good.toml", "--fast"], ["check", "good.toml", "more"], ["resume"]):
            with self.subTest(arguments):
                self.assertTrue(self.refused(*arguments).err.strip())

    def test_directory_in_use(self):
        used = self.directory / "used"
        used.mkdir()
        (used / "notes.txt").write_text("mine", encoding="utf-8")
        for ranks in (None, 2):
            self.refused("run", "good.toml", "-o", "used", ranks=ranks,
                         contains=["used: not empty", "pearlite resume used", "--overwrite"])
        self.assertEqual(os.listdir(used), ["notes.txt"])
        ended = runner.pearlite("run", "good.toml", "-o", "used", "--overwrite", directory=self.directory)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual((used / "notes.txt").read_text(encoding="utf-8"), "mine")

    def test_directory_that_cannot_be(self):
        (self.directory / "file").write_text("mine", encoding="utf-8")
        self.refused("run", "good.toml", "-o", "file", contains=["file: not a directory"])
        self.refused("run", "good.toml", "-o", "file/below", contains=["file/below: "])
        self.refused("run", "good.toml", "-o", "/proc/none", contains=["/proc/none: cannot make this directory"])
        self.assertEqual((self.directory / "file").read_text(encoding="utf-8"), "mine")

    def test_show_and_report(self):
        (self.directory / "text.h5").write_text("text", encoding="utf-8")
        for command, where in (("show", "none.h5"), ("show", "text.h5"), ("show", "."), ("report", "none")):
            with self.subTest(command, where=where):
                ended = runner.pearlite(command, where, directory=self.directory)
                self.assertEqual(ended.status, runner.BAD_INPUT)
                self.assertRegex(ended.err, "^pearlite: .*" + re.escape(where))

    def test_show_of_a_damaged_file(self):
        self.assertEqual(runner.pearlite("run", "good.toml", "-o", "whole", directory=self.directory).status, 0)
        file = self.directory / "whole" / "results.h5"
        self.assertEqual(runner.pearlite("show", file).status, 0)
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        ended = runner.pearlite("show", file)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("the file is damaged", ended.out)

    def test_files_without_contents(self):
        os.mkfifo(self.directory / "pipe.toml")
        data = 'model={name="logistic-regression",data="%s"}'
        for arguments, expected in ((["pipe.toml"], "pipe.toml: is a pipe, expected a TOML configuration"),
                                    (["/dev/zero"], "/dev/zero: is a device, expected"),
                                    (["/proc/self/maps"], "/proc/self/maps: is a file of the kernel, expected"),
                                    (["good.toml", "--set", data % (self.directory / "pipe.toml")], "pipe.toml: is a pipe"),
                                    (["good.toml", "--set", data % "/dev/zero"], "/dev/zero: is a device")):
            with self.subTest(arguments):
                self.refused("check", *arguments, contains=[re.escape(expected)])

    def test_responses_of_a_table(self):
        (self.directory / "table.csv").write_text("subject,y,x\n1,1,0.2\n1,0,0.3\n2,3,0.1\n", encoding="utf-8")
        model = f'model={{name="mixed-logistic",study="table",data="{self.directory / "table.csv"}"}}'
        self.refused("check", "good.toml", "--set", model,
                     contains=[r"table\.csv:4: column 2 \('y'\): got .3., expected 0 or 1"])

    def test_tables_of_impossible_models(self):
        table = self.directory / "table.csv"
        for name, text, expected in (
                ('"mixed-logistic",study="table",factors=["f"]', "subject,y,f\n1,1,0\n1,0,0\n2,1,0\n",
                 r"column 'f': 1 different level\(s\), expected 2 to 1000"),
                ('"radiata-pine"', "y,x,z\n3040,29.2,25.4\n", "1 row, expected at least two")):
            table.write_text(text, encoding="utf-8")
            with self.subTest(name):
                self.refused("check", "good.toml", "--set", f'model={{name={name},data="{table}"}}',
                             contains=[r"table\.csv: " + expected])
        table.write_text("class,u\n0,0.1\n1,0.7\n", encoding="utf-8")
        self.refused("check", "good.toml", "--set", f'model={{name="gp-classification",classes=[1],data="{table}"}}',
                     contains=[r"model\.classes: got 1 classes, expected two"])

    def test_deep_keys(self):
        for name, text, line in (("dotted", "a." * 40000 + "b = 1\n", 13), ("header", "[" + "a . " * 40 + "b]\n", 13),
                                 ("quoted", "'..'." * 40000 + "b = 1\n", 13),
                                 ("escaped", r'"\u0061".' * 40000 + "b = 1\n", 13),
                                 ("after a text", 'x = {y = """\n""", ' + "a." * 40000 + "b = 1}\n", 14),
                                 ("inline", "x = {" + "a." * 40 + "b = 1}\n", 13)):
            (self.directory / f"{name}.toml").write_text(GOOD + text, encoding="utf-8")
            self.refused("check", f"{name}.toml", contains=[rf"{name}\.toml:{line}: a key of more than 32 parts"])
        self.refused("check", "good.toml", "--set", "a." * 40000 + "b=1", contains=["a key of more than 32 parts"])
        # Leaders are no keys.
        (self.directory / "dots.toml").write_text(GOOD + "# steps " + "." * 60 + " 20\n", encoding="utf-8")
        self.assertEqual(runner.pearlite("check", self.directory / "dots.toml").status, 0)
        # As deep as values and keys may be together.
        nested = "x = " + ("{" + "a." * 32 + "b = ") * 200 + "1" + "}" * 200 + "\n"
        (self.directory / "both.toml").write_text(GOOD + nested, encoding="utf-8")
        self.refused("check", "both.toml", contains=["both.toml"])

    def test_more_than_the_memory(self):
        for change, key in (("algorithm.particles=1000000000000", "algorithm.particles: takes at least"),
                            ("schedule.steps=2147483648", r"schedule.steps: outside the range .*\[3, 100000000\]"),
                            ('algorithm={name="annealed-importance",trajectories=200000000000}',
                             "algorithm.trajectories: takes at least .* GiB on each of 1 rank")):
            for command in (["check"], ["run", "-o", "new"]):
                self.refused(*command, "good.toml", "--set", change, contains=[key])
        self.assertFalse((self.directory / "new").exists())
        self.refused("run", "good.toml", "-o", "new", "--set", "algorithm.particles=1000000000000", ranks=2,
                     contains=["algorithm.particles: takes at least .* GiB on each of 2 rank"])

    def test_many_mistakes(self):
        (self.directory / "many.toml").write_text(GOOD + "".join(f"k{i} = 1\n" for i in range(20000)), encoding="utf-8")
        ended = self.refused("check", "many.toml", contains=[r"many\.toml:13: unknown key .algorithm\.k0.", "and 19980 more"])
        self.assertEqual(len(ended.err.splitlines()), 21)

    def test_control_characters(self):
        (self.directory / "odd.toml").write_text(GOOD + '"a\\u001b[31mz\\u009b" = 1\n', encoding="utf-8")
        ended = self.refused("check", "odd.toml", contains=[r"odd\.toml:13: unknown key .algorithm\.a\\x1b\[31mz\\x9b"])
        self.assertNotIn("\x1b", ended.err)

    def test_full_standard_output(self):
        for command in (["list"], ["keys"], ["check", "good.toml", "--probe", "0"]):
            with self.subTest(command), open("/dev/full", "wb") as full:
                ended = subprocess.run([runner.PEARLITE, *command], cwd=self.directory, stdout=full,
                                       stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(ended.returncode, runner.FAILED)
                self.assertIn("standard output cannot be written (", ended.stderr)
        with open("/dev/full", "wb") as full:
            ended = subprocess.run([runner.PEARLITE, "run", "good.toml", "-o", "out"], cwd=self.directory, stdout=full,
                                   stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(ended.returncode, runner.FINISHED, ended.stderr)
        message = "standard output cannot be written (No space left on device); the result is in out/summary.json"
        self.assertIn(message, ended.stderr)
        self.assertIn(message, (self.directory / "out" / "run.log").read_text(encoding="utf-8"))
        self.assertTrue((self.directory / "out" / "results.h5").exists())

    def test_a_foreign_module_is_not_executed(self):
        self.assertEqual(runner.pearlite("run", "good.toml", "-o", "drawn", directory=self.directory).status, 0)
        for place in (self.directory, self.directory / "drawn"):
            (place / "h5py.py").write_text(f"open({str(self.directory / 'executed')!r}, 'w')\n", encoding="utf-8")
            for path in ("", ":", str(place)):
                subprocess.run([runner.PEARLITE, "report", self.directory / "drawn"], cwd=place, timeout=120,
                               env=os.environ | {"PYTHONPATH": path}, capture_output=True)
                self.assertFalse((self.directory / "executed").exists(), (place, path))


if __name__ == "__main__":
    runner.main()
