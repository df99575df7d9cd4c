"""Every shipped job, cut short, runs to its end and gives a verdict, by the settings of the golden table and by the short
form that its head names. Jobs whose data are not in PEARLITE_DATA_DIR are skipped by name."""

import pathlib
import re
import shlex
import sys
import unittest
import unittest.mock

import pearlite_runner as runner

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

import rows

SECONDS_OF_A_JOB = 120
SHORT_FORM = re.compile(r"^# Short form:((?: --set .*)(?:\n#     --set .*)*)$", re.MULTILINE)


def short_form(job):
    """The options that the head of a job names; LookupError without them."""
    found = SHORT_FORM.search(job.read_text(encoding="utf-8"))
    if not found:
        raise LookupError(f"{job}: no line \"# Short form: --set KEY=VALUE\"")
    return shlex.split(found[1].replace("\n#", " "))


class Jobs(unittest.TestCase):
    def test_every_job(self):
        """A job without settings that cut it short is an error of job_rows."""
        self.run_all(lambda row, scratch: row.arguments(scratch), rows.job_rows())

    def test_short_forms(self):
        """What people copy from the head of a job; those that are the settings of the golden table have just run."""
        jobs = [row for row in rows.job_rows() if sorted(short_form(row.job)[1::2]) != sorted(row.overrides)]
        self.run_all(lambda row, scratch: [row.job, *short_form(row.job)], jobs)

    def run_all(self, arguments, jobs):
        there = []
        for row in jobs:
            if missing := row.missing_data():
                print(f"skipped: {row.name}: no {missing} (PEARLITE_DATA_DIR)")
            else:
                there.append(row)
        with runner.scratch_directory() as scratch:
            ends = runner.side_by_side(
                lambda row: self.run_job(row, arguments(row, scratch), scratch), [(row,) for row in there]
            )
        for row, (ended, summary) in zip(there, ends):
            with self.subTest(row.name):
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertEqual(summary.get("status"), "finished")
                self.assertRegex(summary.get("verdict", ""), r"\w", "no verdict")
                self.assertRegex(summary.get("digest", ""), "^[0-9a-f]{64}$")
        slowest = max(zip(there, ends), key=lambda pair: pair[1][0].seconds)
        print(f"{len(there)} jobs, the slowest {slowest[0].name}: {slowest[1][0].seconds:.1f} s")

    def run_job(self, row, arguments, scratch):
        """How it ended, and what its summary says."""
        where = scratch / re.sub(r"\W", "+", row.name)
        ended = runner.pearlite("run", *arguments, "-o", where, timeout=SECONDS_OF_A_JOB)
        return ended, runner.summary(where)

    def test_a_job_names_its_short_form(self):
        with runner.scratch_directory() as scratch:
            job = scratch / "job.toml"
            job.write_text("# Short form: --set a.b=1\n#     --set 'c={d=\"e\"}'\n\n[run]\n", encoding="utf-8")
            self.assertEqual(short_form(job), ["--set", "a.b=1", "--set", 'c={d="e"}'])
            job.write_text("# Short: --set a.b=1\n[run]\n", encoding="utf-8")
            with self.assertRaisesRegex(LookupError, "no line"):
                short_form(job)

    def test_a_new_job_needs_settings(self):
        with unittest.mock.patch.dict(rows.settings.JOBS):
            del rows.settings.JOBS["ising"]
            with self.assertRaisesRegex(LookupError, "ising"):
                list(rows.job_rows())


if __name__ == "__main__":
    runner.main()
