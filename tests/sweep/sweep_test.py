"""Sweeps: the table does not depend on ranks, groups, kills and failures of single runs; its statistics are those of its
rows; messages about mistakes name the file, the line and the key."""

import csv
import json
import os
import pathlib
import random
import re
import signal
import time
import unittest

import h5py
import numpy

import pearlite_runner as runner

SEARCH = """\
[run]
checkpoint_every = 0.05

[model]
name = "test-function"
function = "rastrigin"
dimension = 10

[schedule]
temperature_start = 5.0
temperature_steps = 500

[algorithm]
name = "pisaa"
iterations = 1500
regions = 100
energy_low = -0.01
energy_high = 40.0
"""
GRID = """
[sweep]
replicates = 8
algorithm.chains = [1, 2, 4, 8, 20]

[[sweep.variant]]
name = "PISAA"

[[sweep.variant]]
name = "PSAA"
algorithm.name = "psaa"

[[sweep.variant]]
name = "VFSA"
algorithm.name = "vfsa"
"""
LAST = 'algorithm.name = "vfsa"\n'
ANNEALED = """\
[model]
name = "gaussian"
[schedule]
kind = "geometric"
steps = 10
[kernel]
adapt = "online"
[algorithm]
name = "smc"
particles = 64
[sweep]
replicates = 40
"model.dimension" = [1, 2]
algorithm.resampling = ["multinomial", "systematic"]
"""
OF_MACHINE = ("timing.",)


class SweepTest(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def write(self, text, name="sweep.toml"):
        file = self.directory / name
        file.write_text(text, encoding="utf-8")
        return file

    def run_sweep(self, text, name, *arguments, ranks=None, status=runner.FINISHED, **options):
        where = self.directory / name
        ended = runner.pearlite("run", self.write(text, f"{name}.toml"), "-o", where, *arguments, ranks=ranks,
                                timeout=200, **options)
        self.assertEqual(ended.status, status, ended.describe())
        return where

    def rows(self, where, file="runs.csv"):
        with open(where / file, encoding="utf-8", newline="") as text:
            return list(csv.DictReader(text))

    def results(self, where):
        """All rows without what depends on the machine."""
        return [{name: value for name, value in row.items() if not name.startswith(OF_MACHINE)}
                for row in self.rows(where)]


class Tables(SweepTest):
    def test_the_same_on_all_ranks(self):
        """5 x 3 settings x 8 replicates: digests of the table and all rows, for groups of all sizes."""
        found = {}
        for ranks, arguments in ((1, ()), (2, ()), (3, ()), (7, ()), (4, ("--set", "sweep.ranks_per_run=2")),
                                 (3, ("--set", "sweep.ranks_per_run=3")), (2, ("--set", "sweep.keep=table"))):
            where = self.run_sweep(SEARCH + GRID, f"on-{ranks}-{len(found)}", *arguments, ranks=ranks)
            found[ranks, arguments] = runner.summary(where)["digest"], self.results(where)
            self.assertEqual((where / "runs").exists() and any((where / "runs").iterdir()), "keep" not in str(arguments))
        first = found[1, ()]
        self.assertEqual(len(first[1]), 120)
        for case, result in found.items():
            self.assertEqual(result[0], first[0], case)
            self.assertEqual(result[1], first[1], case)
        other = self.run_sweep(SEARCH + GRID, "other-seed", "--seed", 2)
        self.assertNotEqual(runner.summary(other)["digest"], first[0])

    def test_a_row_is_the_run_by_itself(self):
        where = self.run_sweep(SEARCH + GRID, "sweep", "--set", "sweep.replicates=2")
        row = self.rows(where)[21]
        alone = self.directory / "alone"
        ended = runner.pearlite("run", self.write(SEARCH), "-o", alone, "--seed", row["seed"], "--set",
                                f"algorithm.chains={row['algorithm.chains']}", "--set",
                                f"algorithm.name={row['variant'].lower()}")
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        inside = where / "runs" / f"{int(row['run']):06}"
        self.assertEqual(runner.findings(inside)["digest"], runner.findings(alone)["digest"])
        self.assertEqual(float(row["best.energy"]), runner.summary(alone)["best"]["energy"])

    def test_statistics_are_those_of_the_rows(self):
        where = self.run_sweep(ANNEALED, "sweep", ranks=2)
        rows = self.rows(where)
        for line in self.rows(where, "settings.csv"):
            name = line["scalar"]
            own = [row for row in rows if row["setting"] == line["setting"]]
            values = numpy.array([float(row[name]) for row in own if row[name] != ""])
            self.assertEqual(int(line["count"]), len(values))
            if len(values) == 0:
                self.assertEqual(line["mean"], "")
                continue
            numpy.testing.assert_allclose(float(line["mean"]), values.mean(), rtol=1e-10, err_msg=name)
            if len(values) == 1:
                self.assertEqual(line["sd"], "")
                continue
            numpy.testing.assert_allclose(float(line["sd"]), values.std(ddof=1), rtol=1e-8, atol=1e-12, err_msg=name)
            numpy.testing.assert_allclose(float(line["standard_error"]), values.std(ddof=1) / len(values) ** 0.5,
                                          rtol=1e-8, atol=1e-12)
            for level in ("05", "25", "50", "75", "95"):
                numpy.testing.assert_allclose(float(line[f"q{level}"]), numpy.quantile(values, int(level) / 100),
                                              rtol=1e-10, atol=1e-300)
            if name == "log_evidence.product.log_ratio.value":
                stem = name.removesuffix("value")
                held = [float(row[stem + "interval95.low"]) <= float(row[stem + "exact"])
                        <= float(row[stem + "interval95.high"]) for row in own if row[stem + "interval95.low"]]
                if not held:  # two dimensions leave so few families that no run has an interval
                    self.assertEqual((line["coverage"], line["model.dimension"]), ("", "2"))
                    continue
                share = numpy.mean(held)
                self.assertAlmostEqual(float(line["coverage"]), share, places=12)
                adjusted = (sum(held) + 2) / (len(held) + 4)
                self.assertAlmostEqual(float(line["coverage_standard_error"]),
                                       (adjusted * (1 - adjusted) / (len(held) + 4)) ** 0.5)
        self.compare_container(where, rows)
        self.compare_pairs(where, rows)

    def compare_container(self, where, rows):
        with h5py.File(where / "sweep.h5", "r") as file:
            names = [name.decode() for name in file["runs/columns"]]
            values = file["runs/values"][()]
            self.assertEqual(list(file["runs/seed"]), [int(row["seed"]) for row in rows])
            means = file["settings/mean"][()]
        expected = numpy.array([[float(row[name] or "nan") for name in names] for row in rows])
        numpy.testing.assert_array_equal(values, expected)
        numpy.testing.assert_allclose(means[1], numpy.nanmean(expected[40:80], axis=0), rtol=1e-10)

    def compare_pairs(self, where, rows):
        name = "log_evidence.product.log_ratio.value"
        lines = [line for line in self.rows(where, "pairs.csv") if line["scalar"] == name]
        self.assertEqual({(line["axis"], line["setting"], line["reference"]) for line in lines},
                         {("model.dimension", "2", "0"), ("model.dimension", "3", "1"),
                          ("algorithm.resampling", "1", "0"), ("algorithm.resampling", "3", "2")})
        values = {setting: numpy.array([float(row[name]) for row in rows if row["setting"] == setting])
                  for setting in "0123"}
        for line in lines:
            difference = values[line["setting"]] - values[line["reference"]]
            self.assertAlmostEqual(float(line["mean_difference"]), difference.mean(), places=12)
            self.assertAlmostEqual(float(line["t"]), difference.mean() / difference.std(ddof=1) * 40 ** 0.5, places=8)
        separate = self.run_sweep(ANNEALED, "separate", "--set", "sweep.seeds=separate", "--set", "sweep.replicates=3")
        self.assertEqual(self.rows(separate, "pairs.csv"), [])
        seeds = [row["seed"] for row in self.rows(separate)]
        self.assertEqual(len(set(seeds)), 12)


class Settings(SweepTest):
    """The settings that a table [sweep] spans."""

    def settings(self, text, *arguments):
        ended = runner.pearlite("check", self.write(text), *arguments)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return [line.split("  ", 2)[-1].strip() for line in ended.out.splitlines() if re.match(r"# +\d", line)]

    def test_crossed_and_zipped(self):
        lists = "\n[sweep]\nalgorithm.chains = [3, 5]\n\"algorithm.iterations\" = [100, 200]\n"
        self.assertEqual([line.partition(":")[0].split(None, 1)[1] for line in self.settings(SEARCH + lists)],
                         ["algorithm.chains = 3, algorithm.iterations = 100",
                          "algorithm.chains = 3, algorithm.iterations = 200",
                          "algorithm.chains = 5, algorithm.iterations = 100",
                          "algorithm.chains = 5, algorithm.iterations = 200"])
        zipped = lists + "combine = \"zipped\"\n[[sweep.variant]]\nname = \"a\"\n[[sweep.variant]]\nname = \"b\"\n" \
            "algorithm.name = \"vfsa\"\n"
        self.assertEqual([line.partition(":")[0].split(None, 1)[1] for line in self.settings(SEARCH + zipped)],
                         ["algorithm.chains = 3, algorithm.iterations = 100, variant = a",
                          "algorithm.chains = 3, algorithm.iterations = 100, variant = b",
                          "algorithm.chains = 5, algorithm.iterations = 200, variant = a",
                          "algorithm.chains = 5, algorithm.iterations = 200, variant = b"])

    def test_variants_of_models_bring_their_whole_table(self):
        text = """
[model]
name = "gaussian"
end_sd = 2.0
[algorithm]
name = "smc"
particles = 64
[sweep]
algorithm.ess_threshold = [0.5, 1.0]
[[sweep.variant]]
axis = "problem"
name = "normal"
[[sweep.variant]]
axis = "problem"
name = "torus"
[sweep.variant.model]
name = "ising"
size = 4
"""
        where = self.run_sweep(text, "models", "--set", "sweep.replicates=2", ranks=2)
        models = [json.loads((where / f"runs/{run:06}/summary.json").read_text())["model"] for run in range(8)]
        self.assertEqual(models, ["gaussian"] * 2 + ["ising"] * 2 + ["gaussian"] * 2 + ["ising"] * 2)
        self.assertEqual(runner.summary(where)["axes"], ["algorithm.ess_threshold", "problem"])
        self.assertEqual(runner.summary(where)["model_axes"], ["problem"])

    def test_variants_with_fewer_replicates(self):
        """Such a variant has the first of its runs, and the runs of other variants do not change."""
        for seeds in ("common", "separate"):
            every = (SEARCH + GRID).replace("replicates = 8", f"replicates = 3\nseeds = \"{seeds}\"")
            fewer = every.replace('algorithm.name = "psaa"', 'algorithm.name = "psaa"\nreplicates = 2')
            self.assertNotEqual(every, fewer)
            whole = self.results(self.run_sweep(every, f"every-{seeds}"))
            where = self.run_sweep(fewer, f"fewer-{seeds}", ranks=2)
            kept = [row for row in whole if not (row["variant"] == "PSAA" and row["replicate"] == "2")]
            for rows in (kept, cut := self.results(where)):
                for row in rows:
                    del row["run"]
            self.assertEqual(len(cut), 40)
            self.assertEqual(cut, kept)
            counts = {(line["variant"], int(line["count"])) for line in self.rows(where, "settings.csv")
                      if line["scalar"] == "best.energy"}
            self.assertEqual(counts, {("PISAA", 3), ("PSAA", 2), ("VFSA", 3)})
            pairs = [line for line in self.rows(where, "pairs.csv") if line["scalar"] == "best.energy"]
            self.assertEqual({line["count"] for line in pairs}, {"2", "3"} if seeds == "common" else set())
            self.assertEqual(runner.summary(where)["runs"], 40)

    def test_a_budget_sets_the_number_of_iterations(self):
        for line in self.settings(SEARCH + GRID + "\n", "--set", "sweep.evaluations=1e5"):
            chains = int(re.search(r"chains = (\d+)", line)[1])
            self.assertIn(f"fitted algorithm.iterations={100000 // chains}:", line)
        annealed = ANNEALED.replace('algorithm.resampling = ["multinomial", "systematic"]', "schedule.steps = [10, 20]")
        annealed = annealed.replace('adapt = "online"', 'adapt = "online"\nmoves = 5')
        for line in self.settings(annealed + "evaluations = 64000\n[[sweep.variant]]\nname = \"x\"\n"):
            steps = int(re.search(r"steps = (\d+)", line)[1])
            self.assertIn(f"fitted algorithm.particles={64000 // (5 * steps)}:", line)

    def test_a_rotation_for_each_replicate(self):
        """Each replicate has the rotation of its seed, as a run outside a sweep has."""
        where = self.run_sweep(SEARCH + "\n[sweep]\nreplicates = 2\n", "rotations", "--set",
                               "model.rotation_seed=replicate", ranks=2)
        alone = self.write(SEARCH)
        for run in range(2):
            found = json.loads((where / f"runs/{run:06}/summary.json").read_text())
            for rotation, is_same in ((found["seed"], True), (1, False)):
                directory = self.directory / f"alone-{run}-{rotation}"
                ended = runner.pearlite("run", alone, "-o", directory, "--seed", found["seed"], "--set",
                                        f"model.rotation_seed={rotation}")
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertEqual(runner.summary(directory)["digest"] == found["digest"], is_same)

    def test_a_budget_in_time_has_no_digest(self):
        where = self.run_sweep(SEARCH + GRID, "time", "--set", "sweep.seconds=0.02", "--set", "sweep.replicates=1")
        self.assertNotIn("digest", runner.summary(where))
        again = runner.pearlite("resume", where)
        self.assertEqual(again.status, runner.FINISHED)
        self.assertIn("not reproducible", again.out)


class Ends(SweepTest):
    """Sweeps that are stopped."""

    LONG = ("--set", "algorithm.iterations=60000")

    def test_signals_stop_all_groups_and_resume_goes_on(self):
        whole = self.run_sweep(SEARCH + GRID, "whole", *self.LONG, "--set", "sweep.replicates=1", ranks=2)
        where = self.directory / "stopped"
        with runner.Program("run", self.write(SEARCH + GRID), "-o", where, *self.LONG, "--set", "sweep.replicates=1",
                            ranks=3) as program:
            self.assertTrue(runner.wait_until(lambda: list(where.glob("rows.*.jsonl"))))
            program.send(signal.SIGTERM, program.ranks()[1])  # one rank alone
            ended = program.wait()
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        self.assertRegex(ended.err, r"stopped by signal 15 with \d+ of 15 runs done; `\S+ resume \S+stopped` goes on")
        self.assertEqual(runner.summary(where)["status"], "stopped")
        self.assertTrue(list(where.glob("runs/*/checkpoint.*.h5")), "no run left a checkpoint")
        ended = runner.pearlite("resume", where, ranks=2)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(self.results(where), self.results(whole))
        self.assertEqual(runner.summary(where)["digest"], runner.summary(whole)["digest"])

    def test_time_limit(self):
        where = self.directory / "limited"
        ended = runner.pearlite("run", self.write(SEARCH + GRID), "-o", where, "--set", "algorithm.iterations=300000000",
                                "--time-limit", 3, ranks=2)
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        self.assertIn("stopped by the time limit with 0 of 120 runs done", ended.err)  # each takes minutes


    def test_a_run_that_hangs_ends_the_job(self):
        """A likelihood of one group never returns: the message names the sweep, and a resume repeats that run."""
        text = """
[model]
name = "hanging-density"
[schedule]
kind = "linear"
steps = 50
[kernel]
adapt = "online"
moves = 5
[algorithm]
name = "smc"
[sweep]
replicates = 2
algorithm.particles = [32, 64]
"""
        program = os.environ["PEARLITE_FAULTY"]
        whole, where = self.directory / "whole", self.directory / "hung"
        ended = runner.pearlite("run", self.write(text), "-o", whole, executable=program)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        ended = runner.pearlite("run", self.write(text), "-o", where, "--time-limit", 3, "--patience", 1, ranks=2,
                                executable=program, environment={"PEARLITE_HANG": "1 20000"})
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        self.assertIn(f"resume {where}` makes this run again", ended.err)
        ended = runner.pearlite("resume", where, executable=program)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.summary(where)["digest"], runner.summary(whole)["digest"])


class Kills(SweepTest):
    def test_ten_kills(self):
        long = ("--set", "algorithm.iterations=25000")
        began = time.monotonic()
        whole = self.run_sweep(SEARCH + GRID, "whole", *long, ranks=2)
        longest = (time.monotonic() - began) / 15   # ten lives take a third of the sweep in the mean, on any machine
        where = self.directory / "killed"
        chance, kills, landed = random.Random(7), 0, 0
        arguments = ("run", self.write(SEARCH + GRID), "-o", where, *long)
        for life in range(60):
            with runner.Program(*arguments, ranks=life % 3 + 1) as program:
                before = self.progress(where)
                runner.wait_until(lambda: not program.running() or self.progress(where) != before)
                time.sleep(chance.uniform(0, longest))
                if kills == 10 or not program.running():
                    ended = program.wait()
                    self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                    break
                program.kill_all()
                kills += 1
                landed += bool(list(where.glob("runs/*/checkpoint.*.h5")))
            arguments = ("resume", where) if (where / "configuration.json").exists() else (*arguments[:4], "--overwrite", *long)
        self.assertEqual(kills, 10, "the sweep ended before its last kill")
        print(f"{kills} kills, {landed} with checkpoints of runs")
        self.assertEqual(runner.summary(where)["digest"], runner.summary(whole)["digest"])
        self.assertEqual(self.results(where), self.results(whole))

    def progress(self, where):
        return [(file.name, file.stat().st_size) for file in sorted(where.glob("rows.*.jsonl"))]

    def test_a_torn_line_of_the_journal_is_made_again(self):
        where = self.run_sweep(SEARCH + GRID, "torn")
        digest = runner.summary(where)["digest"]
        journal = where / "rows.0.jsonl"
        lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        journal.write_text("".join(lines[:50]) + lines[50][:37], encoding="utf-8")
        ended = runner.pearlite("resume", where)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.summary(where)["digest"], digest)


FAULTY = """\
[model]
name = "faulty"
[schedule]
kind = "linear"
steps = 20
[kernel]
adapt = "online"
[algorithm]
name = "smc"
particles = 64
[sweep]
replicates = 3
algorithm.particles = [48, 64]
[[sweep.variant]]
name = "sound"
model = {name = "faulty", fault = "exception", rank = 99, after = 0}
[[sweep.variant]]
name = "unsound"
model = {name = "faulty", fault = "exception", rank = 0, after = 200}
"""


class Failures(SweepTest):
    def test_a_failing_variant_leaves_the_rest_whole(self):
        """Runs on groups of one rank and of several."""
        text = FAULTY.replace('name = "smc"\nparticles = 64', 'name = "smc"')
        sound = text.partition('[[sweep.variant]]\nname = "unsound"')[0]
        program = os.environ["PEARLITE_FAULTY"]
        for ranks, arguments in ((1, ()), (2, ()), (2, ("--set", "sweep.ranks_per_run=2"))):
            with self.subTest(ranks=ranks, arguments=arguments):
                name = f"failing-{ranks}-{len(arguments)}"
                where = self.directory / name
                ended = runner.pearlite("run", self.write(text, f"{name}.toml"), "-o", where, *arguments,
                                        "--set", "sweep.seeds=common", ranks=ranks, executable=program)
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                found = runner.summary(where)
                failed = [failure["run"] for failure in found["failures"]]
                if ranks == 1 or arguments:  # else the faulty rank 0 may have been spared
                    self.assertEqual(failed, [3, 4, 5, 9, 10, 11])
                self.assertTrue(set(failed) <= {3, 4, 5, 9, 10, 11} and failed)
                self.assertIn("the library of the model gave up", found["failures"][0]["error"])
                for run in failed:
                    self.assertRegex(ended.err, rf"run {run} failed: setting [13] \(algorithm.particles = \d+, variant = unsound\)")
                self.assertEqual(found["finished"] + found["failed"], 12)
                good = [row["log_evidence.product.log_ratio.value"] for row in self.rows(where)
                        if row["variant"] == "sound"]
                alone = self.directory / f"sound-{name}"
                ended = runner.pearlite("run", self.write(sound, f"sound-{name}.toml"), "-o", alone, executable=program)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertEqual(good, [row["log_evidence.product.log_ratio.value"] for row in self.rows(alone)])

    def test_resume_tries_failed_runs_again(self):
        text = FAULTY.replace('name = "smc"\nparticles = 64', 'name = "smc"')
        where = self.directory / "again"
        ended = runner.pearlite("run", self.write(text), "-o", where, executable=os.environ["PEARLITE_FAULTY"])
        self.assertEqual(ended.status, runner.FAILED)
        # Under mpirun the faulty rank is another one.
        ended = runner.pearlite("resume", where, executable=os.environ["PEARLITE_FAULTY"],
                                environment={"OMPI_COMM_WORLD_RANK": "5"})
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.summary(where)["failures"], [])
        self.assertEqual(runner.summary(where)["finished"], 12)


class Figures(SweepTest):
    def test_figures_reach_the_summary_and_change_nothing(self):
        figure = ('[[sweep.figure]]\nname = "4.2a"\nagainst = "algorithm.chains"\nknown = 0\n'
                  'published = [{ label = "the paper", x = [1, "PSAA"], y = [2.5, 3] }]\n')
        plain, drawn = (self.run_sweep(SEARCH + GRID + more, name) for name, more in (("plain", ""), ("drawn", figure)))
        self.assertEqual(self.results(plain), self.results(drawn))
        self.assertEqual(runner.summary(plain)["digest"], runner.summary(drawn)["digest"])
        self.assertNotIn("figures", runner.summary(plain))
        self.assertEqual(runner.summary(drawn)["figures"], [
            {"name": "4.2a", "title": "", "scalars": [], "statistic": "mean", "against": "algorithm.chains", "known": 0.0,
             "published": [{"label": "the paper", "x": [1.0, "PSAA"], "y": [2.5, 3.0]}]}])


class Mistakes(SweepTest):
    """Changes of a good sweep, and the messages that they cause."""

    CASES = (
        ("algorithm.chains =", "algorithm.chians =", r":22: unknown key 'algorithm.chians'; did you mean 'algorithm.chains'"),
        ("[1, 2, 4, 8, 20]", "[]", r":22: sweep.algorithm.chains: the list is empty, expected a list of values"),
        ("[1, 2, 4, 8, 20]", "5", r":22: sweep.algorithm.chains: got 5, expected a list of values"),
        ("[1, 2, 4, 8, 20]", "[1, -3]", r":22: algorithm.chains: outside the range \(got -3\).*setting 3: algorithm.chains = -3"),
        ("[1, 2, 4, 8, 20]", '[1, "x"]', r":22: algorithm.chains: wrong type \(got \"x\"\)"),
        ("replicates = 8", "replcates = 8", r":21: unknown key 'sweep.replcates'; did you mean 'sweep.replicates'"),
        ("replicates = 8", "replicates = 0", r":21: sweep.replicates: outside the range"),
        ('name = "psaa"', "chains = 3", r":29: the key algorithm.chains is set by algorithm.chains \(line 22\) and by variant"),
        ('name = "PSAA"', 'name = "PISAA"', r":27: sweep.variant: there are two variants \"PISAA\""),
        ('name = "PSAA"\n', "", r":27: sweep.variant: the name is missing"),
        ('algorithm.name = "psaa"', 'algoritm.name = "psaa"', r":29: unknown table \[algoritm\]; did you mean \[algorithm\]"),
        ('algorithm.name = "psaa"', "chains = 3", r":29: sweep.variant: unknown key 'chains'"),
        ('algorithm.name = "psaa"', "replicates = 0", r":29: sweep.variant: replicates of \"PSAA\": got 0, expected a whole"),
        ('algorithm.name = "psaa"', 'replicates = "2"', r":29: sweep.variant: replicates of \"PSAA\": got \"2\""),
        ("replicates = 8", 'combine = "zipped"\nmodel.dimension = [2, 3]',
         r":23: sweep.algorithm.chains: 5 values, but model.dimension \(line 22\) has 2"),
        ("replicates = 8", "evaluations = 10", r":21: sweep.evaluations: a run with algorithm.iterations=1 takes 20 chain"),
        ("replicates = 8", "evaluations = 1e30", r":21: sweep.evaluations: a run with algorithm.iterations=\d+ takes .* less than "
                                                 r"a quarter of its budget"),
        ("replicates = 8", 'evaluations = 1000\nfit = "algorithm.chains"', r":22: sweep.fit: algorithm.chains is swept"),
        ("replicates = 8", 'fit = "algorithm.iterations"', r":21: sweep.fit: a key is fitted to a budget, but there is none"),
        ("replicates = 8", 'evaluations = 1e5\nfit = "schedule.temperature_end"', r"temperature_end"),
        ("[sweep]", "[sweeps]", r"unknown table \[sweeps\]"),
        *((LAST, f"{LAST}[[sweep.figure]]\nname = \"f\"\n{line}\n", message) for line, message in (
            ('statistic = "men"', r'sweep.figure: statistic is "men", expected "mean", "median", "sd", "bias", "rms-error"'),
            ('against = "algorithm.chain"', r'sweep.figure: "f" is against algorithm.chain, expected one of algorithm.chains'),
            ("scalar = 1", r"sweep.figure: unknown key 'scalar', expected name, title, scalars"),
            ("scalars = []", r"sweep.figure: scalars is \[\], expected a list of scalars"),
            ("known = nan", r"sweep.figure: known is nan, expected a number"),
            ("logarithmic = 1", r"sweep.figure: logarithmic is 1, expected true or false"),
            ("published = [1]", r"sweep.figure: published is \[ ?1 ?\], expected a list of tables"),
            ('published = [{ label = "a", x = [1, 2], y = [1] }]', r"sweep.figure: published has something else, expected"),
            ('[[sweep.figure]]\nname = "f"', r'sweep.figure: there are two figures "f"'),
            ('[[sweep.figure]]\nname = "../f"', r"sweep.figure: expected a name of letters, digits"),
        )),
    )

    def test_messages(self):
        for old, new, message in self.CASES:
            with self.subTest(new):
                self.assertIn(old, SEARCH + GRID)
                file = self.write((SEARCH + GRID).replace(old, new, 1))
                for command in (("check", file), ("run", file, "-o", self.directory / "x")):
                    ended = runner.pearlite(*command)
                    self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                    self.assertRegex(ended.err, message)
                self.assertFalse((self.directory / "x").exists())

    def test_command_line(self):
        file = self.write(SEARCH + GRID)
        for arguments, message in ((("--set", "algorithm.chains=4"), r"the key is swept, expected --set sweep.algorithm.chains="),
                                   (("--set", "sweep.algorithm.chains=[-4]"), r"--set sweep.algorithm.chains=\[-4\]: algorithm.chains: outside"),
                                   (("--step-limit", "3"), r"a sweep has no steps")):
            ended = runner.pearlite("run", file, "-o", self.directory / "x", *arguments)
            self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
            self.assertRegex(ended.err, message)

    def test_damaged_directories(self):
        where = self.run_sweep(SEARCH + GRID, "sweep", "--set", "sweep.replicates=1")
        (where / "configuration.json").write_text("{", encoding="utf-8")
        ended = runner.pearlite("resume", where)
        self.assertEqual(ended.status, runner.FAILED)
        self.assertIn("configuration.json: damaged", ended.err)
        kept = where / "runs" / "notes.txt"
        kept.write_text("mine", encoding="utf-8")
        self.run_sweep(SEARCH + GRID, "sweep", "--set", "sweep.replicates=1", "--overwrite")
        self.assertTrue(kept.exists(), "--overwrite removed a file that no sweep writes")


if __name__ == "__main__":
    runner.main()
