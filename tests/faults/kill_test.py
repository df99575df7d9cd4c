"""Runs that are killed with SIGKILL, again and again, and resumed on other numbers of ranks, end with the digest of a run
that was left alone. Checkpoints follow each other closely, so that many kills land while one is written."""

import collections
import os
import random
import signal
import time
import unittest

import pearlite_runner as runner

KILLS = 30
MOMENTS = ("any time", "after a checkpoint", "while writing")
VICTIMS = ("all", "all", "one rank")
RUN = {"block": 32, "checkpoint_every": 0.05}
CONFIGURATIONS = {
    "ising": {"run": RUN, "model": {"name": "ising", "size": 24}, "schedule": {"kind": "linear", "steps": 2500},
              "algorithm": {"name": "smc", "particles": 1000}},
    "gaussian": {"run": RUN, "model": {"name": "gaussian", "dimension": 20}, "kernel": {"pilot_particles": 1000, "moves": 8},
                 "schedule": {"kind": "adaptive", "conditional_ess": 0.998},
                 "algorithm": {"name": "annealed-importance", "trajectories": 1000}},
    "kernels": {"run": RUN, "model": {"name": "gaussian", "dimension": 4, "start_sd": 3.0},
                "kernel": {"kind": "mixture", "kinds": ["hmc", "random-walk", "slice", "student-mixture"], "adapt": "online",
                           "moves": 3},
                "schedule": {"kind": "linear", "steps": 150}, "algorithm": {"name": "smc", "particles": 1000}},
    "rbm": {"run": RUN, "model": {"name": "rbm", "random_visible": 300, "random_hidden": 20},
            "schedule": {"kind": "linear", "steps": 300}, "algorithm": {"name": "smc", "particles": 1000, "replicates": 2}},
    "waste-free": {"run": RUN, "model": {"name": "ising", "size": 24}, "schedule": {"kind": "linear", "steps": 300},
                   "algorithm": {"name": "smc", "particles": 1000, "waste_free": 10}},
    "riemannian": {"run": RUN, "model": {"name": "radiata-pine"}, "schedule": {"kind": "geometric", "steps": 100},
                   "kernel": {"kind": "riemannian-hmc", "moves": 2, "adapt": "online"},
                   "algorithm": {"name": "smc", "particles": 1000}},
    # The cost of an estimate depends on theta, so that blocks change hands between steps.
    "estimated": {"run": {"block": 8, "checkpoint_every": 0.05},
                  "model": {"name": "linear-gaussian", "simulated_length": 20, "likelihood_variance": 2.0, "most_particles": 100},
                  "kernel": {"moves": 3}, "algorithm": {"name": "smc", "particles": 128}},
    "pseudo-marginal": {"run": {"checkpoint_every": 0.05},
                        "model": {"name": "linear-gaussian", "simulated_length": 20, "particles": 30},
                        "kernel": {"pilot_particles": 64},
                        "algorithm": {"name": "pseudo-marginal", "chains": 8, "iterations": 12000}},
    "search": {"run": {"checkpoint_every": 0.05}, "model": {"name": "test-function", "dimension": 20},
               "algorithm": {"name": "pisaa", "chains": 40, "iterations": 20000, "range_iterations": 10000, "replicates": 3,
                             "sync_every": 5}},
    # Passes that enlarge the population, each a step.
    "growing": {"run": {"block": 96, "checkpoint_every": 0.05},
                "model": {"name": "orthant", "size": 100, "negative": 50, "correlation": 0.5},
                "algorithm": {"name": "resample-move", "particles": 4000, "gamma_threshold": 0.95, "most_passes": 6,
                              "replicates": 1}},
    "training": {"run": {"checkpoint_every": 0.05},
                 "model": {"name": "rbm-training", "hidden": 60},  # and images
                 "algorithm": {"name": "contrastive-divergence", "updates": 12000, "batch": 50, "persistent": True,
                               "momentum": 0.5, "sample_sweeps": 10}},
}


def write_images(file):
    numbers = random.Random(3)
    rows = [",".join(str(int((x + shift) % 5 < 2 or numbers.random() < 0.1)) for x in range(200))
            for shift in (numbers.randrange(5) for _ in range(400))]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(file)


class Kill(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.random = random.Random(20)
        self.landed = collections.Counter()

    def temporary_files(self, where):
        return [name for name in os.listdir(where) if name.endswith(".tmp")] if where.is_dir() else []

    def wait_for_moment(self, program, where, moment):
        """Returns when it is time to kill, with all processes to be killed: looking them up would take too long then."""
        before = {file.name for file in runner.checkpoints(where)}
        if moment == "any time":
            runner.wait_until(program.ranks, timeout=10)
            time.sleep(self.random.uniform(0, 0.8))
            return program.processes()
        # Each life gets at least one step further, or the test would not end.
        runner.wait_until(lambda: not program.running() or {file.name for file in runner.checkpoints(where)} - before)
        time.sleep(self.random.uniform(0, 0.15))
        pids = program.processes()
        if moment == "while writing":
            runner.wait_until(lambda: not program.running() or self.temporary_files(where), pause=0)
        return pids

    def live(self, name, where, ranks, moment, victims):
        """One life of a run; False if it ended before it could be killed."""
        arguments = ("resume", where)
        if not runner.checkpoints(where):
            arguments = ("run", self.directory / f"{name}.toml", "-o", where, "--overwrite")
        with runner.Program(*arguments, ranks=ranks) as program:
            pids = self.wait_for_moment(program, where, moment)
            if victims == "all":
                program.send(signal.SIGKILL, *pids)
                program.kill_all()
            else:
                pids = program.ranks().values()
                program.send(signal.SIGKILL, *self.random.sample(sorted(pids), min(len(pids), 1)))
                # mpirun ends the others. It may stay itself, if the rank died while it was connecting (Open MPI 4.1).
                self.assertTrue(runner.wait_until(lambda: not program.ranks(), timeout=20), "ranks outlive one of them")
                program.kill_all()
        killed = runner.summary(where).get("status") != "finished"
        if killed:
            self.landed["kills"] += 1
            self.landed[moment] += 1
            self.landed[victims] += 1
            self.landed["within a file"] += bool(self.temporary_files(where))
            self.landed["without a checkpoint"] += not runner.checkpoints(where)
        return killed

    def finish(self, name, where, ranks):
        arguments = ("resume", where)
        if not runner.checkpoints(where):
            refused = runner.pearlite(*arguments, ranks=ranks)
            self.assertEqual(refused.status, runner.BAD_INPUT, refused.describe())
            arguments = ("run", self.directory / f"{name}.toml", "-o", where, "--overwrite")
        ended = runner.pearlite(*arguments, ranks=ranks, timeout=180)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())

    def test_kill_and_resume(self):
        expected = {}
        images = write_images(self.directory / "images.csv")
        for name, tables in CONFIGURATIONS.items():
            if name == "training":
                tables = {**tables, "model": {**tables["model"], "images": images, "held_out": images}}
            file = runner.write_configuration(self.directory / f"{name}.toml", **tables)
            ended = runner.pearlite("run", file, "-o", self.directory / name, ranks=2)
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
            expected[name] = runner.findings(self.directory / name)
        number = 0
        while self.landed["kills"] < KILLS:
            name = list(CONFIGURATIONS)[number % len(CONFIGURATIONS)]
            where = self.directory / f"{name}-{number}"
            number += 1
            self.assertLess(number, KILLS, f"runs end before they are killed: {dict(self.landed)}")
            ranks = self.random.sample((1, 2, 3, 4), 4)
            lives = 0
            while lives < 4:
                moment, victims = self.random.choice(MOMENTS), self.random.choice(VICTIMS)
                if not self.live(name, where, ranks[lives], moment, victims):
                    break
                lives += 1
            if runner.summary(where).get("status") != "finished":
                self.finish(name, where, self.random.choice((1, 2, 3, 4)))
            with self.subTest(name, run=number, lives=lives):
                self.assertEqual(runner.findings(where), expected[name])
                self.assertEqual(self.temporary_files(where), [])
        print(dict(self.landed), flush=True)

    def test_killed_between_results_and_summary(self):
        name = "rbm"
        where = self.directory / name
        file = runner.write_configuration(self.directory / f"{name}.toml", **CONFIGURATIONS[name])
        self.assertEqual(runner.pearlite("run", file, "-o", where, ranks=2).status, runner.FINISHED)
        expected = runner.findings(where)
        (where / "summary.json").unlink()
        self.finish(name, where, 3)
        self.assertEqual(runner.findings(where), expected)


if __name__ == "__main__":
    runner.main()
