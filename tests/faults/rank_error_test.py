"""An error on one rank ends the run on all ranks without delay: status 1 and one message that names the error and its
place."""

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
MESSAGES = {"nan": r"log likelihood -?nan at step \d+, particle \d+: x = ", "exception": r"the library of the model gave up at step \d+, particle \d+: x = "}


class RankErrors(unittest.TestCase):
    def run_faulty(self, directory, name, ranks, fault, failing, after):
        model = {"name": "faulty", "fault": fault, "rank": failing, "after": after}
        where = directory / f"{name}-{ranks}-{fault}-{after}"
        file = runner.write_configuration(where.with_suffix(".toml"), run={"block": 8}, model=model, **ALGORITHMS[name])
        ended = runner.pearlite("run", file, "-o", where, ranks=ranks, executable=FAULTY)
        return ended, (where / "results.h5").exists()

    def test_one_rank_fails(self):
        """The first or last rank fails: at the first evaluation, early (AIS: in its pilot) or late. Each fault meets each
        algorithm and each number of ranks, and each algorithm each number of ranks."""
        cases = []
        for number, name in enumerate(ALGORITHMS):
            for ranks in (1, 2, 3, 4):
                late = (44000 if name == "AIS" else 30000) // ranks
                faults = [("nan", ranks - 1, 0), ("exception", ranks - 1, 1500), ("nan", 0, late)]
                cases.append((name, ranks, *faults[(number + ranks) % len(faults)]))
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

    def test_mistakes_of_all_ranks_are_said_once(self):
        """Catches a line of each rank, and a launcher that is left to end the ranks by itself, which takes it seconds."""
        with runner.scratch_directory() as directory:
            for argument, message in (("--nonsense", "is required"), ("nonsense.toml", "nonsense.toml")):
                ended = runner.pearlite("run", argument, ranks=2, directory=directory)
                self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
                self.assertEqual(ended.err.count(message), 1, ended.err)
                self.assertNotIn("non-zero", ended.err)  # words of a launcher that has waited for the ranks

    def test_the_others_learn_of_it_between_reductions(self):
        """Between two reductions a run makes up to 64 steps. The others learn of a failure in the first of them after half
        a second and a step; a rank that goes on for half of the 64 steps ends the run with its own message."""
        moves, trajectories, block = 40, 96_000, 32
        most = 32 * moves * trajectories // 2  # evaluations on a rank
        slow = {"run": {"block": block}, "kernel": {"pilot_particles": 40, "moves": moves},
                "schedule": {"kind": "linear", "steps": 70}}
        sizes = {"annealed-importance": {"trajectories": trajectories},
                 "nonequilibrium": {"trajectories": trajectories, "reverse_trajectories": 8}}
        with runner.scratch_directory() as directory:
            for name, keys in sizes.items():
                model = {"name": "faulty", "fault": "exception", "rank": 1, "after": 500_000, "most": most}
                file = runner.write_configuration(directory / f"{name}.toml", model=model, algorithm={"name": name, **keys},
                                                  **slow)
                with self.subTest(name):
                    ended = runner.pearlite("run", file, "-o", directory / name, ranks=2, executable=FAULTY)
                    self.assertNotIn("goes on", ended.err)
                    self.assertEqual(ended.status, runner.FAILED, ended.describe())
                    self.assertRegex(ended.err, MESSAGES["exception"] + r".* \(rank 1 of 2\)")

    def test_chains_of_a_search(self):
        with runner.scratch_directory() as directory:
            file = runner.write_configuration(
                directory / "search.toml", model={"name": "faulty-energy", "rank": 1, "after": 3000},
                algorithm={"name": "pisaa", "chains": 8, "iterations": 100_000, "ranks_per_replicate": 3})
            for ranks in (2, 3):
                ended = runner.pearlite("run", file, "-o", directory / f"{ranks}", ranks=ranks, executable=FAULTY)
                self.assertEqual(ended.status, runner.FAILED, ended.describe())
                self.assertRegex(ended.err, r"pearlite_faulty: the energy gave up at iteration \d+, chain \d+: \S+, \S+ "
                                            rf"\(rank 1 of {ranks}\)")

    def test_no_fault(self):
        """The same model without its fault runs to the end."""
        with runner.scratch_directory() as directory:
            for name in ALGORITHMS:
                ended, has_results = self.run_faulty(directory, name, 2, "nan", 2, 0)
                self.assertEqual(ended.status, runner.FINISHED, ended.describe())
                self.assertTrue(has_results)


if __name__ == "__main__":
    runner.main()
