"""The first replicates of a sweep alone have the seeds and the estimates that they have in the whole sweep, with seeds
in common and apart; the lines of a short run do not depend on ranks."""

import csv
import json
import os
import unittest

import pearlite_runner as runner
import study_record as record

SWEEP = """
[run]
seed = 3
[model]
name = "gaussian"
[algorithm]
name = "smc"
particles = 32
[sweep]
replicates = 3
seeds = "SEEDS"
keep = "table"
[[sweep.variant]]
name = "five steps"
schedule = { kind = "geometric", steps = 5 }
[[sweep.variant]]
name = "six steps"
schedule = { kind = "geometric", steps = 6 }
"""


class FirstReplicates(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def lines(self, sweep, where, **options):
        """[cell, estimates, warnings] of the short run."""
        file = self.directory / f"{where}.lines"
        os.environ["PEARLITE_FIRST_REPLICATE"] = str(file)
        try:
            record.first_replicates(sweep, self.directory / where, **options)
        finally:
            del os.environ["PEARLITE_FIRST_REPLICATE"]
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    def test_same_bits_as_in_the_whole_sweep(self):
        for seeds in ("separate", "common"):
            with self.subTest(seeds):
                sweep = self.directory / f"{seeds}.toml"
                sweep.write_text(SWEEP.replace("SEEDS", seeds), encoding="utf-8")
                first = self.lines(sweep, f"first-{seeds}")
                ended = runner.pearlite("run", sweep, "-o", self.directory / f"whole-{seeds}")
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                with open(self.directory / f"whole-{seeds}" / "runs.csv", encoding="utf-8", newline="") as rows:
                    whole = [row for row in csv.DictReader(rows) if row["replicate"] == "0"]
                self.assertEqual([cell for cell, *_ in first], [[row["setting"], row["seed"]] for row in whole])
                self.assertEqual([estimates["log_evidence"][0]["value"] for _, estimates, _ in first],
                                 [float(row["log_evidence.product.log_ratio.value"]) for row in whole])

    def test_any_number_of_ranks(self):
        sweep = self.directory / "sweep.toml"
        sweep.write_text(SWEEP.replace("SEEDS", "separate"), encoding="utf-8")
        self.assertEqual(self.lines(sweep, "alone"), self.lines(sweep, "two", ranks=2))


if __name__ == "__main__":
    runner.main()
