"""Every shipped job in its short form, --set run.short=true, runs to its end and gives a verdict. Jobs whose data are
not in PEARLITE_DATA_DIR are skipped by name."""

import pathlib
import re
import sys
import unittest

import pearlite_runner as runner

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

import rows

SECONDS_OF_A_JOB = 120


class Jobs(unittest.TestCase):
    def test_every_job(self):
        there = []
        for row in rows.job_rows():
            if missing := row.missing_data():
                print(f"skipped: {row.name}: no {missing} (PEARLITE_DATA_DIR)")
            else:
                there.append(row)
        with runner.scratch_directory() as scratch:
            ends = runner.side_by_side(lambda row: self.run_job(row, scratch), [(row,) for row in there])
        for row, (ended, summary) in zip(there, ends):
            with self.subTest(row.name):
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertEqual(summary.get("status"), "finished")
                self.assertRegex(summary.get("verdict", ""), r"\w", "no verdict")
                self.assertRegex(summary.get("digest", ""), "^[0-9a-f]{64}$")
        slowest = max(zip(there, ends), key=lambda pair: pair[1][0].seconds)
        print(f"{len(there)} jobs, the slowest {slowest[0].name}: {slowest[1][0].seconds:.1f} s")

    def run_job(self, row, scratch):
        """The end of the job, and its summary."""
        where = scratch / re.sub(r"\W", "+", row.name)
        ended = runner.pearlite("run", *row.arguments(scratch), "-o", where, timeout=SECONDS_OF_A_JOB)
        return ended, runner.summary(where)

    def test_a_new_job_needs_a_short_form(self):
        with runner.scratch_directory() as scratch:
            job = scratch / "job.toml"
            job.write_text("[model]\nname = \"ising\"\n", encoding="utf-8")
            with self.assertRaisesRegex(LookupError, r"job.toml: no table \[short\]"):
                rows.job_row(job)


if __name__ == "__main__":
    runner.main()
