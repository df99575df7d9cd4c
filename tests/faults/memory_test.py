"""An allocation that fails on one of two ranks, at any place of a run, ends the job at once and says why: the other rank
does not wait for ever. PEARLITE_FAILING_ALLOCATOR is the library that makes it fail; PLACES of a run are tried for each
algorithm, spread over its allocations (PEARLITE_FAILING_PLACES; a few in CI, many in the long test)."""

import os
import random
import re
import unittest

import pearlite_runner as runner

ALLOCATOR = os.environ["PEARLITE_FAILING_ALLOCATOR"]
PLACES = int(os.environ.get("PEARLITE_FAILING_PLACES", "3"))
LONGEST = 5  # seconds of a run that fails; runs are tiny
FAILING_RANK = 1

FIXED = {"kind": "linear", "steps": 8}
POPULATION = {"model": {"name": "gaussian", "dimension": 2}, "kernel": {"moves": 1}, "schedule": FIXED}
GAUSSIAN = POPULATION | {"kernel": {"pilot_particles": 40, "moves": 1}}
ENERGY = {"model": {"name": "test-function", "dimension": 5}}
SEARCH = {"iterations": 200, "chains": 7}
ALGORITHMS = {
    "annealed-importance": GAUSSIAN | {"algorithm": {"trajectories": 117}},
    "importance-squared": GAUSSIAN | {"algorithm": {"draws": 300, "adaptation_rounds": 1, "draws_per_round": 100}},
    "nonequilibrium": GAUSSIAN | {"algorithm": {"trajectories": 117, "reverse_trajectories": 90, "equilibration": 5}},
    "parallel-tempering": GAUSSIAN | {"algorithm": {"replicas": 12, "scans": 60, "burn_in": 20}},
    "pseudo-marginal": GAUSSIAN | {"algorithm": {"chains": 9, "iterations": 60, "burn_in": 20}},
    "smc": POPULATION | {"algorithm": {"particles": 117}},
    "smc, replicates": POPULATION | {"algorithm": {"name": "smc", "particles": 40, "replicates": 3}},
    **{name: ENERGY | {"algorithm": SEARCH} for name in ("aesamc", "pisaa", "psaa")},
    **{name: ENERGY | {"algorithm": {"iterations": 200}} for name in ("asamc", "sa", "saa", "vfsa")},
    "contrastive-divergence": {"model": {"name": "rbm-training", "hidden": 5},
                               "algorithm": {"updates": 60, "batch": 40, "persistent": True, "sample_sweeps": 2}},
    "pisaa, replicates": ENERGY | {"algorithm": SEARCH | {"name": "pisaa", "replicates": 3}},
}


class OutOfMemory(unittest.TestCase):
    def configuration(self, directory, name):
        tables = {table: dict(keys) for table, keys in ALGORITHMS[name].items()}
        tables["algorithm"].setdefault("name", name)
        if "schedule" in tables and tables["algorithm"]["name"] not in ("parallel-tempering", "pseudo-marginal"):
            tables["run"] = {"block": 8}
        if tables["model"]["name"] == "rbm-training":
            images = directory / "images.csv"
            images.write_text("0,1,1,0,1\n1,0,0,1,0\n" * 40, encoding="utf-8")
            tables["model"]["images"] = str(images)
        return runner.write_configuration(directory / f"{name.replace(', ', '-').replace(' ', '-')}.toml", **tables)

    def run_failing(self, file, place, counted=None):
        environment = {"LD_PRELOAD": ALLOCATOR, "PEARLITE_FAILING_RANK": str(FAILING_RANK),
                       "PEARLITE_FAILING_ALLOCATION": str(place)}
        if counted:
            environment["PEARLITE_ALLOCATIONS"] = str(counted)
        out = file.with_name(f"{file.stem}-{place}")
        return runner.pearlite("run", file, "-o", out, ranks=2, environment=environment, timeout=30)

    def allocations(self, directory, name):
        file, counted = self.configuration(directory, name), directory / f"{name}.count"
        ended = self.run_failing(file, 0, counted)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return file, int(counted.read_text(encoding="utf-8"))

    def test_one_rank(self):
        draw = random.Random(7)
        with runner.scratch_directory() as directory:
            counts = runner.side_by_side(self.allocations, [(directory, name) for name in ALGORITHMS], workers=2)
            cases = []
            for file, count in counts:
                self.assertGreater(count, 1000)
                # One place in each of PLACES equal parts of the run.
                cases += [(file, 1 + int((k + draw.random()) * count / PLACES)) for k in range(PLACES)]
            for (file, place), ended in zip(cases, runner.side_by_side(self.run_failing, cases, workers=2)):
                with self.subTest(file.stem, place=place):
                    self.check(ended)

    def check(self, ended):
        """It failed and said so; or the failure was borne, by the log above all, and the run finished."""
        self.assertLess(ended.seconds, LONGEST, ended.describe())
        if ended.status != runner.FINISHED:
            self.assertNotIn(ended.status, (runner.BAD_INPUT, runner.STOPPED), ended.describe())
            self.assertRegex(ended.err, "(?i)memory|bad_alloc", ended.describe())
            self.assertLessEqual(len(re.findall("^pearlite: ", ended.err, re.MULTILINE)), 1, ended.describe())


if __name__ == "__main__":
    runner.main()
