"""`pearlite draws`: the draws of posterior.nc as CmdStan writes them, which Pearlite itself reads as a reference's draws."""

import csv
import math
import unittest

import pearlite_runner as runner

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    raise SystemExit(runner.SKIPPED) from None

NOISY = {"name": "noisy-likelihood", "dimension": 2, "noise_variance": 0.5}
CHAINS = {"name": "pseudo-marginal", "chains": 3, "iterations": 400, "burn_in": 100}


def read(file):
    """The lines of comments, the header, and the numbers of a table."""
    lines = file.read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    header, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    return comments, header, numpy.array([[float(field) for field in row] for row in rows])


class Draws(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.where = self.directory / "run"

    def run_of(self, **tables):
        self.configuration = runner.write_configuration(self.directory / "run.toml", **tables)
        ended = runner.pearlite("run", self.configuration, "-o", self.where)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())

    def draws(self, *options, status=runner.FINISHED):
        ended = runner.pearlite("draws", *options)
        self.assertEqual(ended.status, status, ended.describe())
        return ended

    def test_population(self):
        self.run_of(model=NOISY, algorithm={"name": "smc", "particles": 500})
        self.assertEqual(self.draws(self.where).out, f"{self.where}/draws.csv\n")
        comments, header, values = read(self.where / "draws.csv")
        self.assertEqual(header, ["lp__", "theta1", "theta2"])
        self.assertIn("#     num_samples = 500", comments)
        with h5py.File(self.where / "posterior.nc") as file:
            for k, array in enumerate(("sample_stats/lp", "posterior/theta1", "posterior/theta2")):
                numpy.testing.assert_array_equal(values[:, k], file[array][0], array)  # to the last bit
        # A second run in the directory leaves no draws of the first.
        (self.where / "draws_mine.csv").write_text("mine", encoding="utf-8")
        again = runner.pearlite("run", self.configuration, "-o", self.where, "--overwrite")
        self.assertEqual(again.status, runner.FINISHED, again.describe())
        self.assertFalse((self.where / "draws.csv").exists())
        self.assertTrue((self.where / "draws_mine.csv").exists())

    def test_a_file_for_each_chain(self):
        self.run_of(model=NOISY, algorithm=CHAINS)
        target = self.directory / "mine.csv"
        names = [self.directory / f"mine_{chain}.csv" for chain in (1, 2, 3)]
        self.assertEqual(self.draws(self.where, "-o", target).out, "".join(f"{name}\n" for name in names))
        with h5py.File(self.where / "posterior.nc") as file:
            expected = file["posterior/theta2"][()]
        for chain, name in enumerate(names):
            comments, header, values = read(name)
            self.assertIn(f"# id = {chain + 1}", comments)
            numpy.testing.assert_array_equal(values[:, header.index("theta2")], expected[chain])

    def test_elements_of_arrays_are_counted_from_one(self):
        simulated = {"name": "gaussian", "dimension": 3, "start_mean": 0.5}
        self.run_of(model=simulated, algorithm={"name": "smc", "particles": 64})
        self.draws(self.where)
        _, header, values = read(self.where / "draws.csv")
        with h5py.File(self.where / "posterior.nc") as file:
            arrays = {name: file["posterior"][name] for name in file["posterior"] if file["posterior"][name].ndim > 1}
            columns = ["lp__", *(column for name, array in arrays.items() for column in
                                 ([f"{name}.{i + 1}" for i in range(array.shape[2])] if array.ndim == 3 else [name]))]
            self.assertEqual(sorted(header), sorted(columns))
            if "x" in arrays:
                numpy.testing.assert_array_equal(values[:, header.index("x.2")], arrays["x"][0, :, 1])
        self.assertTrue(all(math.isfinite(value) for value in values[:, 1:].flat))

    def test_refusals(self):
        nowhere = self.draws(self.directory / "none", status=runner.BAD_INPUT)
        self.assertIn("none: no posterior.nc, expected the directory of a finished run", nowhere.err)
        self.run_of(model={"name": "ising", "size": 4}, algorithm={"name": "smc", "particles": 32})
        self.assertIn("no posterior.nc", self.draws(self.where, status=runner.BAD_INPUT).err)
        file = self.where / "posterior.nc"
        for content in (b"", b"CDF\x01nonsense", b"\x89HDF\r\n\x1a\n" + bytes(500)):
            file.write_bytes(content)
            refused = self.draws(self.where, status=runner.BAD_INPUT)
            self.assertIn("posterior.nc", refused.err)
        file.unlink()
        file.mkdir()
        self.assertIn("posterior.nc", self.draws(self.where, status=runner.BAD_INPUT).err)
        ended = runner.pearlite("draws", self.where, "-o", self.directory / "no" / "such" / "place.csv")
        self.assertNotEqual(ended.status, runner.FINISHED)


if __name__ == "__main__":
    runner.main()
