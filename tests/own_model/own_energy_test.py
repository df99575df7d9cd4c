"""User-defined energies, as docs/own-models.md describes: installs a build, moves it, builds drivers/custom_energy.cpp
outside the tree against it and runs searches.

usage: own_energy_test.py SOURCE_DIRECTORY BUILD_DIRECTORY MPIEXEC
"""

import json
import pathlib
import shutil
import sys
import tempfile
import unittest

from installed_package import block_of_page, build_and_compile, call, check_lacking, has_report_python, install, set_up_project

SOURCE, BUILD, MPIEXEC = (pathlib.Path(argument) for argument in sys.argv[1:4])
LACKING = sorted((SOURCE / "tests/own_model/lacking_energies").glob("*.cpp"))
# Seven atoms: Hoare & Pal (1971).
PENTAGONAL_BIPYRAMID = -16.505384
BAD_INPUT = 2


class OwnEnergy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="own_energy-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.prefix = install(BUILD, cls.place)
        project = cls.place / "project"
        set_up_project(SOURCE, cls.prefix, project, "custom_energy")
        cls.tomls = {name: project / f"{name}.toml" for name in ("tour", "cluster")}
        for name, toml in cls.tomls.items():
            toml.write_text(block_of_page(SOURCE, "toml", name))
        cls.lacking = build_and_compile(project / "build", LACKING)
        cls.program = project / "build/custom_energy"

    def start(self, ranks, *arguments, expect=0):
        return call(MPIEXEC, "-n", ranks, self.program, *arguments, expect=expect, directory=self.place)

    def summary(self, name):
        return json.loads((self.place / name / "summary.json").read_text())

    def search(self, energy, name, ranks, *options, expect=0):
        output = self.start(ranks, "run", self.tomls[energy], "-o", name, *options, expect=expect)
        return self.summary(name), output

    def test_the_tour_of_the_circle_is_found_by_any_number_of_ranks(self):
        one, output = self.search("tour", "tour-1", 1)
        self.assertIn("the known minimum was found", output)
        self.assertEqual(one["best"]["energy"], one["replicates"][0]["best"])
        self.assertAlmostEqual(one["best"]["energy"], one["best"]["known_minimum"], delta=1e-9)
        # Around the circle, one way or the other.
        tour = one["best"]["state"]
        steps = {(b - a) % len(tour) for a, b in zip(tour, tour[1:] + tour[:1])}
        self.assertIn(steps, ({1}, {len(tour) - 1}))
        three, _ = self.search("tour", "tour-3", 3)
        self.assertEqual((one["ranks"], three["ranks"]), (1, 3))
        self.assertEqual(one["digest"], three["digest"])

    def test_the_polished_cluster_is_the_known_one(self):
        one, output = self.search("cluster", "cluster-1", 1)
        three, _ = self.search("cluster", "cluster-3", 3)
        self.assertEqual(one["digest"], three["digest"])
        self.assertEqual(one["polished"], three["polished"])
        self.assertIn("polished", output)
        self.assertIn("3 of 3 replicates found the best energy", one["verdict"])
        self.assertAlmostEqual(one["polished"]["energy"], PENTAGONAL_BIPYRAMID, delta=1e-6)
        # The descent does not change the results of the search, and its evaluations are counted separately.
        plain, _ = self.search("cluster", "cluster-plain", 1, "--set", "algorithm.polish=false")
        self.assertNotIn("polished", plain)
        self.assertEqual(plain["best"], one["best"])
        for rough, fine in zip(plain["replicates"], one["replicates"]):
            self.assertEqual((rough["best"], rough["evaluations"]), (fine["best"], fine["evaluations"]))
            self.assertLess(fine["polished"], fine["best"] - 1e-4)
            self.assertGreater(fine["polish_evaluations"], 10)
        shown = call(self.program, "show", "cluster-1/results.h5", directory=self.place)
        self.assertIn("polished/states", shown)

    def test_stop_and_resume(self):
        for energy in self.tomls:
            with self.subTest(energy=energy):
                whole, _ = self.search(energy, f"{energy}-whole", 2)
                parts = f"{energy}-parts"
                # mpirun may change the exit status of a stopped run, so the summary is read.
                self.search(energy, parts, 1, "--step-limit", 100, expect=None)
                self.assertEqual(self.summary(parts)["status"], "stopped")
                self.start(3, "resume", parts, "--step-limit", 90, expect=None)
                self.assertEqual(self.summary(parts)["status"], "stopped")
                self.start(2, "resume", parts)
                self.assertEqual(self.summary(parts)["digest"], whole["digest"])

    def test_check_list_and_report(self):
        tour = self.tomls["tour"]
        self.assertIn("cities = 40", call(self.program, "check", tour))
        self.assertRegex(call(self.program, "list"), r"cluster +metropolis, hit-and-run")
        message = call(self.program, "check", tour, "--set", "model.cities=2", expect=BAD_INPUT)
        self.assertIn("model.cities", message)
        message = call(self.program, "check", tour, "--set", "algorithm.polish=true", expect=BAD_INPUT)
        self.assertIn("algorithm.polish", message)
        self.assertIn("discrete", message)
        if not has_report_python():
            self.skipTest("no Python with h5py and matplotlib: no report")
        self.search("tour", "reported", 1)
        call(self.program, "report", "reported", directory=self.place)
        self.assertIn("tour", (self.place / "reported/report.html").read_text())

    def test_what_an_energy_lacks_is_said_and_nothing_else(self):
        self.assertGreaterEqual(len(self.lacking), 5)
        check_lacking(self, self.lacking)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
