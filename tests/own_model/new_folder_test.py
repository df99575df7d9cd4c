"""`pearlite new`: the folders that it makes build as they stand against the installed package, and their programs are right.

usage: new_folder_test.py SOURCE_DIRECTORY BUILD_DIRECTORY MPIEXEC

Evidences must lie within 4 standard errors of quadrature and of a closed form, a false alarm in 15 000 seeds; seeds are fixed.
"""

import json
import math
import pathlib
import shutil
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from installed_package import call, install

SOURCE, BUILD, MPIEXEC = (pathlib.Path(argument) for argument in sys.argv[1:4])
FOLDERS = {"model": "my-model", "likelihood": "noisy_one", "energy": "Hills2"}
BAD_INPUT = 2


def log_normal(x, variance):
    return -0.5 * x * x / variance - 0.5 * math.log(2 * math.pi * variance)


def log_sum(terms):
    highest = max(terms)
    return highest + math.log(sum(math.exp(term - highest) for term in terms))


def evidence_of_model(y=(4.1, 5.3, 4.4, 6.0, 5.2, 4.8)):
    """mu integrated out in closed form, sigma on a grid of logarithms."""
    n, mean = len(y), sum(y) / len(y)
    rest, step, terms = sum((value - mean) ** 2 for value in y), 1e-3, []
    for k in range(-6000, 4000):
        sigma = math.exp(k * step)
        of_mean = log_normal(mean, 100 + sigma ** 2 / n) - log_normal(0, sigma ** 2 / n)
        terms.append(of_mean + n * log_normal(0, sigma ** 2) - rest / (2 * sigma ** 2) - sigma + math.log(sigma * step))
    return log_sum(terms)


def evidence_of_likelihood(y=(0.3, 1.9, -0.4, 1.2, 2.4, 0.8)):
    n, mean, variance = len(y), sum(y) / len(y), 1.49
    return (log_normal(mean, 4 + variance / n) - log_normal(0, variance / n)
            + sum(log_normal(value - mean, variance) for value in y))


class NewFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="new_folder-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.pearlite = install(BUILD, cls.place) / "bin" / "pearlite"
        for kind, name in FOLDERS.items():
            made = call(cls.pearlite, "new", kind, name, directory=cls.place)
            assert f"cd {name} && cmake -S . -B build && cmake --build build" in made, made
            call("cmake", "-S", cls.place / name, "-B", cls.place / name / "build")
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda name: call("cmake", "--build", cls.place / name / "build"), FOLDERS.values()))

    def run_of(self, kind):
        name = FOLDERS[kind]
        call(MPIEXEC, "-n", 2, f"build/{name}", "run", f"{name}.toml", directory=self.place / name)
        return json.loads((self.place / name / "runs" / name / "summary.json").read_text())

    def check_evidence(self, kind, exact):
        estimate = self.run_of(kind)["log_evidence"][0]
        self.assertLess(abs(estimate["value"] - exact), 4 * estimate["standard_error"], estimate)
        self.assertLess(estimate["standard_error"], 0.1)

    def test_model(self):
        self.check_evidence("model", evidence_of_model())

    def test_likelihood(self):
        self.check_evidence("likelihood", evidence_of_likelihood())

    def test_energy(self):
        summary = self.run_of("energy")
        self.assertAlmostEqual(summary["headline"]["value"], 0, delta=1e-8)

    def test_names(self):
        folder = self.place / FOLDERS["model"]
        self.assertIn("class MyModel {", (folder / "my-model.cpp").read_text())
        self.assertEqual(sorted(path.name for path in folder.iterdir() if path.is_file()),
                         ["CMakeLists.txt", "README.md", "my-model.cpp", "my-model.toml"])
        for folder in FOLDERS.values():
            for file in (path for path in (self.place / folder).iterdir() if path.is_file()):
                self.assertNotIn("@", file.read_text(), file)

    def test_refusals(self):
        for arguments, words in ((("model", "my-model"), "is there already"), (("model", "../up"), "cannot be a target"),
                                 (("model", "9lives"), "cannot be a target"), (("model", "test"), "cannot be a target"),
                                 (("model", "a" * 65), "at most 64"), (("galaxy", "mine"), "galaxy")):
            self.assertIn(words, call(self.pearlite, "new", *arguments, expect=BAD_INPUT, directory=self.place))
        self.assertFalse((self.place / "mine").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
