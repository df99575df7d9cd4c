"""Every sweep of jobs/papers is legal in all of its settings. Sweeps with a short form run it, and the report draws the
figures that they name. A small RBM replaces the trained ones. Sweeps whose other data are not in PEARLITE_DATA_DIR are
skipped by name.

usage: papers_test.py [PATTERN]    (of shell wildcards, on names such as search-4.2a)
"""

import contextlib
import fnmatch
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

import pearlite_runner as runner

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPERS = ROOT / "jobs" / "papers"
DATA = pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "/nonexistent"))
DIGITS = "mnist/train-images-idx3-ubyte.gz"
NAMED = re.compile(r'"([\w.-]+/[\w.-]+\.(?:gz|f64|h5))"')
TRAINED = "trained/"


PATTERN = "*"


def chosen():
    return sorted(file for file in PAPERS.glob("*.toml") if fnmatch.fnmatch(file.stem, PATTERN))


def data_of(sweep):
    return sorted(set(NAMED.findall(sweep.read_text(encoding="utf-8"))))


def with_machines(scratch):
    """A data directory with what DATA has and a small machine under each name of a trained one."""
    directory = scratch / "data"
    (directory / TRAINED).mkdir(parents=True)
    for there in DATA.iterdir():
        if there.name + "/" != TRAINED:
            (directory / there.name).symlink_to(there)
    training = runner.write_configuration(
        scratch / "training.toml", model={"name": "rbm-training", "images": DIGITS, "hidden": 3},
        algorithm={"name": "contrastive-divergence", "updates": 2, "sample_sweeps": 1, "watched": 10})
    ended = runner.pearlite("run", training, "--data-dir", directory, "-o", scratch / "training")
    if ended.status != runner.FINISHED:
        raise AssertionError(ended.describe())
    for name in {name for sweep in PAPERS.glob("*.toml") for name in data_of(sweep) if name.startswith(TRAINED)}:
        shutil.copy(scratch / "training" / "weights.h5", directory / name)
    return directory


def reporter():
    """drivers/report.py as a module, or None where its libraries are not there: one start of them serves all pages."""
    try:
        import h5py, matplotlib, numpy  # noqa: E401, F401
    except ImportError:
        return None
    spec = importlib.util.spec_from_file_location("report", ROOT / "drivers" / "report.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Papers(unittest.TestCase):
    def setUp(self):
        self.sweeps = chosen()
        self.assertTrue(self.sweeps)
        needed = [DIGITS, *(name for sweep in self.sweeps for name in data_of(sweep) if not name.startswith(TRAINED))]
        if missing := next((name for name in needed if not (DATA / name).exists()), None):
            self.skipTest(f"sweeps of jobs/papers: no {missing} (PEARLITE_DATA_DIR)")
        scratch = runner.scratch_directory()
        self.scratch = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.directory = with_machines(self.scratch)

    def test_every_sweep(self):
        for sweep in self.sweeps:
            with self.subTest(sweep.name):
                ended = runner.pearlite("check", sweep, "--data-dir", self.directory, timeout=240)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertRegex(ended.out, r"^# sweep: \d+ setting")

    def test_short_forms_run_and_are_drawn(self):
        report = reporter()
        for sweep in self.sweeps:
            if not re.search(r"^\[short\]", sweep.read_text(encoding="utf-8"), re.MULTILINE):
                continue
            with self.subTest(sweep.name):
                where = self.scratch / "runs" / sweep.stem
                ended = runner.pearlite("run", sweep, "--set", "run.short=true", "--data-dir", self.directory, "-o", where,
                                        timeout=240)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                summary = json.loads((where / "summary.json").read_text(encoding="utf-8"))
                if report is not None and summary.get("figures"):
                    with contextlib.redirect_stdout(io.StringIO()):
                        self.assertEqual(report.main([str(where)]), 0)
                    drawn = {file.stem for file in (where / "figures").iterdir()}
                    self.assertLessEqual({figure["name"] for figure in summary["figures"]}, drawn)

    def test_a_mistake_is_reported(self):
        wrong = self.scratch / "wrong.toml"
        wrong.write_text('[model]\nname = "gaussian"\n[schedule]\nkind = "unlinear"\n[algorithm]\nname = "smc"\n'
                         "[sweep]\nreplicates = 2\n", encoding="utf-8")
        ended = runner.pearlite("check", wrong, "--data-dir", self.directory)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("kind", ended.err)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith(("-", "Papers")):
        PATTERN = sys.argv.pop(1)
    runner.main()
