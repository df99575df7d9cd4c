"""posteriordb.py on a repository of ten small posteriors that this test makes: programs of its kinds, simulated data, and
reference draws by importance sampling of the compiled programs, without any code of Pearlite's estimators. Skipped if R
or its packages are not installed.

Each posterior must be right (limits in posteriordb.py); a twin whose reference draws are those of a neighbour, a third of a
standard deviation away, must be wrong. Catches programs that are translated to another density, and wrong evidences.
"""

import json
import math
import pathlib
import shutil
import subprocess
import sys
import unittest

import pearlite_runner as runner

try:
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    raise SystemExit(runner.SKIPPED) from None

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import bridge_sampling
import posteriordb
import repository
from stan_library import StanLibrary

CHECK = 'quit(status = !all(sapply(c("rstan", "StanHeaders"), requireNamespace, quietly = TRUE)))'
CHAINS, DRAWS = 10, 400


def simulated(rng):
    """{posterior: data}."""
    x, school = rng.normal(size=(60, 3)), rng.integers(0, 2, 80)
    iq, series, states = rng.normal(size=80), [0.3], [0]
    returns, scale = [0.5], 1.0
    for _ in range(59):
        series.append(0.4 + 0.6 * series[-1] + 0.5 * rng.normal())
        scale = math.sqrt(0.4 + 0.3 * returns[-1] ** 2 + 0.3 * scale**2)
        returns.append(scale * rng.normal())
        states.append(states[-1] if rng.uniform() < 0.8 else 1 - states[-1])
    places, times = numpy.linspace(-2, 2, 14), 0.8 * (1 + numpy.arange(12))
    logistic = 6 / (1 + 5 * numpy.exp(-0.9 * times))
    counts = rng.poisson(numpy.exp(0.5 + 0.6 * x[:, 0]) * rng.gamma(3, 1 / 3, 60))
    two = numpy.where(rng.uniform(size=90) < 0.4, rng.normal(-2, 1, 90), rng.normal(2, 0.7, 90))
    data = {
        "schools": {"J": 4, "y": [12, 3, -2, 6], "sigma": [8, 5, 6, 5]},
        "autoregression": {"T": 60, "y": series},
        "garch": {"T": 60, "r": returns},
        "logistic": {"N": 60, "K": 3, "x": x, "y": rng.uniform(size=60) < 1 / (1 + numpy.exp(-x @ [1, -0.5, 0.2]))},
        "counts": {"N": 60, "x": x[:, 0], "y": counts},
        "gaussian_process": {"N": 14, "x": places, "y": numpy.sin(2 * places) + 0.2 * rng.normal(size=14)},
        "two_components": {"N": 90, "y": two},
        "hidden_states": {"N": 60, "K": 2, "y": 3 + 7 * numpy.array(states) + rng.normal(size=60)},
        "interaction": {"N": 80, "score": 1 + school + 0.7 * iq + 0.3 * school * iq + rng.normal(size=80),
                        "school": school, "iq": iq},
        "differential_equation": {"N": 12, "t": times, "y": logistic * numpy.exp(0.2 * rng.normal(size=12))},
    }
    plain = lambda value: plain(value.tolist()) if hasattr(value, "tolist") else (
        [plain(each) for each in value] if isinstance(value, list) else int(value) if isinstance(value, bool) else value)
    return {name: {key: plain(value) for key, value in variables.items()} for name, variables in data.items()}


def log_student(points, mean, factor, freedom=5):
    d = len(mean)
    squares = (numpy.linalg.solve(factor, (points - mean).T) ** 2).sum(axis=0)
    return (math.lgamma((freedom + d) / 2) - math.lgamma(freedom / 2) - d / 2 * math.log(freedom * math.pi)
            - numpy.log(numpy.diag(factor)).sum() - (freedom + d) / 2 * numpy.log1p(squares / freedom))


def importance_sampling(program, rng, n=12000, freedom=5):
    """Points of the posterior of equal weight, log Z and its standard error: Student t distributions that follow the
    moments of the weighted points before, which begin tempered."""
    d = program.dimension
    mean, factor = numpy.zeros(d), 1.5 * numpy.eye(d)
    for power in (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1, 1, None):
        size = n if power is None else 3000
        points = mean + (rng.normal(size=(size, d)) @ factor.T) / numpy.sqrt(rng.chisquare(freedom, (size, 1)) / freedom)
        log_weights = program.log_densities(points) - log_student(points, mean, factor)
        if power is None:
            break
        tempered = numpy.exp(power * (log_weights - log_weights.max()))
        tempered /= tempered.sum()
        mean = tempered @ points
        centred = (points - mean) * numpy.sqrt(tempered)[:, None]
        factor = numpy.linalg.cholesky(centred.T @ centred + 1e-6 * numpy.eye(d))
    weights = numpy.exp(log_weights - log_weights.max())
    log_z = log_weights.max() + math.log(weights.mean())
    error = weights.std() / weights.mean() / math.sqrt(n)
    places = numpy.searchsorted(numpy.cumsum(weights), (numpy.arange(CHAINS * DRAWS) + rng.uniform()) / (CHAINS * DRAWS)
                                * weights.sum())
    return points[rng.permutation(places)], log_z, error, weights.sum() ** 2 / (weights**2).sum()


class Posteriordb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("Rscript") is None or subprocess.run(
                ["Rscript", "--vanilla", "-e", CHECK], capture_output=True, check=False).returncode != 0:
            raise unittest.SkipTest("R or its packages rstan and StanHeaders are not installed")
        scratch = runner.scratch_directory()
        cls.directory = scratch.__enter__()
        cls.addClassCleanup(scratch.__exit__, None, None, None)
        cls.root, cls.output = cls.directory / "repository", cls.directory / "output"
        root, rng = cls.root / "posterior_database", numpy.random.default_rng(20)
        shutil.copytree(HERE / "programs", root / "models/stan")
        (root / "posteriors").mkdir()
        cls.data = simulated(rng)
        for name, data in cls.data.items():
            repository.write_zipped(root / f"data/data/{name}.json.zip", data)
            (root / f"posteriors/{name}.json").write_text(json.dumps(
                {"name": name, "model_name": name, "data_name": name, "reference_posterior_name": name}), encoding="utf-8")
        if cls.call("--compile-all") != 0:
            raise AssertionError("programs that are not compiled")
        cls.exact = {}
        for name, data in cls.data.items():
            program = StanLibrary(cls.output / f"libraries/{name}.so", json.dumps(data))
            points, log_z, error, ess = importance_sampling(program, rng)
            if ess < 3000:
                raise AssertionError(f"{name}: importance sampling has an effective size of {ess:.0f}")
            values = numpy.array([program.constrained(point) for point in points])
            cls.exact[name] = (log_z, error)
            repository.write_zipped(root / f"reference_posteriors/draws/draws/{name}.json.zip", [
                {quantity: values[chain * DRAWS:(chain + 1) * DRAWS, k].tolist()
                 for k, quantity in enumerate(program.parameter_names())} for chain in range(CHAINS)])
        cls.status = cls.call("--set", "algorithm.particles=4096")

    @classmethod
    def call(cls, *options):
        return posteriordb.main([str(cls.root), "-o", str(cls.output), "--pearlite", runner.PEARLITE, *options])

    def test_all_are_right(self):
        rows = posteriordb.write_table(self.output)
        self.assertEqual({row["posterior"]: row["judgement"] for row in rows}, dict.fromkeys(self.data, "right"))
        self.assertEqual(self.status, 0)
        self.assertEqual(len((self.output / "table.md").read_text(encoding="utf-8").splitlines()), 2 + len(rows))

    def test_bridge_sampling(self):
        for name, (log_z, error) in self.exact.items():
            found = json.loads((self.output / f"bridge/{name}.json").read_text(encoding="utf-8"))
            with self.subTest(name):
                self.assertLess(abs(found["value"] - log_z), 4 * math.hypot(error, found["standard_error"]))
                self.assertLess(found["standard_error"], 0.05)

    def test_what_is_there_is_not_made_again(self):
        before = {file: file.stat().st_mtime_ns for file in self.output.rglob("*") if file.suffix in (".so", ".json")}
        self.assertEqual(self.call(), 0)
        self.assertEqual({file: file.stat().st_mtime_ns for file in before}, before)

    def test_wrong_twin(self):
        """Reference draws a third of a standard deviation away; an evidence 0.2 away."""
        posterior = next(one for one in repository.posteriors(self.root) if one.name == "counts")
        bridge = json.loads((self.output / "bridge/counts.json").read_text(encoding="utf-8"))
        arguments = ("finished", 1.0, self.output / "runs/counts")
        self.assertEqual(posteriordb.row_of(posterior, *arguments, bridge)["judgement"], "right")
        moved = {**bridge, "value": bridge["value"] + 0.2}
        self.assertEqual(posteriordb.row_of(posterior, *arguments, moved)["judgement"], "WRONG")
        reference = posterior.reference()
        shifted = lambda: {name: draws + draws.std() / 3 for name, draws in reference.items()}
        posterior.reference = shifted
        self.assertEqual(posteriordb.row_of(posterior, *arguments, bridge)["judgement"], "WRONG")


class Formula(unittest.TestCase):
    def test_heavy_tails_are_compared_by_quartiles(self):
        """A t distribution of 1.5 degrees of freedom has no standard deviation; a normal one a tenth too wide is wrong."""
        rng = numpy.random.default_rng(5)

        def worst(draws, sd, width):
            low, high = numpy.quantile(draws, (0.25, 0.75))
            entry = {"name": "x", "mean": draws.mean(), "sd": sd * draws.std(),
                     "quantiles": {"0.25": 0, "0.75": width * (high - low)}}
            return posteriordb.differences({"posterior": [entry]}, {"x": draws})[1][0]

        heavy, normal = rng.standard_t(1.5, 10000), rng.normal(size=10000)
        self.assertAlmostEqual(worst(heavy, 0.5, 1.02), 1.02)
        self.assertAlmostEqual(worst(heavy, 1, 1.2), 1.2)
        self.assertAlmostEqual(worst(normal, 1.12, 1), 1.12)

    def test_normal(self):
        """A normal density times e^3 in two dimensions, correlated: bridge sampling finds 3 within its small error."""
        rng = numpy.random.default_rng(2)
        factor = numpy.array([[2.0, 0], [1.5, 0.5]])
        draws = rng.normal(size=(4000, 2)) @ factor.T + [5, -1]
        density = lambda points: 3 + bridge_sampling.normal_log_density(points, numpy.array([5, -1]), factor)
        value, error = bridge_sampling.bridge_sampling(draws, density, rng)
        self.assertLess(abs(value - 3), 4 * error)
        self.assertLess(error, 0.01)


if __name__ == "__main__":
    runner.main()
