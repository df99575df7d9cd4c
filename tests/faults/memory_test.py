"""An allocation that fails on one of two ranks, at any place of a run, ends the job at once with a message; the other
rank does not wait for ever. The test tries PLACES of a run for each algorithm, spread over its allocations
(PEARLITE_FAILING_PLACES; a few in CI, many in the long test). The campaign tests/campaign/allocations.py tries each
call site of some jobs."""

import os
import random
import signal
import unittest

import failing_memory
import pearlite_runner as runner

PLACES = int(os.environ.get("PEARLITE_FAILING_PLACES", "3"))
COMMAND_PLACES, MOST_ABORTED = 100, 0.02
RANKS, FAILING_RANK = 2, 1


class OutOfMemory(unittest.TestCase):
    def run_failing(self, file, place, counted=None):
        out = file.with_name(f"{file.stem}-{place}")
        fault = failing_memory.Fault(FAILING_RANK, place)
        return failing_memory.run(file, out, RANKS, fault, counted=counted)

    def allocations(self, directory, name):
        file, counted = failing_memory.write(directory, name), directory / f"{name}.count"
        ended = self.run_failing(file, 0, counted)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return file, int(counted.read_text(encoding="utf-8"))

    def test_one_rank(self):
        draw = random.Random(7)
        with runner.scratch_directory() as directory:
            jobs = [(directory, name) for name in failing_memory.JOBS]
            cases = []
            for file, count in runner.side_by_side(self.allocations, jobs):
                self.assertGreater(count, 1000)
                # One place in each of PLACES equal parts of the run.
                cases += [(file, 1 + int((k + draw.random()) * count / PLACES)) for k in range(PLACES)]
            all_ended = runner.side_by_side(self.run_failing, cases)
            for (file, place), ended in zip(cases, all_ended):
                with self.subTest(file.stem, place=place):
                    self.assertEqual(failing_memory.complaint(ended), "", ended.describe())

    def test_a_command_without_mpi(self):
        """Nearly all allocations, those included that make the list of models, end in a message. Some of the first end the
        command without one, since CLI11 makes objects before main."""
        with runner.scratch_directory() as directory:
            self.assertEqual(failing_memory.command("list", 0, directory / "count").status, runner.FINISHED)
            count = int((directory / "count").read_text(encoding="utf-8").split()[0])
            places = range(1, count, count // COMMAND_PLACES)
            all_ended = runner.side_by_side(failing_memory.command, [("list", place) for place in places])
            aborted = [place for place, ended in zip(places, all_ended) if ended.status == -signal.SIGABRT]
            self.assertLess(len(aborted), MOST_ABORTED * COMMAND_PLACES, aborted)
            for place, ended in zip(places, all_ended):
                if place not in aborted:
                    self.assertEqual(failing_memory.complaint(ended), "", f"{place} of {count}: {ended.describe()}")


if __name__ == "__main__":
    runner.main()
