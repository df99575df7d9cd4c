"""A toy model, path, kernel, algorithm, operation of searches, estimator, part of results and command, tested through
the commands. The model and the algorithm take three files each, the kernel two, all others one; a key takes a line.

One line each outside these files: the model's in models/list_of_models.inl, the path's in path/list_of_paths.inl, the
kernel's in kernel/list_of_kernels.inl, the algorithm's in algorithm/plans/list_of_algorithms.inl, the operation's in
kernel/search/box/list_of_operations.inl, the estimator's in estimator/work/list_of_estimators.inl, the part's in
app/result/parts/list_of_parts.inl, the command's in app/commands/list_of_commands.inl.

The estimates must lie within 4 standard errors of the exact evidence: a false alarm in 15,000 seeds. The seed is fixed.
"""

import json
import os
import subprocess
import sys
import unittest

from pearlite_runner import BAD_INPUT, FINISHED, main, pearlite, scratch_directory, write_configuration

TOY = os.environ["TOY"]
TABLES = {"run": {"seed": 7}, "model": {"name": "toy", "y": 2.5}, "schedule": {"kind": "linear", "steps": 60}, "kernel": {"kind": "toy"},
          "algorithm": {"name": "toy", "walkers": 300}}


def has_report_python():
    return subprocess.run([sys.executable, "-c", "import h5py, matplotlib"], capture_output=True).returncode == 0


class Toy(unittest.TestCase):
    def setUp(self):
        self.place = self.enterContext(scratch_directory())
        self.toml = self.place / "toy.toml"
        write_configuration(self.toml, **TABLES)

    def start(self, *arguments, expect=FINISHED, **options):
        ended = pearlite(*arguments, executable=TOY, directory=self.place, timeout=100, **options)
        if expect is not None:
            self.assertEqual(ended.status, expect, ended.describe())
        return ended

    def summary(self, name):
        return json.loads((self.place / name / "summary.json").read_text())

    def test_run_on_one_and_three_ranks(self):
        self.start("run", self.toml, "-o", "one")
        self.start("run", self.toml, "-o", "three", ranks=3)
        one, three = self.summary("one"), self.summary("three")
        self.assertEqual((one["ranks"], three["ranks"]), (1, 3))
        self.assertEqual(one["digest"], three["digest"])
        evidence = one["log_evidence"][0]
        self.assertLess(abs(evidence["value"] - evidence["exact"]), 4 * evidence["standard_error"])
        self.assertGreater(evidence["standard_error"], 0)

    def test_stop_and_resume_on_other_ranks(self):
        self.start("run", self.toml, "-o", "whole")
        # mpirun may turn the exit status of a stopped run into 1, so the summary is read.
        self.start("run", self.toml, "-o", "parts", "--step-limit", 25, ranks=2, expect=None)
        self.assertEqual(self.summary("parts")["status"], "stopped")
        self.start("resume", "parts", ranks=3)
        self.assertEqual(self.summary("parts")["status"], "finished")
        self.assertEqual(self.summary("parts")["digest"], self.summary("whole")["digest"])

    def test_each_goes_with_those_of_the_package(self):
        """The kernel moves built-in models under built-in algorithms, the algorithm anneals built-in models, the model is
        moved by the built-in kernel."""
        others = {"gaussian": ["model.name='gaussian'", "model.start_sd=3.0", "model.start_mean=0.0", "model.end_mean=1.0"],
                  "smc": ["algorithm.name='smc'", "algorithm.particles=256"],
                  "walk": ["kernel.kind='random-walk'", "kernel.pilot_particles=64"],
                  "tempered": ["algorithm.name='parallel-tempering'", "algorithm.scans=200", "schedule.steps=7"]}
        drop = {"gaussian": ["model"], "smc": ["algorithm"], "walk": [], "tempered": ["algorithm"]}
        for name, keys in others.items():
            with self.subTest(name):
                write_configuration(self.toml, **{k: v for k, v in TABLES.items() if k not in drop[name]})
                settings = [part for key in keys for part in ("--set", key)]
                for ranks in (1, 3):
                    self.start("run", self.toml, "-o", f"{name}-{ranks}", *settings, ranks=ranks)
                one, three = (self.summary(f"{name}-{ranks}") for ranks in (1, 3))
                self.assertEqual(one["digest"], three["digest"])
                evidence = one["log_evidence"][0]
                self.assertLess(abs(evidence["value"] - evidence["exact"]), 4 * evidence["standard_error"])

    def test_search(self):
        """Rastrigin's function is the same on the other side of the origin, so that each chain goes there and back."""
        write_configuration(self.toml, run={"seed": 7}, model={"name": "test-function", "rotated": False, "dimension": 3},
                            kernel={"operations": ["metropolis", "toy"]},
                            algorithm={"name": "sa", "chains": 9, "iterations": 400, "regions": 30, "range_iterations": 100})
        for ranks in (1, 3):
            self.start("run", self.toml, "-o", f"search-{ranks}", ranks=ranks)
        one, three = self.summary("search-1"), self.summary("search-3")
        self.assertEqual(one["digest"], three["digest"])
        acceptance = one["diagnostics"]["acceptance"]
        self.assertGreater(acceptance["metropolis"], 0)
        self.assertLess(acceptance["metropolis"], 1)
        self.assertEqual(acceptance["toy"], 1)

    def test_path_part_and_estimator(self):
        """The toy path is the model's own; the part is in summary and text, the estimator among the estimates."""
        keys = ("--set", "algorithm.name='nonequilibrium'", "--set", "algorithm.trajectories=100",
                "--set", "kernel.kind='random-walk'", "--set", "kernel.pilot_particles=64")
        write_configuration(self.toml, **{k: v for k, v in TABLES.items() if k != "algorithm"})
        for name, ranks in (("tempered", 1), ("toy", 2)):
            text = self.start("run", self.toml, "-o", name, "--set", f"path.kind='{name}'", *keys, ranks=ranks).out
            self.assertIn(f"a toy on {ranks} rank(s)", text)
        own, toy = (self.summary(name) for name in ("tempered", "toy"))
        self.assertEqual(own["digest"], toy["digest"])
        self.assertEqual((own["diagnostics"]["toy_ranks"], toy["diagnostics"]["toy_ranks"]), (1, 2))
        values = {each["estimator"]: each["value"] for each in toy["log_evidence"]}
        self.assertAlmostEqual(values["toy"], (values["jarzynski-forward"] + values["jarzynski-reverse"]) / 2)

    def test_command(self):
        self.assertEqual(self.start("toy", "--name", "reader").out, "hello, reader\n")
        self.assertRegex(self.start("--help").out, r"(?m)^  toy +say hello")

    def test_check(self):
        text = self.start("check", self.toml).out
        for line in ("prior_sd = 3.0", 'kind = "toy"', "moves = 2", "walkers = 300", "# cost: "):
            self.assertIn(line, text)
        wrong = self.start("check", self.toml, "--set", "model.prior_sd=0.0", "--set", "kernel.kind='top'",
                           "--set", "algorithm.walkers=1", expect=BAD_INPUT).err
        for part in ("prior_sd", "random-walk", "walkers"):
            self.assertIn(part, wrong)

    def test_list(self):
        text = self.start("list").out
        self.assertRegex(text, r"(?m)^  toy +a normal observation; exact evidence$")
        self.assertRegex(text, r"(?m)^  toy +annealed importance sampling in its shortest form$")
        self.assertRegex(text, r"(?m)^  toy +auto *annealed-importance, .*\btoy$")
        self.assertRegex(text, r"(?m)^  toy +draws from the prior$")
        self.assertRegex(text, r"(?m)^  toy +the other side of the origin$")
        self.assertRegex(text, r"(?m)^  ising +native *annealed-importance, .*\btoy;")

    def test_keys(self):
        text = self.start("keys").out
        for part in ("walkers", "prior_sd", "draws from the prior"):
            self.assertIn(part, text)
        schema = json.dumps(json.loads(self.start("keys", "--json-schema").out))
        self.assertIn('"walkers"', schema)

    @unittest.skipUnless(has_report_python(), "no Python with h5py and matplotlib: no report")
    def test_report(self):
        self.start("run", self.toml, "-o", "reported", ranks=3)
        self.start("report", "reported")
        self.assertIn("walkers", (self.place / "reported/report.html").read_text())


if __name__ == "__main__":
    main()
