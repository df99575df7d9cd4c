"""posterior.nc, read with xarray and netCDF4: the groups, dimensions and names that arviz.from_netcdf wants, and numbers that
are those of the run."""

import math
import unittest

import pearlite_runner as runner

try:
    import h5py
    import netCDF4
    import numpy
    import xarray
except ImportError as missing:
    print(f"skipped: {missing}")
    raise SystemExit(runner.SKIPPED) from None

NOISY = {"name": "noisy-likelihood", "dimension": 2, "noise_variance": 0.5}
LEVELS = {"0.025", "0.25", "0.5", "0.75", "0.975"}


class Runs(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def run_of(self, *options, **tables):
        file = runner.write_configuration(self.directory / "run.toml", **tables)
        ended = runner.pearlite("run", file, "-o", self.directory / "run", "--overwrite", *options)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.where = self.directory / "run"
        self.file = self.where / "posterior.nc"
        return runner.summary(self.where)

    def group(self, name):
        with xarray.open_dataset(self.file, group=name, engine="netcdf4") as dataset:
            return dataset.load()

    def groups(self):
        with netCDF4.Dataset(self.file) as file:
            return list(file.groups)

    def agrees(self, posterior, summary):
        """Draws have the posterior's means: a systematic resample of n draws adds less than sd/sqrt(n); here 4 of them."""
        for entry in summary["posterior"]:
            draws = posterior[entry["name"]]
            self.assertLess(abs(float(draws.mean()) - entry["mean"]), 4 * entry["sd"] / math.sqrt(draws.size), entry["name"])
            self.assertLess(abs(float(draws.std()) - entry["sd"]), 4 * entry["sd"] / math.sqrt(draws.size), entry["name"])


class Population(Runs):
    def test_groups_dimensions_and_values(self):
        summary = self.run_of(model=NOISY, algorithm={"name": "smc", "particles": 2000, "ess_threshold": 0.3})
        self.assertEqual(set(self.groups()), {"posterior", "sample_stats", "posterior_predictive", "observed_data"})
        posterior, stats, data = (self.group(name) for name in ("posterior", "sample_stats", "observed_data"))
        for variable in ("theta1", "theta2"):
            self.assertEqual(posterior[variable].dims, ("chain", "draw"))
        self.assertEqual((posterior.sizes["chain"], posterior.sizes["draw"]), (1, 2000))
        numpy.testing.assert_array_equal(posterior["draw"], numpy.arange(2000))
        self.agrees(posterior, summary)
        for dataset in (posterior, stats, data):
            self.assertEqual(dataset.attrs["inference_library"], "pearlite")
            self.assertNotIn("created_at", dataset.attrs)
        self.assertEqual(data["y"].dims, ("component",))

        headline = summary["log_evidence"][0]
        self.assertEqual(stats["log_marginal_likelihood"].dims, ("chain",))
        self.assertEqual(float(stats["log_marginal_likelihood"][0]), headline["value"])
        self.assertEqual(float(stats["log_evidence"].sel(estimator="product")), headline["value"])
        self.assertEqual(float(stats["log_evidence_standard_error"].sel(estimator="product")), headline["standard_error"])
        self.assertLess(abs(headline["value"] - headline["exact"]), 4 * headline["standard_error"])
        for name in ("beta", "ess", "accept_rate"):
            self.assertEqual(stats[name].dims, ("chain", "step"))
        self.assertEqual((float(stats["beta"][0, 0]), float(stats["beta"][0, -1])), (0.0, 1.0))
        self.assertTrue(numpy.isfinite(stats["accept_rate"][0, 1:]).all())

    def test_draws_are_a_resample_of_the_weighted_particles(self):
        self.run_of(model=NOISY, algorithm={"name": "smc", "particles": 500, "ess_threshold": 0.1},
                    schedule={"kind": "linear", "steps": 4}, kernel={"moves": 1})
        posterior, stats = self.group("posterior"), self.group("sample_stats")
        weight = numpy.exp(stats["log_weight"][0].values)
        weight /= weight.sum()
        self.assertLess(1 / (weight**2).sum(), 450)  # else there is nothing to resample
        particle = stats["ancestor"][0].values
        self.assertEqual(particle.dtype.kind, "i")
        offspring = numpy.bincount(particle, minlength=len(weight))
        self.assertLess(numpy.abs(offspring - 500 * weight).max(), 1 + 1e-9)
        with h5py.File(self.where / "results.h5") as results:
            values, log_weight = results["samples/values"][:], results["samples/log_weight"][:]
            log_likelihood, log_prior = results["samples/log_likelihood"][:], results["samples/log_prior"][:]
        numpy.testing.assert_array_equal(posterior["theta2"][0], values[particle, 1])
        numpy.testing.assert_array_equal(stats["log_weight"][0], log_weight)
        numpy.testing.assert_array_equal(stats["lp"][0], (log_prior + log_likelihood)[particle])

    def test_a_batch_is_a_chain(self):
        summary = self.run_of(model=NOISY, algorithm={"name": "smc", "particles": 300, "replicates": 4})
        posterior, stats = self.group("posterior"), self.group("sample_stats")
        self.assertEqual(dict(posterior.sizes), {"chain": 4, "draw": 300})
        with h5py.File(self.where / "results.h5") as results:
            numpy.testing.assert_array_equal(stats["log_marginal_likelihood"], results["batches/log_ratio"])
        self.assertEqual(float(stats["log_evidence"].sel(estimator="product")), summary["log_evidence"][0]["value"])
        for chain in range(4):
            beta = stats["beta"][chain].values
            self.assertEqual(beta[numpy.isfinite(beta)][-1], 1.0)
        self.assertFalse((posterior["theta1"][0] == posterior["theta1"][1]).any())

    def test_annealed_importance(self):
        summary = self.run_of(model={"name": "gaussian", "dimension": 2, "start_mean": 1.0, "start_sd": 2.0},
                              schedule={"kind": "linear", "steps": 20}, kernel={"pilot_particles": 100},
                              algorithm={"name": "annealed-importance", "trajectories": 2000})
        posterior = self.group("posterior")
        self.assertEqual(dict(posterior.sizes), {"chain": 1, "draw": 2000})
        self.agrees(posterior, summary)
        self.assertNotIn("observed_data", self.groups())

    def test_no_posterior_no_file(self):
        self.run_of(model={"name": "ising", "size": 4}, schedule={"kind": "linear", "steps": 5},
                    algorithm={"name": "annealed-importance", "trajectories": 32})
        self.assertFalse(self.file.exists())


class Predictions(Runs):
    def test_of_a_population(self):
        self.run_of(model=NOISY, algorithm={"name": "smc", "particles": 4000})
        self.judge(effective_sample_size=500)

    def test_of_chains(self):
        self.run_of(model=NOISY, algorithm={"name": "pseudo-marginal", "chains": 4, "iterations": 10000})
        self.judge(effective_sample_size=500)

    def judge(self, effective_sample_size):
        """theta | y ~ N(y/2, 1/2), so that data to come are N(y/2, 3/2); 250 draws of theta with 20 samples each."""
        y = self.group("observed_data")["y"].values
        replicates = self.group("posterior_predictive")["y"]
        self.assertEqual(replicates.dims, ("chain", "draw", "component"))
        self.assertEqual(replicates.shape, (1, 250, 2))
        self.assertEqual(self.group("posterior_predictive")["of_draw"].dtype.kind, "i")
        chains, draws = (self.group("posterior_predictive")[name].values[0] for name in ("of_chain", "of_draw"))
        self.assertEqual((len(chains), len(draws)), (250, 250))
        with h5py.File(self.where / "results.h5") as results:
            values = results["samples/values"][:]
            theta = values[chains * (len(values) // (chains.max() + 1)) + draws]
            noise = replicates[0].values - theta
            self.assertLess(abs((noise**2).mean() - 1), 4 * math.sqrt(2 / noise.size))
            turned = replicates[0].values[::-1] - theta  # of others: variance 1 + 2/2
            self.assertGreater((turned**2).mean(), 1.5)
            found = results["predictions/within/y"]
            levels = list(results["predictions/levels"][:])
            self.assertEqual((results["predictions/points"][()], results["predictions/left_out"][()]), (250, 0))
            mean, quantiles, ranks = found["mean"][:], found["quantiles"][:], found["ranks"][:]
            numpy.testing.assert_array_equal(found["observed"], y)
            numpy.testing.assert_array_equal(found["replicates"], replicates[0])
        error = math.sqrt(0.5 / 250 + 1 / 5000 + 0.5 / effective_sample_size)
        for k in range(2):
            self.assertLess(abs(mean[k] - y[k] / 2), 4 * error)
            self.assertLess(abs(quantiles[levels.index(0.95), k] - mean[k] - 1.645 * math.sqrt(1.5)), 0.15)
            self.assertLess(abs(ranks[k] - 0.5 * math.erfc(-(y[k] / 2) / math.sqrt(2 * 1.5))), 0.06)

    def test_of_volatility(self):
        returns = [0.7 * math.sin(7 * i) * (1 + (i > 30)) for i in range(60)]
        (self.directory / "returns.csv").write_text("y\n" + "\n".join(map(str, returns)) + "\n", encoding="utf-8")
        summary = self.run_of("--data-dir", self.directory,
                              model={"name": "stochastic-volatility", "data": "returns.csv", "particles": 100},
                              kernel={"moves": 2}, algorithm={"name": "smc", "particles": 128})
        within, beyond = self.group("posterior_predictive"), self.group("predictions")
        self.assertEqual(dict(within["volatility"].sizes), {"chain": 1, "draw": 250, "time": 60})
        self.assertEqual(dict(beyond["y"].sizes), {"chain": 1, "draw": 250, "time": 20})
        volatility = within["volatility"][0].median("draw").values
        self.assertGreater(volatility[50], volatility[20])
        coverage = summary["diagnostics"]["predictive_coverage_90_y"]
        self.assertTrue(0.8 < coverage <= 1, coverage)


class Models(Runs):
    """The places of the models' data in the file."""

    def test_a_series(self):
        self.run_of(model={"name": "linear-gaussian", "simulated_length": 30, "particles": 20},
                    schedule={"kind": "linear", "steps": 5}, kernel={"moves": 1},
                    algorithm={"name": "smc", "particles": 64})
        self.assertEqual(self.group("observed_data")["y"].dims, ("time",))
        self.assertEqual(set(self.group("posterior").data_vars), {"mean", "persistence", "state_sd", "noise_sd"})

    def test_a_table(self):
        rows = ["id,y,x"] + [f"{i // 3},{(i * 7) % 5 % 2},{i / 10}" for i in range(30)]
        (self.directory / "table.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        summary = self.run_of("--data-dir", self.directory,
                              model={"name": "mixed-logistic", "study": "table", "data": "table.csv"},
                              schedule={"kind": "linear", "steps": 5}, kernel={"moves": 1},
                              algorithm={"name": "smc", "particles": 64})
        constant = self.group("constant_data")
        self.assertEqual(constant["design"].dims, ("row", "coefficient"))
        self.assertEqual(list(constant["coefficient"].values), ["intercept", "x"])
        numpy.testing.assert_array_equal(constant["subject"], numpy.arange(30) // 3)
        numpy.testing.assert_array_equal(self.group("observed_data")["y"], [(i * 7) % 5 % 2 for i in range(30)])
        self.assertEqual([set(entry["quantiles"]) for entry in summary["posterior"]], [LEVELS] * 3)


if __name__ == "__main__":
    runner.main()
