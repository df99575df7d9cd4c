"""One life of a run: it is started or resumed, and killed at a chosen moment in a chosen way."""

import contextlib
import os
import pathlib
import re
import signal
import time
import typing

import directory_watch
import pearlite_runner as runner

ANY_TIME, AFTER, WRITING, RESULTS = "any time", "after a checkpoint", "within a checkpoint", "within the results"
MOMENTS = (ANY_TIME, AFTER, WRITING, RESULTS)
ALL, ONE, LAUNCHER, STOPPED, ONE_STOPPED = "all", "one rank", "mpirun", "all, stopped first", "all, one stopped first"
VICTIMS = (ALL, ONE, LAUNCHER, STOPPED, ONE_STOPPED)
RESULT_FILES = ("results.h5", "posterior.nc", "summary.json")
LONGEST_LIFE = 300      # seconds; then the run hangs
LONGEST_AGONY = 60      # seconds from the death of a rank, or of mpirun, to that of the last rank, on a busy machine

CHECKPOINT = re.compile(r"checkpoint\.(\d+)\.h5")
RESUMED = re.compile(r"resumed from (\S+) at step")


def temporary_files(directory):
    return [name for name in os.listdir(directory) if ".tmp" in name] if directory.is_dir() else []


def step_of(checkpoint):
    """The number in the name of a checkpoint, which grows by one with each step; a pilot's are below all others."""
    return int(CHECKPOINT.fullmatch(checkpoint.name).group(1))


def is_whole(file):
    """Whether `pearlite show` accepts a container file: its stamp, its length and its checksum."""
    ended = runner.pearlite("show", file, timeout=120)
    return ended.status == runner.FINISHED and "checksum ok" in ended.out.splitlines()[0]


def waits(pids):
    """{pid: seconds} that the processes have been ready to run without a core to run on."""
    found = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            found[pid] = int(pathlib.Path("/proc", str(pid), "schedstat").read_text(encoding="ascii").split()[1]) * 1e-9
    return found


class Choices(typing.NamedTuple):
    """How a life ends. `delay` is in seconds from its start or from the event that defines the moment."""

    ranks: int
    moment: str
    victims: str
    delay: float
    file: str = "results.h5"  # whose writing is waited for, if the moment is RESULTS
    pause: float = 0.1        # between SIGSTOP and SIGKILL


class Life(typing.NamedTuple):
    """The record of a life."""

    killed: bool               # it ended by the kill, not before
    agony: bool                # the ranks outlived a rank, or mpirun, for longer than they may
    seconds: float             # from its start to the kill
    died: float                # time.time() of the kill
    within: list               # temporary files at its end
    log: str                   # what it added to the log
    resumed_from: str          # the checkpoint, by the log; empty if it did not come so far
    began: float               # time.time() at which it had made or read its first checkpoint, or 0
    commits: list              # (time, step, seconds that it took to write) of each checkpoint of this life
    writing: float             # seconds for which a checkpoint was being written when the kill came
    waited: float              # seconds without a core, of the rank that waited longest, since the last commit
    finishing: bool            # the writing of results had begun
    ended: object              # what became of a run that ended before


class _Observer:
    """Follows the files of a directory, and how long the ranks have waited for cores at each checkpoint."""

    def __init__(self, where, program):
        self.watch, self.program = directory_watch.DirectoryWatch(where), program
        self.ranks, self.started, self.commits, self.waited, self.finishing = [], {}, [], {}, False

    def look_up(self):
        self.ranks = sorted(self.program.ranks().values())
        self.waited = waits(self.ranks)
        return self.ranks

    def note(self, event):
        """Records an event; to be called with all events in order."""
        name = CHECKPOINT.search(event.name)
        self.finishing |= any(result in event.name for result in RESULT_FILES) and event.what == directory_watch.CREATED
        if name and event.what == directory_watch.CREATED and ".tmp" in event.name:
            self.started[name.group()] = event.seconds
        if name and event.what == directory_watch.MOVED_HERE:
            begun = self.started.pop(name.group(), event.seconds)
            self.commits.append((event.seconds, int(name.group(1)), event.seconds - begun))
            self.waited = waits(self.ranks)

    def wait_for(self, condition, seconds):
        def noted(event):
            self.note(event)
            return condition(event)
        return self.watch.wait_for(noted, seconds, self.program.running)

    def sleep(self, seconds):
        self.wait_for(lambda event: False, seconds)

    def committed(self):
        def is_commit(event):
            return event.what == directory_watch.MOVED_HERE and CHECKPOINT.fullmatch(event.name)
        return self.wait_for(is_commit, LONGEST_LIFE)

    def writing_begins(self, name):
        def is_beginning(event):
            return event.what == directory_watch.CREATED and name in event.name and ".tmp" in event.name
        return self.wait_for(is_beginning, LONGEST_LIFE)


def _await_moment(observer, choices):
    """Returns at the moment of the kill. It looks up processes before, since that would take too long then."""
    if choices.moment == ANY_TIME:
        observer.sleep(choices.delay)
        observer.look_up()
        return
    if choices.moment == RESULTS:
        # Each process is there before anything is in the directory.
        observer.wait_for(lambda event: True, LONGEST_LIFE)
        observer.look_up()
        observer.writing_begins(choices.file)
    else:
        # Each life gets at least one step further, or there would be no end.
        observer.committed()
        observer.look_up()
        if choices.moment == WRITING:
            observer.writing_begins("checkpoint.")
    observer.sleep(choices.delay)


def _kill(program, ranks, choices, draw):
    """Returns the time of the first signal, and whether ranks outlived for too long what they depend on."""
    everyone = [program.launcher, *ranks]
    draw.shuffle(everyone)
    died = time.time()
    if choices.victims == STOPPED:
        program.send(signal.SIGSTOP, *everyone)
        time.sleep(choices.pause)
    elif choices.victims == ONE_STOPPED and ranks:
        program.send(signal.SIGSTOP, draw.choice(ranks))
        time.sleep(choices.pause)
    elif choices.victims in (ONE, LAUNCHER) and ranks:
        program.send(signal.SIGKILL, draw.choice(ranks) if choices.victims == ONE else program.launcher)
        # mpirun ends the others, and they end without it. It may stay itself, if the rank died while it was connecting
        # (Open MPI 4.1).
        return died, not runner.wait_until(lambda: not program.ranks(), timeout=LONGEST_AGONY, pause=0.02)
    program.send(signal.SIGKILL, *everyone)
    return died, False


def live(arguments, where, choices, draw):
    """One life in the directory `where`, which is made if it is not there."""
    where.mkdir(exist_ok=True)
    log = where / "run.log"
    before = log.read_text(encoding="utf-8") if log.exists() and arguments[0] == "resume" else ""
    with runner.Program(*arguments, ranks=choices.ranks) as program:
        observer = _Observer(where, program)
        with observer.watch:
            _await_moment(observer, choices)
            ended = None if program.running() else program.wait(0)
            now = waits(observer.ranks)
            waited = max((now[pid] - observer.waited.get(pid, 0) for pid in now), default=0.0)
            died, agony = _kill(program, observer.ranks, choices, draw)
            program.kill_all()
            for event in observer.watch.wait(0):
                observer.note(event)
        seconds = time.monotonic() - program.started
    added = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    added = added[len(before):] if added.startswith(before) else added
    resumed = RESUMED.search(added)
    began = observer.commits[0][0] if observer.commits else 0
    if resumed:
        began = _time_of_line(log, added)
    killed = ended is None and runner.summary(where).get("status") != "finished"
    writing = max((died - begun for begun in observer.started.values()), default=0.0)
    return Life(killed, agony, seconds, died, temporary_files(where), added, resumed.group(1) if resumed else "", began,
                observer.commits, writing, waited, observer.finishing, ended)


def _time_of_line(log, added):
    """When the line of a resumed run was written: the file's time if it is the last, else the line's, to 1 s."""
    lines = added.splitlines()
    if len(lines) == 1:
        return log.stat().st_mtime
    line = next(line for line in lines if RESUMED.search(line))
    return time.mktime(time.strptime(line[:19], "%Y-%m-%d %H:%M:%S")) + 1
