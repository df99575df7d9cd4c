"""Collectives of a temperature, by the counts in summary.json: what a job waits for between machines.

Each algorithm runs on two ranks with 40 and with 80 temperatures; the difference is that of 40 temperatures, where
whole-run parts cancel. Limits leave room for agreements by the clock, of which a step has one at most. Populations
resample: weights that differ by more than 184 bits would need sums of all words.
"""

import re
import unittest

import pearlite_runner as runner

TEMPERATURES = (40, 80)
OF_RESAMPLING = 4  # collectives; `check` may see steps at which all of the populations resample
# model, algorithm, its settings: collectives, and bytes that are reduced, of a temperature.
LIMITS = {
    "smc with a pilot": ("gaussian", {"name": "smc", "particles": 1024}, 12, 4000),
    "smc": ("gaussian-ar", {"name": "smc", "particles": 1024}, 5, 800),
    "annealed importance": ("gaussian-ar", {"name": "annealed-importance", "trajectories": 1024}, 2, 300),
    "nonequilibrium": ("gaussian-ar", {"name": "nonequilibrium", "trajectories": 1024}, 2, 500),
}


class Collectives(unittest.TestCase):
    def counts(self, place, model, algorithm, steps):
        settings = {"name": model, **({"dimension": 20} if model == "gaussian" else {})}
        file = runner.write_configuration(place / f"{steps}.toml", model=settings, algorithm=algorithm,
                                          schedule={"kind": "linear", "steps": steps}, kernel={"moves": 2})
        where = file.with_suffix("")
        ended = runner.pearlite("run", file, "-o", where, ranks=2)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.checked = self.messages_of(runner.pearlite("check", file))
        of_rank = runner.summary(where)["timing"]["busiest_rank"]
        return of_rank["reductions"] + of_rank["other_collectives"], 8 * of_rank["reduced_words"]

    def messages_of(self, checked):
        """Collectives of a step that `check` foresees on one process, and the bytes that they reduce."""
        found = re.search(r"^# messages: .* makes (\S+) reduction\(s\)(?: of (\S+) bytes)? and (\S+) other", checked.out,
                          re.MULTILINE)
        self.assertTrue(found, checked.describe())
        return float(found[1]) + float(found[3]), float(found[2] or 0)

    def test_limits(self):
        """Catches a reduction that joins the others of each temperature, sums that travel whole again, and a `check` that
        foresees other numbers."""
        for name, (model, algorithm, most, most_bytes) in LIMITS.items():
            with self.subTest(name), runner.scratch_directory() as place:
                few, many = (self.counts(place, model, algorithm, steps) for steps in TEMPERATURES)
                steps = TEMPERATURES[1] - TEMPERATURES[0]
                collectives, reduced = ((b - a) / steps for a, b in zip(few, many))
                print(f"{name}: {collectives:.2f} collectives and {reduced:.0f} bytes a temperature; `check` of some of "
                      f"them {self.checked[0]:g} and {self.checked[1]:g}", flush=True)
                self.assertLessEqual(collectives, most)
                self.assertLessEqual(reduced, most_bytes)
                self.assertLessEqual(self.checked[0], most + OF_RESAMPLING)
                self.assertLessEqual(self.checked[1], most_bytes)
                self.assertGreater(self.checked[1], 0)


if __name__ == "__main__":
    unittest.main()
