"""Runs the report on synthetic run directories and reads the page."""

import json
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

from pages import MINUS, REPORT, WithDirectory  # first: skips the test if there are no libraries

import matplotlib.image
import numpy
import synthetic_runs
from pearlite_report import numbers, run


class Reports(WithDirectory):
    def test_estimates_exact_value_and_refusal(self):
        synthetic_runs.ising(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            "log Z/Z_0 of the whole = 180.412 ± 0.012 (95 % interval 180.388 to 180.436)",
            "Exact 180.400, z = 1.00",
            f"power-posterior 180.370 0.031 180.309 to 180.431 {MINUS}0.97",
            "cumulant-both refused: the work values are not Gaussian (skewness 1.9 > 0.5)",
            "1 h 12 min 2 s",
            "2.345 × 10⁹ spin updates per second",
            "9f86d081884c7d65",
            "Eigen 3.4.0, HDF5 1.10.8",
            "ising · Annealed importance sampling",
            'name = "ising" # a & b < c',
        )
        self.assertNotIn("do not agree", page.text)
        self.assertNotIn('id="warnings"', page.source)
        self.assertEqual(
            self.figure_names(),
            {
                "estimates.svg",
                "log-weights.svg",
                "effective-sample-size.svg",
                "running-log-ratio.svg",
                "variance-u.svg",
                "mean-u.svg",
                "schedule.svg",
            },
        )
        for figure in (self.directory / "figures").iterdir():
            xml.etree.ElementTree.parse(figure)

    def test_images_warnings_and_a_wrong_estimate(self):
        synthetic_runs.rbm(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            f"log Z = {MINUS}451.00 ± 0.41",
            f"z = {MINUS}7.10: the estimate and the exact value do not agree",
            "2 warnings",
            "The effective sample size is 3.1 of 256: <use more steps>.",
            "Largest weight 0.44",
            "2 points left out (not finite)",
            "3 particles left out (-inf or NaN)",
            "The first 100 of 256 final particles",
            "28 × 28 pixels",
            "Variance of the log weights 0.79, twice the excess work 0.772; predicted by the survey: at least 0.48.",
            "Measured by a survey of the path before the run. The schedule goes through equal lengths",
        )
        self.assertIn("survey.svg", self.figure_names())
        self.assertIn("particles.png", self.figure_names())
        sheet = matplotlib.image.imread(self.directory / "figures" / "particles.png")
        self.assertEqual(sheet.shape[0], sheet.shape[1])
        self.assertEqual(sheet.shape[0] % (10 * (28 + 2) + 2), 0)

    def test_training(self):
        synthetic_runs.training(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            "Contrastive divergence",
            f"Training: {MINUS}61.25 in the end, a mean of 500 examples",
            f"Held out: {MINUS}59.75 in the end, a mean of 400 examples",
            "The first 12 of 12 hidden units",
            "100 chains of the trained model",
            "Filters and samples",
        )
        self.assertEqual(self.figure_names(), {"free-energy.svg", "wrong-units.svg", "filters.png", "samples.png"})

    def test_growth(self):
        synthetic_runs.growing(self.directory)
        self.assert_shows(
            self.page(),
            "Effective share of the particles",
            "6 steps of 29 enlarged it.",
            "1.45 times the base set moved a step",
            "0.0042, 0.0031 with the best numbers",
            "4 replicates, and the log of the mean of their Z",
        )
        self.assertTrue(
            {"running-evidence.svg", "effective-share.svg", "particles-by-step.svg"} <= self.figure_names()
        )

    def test_test_log_likelihood(self):
        synthetic_runs.rbm(self.directory)
        path = self.directory / "summary.json"
        summary = json.loads(path.read_text(encoding="utf-8"))
        entry = {"value": -86.3609, "data": 10000, "form": "stochastic", "seed": 1, "standard_error_of_data": 0.233}
        summary["test_log_likelihood"] = [
            {**entry, "estimator": "product", "standard_error": 0.0876, "interval95": [-86.5326, -86.1893]},
            {**entry, "estimator": "exact"},
        ]
        path.write_text(json.dumps(summary), encoding="utf-8")
        self.assert_shows(
            self.page(),
            f"test log-likelihood = {MINUS}86.361 ± 0.088",
            f"(95 % interval {MINUS}86.533 to {MINUS}86.189)",
            "mean of 10000 data, stochastic with seed 1; other data would change it by 0.23",
        )

    def test_chains(self):
        synthetic_runs.chains(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            "Pseudo-marginal Metropolis-Hastings",
            "parameter mean sd mcse ess R-hat bulk ess tail ess 50 %",
            "mu 0.012 1.000 0.020 2500 1.012 2400 2300",
            "chain acceptance longest stay (iterations) 0 0.210 20",
            "2 0.230 300",
            "Trace of phi",
            "4 chains of 5",
        )
        figures = {"forest.svg", "pairs.svg", "marginal-01.svg", "marginal-02.svg", "trace-01.svg", "trace-02.svg"}
        self.assertEqual(self.figure_names(), figures)

    def test_rounds_of_importance_sampling(self):
        synthetic_runs.importance(self.directory)
        page = self.page()
        self.assert_shows(page, "Importance sampling squared", "The last round has the 5000 draws", "Likelihood estimates 8000")
        self.assertEqual(self.figure_names(), {"log-weights.svg", "rounds.svg"})

    def test_arrays_are_rows_that_unfold(self):
        """An array of many elements is a row with ranges and the worst of what judges it; its elements stay in the page."""
        synthetic_runs.regression(self.directory, 12)
        page = self.page()
        self.assert_shows(page, "beta, 12 elements 0 to 33 1 to 12 \N{LESS-THAN OR EQUAL TO} 0.28 "
                                "\N{GREATER-THAN OR EQUAL TO} 1890", "beta[11] 33.00 12.00 0.28 1890")
        self.assertEqual(page.source.count('<tbody class="folded">'), 1)
        synthetic_runs.regression(self.directory, 9)
        self.assertNotIn("elements", self.page().text)

    def test_posterior_and_replicates(self):
        synthetic_runs.regression(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            f"= {MINUS}312.48 ± 0.11",
            "parameter mean sd mcse ess 2.5 % 50 % 97.5 %",
            f"beta[1] 3.000 2.000 0.046 1890 {MINUS}1.000 3.000 7.000",
            "12 resamplings, marked",
            "after the resampling of the last step; before it, 1312.",
            "8 replicates; combined on the scale of Z",
            "1 replicate left out (not finite)",
            "20 at the end",
            "Schedule. 24 steps.",
            "Figures show the first of 8 replicates",
            "Acceptance. Mean over the steps: 0.250.",
            "3 to 7 moves a step.",
        )
        others = {"log-z-of-replicates.svg", "eves.svg", "acceptance.svg", "mobility.svg"}
        self.assertLessEqual({f"marginal-{i:02d}.svg" for i in range(1, 6)} | others, self.figure_names())
        self.assertNotIn("batch", page.text)

    def test_many_parameters_are_cut_to_twelve_and_said(self):
        synthetic_runs.regression(self.directory, n_parameters=15)
        page = self.page()
        self.assertEqual(sum(name.startswith("marginal") for name in self.figure_names()), 12)
        self.assert_shows(page, "The first 12 of 15 parameters are drawn.", "beta[14]")

    def test_predictions_along_time(self):
        synthetic_runs.volatility(self.directory)
        page = self.page()
        self.assert_shows(page, "Predictions along time", "lie outside the band of 90 %", "Predictive check of y",
                          "300 observations", "90 %:")
        self.assertLessEqual({"over-time.svg", "ranks-y.svg"}, self.figure_names())
        self.assertNotIn("calibration-y.svg", self.figure_names())

    def test_predictions_of_yes_and_no(self):
        synthetic_runs.volatility(self.directory, binary=True)
        self.assert_shows(self.page(), "in 10 groups of rising predicted probability")
        self.assertIn("calibration-y.svg", self.figure_names())
        self.assertNotIn("ranks-y.svg", self.figure_names())

    def test_an_optimisation_has_no_path(self):
        synthetic_runs.optimisation(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            f"lowest energy found {MINUS}3.2941",
            "all 30 numbers are in summary.json",
            f"20 replicates: lowest {MINUS}3.29",
        )
        self.assertEqual(self.figure_names(), {"replicates.svg"})

    def test_forward_and_reverse_work(self):
        synthetic_runs.nonequilibrium(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            "agree: forward and reverse works overlap well",
            "The distributions cross",
            "slope of 1.010 ± 0.040",
            "between the lower and the upper bound",
            "2000 draws",
            "jarzynski-reverse",
        )
        self.assertLessEqual(
            {"work.svg", "crooks.svg", "work-posterior.svg", "hysteresis.svg", "hysteresis-zoom.svg", "equilibration.svg", "estimates.svg"},
            self.figure_names(),
        )

    def test_work_that_does_not_meet(self):
        synthetic_runs.nonequilibrium(self.directory, gap=60.0)
        page = self.page()
        self.assert_shows(page, "too fast: forward and reverse works do not overlap", "The distributions do not meet")
        self.assertNotIn("crooks.svg", self.figure_names())
        self.assertNotIn("work-posterior.svg", self.figure_names())

    def test_what_the_model_knows_of_the_way(self):
        synthetic_runs.nonequilibrium(self.directory, known=True)
        self.assert_shows(self.page(), "x1 on the way", "one standard deviation on either side")
        self.assertIn("quantity-x1.svg", self.figure_names())

    def test_infinite_work_is_left_out_and_said(self):
        synthetic_runs.nonequilibrium(self.directory, n_infinite=3)
        self.assert_shows(self.page(), "infinite work")

    def test_parallel_tempering(self):
        synthetic_runs.tempering(self.directory)
        self.assert_shows(self.page(), "stepping-stone", "communication barrier, is 2.00", "Thermodynamic integration")
        names = self.figure_names()
        self.assertLessEqual({"swaps.svg", "equilibrium-u.svg"}, names)
        self.assertNotIn("log-weights.svg", names)
        self.assertNotIn("effective-sample-size.svg", names)

    def test_a_stopped_run_of_one_step_says_so(self):
        synthetic_runs.ising(self.directory, n_steps=1, status="stopped")
        self.assert_shows(self.page(), "This run is stopped, not finished", "1 step.")

    def test_a_long_run_is_thinned(self):
        synthetic_runs.ising(self.directory, n_steps=145000)
        page = self.page()
        self.assertIn("Thinned from 145\N{NARROW NO-BREAK SPACE}001 points", page.text)
        self.assertLess(len(page.source), 600_000)

    def test_only_the_configuration(self):
        synthetic_runs.write_run(self.directory, {"schema": 1}, {"configuration": "[run]\nseed = 1\n"})
        self.assert_shows(self.page(), "unknown model · unknown algorithm", "seed = 1")
        self.assertEqual(self.figure_names(), set())

    def test_strange_contents_are_remarked_on(self):
        nothing = numpy.full(5, numpy.nan)
        synthetic_runs.write_run(
            self.directory,
            synthetic_runs.common("smc", "<b>toy</b>"),
            {
                "configuration": "",
                "per_step/ess": nothing,
                "per_step/variance_u": numpy.ones((5, 2)),
                "per_step/acceptance": numpy.array([0.5]),
                "log_weight": numpy.full(4, -numpy.inf),
                "samples/names": ["a"],
                "samples/values": numpy.zeros((3, 2)),
                "images/pixels": numpy.zeros((3, 10)),
                "images/rows": 3,
                "images/columns": 3,
            },
        )
        page = self.page()
        self.assert_shows(
            page,
            "<b>toy</b>",
            "per_step/ess has no finite value",
            "per_step/variance_u is not a numeric array",
            "No particle has a finite log weight",
            "1 names for 2 parameters",
            "10 pixels an image",
            "3 draws but 4 weights",
        )
        self.assertNotIn("b", page.tags[: page.tags.index("section")])

    def test_json_null_and_missing_numbers(self):
        summary = synthetic_runs.common("smc", "toy")
        summary["log_evidence"] = [
            {"estimator": "product", "value": None, "standard_error": None, "interval95": [None, None]},
            {"estimator": "bar", "quantity": "log_ratio", "value": 2.5, "note": "only 7 Eves are left"},
        ]
        summary["posterior"] = [{"name": "x", "mean": 0.5}]
        summary["diagnostics"] = None
        synthetic_runs.write_run(self.directory, summary, {"configuration": "", "log_weight": numpy.zeros(1)})
        self.assert_shows(self.page(), "not available", "bar 2.5 only 7 Eves are left", "x 0.5")

    def test_same_run_same_bytes_and_no_stale_figures(self):
        synthetic_runs.regression(self.directory, n_parameters=2)
        first = self.page().source
        figures, written = self.directory / "figures", self.directory / ".report-figures"
        self.assertEqual(sorted(written.read_text().split()), sorted(path.name for path in figures.iterdir()))
        for name in ("old.svg", "mine.svg"):
            (figures / name).write_text("<svg/>")
        written.write_text(written.read_text() + "old.svg\n../report.html\n")
        self.assertEqual(self.run_report(self.directory).returncode, 0)
        self.assertEqual((self.directory / "report.html").read_text(encoding="utf-8"), first)
        self.assertFalse((figures / "old.svg").exists())
        self.assertTrue((figures / "mine.svg").exists(), "a figure that is not the report's")

    def test_as_a_program(self):
        synthetic_runs.optimisation(self.directory)
        for directory, expected in ((self.directory, (0, f"{self.directory / 'report.html'}\n")), ("absent", (2, ""))):
            done = subprocess.run([sys.executable, "-B", REPORT, directory], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), expected, done.stderr)

    def test_another_output_directory(self):
        synthetic_runs.optimisation(self.directory)
        output = self.directory / "deep" / "report"
        done = self.run_report(self.directory, "-o", output)
        self.assertEqual((done.returncode, done.stdout), (0, f"{output / 'report.html'}\n"))
        self.assertTrue((output / "figures" / "replicates.svg").exists())
        self.assertFalse((self.directory / "report.html").exists())


class Refusals(WithDirectory):
    def assert_refused(self, *texts, status=2, arguments=()):
        done = self.run_report(self.directory, *arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertFalse((self.directory / "report.html").exists())

    def damage(self, change):
        path = synthetic_runs.optimisation(self.directory) / "results.h5"
        path.write_bytes(change(path.read_bytes()))

    def test_no_directory(self):
        self.assert_refused("no such directory")

    def test_a_file_instead_of_a_directory(self):
        self.directory.write_text("")
        self.assert_refused("not a directory")

    def test_only_checkpoints(self):
        self.directory.mkdir()
        (self.directory / "checkpoint.000100.h5").write_bytes(b"")
        self.assert_refused("only checkpoints", "pearlite resume")

    def test_nothing(self):
        self.directory.mkdir()
        self.assert_refused("no results.h5")

    def test_run_that_ends_while_it_is_read(self):
        synthetic_runs.optimisation(self.directory)
        for answers, ends in (([False, True], True), ([False, False], False)):
            # progress.h5 is incomplete, since the run removes it while it is read.
            (self.directory / "progress.h5").write_bytes(b"")
            with unittest.mock.patch.object(run, "_has_finished", side_effect=answers):
                if ends:
                    self.assertEqual(run.read_run(self.directory, "running").summary["status"], "finished")
                else:
                    self.assertRaisesRegex(run.ReportError, "progress.h5", run.read_run, self.directory, "running")

    def test_summary(self):
        path = synthetic_runs.optimisation(self.directory) / "summary.json"
        for text, said in (
            ("{", "JSON"),
            ("[1]", "one JSON object"),
            (json.dumps({"schema": 2}), "schema is 2"),
            (None, "no such file"),
        ):
            with self.subTest(said):
                path.unlink() if text is None else path.write_text(text)
                self.assert_refused("summary.json", said)

    def test_damage(self):
        def flipped(data):
            middle = len(data) // 2
            return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]

        cases = (
            (lambda data: data[:-100], "cut short"),
            (lambda data: data[:100], "stamp"),
            (lambda data: b"", "empty"),
            (flipped, "checksum"),
            (lambda data: b"\0" * 512 + data[512:], "not a Pearlite container"),
            (lambda data: data + b"more", "damaged"),
            (lambda data: data.replace(b"schema 1", b"schema 9", 1), "schema 9"),
        )
        for change, said in cases:
            with self.subTest(said):
                self.damage(change)
                self.assert_refused("results.h5", said)

    def test_a_checkpoint_under_another_name(self):
        synthetic_runs.stamp(synthetic_runs.optimisation(self.directory) / "results.h5", kind="checkpoint")
        self.assert_refused("of kind checkpoint, not results")

    def test_a_sealed_file_that_is_not_hdf5(self):
        path = synthetic_runs.optimisation(self.directory) / "results.h5"
        path.write_bytes(b"\0" * 5000)
        synthetic_runs.stamp(path)
        self.assert_refused("results.h5: cannot be read")

    def test_options_of_sweeps(self):
        synthetic_runs.optimisation(self.directory)
        for option in (("--scalar", "best.energy"), ("--against", "model.size"), ("--above", "0"), ("--runs",)):
            with self.subTest(option):
                self.assert_refused(f"{option[0]} is for sweeps", str(self.directory), arguments=option)

    def test_an_output_that_cannot_be_written(self):
        synthetic_runs.optimisation(self.directory)
        self.assert_refused("cannot write", status=1, arguments=("-o", self.directory / "summary.json"))


class Numbers(unittest.TestCase):
    def test_log_mean_exp_and_weights(self):
        values = numpy.array([1000.0, 1000 + numpy.log(3), -numpy.inf, numpy.nan])
        self.assertAlmostEqual(numbers.log_mean_exp(values), 1000 + numpy.log(4 / 3), places=10)
        numpy.testing.assert_allclose(numbers.normalised_weights(values), [0.25, 0.75, 0, 0])
        self.assertIsNone(numbers.normalised_weights(numpy.array([-numpy.inf, numpy.nan])))
        self.assertAlmostEqual(numbers.effective_sample_size(numpy.array([0.25, 0.75, 0])), 1.6)

    def test_weighted_quantiles(self):
        values, weights = numpy.array([3.0, 1.0, 2.0]), numpy.array([0.1, 0.6, 0.3])
        self.assertEqual(list(numbers.weighted_quantiles(values, weights, [0.0, 0.5, 0.7, 0.99])), [1, 1, 2, 3])

    def test_thinning_keeps_spikes_and_ends(self):
        y = numpy.sin(numpy.arange(100000.0))
        y[54321], y[12345] = 50, -50
        x, kept = numbers.decimate(numpy.arange(100000.0), y, 3000)
        self.assertLessEqual(len(x), 3000)
        self.assertTrue(numpy.all(numpy.diff(x) > 0))
        self.assertEqual((x[0], x[-1], kept.max(), kept.min()), (0, 99999, 50, -50))

    def test_formats(self):
        for value, error, expected in (
            (180.41234, 0.0123, "180.412"),
            (-4.0, 3.2, f"{MINUS}4.0"),
            (12345.6, 130.0, "12346"),
            (1.23456789, 0.0, "1.23456789"),
            (2.5, None, "2.5"),
            (float("nan"), 0.1, "not a number"),
        ):
            self.assertEqual(numbers.with_precision_of(value, error), expected)
        self.assertEqual(numbers.plain(-1.5e-7, 3), f"{MINUS}1.5 × 10⁻⁷")
        self.assertEqual(numbers.plain(2**53 + 1), "9\u202f007\u202f199\u202f254\u202f740\u202f993")
        self.assertEqual(
            [numbers.duration(s) for s in (0.25, 59.94, 61, 90061)],
            ["0.25 s", "59.9 s", "1 min 1 s", "1 d 1 h 1 min 1 s"],
        )


if __name__ == "__main__":
    unittest.main()
