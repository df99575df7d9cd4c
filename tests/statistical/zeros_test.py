"""Likelihoods that are zero nearly everywhere, and energies that are infinite so, with nothing set but model and
algorithm: runs end, say what they found, and are right or have no error bar.

usage: zeros_test.py SEEDS [unittest arguments]

SEEDS runs of each model and algorithm. SMC and importance sampling squared must be within 3 errors, or without an error
bar, in 95 % of the runs, less 2.33 binomial errors; no run may be silent and 4 errors off.
"""

import math
import os
import sys
import unittest

import pearlite_runner as runner

PROGRAM = os.environ.get("PEARLITE_ZEROS", "zero_likelihoods")
SEEDS = 1
JUDGED = ("smc", "importance-squared")
ALGORITHMS = JUDGED + ("annealed-importance", "nonequilibrium", "parallel-tempering", "pseudo-marginal")
SIZES = {"pseudo-marginal": {"iterations": 1000}, "parallel-tempering": {"replicas": 16, "scans": 300}}


class Zeros(unittest.TestCase):
    def run_of(self, place, model, algorithm, seed=1, **more):
        toml = runner.write_configuration(place / f"{model['name']}-{algorithm['name']}-{seed}.toml", model=model,
                                          algorithm=algorithm, run={"seed": seed}, **more)
        where = toml.with_suffix("")
        return runner.pearlite("run", toml, "-o", where, executable=PROGRAM, timeout=3000), where

    def judge(self, name):
        with runner.scratch_directory() as place:
            for algorithm in ALGORITHMS:
                scores = []
                for seed in range(1, SEEDS + 1):
                    ended, where = self.run_of(place, {"name": name},
                                               {"name": algorithm, **SIZES.get(algorithm, {})}, seed)
                    self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                    summary = runner.summary(where)
                    if algorithm == "pseudo-marginal":
                        continue
                    first = summary["log_evidence"][0]
                    self.assertTrue(math.isfinite(first["value"]))
                    z = first.get("z_score", 0.0)
                    scores.append(abs(z))
                    silent = "standard_error" in first and not summary["diagnostics"].get("warnings")
                    self.assertFalse(silent and abs(z) > 4, f"{name}, {algorithm}, seed {seed}: z {z:.2f}")
                if not scores:
                    continue
                good = sum(z <= 3 for z in scores)
                print(f"{name}, {algorithm}: {good} of {SEEDS} within 3 errors or without, largest {max(scores):.1f}",
                      flush=True)
                if algorithm in JUDGED:
                    least = 0.95 - 2.33 * math.sqrt(0.95 * 0.05 / SEEDS)
                    self.assertGreaterEqual(good / SEEDS, least, f"{name}, {algorithm}")

    def test_two_boxes(self):
        """Catches runs that count only the particles that happened to start in one of two far cubes."""
        self.judge("two-boxes")

    def test_thin_box(self):
        """Catches runs that end because one draw in a thousand has a positive likelihood."""
        self.judge("thin-box")

    def test_nothing(self):
        """Catches a run without end, and a message that does not say what all draws had in common."""
        with runner.scratch_directory() as place:
            for algorithm in ALGORITHMS:
                ended, _ = self.run_of(place, {"name": "nothing"}, {"name": algorithm, "most_prior_draws": 5000})
                self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                self.assertIn("draws from the prior have likelihood zero", ended.err)
                self.assertIn("algorithm.most_prior_draws", ended.err)

    def test_flat(self):
        """Catches an algorithm that has an error, or none, or no word, where all likelihoods are equal."""
        with runner.scratch_directory() as place:
            for algorithm in ALGORITHMS:
                ended, where = self.run_of(place, {"name": "flat"}, {"name": algorithm, **SIZES.get(algorithm, {})})
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                if algorithm == "pseudo-marginal":
                    continue
                for headline in (runner.summary(where)["headline"], runner.summary(where)["log_evidence"][0]):
                    self.assertAlmostEqual(headline["value"], -3.5, places=12)
                    self.assertEqual(headline.get("standard_error"), 0, algorithm)
                self.assertIn("the likelihood is the same at every state", ended.out, algorithm)

    def test_slot(self):
        """Catches searches that never find a state of finite energy, or do not say so."""
        with runner.scratch_directory() as place:
            short = {"iterations": 2000, "replicates": 2}
            for algorithm in ("pisaa", "sa"):
                ended, where = self.run_of(place, {"name": "slot"}, {"name": algorithm, **short})
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                found = runner.summary(where)
                self.assertLess(found["best"]["energy"], 25)
                self.assertGreater(found["diagnostics"]["feasible_start_draws"], 0)
                self.assertIn("none of the first states had a finite energy", ended.out + ended.err)
            ended, _ = self.run_of(place, {"name": "slot", "width": 0.0}, {"name": "pisaa", **short}, 2)
            self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
            self.assertRegex(ended.err, "none of 1000[0-9]0 states drawn has a finite energy")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        SEEDS = int(sys.argv.pop(1))
    unittest.main()
