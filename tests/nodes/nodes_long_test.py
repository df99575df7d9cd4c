"""Emulated nodes for longer: links with delays, more ranks than cores, times of sweeps, and a silent link that no limit
ends. The times are printed, for docs/reliability.md and docs/measured; no test fails for them."""

import os
import re
import statistics
import sys
import time
import unittest

import emulated_nodes
import lost_nodes_test as lost_nodes
import pearlite_runner as runner

ONE_A_NODE = {1: 1, 2: 1}
NORMAL = {"run": {"block": 64}, "model": {"name": "gaussian", "dimension": 20}, "kernel": {"moves": 2},
          "schedule": {"kind": "linear", "steps": 60}, "algorithm": {"name": "smc", "particles": 4096}}
ISING = {"run": {"block": 32}, "model": {"name": "ising", "size": 24},
         "algorithm": {"name": "annealed-importance", "trajectories": 1000}}
SEARCH = {"model": {"name": "test-function", "dimension": 20},
          "algorithm": {"name": "pisaa", "chains": 16, "iterations": 2000, "regions": 50, "range_iterations": 500}}
TRAINING = {"model": {"name": "rbm-training", "hidden": 40, "images": "images.csv"},
            "algorithm": {"name": "contrastive-divergence", "updates": 200, "batch": 50, "persistent": True}}
# A run of about a second on one process.
RUN_OF_SWEEP = ISING | {"schedule": {"kind": "linear", "steps": 900}, "sweep": {"replicates": 16}}
DELAYS = (0.00005, 0.0005, 0.005)
SECONDS_TO_A_WARNING = 75


class OnNodes(unittest.TestCase):
    def setUp(self):
        self.nodes = self.enterContext(emulated_nodes.Nodes(2))

    def configuration(self, name, tables):
        return runner.write_configuration(self.nodes.scratch / f"{name}.toml", **tables)

    def seconds(self, where):
        return runner.summary(where)["timing"]["wall_seconds"]

    def finish(self, ranks, file, name, *arguments):
        """Runs a job on nodes, or as one process; returns its directory."""
        where = self.nodes.scratch / name
        arguments = ("run", file, "--data-dir", self.nodes.scratch, "-o", where, *arguments)
        if ranks:
            ended = self.nodes.pearlite(ranks, *arguments, timeout=900)
        else:
            ended = runner.pearlite(*arguments, timeout=300)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return where


class UsualLimits(lost_nodes.SilentLink):
    """Limits as users have them."""

    limits = lost_nodes.Limits(30, 10)

    def test_a_silent_link_during_a_checkpoint(self):
        self.silent_and_resumed(next(fault for fault in lost_nodes.SILENCES if fault.file == "checkpoint."))


class SlowLinks(OnNodes):
    def test_delays_change_times_alone(self):
        if not self.nodes[1].delay(0):
            self.skipTest("the kernel has no netem")
        (self.nodes.scratch / "images.csv").write_text("0,1,1,0,1\n1,0,0,1,0\n" * 40, encoding="utf-8")
        print("| job | delay one way | seconds |\n|---|---|---|")
        for name, tables in (("smc", NORMAL), ("search", SEARCH), ("training", TRAINING)):
            file = self.configuration(name, tables)
            alone = runner.findings(self.finish(None, file, f"{name}-alone"))
            for delay in (0, *DELAYS):
                for node in self.nodes.all:
                    self.assertTrue(node.delay(delay))
                where = self.finish(ONE_A_NODE, file, f"{name}-{delay}")
                with self.subTest(name, delay=delay):
                    self.assertEqual(runner.findings(where), alone)
                print(f"| {name} | {1000 * delay:g} ms | {self.seconds(where):.2f} |")
                sys.stdout.flush()


class ManyRanks(OnNodes):
    def test_more_ranks_than_cores(self):
        """32 ranks on two nodes that share all cores of this machine: the same bits, and a warning at the start."""
        file = self.configuration("normal", NORMAL)
        alone = self.finish(None, file, "alone")
        cores = len(os.sched_getaffinity(0))
        for ranks in ({1: 32}, {1: 16, 2: 16}):
            where = self.finish(ranks, file, f"on-{len(ranks)}")
            self.assertEqual(runner.findings(where), runner.findings(alone))
            print(f"32 ranks, {len(ranks)} node(s), {cores} cores: {self.seconds(where):.2f} s, "
                  f"{self.seconds(where) / self.seconds(alone):.0f} times one process ({self.seconds(alone):.2f} s)")
            sys.stdout.flush()
            if cores < 16:
                self.assertRegex((where / "run.log").read_text(encoding="utf-8"), r"ranks share \d+ core")


class Speed(OnNodes):
    def test_sweeps_on_two_nodes_and_on_one(self):
        """Seven pairs, alternately begun by either."""
        file, seconds = self.configuration("sweep", RUN_OF_SWEEP), {}
        for number in range(7):
            for ranks in ((ONE_A_NODE, {1: 2}) if number % 2 else ({1: 2}, ONE_A_NODE)):
                name = f"on-{len(ranks)}-{number}"
                began = time.monotonic()
                where = self.finish(ranks, file, name)
                seconds.setdefault(len(ranks), []).append(runner.summary(where).get("timing", {}).get(
                    "wall_seconds", time.monotonic() - began))
        ratios = [two / one for two, one in zip(seconds[2], seconds[1])]
        print(f"a sweep of 16 runs: {statistics.median(seconds[1]):.2f} s as two ranks of a node, "
              f"{statistics.median(seconds[2]):.2f} s on two nodes; median of {len(ratios)} ratios "
              f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


class Heartbeats(OnNodes):
    def test_a_silent_link_without_a_limit(self):
        """Nothing ends the job; the log and `status` say how long ago the ranks last agreed."""
        file = self.configuration("ising", ISING | {"schedule": {"kind": "linear", "steps": 100000}})
        where = self.nodes.scratch / "run"
        with self.nodes.program(ONE_A_NODE, "run", file, "-o", where) as program:
            self.assertTrue(runner.wait_until(lambda: runner.checkpoints(where)), program.errors())
            self.nodes[2].cut()
            cut = time.monotonic()
            log = where / "run.log"
            warned = runner.wait_until(lambda: "heartbeat" in log.read_text(encoding="utf-8"), SECONDS_TO_A_WARNING)
            seconds = time.monotonic() - cut
            status = runner.pearlite("status", where)
            self.assertTrue(program.running(), program.errors())
        self.assertTrue(warned, log.read_text(encoding="utf-8"))
        print(f"a silent link is in the log after {seconds:.0f} s")
        self.assertTrue(re.search("heartbeat", status.out), status.describe())

    def test_a_silent_link_ends_a_sweep_with_a_limit(self):
        file, where = self.configuration("sweep", RUN_OF_SWEEP), self.nodes.scratch / "sweep"
        alone = self.finish(None, file, "alone")
        with self.nodes.program(ONE_A_NODE, "run", file, "-o", where, "--time-limit", 8, "--patience", 3) as program:
            self.assertTrue(runner.wait_until(lambda: list(where.glob("rows.*.jsonl"))), program.errors())
            self.nodes[2].cut()
            gone = runner.wait_until(lambda: not any(node.processes("pearlite") for node in self.nodes.all), timeout=30)
            program.kill_all()
            ended = program.wait(1)
        self.assertTrue(gone, ended.describe())
        self.assertIn(f"resume {where}`", ended.err)
        self.nodes[1].clear()
        ended = runner.pearlite("resume", where, timeout=200)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(runner.summary(where)["digest"], runner.summary(alone)["digest"])


if __name__ == "__main__":
    emulated_nodes.require()
    runner.main()
