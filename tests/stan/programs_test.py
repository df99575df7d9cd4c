"""Real Stan programs: `pearlite stan` compiles them as one unit, runs find their integrals. Skipped if R or its packages
are not installed.

The integrals are exact: eight schools -32.0044945 (two-dimensional quadrature; all constants kept, tau ~ Cauchy(0, 5) not
doubled), the regression and the decay by quadrature below, `modern` in closed form. Estimates must lie within 4 of their
standard errors, which normal errors exceed once in 15 000 seeds; the seeds are fixed. The unit takes the compiler a minute.
"""

import json
import math
import pathlib
import random
import shutil
import subprocess
import unittest

import h5py
import pearlite_runner as runner

PROGRAMS = pathlib.Path(__file__).with_name("programs")
SCHOOLS = {"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}
EIGHT_SCHOOLS = -32.0044945
MOMENTS = {"mu": (4.36, 3.32), "tau": (3.60, 3.21)}  # mean and sd, of posteriordb's reference draws


def missing():
    """The program or packages that translation needs and this machine lacks; empty if it has all."""
    if shutil.which("Rscript") is None:
        return "R is not installed"
    check = 'quit(status = !all(sapply(c("rstan", "StanHeaders"), requireNamespace, quietly = TRUE)))'
    found = subprocess.run(["Rscript", "--vanilla", "-e", check], capture_output=True, check=False)
    return "" if found.returncode == 0 else "the R packages rstan and StanHeaders are not installed"


def regression_data():
    draw = random.Random(5)
    x = [draw.gauss(0, 1) for _ in range(40)]
    return {"N": 40, "x": x, "y": [1 + 2 * value + draw.gauss(0, 1.5) for value in x]}


def regression_integral(data):
    """log of the integral over both coefficients and over sigma, sigma on a fine grid of logarithms."""
    n, x, y = data["N"], data["x"], data["y"]
    mean_x, mean_y = sum(x) / n, sum(y) / n
    sxx = sum((a - mean_x) ** 2 for a in x)
    sxy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    rest = sum((b - mean_y) ** 2 for b in y) - sxy ** 2 / sxx
    step, terms = 1e-3, []
    for k in range(-8000, 8000):
        sigma = math.exp(k * step)
        cauchy = -math.log(math.pi * 2.5 * (1 + (sigma / 2.5) ** 2))
        terms.append(cauchy + k * step - (n - 2) / 2 * math.log(2 * math.pi) - (n - 2) * math.log(sigma)
                     - 0.5 * math.log(n * sxx) - rest / (2 * sigma ** 2) + math.log(step))
    highest = max(terms)
    return highest + math.log(sum(math.exp(term - highest) for term in terms))


def decay_data():
    draw = random.Random(6)
    t = [0.25 * (i + 1) for i in range(12)]
    return {"N": 12, "t": t, "y": [math.exp(-0.7 * time) + draw.gauss(0, 0.1) for time in t]}


def decay_integral(data):
    """log of the integral over the rate, on a fine grid of logarithms."""
    step, terms = 1e-3, []
    for k in range(-8000, 5000):
        u = k * step
        log_density = -0.5 * u ** 2 - 0.5 * math.log(2 * math.pi) + math.log(step)
        for t, y in zip(data["t"], data["y"]):
            z = (y - math.exp(-math.exp(u) * t)) / 0.1
            log_density -= 0.5 * z ** 2 + math.log(0.1) + 0.5 * math.log(2 * math.pi)
        terms.append(log_density)
    highest = max(terms)
    return highest + math.log(sum(math.exp(term - highest) for term in terms))


def modern_data():
    draw = random.Random(7)
    return {"N": 5, "K": 2, "y": [[draw.gauss(1, 1), draw.gauss(-1, 1)] for _ in range(5)]}


def modern_integral(data):
    """y_nk = mu_k + noise, both standard normal: a normal of covariance I + 1 1^T in each dimension k. The densities of
    shares are 1; that of the table keeps its constants."""
    n, total = data["N"], 0
    for values in zip(*data["y"]):
        quadratic = sum(y ** 2 for y in values) - sum(values) ** 2 / (n + 1)
        total -= 0.5 * (n * math.log(2 * math.pi) + math.log(n + 1) + quadratic)
    return total


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if lacking := missing():
            raise unittest.SkipTest(lacking)
        scratch = runner.scratch_directory()
        cls.directory = scratch.__enter__()
        cls.addClassCleanup(scratch.__exit__, None, None, None)
        cls.names = ("eight_schools", "regression", "empty", "modern", "decay")
        cls.made = runner.pearlite("stan", *(PROGRAMS / f"{name}.stan" for name in cls.names), "-o", cls.directory,
                                   timeout=900)

    def model(self, name, data):
        file = self.directory / f"{name}.json"
        file.write_text(json.dumps(data), encoding="utf-8")
        return {"name": "stan", "library": str(self.directory / f"{name}.so"), "data": str(file)}

    def run_smc(self, label, model, *options, ranks=None, particles=8192):
        file = runner.write_configuration(self.directory / f"{label}.toml", model=model,
                                          algorithm={"name": "smc", "particles": particles})
        ended = runner.pearlite("run", file, "-o", self.directory / label, *options, ranks=ranks, timeout=300)
        return ended, self.directory / label

    def check_evidence(self, where, exact):
        estimate = runner.summary(where)["log_evidence"][0]
        self.assertLess(abs(estimate["value"] - exact), 4 * estimate["standard_error"], estimate)
        self.assertLess(estimate["standard_error"], 0.01)
        return estimate

    def test_compiled(self):
        self.assertEqual(self.made.status, 0, self.made.describe())
        self.assertEqual(self.made.out.count("made "), len(self.names))
        for name in self.names:
            again = runner.pearlite("stan", PROGRAMS / f"{name}.stan", "-o", self.directory / f"{name}.so")
            self.assertIn("is up to date", again.out)

    def test_eight_schools(self):
        ended, where = self.run_smc("schools", self.model("eight_schools", SCHOOLS))
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.check_evidence(where, EIGHT_SCHOOLS)
        rows = {row["name"]: row for row in runner.summary(where)["posterior"]}
        for name, (mean, sd) in MOMENTS.items():
            self.assertLess(abs(rows[name]["mean"] - mean), 0.1 * sd, rows[name])
            self.assertLess(abs(rows[name]["sd"] / sd - 1), 0.1, rows[name])
        for name in ("theta[8]", "log_lik[1]", "y_rep[8]"):
            self.assertIn(name, rows)
        # As CmdStan would name and order them, with the log likelihoods of the data.
        self.assertEqual(runner.pearlite("draws", where).status, runner.FINISHED)
        header = next(line for line in (where / "draws.csv").read_text(encoding="utf-8").splitlines() if line[0] != "#")
        columns = header.split(",")
        self.assertEqual(columns[:4], ["lp__", "mu", "tau", "z.1"])
        for column in ("z.8", "theta.8", "log_lik.1", "log_lik.8", "y_rep.8"):
            self.assertIn(column, columns)
        # The comparison is sensitive: it rejects half the density of tau, as if that had been doubled by mistake.
        estimate = runner.summary(where)["log_evidence"][0]
        self.assertGreater(abs(estimate["value"] - EIGHT_SCHOOLS - math.log(2)), 20 * estimate["standard_error"])

    def test_regression(self):
        data = regression_data()
        ended, where = self.run_smc("regression", self.model("regression", data))
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.check_evidence(where, regression_integral(data))

    def test_syntax_of_today(self):
        """Arrays, nested declarations, sums in parts, added functions: log Z, and the shapes of posterior.nc."""
        data = modern_data()
        ended, where = self.run_smc("modern", self.model("modern", data))
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.check_evidence(where, modern_integral(data))
        with h5py.File(where / "posterior.nc") as file:
            shapes = {name: file[f"posterior/{name}"].shape[2:] for name in ("mu", "table", "share", "moved", "copied")}
            self.assertEqual(shapes, {"mu": (2,), "table": (2, 3), "share": (2, 2), "moved": (2,), "copied": (2, 3)})
            self.assertEqual(file["posterior_predictive/y"].shape[2:], (5, 2))
            self.assertEqual(file["observed_data/y"][()].tolist(), data["y"])
            self.assertTrue((file["posterior/table"][()] == file["posterior/copied"][()]).all())

    def test_differential_equation(self):
        """CVODES is linked."""
        data = decay_data()
        ended, where = self.run_smc("decay", self.model("decay", data), particles=2048)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.check_evidence(where, decay_integral(data))

    def test_empty_data(self):
        """`[]` for a vector, a matrix, matrices and integers of size 0; the program keeps all constants, so that log Z is 0.
        Where the program declares other sizes, it refuses them as it does any."""
        none = {"N": 0, "K": 3, "refuses": 0, "y": [], "x": [], "blocks": [], "group": []}
        ended, where = self.run_smc("empty", self.model("empty", none))
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.check_evidence(where, 0)
        ended, _ = self.run_smc("not-empty", self.model("empty", none | {"N": 2, "y": [1, 2], "group": [1, 1]}))
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("variable name=x", ended.err)

    def test_no_point_will_do(self):
        """The search for starts ends after the draws that were given, also before the fit, with the program's words."""
        none = {"N": 0, "K": 3, "refuses": 1, "y": [], "x": [], "blocks": [], "group": []}
        for kind in ("bridge", "tempered"):
            ended, _ = self.run_smc(kind, self.model("empty", none), "--set", "algorithm.most_prior_draws=20000", "--set",
                                    f"path.kind={kind}")
            self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
            self.assertRegex(ended.err, "most_prior_draws = 20000.*the first: log_density.* no point will do")

    def test_same_bits_and_resume(self):
        model = self.model("eight_schools", SCHOOLS)
        found = {ranks: runner.findings(self.run_smc(f"on-{ranks}", model, ranks=ranks, particles=512)[1])
                 for ranks in (1, 2, 3, 4)}
        for ranks in (2, 3, 4):
            self.assertEqual(found[ranks], found[1], ranks)
        ended, where = self.run_smc("parts", model, "--step-limit", 6, ranks=2, particles=512)
        self.assertEqual(runner.summary(where)["status"], "stopped", ended.describe())
        ended = runner.pearlite("resume", where, ranks=3)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.findings(where), found[1])

    def test_kill_and_resume(self):
        """All ranks are killed behind a checkpoint; other ranks end with the same bits."""
        model = self.model("eight_schools", SCHOOLS)
        often = ("--set", "run.checkpoint_every=0.02")
        _, whole = self.run_smc("whole", model, *often, particles=4096)
        where = self.directory / "killed"
        with runner.Program("run", self.directory / "whole.toml", "-o", where, *often, ranks=2) as program:
            steps = lambda: [int(file.name.split(".")[1]) for file in runner.checkpoints(where)]
            self.assertTrue(runner.wait_until(lambda: not program.running() or any(steps())))
            program.kill_all()
        self.assertFalse((where / "summary.json").exists(), "killed too late")
        ended = runner.pearlite("resume", where, ranks=3)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.findings(where), runner.findings(whole))

    def test_mistakes_in_programs_and_data(self):
        program = self.directory / "wrong.stan"
        program.write_text("parameters { real x; } model { y ~ normal(0, 1); }\n", encoding="utf-8")
        ended = runner.pearlite("stan", program)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn(f'{program}:1:32: Stan\'s translator refuses the program: Variable "y" does not exist.', ended.err)
        program.write_text("data {\n  array[2] real a;\n}\nparameters {\n  real x;\n}\nmodel {\n  array[2] real z = a; x ~ "
                           "normal(b, 1);\n}\n", encoding="utf-8")
        ended = runner.pearlite("stan", program)
        self.assertIn(f"{program}:8:", ended.err)
        self.assertIn("    array[2] real z = a; x ~ normal(b, 1);", ended.err)
        program.write_text("parameters {\n  real mu;\n  real M_PI;\n}\nmodel {\n  mu ~ normal(0, 1);\n  M_PI ~ normal(0, 1);\n}\n",
                           encoding="utf-8")  # the translator accepts a macro's name
        ended = runner.pearlite("stan", program, timeout=600)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertRegex(ended.err, f"{program}:[37]:1: the compiler refuses the translated program: ")
        for data, words in (({"J": 8}, "y"), ({**SCHOOLS, "sigma": [1]}, "sigma")):
            ended, _ = self.run_smc("refused", self.model("eight_schools", data))
            self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
            self.assertIn("the model rejects its data", ended.err)
            self.assertIn(words, ended.err)
        ended = runner.pearlite("stan", self.directory / "none.stan")
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("no such file", ended.err)


if __name__ == "__main__":
    runner.main()
