"""The gallery's commands make its reports: those of two of its jobs, each of which is one file with its figures in it.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "docs/_site"))
import gallery  # noqa: E402 (found by the line above)

SCRIPT = SOURCE / "docs/_site/gallery.py"


def run(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], text=True, capture_output=True, check=False,
                          env={**os.environ, **environment})


class Gallery(unittest.TestCase):
    def test_page(self):
        page = gallery.PAGE.read_text(encoding="utf-8")
        entries = gallery.entries_of(page)
        self.assertGreaterEqual(len(entries), 8)
        # Each command of the page belongs to an entry, and each job is there.
        self.assertEqual(len(re.findall(r"^    pearlite ", page, re.MULTILINE)), 2 * len(entries))
        for commands, _ in entries.values():
            self.assertTrue((SOURCE / commands[0].split()[2]).exists(), commands[0])

    def test_reports(self):
        with tempfile.TemporaryDirectory() as place:
            made = run(place, "ising-arm", "gaussian-tempering")
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertEqual(sorted(file.name for file in pathlib.Path(place).iterdir()),
                             ["gaussian-tempering.html", "gaussian-tempering.svg", "ising-arm.html", "ising-arm.svg"])
            for report in pathlib.Path(place).glob("*.html"):
                text = report.read_text(encoding="utf-8")
                self.assertTrue('src="data:image/svg' in text, report.name)
                self.assertEqual(re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', text), [], report.name)

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as place:
            wrong = run(place, "no-such-job")
            self.assertEqual(wrong.returncode, 1)
            self.assertIn("no-such-job: not in docs/gallery.md", wrong.stderr)

    def test_missing_data(self):
        with tempfile.TemporaryDirectory() as place:
            made = run(place, "pima", PEARLITE_DATA_DIR=place)
            self.assertEqual((made.returncode, made.stdout), (0, "pima: left out, its data are missing\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
