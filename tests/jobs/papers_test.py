"""Every sweep of jobs/papers is a configuration that runs would take, in all of its settings. A small machine stands
for the trained ones. Skipped by name where the other data are not in PEARLITE_DATA_DIR."""

import os
import pathlib
import re
import shutil
import unittest

import pearlite_runner as runner

PAPERS = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "papers"
DATA = pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "/nonexistent"))
DIGITS = "mnist/train-images-idx3-ubyte.gz"
NAMED = re.compile(r'"([\w.-]+/[\w.-]+\.(?:gz|f64|h5))"')
TRAINED = "trained/"


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


class Papers(unittest.TestCase):
    def test_every_sweep(self):
        sweeps = sorted(PAPERS.glob("*.toml"))
        self.assertTrue(sweeps)
        needed = [DIGITS, *(name for sweep in sweeps for name in data_of(sweep) if not name.startswith(TRAINED))]
        if missing := next((name for name in needed if not (DATA / name).exists()), None):
            self.skipTest(f"sweeps of jobs/papers: no {missing} (PEARLITE_DATA_DIR)")
        with runner.scratch_directory() as scratch:
            directory = with_machines(scratch)
            for sweep in sweeps:
                with self.subTest(sweep.name):
                    ended = runner.pearlite("check", sweep, "--data-dir", directory, timeout=240)  # matrices of USPS take a minute
                    self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                    self.assertRegex(ended.out, r"^# sweep: \d+ setting")
            text = sweeps[0].read_text(encoding="utf-8")
            wrong = scratch / "wrong.toml"
            wrong.write_text(text.replace('kind = "', 'kind = "un'), encoding="utf-8")
            ended = runner.pearlite("check", wrong, "--data-dir", directory)
            self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
            self.assertIn("kind", ended.err)


if __name__ == "__main__":
    runner.main()
