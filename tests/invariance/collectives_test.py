"""Collectives of a temperature, by the counts in summary.json: what a job waits for between machines.

Each algorithm runs on two ranks with 20 and with 60 temperatures; the difference is that of 40 temperatures, where
whole-run parts cancel. Limits leave room for agreements by the clock, of which a step has one at most. Populations
resample: weights that differ by more than 184 bits would need sums of all words.
"""

import unittest

import pearlite_runner as runner

TEMPERATURES = (20, 60)
# model, algorithm, its settings: collectives, and bytes that are reduced, of a temperature.
LIMITS = {
    "smc with a pilot": ("gaussian", {"name": "smc", "particles": 1024}, 18, 8000),
    "smc": ("gaussian-ar", {"name": "smc", "particles": 1024}, 8, 1500),
    "annealed importance": ("gaussian-ar", {"name": "annealed-importance", "trajectories": 1024}, 1, 1000),
    "nonequilibrium": ("gaussian-ar", {"name": "nonequilibrium", "trajectories": 1024}, 1, 1500),
}


class Collectives(unittest.TestCase):
    def counts(self, place, model, algorithm, steps):
        settings = {"name": model, **({"dimension": 20} if model == "gaussian" else {})}
        file = runner.write_configuration(place / f"{steps}.toml", model=settings, algorithm=algorithm,
                                          schedule={"kind": "linear", "steps": steps}, kernel={"moves": 2})
        where = file.with_suffix("")
        ended = runner.pearlite("run", file, "-o", where, ranks=2)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        of_rank = runner.summary(where)["timing"]["busiest_rank"]
        return of_rank["reductions"] + of_rank["other_collectives"], 8 * of_rank["reduced_words"]

    def test_limits(self):
        """Catches a reduction that joins the others of each temperature, and sums that travel whole again."""
        for name, (model, algorithm, most, most_bytes) in LIMITS.items():
            with self.subTest(name), runner.scratch_directory() as place:
                few, many = (self.counts(place, model, algorithm, steps) for steps in TEMPERATURES)
                steps = TEMPERATURES[1] - TEMPERATURES[0]
                collectives, reduced = ((b - a) / steps for a, b in zip(few, many))
                print(f"{name}: {collectives:.2f} collectives and {reduced:.0f} bytes a temperature", flush=True)
                self.assertLessEqual(collectives, most)
                self.assertLessEqual(reduced, most_bytes)


if __name__ == "__main__":
    unittest.main()
