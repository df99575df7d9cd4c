"""Log likelihoods of data points in posterior.nc: their sum is the total log likelihood, for all models and algorithms.
Importance sampling with them gives the leave-one-out predictive densities of a linear regression, which have a closed
form.

    PEARLITE=... PEARLITE_DATA_DIR=... log_likelihood_test.py [CLASS[.test_NAME]]
"""

import math
import os
import pathlib
import unittest

import pearlite_runner as runner

try:
    import numpy
    import xarray
except ImportError as missing:
    print(f"skipped: {missing}")
    raise SystemExit(runner.SKIPPED) from None

SMC = {"name": "smc", "particles": 300}
AIS = {"name": "annealed-importance", "trajectories": 300}
WASTE_FREE = {"name": "smc", "particles": 300, "waste_free": 3}
TEMPERING = {"name": "parallel-tempering", "replicas": 12, "scans": 60, "burn_in": 20}


def group(where, name):
    with xarray.open_dataset(where / "posterior.nc", group=name, engine="netcdf4") as dataset:
        return dataset.load()


class Runs(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.draws = numpy.random.default_rng(3)

    def run_of(self, name, ranks=None, **tables):
        file = runner.write_configuration(self.directory / f"{name}.toml", **tables)
        where = self.directory / f"{name}-{ranks}"
        ended = runner.pearlite("run", file, "-o", where, ranks=ranks, timeout=300)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return where

    def table(self, name, columns):
        text = "\n".join([",".join(columns), *(",".join(f"{x:.8g}" for x in row) for row in zip(*columns.values()))])
        (self.directory / name).write_text(text + "\n", encoding="utf-8")


class Sums(Runs):
    """Sums of the log likelihoods of data points against log_likelihood_total. They hold for any draws, so that runs are
    short."""

    def run_of(self, name, ranks=None, **tables):
        short = {"schedule": {"kind": "linear", "steps": 20}, "kernel": {"moves": 1}}
        return super().run_of(name, ranks, **{**short, **tables})

    def assert_adds_up(self, where, n, dimension, name="y"):
        found = group(where, "log_likelihood")
        self.assertEqual(list(found.data_vars), [name])
        values, total = found[name], group(where, "sample_stats")["log_likelihood_total"]
        self.assertEqual(values.dims, ("chain", "draw", dimension))
        self.assertEqual(values.shape, (*total.shape, n))
        numpy.testing.assert_allclose(values.sum(dimension), total, rtol=1e-9, atol=1e-8)

    def count_table(self):
        x = self.draws.normal(size=30)
        self.table("counts.csv", {"y": self.draws.poisson(numpy.exp(0.3 + 0.4 * x)), "x": x})

    def test_regressions(self):
        self.count_table()
        x = self.draws.normal(size=40)
        self.table("classes.csv", {"y": (self.draws.random(40) < 1 / (1 + numpy.exp(-x))).astype(int), "x": x})
        pine = pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "/nonexistent"), "bayes/radiata_pine.csv")
        for name, n, model, algorithm in (
            *([("radiata-pine", 42, {}, SMC)] if pine.exists() else []),
            ("poisson-regression", 30, {"data": "counts.csv"}, TEMPERING),
            ("poisson-regression", 30, {"data": "counts.csv"}, {**AIS, "replicates": 2}),
            ("linear-regression", 30, {"data": "counts.csv"}, WASTE_FREE),
            ("logistic-regression", 40, {"data": "classes.csv"}, SMC),
        ):
            with self.subTest(name, algorithm=algorithm["name"]):
                where = self.run_of(f"{name}-{algorithm['name']}", model={"name": name, **model}, algorithm=algorithm)
                self.assert_adds_up(where, n, "row")
                self.assertEqual(group(where, "log_likelihood").sizes["row"], group(where, "observed_data").sizes["row"])

    def test_along_the_data_and_along_a_bridge(self):
        self.count_table()
        model = {"name": "poisson-regression", "data": "counts.csv"}
        self.assert_adds_up(self.run_of("data", model=model, path={"kind": "data"}, algorithm=SMC), 30, "row")
        self.assert_adds_up(self.run_of("bridge", model=model, path={"kind": "bridge"}, algorithm=SMC), 30, "row")

    def test_subjects_of_a_mixed_regression(self):
        subject = numpy.repeat(numpy.arange(12), 4)
        effect = self.draws.normal(size=12)[subject]
        y = (self.draws.random(48) < 1 / (1 + numpy.exp(-0.5 - effect))).astype(int)
        self.table("mixed.csv", {"subject": subject, "y": y, "x": self.draws.normal(size=48)})
        model = {"name": "mixed-logistic", "study": "table", "data": "mixed.csv", "likelihood": "exact"}
        self.assert_adds_up(self.run_of("mixed", model=model, algorithm={**SMC, "particles": 100}), 12, "point")
        estimated = self.run_of("estimated", model={**model, "likelihood": "estimated"}, algorithm={**SMC, "particles": 100})
        with self.assertRaises(OSError):
            group(estimated, "log_likelihood")

    def test_latent_values_of_a_gaussian_process(self):
        x = self.draws.normal(size=(12, 2))
        self.table("classes.csv", {"label": numpy.sign(x[:, 0] + 0.3).astype(int), "a": x[:, 0], "b": x[:, 1]})
        model = {"name": "gp-classification", "data": "classes.csv", "label": "label"}
        where = self.run_of("gp", model=model, algorithm={**SMC, "particles": 100})
        self.assert_adds_up(where, 12, "row", "label")

    def test_points_of_a_mixture(self):
        y = numpy.concatenate([self.draws.normal(centre, 1, size=n) for centre, n in ((10, 10), (20, 50), (33, 5))])
        self.table("velocities.csv", {"velocity_km_s": 1000 * y})
        where = self.run_of("mixture", model={"name": "gaussian-mixture", "data": "velocities.csv"}, algorithm=AIS)
        values, posterior = group(where, "log_likelihood")["y"], group(where, "posterior")
        y = group(where, "observed_data")["y"].values[None, None, :]
        density = sum(
            posterior[f"weight{j}"].values[..., None]
            * numpy.exp(-0.5 * ((y - posterior[f"mean{j}"].values[..., None]) / posterior[f"sd{j}"].values[..., None]) ** 2)
            / (posterior[f"sd{j}"].values[..., None] * math.sqrt(2 * math.pi))
            for j in (1, 2, 3)
        )
        self.assertEqual(values.dims, ("chain", "draw", "point"))
        numpy.testing.assert_allclose(values, numpy.log(density), rtol=1e-9, atol=1e-9)

    def test_any_number_of_ranks(self):
        self.count_table()
        for name, algorithm in (("smc", {**SMC, "replicates": 3}), ("tempering", TEMPERING)):
            tables = {"model": {"name": "poisson-regression", "data": "counts.csv"}, "algorithm": algorithm}
            alone = self.run_of(name, **tables)
            for ranks in (2, 3):
                together = self.run_of(name, ranks=ranks, **tables)
                self.assertEqual((alone / "posterior.nc").read_bytes(), (together / "posterior.nc").read_bytes(), name)

    def test_a_bound_on_their_number(self):
        self.table("long.csv", {"y": self.draws.normal(size=2000), "x": self.draws.normal(size=2000)})
        where = self.run_of("long", model={"name": "linear-regression", "data": "long.csv"},
                            algorithm={"name": "smc", "particles": 6000}, schedule={"kind": "linear", "steps": 3},
                            kernel={"moves": 1})
        values, total = group(where, "log_likelihood")["y"], group(where, "sample_stats")["log_likelihood_total"]
        self.assertLessEqual(values.size, 5e6)
        self.assertIn("of one in 3 draws", values.attrs["long_name"] if "long_name" in values.attrs else str(values.attrs))
        numpy.testing.assert_allclose(values.sum("row"), total.values[:, ::3], rtol=1e-9)


class LeaveOneOut(Runs):
    """Leave-one-out densities of a conjugate linear regression, by importance sampling from its posterior."""

    REPLICATES = 24
    # Student's t with 23 degrees of freedom exceeds it once in 2e4; one of 20 points and a sum does once in 1000.
    LIMIT = 4.9
    SHAPE, RATE, PRECISION = 2.0, 1.5, 0.5

    def evidence(self, design, y):
        """log p(y) of the conjugate prior."""
        precision = design.T @ design + self.PRECISION * numpy.eye(design.shape[1])
        mean = numpy.linalg.solve(precision, design.T @ y)
        shape, rate = self.SHAPE + len(y) / 2, self.RATE + (y @ y - mean @ precision @ mean) / 2
        return (
            0.5 * design.shape[1] * math.log(self.PRECISION) - 0.5 * numpy.linalg.slogdet(precision)[1]
            + self.SHAPE * math.log(self.RATE) - shape * math.log(rate) + math.lgamma(shape) - math.lgamma(self.SHAPE)
            - 0.5 * len(y) * math.log(2 * math.pi)
        )

    def test_against_the_closed_form(self):
        rows = 20
        x = numpy.linspace(-1, 1, rows)
        y = numpy.round(0.5 + 0.8 * x + self.draws.normal(scale=0.7, size=rows), 6)
        x = numpy.round(x, 6)
        self.table("line.csv", {"y": y, "x": x})
        where = self.run_of(
            "line",
            model={"name": "linear-regression", "data": "line.csv", "prior_variance": 1 / self.PRECISION,
                   "precision_shape": self.SHAPE, "precision_rate": self.RATE},
            algorithm={"name": "smc", "particles": 2000, "replicates": self.REPLICATES})
        design = numpy.column_stack([numpy.ones(rows), x])
        exact = numpy.array([
            self.evidence(design, y) - self.evidence(numpy.delete(design, i, axis=0), numpy.delete(y, i))
            for i in range(rows)
        ])
        values = group(where, "log_likelihood")["y"].values  # chain x draw x row
        self.assertEqual(values.shape[0], self.REPLICATES)
        left_out = -numpy.log(numpy.exp(-values).mean(axis=1))
        self.assertLess(abs(self.scores(left_out, exact)).max(), self.LIMIT)
        total = left_out.sum(axis=1, keepdims=True)
        self.assertLess(abs(self.scores(total, exact.sum()))[0], self.LIMIT)
        # Twin: the point is not left out.
        within = numpy.log(numpy.exp(values).mean(axis=1))
        self.assertGreater(abs(self.scores(within, exact)).max(), 2 * self.LIMIT)
        # WAIC, which approximates it to a small part of the number of parameters.
        waic = (within - values.var(axis=1)).sum(axis=1).mean()
        print(f"leave-one-out {total.mean():.4f}, exact {exact.sum():.4f}, WAIC {waic:.4f}, within {within.sum(1).mean():.4f}")
        self.assertLess(abs(waic - exact.sum()), 0.3)

    def scores(self, of_replicates, exact):
        error = of_replicates.std(axis=0, ddof=1) / math.sqrt(len(of_replicates))
        return (of_replicates.mean(axis=0) - exact) / error


if __name__ == "__main__":
    unittest.main()
