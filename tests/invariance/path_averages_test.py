"""Averages along the path of nonequilibrium runs, hysteresis/* in results.h5, which digests do not cover: the same bits
on any number of ranks, and after a stop and a resume on other ranks."""

import unittest

import pearlite_runner as runner

try:
    import h5py
except ImportError:
    h5py = None

STOPPED = 3


@unittest.skipIf(h5py is None, "averages on the way: no h5py")
class PathAverages(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(runner.scratch_directory())
        self.file = runner.write_configuration(
            self.directory / "toy.toml", model={"name": "gaussian-ar"}, schedule={"steps": 300},
            algorithm={"name": "nonequilibrium", "trajectories": 250})

    def run_in(self, name, *arguments, ranks=None, status=runner.FINISHED):
        ended = runner.pearlite("run", self.file, "-o", self.directory / name, *arguments, ranks=ranks)
        self.assertEqual(ended.status, status, ended.describe())
        return self.directory / name

    def arrays(self, where):
        with h5py.File(where / "results.h5") as file:
            group = file["hysteresis"]
            return {f"{part}/{name}": group[part][name][()].tobytes() for part in group for name in group[part]}

    def test_ranks(self):
        one = self.arrays(self.run_in("one"))
        for name in ("forward/mean_x1", "reverse/sd_x1", "equilibrium/mean_u"):
            self.assertGreater(len(one[name]), 8 * 100, name)
        for ranks in (2, 3, 4):
            self.assertEqual(self.arrays(self.run_in(f"on-{ranks}", ranks=ranks)), one, ranks)
        other = self.arrays(self.run_in("other-seed", "--seed", "2"))
        self.assertNotEqual(other["forward/mean_x1"], one["forward/mean_x1"])
        self.assertEqual(other["equilibrium/mean_u"], one["equilibrium/mean_u"])

    def test_stop_and_resume(self):
        whole = self.arrays(self.run_in("whole"))
        for limit in (170, 450):  # on the way forward, and back
            where = self.run_in(f"stopped-{limit}", "--step-limit", str(limit), status=STOPPED)
            ended = runner.pearlite("resume", where, ranks=2)
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
            self.assertEqual(self.arrays(where), whole, limit)


if __name__ == "__main__":
    runner.main()
