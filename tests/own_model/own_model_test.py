"""A user-defined model, as docs/own-models.md describes: installs a build, moves it, builds drivers/custom_model.cpp
outside the tree against it and runs the program.

usage: own_model_test.py SOURCE_DIRECTORY BUILD_DIRECTORY MPIEXEC

The estimates must lie within 3 standard errors of the exact value: a false alarm in 370 seeds for annealed importance
sampling, in 110 for smc (its error comes from 16 batches). The seed is fixed.
"""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

from installed_package import block_of_page, build_and_compile, call, check_lacking, has_report_python, install, set_up_project

SOURCE, BUILD, MPIEXEC = (pathlib.Path(argument) for argument in sys.argv[1:4])
LACKING = sorted((SOURCE / "tests/own_model/lacking").glob("*.cpp"))
# log evidence of 50 heads in 100 tosses under Beta(a, a)
EXACT = {1: -71.398962168859, 20: -69.945563190586}
AIS = ["algorithm.name='annealed-importance'", "algorithm.trajectories=2048", "schedule.steps=200", "schedule.kind='linear'"]
SMC = ["algorithm.name='smc'", "algorithm.particles=512", "algorithm.replicates=16", "kernel.adapt='pilot'"]
FINISHED, BAD_INPUT, STOPPED = 0, 2, 3


class OwnModel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="own_model-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.prefix = install(BUILD, cls.place)
        project = cls.place / "project"
        set_up_project(SOURCE, cls.prefix, project, "custom_model")
        cls.toml = project / "coin.toml"
        cls.toml.write_text(block_of_page(SOURCE, "toml", "trials = 100"))
        cls.lacking = build_and_compile(project / "build", LACKING)
        cls.program = project / "build/custom_model"

    def start(self, ranks, *arguments, expect=0):
        return call(MPIEXEC, "-n", ranks, self.program, *arguments, expect=expect, directory=self.place)

    def summary(self, name):
        return json.loads((self.place / name / "summary.json").read_text())

    def anneal(self, name, settings, prior, ranks, successes=50):
        keys = [f"model.prior_a={prior}.0", f"model.prior_b={prior}.0", f"model.successes={successes}", *settings]
        bare = self.place / "bare.toml"
        bare.write_text("")
        self.start(ranks, "run", bare, "-o", name, *(part for key in keys for part in ("--set", key)))
        return self.summary(name)

    def test_log_evidence_and_digests(self):
        for algorithm, settings in {"ais": AIS, "smc": SMC}.items():
            for prior, exact in EXACT.items():
                with self.subTest(algorithm=algorithm, prior=prior):
                    one, three = (self.anneal(f"{algorithm}-{prior}-{ranks}", settings, prior, ranks) for ranks in (1, 3))
                    self.assertEqual((one["ranks"], three["ranks"]), (1, 3))
                    self.assertEqual(one["digest"], three["digest"])
                    estimate = one["log_evidence"][0]
                    self.assertAlmostEqual(estimate["exact"], exact, delta=1e-9)
                    self.assertLess(abs(estimate["value"] - exact), 3 * estimate["standard_error"])

    def test_wrong_data_are_rejected(self):
        """The comparison is sensitive: 52 heads differ by 0.08 from 50, about 9 standard errors."""
        estimate = self.anneal("wrong", AIS, 1, 1, successes=52)["log_evidence"][0]
        self.assertGreater(abs(estimate["value"] - EXACT[1]), 5 * estimate["standard_error"])

    def test_page_configuration_stop_and_resume(self):
        self.start(1, "run", self.toml, "-o", "whole")
        # mpirun may turn exit status 3 into 1, so the summary is read.
        self.start(1, "run", self.toml, "-o", "parts", "--step-limit", 150, expect=None)
        self.assertEqual(self.summary("parts")["status"], "stopped")
        self.start(3, "resume", "parts", "--step-limit", 120, expect=None)
        self.assertEqual(self.summary("parts")["status"], "stopped")
        self.start(2, "resume", "parts")
        self.assertEqual(self.summary("parts")["status"], "finished")
        self.assertEqual(self.summary("parts")["digest"], self.summary("whole")["digest"])
        call(self.program, "run", self.toml, "-o", "status", "--step-limit", 5, expect=STOPPED, directory=self.place)

    def test_check_list_and_show(self):
        self.assertIn("successes = 50", call(self.program, "check", self.toml))
        self.assertRegex(call(self.program, "list"), r"beta-bernoulli +auto +annealed-importance, smc")
        self.start(1, "run", self.toml, "-o", "shown")
        self.assertIn("samples/values", call(self.program, "show", "shown/results.h5", directory=self.place))
        message = call(self.program, "check", self.toml, "--set", "model.successes=200", "--set", "model.heads=1", expect=BAD_INPUT)
        self.assertIn("expected an integer in [0, 100]", message)
        self.assertIn("unknown key 'model.heads'", message)

    def test_sweep(self):
        """The page's four lines, on one rank and on three."""
        file = self.place / "sweep.toml"
        file.write_text(self.toml.read_text() + block_of_page(SOURCE, "toml", "[sweep]"))
        for ranks in (1, 3):
            self.start(ranks, "run", file, "-o", f"sweep-{ranks}", "--set", "algorithm.trajectories=256")
        one, three = self.summary("sweep-1"), self.summary("sweep-3")
        self.assertEqual((one["finished"], one["failed"]), (80, 0))
        self.assertEqual(one["digest"], three["digest"])
        self.assertIn("| 90 | 200 | 20 |", (self.place / "sweep-3/tables.md").read_text())

    def test_report(self):
        if not has_report_python():
            self.skipTest("no Python with h5py and matplotlib: no report")
        self.assertTrue((self.prefix / "share/pearlite/report.py").exists())
        self.start(1, "run", self.toml, "-o", "reported")
        # The program, outside the prefix, finds the report where the package was moved to.
        call(self.program, "report", "reported", directory=self.place)
        self.assertIn("beta-bernoulli", (self.place / "reported/report.html").read_text())

    def test_what_a_model_lacks_is_said_and_nothing_else(self):
        self.assertGreaterEqual(len(self.lacking), 3)
        check_lacking(self, self.lacking)

    def test_a_project_without_c(self):
        project = self.place / "without-c"
        set_up_project(SOURCE, self.prefix, project, "custom_model", languages=" LANGUAGES CXX")
        self.assertNotIn("CMAKE_C_COMPILER", (project / "build/CMakeCache.txt").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
