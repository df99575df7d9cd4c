"""The package installed by CMake, and by pip from a wheel into another root, as docs/python.md says: nothing of the build is
used. Where it was not built, the import says so."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["PEARLITE_BUILD"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
USE = """import os, pearlite
print(os.path.realpath(pearlite.__file__), os.path.realpath(pearlite._core.__file__))
assert os.path.exists(os.path.join(os.path.dirname(pearlite.__file__), '_report', 'page.css'))
print(pearlite.run({'model': {'name': 'gaussian'}}, algorithm__particles=64, progress=False).verdict)
print(pearlite.__version__)"""


def call(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more)


class Installed(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def used(self, packages):
        """Uses the package in this directory of packages; its version."""
        done = subprocess.run([sys.executable, "-c", USE], env={**self.environment, "PYTHONPATH": str(packages)},
                              cwd=self.place, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        for file in lines[0].split():
            self.assertTrue(file.startswith(os.path.realpath(packages)), file)
        return lines[-1]

    def test_by_cmake(self):
        call("cmake", "--install", BUILD, "--prefix", self.place, "--component", "python")
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.used(self.place / "lib" / version / "site-packages")

    def test_by_pip_from_a_wheel_without_network(self):
        if any(subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode
               for module in ("pip", "setuptools", "wheel")):
            self.skipTest("pip, setuptools or wheel is not installed (Debian: python3-pip, python3-wheel)")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        call(*pip, "wheel", "--no-build-isolation", "--no-index", "--no-deps", "-w", self.place, ROOT,
             env={**self.environment, "PEARLITE_BUILD": BUILD})
        wheel, = self.place.glob("pearlite-*.whl")
        call(*pip, "install", "--no-index", "--no-deps", "--target", self.place / "root", wheel, env=self.environment)
        self.assertEqual(self.used(self.place / "root"), wheel.name.split("-")[1])

    def test_the_import_says_where_nothing_was_built(self):
        shutil.copytree(ROOT / "drivers/pearlite_python/pearlite", self.place / "pearlite")
        for built, words in ((None, "has not been built"), ("_core.cpython-30-x86_64-linux-gnu.so", "for another Python")):
            if built:
                (self.place / "pearlite" / built).touch()
            done = subprocess.run([sys.executable, "-c", "import pearlite"], env={**self.environment, "PYTHONPATH": self.place},
                                  capture_output=True, text=True, check=False)
            self.assertIn(f"ImportError: pearlite: its compiled part {built or ''}".rstrip(), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertIn("pip install --no-build-isolation .", done.stderr)


if __name__ == "__main__":
    unittest.main()
