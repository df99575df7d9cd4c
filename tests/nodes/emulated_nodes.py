"""Emulated nodes of a cluster on one machine: namespaces of network, host name, processes, IPC and mounts of their own,
an sshd each, and a switch between them. The directories of the machine are common to all nodes, as on a shared file
system; /tmp, /dev/shm and the directory `local` are each node's own.

Nodes need root, iproute2, util-linux and openssh-server; why_not() says what is missing. All names are inside the
namespaces, so that tests side by side have their own nodes. Nodes end with the process that made them, however it ends.
"""

import atexit
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import pearlite_runner as runner

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NETWORK = "10.77.0"
TRIAL = ("mount -t tmpfs own /run && hostname own && ip link add name one type bridge &&"
         "ip link add name two type veth peer name three")
SPACES = ("--mount", "--uts", "--ipc", "--pid", "--net")
# The package of each program.
PROGRAMS = {"ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux", "setpriv": "util-linux",
            "ssh": "openssh-client", "ssh-keygen": "openssh-client", "sshd": "openssh-server"}
# HOME: start files of the user's shell would slow down each start of a job, or change it.
SSHD = """\
Port 22
HostKey {files}/host
AuthorizedKeysFile {files}/user.pub
PermitRootLogin yes
StrictModes no
UsePAM no
UseDNS no
PidFile none
MaxStartups 200
SetEnv HOME=/tmp
"""
SSH = """\
Host *
    IdentityFile {files}/user
    BatchMode yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
    ConnectTimeout 10
"""


def find(program):
    """Where a program is; those of root are not on everyone's path."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def why_not():
    """Why there can be no nodes here; empty if there can."""
    if os.geteuid() != 0:
        return "only root can make namespaces"
    for program, package in PROGRAMS.items():
        if not find(program):
            return f"{package} is not installed ({program} not found)"
    trial = ["unshare", *SPACES, "--fork", "--mount-proc", "sh", "-c", TRIAL]
    tried = subprocess.run(trial, capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return f"namespaces cannot be had here: {tried.stderr.strip()}"
    mpi = subprocess.run([runner.MPIEXEC, "--version"], capture_output=True, text=True, check=False).stdout
    return "" if "Open MPI" in mpi or "OpenRTE" in mpi else f"{runner.MPIEXEC} is not that of Open MPI"


def require():
    """Ends a test as a skipped one where there can be no nodes. Nothing outlives a SIGTERM from here on."""
    if reason := why_not():
        print(f"skipped: {reason}")
        sys.exit(runner.SKIPPED)
    signal.signal(signal.SIGTERM, _end_with_all)


def _end_with_all(number, _):
    """Ends this process without waiting for threads, which wait for jobs."""
    for file in pathlib.Path("/proc/self/task").glob("*/children"):
        for child in file.read_text(encoding="ascii").split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
    atexit._run_exitfuncs()  # files
    os._exit(128 + number)


def _in_spaces(*command, log=None):
    """Starts a command in new namespaces. It dies with the thread that started it."""
    launcher = ["setpriv", "--pdeathsig", "KILL", "unshare", *SPACES, "--fork", "--kill-child=KILL", "--mount-proc"]
    return subprocess.Popen([*launcher, *map(str, command)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                            start_new_session=True)


def _child_of(process):
    """The pid of the only child, once there is one."""
    def look():
        try:
            found = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        except OSError:
            found = []
        return int(found[0]) if found else None

    pid = runner.wait_until(look, timeout=60)
    if not pid:
        raise RuntimeError("no process in new namespaces")
    return pid


def _end(process):
    process.kill()
    process.wait()


class _Switch:
    """A bridge in a network namespace of its own."""

    def __init__(self):
        self.holder = _in_spaces("sleep", "infinity")
        self.pid = _child_of(self.holder)
        self.ip("link", "add", "bridge", "type", "bridge", "forward_delay", "0")
        self.ip("link", "set", "bridge", "up")

    def ip(self, *words):
        subprocess.run(["nsenter", "-t", str(self.pid), "-n", find("ip"), *map(str, words)], check=True)

    def plug(self, port, pid):
        """A cable from a new port to the network namespace of a process, in which it is eth0."""
        self.ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", pid)
        self.ip("link", "set", port, "master", "bridge", "up")


class Node:
    """A node, from its start to its end; `number` counts from 1."""

    def __init__(self, nodes, number):
        self.nodes, self.number, self.name = nodes, number, f"node{number}"
        self.n_starts, self.holder = 0, None

    def start(self):
        """Also the start of a node that was killed."""
        self.n_starts += 1
        self.port = f"port{self.number}.{self.n_starts}"
        log = self.nodes.files / f"{self.name}.log"
        log.unlink(missing_ok=True)
        with open(self.nodes.files / f"{self.name}.boot", "w", encoding="utf-8") as words:
            self.holder = _in_spaces("sh", HERE / "boot_node.sh", self.name, self.nodes.files, *self.nodes.kept,
                                     log=words)
        self.pid = _child_of(self.holder)
        self.space = os.readlink(f"/proc/{self.pid}/ns/pid")
        self.nodes.switch.plug(self.port, self.pid)
        # Only the network, for a node that has not made its mounts.
        for words in (["link", "set", "lo", "up"], ["addr", "add", f"{NETWORK}.{self.number}/24", "dev", "eth0"],
                      ["link", "set", "eth0", "up"]):
            subprocess.run(["nsenter", "-t", str(self.pid), "-n", find("ip"), *words], check=True)

    def await_sshd(self):
        log = self.nodes.files / f"{self.name}.log"
        if not runner.wait_until(lambda: log.exists() and "listening" in log.read_text(encoding="utf-8"), timeout=60):
            words = [file.read_text(encoding="utf-8") for file in (log.with_suffix(".boot"), log) if file.exists()]
            raise RuntimeError(f"{self.name} does not start: {' '.join(words)}")

    def command(self, *words):
        """A command on this node, to be started outside."""
        return ["nsenter", "-t", str(self.pid), "-m", "-u", "-i", "-n", "-p", "env", f"--chdir={self.nodes.scratch}",
                *map(str, words)]

    def run(self, *words):
        """Runs a command on this node; returns its output."""
        return subprocess.run(self.command(*words), check=True, capture_output=True, text=True).stdout

    def cut(self):
        """The link falls silent: both ends stay up, and nothing arrives."""
        self.nodes.switch.ip("link", "set", self.port, "nomaster")

    def mend(self):
        self.nodes.switch.ip("link", "set", self.port, "master", "bridge")

    def delay(self, seconds):
        """Sends whatever the node sends later; False if the kernel cannot."""
        words = ["tc", "qdisc", "replace", "dev", "eth0", "root", "netem", "delay", f"{seconds * 1e6:.0f}us"]
        return subprocess.run(self.command(*words), capture_output=True, check=False).returncode == 0

    def is_living(self):
        return self.holder.poll() is None

    def kill(self):
        """All processes of the node die at once."""
        _end(self.holder)
        runner.wait_until(lambda: not os.path.exists(f"/proc/{self.pid}"), timeout=60)

    def processes(self, name):
        """Pids, outside, of the processes of this name on the node."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            # A process may end between listing and reading.
            with contextlib.suppress(OSError):
                place = pathlib.Path("/proc", entry)
                if (os.readlink(place / "ns/pid") == self.space
                        and (place / "comm").read_text(encoding="utf-8", errors="replace").strip() == name):
                    found.append(int(entry))
        return found

    def clear(self):
        """Kills all that runs on the node but its sshd."""
        subprocess.run(self.command("sh", "-c", "kill -9 -1"), capture_output=True, check=False)

    def replace(self, file, content):
        """From now on this node reads other bytes in this file; for restore()."""
        other = self.nodes.files / f"{self.name}{str(file).replace('/', '+')}"
        other.write_bytes(content)
        other.chmod(pathlib.Path(file).stat().st_mode)
        self.run("mount", "--bind", other, file)

    def restore(self, file):
        self.run("umount", file)


class Nodes:
    """Nodes 1 to n, as a context. `scratch` is a directory for jobs; `local` below it is another one on each node."""

    def __init__(self, n, kept=()):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="nodes-", dir=runner.roomy_memory()))
        atexit.register(shutil.rmtree, self.scratch, ignore_errors=True)
        self.files = self.scratch / "files"
        self.local = self.files / "local"
        self.program_file = pathlib.Path(shutil.which(runner.PEARLITE)).resolve()
        self.kept = [self.scratch, ROOT, self.program_file.parent,
                     *map(pathlib.Path, kept), *map(pathlib.Path, filter(None, [os.environ.get("PEARLITE_DATA_DIR")]))]
        self.all = [Node(self, k + 1) for k in range(n)]
        self.switch, self.n_jobs = None, 0

    def __getitem__(self, number):
        return self.all[number - 1]

    def __enter__(self):
        self._write_files()
        try:
            self.switch = _Switch()
            for node in self.all:
                node.start()
            for node in self.all:
                node.await_sshd()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.down()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def down(self):
        for holder in [node.holder for node in self.all] + [self.switch and self.switch.holder]:
            if holder:
                _end(holder)

    def _write_files(self):
        self.local.mkdir(parents=True)
        hosts = [f"{NETWORK}.{node.number} {node.name}" for node in self.all]
        (self.files / "hosts").write_text("\n".join(["127.0.0.1 localhost", *hosts]) + "\n", encoding="utf-8")
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.files / key], check=True)
        for name, text in (("sshd_config", SSHD), ("ssh_config", SSH)):
            (self.files / name).write_text(text.format(files=self.files), encoding="utf-8")

    def mpirun(self, ranks, exported=()):
        """The command that starts mpirun on the first node of `ranks`, {number of a node: ranks on it}, for a program
        that follows. `exported`: names of variables that all ranks get."""
        numbers = list(ranks)
        hosts = ",".join(f"{self[k].name}:{ranks[k]}" for k in numbers)
        self.n_jobs += 1
        options = {"plm_rsh_agent": f"ssh -F {self.files}/ssh_config", "plm_rsh_no_tree_spawn": "1",
                   "btl": "self,vader,tcp", "btl_vader_backing_directory": "/dev/shm",
                   # Jobs that start at the same time would make the same directory.
                   "orte_tmpdir_base": f"/tmp/{self.n_jobs}"}
        words = [word for name, value in options.items() for word in ("--mca", name, value)]
        words += [word for name in exported for word in ("-x", name)]
        # By its whole path, by which it finds its daemon on other nodes.
        return self[numbers[0]].command(shutil.which(runner.MPIEXEC), "--host", hosts, "-n", sum(ranks.values()),
                                        *words)

    def program(self, ranks, *arguments, exported=None):
        """Starts the command on the nodes, as runner.Program; the ranks get the variables `exported`."""
        launcher, *words = self.mpirun(ranks, exported or {})
        return runner.Program(*words, self.program_file, *arguments, executable=launcher, environment=exported)

    def pearlite(self, ranks, *arguments, timeout=60, exported=None):
        """Runs the command on the nodes to its end."""
        with self.program(ranks, *arguments, exported=exported) as program:
            return program.wait(timeout)
