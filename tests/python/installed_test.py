"""The package installed into a virtual environment, as docs/python.md says: imported there, and nothing of the build is used."""

import os
import subprocess
import sys
import tempfile
import unittest


class Installed(unittest.TestCase):
    def test_in_a_virtual_environment(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", prefix], check=True)
            subprocess.run(["cmake", "--install", os.environ["PEARLITE_BUILD"], "--prefix", prefix], check=True,
                           stdout=subprocess.DEVNULL)
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            text = ("import pearlite, os\nprint(os.path.realpath(pearlite.__file__), os.path.realpath(pearlite._core.__file__))\n"
                    "print(pearlite.run({'model': {'name': 'gaussian'}}, algorithm__particles=64, progress=False).verdict)")
            done = subprocess.run([f"{prefix}/bin/python3", "-c", text], env=environment, cwd=prefix, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            for file in done.stdout.splitlines()[0].split():
                self.assertTrue(file.startswith(os.path.realpath(prefix)), file)


if __name__ == "__main__":
    unittest.main()
