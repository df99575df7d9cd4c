"""Runs that are repeatedly killed with SIGKILL and resumed on other numbers of ranks end with the digest of an
uninterrupted run. Checkpoints follow each other closely, so that many kills happen while one is written. The campaign
tests/campaign/kills.py kills more jobs in more ways."""

import collections
import os
import random
import unittest

import killed_jobs
import killed_runs
import pearlite_runner as runner

KILLS = int(os.environ.get("PEARLITE_KILLS", "30"))  # of all jobs; fewer than 30 are of the first two
MOMENTS = {killed_runs.ANY_TIME: 0.8, killed_runs.AFTER: 0.15, killed_runs.WRITING: 0.0}  # longest delay
VICTIMS = (killed_runs.ALL, killed_runs.ALL, killed_runs.ONE)


class Kill(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.random = random.Random(20)
        self.landed = collections.Counter()

    def arguments(self, name, where):
        if runner.checkpoints(where):
            return "resume", where
        return "run", self.directory / f"{name}.toml", "-o", where, "--overwrite"

    def live(self, name, where, ranks):
        """One life of a run; False if it ended before it could be killed."""
        moment = self.random.choice(list(MOMENTS))
        delay = self.random.uniform(0, MOMENTS[moment])
        choices = killed_runs.Choices(ranks, moment, self.random.choice(VICTIMS), delay)
        life = killed_runs.live(self.arguments(name, where), where, choices, self.random)
        self.assertFalse(life.agony, "ranks outlive one of them")
        if life.killed:
            self.landed.update(("kills", moment, choices.victims))
            self.landed["within a file"] += bool(life.within)
            self.landed["without a checkpoint"] += not runner.checkpoints(where)
        return life.killed

    def finish(self, name, where, ranks):
        if not runner.checkpoints(where):
            refused = runner.pearlite("resume", where, ranks=ranks)
            self.assertEqual(refused.status, runner.BAD_INPUT, refused.describe())
        ended = runner.pearlite(*self.arguments(name, where), ranks=ranks, timeout=180)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())

    def test_kill_and_resume(self):
        expected = {}
        jobs = dict(list(killed_jobs.SHORT.items())[: None if KILLS >= 30 else 2])
        for name, tables in jobs.items():
            file = killed_jobs.write(self.directory, name, tables)
            ended = runner.pearlite("run", file, "-o", self.directory / name, ranks=2)
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
            expected[name] = runner.findings(self.directory / name)
        number = 0
        while self.landed["kills"] < KILLS:
            name = list(jobs)[number % len(jobs)]
            where = self.directory / f"{name}-{number}"
            number += 1
            self.assertLess(number, KILLS + 3, f"runs end before they are killed: {dict(self.landed)}")
            ranks = self.random.sample((1, 2, 3, 4), 4)
            lives = 0
            while lives < 4 and self.live(name, where, ranks[lives]):
                lives += 1
            if runner.summary(where).get("status") != "finished":
                self.finish(name, where, self.random.choice((1, 2, 3, 4)))
            with self.subTest(name, run=number, lives=lives):
                self.assertEqual(runner.findings(where), expected[name])
                self.assertEqual(killed_runs.temporary_files(where), [])
        print(dict(self.landed), flush=True)

    def test_killed_between_results_and_summary(self):
        name = "rbm"
        where = self.directory / name
        file = killed_jobs.write(self.directory, name, killed_jobs.SHORT[name])
        self.assertEqual(runner.pearlite("run", file, "-o", where, ranks=2).status, runner.FINISHED)
        expected = runner.findings(where)
        (where / "summary.json").unlink()
        self.finish(name, where, 3)
        self.assertEqual(runner.findings(where), expected)


if __name__ == "__main__":
    runner.main()
