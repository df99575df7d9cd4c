"""`pearlite tune`: what it refuses, what it writes, that what it writes runs, and that ranks change nothing but times."""

import json
import math
import unittest

import pearlite_runner as runner

FILTERED = """\
# A state-space model of mine.
[run]
seed = 3 # as in the paper

[model]
name = "linear-gaussian"
simulated_length = 40
particles = 48   # a guess
[schedule]
kind = "geometric"
steps = 12
[algorithm]
name = "smc"
particles = 128
"""


class Base(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.file = self.directory / "mine.toml"
        self.file.write_text(FILTERED, encoding="utf-8")

    def pearlite(self, *arguments, **options):
        return runner.pearlite(*arguments, directory=self.directory, timeout=300, **options)

    def tuned(self, *arguments, name="mine-tuned", **options):
        ended = self.pearlite("tune", self.file, "--pilot-particles", 64, *arguments, **options)
        self.assertEqual(ended.status, 0, ended.describe())
        return ended, json.loads((self.directory / f"{name}.json").read_text(encoding="utf-8"))


class Mistakes(Base):
    def refused(self, *arguments, contains, **options):
        ended = self.pearlite("tune", *arguments, **options)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        for pattern in contains:
            self.assertRegex(ended.err, pattern)
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), self.before, ended.describe())

    def test_configurations(self):
        plain = self.directory / "plain.toml"
        plain.write_text('[model]\nname = "gaussian"\n', encoding="utf-8")
        backwards = self.directory / "back.toml"
        backwards.write_text('[model]\nname = "linear-gaussian"\n[algorithm]\nname = "nonequilibrium"\n', encoding="utf-8")
        self.before = sorted(path.name for path in self.directory.iterdir())
        self.refused(plain, contains=[r"plain\.toml:2: model\.name: the likelihood of gaussian is not estimated",
                                      "mixed-logistic", "stochastic-volatility"])
        self.refused(self.file, "--set", "model.likelihood=exact",
                     contains=[r"--set model\.likelihood=exact: model\.likelihood", "estimated"])
        self.refused(backwards, contains=[r"back\.toml:4: algorithm\.name: got .nonequilibrium.; ",
                                          "expected .annealed-importance. or .smc."])
        self.refused(self.file, "--set", "model.particels=4", contains=["did you mean .model.particles"])
        self.refused(self.directory / "none.toml", contains=[r"none\.toml"])
        self.refused(self.file, "--set", "model.name=noisy-likelihood", "--set", "model.samples=1",
                     contains=["unknown key"])

    def test_outputs(self):
        (self.directory / "mine-tuned.toml").write_text("# precious\n", encoding="utf-8")
        (self.directory / "ladder.toml").write_text(FILTERED.replace('kind = "geometric"\nsteps = 12', 'kind = "file"\nfile = "ladder.txt"'),
                                                    encoding="utf-8")
        self.before = sorted(path.name for path in self.directory.iterdir())
        self.refused(self.file, contains=[r"mine-tuned\.toml: exists; --overwrite"])
        self.refused(self.file, "-o", self.file, contains=[r"is the configuration itself"])
        self.refused(self.file, "-o", "nowhere/new.toml", contains=[r"nowhere: no such directory"])
        (self.directory / "ladder.txt").write_text("0\n0.1\n0.5\n1\n", encoding="utf-8")
        (self.directory / "elsewhere").mkdir()
        self.before = sorted(path.name for path in self.directory.iterdir())
        ladder = self.directory / "ladder.toml"
        self.refused(ladder, "-o", "elsewhere/new.toml", contains=[r"elsewhere/new\.toml:\d+: schedule\.file", "ladder.txt"])
        self.refused(self.file, "-o", self.file, ranks=2, contains=[r"is the configuration itself"])

    def test_nothing_to_choose(self):
        self.file.write_text('[model]\nname = "noisy-likelihood"\n[schedule]\nkind = "linear"\nsteps = 4\n'
                             '[algorithm]\nname = "smc"\n', encoding="utf-8")
        self.before = sorted(path.name for path in self.directory.iterdir())
        self.refused(self.file, contains=["does not grow with its number of particles"])


class Outcome(Base):
    def test_new_configuration(self):
        ended, found = self.tuned()
        self.assertEqual(self.file.read_text(encoding="utf-8"), FILTERED)
        chosen = found["particles"]
        expected = FILTERED.replace("particles = 48 ", f"particles = {chosen} ")
        self.assertEqual((self.directory / "mine-tuned.toml").read_text(encoding="utf-8"), expected)
        self.assertEqual(found["setting"], f"model.particles={chosen}")
        self.assertIn(f"N = {chosen}", ended.out)
        self.assertIn("<- to be used", ended.out)
        ran = self.pearlite("run", "mine-tuned.toml", "-o", "run", "--set", "algorithm.particles=64")
        self.assertEqual(ran.status, 0, ran.describe())
        summary = runner.summary(self.directory / "run")
        self.assertAlmostEqual(summary["diagnostics"]["schedule_tau"], found["schedule_tau"], places=12)

    def test_numbers(self):
        _, found = self.tuned("-o", "new.toml", name="new")
        gamma2, tau = found["gamma2"], found["schedule_tau"]
        g = gamma2 * found["seconds_per_particle"]
        optimum = 2 * g / (tau * g + (tau**2 * g**2 + 4 * tau * found["seconds_base"] * g)**0.5)
        self.assertAlmostEqual(found["optimal_variance"], optimum, places=9)
        self.assertAlmostEqual(found["variance"], min(optimum, 3), places=9)
        self.assertGreaterEqual(found["particles"], gamma2 / found["variance"])
        points = [10**(-6 + 0.001 * k) for k in range(10000)]
        least = min(points, key=lambda s: tau * s + math.log(g / s + found["seconds_base"]))
        self.assertAlmostEqual(found["optimal_variance"] / least, 1, delta=0.003)
        for size in found["sizes"]:
            if size["variance"] < 1:
                self.assertAlmostEqual(size["variance_measured"] / size["variance"], 1, delta=0.5)
        self.assertEqual([mode["name"] for mode in found["mode"]], ["mean", "persistence", "state_sd", "noise_sd"])

    def test_overrides_belong_to_what_was_tuned(self):
        _, found = self.tuned("--set", "model.filter=adapted", "--seed", 5, "-o", "new.toml", name="new")
        text = (self.directory / "new.toml").read_text(encoding="utf-8")
        self.assertIn("seed = 5 # as in the paper", text)
        self.assertIn('filter = "adapted"', text)
        self.assertEqual(found["seed"], 5)

    def test_variance_by_point(self):
        self.file.write_text(FILTERED.replace("[schedule]", "likelihood_variance = 0.5\n[schedule]"), encoding="utf-8")
        _, found = self.tuned("--overwrite", "-o", self.file, name="mine")
        self.assertRegex(found["setting"], r"^model\.likelihood_variance=[0-9.e+-]+$")
        self.assertEqual(self.pearlite("check", self.file).status, 0)

    def test_poor_first_guess(self):
        """Two particles: the pilot is repeated with more."""
        ended, found = self.tuned("--set", "model.particles=2", "--set", "model.simulated_length=20",
                                 "--set", "model.true_noise_sd=0.2")
        self.assertGreater(ended.out.count("pilot:"), 1)
        self.assertGreater(found["gamma2"], 3)


class Ranks(Base):
    def test_all_but_times(self):
        alone = self.tuned("-o", "alone.toml", name="alone")[1]
        for ranks in (2, 3, 4):
            found = self.tuned("-o", f"{ranks}.toml", name=str(ranks), ranks=ranks)[1]
            for key in ("gamma2", "gamma2_standard_error", "schedule_tau", "mode"):
                self.assertEqual(found[key], alone[key])
            measured = {size["particles"]: size["variance_measured"] for size in alone["sizes"]}
            for size in found["sizes"]:
                self.assertEqual(measured.get(size["particles"], size["variance_measured"]), size["variance_measured"])


if __name__ == "__main__":
    runner.main()
