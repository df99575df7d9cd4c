"""Files of released versions, and the places that name the present one.

A later version reads the files of an earlier one, or refuses them with status 2 and names the version that made them.
"""

import pathlib
import re
import shutil
import unittest

import pearlite_runner as runner

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
RELEASES = sorted(path for path in HERE.iterdir() if path.is_dir() and (path / "evidence.toml").exists())


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def present_version():
    return re.search(r"project\(Pearlite VERSION (\S+)", read("CMakeLists.txt"))[1]


class Files(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.place = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def runs(self):
        """(version, directory of a copied run) of all."""
        self.assertTrue(RELEASES)
        for release in RELEASES:
            for run in sorted(path for path in release.iterdir() if path.is_dir()):
                copy = self.place / release.name / run.name
                shutil.copytree(run, copy)
                yield release.name, copy

    def refused(self, ended, version):
        """True if a command refused files of another version, which is allowed."""
        if ended.status != runner.BAD_INPUT or version == present_version():
            return False
        self.assertIn(version, ended.err)
        return True

    def test_shown(self):
        for version, run in self.runs():
            for file in sorted(run.glob("*.h5")):
                with self.subTest(version, file=f"{run.name}/{file.name}"):
                    ended = runner.pearlite("show", file)
                    if not self.refused(ended, version):
                        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                        self.assertIn("configuration", ended.out)

    def test_resumed(self):
        """This build resumes the runs on two ranks. They end with right numbers, and with a warning if another build
        began them."""
        for version, run in self.runs():
            with self.subTest(version, run=run.name):
                begun_by = re.search(r"build (\w+)", (run / "summary.json").read_text(encoding="utf-8"))[1]
                ended = runner.pearlite("resume", run, ranks=2)
                if self.refused(ended, version):
                    continue
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                summary = runner.summary(run)
                self.assertEqual(summary["status"], "finished")
                this = re.search(r"build (\w+)", runner.pearlite("--version").out)
                if this and this[1] != begun_by and run.name != "finished":
                    self.assertIn("the checkpoint was made by pearlite " + version, (run / "run.log").read_text())
                if run.name == "search":
                    self.assertLess(summary["best"]["energy"], 2.0)  # of a random state some 40
                else:
                    estimate = summary["log_evidence"][0]
                    self.assertLess(abs(estimate["value"] - estimate["exact"]), 4 * estimate["standard_error"])

    def test_other_commands(self):
        for version, run in self.runs():
            with self.subTest(version, run=run.name):
                state = "finished" if run.name == "finished" else "stopped"
                self.assertIn(state, runner.pearlite("status", run).out)
                if state == "finished":
                    ended = runner.pearlite("draws", run)
                    if not self.refused(ended, version):
                        self.assertEqual(ended.status, runner.FINISHED, ended.describe())

    def test_no_path_of_a_machine(self):
        for release in RELEASES:
            for file in release.rglob("*"):
                if file.is_file():
                    self.assertNotRegex(file.read_bytes(), rb"/(home|work|root|tmp|dev/shm)/", str(file))


class Version(unittest.TestCase):
    """All places name one version."""

    def test_places(self):
        version = present_version()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertIn(f"\nversion: {version}\n", read("CITATION.cff"))
        self.assertIn(f'version("{version}")', read("packaging/spack/package.py"))
        released = re.search(rf"^## \[{re.escape(version)}\] - (\d\d\d\d-\d\d-\d\d)$", read("CHANGELOG.md"), re.MULTILINE)
        self.assertTrue(released, "the changelog has no section of the version")
        self.assertIn(f"\ndate-released: {released[1]}\n", read("CITATION.cff"))
        self.assertTrue((HERE / version).is_dir(), f"make.sh has not been run for {version}")
        self.assertIn(f"pearlite {version}", runner.pearlite("--version").out)


if __name__ == "__main__":
    runner.main()
