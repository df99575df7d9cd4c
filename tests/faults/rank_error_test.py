"""What goes wrong on one rank ends the run on all: status 1, one message that says what and where, and nobody waits."""

import os
import re
import unittest

import pearlite_runner as runner

FAULTY = os.environ["PEARLITE_FAULTY"]
SCHEDULE = {"kind": "linear", "steps": 100}
ONLINE = {"moves": 5, "adapt": "online"}
ALGORITHMS = {
    "AIS": {"algorithm": {"name": "annealed-importance", "trajectories": 117}, "kernel": {"pilot_particles": 70, "moves": 5},
            "schedule": SCHEDULE},
    "SMC": {"algorithm": {"name": "smc", "particles": 117}, "kernel": ONLINE, "schedule": SCHEDULE},
    "batches": {"algorithm": {"name": "smc", "particles": 117, "replicates": 2}, "kernel": ONLINE, "schedule": SCHEDULE},
}
MESSAGES = {"nan": r"log likelihood -?nan at step \d+, particle \d+: x = ", "exception": "the library of the model gave up"}


class RankErrors(unittest.TestCase):
    def run_faulty(self, directory, name, ranks, fault, failing, after):
        model = {"name": "faulty", "fault": fault, "rank": failing, "after": after}
        where = directory / f"{name}-{ranks}-{fault}-{after}"
        file = runner.write_configuration(where.with_suffix(".toml"), run={"block": 8}, model=model, **ALGORITHMS[name])
        ended = runner.pearlite("run", file, "-o", where, ranks=ranks, executable=FAULTY, timeout=30)
        return ended, (where / "results.h5").exists()

    def test_one_rank_fails(self):
        """At the first evaluation, early (AIS: in its pilot) and late; on the first rank and on the last."""
        cases = []
        for name in ALGORITHMS:
            for ranks in (1, 2, 3, 4):
                late = (44000 if name == "AIS" else 30000) // ranks
                cases += [(name, ranks, "nan", ranks - 1, 0), (name, ranks, "exception", ranks - 1, 1500),
                          (name, ranks, "nan", 0, late)]
        with runner.scratch_directory() as directory:
            outcomes = runner.side_by_side(self.run_faulty, [(directory, *case) for case in cases])
        for case, (ended, has_results) in zip(cases, outcomes):
            name, ranks, fault, failing, after = case
            with self.subTest(name, ranks=ranks, fault=fault, failing=failing, after=after):
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                messages = re.findall("^pearlite_faulty: .*", ended.err, re.MULTILINE)
                self.assertEqual(len(messages), 1, ended.err)
                self.assertRegex(messages[0], MESSAGES[fault])
                if ranks > 1:
                    self.assertIn(f"(rank {failing} of {ranks})", messages[0])
                self.assertEqual(ended.out, "")
                self.assertFalse(has_results)

    def test_no_fault(self):
        """The same model without its fault runs to the end."""
        with runner.scratch_directory() as directory:
            for name in ALGORITHMS:
                ended, has_results = self.run_faulty(directory, name, 2, "nan", 2, 0)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertTrue(has_results)


if __name__ == "__main__":
    runner.main()
