"""`pearlite tune`: its refusals and its output, which is a legal configuration and apart from times does not depend on
ranks."""

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


SURVEYED = """\
# A lattice of mine.
[run]
seed = 4

[schedule]
kind = "varopt-m"  # measured
steps = 40
pilot_steps = 60
pilot_trajectories = 30
hold_knots = 5
hold_sweeps = 40

[model]
name = "ising"
size = 6
[algorithm]
name = "annealed-importance"
trajectories = 60 # a guess
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


class Schedules(unittest.TestCase):
    """An optimised schedule becomes a file; a run with the file equals the run that computes the schedule."""

    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.file = self.directory / "mine.toml"
        self.file.write_text(SURVEYED, encoding="utf-8")

    def pearlite(self, *arguments, **options):
        return runner.pearlite(*arguments, directory=self.directory, timeout=300, **options)

    def test_a_file_in_place_of_a_survey(self):
        ended = self.pearlite("tune", self.file)
        self.assertEqual(ended.status, 0, ended.describe())
        tuned = (self.directory / "mine-tuned.toml").read_text(encoding="utf-8")
        self.assertIn('kind = "file"', tuned)
        self.assertIn("trajectories = 60 # a guess", tuned)
        self.assertNotIn("varopt", tuned)
        found = json.loads((self.directory / "mine-tuned.json").read_text(encoding="utf-8"))
        self.assertEqual(found["steps"], 40)
        self.assertGreater(found["predicted_variance"]["finite_steps"], 0)
        results = []
        for name, ranks in (("mine", 1), ("mine-tuned", 2)):
            ended = self.pearlite("run", f"{name}.toml", "-o", f"runs-{name}", ranks=ranks)
            self.assertEqual(ended.status, 0, ended.describe())
            results.append(runner.summary(self.directory / f"runs-{name}"))
        self.assertEqual(results[0]["digest"], results[1]["digest"])
        schedule = results[0]["schedule"]
        self.assertEqual(schedule["predicted_from"], "survey")
        self.assertGreater(schedule["predicted_variance"]["measured_mixing"],
                           schedule["predicted_variance"]["perfect_mixing"])
        again = self.pearlite("tune", self.file)
        self.assertEqual(again.status, runner.BAD_INPUT, again.describe())
        self.assertRegex(again.err, "exists; --overwrite replaces it")

    def test_the_short_form_is_tuned_as_it_is_run(self):
        text = SURVEYED + "[short]\nschedule.steps = 20\nalgorithm.trajectories = 32\n"
        self.file.write_text(text, encoding="utf-8")
        ended = self.pearlite("tune", self.file, "--set", "run.short=true")
        self.assertEqual(ended.status, 0, ended.describe())
        digests = []
        for name, options in (("mine", ["--set", "run.short=true"]), ("mine-tuned", [])):
            ended = self.pearlite("run", f"{name}.toml", "-o", f"short-{name}", *options)
            self.assertEqual(ended.status, 0, ended.describe())
            digests.append(runner.summary(self.directory / f"short-{name}")["digest"])
        self.assertEqual(digests[0], digests[1])

    def test_populations_that_interact_have_predictions(self):
        for algorithm, schedule, source in (("smc", {}, "run"), ("parallel-tempering", {}, "run"),
                                            ("smc", {"kind": "varopt-m", "steps": 60, "hold_sweeps": 60}, "survey")):
            name = f"{algorithm}-{source}"
            file = runner.write_configuration(self.directory / f"{name}.toml", model={"name": "ising", "size": 8},
                                              algorithm={"name": algorithm}, schedule=schedule)
            ended = self.pearlite("run", file, "-o", name)
            self.assertEqual(ended.status, 0, ended.describe())
            summary = runner.summary(self.directory / name)
            # A screen that says "supported" is not burdened with them.
            words = r"schedule: independent trajectories would have Var\[log w\]"
            is_supported = summary["headline"]["support"]["word"] == "supported"
            (self.assertNotRegex if is_supported else self.assertRegex)(ended.out, words)
            self.assertEqual(summary["schedule"]["predicted_from"], source)
            self.assertGreater(summary["schedule"]["predicted_variance"]["finite_steps"], 0)
            self.assertNotIn("log_weight_variance", summary["schedule"])

    def test_where_nothing_varies_nothing_is_infinite(self):
        """At inverse temperature 2 all trajectories of the survey stay in the ground state."""
        file = runner.write_configuration(
            self.directory / "cold.toml", model={"name": "ising", "size": 8}, algorithm={"name": "smc"},
            path={"inverse_temperature_end": 2.0}, schedule={"kind": "varopt-m", "steps": 60, "hold_sweeps": 60})
        ended = self.pearlite("run", file, "-o", "cold")
        self.assertEqual(ended.status, 0, ended.describe())
        self.assertNotIn("no finite variance", str(runner.summary(self.directory / "cold")["diagnostics"]["warnings"]))

    def test_ranks_change_nothing(self):
        texts = []
        for ranks in (1, 3):
            ended = self.pearlite("tune", self.file, "-o", f"on-{ranks}.toml", ranks=ranks)
            self.assertEqual(ended.status, 0, ended.describe())
            texts.append((self.directory / f"on-{ranks}.schedule").read_text(encoding="utf-8"))
        self.assertEqual(*texts)

    def test_mistakes(self):
        for setting, message in (("schedule.cap=0.5", r"schedule\.cap: outside the range"),
                                 ("schedule.floor=1.5", r"schedule\.floor: outside the range"),
                                 ("schedule.hold_sweeps=-1", r"schedule\.hold_sweeps"),
                                 ("schedule.refine=true", r"schedule\.refine: got true.*algorithm\.target_error and algorithm\.replicates"),
                                 ("schedule.pilot_trajectories=3", r"schedule\.pilot_trajectories")):
            ended = self.pearlite("tune", self.file, "--set", setting)
            self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
            self.assertRegex(ended.err, message)
        chains = '[model]\nname = "gaussian"\n[algorithm]\nname = "pseudo-marginal"\n[schedule]\nkind = "varopt"\n'
        self.file.write_text(chains, encoding="utf-8")
        ended = self.pearlite("check", self.file)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertRegex(ended.err, 'schedule\\.kind: not a legal value .got "varopt"')


if __name__ == "__main__":
    runner.main()
