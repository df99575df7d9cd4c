"""compare.py with scripts in place of the benchmarks: whole names of rows, medians, turns of two builds, flags."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = pathlib.Path(__file__).resolve().parent / "compare.py"
# Each run gives the next of the stand-in's values, and adds its build to the log.
STAND_IN = """#!{python}
import json, pathlib, sys
here = pathlib.Path({here!r})
with open(here.parent / "log", "a") as log:
    log.write(here.name + " ")
runs = json.loads((here / "{name}.json").read_text())
(here / "{name}.json").write_text(json.dumps(runs[1:] + runs[:1]))
out = [word.partition("=")[2] for word in sys.argv if word.startswith("--benchmark_out=")][0]
pathlib.Path(out).write_text(json.dumps({{"benchmarks": runs[0]}}))
"""
ISING = ("anneal/metropolis", "anneal/heat_bath", "anneal/random_site")


class Compare(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def build(self, build, name, runs):
        """A build with one benchmark; runs: what each run of it reports, [{row name: {counter: value}}]."""
        here = self.directory / build
        here.mkdir(exist_ok=True)
        standard = {"cpu_time": 1.0, "real_time": 1.0}
        rows = [[{"name": row, **standard, **values} for row, values in run.items()] for run in runs]
        (here / f"{name}.json").write_text(json.dumps(rows))
        program = here / f"{name}_benchmark"
        program.write_text(STAND_IN.format(python=sys.executable, here=str(here), name=name))
        program.chmod(0o755)
        return here

    def compare(self, *arguments):
        """(status, {first cell: further cells}, errors)."""
        command = [sys.executable, COMPARE, *map(str, arguments)]
        run = subprocess.run(command, text=True, capture_output=True, check=False)
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in run.stdout.splitlines()[2:]]
        return run.returncode, {row[0]: row[1:] for row in cells}, run.stderr

    def ising(self, build, *values):
        ceiling = {"anneal/metropolis_ars": {"of_ceiling": 0.9}}
        return self.build(build, "ising", [{row: {"times_plain": value} for row in ISING} | ceiling for value in values])

    def test_median_and_spread(self):
        status, table, _ = self.compare(self.ising("new", 20, 90, 10), "ising")
        self.assertEqual(table["Ising 32 x 32, Metropolis sweeps against a plain loop"],
                         ["20", "10 .. 90", ">= 3", "met"])
        self.assertEqual(status, 0)

    def test_a_target_is_missed_by_the_median(self):
        status, table, _ = self.compare(self.ising("new", 2, 90, 2.5), "ising")
        self.assertEqual(table["Ising 32 x 32, Metropolis sweeps against a plain loop"][-1], "MISSED")
        self.assertEqual(status, 1)

    def test_names_of_rows_are_whole(self):
        """Ten colours are not a hundred."""
        runs = [{"move/sweep/10": {"times_plain": 50}, "move/sweep/100": {"times_plain": 7},
                 "move/random_site/10": {"times_plain": 50}}]
        _, table, _ = self.compare(self.build("new", "potts", runs), "potts", "--repeats", 1)
        self.assertEqual(table["Potts 32 x 32 of 10 colours, sweeps against a plain loop"][:2], ["50", "50 .. 50"])
        del runs[0]["move/sweep/10"]
        status, _, errors = self.compare(self.build("new", "potts", runs), "potts", "--repeats", 1)
        self.assertIn("no row called move/sweep/10; it has move/sweep/100", errors)
        self.assertEqual(status, 1)

    def against(self, new, old, benchmark="ising", **options):
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        return self.compare(new, "--against", old, *words, benchmark)

    def test_builds_take_turns(self):
        self.against(self.ising("new", 20), self.ising("old", 20), repeats=3)
        self.assertEqual((self.directory / "log").read_text().split(), ["old", "new"] * 3)

    def test_what_is_slower_in_each_pair_is_flagged(self):
        status, table, _ = self.against(self.ising("new", 95, 90, 98), self.ising("old", 100, 100, 100), repeats=3)
        self.assertEqual(table["ising: anneal/metropolis, times_plain"], ["1.053", "1.020 .. 1.111", "SLOWER"])
        self.assertEqual(table["ising: anneal/metropolis, time"], ["1.000", "1.000 .. 1.000", ""])
        self.assertEqual(status, 1)

    def test_what_is_slower_within_the_spread_is_not(self):
        status, table, _ = self.against(self.ising("new", 95, 90, 101), self.ising("old", 100, 100, 100), repeats=3)
        self.assertEqual(table["ising: anneal/metropolis, times_plain"], ["1.053", "0.990 .. 1.111", ""])
        self.assertEqual(status, 0)

    def test_one_percent_is_not_flagged(self):
        status, _, _ = self.against(self.ising("new", 99, 98.9), self.ising("old", 100, 100), repeats=2)
        self.assertEqual(status, 0)

    def test_times_of_rows_go_by_their_clock(self):
        row = "bits"
        new = self.build("new", "sum", [{row: {"cpu_time": 3.0}, f"{row}/manual_time": {"real_time": 2.0}}])
        old = self.build("old", "sum", [{row: {}, f"{row}/manual_time": {}, "gone": {}}])
        _, table, errors = self.against(new, old, "sum", repeats=1)
        self.assertEqual({name: cells[0] for name, cells in table.items()},
                         {"sum: bits, time": "3.000", "sum: bits/manual_time, time": "2.000"})
        self.assertIn("only one build has sum: gone", errors)

    def test_a_missing_benchmark_is_named(self):
        status, _, errors = self.compare(self.directory, "ising")
        self.assertIn(os.fspath(self.directory / "ising_benchmark"), errors)
        self.assertEqual(status, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
