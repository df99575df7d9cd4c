"""A user-defined density that grows, as docs/own-models.md describes: installs a build, moves it, builds
drivers/custom_growing.cpp outside the tree against it and runs the program.

usage: own_growing_test.py SOURCE_DIRECTORY BUILD_DIRECTORY MPIEXEC

The estimates must lie within 4 standard errors of the exact values: the error bar of the number of walks comes from 8
replicates, with which a right value lies outside once in 190 seeds. The seed is fixed.
"""

import json
import math
import pathlib
import shutil
import sys
import tempfile
import unittest

from installed_package import block_of_page, build_and_compile, call, install, set_up_project

SOURCE, BUILD, MPIEXEC = (pathlib.Path(argument) for argument in sys.argv[1:4])
# Self-avoiding walks of so many steps, and the mean square of the distance of their ends, by enumeration.
WALKS = {10: 44100, 20: 897697164}
SQUARED_DISTANCE = {10: 26.242540, 20: 72.076550}
LIMIT = 4
BAD_INPUT = 2


class OwnGrowing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="own_growing-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        prefix = install(BUILD, cls.place)
        project = cls.place / "project"
        # A wrong twin, whose walks may turn back after a move.
        wrong = '\nfile(READ custom_growing.cpp text)\nstring(REPLACE "sites(moved).size() == x.size() + 1" "true" text "${text}")\n' \
                "file(WRITE ${CMAKE_BINARY_DIR}/wrong.cpp \"${text}\")\nadd_executable(wrong ${CMAKE_BINARY_DIR}/wrong.cpp)\n" \
                "target_link_libraries(wrong PRIVATE Pearlite::Pearlite)\n"
        set_up_project(SOURCE, prefix, project, "custom_growing", more_lines=wrong)
        cls.toml = project / "walk.toml"
        cls.toml.write_text(block_of_page(SOURCE, "toml", "steps = 20\n"))
        build_and_compile(project / "build", [])
        cls.program, cls.wrong = project / "build/custom_growing", project / "build/wrong"

    def run_program(self, name, ranks, *options, program=None):
        call(MPIEXEC, "-n", ranks, program or self.program, "run", self.toml, "-o", name, *options, directory=self.place)
        return json.loads((self.place / name / "summary.json").read_text())

    def z_of(self, summary, steps):
        headline = summary["log_evidence"][0]
        return (headline["value"] - math.log(WALKS[steps])) / headline["standard_error"]

    def test_the_number_of_walks(self):
        for steps in WALKS:
            with self.subTest(steps=steps):
                summary = self.run_program(f"walk-{steps}", 2, "--set", f"model.steps={steps}")
                self.assertAlmostEqual(summary["log_evidence"][0]["exact"], math.log(WALKS[steps]), delta=1e-9)
                self.assertLess(abs(self.z_of(summary, steps)), LIMIT)
                (distance,) = summary["posterior"]
                self.assertEqual(distance["name"], "squared_distance")
                self.assertLess(abs(distance["mean"] - SQUARED_DISTANCE[steps]), 0.05 * SQUARED_DISTANCE[steps])

    def test_a_wrong_move_is_rejected(self):
        summary = self.run_program("wrong", 1, program=self.wrong)
        self.assertGreater(abs(self.z_of(summary, 20)), 2 * LIMIT)

    def test_any_number_of_ranks_and_an_interruption(self):
        one, three = self.run_program("one", 1), self.run_program("three", 3)
        self.assertEqual(one["digest"], three["digest"])
        call(MPIEXEC, "-n", 1, self.program, "run", self.toml, "-o", "parts", "--step-limit", 9, expect=None,
             directory=self.place)
        call(MPIEXEC, "-n", 2, self.program, "resume", "parts", directory=self.place)
        parts = json.loads((self.place / "parts/summary.json").read_text())
        self.assertEqual((parts["status"], parts["digest"]), ("finished", one["digest"]))

    def test_check_and_list(self):
        self.assertIn("steps = 20", call(self.program, "check", self.toml))
        self.assertRegex(call(self.program, "list"), r"walk +native +resample-move")
        message = call(self.program, "check", self.toml, "--set", "algorithm.enlarge=reseed", expect=BAD_INPUT)
        self.assertIn("no data to start chains from", message)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
