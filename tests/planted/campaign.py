"""Plants one fault after another and looks for the first test that fails; what was found stays in a file."""

import concurrent.futures
import itertools
import json
import os
import pathlib
import threading
import time

import suite
from drawing import drawn
from project_copy import BuildFailed

LEAST_LIMIT_SECONDS, SLOWER = 60, 3  # a test hangs after so many times the seconds that it took without a fault
NO_FINDING = {"found_by": None, "tier": None, "passed": [], "tiers": [], "build_seconds": 0.0, "test_seconds": 0.0}


class Record:
    """The findings of a campaign so far, in a JSON file that is whole at any time."""

    def __init__(self, file):
        self.file = pathlib.Path(file)
        self.content = {"revision": None, "seed": None, "count": None, "spent_seconds": 0.0, "clean": {}, "faults": {},
                        "stillborn": []}
        if self.file.exists():
            self.content.update(json.loads(self.file.read_text(encoding="utf-8")))

    def __getitem__(self, key):
        return self.content[key]

    def __setitem__(self, key, value):
        self.content[key] = value

    def save(self):
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(self.content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(part, self.file)

    def of(self, fault):
        return self["faults"].setdefault(fault.name, json.loads(json.dumps(NO_FINDING)) | {
            "layer": fault.layer, "file": fault.file, "line": fault.line, "breaks": fault.breaks,
            "find": fault.find, "replace": fault.replace, "by": "program" if fault.line else "hand"})


def in_slots(tests, slots, prepare, start, finish):
    """Runs tests in their order, as many side by side as have room in the slots, each in as many as it has processors:
    prepare(test), then start(test, stop) in a thread, whose answer goes to finish(test, answer). When that is true,
    tests under way are stopped and no more begin."""
    stop, running, free = threading.Event(), {}, slots

    def wait_for_one():
        nonlocal free
        done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in sorted(done, key=list(running).index):
            test, width = running.pop(future)
            free += width
            if not stop.is_set() and finish(test, future.result()):
                stop.set()

    with concurrent.futures.ThreadPoolExecutor(slots) as pool:
        try:
            for test in tests:
                width = min(test.processors, slots)
                while free < width and not stop.is_set():
                    wait_for_one()
                if stop.is_set():
                    break
                prepare(test)
                free -= width
                running[pool.submit(start, test, stop)] = (test, width)
            while running:
                wait_for_one()
        except BaseException:
            stop.set()
            raise


class OutOfTime(Exception):
    """The budget is spent."""


class Campaign:
    def __init__(self, sources, build, record, budget_seconds, slots=1, log=print, run=suite.run):
        self.sources, self.build, self.record, self.log, self.run_test = sources, build, record, log, run
        self.budget_seconds, self.slots = budget_seconds, slots
        self.began, self.spent_before = time.monotonic(), record["spent_seconds"]
        self.tests = []

    def check_time(self):
        self.record["spent_seconds"] = self.spent_before + time.monotonic() - self.began
        if self.record["spent_seconds"] >= self.budget_seconds:
            self.record.save()
            raise OutOfTime

    def use_tests(self, listing):
        self.tests = suite.tests_of(listing, self.build.place, self.build.outputs())

    def restore(self):
        self.sources.restore()
        self.build.restore()

    def measure_clean(self, tier):
        """Runs the tests of a tier without a fault, once: those that fail or skip look for none."""
        def finish(test, answer):
            outcome, seconds = answer
            self.record["clean"][test.name] = {"outcome": outcome, "seconds": round(seconds, 2)}
            self.record.save()
            if outcome != "passed":
                self.log(f"left out: {test.name} {outcome} without a fault")
        longest = 1200
        missing = [test for test in self.tests if test.tier == tier and test.name not in self.record["clean"]]
        in_slots(missing, self.slots, lambda test: self.check_time(),
                 lambda test, stop: self.run_test(test, longest, stop), finish)

    def clean_seconds(self):
        return {name: each["seconds"] for name, each in self.record["clean"].items() if each["outcome"] == "passed"}

    def tests_for(self, fault, tier):
        def depends(test):
            if fault.file.endswith(".py"):
                return suite.runs_python(test, fault.file)
            return self.build.depend(test.outputs, fault.file)
        of_tier = [test for test in self.tests if test.tier == tier]
        return suite.order(of_tier, fault, self.clean_seconds(), depends)

    def attack(self, fault, tier):
        """The tests of a tier against a fault, until one fails. False for a fault that does not compile."""
        result = self.record.of(fault)
        if result["found_by"] or tier in result["tiers"]:
            return True
        self.check_time()
        self.restore()
        self.sources.apply(fault)
        try:
            left = [test for test in self.tests_for(fault, tier) if test.name not in result["passed"]]
            self.try_tests(left, tier, result)
            result["tiers"].append(tier)
        except BuildFailed as failure:
            if not fault.line:
                raise SystemExit(f"{fault.name} does not compile:\n{failure}") from failure
            del self.record["faults"][fault.name]
            self.record["stillborn"].append(fault.name)
            self.log(f"{fault.name}: does not compile, another is drawn")
            return False
        finally:
            self.restore()
            self.record.save()
        self.log(f"{fault.name}: {tier}: " + (f"found by {result['found_by']}" if result["found_by"] else "not found"))
        return True

    def try_tests(self, tests, tier, result):
        built, began = set(), time.monotonic()
        built_before = result["build_seconds"]

        def prepare(test):
            self.check_time()
            if not set(test.outputs) <= built:
                result["build_seconds"] += self.build.build(test.outputs)
                built.update(test.outputs)

        def start(test, stop):
            limit = max(LEAST_LIMIT_SECONDS, SLOWER * self.record["clean"][test.name]["seconds"])
            return self.run_test(test, limit, stop)

        def finish(test, answer):
            outcome, _ = answer
            if outcome in ("failed", "timeout"):
                result.update(found_by=test.name, tier=tier, outcome=outcome)
                return True
            result["passed"].append(test.name)
            self.record.save()
            return False

        try:
            in_slots(tests, self.slots, prepare, start, finish)
        finally:
            of_builds = result["build_seconds"] - built_before
            result["test_seconds"] += max(0.0, time.monotonic() - began - of_builds)

    def run(self, by_hand, seed, count, tiers):
        """All tiers in turn against all faults. True when it came to an end within its budget."""
        try:
            for tier in tiers:
                self.measure_clean(tier)
                for fault in by_hand:
                    self.attack(fault, tier)
                for fault in self.drawn_faults(seed, count):
                    self.attack(fault, tier)
            return True
        except OutOfTime:
            self.log(f"the budget of {self.budget_seconds / 60:.0f} minutes is spent; `run` with a larger one goes on")
            return False

    def drawn_faults(self, seed, count):
        """The first `count` drawn faults that compile. Whether one does is known after attack()."""
        compiling = (fault for fault in drawn(self.sources.place, seed) if fault.name not in self.record["stillborn"])
        given = 0
        while given < count:
            fault = next(compiling)
            yield fault
            given += fault.name not in self.record["stillborn"]


def first_drawn(root, seed, count):
    return list(itertools.islice(drawn(root, seed), count))
