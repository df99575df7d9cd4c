"""Runs the report on synthetic sweeps and reads the page."""

import json
import unittest
import xml.etree.ElementTree

from pages import MINUS, WithDirectory  # first: skips the test if there are no libraries

import numpy
import synthetic_sweeps

VALUE = "log_evidence.product.log_ratio.value"


class Sweeps(WithDirectory):
    def test_one_axis(self):
        synthetic_sweeps.evidence(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            "Pearlite sweep report · run",
            "gaussian · Sequential Monte Carlo",
            "Swept: algorithm.particles 100, 1000, 10\u202f000",
            "8 a setting",
            "the same at every setting",
            "24 finished of 24",
            "9f86d081884c7d65",
            "Particles runs log Z / Z₀, product (nats) coverage Effective sample size",
            "log Z / Z₀, product (nats) against particles",
            f"{VALUE} against algorithm.particles",
            "Pale points are runs (8 a setting), lines are means, bands two standard errors of them.",
            "the dashed line is at 0.95",
            "1000 particles less 100",
            "timing.wall_seconds",
            str(synthetic_sweeps.SEED + 7),
            "# a & b < c",
        )
        self.assertNotIn("failed", page.text)
        self.assertEqual(page.links, [])
        self.assertEqual(
            self.figure_names(),
            {
                f"{VALUE}-against-algorithm.particles.svg",
                "diagnostics.ess-against-algorithm.particles.svg",
                "coverage.svg",
            },
        )
        for figure in (self.directory / "figures").iterdir():
            xml.etree.ElementTree.parse(figure)

    def test_what_theta_has_learnt(self):
        figures = [{"name": "spread", "scalars": ["theta.squared_deviation"], "against": "algorithm.chains"}]
        synthetic_sweeps.searches(self.directory, chains=(1, 4), replicates=2, masses=True, figures=figures)
        page = self.page()
        self.assert_shows(page, "Masses of the regions", "theta.squared_deviation", "Numbers of spread")
        self.assertLessEqual({"spread.svg", "masses.svg"}, self.figure_names())

    def test_figures_that_were_asked_for(self):
        published = {"label": "published", "x": [100, 30000], "y": [0.2, 0.01]}
        figures = [
            {"name": "2a", "title": "Spread", "scalars": [VALUE], "statistic": "sd", "published": [published],
             "against": "algorithm.particles", "logarithmic": True},
            {"name": "2b", "scalars": [VALUE, "diagnostics.ess"], "statistic": "median", "known": 3.0},
            {"name": "2c", "scalars": ["nothing.like.it"]},
        ]
        synthetic_sweeps.evidence(self.directory, figures=figures)
        page = self.page()
        self.assert_shows(page, "Spread. 8 runs a setting", "Open symbols are published values", "Numbers of 2a",
                          "published 30\u202f000 0.01", "2b. 8 runs a setting",
                          "Figure 2c: no run has the scalar nothing.like.it")
        self.assertLessEqual({"2a.svg", "2b.svg"}, self.figure_names())
        self.assertNotIn("2c.svg", self.figure_names())
        for name in ("2a", "2b"):
            xml.etree.ElementTree.parse(self.directory / "figures" / f"{name}.svg")

    def test_the_means_are_those_of_the_sweep(self):
        arrays = {"settings/mean": numpy.array([[1.25]]), "settings/standard_error": numpy.array([[0.031]])}
        setting = [{"algorithm.chains": 4}]
        synthetic_sweeps.write_sweep(
            self.directory, setting, lambda *_: {"diagnostics.ess": 2.0}, 4, ["diagnostics.ess"], arrays=arrays
        )
        self.assert_shows(self.page(), "1.250 ± 0.031", "All with 4 chains.", "all runs 4")

    def test_failures_come_first(self):
        synthetic_sweeps.evidence(self.directory, failed=(2, 9))
        page = self.page()
        self.assert_shows(
            page,
            "2 of 24 runs failed; all means are without them",
            "Run 9, 1000 particles, replicate 1, seed 17: energy <was> NaN",
            "22 finished of 24",
        )
        self.assertLess(page.source.index('id="failures"'), page.source.index('id="settings"'))
        self.assertEqual(page.text.count(" failed "), 2)  # the status of two runs

    def test_all_runs_failed(self):
        synthetic_sweeps.evidence(self.directory, replicates=2, failed=tuple(range(6)))
        page = self.page()
        self.assert_shows(page, "6 of 6 runs failed", f"No run has the scalar {VALUE}")
        self.assertEqual(self.figure_names(), set())

    def test_searches_by_two_axes(self):
        synthetic_sweeps.searches(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            "ab-protein · by chains and variant",
            "Algorithm of the first setting pisaa",
            "Swept: variant PISAA, VFSA, PSAA",
            "Best energy against chains",
            "Best energy against variant",
            "symbols are means, bars two standard errors",
            "Progress against iterations",
            "Means of 6 replicates of each setting",
            "Counted from the start, with those that found the range and the scales.",
            "VFSA less PISAA 1 chain Best energy 6",
        )
        self.assertEqual(
            self.figure_names(),
            {
                "best.energy-against-algorithm.chains.svg",
                "best.energy-against-variant.svg",
                "progress-iterations.svg",
                "progress-evaluations.svg",
            },
        )
        self.assertEqual(len(page.links), 4 * 3 * 6)
        self.assertIn("runs/000071/", page.links)

    def test_distances_to_an_energy(self):
        synthetic_sweeps.searches(self.directory, chains=(4, 30), replicates=3, keep=False)
        self.assert_shows(self.page(None, "--above=-3.3"), f"Best energy, above {MINUS}3.3 against chains")
        done = self.run_report(self.directory, "--above", "1000")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no mean of best.energy lies above 1000", done.stderr)

    def test_runs_without_directories(self):
        synthetic_sweeps.searches(self.directory, keep=False, replicates=2)
        self.assert_shows(self.page(), "No run's directory is there: the progress of the searches is not drawn")
        self.assertNotIn("progress-iterations.svg", self.figure_names())

    def test_schedules_and_what_happens_along_them(self):
        synthetic_sweeps.schedules(self.directory)
        page = self.page()
        self.assert_shows(page, "Along the path", "Schedules", "Effective share of the particles",
                          "The first replicate of each setting.")
        self.assertLessEqual({"schedules.svg", "ess-on-the-way.svg"}, self.figure_names())
        self.page(None, "--scalar", "diagnostics.ess")
        self.assertNotIn("schedules.svg", self.figure_names())

    def test_a_damaged_path_is_replaced_by_the_next_replicates(self):
        synthetic_sweeps.schedules(self.directory, damaged=(0,))
        self.assert_shows(self.page(), "Run 0 is not among the curves")
        self.assertIn("schedules.svg", self.figure_names())
        self.setUp()
        synthetic_sweeps.schedules(self.directory, damaged=(0, 1))  # one setting is left
        self.page()
        self.assertNotIn("schedules.svg", self.figure_names())

    def test_works_a_panel_a_setting(self):
        synthetic_sweeps.works(self.directory, kept=True)
        names = {"works.svg", "log-ratio-posteriors.svg", "u-on-the-way.svg", "x1-on-the-way.svg"}
        self.assert_shows(self.page(), "Work distributions", "Hysteresis", "Posteriors of log Z", "x1 of the trajectories")
        self.assertLessEqual(names, self.figure_names())
        results = self.directory / "runs" / "000001" / "results.h5"
        results.write_bytes(results.read_bytes()[:-100])
        self.assert_shows(self.page(), "The works of run 1 are not drawn")
        self.assertIn("works.svg", self.figure_names())

    def test_bias_and_spread_of_the_estimators(self):
        synthetic_sweeps.works(self.directory, replicates=12)
        self.assert_shows(self.page(), "Bias and spread against flips at each temperature", "Mean error of 12 runs")
        self.assertIn("spread-against-model.flips.svg", self.figure_names())
        self.setUp()
        synthetic_sweeps.works(self.directory, replicates=3)
        self.page()
        self.assertNotIn("spread-against-model.flips.svg", self.figure_names())

    def test_a_damaged_run_is_left_out_of_the_curves(self):
        synthetic_sweeps.searches(self.directory, chains=(1, 4), replicates=3)
        results = self.directory / "runs" / "000001" / "results.h5"
        results.write_bytes(results.read_bytes()[:-100])
        self.assert_shows(self.page(), "Run 1 is not among the curves", "cut short", "Means of 2 to 3 replicates")

    def test_single_reports(self):
        synthetic_sweeps.searches(self.directory, chains=(4,), variants=("PISAA", "VFSA"), replicates=1)
        page = self.page(None, "--runs")
        self.assertEqual(page.links, [f"runs/{run:06d}/report.html" for run in range(2)])
        self.assertIn("Pearlite run report", (self.directory / "runs" / "000000" / "report.html").read_text())
        self.assertEqual(self.page().links, page.links)

    def test_another_output_directory(self):
        synthetic_sweeps.searches(self.directory, chains=(4,), variants=("PISAA",), replicates=2)
        output = self.directory.parent / "out"
        done = self.run_report(self.directory, "-o", output, "--runs")
        self.assertEqual((done.returncode, done.stdout), (0, f"{output / 'report.html'}\n"), done.stderr)
        self.assertIn('href="runs/000001/report.html"', (output / "report.html").read_text(encoding="utf-8"))
        self.assertFalse((self.directory / "report.html").exists())
        self.run_report(self.directory, "-o", self.directory.parent / "plain")
        page = (self.directory.parent / "plain" / "report.html").read_text(encoding="utf-8")
        self.assertIn('href="../run/runs/000001/"', page)

    def test_estimators_with_bounds(self):
        synthetic_sweeps.works(self.directory)
        page = self.page()
        self.assert_shows(
            page,
            "Estimators against flips at each temperature",
            "Bars are the 95 % intervals of the runs",
            "Shaded: between the lower and the upper bound.",
            "One run a setting.",
        )
        self.assertIn("estimators-against-model.flips.svg", self.figure_names())
        self.assertNotIn("works.svg", self.figure_names())  # no run's directory is there
        synthetic_sweeps.works(self.directory, replicates=3)
        self.assert_shows(self.page(), "Means over 3 runs with two standard errors.")

    def test_missing_scalars(self):
        settings = synthetic_sweeps.crossed(model__size=[1, 2], variant=["a", "b"])

        def found(setting, rng):
            return {"half": rng.normal()} if setting["variant"] == "a" else {"never": numpy.nan}

        synthetic_sweeps.write_sweep(self.directory, settings, found, 3, ["half", "never", "absent"])
        page = self.page()
        self.assert_shows(
            page,
            "No run has the scalar absent",
            "never has no finite mean; it is not drawn",
            "2 settings left out (no finite value)",
        )
        self.assertEqual(self.figure_names(), {"half-against-model.size.svg", "half-against-variant.svg"})

    def test_a_sweep_of_replicates_alone(self):
        synthetic_sweeps.write_sweep(
            self.directory, [{}], lambda _, rng: {"diagnostics.ess": rng.normal()}, 20, ["diagnostics.ess"]
        )
        self.assert_shows(self.page(), "Effective sample size", "all runs 20")
        self.assertEqual(self.figure_names(), {"diagnostics.ess.svg"})

    def test_many_combinations_become_panels(self):
        axes = {"schedule__steps": [10, 20, 40], "kernel__operations": [["metropolis"], ["metropolis", "snooker"]]}
        axes |= {"variant": [f"way $ {k}" for k in range(4)], "model__size": [8, 16]}
        synthetic_sweeps.evidence(self.directory, axes=axes, replicates=2)
        page = self.page(None, "--scalar", VALUE, "--against", "kernel.operations")
        self.assert_shows(page, "Swept: kernel.operations metropolis, metropolis+snooker")
        self.assertIn('<figure class="wide">', page.source)

    def test_more_settings_than_rows(self):
        synthetic_sweeps.evidence(self.directory, particles=tuple(range(1, 501)), replicates=1)
        page = self.page()
        self.assert_shows(
            page,
            "The first 400 of 500 settings; all are in settings.csv.",
            "The coverage of 380 settings is in settings.csv only",
            "Coverage, part 1 of 17",
        )


class Options(WithDirectory):
    def test_any_scalar_against_any_key(self):
        synthetic_sweeps.evidence(self.directory, axes={"variant": ["a", "b"]}, replicates=3)
        options = ("--scalar", "timing.wall_seconds", "--scalar", "warnings", "--against", "algorithm.particles")
        page = self.page(None, *options)
        self.assert_shows(page, "Wall time (s) against particles", "Warnings of a run against particles")
        self.assertEqual(
            self.figure_names(),
            {"timing.wall_seconds-against-algorithm.particles.svg", "warnings-against-algorithm.particles.svg"},
        )

    def refused(self, *options):
        done = self.run_report(self.directory, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        return done.stderr

    def test_names_that_do_not_exist(self):
        synthetic_sweeps.evidence(self.directory, replicates=2)
        self.assertIn("diagnostic.ess: no such scalar in this sweep; nearest: diagnostics.ess",
                      self.refused("--scalar", "diagnostic.ess"))
        self.assertIn("nearest: timing.wall_seconds", self.refused("--scalar", "wall_seconds"))
        self.assertIn("xyzzy: no such scalar in this sweep; there are: ", self.refused("--scalar", "xyzzy"))
        self.assertIn("algorithm.particle: no such swept key; nearest: algorithm.particles",
                      self.refused("--against", "algorithm.particle"))
        self.assertIn("no energy is among the scalars", self.refused("--above", "3"))
        self.assertIn("no mean of warnings lies above 3", self.refused("--scalar", "warnings", "--above", "3"))
        self.assertFalse((self.directory / "report.html").exists())

    def test_a_number_that_is_none(self):
        done = self.run_report(self.directory, "--above", "low")
        self.assertEqual(done.returncode, 2)
        self.assertIn("invalid float value", done.stderr)


class Refusals(WithDirectory):
    def refused(self, *texts):
        done = self.run_report(self.directory)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertFalse((self.directory / "report.html").exists())

    def test_stopped(self):
        synthetic_sweeps.evidence(self.directory, status="stopped", finished=5)
        self.refused("5 of 24 runs are done", f"Continue it with: pearlite resume {self.directory}")

    def test_killed(self):
        self.directory.mkdir()
        (self.directory / "rows.0.jsonl").write_text("")
        self.refused("no summary.json yet", "pearlite resume")

    def test_missing_files_and_other_summaries(self):
        synthetic_sweeps.evidence(self.directory, replicates=1)
        path = self.directory / "summary.json"
        whole = json.loads(path.read_text())
        without = {name: value for name, value in whole.items() if name != "axes"}
        for change, said in (
            (json.dumps({**whole, "schema": 2}), "schema is 2"),
            (json.dumps({**whole, "kind": "run"}), "kind is sweep"),
            (json.dumps(without), "axes and settings are missing"),
            (json.dumps({**whole, "settings": [{"a": 1}]}), "setting 0 does not have a value"),
            (json.dumps({**whole, "settings": whole["settings"][:1]}), "sweep.h5: cannot be read (runs/setting goes"),
            ("{", "JSON"),
        ):
            with self.subTest(said):
                path.write_text(change)
                self.refused(said)
        path.write_text(json.dumps(whole))
        (self.directory / "sweep.h5").unlink()
        self.refused("sweep.h5: no such file")

    def test_damage(self):
        path = synthetic_sweeps.evidence(self.directory, replicates=1) / "sweep.h5"
        data = path.read_bytes()
        middle = len(data) // 2
        for damaged, said in (
            (data[:-100], "cut short"),
            (data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :], "checksum"),
            (b"\0" * 512 + data[512:], "not a Pearlite container"),
        ):
            with self.subTest(said):
                path.write_bytes(damaged)
                self.refused("sweep.h5 is ", said)

    def test_arrays_of_other_shapes(self):
        for arrays, said in (
            ({"runs/values": numpy.zeros((3, 2))}, "runs/values is of shape (3, 2), expected (3, 8)"),
            ({"settings/mean": None}, "cannot be read"),
            ({"pairs/setting": numpy.arange(16) + 90}, "pairs/setting goes beyond"),
        ):
            with self.subTest(said):
                replicates = 2 if "pairs/setting" in arrays else 1
                synthetic_sweeps.evidence(self.directory, replicates=replicates, arrays=arrays)
                self.refused("sweep.h5: ", said)


if __name__ == "__main__":
    unittest.main()
