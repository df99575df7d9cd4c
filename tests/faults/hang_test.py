"""Likelihoods, transitions and energies that never return, on one rank, with every algorithm: a stop signal or the time
limit ends the run soon, with exit status 3 and one message that names the last checkpoint. No process is left, and a
resume without the fault gives the results of a run without it. PEARLITE_ALL_HANGS=1 tries all endings of all."""

import os
import re
import signal
import time
import unittest

import pearlite_runner as runner

FAULTY = os.environ["PEARLITE_FAULTY"]
EVERYTHING = bool(os.environ.get("PEARLITE_ALL_HANGS"))
PATIENCE = 2
SLACK = 60  # on a busy machine: without an end a hang lasts for ever
TIME_LIMIT = 4  # at least: the hang must come before
# Numbers of calls before the hang, in the middle of the work of each of three ranks; a transition moves a block.
HUNG_AFTER = {"hanging-density": 2000, "hanging-transition": 100, "hanging-growth": 2000, "hanging-energy": 2000}

RUN = {"checkpoint_every": 0.02}
STEPS = {"kind": "linear", "steps": 200}
SEARCH = {"iterations": 6000, "range_iterations": 600}
ANNEALED = {
    "annealed-importance": {"algorithm": {"trajectories": 96}, "kernel": {"moves": 1}, "schedule": STEPS},
    "smc": {"algorithm": {"particles": 96}, "kernel": {"moves": 1}, "schedule": STEPS},
    "nonequilibrium": {"algorithm": {"trajectories": 96}, "kernel": {"moves": 1}, "schedule": STEPS},
    "parallel-tempering": {"algorithm": {"replicas": 16, "scans": 300}, "kernel": {"moves": 1},
                           "schedule": {"kind": "linear", "steps": 5}},
}
AT_POSTERIOR = {
    "importance-squared": {"algorithm": {"draws": 10000}},
    "likelihood-constrained": {"algorithm": {"particles": 960}, "kernel": {"moves": 20}},
    "pseudo-marginal": {"algorithm": {"chains": 6, "iterations": 4000}},
}
GROWING = {"resample-move": {"algorithm": {"particles": 96, "replicates": 1}}}
SEARCHES = {
    **{name: {"algorithm": {**SEARCH, "replicates": 3}} for name in ("sa", "saa", "asamc")},
    **{name: {"algorithm": {**SEARCH, "chains": 6, "ranks_per_replicate": 3}} for name in ("vfsa", "psaa", "pisaa", "aesamc")},
}
MODELS = {"hanging-density": {**ANNEALED, **AT_POSTERIOR}, "hanging-transition": ANNEALED, "hanging-growth": GROWING,
          "hanging-energy": SEARCHES}
ENDINGS = ("launcher", "one rank", "time limit")
# After SIGTERM, Open MPI's mpirun kills its ranks within two seconds, unless this option lets it wait.
PATIENT_LAUNCHER = {"OMPI_MCA_odls_base_sigkill_timeout": "3"}


def all_algorithms():
    """Names that `list` prints."""
    text = runner.pearlite("list", executable=FAULTY).out
    return set(re.findall(r"^  (\S+)", "\n".join(re.findall(r"^algorithms for them:\n((?:  .*\n)+)", text, re.MULTILINE)),
                          re.MULTILINE))


class Hangs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = runner.scratch_directory()
        cls.directory = scratch.__enter__()
        cls.addClassCleanup(scratch.__exit__, None, None, None)
        cls.runs = [(model, name) for model, algorithms in MODELS.items() for name in algorithms]
        slowest = max(runner.side_by_side(cls.run_whole, cls.runs))
        cls.time_limit = max(TIME_LIMIT, round(4 * slowest))  # by this machine, as busy as it is

    @classmethod
    def place(cls, model, name, *more):
        return cls.directory / "-".join(map(str, (model, name, *more)))

    @classmethod
    def run_whole(cls, model, name):
        tables = MODELS[model][name]
        tables = {"run": RUN, "model": {"name": model}, **tables, "algorithm": {"name": name, **tables["algorithm"]}}
        runner.write_configuration(cls.place(model, name, "configuration"), **tables)
        ended = runner.pearlite("run", cls.place(model, name, "configuration"), "-o", cls.place(model, name), executable=FAULTY)
        assert ended.status == runner.FINISHED, ended.describe()
        return ended.seconds

    def hang(self, model, name, ranks, ending, after=None, number=signal.SIGUSR1, launcher=None):
        """Runs a job whose last rank hangs. Returns (directory, Ended, seconds after the signal or limit, processes
        left, checkpoints)."""
        after = HUNG_AFTER[model] if after is None else after
        where = self.place(model, name, ranks, ending.replace(" ", "-"), after)
        limit = ["--time-limit", self.time_limit] if ending == "time limit" else []
        environment = {"PEARLITE_HANG": f"{(ranks or 1) - 1} {after}", **(launcher or {})}
        with runner.Program("run", self.place(model, name, "configuration"), "-o", where, "--patience", PATIENCE, *limit,
                            ranks=ranks, executable=FAULTY, environment=environment) as program:
            self.assertTrue(runner.wait_until(lambda: "hangs" in program.errors() or not program.running()), "no hang")
            if ending == "launcher":
                program.send(number)
            elif ending == "one rank":
                program.send(signal.SIGTERM, program.ranks()[ranks - 2 if ranks > 2 else ranks - 1] if ranks else program.launcher)
            since = 0 if limit else time.monotonic() - program.started
            runner.wait_until(lambda: not program.running(), self.time_limit + PATIENCE + SLACK)
            runner.wait_until(lambda: not program.processes(), SLACK)  # those that mpirun has killed
            left = program.processes()
            ended = program.wait(0.1)
        if limit and "hangs" not in ended.err and after > 100:  # a slow machine: the limit came first
            return self.hang(model, name, ranks, ending, after // 4, number, launcher)
        return where, ended, ended.seconds - (self.time_limit if limit else since), left, runner.checkpoints(where)

    def judge(self, outcome, reason, status=runner.STOPPED):
        where, ended, seconds, left, checkpoints = outcome
        self.assertEqual(ended.status, status, ended.describe())
        self.assertLess(seconds, PATIENCE + SLACK, ended.describe())
        self.assertEqual(left, [])
        messages = re.findall("^pearlite_faulty: .*", ended.err, re.MULTILINE)
        self.assertEqual(len(messages), 1, ended.describe())
        self.assertRegex(messages[0], rf"has not ended \d+ s after {reason}: the run ends without a new checkpoint; ")
        advice = f"the last one is {checkpoints[0]}; `pearlite_faulty resume {where}` goes on from it" if checkpoints else \
            "there is none to go on from"
        self.assertIn(f"; {advice}", messages[0])

    def cases(self):
        """(model, algorithm, ranks, ending); for CI one of every algorithm, all endings taking turns."""
        every = [(ranks, ending) for ending in ENDINGS for ranks in (None, 3)]
        for number, run in enumerate(self.runs):
            for ranks, ending in every if EVERYTHING else [every[(2 * number + 1 + number // 3) % len(every)]]:
                yield (*run, ranks, ending)

    def test_every_algorithm_is_tried(self):
        """Every algorithm but training, whose model is never a user's."""
        self.assertEqual(all_algorithms() - {"contrastive-divergence"}, {name for _, name in self.runs})

    def test_hangs(self):
        cases = list(self.cases())
        outcomes = runner.side_by_side(self.hang, cases, workers=6)
        again = runner.side_by_side(
            lambda case, outcome: runner.pearlite("resume", outcome[0], ranks=None if case[2] else 2, executable=FAULTY),
            list(zip(cases, outcomes)))
        for case, outcome, resumed in zip(cases, outcomes, again):
            model, name, _, ending = case
            with self.subTest(case):
                self.judge(outcome, {"launcher": "signal 10", "one rank": "signal 15", "time limit": "the time limit"}[ending])
                self.assertEqual(resumed.status, runner.FINISHED, resumed.describe())
                self.assertEqual(runner.findings(outcome[0]), runner.findings(self.place(model, name)))
        print(f"{len(cases)} hangs, ended within {max(outcome[2] for outcome in outcomes):.1f} s")

    def test_before_the_first_checkpoint(self):
        for ranks in (None, 3):
            with self.subTest(ranks=ranks):
                outcome = self.hang("hanging-density", "smc", ranks, "one rank", after=0)
                self.judge(outcome, "signal 15")
                self.assertIn("the start of the run", outcome[1].err)
                self.assertEqual(outcome[-1], [])

    def test_in_the_measurement_before_a_search(self):
        """The measurement that decides which ranks share the chains evaluates energies on every rank, so that each can
        hang."""
        file = runner.write_configuration(self.directory / "measured.toml", run=RUN, model={"name": "hanging-energy"},
                                          algorithm={"name": "pisaa", **SEARCH, "chains": 6})
        with runner.Program("run", file, "-o", self.directory / "measured", "--patience", PATIENCE, ranks=3, executable=FAULTY,
                            environment={"PEARLITE_HANG": "2 1"}) as program:
            self.assertTrue(runner.wait_until(lambda: "hangs" in program.errors() or not program.running()), "no hang")
            program.send(signal.SIGUSR1)
            since = time.monotonic() - program.started
            ended = program.wait(PATIENCE + SLACK)
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        self.assertLess(ended.seconds - since, PATIENCE + SLACK)
        self.assertRegex(ended.err, "has not ended 2 s after signal 10: .*; there is none to go on from")

    def test_end_of_mpirun(self):
        """The exit status is that of mpirun; the log has the message, too."""
        outcome = self.hang("hanging-density", "smc", 3, "launcher", after=1000, number=signal.SIGTERM, launcher=PATIENT_LAUNCHER)
        self.judge(outcome, "signal 15", runner.FAILED)
        self.assertIn(outcome[-1][0].name, (outcome[0] / "run.log").read_text(encoding="utf-8").splitlines()[-1])

    def test_results(self):
        """A descent that never returns, after the search."""
        model, name = "hanging-energy", "sa"
        where = self.place(model, name, "polish")
        with runner.Program("run", self.place(model, name, "configuration"), "-o", where, "--patience", PATIENCE, "--set",
                            "algorithm.polish=true", "--set", "algorithm.replicates=1", executable=FAULTY,
                            environment={"PEARLITE_HANG": f"0 {SEARCH['iterations'] + SEARCH['range_iterations'] + 20}"}) as program:
            self.assertTrue(runner.wait_until(lambda: "hangs" in program.errors()))
            program.send(signal.SIGTERM)
            ended = program.wait(PATIENCE + SLACK)
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        self.assertRegex(ended.err, "the results are not ready 2 s after signal 15: .*; the last one is ")


if __name__ == "__main__":
    runner.main()
