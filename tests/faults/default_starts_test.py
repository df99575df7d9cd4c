"""Models without a known mode in their configuration, such as frustrated lattices: check and run agree, with the
default start and with a configured one."""

import unittest

import pearlite_runner as runner

LATTICES = {
    "odd": {"name": "ising", "size": 5, "coupling": -1.0},
    "colours": {"name": "potts", "size": 4, "colours": 3, "coupling": -1.0},
    "even": {"name": "ising", "size": 4, "coupling": -1.0},  # flipping one sublattice makes it a ferromagnet
}
ALGORITHMS = ("nonequilibrium", "parallel-tempering")
ASKED = {"nonequilibrium": ("reverse_start", r'got "mode".*expected "weighted"'),
         "parallel-tempering": ("cold_start", "unknown key .algorithm.cold_start")}


class DefaultStarts(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def write(self, lattice, algorithm, **keys):
        return runner.write_configuration(self.directory / f"{lattice}-{algorithm}.toml", model=LATTICES[lattice],
                                          algorithm={"name": algorithm, **keys}, path={"inverse_temperature_end": 0.4})

    def test_defaults_run(self):
        for lattice in LATTICES:
            for algorithm in ALGORITHMS:
                with self.subTest(lattice=lattice, algorithm=algorithm):
                    file = self.write(lattice, algorithm)
                    checked = runner.pearlite("check", file)
                    self.assertEqual(checked.status, runner.FINISHED, checked.describe())
                    ended = runner.pearlite("run", file, "-o", file.with_suffix(""))
                    self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                    headline = runner.summary(file.with_suffix(""))["log_evidence"][0]
                    self.assertIn("standard_error", headline)
                    if "exact" in headline:
                        self.assertLess(abs(headline["z_score"]), 5)  # a false alarm once in 2e6

    def test_check_refuses_what_run_would(self):
        for algorithm in ALGORITHMS:
            key, message = ASKED[algorithm]
            for lattice in ("odd", "colours"):
                file = self.write(lattice, algorithm, **{key: "mode"})
                for command in (("check", file), ("run", file, "-o", self.directory / "new")):
                    ended = runner.pearlite(*command)
                    self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                    self.assertRegex(ended.err, message)
            checked = runner.pearlite("check", self.write("even", algorithm, **{key: "mode"}))
            self.assertEqual(checked.status, runner.FINISHED, checked.describe())


if __name__ == "__main__":
    runner.main()
