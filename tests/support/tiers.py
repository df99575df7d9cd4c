"""Tiers of tests: what to build and run for an edit, and how a run of a tier closes.

usage: tiers.py select BUILD PATTERN        shell variables for tests/run.sh --layer PATTERN
       tiers.py close TIER JUNIT            time, dearest tests, a warning past the budget

`select` takes the tests with the label PATTERN (a regular expression). Without such a label, it takes tests whose name
or label contains PATTERN, test suites in C++ whose file has PATTERN in its name, by a filter, and rows of the golden
table of that algorithm or model. Only the programs that these tests need are built.

`close` reads CTest's JUnit file. A budget is in seconds of the reference machine on two cores: a fixed loop, timed here,
says how much slower this machine is, so that a slow machine is not warned.
"""

import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree

from build_outputs import needed_outputs, outputs_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUDGETS = {"quick": 240, "full": 1200}  # seconds of the tests of a tier
LOOP_SECONDS = 0.04  # reference_loop() on the reference machine
DEAREST = 5


def tests_of(build):
    """Every CTest test of the build: name, labels, words of its command and its environment."""
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True,
                             text=True).stdout
    for test in json.loads(listing)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test["properties"]}
        yield {"name": test["name"], "labels": properties.get("LABELS", []), "command": test.get("command", []),
               "environment": properties.get("ENVIRONMENT", [])}


def suites_of(pattern, tests=ROOT / "tests"):
    """{layer executable: [suite]} of test files with the pattern in their names."""
    found = {}
    for file in sorted(tests.glob("*/*_test.cpp")):
        if re.search(pattern, file.stem):
            suites = re.findall(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
            executable = file.parent.name + ("_mpi" if file.stem.endswith("_mpi_test") else "")
            found.setdefault(executable, []).extend(dict.fromkeys(suites))
    return found


def selection(tests, pattern, suites, build, outputs):
    """(names of tests, targets to build, GoogleTest filter)."""
    tests = [test for test in tests if "long" not in test["labels"]]
    chosen = [test for test in tests if any(re.fullmatch(pattern, label) for label in test["labels"])]
    suite_filter = ""
    if not chosen:
        chosen = [test for test in tests
                  if any(re.search(pattern, word) for word in (test["name"], *test["labels"]))]
        by_file = [test for test in tests if re.sub(r"_\d+$", "", test["name"]) in suites and test not in chosen]
        names = dict.fromkeys(suite for executable in suites.values() for suite in executable)
        suite_filter = ":".join(f"{name}.*:*/{name}.*:{name}/*" for name in names) if by_file else ""
        chosen += by_file + [test for test in tests if test["name"] == "golden" and test not in chosen]
    targets = {target for test in chosen
               for target in needed_outputs([*test["command"], *test["environment"]], build, outputs)}
    return [test["name"] for test in chosen], ["all"] if "all" in targets else sorted(targets), suite_filter


def select(build, pattern):
    names, programs, suite_filter = selection(list(tests_of(build)), pattern, suites_of(pattern), build, outputs_of(build))
    if not names:
        sys.exit(f"no test and no label matches {pattern!r}: `ctest --test-dir {build} -N` lists the tests")
    print(f"layer_tests={shlex.quote('^(' + '|'.join(map(re.escape, names)) + ')$')}")
    print(f"layer_programs={shlex.quote(' '.join(programs))}")
    if suite_filter:
        print(f"export GTEST_FILTER={shlex.quote(suite_filter)}")
        print(f"export PEARLITE_GOLDEN_ROWS={shlex.quote(f'*{pattern}*')}")


def reference_loop():
    """Seconds of a fixed piece of work on one core, the least of five."""
    def once():
        began = time.perf_counter()
        digest = b""
        for number in range(120_000):
            digest = hashlib.sha256(digest + number.to_bytes(8, "little")).digest()
        return time.perf_counter() - began
    return min(once() for _ in range(5))


def closing(tier, cases, slowness, cores):
    """Lines that close a tier; `cases` are pairs of a test's name and its seconds."""
    seconds = dict(cases)
    total = seconds.pop("", sum(seconds.values()))
    lines = [f"{tier}: {len(seconds)} tests, {total:.0f} s; a reference loop took {slowness:.2f} times its usual time"]
    dearest = sorted(seconds.items(), key=lambda item: -item[1])[:DEAREST]
    lines.append("dearest: " + ", ".join(f"{name} {spent:.0f} s" for name, spent in dearest))
    budget = BUDGETS.get(tier)
    here = budget and budget * slowness * max(1, 2 / cores)
    if budget and total > here:
        lines.append(f"WARNING: the tests of the {tier} tier are past their budget of {budget} s ({here:.0f} s on this "
                     "machine): move or shorten the dearest (docs/CONTRIBUTING.md)")
    return lines


def close(tier, junit):
    suite = xml.etree.ElementTree.parse(junit).getroot()
    cases = [(case.get("name"), float(case.get("time") or 0)) for case in suite.iter("testcase")]
    if suite.get("time"):
        cases.append(("", float(suite.get("time"))))
    print("\n".join(closing(tier, cases, reference_loop() / LOOP_SECONDS, os.cpu_count() or 1)))


def main():
    match sys.argv[1:]:
        case ["select", build, pattern]:
            select(pathlib.Path(build).resolve(), pattern)
        case ["close", tier, junit]:
            close(tier, junit)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
