"""Tools for campaigns of whole runs: numbered cases from a seed, a time limit, a journal to resume from, tables."""

import concurrent.futures
import json
import pathlib
import random
import shlex
import threading
import time


def add_options(parser):
    """Options of all campaigns."""
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="begin no case after so long")
    parser.add_argument("--workers", type=int, default=2, help="cases side by side")
    parser.add_argument("--journal", type=pathlib.Path, help="a line of each case; cases in it are not run again")
    parser.add_argument("--keep", type=pathlib.Path, help="a directory for what failing runs leave")


def draw_of(*words):
    """The random numbers of a case."""
    return random.Random("/".join(map(str, words)))


def describe(error):
    return f"{type(error).__name__}: {error}"


class Journal:
    """Records of cases, each a dict with its "case", in order of their ends."""

    def __init__(self, options):
        self.file, self.records, self.lock = options.journal, [], threading.Lock()
        if self.file and self.file.exists():
            self.records = [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]

    def add(self, record):
        with self.lock:
            self.records.append(record)
            if self.file:
                with self.file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(record) + "\n")

    def cases(self):
        return {record["case"] for record in self.records}


def run_cases(options, journal, run_case, cases, is_enough=lambda: False):
    """run_case(case) gives a record for the journal; cases that it holds are passed over. Returns the seconds."""
    known, began, lock = journal.cases(), time.monotonic(), threading.Lock()
    cases = iter(cases)

    def next_case():
        with lock:
            if is_enough() or (options.minutes and time.monotonic() - began > 60 * options.minutes):
                return None
            return next((case for case in cases if case not in known), None)

    def work():
        while (case := next_case()) is not None:
            journal.add({"case": case, **run_case(case)})

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for worker in [pool.submit(work) for _ in range(options.workers)]:
            worker.result()
    return time.monotonic() - began


def table(head, rows):
    """Lines of a table in Markdown."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (head, ["---"] * len(head), *rows))


def print_failures(journal, command):
    """One line of each failure, with the command that repeats its case."""
    failing = [record for record in journal.records if record["failures"]]
    for record in failing:
        for failure in record["failures"]:
            print(f"\n{command} --only {shlex.quote(str(record['case']))}\n    {failure}")
    return failing
