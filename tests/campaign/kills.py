"""The campaign of kills: runs of all algorithms are killed at all moments in all ways, and resumed on other numbers of
ranks until they are done.

usage: kills.py [--seed S] [--kills N] [--minutes M] [--only CASE] [--job NAME] [--journal FILE] [--keep DIR]

A case is one run with three to eight lives that end by a kill, and a last one that finishes it. Its number decides all
choices: the job, the ranks of each life (1 to 7), the moment (any time; after a checkpoint; within the writing of a
checkpoint or of results) and the victims (all; one rank; mpirun alone; all, stopped by SIGSTOP first; all, one of them
stopped first). --only repeats a case; where exactly the kill lands within the moment is the machine's choice.

Required of each case:
  * the results are those of a run left alone, to the byte, and no temporary file is left;
  * each checkpoint under its final name after a kill is whole (`pearlite show` confirms its checksum), and the next
    life continues from the newest one without skipping any;
  * results.h5 and summary.json are whole where they are, and a run killed before its first checkpoint is refused;
  * ranks end without their mpirun, and without one of them, within a minute;
  * the work lost by a kill, which is the time from the newest checkpoint's appearance, or from the line of the log by
    which the life began from it if that is later, to the signal, is at most checkpoint_every + a step + the time to
    write a checkpoint + 0.02 s, between two looks at the clock. A step is the longest mean between two checkpoints of
    this life, or of a life of this job on as many ranks before it; the writing is the longest of this life, or that
    which the kill broke off. The time for which ranks waited for a core counts for nothing, by the kernel's books of
    the rank that waited longest; the table says how many kills needed that on a busy machine. Once the writing of
    results has begun there is no more work to lose: the newest checkpoint is that of the finished run.
Exit status 1 if any of this failed.
"""

import argparse
import collections
import contextlib
import hashlib
import itertools
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import campaign
import killed_jobs
import killed_runs
import pearlite_runner as runner

RANKS = (1, 2, 3, 4, 5, 6, 7)
RANK_WEIGHTS = (3, 3, 2, 2, 1, 1, 1)  # seven ranks on two cores take their time
LIVES = (3, 8)
LOOK_AT_THE_CLOCK = 0.02  # seconds between two looks, or a step if that is longer
DELAYS = {killed_runs.ANY_TIME: 1.5, killed_runs.AFTER: 0.3, killed_runs.WRITING: 0.006, killed_runs.RESULTS: 0.002}
WEIGHTS = {killed_runs.ANY_TIME: 1, killed_runs.AFTER: 2, killed_runs.WRITING: 3}
TIMEOUT = 600


def findings(directory):
    """Findings of a finished run, with a hash of every other file that it wrote for its user."""
    found = runner.findings(directory)
    of_the_program = ("summary.json", "run.log", "run.id", "run.lock")
    others = [file for file in sorted(directory.iterdir())
              if file.name not in of_the_program and not killed_runs.CHECKPOINT.fullmatch(file.name)]
    found["files"] = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in others}
    return found


class References:
    """The results of each job without a kill."""

    def __init__(self, directory):
        self.directory, self.lock, self.found, self.locks = directory, threading.Lock(), {}, {}

    def of(self, name):
        """The configuration, the findings, the names of the files of results, and of the last checkpoint."""
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self.found:
                file = killed_jobs.write(self.directory, name, killed_jobs.JOBS[name])
                where = file.with_suffix(".alone")
                ended = runner.pearlite("run", file, "-o", where, ranks=2, timeout=TIMEOUT)
                if ended.status != runner.FINISHED:
                    raise AssertionError(f"{name}, left alone: {ended.describe()}")
                names = [name for name in killed_runs.RESULT_FILES if (where / name).exists()]
                self.found[name] = file, findings(where), names, runner.checkpoints(where)[0].name
            return self.found[name]


class Steps:
    """The longest step of each job on each number of ranks, as far as it has been seen."""

    def __init__(self):
        self.seen, self.lock = {}, threading.Lock()

    def note(self, job, ranks, seconds):
        with self.lock:
            if seconds:
                self.seen[job, ranks] = max(seconds, self.seen.get((job, ranks), 0.0))
            return self.seen.get((job, ranks))


def longest_step(life, resumed_step):
    """The longest mean step between two checkpoints of a life, in seconds; 0 if it wrote fewer than two."""
    marks = [(life.began, resumed_step, 0)] if life.resumed_from else []
    means = [0.0]
    for (then, before, _), (now, after, writing) in zip(marks + life.commits, (marks + life.commits)[1:]):
        # A pilot's numbers and the run's are far apart: there is one step between them at least.
        steps = after - before if after - before < 1_000_000_000 else 1
        if steps > 0 and now > then:
            means.append((now - writing - then) / steps)
    return max(means)


def job_of(seed, number):
    """Each once, in random order, then each again."""
    jobs = list(killed_jobs.JOBS)
    return campaign.draw_of("jobs", seed, number // len(jobs)).sample(jobs, len(jobs))[number % len(jobs)]


class Case:
    """One run, killed again and again."""

    def __init__(self, options, number, references, steps, directory):
        self.number, self.steps = number, steps
        self.draw = campaign.draw_of("kills", options.seed, number)
        self.job = options.job or job_of(options.seed, number)
        self.references = references
        self.configuration, self.expected, self.results, self.last = None, None, (), ""
        self.where = directory / f"case-{number}"
        self.failures, self.kills, self.log = [], [], []

    def fail(self, kind, text):
        self.failures.append(f"{kind}: {self.job}, case {self.number}: {text}")

    def choose_ranks(self):
        return self.draw.choices(RANKS, RANK_WEIGHTS)[0]

    def choices(self, is_last):
        """The last two lives wait for the results. If a kill comes too late there, the case ends."""
        moment = killed_runs.RESULTS if is_last else self.draw.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        return killed_runs.Choices(
            self.choose_ranks(), moment, self.draw.choice(killed_runs.VICTIMS),
            self.draw.uniform(0, DELAYS[moment]) * self.draw.randint(0, 1), self.draw.choice(self.results),
            self.draw.uniform(0.02, 0.3))

    def arguments(self):
        if runner.checkpoints(self.where):
            return "resume", self.where
        return "run", self.configuration, "-o", self.where, "--overwrite"

    def live(self, is_last):
        """One life; False if the run finished."""
        choices, arguments = self.choices(is_last), self.arguments()
        before = [file.name for file in runner.checkpoints(self.where)]
        life = killed_runs.live(arguments, self.where, choices, self.draw)
        described = f"{arguments[0]} on {choices.ranks} ranks, {choices.victims}, {choices.moment} ({choices.file})"
        self.log.append(f"{described}: {'killed' if life.killed else 'ended'} after {life.seconds:.2f} s, "
                        f"left {life.within}, was at {[step for _, step, _ in life.commits][-1:]}")
        if life.agony:
            self.fail("outlived", f"{described}: ranks live {killed_runs.LONGEST_AGONY} s later")
        self.look_at_log(life.log, before, described)
        if life.ended and life.ended.status != runner.FINISHED:
            self.fail("status", f"{described}: {life.ended.describe()}")
        self.look_at_files(described, before)
        if life.killed:
            self.kills.append(self.kill_record(choices, life))
        return life.killed

    def look_at_log(self, added, before, described):
        """Checks that the life continued from the newest checkpoint."""
        if "passed over" in added:
            self.fail("torn", f"{described}: {added}")
        resumed = killed_runs.RESUMED.search(added)
        if before and resumed and resumed.group(1) != before[0]:
            self.fail("lost", f"{described}: went on from {resumed.group(1)}, the newest was {before[0]}")

    def look_at_files(self, described, before):
        """Checks that all files under their final names are whole, and that no checkpoint is lost."""
        after = [file.name for file in runner.checkpoints(self.where)]
        if before and (not after or after[0] < before[0]):
            self.fail("lost", f"{described}: the newest checkpoint was {before[0]}, now there are {after}")
        for name in after + ["results.h5"]:
            if (self.where / name).exists() and name not in before and not killed_runs.is_whole(self.where / name):
                self.fail("torn", f"{described}: {name} is not whole")
        summary = self.where / "summary.json"
        if summary.exists():
            try:
                status = json.loads(summary.read_text(encoding="utf-8"))["status"]
            except (ValueError, KeyError) as error:
                self.fail("torn", f"{described}: summary.json: {error}")
            else:
                if status != "finished":
                    self.fail("status", f"{described}: summary.json says {status}")

    def kill_record(self, choices, life):
        """The record of a kill: its moment and victims, and the work that it lost."""
        record = {"moment": choices.moment, "victims": choices.victims, "ranks": choices.ranks,
                  "within": len(life.within)}
        resumed_step = killed_runs.step_of(pathlib.Path(life.resumed_from)) if life.resumed_from else 0
        step = self.steps.note(self.job, choices.ranks, longest_step(life, resumed_step))
        newest = max(life.commits[-1][0] if life.commits else 0, life.began)
        if not newest:
            return record  # killed before it had begun: nothing is lost
        if life.finishing:
            found = runner.checkpoints(self.where)[0].name
            if found != self.last:
                self.fail("lost", f"{choices}: the newest checkpoint is {found}, that of the finished run {self.last}")
            return record | {"lost": 0.0, "verdict": "finished before"}
        writing = max([life.writing, *(seconds for _, _, seconds in life.commits)])
        lost = max(0.0, life.died - newest)
        over = lost - killed_jobs.CHECKPOINT_EVERY[self.job] - writing - LOOK_AT_THE_CLOCK
        record |= {"lost": lost, "step": step, "writing": writing, "waited": life.waited}
        if step is None:
            record["verdict"] = "step unknown" if over > life.waited else "in time"
        else:
            over -= 2 * step if step < LOOK_AT_THE_CLOCK else step
            record["verdict"] = "in time" if over <= 0 else "in time but for waiting" if over <= life.waited else "late"
            if record["verdict"] == "late":
                self.fail("late", f"{choices}: {record}")
        return record

    def finish(self):
        ranks = self.choose_ranks()
        if not runner.checkpoints(self.where):
            self.where.mkdir(exist_ok=True)
            refused = runner.pearlite("resume", self.where, ranks=ranks, timeout=TIMEOUT)
            if refused.status != runner.BAD_INPUT:
                self.fail("status", f"resumed without a checkpoint: {refused.describe()}")
        before = [file.name for file in runner.checkpoints(self.where)]
        began = len(self.text_of_log()) if before else 0
        ended = runner.pearlite(*self.arguments(), ranks=ranks, timeout=TIMEOUT)
        if ended.status != runner.FINISHED:
            self.fail("status", f"the last life, on {ranks} ranks: {ended.describe()}")
        self.look_at_log(self.text_of_log()[began:], before, "the last life")

    def text_of_log(self):
        log = self.where / "run.log"
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    def run(self):
        self.configuration, self.expected, self.results, self.last = self.references.of(self.job)
        lives = self.draw.randint(*LIVES)
        while len(self.kills) < lives and self.live(len(self.kills) >= lives - 2):
            pass
        if runner.summary(self.where).get("status") != "finished":
            self.finish()
        found = findings(self.where)
        if found != self.expected:
            keys = [key for key in found if found[key] != self.expected[key]]
            self.fail("digest", f"other {', '.join(keys)}: {found['files']} for {self.expected['files']}")
        if left := killed_runs.temporary_files(self.where):
            self.fail("litter", f"{left} are left")


def run_case(options, number, references, steps, directories):
    # Most in memory: it is the program that is under test, not the disk.
    directory = directories[campaign.draw_of("place", options.seed, number).random() < 0.0625]
    case = Case(options, number, references, steps, directory)
    began = time.monotonic()
    try:
        case.run()
    except (runner.Hang, AssertionError, OSError) as error:
        case.fail("hang" if isinstance(error, runner.Hang) else "error", campaign.describe(error))
    if case.failures:
        print("\n".join([*case.failures, *case.log]), file=sys.stderr, flush=True)
        if options.keep:
            shutil.copytree(case.where, options.keep / case.where.name, dirs_exist_ok=True)
    shutil.rmtree(case.where, ignore_errors=True)
    return {"job": case.job, "kills": case.kills, "failures": case.failures, "log": case.log if case.failures else [],
            "seconds": time.monotonic() - began}


def report(options, journal, seconds):
    kills = [dict(kill, job=record["job"]) for record in journal.records for kill in record["kills"]]
    jobs = collections.Counter(kill["job"] for kill in kills)
    failed = collections.Counter(
        failure.partition(":")[0] for record in journal.records for failure in record["failures"])
    judged = [kill for kill in kills if "lost" in kill]
    rows = [["runs", len(journal.records)], ["kills", len(kills)]]
    kinds = {"moment": killed_runs.MOMENTS, "victims": killed_runs.VICTIMS, "ranks": RANKS}
    for what, values in kinds.items():
        rows += [[f"{what}: {value}", sum(kill[what] == value for kill in kills)] for value in values]
    rows += [["that left a file half written", sum(kill["within"] > 0 for kill in kills)],
             ["before any work", len(kills) - len(judged)]]
    rows += [[f"work lost: {verdict}", sum(kill["verdict"] == verdict for kill in judged)]
             for verdict in ("in time", "in time but for waiting", "step unknown", "finished before", "late")]
    every = killed_jobs.CHECKPOINT_EVERY
    lost = sorted(kill["lost"] - every.get(kill["job"], 0) for kill in judged if kill["verdict"] != "finished before")
    if lost:
        rows += [[f"work lost beyond checkpoint_every, {name}", f"{lost[int(share * (len(lost) - 1))]:.3f} s"]
                 for name, share in (("median", 0.5), ("95 %", 0.95), ("most", 1))]
    rows += [[f"failed: {kind}", failed[kind]] for kind in
             ("digest", "torn", "lost", "late", "outlived", "litter", "status", "hang", "error")]
    print(campaign.table(["kills", "number"], rows))
    print("\n" + campaign.table(["job", "algorithm", "runs", "kills"], [
        [name, tables["algorithm"]["name"], sum(record["job"] == name for record in journal.records), jobs[name]]
        for name, tables in killed_jobs.JOBS.items()]))
    print(f"\nseed {options.seed}, {seconds:.0f} s of this call")
    return campaign.print_failures(journal, f"kills.py --seed {options.seed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    campaign.add_options(parser)
    parser.add_argument("--kills", type=int, metavar="N", help="begin no case after so many, 1000 without --minutes")
    parser.add_argument("--only", type=int, metavar="CASE", help="repeat this case alone")
    parser.add_argument("--job", choices=killed_jobs.JOBS, help="this job alone")
    options = parser.parse_args()
    wanted = options.kills or (1000 if options.minutes is None else None)
    journal, steps = campaign.Journal(options), Steps()

    def is_enough():
        return wanted is not None and sum(len(record["kills"]) for record in journal.records) >= wanted

    with contextlib.ExitStack() as stack:
        memory = stack.enter_context(runner.scratch_directory())
        disk = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pearlite-")))
        references = References(memory)
        cases = itertools.count() if options.only is None else [options.only]
        seconds = campaign.run_cases(
            options, journal, lambda case: run_case(options, case, references, steps, (memory, disk)), cases, is_enough)
    return 1 if report(options, journal, seconds) else 0


if __name__ == "__main__":
    sys.exit(main())
