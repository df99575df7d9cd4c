"""Every shipped job, cut short, runs to its end and gives a verdict. Jobs whose data are not in PEARLITE_DATA_DIR are
skipped by name."""

import pathlib
import re
import sys
import unittest
import unittest.mock

import pearlite_runner as runner

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

import rows

SECONDS_OF_A_JOB = 120


class Jobs(unittest.TestCase):
    def test_every_job(self):
        """A job without settings that cut it short is an error of job_rows."""
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
        print(f"{len(there)} jobs, the slowest {max(ended.seconds for ended, _ in ends):.1f} s")

    def run_job(self, row, scratch):
        """How it ended, and what its summary says."""
        where = scratch / re.sub(r"\W", "+", row.name)
        ended = runner.pearlite("run", *row.arguments(scratch), "-o", where, timeout=SECONDS_OF_A_JOB)
        return ended, runner.summary(where)

    def test_a_new_job_needs_settings(self):
        with unittest.mock.patch.dict(rows.settings.JOBS):
            del rows.settings.JOBS["ising"]
            with self.assertRaisesRegex(LookupError, "ising"):
                list(rows.job_rows())


if __name__ == "__main__":
    runner.main()
