"""Every kernel of densities that `pearlite list` shows with every algorithm along a path: the same bits on any number of
ranks, and after stops. The population is learnt by a pilot (AIS, works, tempering) or by SMC itself."""

import os
import re
import unittest

import invariance_test as base
import pearlite_runner as runner

MODEL = {"name": "gaussian", "dimension": 2, "start_mean": 1.0, "start_sd": 2.0}
NORMAL = {"run": {"block": 16}, "model": MODEL, "schedule": {"kind": "linear", "steps": 6}}
ALGORITHMS = {
    "annealed-importance": {"algorithm": {**base.AIS, "trajectories": 52}},
    "smc": {"algorithm": {**base.SMC, "particles": 70}, "kernel": {"adapt": "online"}},
    "nonequilibrium": {"algorithm": {**base.WORK, "trajectories": 40, "reverse_trajectories": 36}},
    "parallel-tempering": {"algorithm": {**base.TEMPERING, "replicas": 5, "scans": 40, "burn_in": 10}},
}
PILOT = {"pilot_particles": 40}
MIXED = ["hmc", "random-walk", "slice", "student-mixture"]
OWN_KEYS = {"mixture": {"kinds": MIXED, "shares": [1.0, 2.0, 0.5, 1.0]}, "student-mixture": {"components": 2}}


def listed_kernels():
    """The kernels that `pearlite list` shows."""
    text = runner.pearlite("list").out
    return re.findall(r"(?m)^  (\S+) +", text.split("kernels of continuous parameters")[1].split("\n\n")[0])


class Kernels(base.Invariance):
    ALGORITHM = ""

    def setUp(self):
        super().setUp()
        rest = ALGORITHMS[self.ALGORITHM]
        tables = {**NORMAL, **rest}
        if self.ALGORITHM == "parallel-tempering":
            del tables["run"]
        adaptation = rest.get("kernel", PILOT)
        self.CASES = {kernel: {**tables, "kernel": {"kind": kernel, "moves": 2, **adaptation, **OWN_KEYS.get(kernel, {})}}
                      for kernel in listed_kernels()}
        self.assertLessEqual({"random-walk", "mala", "mixture", *MIXED}, set(self.CASES))
        self.CASES["slice-coordinate"] = {**tables, "kernel": {"kind": "slice", "direction": "coordinate", "width": 2.5,
                                                               "covariance": "diagonal", "most_moves": 5, **adaptation}}
        self.CASES["mixture-auto"] = {**tables, "kernel": {"kind": "mixture", "kinds": MIXED, "most_moves": 5, **adaptation}}


def of_algorithm(name):
    return type(name, (Kernels, unittest.TestCase), {"ALGORITHM": name})


AnnealedImportance = of_algorithm("annealed-importance")
Smc = of_algorithm("smc")
Nonequilibrium = of_algorithm("nonequilibrium")
ParallelTempering = of_algorithm("parallel-tempering")


class Refusals(unittest.TestCase):
    """Kernels refuse models without the functions that they need."""

    def check(self, model, kernel, **others):
        with runner.scratch_directory() as directory:
            file = runner.write_configuration(directory / "c.toml", model=model, algorithm={"name": "smc"}, kernel=kernel,
                                              **others)
            ended = runner.pearlite("check", file)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        return ended.err

    def test_estimated_likelihoods_have_no_slices(self):
        for kernel in ("slice", "hmc", "mala"):
            self.assertIn("student-mixture", self.check({"name": "noisy-likelihood", "dimension": 2}, {"kind": kernel}))

    @unittest.skipUnless(os.environ.get("PEARLITE_DATA_DIR"), "PEARLITE_DATA_DIR is not set: no data of a regression")
    def test_paths_along_data_have_no_gradients(self):
        self.assertIn("student-mixture", self.check(base.PINE["model"], {"kind": "hmc"}, path={"kind": "data"}))

    def test_mixtures(self):
        for keys, part in (({"kinds": ["hmc", "mala"]}, "share keys"), ({"kinds": ["hmc", "native"]}, "element 2"),
                           ({"kinds": ["hmc"], "shares": [1.0, 2.0]}, "1 numbers above 0"), ({}, "kinds")):
            self.assertIn(part, self.check(MODEL, {"kind": "mixture", **keys}))



if __name__ == "__main__":
    base.RANKS, base.PAIRS = (2, 3), ((2,), (3,))
    runner.main()
