"""jobs/pearlite.sbatch under a private SLURM over emulated nodes, with a daemon on each: jobs that are requeued,
preempted or lose a node end by themselves, with the digest of one process. Catches what daemons on one host hide."""

import os
import pathlib
import re
import shutil
import sys
import unittest

import emulated_nodes
import pearlite_runner as runner

SUPPORT = emulated_nodes.HERE.parent / "support" / "slurm-local"
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch")
SECONDS_TO_A_LOST_NODE = 6
LONGEST = 240
# Some twenty seconds on four ranks of two cores.
JOB = {"run": {"block": 64, "checkpoint_every": 0.5}, "model": {"name": "ising", "size": 32},
       "schedule": {"kind": "linear", "steps": 4000},
       "algorithm": {"name": "annealed-importance", "trajectories": 1024}}
PARTITIONS = """\
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=node[2-4] Default=YES MaxTime=60 DefaultTime=5 PriorityTier=1
PartitionName=urgent Nodes=node[2-4] MaxTime=60 DefaultTime=5 PriorityTier=2
"""


def why_not():
    """Why SLURM cannot be started here; empty if it can."""
    if missing := [daemon for daemon in DAEMONS if not emulated_nodes.find(daemon)]:
        return f"SLURM is not installed ({missing[0]} not found)"
    mounts = pathlib.Path("/proc/mounts").read_text(encoding="utf-8")
    return "" if " /sys/fs/cgroup" in mounts else "slurmd does not start where /sys/fs/cgroup is not mounted"


class Slurm:
    """SLURM with its controller on node 1, which has no ranks, and a daemon on each of the others."""

    def __init__(self, nodes):
        self.nodes, self.directory = nodes, nodes.scratch / "slurm"
        # Each node's own.
        self.munge = nodes.local / "munge"
        for name in ("state", "log"):
            (self.directory / name).mkdir(parents=True)
        key = self.directory / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self._write_configuration()
        for node in nodes.all:
            self.start_daemons(node)
        self.await_nodes()

    def await_nodes(self):
        def are_idle():
            return self.run("sinfo", "-h", "-N", "-p", "main", "-o", "%T").split() == ["idle"] * 3

        if not runner.wait_until(are_idle, timeout=60, pause=0.2):
            raise RuntimeError("the nodes do not come up: " + self.log())

    def log(self):
        return "\n".join(file.read_text(encoding="utf-8", errors="replace")[-3000:]
                         for file in sorted((self.directory / "log").iterdir()))

    def _write_configuration(self):
        lines = []
        for node in self.nodes.all[1:]:
            for name in ("spool", "tmp"):
                (self.directory / f"{name}.{node.name}").mkdir()
            address = f"{emulated_nodes.NETWORK}.{node.number}"
            lines.append(f"NodeName={node.name} NodeAddr={address} CPUs=4 RealMemory=4000\n")
        text = (SUPPORT / "slurm.conf.in").read_text(encoding="utf-8")
        controller = f"node1({emulated_nodes.NETWORK}.1)"
        for old, new in (("@HOST@(127.0.0.1)", controller), ("@DIR@/munge", self.munge), ("@DIR@", self.directory),
                         ("@CTLPORT@", 6817), ("@NODE_TIMEOUT@", SECONDS_TO_A_LOST_NODE),
                         ("@NODES@", "".join(lines) + PARTITIONS)):
            text = text.replace(old, str(new))
        self.configuration = self.directory / "slurm.conf"
        self.configuration.write_text(text, encoding="utf-8")
        shutil.copy(SUPPORT / "task-prolog.sh", self.directory / "task-prolog.sh")
        (self.directory / "task-prolog.sh").chmod(0o755)

    def start_daemons(self, node):
        node.run("mkdir", "-m", "711", self.munge)
        node.run("install", "-m", "400", self.directory / "munge.key", self.munge / "key")
        files = [f"--{name}-file={self.munge}/{name}" for name in ("key", "pid", "log", "seed")]
        node.run(emulated_nodes.find("munged"), "--force", f"--socket={self.munge}/munged.sock", *files)
        if node.number == 1:
            node.run(emulated_nodes.find("slurmctld"), "-c", "-f", self.configuration)
        else:
            node.run(emulated_nodes.find("slurmd"), "-c", "-N", node.name, "-f", self.configuration)

    def run(self, *words):
        """Runs a command of SLURM on node 1; returns its output."""
        return self.nodes[1].run("env", f"SLURM_CONF={self.configuration}", f"PEARLITE={self.nodes.program_file}",
                                 "PEARLITE_GUARD_SECONDS=2", "PEARLITE_RANKS_PER_NODE=2", *words)

    def field(self, job, name):
        found = re.search(rf"(?:^|\s){name}=(\S*)", self.run("scontrol", "show", "job", job))
        return found[1] if found else ""


class SlurmOverNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.nodes = cls.enterClassContext(emulated_nodes.Nodes(4))
        cls.slurm = Slurm(cls.nodes)
        cls.file = runner.write_configuration(cls.nodes.scratch / "job.toml", **JOB)
        ended = runner.pearlite("run", cls.file, "-o", cls.nodes.scratch / "whole", timeout=LONGEST)
        assert ended.status == runner.FINISHED, ended.describe()
        cls.digest = runner.summary(cls.nodes.scratch / "whole")["digest"]

    def submit(self, name, *options):
        """Starts a job; returns its number and its directory once it has checkpoints."""
        where = self.nodes.scratch / name
        job = self.slurm.run("sbatch", "--parsable", "--mincpus=2", "--time=20", f"--output={where}.log", *options,
                             emulated_nodes.ROOT / "jobs" / "pearlite.sbatch", self.file, "-o", where).strip()
        self.assertTrue(runner.wait_until(lambda: len(runner.checkpoints(where)) >= 2, timeout=60),
                        self.words(where) + self.slurm.log())
        return job, where

    def words(self, where):
        log = pathlib.Path(f"{where}.log")
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    def finished(self, job, where):
        self.assertEqual(runner.summary(where).get("status", "running"), "running", "the run had ended before")
        ended = runner.wait_until(lambda: self.slurm.field(job, "JobState") in ("COMPLETED", "FAILED", "NODE_FAIL"),
                                  timeout=LONGEST, pause=0.5)
        self.assertTrue(ended, self.words(where))
        self.assertEqual(self.slurm.field(job, "JobState"), "COMPLETED", self.words(where))
        self.assertEqual(runner.summary(where)["digest"], self.digest)
        self.assertIn("resumed from checkpoint", (where / "run.log").read_text(encoding="utf-8"))

    def test_an_array(self):
        """Three small jobs with seeds of their own."""
        where = self.nodes.scratch / "array"
        script = f"bash {emulated_nodes.ROOT}/jobs/pearlite.sbatch {self.file} -o {where}-$SLURM_ARRAY_TASK_ID " \
                 "--seed $SLURM_ARRAY_TASK_ID --set schedule.steps=200"
        job = self.slurm.run("sbatch", "--parsable", "--array=1-3", "--nodes=1", "--mincpus=2", "--time=20",
                             f"--output={where}.log", f"--wrap={script}").strip()
        ended = runner.wait_until(lambda: not self.slurm.run("squeue", "-h", "-j", job), timeout=LONGEST, pause=0.5)
        self.assertTrue(ended, self.words(where))
        for seed in (1, 2, 3):
            alone = self.nodes.scratch / f"seed-{seed}"
            ended = runner.pearlite("run", self.file, "-o", alone, "--seed", seed, "--set", "schedule.steps=200")
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
            found = runner.summary(pathlib.Path(f"{where}-{seed}"))
            self.assertEqual(found.get("digest"), runner.summary(alone)["digest"], self.words(where))

    def test_requeued(self):
        job, where = self.submit("requeued", "--nodes=2")
        self.slurm.run("scontrol", "requeue", job)
        self.finished(job, where)
        self.assertEqual(self.slurm.field(job, "Restarts"), "1")

    def test_preempted(self):
        job, where = self.submit("preempted", "--nodes=3")
        urgent = self.slurm.run("sbatch", "--parsable", "--partition=urgent", "--nodes=3", "--mincpus=4",
                                f"--output={where}.urgent", "--wrap=sleep 3").strip()
        self.finished(job, where)
        self.assertEqual(self.slurm.field(urgent, "JobState"), "COMPLETED")
        self.assertEqual(self.slurm.field(job, "Restarts"), "1")

    def node_of(self, job, is_of_script):
        script = self.slurm.field(job, "BatchHost")
        used = self.slurm.run("scontrol", "show", "hostnames", self.slurm.field(job, "NodeList")).split()
        return next(node for node in self.nodes.all if node.name in used and (node.name == script) == is_of_script)

    def test_a_lost_node(self):
        """First one with nothing but ranks, then that of the script: power and all."""
        for is_of_script in (False, True):
            with self.subTest(is_of_script=is_of_script):
                job, where = self.submit(f"lost-{is_of_script}", "--nodes=2-3")
                node = self.node_of(job, is_of_script)
                node.cut()
                node.kill()
                self.finished(job, where)
                node.start()
                node.await_sshd()
                self.slurm.start_daemons(node)
                self.slurm.await_nodes()

    def test_a_silent_node(self):
        """Its link is cut, and its processes live on."""
        job, where = self.submit("silent", "--nodes=2-3")
        node = self.node_of(job, False)
        node.cut()
        self.finished(job, where)
        node.mend()
        self.slurm.await_nodes()


if __name__ == "__main__":
    emulated_nodes.require()
    if reason := why_not():
        print(f"skipped: {reason}")
        sys.exit(runner.SKIPPED)
    runner.main()
