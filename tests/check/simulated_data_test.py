"""Models that simulate their own data: a seed of the run's own, and mistakes that are refused."""

import unittest

import pearlite_runner as runner

MODELS = {
    "mixed-logistic": {"study": "simulated", "subjects": 8, "samples": 4},
    "stochastic-volatility": {"simulated_length": 8, "particles": 4, "leverage": True, "true_rho": -0.4},
    "linear-gaussian": {"simulated_length": 8, "particles": 4},
    "noisy-likelihood": {},
    "noisy-annealing": {},
}
WRONG = (
    ("mixed-logistic", {"study": "simulated", "true_coefficients": []}, "true_coefficients"),
    ("mixed-logistic", {"study": "simulated", "data": "bayes/toenail.csv"}, "data"),
    ("mixed-logistic", {"study": "toenail", "subjects": 8}, "subjects"),
    ("stochastic-volatility", {"simulated_length": 8, "data": "returns.csv"}, "data"),
    ("stochastic-volatility", {"simulated_length": 8, "true_rho": 0.1}, "true_rho"),
    ("stochastic-volatility", {"simulated_length": 8, "true_phi": 1.0}, "true_phi"),
    ("noisy-likelihood", {"data_seed": "run"}, "data_seed"),
)


class SimulatedData(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(runner.scratch_directory())
        self.runs = 0

    def start(self, model):
        """Runs the model in a new directory, and returns that, too."""
        self.runs += 1
        where = self.directory / str(self.runs)
        kernel = {} if model["name"] == "noisy-annealing" else {"adapt": "online"}
        file = runner.write_configuration(where.with_suffix(".toml"), run={"seed": 5}, model=model,
                                          algorithm={"name": "smc", "particles": 32},
                                          schedule={"kind": "linear", "steps": 3}, kernel={"moves": 1, **kernel})
        return runner.pearlite("run", file, "-o", where), where

    def digest(self, name, **more):
        ended, where = self.start({"name": name, **MODELS[name], **more})
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return runner.summary(where)["digest"]

    def test_the_seed_of_the_run(self):
        for name in MODELS:
            with self.subTest(name):
                replicate = self.digest(name, data_seed="replicate")
                self.assertEqual(replicate, self.digest(name, data_seed=5))
                self.assertNotEqual(replicate, self.digest(name))

    def test_mistakes(self):
        for name, keys, key in WRONG:
            with self.subTest(name, **keys):
                ended, _ = self.start({"name": name, **keys})
                self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                self.assertIn(f"model.{key}", ended.err)


if __name__ == "__main__":
    runner.main()
