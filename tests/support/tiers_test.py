"""Which tests and programs an edit needs, and how a tier closes."""

import pathlib
import tempfile
import unittest

import tiers

BUILD = pathlib.Path("/build")
OUTPUTS = {"drivers/pearlite", "tests/io_test", "tests/algorithm_test", "tests/algorithm_mpi_test"}


def a_test(name, *labels, program=None):
    return {"name": name, "labels": list(labels), "command": [f"/build/{program}"] if program else ["python3", "x.py"],
            "environment": ["PEARLITE=/build/drivers/pearlite"] if not program else []}


TESTS = [a_test("io", "io", program="tests/io_test"), a_test("algorithm", "algorithm", program="tests/algorithm_test"),
         a_test("algorithm_mpi_2", "algorithm", "mpi", program="tests/algorithm_mpi_test"), a_test("golden", "golden", "quick"),
         a_test("smc_study", "statistical"), a_test("smc_study_full", "statistical", "long")]


class Selection(unittest.TestCase):
    """Catches an edit whose tests are not run or not built."""

    def test_a_layer_is_its_tests_alone(self):
        others = a_test("population", "population", program="tests/population_test")  # has "io" in its name
        names, programs, suite_filter = tiers.selection([*TESTS, others], "io", {}, BUILD, OUTPUTS)
        self.assertEqual((names, programs, suite_filter), (["io"], ["tests/io_test"], ""))

    def test_an_algorithm_is_its_suites_its_rows_and_what_has_its_name(self):
        suites = {"algorithm": ["Smc", "SmcSettings"]}
        names, programs, suite_filter = tiers.selection(TESTS, "smc", suites, BUILD, OUTPUTS)
        self.assertEqual(names, ["smc_study", "algorithm", "golden"])
        self.assertEqual(programs, ["drivers/pearlite", "tests/algorithm_test"])
        self.assertEqual(suite_filter, "Smc.*:*/Smc.*:Smc/*:SmcSettings.*:*/SmcSettings.*:SmcSettings/*")

    def test_a_test_of_the_whole_build_needs_all(self):
        installs = {**a_test("own_model", "own_model"), "command": ["python3", "own_model_test.py", "/build"]}
        self.assertEqual(tiers.selection([*TESTS, installs], "own_model|io", {}, BUILD, OUTPUTS)[1], ["all"])

    def test_suites_are_found_by_the_names_of_files(self):
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory) / "algorithm"
            folder.mkdir()
            (folder / "smc_test.cpp").write_text("TEST(Smc, A) {}\nTEST(Smc, B) {}\n")
            (folder / "smc_mpi_test.cpp").write_text("TEST_P(Ranks, A) {}\n")
            (folder / "other_test.cpp").write_text("TEST(Other, A) {}\n")
            found = tiers.suites_of("smc", pathlib.Path(directory))
        self.assertEqual(found, {"algorithm": ["Smc"], "algorithm_mpi": ["Ranks"]})


class Closing(unittest.TestCase):
    """Catches a tier that grows past its budget in silence, and a warning on a slow machine."""

    def test_the_five_dearest_are_named(self):
        lines = tiers.closing("quick", [(f"t{k}", float(k)) for k in range(9)], 1.0, 2)
        self.assertEqual(lines[1], "dearest: t8 8 s, t7 7 s, t6 6 s, t5 5 s, t4 4 s")
        self.assertEqual(len(lines), 2)

    def test_past_the_budget_is_a_warning_but_not_on_a_slow_machine(self):
        cases = [("a", 250.0)]
        self.assertIn("WARNING", tiers.closing("quick", cases, 1.0, 2)[-1])
        self.assertNotIn("WARNING", tiers.closing("quick", cases, 1.2, 2)[-1])
        self.assertNotIn("WARNING", tiers.closing("quick", cases, 1.0, 1)[-1])


if __name__ == "__main__":
    unittest.main()
