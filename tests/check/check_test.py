"""Predictions of `pearlite check`: of every algorithm, on several ranks, with nothing written; models that fail or are
slow. Times on a busy machine are unreliable, so app/probe_test tests the arithmetic on a simulated clock.
"""

import os
import re
import shutil
import unittest

import pearlite_runner as runner

FAULTY = os.environ.get("PEARLITE_FAULTY", "pearlite_faulty")
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "days": 86400}
ISING = {"model": {"name": "ising", "size": 16}, "schedule": {"kind": "linear", "steps": 20_000}}
GAUSSIAN = {"model": {"name": "gaussian", "dimension": 3}}
SEARCHES = ("sa", "vfsa", "saa", "psaa", "pisaa", "asamc", "aesamc")


class Base(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def check(self, *arguments, status=runner.FINISHED, file=None, **options):
        tables = {key: value for key, value in options.items() if isinstance(value, dict) and key != "environment"}
        others = {key: value for key, value in options.items() if key not in tables}
        file = file or runner.write_configuration(self.directory / "c.toml", **tables)
        ended = runner.pearlite("check", file, *arguments, directory=self.directory, **others)
        self.assertEqual(ended.status, status, ended.describe())
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), [file.name])
        return ended

    def seconds(self, ended):
        found = re.search(r"^# time: (?:about )?([0-9.e+]+) (\w+)(?: \(([0-9.e+]+) (\w+) to ([0-9.e+]+) (\w+)\))? on",
                          ended.out, re.MULTILINE)
        self.assertTrue(found, ended.describe())
        number = lambda k: float(found[k]) * UNITS[found[k + 1]]
        if found[3]:
            self.assertLess(number(3), number(1))
            self.assertLess(number(1), number(5))
        self.assertGreater(number(1), 0)
        return number(1)

    def memory(self, ended):
        found = re.search(r"^# memory: \w+ *\w+ ([0-9.e+]+) ([MG])iB a rank", ended.out, re.MULTILINE)
        self.assertTrue(found, ended.describe())
        self.assertGreater(float(found[1]), 0)
        return float(found[1]) * {"M": 1, "G": 1024}[found[2]]


class Predictions(Base):
    def test_more_particles_take_longer(self):
        few, many = (self.check(algorithm={"name": "annealed-importance", "trajectories": n}, **ISING)
                     for n in (5120, 51_200))
        self.assertGreater(self.seconds(many), 2 * self.seconds(few))
        self.memory(many)

    def test_every_algorithm(self):
        for name, keys in (("annealed-importance", {}), ("smc", {}), ("smc", {"waste_free": 16}), ("nonequilibrium", {}),
                           ("parallel-tempering", {}), ("importance-squared", {}), ("likelihood-constrained", {}), ("pseudo-marginal", {})):
            with self.subTest(name, **keys):
                ended = self.check(algorithm={"name": name, **keys}, **GAUSSIAN)
                self.seconds(ended)
                self.memory(ended)
        for name in SEARCHES:
            with self.subTest(name):
                self.seconds(self.check(algorithm={"name": name, "iterations": 1_000_000},
                                        model={"name": "test-function", "function": "rastrigin", "dimension": 5}))

    def test_automatic_moves_of_waste_free_smc(self):
        """The pilot of a model's own kernel must learn their number."""
        self.seconds(self.check(model={"name": "gaussian-mixture", "simulated_points": 8}, kernel={"moves": "auto"},
                                algorithm={"name": "smc", "waste_free": 16}))

    def test_adaptation_without_a_pilot(self):
        self.seconds(self.check(algorithm={"name": "smc", "particles": 20_000}, kernel={"adapt": "online"}, **GAUSSIAN))

    def test_bridge(self):
        self.seconds(self.check(algorithm={"name": "smc"}, path={"kind": "bridge"}, **GAUSSIAN))

    def test_ranks(self):
        settings = {"algorithm": {"name": "annealed-importance", "trajectories": 5120}, **ISING}
        for ranks in (1, 3):
            ended = self.check(ranks=ranks, **settings)
            self.assertEqual(ended.out.count("# time: "), 1)
            self.assertIn(f"on {ranks} rank(s)", ended.out)
            self.seconds(ended)
        for name in ("smc", "parallel-tempering"):
            self.seconds(self.check(ranks=3, algorithm={"name": name, "replicates": 2}, **GAUSSIAN))

    def test_rounds(self):
        self.assertIn("the estimates decide on the number of rounds",
                      self.check(algorithm={"name": "smc", "target_error": 0.1, "replicates": 2}, **GAUSSIAN).out)

    def test_a_wanted_error(self):
        """The population that follows the first one; none where the first is precise enough."""
        self.assertRegex(self.check(algorithm={"name": "smc", "target_error": 0.001}, **GAUSSIAN).out,
                         r"# target_error: the first population, 512 particles, has an error bar of 0\.\d+; one of "
                         r"\d+ follows, for 0\.001: about ")
        self.assertRegex(self.check(algorithm={"name": "smc", "target_error": 5}, **GAUSSIAN).out,
                         r"# target_error: the first population, 512 particles, has an error bar of .*, which is enough")

    def test_sweep(self):
        file = self.directory / "sweep.toml"
        file.write_text('[model]\nname = "gaussian"\n[algorithm]\nname = "smc"\n[sweep]\nalgorithm.particles = [64, 128]\n',
                        encoding="utf-8")
        for options in ({}, {"ranks": 3}):
            ended = self.check(file=file, **options)
            self.assertIn("# time: 2 runs like the first would take ", ended.out)
            self.seconds(ended)

    def test_output_is_a_configuration(self):
        first = self.check(algorithm={"name": "smc"}, **GAUSSIAN)
        (self.directory / "c.toml").write_text(first.out, encoding="utf-8")
        again = self.check("--probe", 0, file=self.directory / "c.toml")
        self.assertEqual(first.out.partition("# time:")[0], again.out)
        self.assertNotIn("# time:", again.out)

    def test_too_much_memory(self):
        ended = self.check(algorithm={"name": "parallel-tempering", "replicas": 512}, model={"name": "ising", "size": 2048},
                           schedule={"kind": "linear", "steps": 1_000_000}, status=runner.BAD_INPUT)
        self.assertRegex(ended.err, r"^pearlite: algorithm\.replicas: takes at least \S+ GiB on each of 1 rank\(s\), where "
                                    r"\S+ GiB are free; expected a smaller number, or more memory\n$")


class Faults(Base):
    def faulty(self, fault, after, *arguments, rank=0, **options):
        return self.check(*arguments, executable=FAULTY, model={"name": "faulty", "fault": fault, "rank": rank, "after": after},
                          algorithm={"name": "smc", "particles": 1024}, schedule={"kind": "linear", "steps": 100},
                          kernel={"moves": 1, "kind": "random-walk", "adapt": "online"}, **options)

    def messages(self, ended):
        """The messages without numbers: the model counts its evaluations, of which the probe makes some more."""
        self.assertEqual(ended.status, runner.FAILED, ended.describe())
        return [re.sub(r"-?[0-9.]+", "n", line) for line in ended.err.splitlines() if line.startswith("pearlite")]

    def test_failures_are_those_of_the_run(self):
        for fault, message in (("exception", "the library of the model gave up"), ("nan", "nan")):
            for ranks, after in ((1, 0), (1, 3000), (3, 0), (3, 3000)):
                with self.subTest(fault, ranks=ranks, after=after):
                    # The probe ends with the fault; a shorter one may end before, on a busy machine.
                    checked = self.faulty(fault, after, "--probe", 60, rank=ranks - 1, ranks=ranks, status=runner.FAILED)
                    self.assertRegex(self.messages(checked)[0], f"(?i){message}")
                    ran = runner.pearlite("run", self.directory / "c.toml", "-o", self.directory / "out", ranks=ranks,
                                          executable=FAULTY)
                    shutil.rmtree(self.directory / "out")
                    self.assertEqual(self.messages(checked), self.messages(ran))

    def test_slow_models(self):
        """A millisecond an evaluation: fewer particles, and where that is not enough no prediction. Without, the check would
        take as long as the run that it predicts, of hours."""
        ended = self.faulty("slow", 0)
        self.assertGreater(self.seconds(ended), ended.seconds)
        ended = self.faulty("slow", 0, "--probe", 0.0001)
        self.assertIn("no prediction: one evaluation of the model takes", ended.out)


if __name__ == "__main__":
    runner.main()
