"""The tests of a build: which there are, what they need, in which order a fault meets them, and how they are run."""

import dataclasses
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

from drawing import LAYERS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from build_outputs import needed_outputs

TIERS = ("quick", "full")
LEFT_OUT = {"layers", "planted", "long"}  # which look at texts, not at what a program does; or take hours
# Labels of tests that are near to a layer without having its name.
NEAR = {"model": ("target",), "parallel": ("invariance",), "io": ("released", "tables", "posterior"), "models": ("tables", "jobs"),
        "population": ("invariance",), "estimator": ("works",), "algorithm": ("invariance",),
        "app": ("faults", "works", "check", "tune", "posterior", "released"), "drivers": ("python", "report")}
# Labels of the tests that run Python sources, which no build compiles.
OF_PYTHON = {"drivers/pearlite_python": ("python",), "drivers/pearlite_report": ("report",),
             "drivers/report.py": ("report",), "drivers/import_rbm.py": ("io",)}
MEMORY = 12 << 30  # bytes that a process of a test may ask for: a loop that does not end may ask for memory for ever


@dataclasses.dataclass
class Test:
    name: str
    command: list
    labels: set
    folder: str
    environment: list
    changes: list  # of the environment, "NAME=path_list_prepend:VALUE"
    skip_status: int | None
    processors: int
    outputs: list  # of the build that it needs, or ["all"]

    @property
    def tier(self):
        return "quick" if "quick" in self.labels else "full"


def tests_of(listing, build, outputs):
    """The tests in what `ctest --show-only=json-v1` prints, without those that are left out."""
    tests = []
    for entry in listing["tests"]:
        properties = {each["name"]: each["value"] for each in entry.get("properties", [])}
        labels = set(properties.get("LABELS", []))
        command = entry.get("command")
        if not command or labels & LEFT_OUT or entry["name"].endswith("_self_test") or properties.get("DISABLED"):
            continue
        environment = properties.get("ENVIRONMENT", [])
        changes = properties.get("ENVIRONMENT_MODIFICATION", [])
        tests.append(Test(entry["name"], command, labels, properties.get("WORKING_DIRECTORY", str(build)), environment,
                          changes, properties.get("SKIP_RETURN_CODE"), int(properties.get("PROCESSORS", 1)),
                          needed_outputs([*command, *environment, *changes], build, outputs)))
    return tests


def words_of(text):
    return [word for word in re.split(r"[^a-z]+", text.lower()) if len(word) >= 4]


def share_a_word(name, file):
    """Whether the name of a test has to do with a file and its folders: "faults_locks" with "directory_lock.cpp"."""
    parts = pathlib.PurePath(file).with_suffix("").parts
    common = {*LAYERS, "pearlite", "include", "detail", "common", "result", "parts", "kernels", "drivers"}
    own = [word for part in parts for word in words_of(part) if word not in common]
    return any(a.startswith(b) or b.startswith(a) for a in words_of(name) for b in own)


def runs_python(test, file):
    return any(file.startswith(path) and set(labels) & test.labels for path, labels in OF_PYTHON.items())


def rank(test, fault):
    """How likely a test finds a fault; the lowest number comes first."""
    near = (set(NEAR.get(fault.layer, ())) & test.labels) != set()
    if not fault.file.endswith(".py") and test.name.startswith("golden"):
        return 0
    if share_a_word(test.name, fault.file):
        return 1
    if fault.layer in test.labels:
        return 2
    if near:
        return 3
    place = LAYERS.index(fault.layer)
    above = [at for at, layer in enumerate(LAYERS) if at > place and layer in test.labels]
    return 4 + min(above) - place if above else 4 + len(LAYERS)


def order(tests, fault, seconds, depends):
    """The tests that a fault can fail, likely and cheap ones first. `depends` says which those are: depends(test)."""
    able = [test for test in tests if test.name in seconds and depends(test)]
    return sorted(able, key=lambda test: (rank(test, fault), seconds[test.name], test.name))


def changed_environment(environment, changes):
    for change in changes:
        name, _, action = change.partition("=")
        what, _, value = action.partition(":")
        if what == "path_list_prepend":
            environment[name] = os.pathsep.join(filter(None, [value, environment.get(name)]))
        elif what == "set":
            environment[name] = value
        else:
            raise SystemExit(f"ENVIRONMENT_MODIFICATION {change} is not known to tests/planted/suite.py")
    return environment


def end_session(leader):
    """Ends a test with all processes that it has started, ranks of an MPI job included."""
    def members():
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    fields = pathlib.Path("/proc", entry, "stat").read_text(errors="replace").rsplit(")", 1)[1].split()
                except OSError:
                    continue
                if int(fields[3]) == leader and fields[0] != "Z":
                    yield int(entry)
    for number, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 3)):
        for process in members():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
        until = time.monotonic() + patience
        while time.monotonic() < until and any(True for _ in members()):
            time.sleep(0.05)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def status_of(process, limit_seconds, stop):
    """The exit status; None when the limit was reached or `stop` was set."""
    until = time.monotonic() + limit_seconds
    while time.monotonic() < until and not stop.is_set():
        try:
            return process.wait(0.1)
        except subprocess.TimeoutExpired:
            pass
    return None


def run(test, limit_seconds, stop):
    """("passed", "failed", "skipped", "timeout" or "stopped", seconds)."""
    environment = {**os.environ, "PEARLITE_FAIL_FAST": "1", **dict(line.split("=", 1) for line in test.environment)}
    environment = changed_environment(environment, test.changes)
    began = time.monotonic()
    # An error may print without end: nobody reads it.
    with subprocess.Popen(test.command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                          preexec_fn=limit_memory) as process:
        try:
            status = status_of(process, limit_seconds, stop)
        finally:
            end_session(process.pid)
    if status is None:
        outcome = "stopped" if stop.is_set() else "timeout"
    else:
        outcome = "passed" if status == 0 else "skipped" if status == test.skip_status else "failed"
    return outcome, time.monotonic() - began
