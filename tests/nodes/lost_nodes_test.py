"""Nodes that die and links that fall silent: the job ends in seconds, or within its limit and its patience, and goes on
on other nodes to the same bits. Catches waits that no limit ends. A directory that is not shared is refused."""

import math
import os
import pathlib
import re
import signal
import sys
import time
import typing
import unittest

import emulated_nodes
import pearlite_runner as runner

PAUSING_DISK = os.environ["PEARLITE_PAUSING_DISK"]
JOB = {"run": {"block": 32, "checkpoint_every": 0.2}, "model": {"name": "ising", "size": 24},
       "algorithm": {"name": "annealed-importance", "trajectories": 1000}}
STEPS = {"long": 2000, "short": 50}  # the short job ends before the limit on a busy machine
SELDOM = ("--set", "run.checkpoint_every=600")
KEEP_ALIVE = {"OMPI_MCA_oob_tcp_keepalive_time": "5", "OMPI_MCA_oob_tcp_keepalive_intvl": "1",
              "OMPI_MCA_oob_tcp_keepalive_probes": "4"}
# Ranks that do not write the message wait two seconds longer, and busy machines are slow; without a limit they wait
# for ever.
SLACK = 30
DIES_WITHIN = 40
LONGEST = 150  # of a whole job, there, too
# mpirun of Open MPI 4.1 asks the daemon of each node to end its ranks, and then waits for a silent one, until it gets a
# SIGTERM. The test kills it.
LAUNCHER_ENDS_WITHIN = 2


class Limits(typing.NamedTuple):
    """Seconds of a job's time limit and of its patience."""

    time: int
    patience: int

    def options(self):
        return "--time-limit", self.time, "--patience", self.patience

    def __str__(self):
        return f"limit {self.time} s, patience {self.patience} s"

    def longest(self, elapsed=0.0):
        """To the end of a job, `elapsed` seconds after its start. In an agreement ranks have the patience twice, since
        the others may write."""
        return max(0, self.time - elapsed) + 2 * self.patience + SLACK


LIMITS = Limits(7, 3)


class Silence(typing.NamedTuple):
    """Where a link falls silent: rank 1 waits in a sync of this file, or the ranks are in a step."""

    name: str
    job: str
    file: str = ""
    sync: int = 1
    options: tuple = ()

    def variables(self, path):
        if not self.file:
            return {}
        return {"LD_PRELOAD": PAUSING_DISK, "PEARLITE_PAUSED_RANK": "1", "PEARLITE_PAUSED_FILE": self.file,
                "PEARLITE_PAUSED_SYNC": str(self.sync), "PEARLITE_PAUSE": str(path)}


SILENCES = (Silence("in a step", "long", options=SELDOM), Silence("in a checkpoint", "long", "checkpoint.", 2),
            Silence("in the progress", "long", "progress.h5"), Silence("in the results", "short", "results.h5"))


class End(typing.NamedTuple):
    """The end of a job with a fault; seconds since the fault."""

    ended: runner.Ended
    of_ranks: float            # infinite if they had to be killed
    of_launcher: float | None  # None if mpirun had to be killed


def end_of(program, nodes, since, timeout):
    """Waits for the end of all ranks on nodes that live, and for that of mpirun."""
    ends = {}

    def look():
        if "ranks" not in ends and not any(node.is_living() and node.processes("pearlite") for node in nodes.all):
            ends["ranks"] = time.monotonic() - since
        if "mpirun" not in ends and not program.running():
            ends["mpirun"] = time.monotonic() - since
        return len(ends) == 2 or ("ranks" in ends and time.monotonic() - since > ends["ranks"] + LAUNCHER_ENDS_WITHIN)

    runner.wait_until(look, timeout, pause=0.02)
    program.kill_all()
    return End(program.wait(1), ends.get("ranks", math.inf), ends.get("mpirun"))


class Table:
    """Seconds from a fault to the end of the job, for docs/reliability.md."""

    lines: typing.ClassVar = []

    @classmethod
    def add(cls, fault, ended_by, end):
        launcher = "waits" if end.of_launcher is None else f"{end.of_launcher:.1f}"
        cls.lines.append(f"| {fault} | {ended_by} | {end.of_ranks:.1f} | {launcher} |")

    @classmethod
    def show(cls):
        print("\n".join(["| fault | ended by | ranks | `mpirun` |", "|---|---|---|---|", *sorted(cls.lines)]))
        sys.stdout.flush()


def attempt(function, *arguments):
    """The error, so that it leaves the other cases alone; None if there is none."""
    try:
        function(*arguments)
    except (AssertionError, RuntimeError) as error:
        return error
    return None


def await_checkpoints(program, where, n):
    found = runner.wait_until(lambda: len(runner.checkpoints(where)) >= n or not program.running())
    assert found and program.running(), program.errors()


def pause(nodes):
    """Stops all ranks, so that nothing is on its way: a connection that waits for an answer is given up much later than
    an idle one."""
    for node in nodes.all:
        for pid in node.processes("pearlite"):
            os.kill(pid, signal.SIGSTOP)
    time.sleep(0.5)


def estimates(where):
    """All but the files, which have the configuration, too."""
    return {name: value for name, value in runner.findings(where).items() if name != "files"}


class OnNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = cls.enterClassContext(runner.scratch_directory())
        cls.files = {job: runner.write_configuration(cls.directory / f"{job}.toml", **JOB,
                                                     schedule={"kind": "linear", "steps": steps})
                     for job, steps in STEPS.items()}

    def nodes(self, n):
        return emulated_nodes.Nodes(n, kept=[self.directory, pathlib.Path(PAUSING_DISK).parent])


class Faults(OnNodes):
    """Jobs with a fault, which end and are resumed on other nodes; at the end a table of the seconds."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.expected = {job: cls.whole(job) for job in STEPS}
        Table.lines.clear()
        cls.addClassCleanup(Table.show)

    @classmethod
    def whole(cls, job):
        ended = runner.pearlite("run", cls.files[job], "-o", cls.directory / job, timeout=LONGEST)
        assert ended.status == runner.FINISHED, ended.describe()
        return estimates(cls.directory / job)

    def goes_on(self, nodes, ranks, where, job="long"):
        ended = nodes.pearlite(ranks, "resume", where, timeout=LONGEST)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(estimates(where), self.expected[job])

    def try_side_by_side(self, function, cases):
        """function(*case) of each case, with nodes of its own."""
        errors = runner.side_by_side(attempt, [(function, *case) for case in cases], workers=len(cases))
        for case, error in zip(cases, errors):
            with self.subTest(str(case)):
                if error:
                    raise error


class SilentLink(Faults):
    limits = LIMITS

    def silence(self, fault, nodes):
        """A job with a limit, whose second node falls silent. Returns (End, seconds in which it had to end)."""
        where, pause = nodes.scratch / "run", nodes.scratch / "pause"
        with nodes.program({1: 1, 2: 1}, "run", self.files[fault.job], "-o", where, *self.limits.options(),
                           *fault.options, exported=fault.variables(pause)) as program:
            begun = pause.with_suffix(".begun")
            # The progress of the first checkpoint is written, and the next one is far away.
            is_there = begun.exists if fault.file else (where / "progress.h5").exists
            runner.wait_until(lambda: is_there() or not program.running())
            if not fault.file:
                time.sleep(0.1)
            self.assertTrue(program.running(), program.errors())
            nodes[2].cut()
            cut = time.monotonic()
            pause.with_suffix(".ended").touch()
            end = end_of(program, nodes, cut, self.limits.longest() + 2 * SLACK)
        Table.add(f"silent link {fault.name}", self.limits, end)
        return end, self.limits.longest(cut - program.started)

    def silent_and_resumed(self, fault):
        with self.nodes(3) as nodes:
            end, longest = self.silence(fault, nodes)
            where = nodes.scratch / "run"
            if end.of_launcher is not None:  # mpirun may turn 3 into 1
                self.assertIn(end.ended.status, (runner.STOPPED, runner.FAILED), end.ended.describe())
            self.assertLess(end.of_ranks, longest, end.ended.describe())
            last = re.escape(str(runner.checkpoints(where)[0]))
            self.assertRegex(end.ended.err, rf"the last one is {last}; `pearlite resume {where}` goes on")
            nodes[1].clear()
            self.goes_on(nodes, {3: 2, 1: 1}, where, fault.job)


class SilentLinks(SilentLink):
    def test_ends_within_limit_and_patience(self):
        self.try_side_by_side(self.silent_and_resumed, [(fault,) for fault in SILENCES])

    def test_without_a_limit(self):
        """Open MPI notices connections that are silent; after how long is a setting."""
        with self.nodes(3) as nodes:
            where = nodes.scratch / "run"
            with nodes.program({1: 1, 2: 1}, "run", self.files["long"], "-o", where, *SELDOM,
                               exported=KEEP_ALIVE) as program:
                await_checkpoints(program, where, 1)
                pause(nodes)
                nodes[2].cut()
                end = end_of(program, nodes, time.monotonic(), 60)
            Table.add("silent link in a step", "`oob_tcp_keepalive` of 5 s, 1 s, 4 times", end)
            self.assertIsNotNone(end.of_launcher, end.ended.describe())
            self.assertNotEqual(end.ended.status, runner.FINISHED, end.ended.describe())
            self.goes_on(nodes, {3: 2, 1: 1}, where)


class DeadNodes(Faults):
    def lose(self, nodes, number, has_limit):
        """A job on two nodes, one of which is lost while it runs: its processes die, and with a limit its link goes,
        too, as without power."""
        where, limits = nodes.scratch / "run", LIMITS.options() if has_limit else ()
        with nodes.program({1: 1, 2: 1}, "run", self.files["long"], "-o", where, *limits) as program:
            await_checkpoints(program, where, 1)
            died = time.monotonic()
            if has_limit:
                nodes[number].cut()
            nodes[number].kill()
            end = end_of(program, nodes, died, LIMITS.longest() + 2 * SLACK)
        fault = "power" if has_limit else "all processes"
        Table.add(f"{fault} of the node {'of `mpirun`' if number == 1 else 'with ranks only'} lost",
                  LIMITS if has_limit else "Open MPI", end)
        return end

    def lost_and_resumed(self, number, has_limit):
        with self.nodes(3) as nodes:
            end = self.lose(nodes, number, has_limit)
            self.assertNotEqual(end.ended.status, runner.FINISHED, end.ended.describe())
            longest = LIMITS.longest() if has_limit else DIES_WITHIN
            self.assertLess(end.of_ranks, longest, end.ended.describe())
            self.goes_on(nodes, {3: 2, 3 - number: 1}, nodes.scratch / "run")

    def test_a_dead_node_ends_the_job(self):
        self.try_side_by_side(self.lost_and_resumed, [(2, False), (1, False), (2, True), (1, True)])

    def test_a_node_that_comes_back(self):
        nodes = self.enterContext(self.nodes(2))
        where = nodes.scratch / "run"
        with nodes.program({1: 1, 2: 1}, "run", self.files["long"], "-o", where) as program:
            await_checkpoints(program, where, 2)
            nodes[2].kill()
            end_of(program, nodes, time.monotonic(), 60)
        nodes[2].start()
        nodes[2].await_sshd()
        self.goes_on(nodes, {2: 1, 1: 1}, where)


class Directories(OnNodes):
    """A directory that is another one on each node."""

    def refused(self, ended, place):
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("node2", ended.err)
        self.assertIn(str(place), ended.err)
        self.assertNotIn("No such file", ended.err.partition("\n")[0])

    def test_a_directory_that_is_not_shared(self):
        nodes = self.enterContext(self.nodes(2))
        with self.subTest("run"):
            ended = nodes.pearlite({1: 1, 2: 1}, "run", self.files["short"], "-o", nodes.local / "run")
            self.refused(ended, nodes.local / "run")
        with self.subTest("one rank on the second node of three ranks"):
            ended = nodes.pearlite({1: 2, 2: 1}, "run", self.files["short"], "-o", nodes.local / "other")
            self.refused(ended, nodes.local / "other")
        with self.subTest("resume"):
            where = nodes.local / "stopped"
            ended = nodes.pearlite({1: 1}, "run", self.files["short"], "-o", where, "--step-limit", 20)
            self.assertEqual(ended.status, runner.STOPPED, ended.describe())
            self.refused(nodes.pearlite({1: 1, 2: 1}, "resume", where), where)
        with self.subTest("sweep"):
            sweep = nodes.scratch / "sweep.toml"
            text = self.files["short"].read_text(encoding="utf-8")
            sweep.write_text(text + "[sweep]\nreplicates = 4\n", encoding="utf-8")
            ended = nodes.pearlite({1: 1, 2: 1}, "run", sweep, "-o", nodes.local / "sweep")
            self.refused(ended, nodes.local / "sweep")

    def test_a_configuration_that_is_not_everywhere(self):
        """Only the first node has it: it is read there and sent, or its absence is said."""
        nodes = self.enterContext(self.nodes(2))
        nodes[1].run("cp", self.files["short"], nodes.local / "job.toml")
        where = nodes.scratch / "run"
        ended = nodes.pearlite({1: 1, 2: 1}, "run", nodes.local / "job.toml", "-o", where)
        if ended.status != runner.FINISHED:
            self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
            self.assertIn("job.toml", ended.err)


if __name__ == "__main__":
    emulated_nodes.require()
    runner.main()
