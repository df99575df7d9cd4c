"""Runs of model "stan" on libraries with the interface of Stan programs (stand_in.cpp): numbers, bits, refusals.

log Z is exact: -2.25 - log pi + log(sqrt(pi)/2) + log(1 + erf(1/2)). Estimates must lie within 4 standard errors, a false
alarm in 15 000 seeds if errors are normal; the seed is fixed.
"""

import json
import math
import os
import pathlib
import shutil
import unittest

import h5py
import numpy
import pearlite_runner as runner

LIBRARIES = pathlib.Path(os.environ["PEARLITE_STAND_INS"])
EXACT = -2.25 - math.log(math.pi) + math.log(math.sqrt(math.pi) / 2) + math.log1p(math.erf(0.5))
MODEL = {"name": "stan", "library": str(LIBRARIES / "stand_in.so")}
SMC = {"name": "smc", "particles": 512}
SHORT = {"path": {"fit_particles": 512}}


class Model(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def start(self, name, *options, ranks=None, model=MODEL, algorithm=SMC, command="run", **tables):
        file = runner.write_configuration(self.directory / f"{name}.toml", model=model, algorithm=algorithm,
                                          **{**SHORT, **tables})
        where = self.directory / name
        output = ("-o", where) if command == "run" else ()
        return runner.pearlite(command, file, *output, *options, ranks=ranks), where

    def finished(self, name, *options, **settings):
        ended, where = self.start(name, *options, **settings)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return runner.summary(where), ended

    def error_in_standard_errors(self, summary, exact=EXACT):
        estimate = summary["log_evidence"][0]
        return (estimate["value"] - exact) / estimate["standard_error"]

    def test_evidence_by_each_algorithm(self):
        algorithms = {"smc": SMC, "ais": {"name": "annealed-importance", "trajectories": 1024},
                      "work": {"name": "nonequilibrium", "trajectories": 512, "reverse_trajectories": 512},
                      "tempering": {"name": "parallel-tempering", "scans": 600, "burn_in": 100}}
        schedules = dict.fromkeys(("ais", "work"), {"steps": 1000})
        for name, algorithm in algorithms.items():
            with self.subTest(name):
                summary, _ = self.finished(name, algorithm=algorithm, schedule=schedules.get(name, {}))
                self.assertLess(abs(self.error_in_standard_errors(summary)), 4)
                self.assertLess(summary["log_evidence"][0]["standard_error"], 0.1)

    def test_log_likelihoods_of_data_points_are_a_group_of_their_own(self):
        """log_lik of the program, y ~ N(theta, 1) for y = 1, 2, as ArviZ looks for it."""
        self.finished("pointwise")
        with h5py.File(self.directory / "pointwise" / "posterior.nc") as file:
            self.assertNotIn("log_lik", file["posterior"])
            pointwise, theta = file["log_likelihood/log_lik"][()], file["posterior/theta"][()]
            self.assertNotIn("log_likelihood", file["sample_stats"])
        expected = [-0.5 * (y - theta) ** 2 - 0.5 * math.log(2 * math.pi) for y in (1, 2)]
        for i in range(2):
            self.assertLess(abs(pointwise[..., i] - expected[i]).max(), 1e-12)

    def test_arrays_and_groups_for_predictive_checks(self):
        """A matrix keeps its shape, its elements their places; y_rep stands beside y, other data apart. Tables of CmdStan
        have the program's names, the first index fastest."""
        self.finished("groups", model={**MODEL, "data": self.data(group=[[1, 2, 3], [4, 5, 6]])})
        with h5py.File(self.directory / "groups" / "posterior.nc") as file:
            self.assertEqual(set(file), {"posterior", "sample_stats", "log_likelihood", "posterior_predictive",
                                         "observed_data", "constant_data"})
            table, theta = file["posterior/table"][()], file["posterior/theta"][()]
            draw, replicates = file["posterior/draw_"][()], file["posterior_predictive/y"][()]
            self.assertNotIn("y_rep", file["posterior"])
            self.assertEqual(file["observed_data/y"][()].tolist(), [1, 2])
            self.assertEqual(file["constant_data/group"][()].tolist(), [[1, 2, 3], [4, 5, 6]])
            self.assertEqual(file["constant_data/prior_only"][()], 0)
            names = [list(file[f"{group}/{name}"].asstr()) for group, name in
                     (("posterior", "table_dim_1"), ("posterior_predictive", "y_dim_0"), ("observed_data", "y_dim_0"))]
            self.assertEqual(names, [["1", "2"]] * 3)
        self.assertEqual(table.shape, (*theta.shape, 2, 2))
        self.assertEqual(replicates.shape, (*theta.shape, 2))
        for i in range(2):
            self.assertLess(abs(replicates[..., i] - theta - draw - i).max(), 1e-12)
            for j in range(2):
                self.assertLess(abs(table[..., i, j] - theta - 10 * i - j).max(), 1e-12)
        self.assertNotIn("data", runner.summary(self.directory / "groups"))  # presumed, so that compare does not judge
        self.assertEqual(runner.pearlite("draws", self.directory / "groups").status, runner.FINISHED)
        lines = (self.directory / "groups" / "draws.csv").read_text(encoding="utf-8").splitlines()
        header = next(line for line in lines if line[0] != "#").split(",")
        self.assertEqual(header, ["lp__", "theta", "m.1", "m.2", "draw", "table.1.1", "table.2.1", "table.1.2",
                                  "table.2.2", "log_lik.1", "log_lik.2", "y_rep.1", "y_rep.2"])
        last = [float(number) for number in lines[-1].split(",")]
        self.assertAlmostEqual(last[header.index("table.2.1")] - last[1], 10, 9)

    def test_default_algorithm_and_a_hit_limit_of_temperatures(self):
        """smc unless the configuration says otherwise; trajectories whose pilot asks for more temperatures than the limit
        say so when they begin and at the end."""
        summary, _ = self.finished("default", algorithm={"particles": 256})
        self.assertEqual(summary["algorithm"], "smc")
        summary, ended = self.finished("limit", algorithm={"name": "annealed-importance", "trajectories": 64},
                                       schedule={"most_steps": 3, "log_weight_variance": 1e-4})
        words = "schedule.most_steps = 3"
        self.assertIn(words, " ".join(summary["diagnostics"]["warnings"]))
        self.assertIn("warning: the pilot asks for", ended.err)
        self.assertIn(words, ended.err)
        summary, ended = self.finished("enough", algorithm={"name": "annealed-importance", "trajectories": 64})
        self.assertNotIn("most_steps", " ".join(summary["diagnostics"]["warnings"]) + ended.err)

    def data(self, **changes):
        file = self.directory / f"data-{len(list(self.directory.iterdir()))}.json"
        file.write_text(json.dumps({"y": [1, 2], "prior_only": 0, **changes}, separators=(",", ":")), encoding="utf-8")
        return str(file)

    def test_a_path_from_the_prior(self):
        """Given by a flag in the data or by other data, with the same numbers; log prior and log likelihood as written."""
        flagged, _ = self.finished("flag", model={**MODEL, "data": self.data(), "prior_flag": "prior_only"})
        other, _ = self.finished("other", model={**MODEL, "data": self.data(), "prior_data": self.data(prior_only=1)})
        self.assertLess(abs(self.error_in_standard_errors(flagged)), 4)
        self.assertLess(flagged["log_evidence"][0]["standard_error"], 0.1)
        self.assertEqual(flagged["log_evidence"][0]["value"], other["log_evidence"][0]["value"])
        found = flagged["diagnostics"]
        self.assertLess(abs(found["prior_leg_log_normaliser"]),
                        4 * found["prior_leg_log_normaliser_standard_error"] + 0.05)
        with h5py.File(self.directory / "flag" / "posterior.nc") as file:
            theta, shift = file["posterior/theta"][()], file["posterior/m"][()][..., 0]
            log_likelihood = file["sample_stats/log_likelihood_total"][()]
            lp = file["sample_stats/lp"][()]
        prior = (math.log(2) - 2 * theta + numpy.log(theta) - 0.5 * ((shift - 1) / 0.5) ** 2 - math.log(0.5)
                 - 0.5 * math.log(2 * math.pi))
        expected = sum(-0.5 * (y - theta) ** 2 - 0.5 * math.log(2 * math.pi) for y in (1, 2))
        self.assertLess(abs(log_likelihood - expected).max(), 1e-12)
        self.assertLess(abs(lp - log_likelihood - prior).max(), 1e-12)

    def test_a_path_from_the_prior_has_the_same_bits(self):
        model = {**MODEL, "data": self.data(), "prior_flag": "prior_only"}
        _, where = self.start("one", model=model)
        expected = runner.findings(where)
        for ranks in (2, 3, 4):
            _, where = self.start(f"on-{ranks}", model=model, ranks=ranks)
            self.assertEqual(runner.findings(where), expected)
        ended, where = self.start("parts", "--step-limit", 2, model=model, ranks=2)
        while runner.summary(where)["status"] == "stopped":
            ended = runner.pearlite("resume", where, "--step-limit", 5, ranks=3)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.findings(where), expected)

    def test_refused_priors(self):
        cases = {"no \"prior\" in the data": {"data": self.data(), "prior_flag": "prior"},
                 "\"prior_only\" is 1, expected 0": {"data": self.data(prior_only=1), "prior_flag": "prior_only"},
                 "got prior_flag, too": {"data": self.data(), "prior_flag": "prior_only", "prior_data": self.data()},
                 "no such file": {"data": self.data(), "prior_data": "nowhere.json"}}
        for words, keys in cases.items():
            with self.subTest(words):
                ended, _ = self.start("refused", model={**MODEL, **keys})
                self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                self.assertIn(words, ended.err)
                self.assertIn("model.prior_", ended.err)

    def draws(self, n=400, header="lp__,accept_stat__,theta,m.1,log_lik.1", row=lambda x: f"-1,nan,{x[0]!r},{x[1]!r},nan"):
        """Draws of the posterior as CmdStan writes them, after some of a warm-up that are far from it."""
        rng, rows = numpy.random.default_rng(5), []
        while len(rows) < n:
            theta = rng.normal(0.5, math.sqrt(0.5))
            if theta > 0:
                rows.append((float(theta), float(rng.normal(1, 0.5))))
        file = self.directory / f"draws-{len(list(self.directory.iterdir()))}.csv"
        file.write_text("\n".join(["# method = sample", header, *[row((1e6, -1e6))] * 50, "# Adaptation terminated",
                                   "# Step size = 0.9", *map(row, rows), "#", "#  Elapsed Time: 0.1 seconds"]) + "\n",
                        encoding="utf-8")
        return str(file)

    def test_a_reference_from_draws(self):
        for reference in ("student", "mixture"):
            path = {"fit": "draws", "file": self.draws(), "reference": reference, **SHORT["path"]}
            summary, _ = self.finished(f"by-{reference}", path=path)
            self.assertLess(abs(self.error_in_standard_errors(summary)), 4)
            self.assertLess(summary["log_evidence"][0]["standard_error"], 0.1)
            with h5py.File(self.directory / f"by-{reference}" / "results.h5") as file:
                mean = file["reference/means"][()].reshape(-1, 2)[0]
                self.assertLess(abs(mean[1] - 1), 0.5)

    def test_refused_draws(self):
        cases = {"there is no column 'm[1]'": self.draws(header="lp__,accept_stat__,theta,n.1,log_lik.1"),
                 "0 of 400 draws are points of the model": self.draws(row=lambda x: f"-1,1,{-x[0]!r},1,2"),
                 "3 of 3 draws are points of the model, expected at least half of them and 6": self.draws(n=3),
                 ":3: column 3 ('theta'): not a number (got \"red\")": self.draws(row=lambda x: "-1,1,red,1,2"),
                 ":3: wrong number of columns (got 4), expected 5": self.draws(row=lambda x: "-1,1,1,1")}
        for words, file in cases.items():
            with self.subTest(words):
                ended, _ = self.start("refused", path={"fit": "draws", "file": file})
                self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                self.assertIn(words, ended.err)
                self.assertIn("draws-", ended.err)

    def test_wrong_data_are_found_out(self):
        """The comparison is sensitive: for data 1, 4 the answer is -2.25 - 3 lower or so."""
        data = self.directory / "data.json"
        data.write_text('{"y": [1, 4]}', encoding="utf-8")
        summary, _ = self.finished("other", model={**MODEL, "data": str(data)})
        self.assertGreater(abs(self.error_in_standard_errors(summary)), 20)

    def test_posterior_in_the_programs_parameters(self):
        """theta = exp(x_0) has density (theta > 0) of N(1/2, 1/2): mean 1/2 + e^(-1/4)/(sqrt(pi) (1 + erf(1/2)))."""
        summary, _ = self.finished("posterior", algorithm={"name": "smc", "particles": 4096})
        found = {row["name"]: row for row in summary["posterior"]}
        self.assertEqual(list(found), ["theta", "m[1]", "m[2]", "draw", "log_lik[1]", "log_lik[2]", "y_rep[1]", "y_rep[2]",
                                       "table[1,1]", "table[2,1]", "table[1,2]", "table[2,2]"])
        mean = 0.5 + math.exp(-0.25) / (math.sqrt(math.pi) * (1 + math.erf(0.5)))
        for name, expected in {"theta": mean, "m[1]": 1, "m[2]": 2, "draw": 0.5}.items():
            self.assertLess(abs(found[name]["mean"] - expected), 4.5 * found[name]["mcse"], found[name])
        summary, _ = self.finished("without", model={**MODEL, "generated_quantities": False})
        self.assertEqual([row["name"] for row in summary["posterior"]], ["theta", "m[1]", "m[2]"])

    def test_same_bits_on_any_ranks(self):
        _, where = self.start("one")
        expected = runner.findings(where)
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                _, where = self.start(f"on-{ranks}", ranks=ranks)
                self.assertEqual(runner.findings(where), expected)

    def test_stop_and_resume(self):
        """Stops in the leg from the modes and in the run, and resumes on other numbers of ranks."""
        _, where = self.start("whole")
        expected = runner.findings(where)
        ended, where = self.start("parts", "--step-limit", 1, ranks=2)
        stops = 0
        while runner.summary(where)["status"] == "stopped":
            stops += 1
            ended = runner.pearlite("resume", where, "--step-limit", 2, ranks=(3, None)[stops % 2])
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertGreater(stops, 3)
        self.assertEqual(runner.findings(where), expected)

    def test_another_library_is_recognised(self):
        library = self.directory / "moved.so"
        shutil.copy(LIBRARIES / "stand_in.so", library)
        model = {**MODEL, "library": str(library)}
        _, where = self.start("changed", "--step-limit", 4, model=model)
        shutil.copy(LIBRARIES / "stand_in_rejecting.so", library)
        ended = runner.pearlite("resume", where)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("the model or its data (stan) are not those", ended.err)

    def test_refusals(self):
        empty = self.directory / "empty.so"
        empty.write_text("no library", encoding="utf-8")
        cases = {"stand_in_1.so": "version 1, expected version 2", "stand_in_3.so": "version 3, expected version 2",
                 "stand_in_lacking.so": "no bs_log_density_gradient in this library",
                 "stand_in_throwing.so": "the model rejects its data: construct() failed with exception: variable does "
                                         "not exist", str(empty): "not a library that can be loaded",
                 "nowhere.so": "no such file"}
        for library, words in cases.items():
            for ranks in (None, 3):
                with self.subTest(library, ranks=ranks):
                    ended, _ = self.start("refused", ranks=ranks, model={**MODEL, "library": str(LIBRARIES / library)})
                    self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                    self.assertIn(words, ended.err)
                    self.assertIn("model.library", ended.err)
        ended, _ = self.start("data", model={**MODEL, "data": "nowhere.json"})
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("model.data", ended.err)

    def test_rejected_points_are_counted(self):
        """x_1 <= 1.5 has mass Phi(1) under N(1, 1/2^2)."""
        exact = EXACT + math.log(0.5 * (1 + math.erf(1 / math.sqrt(2))))
        for ranks in (None, 2):
            summary, ended = self.finished(f"rejecting-{ranks}", ranks=ranks,
                                           model={**MODEL, "library": str(LIBRARIES / "stand_in_rejecting.so")})
            self.assertLess(abs(self.error_in_standard_errors(summary, exact)), 4)
            rejected = summary["diagnostics"]["rejected_points"]
            self.assertGreater(rejected["number"], 100)
            self.assertIn("Scale parameter is -0.5", rejected["first"])
            self.assertIn("point(s), whose density is zero; the first: log_density() failed", ended.out)

    def test_prints_are_shown_and_not_without_end(self):
        _, ended = self.finished("printing", model={**MODEL, "library": str(LIBRARIES / "stand_in_printing.so")})
        self.assertEqual(ended.err.count("the model prints: theta is large"), 20)
        self.assertEqual(ended.err.count("the model prints more"), 1)

    def test_check_and_default_path(self):
        ended, _ = self.start("checked", command="check")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertRegex(ended.out, 'kind = "bridge"')
        self.assertRegex(ended.out, 'fit = "auto"')
        self.assertIn("gradient", ended.out)


if __name__ == "__main__":
    runner.main()
