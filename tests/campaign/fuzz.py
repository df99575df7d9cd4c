"""The fuzz campaign in full: every kind of input, mutated by seed and then guided by coverage, under both sanitizers.

usage: fuzz.py BUILD [KIND ...] [--seed S] [--runs N] [--jobs J] [--guided SECONDS] [--limit SECONDS] [--failures DIR]
               [--report FILE]

BUILD is the directory of a build by the preset `fuzz` (cmake --build --preset fuzz), which this program does not make.
--runs is the number of seeded mutations of each kind, "configuration=1000000,checkpoint=10000,100000" for some kinds and
all others; J programs, with seeds from S on, share them. --guided is the time of libFuzzer for each kind. The
report is a table in Markdown, a row a kind. Exit status 1 if an input crashed the program, hung, or ended with
another status than 0 and 2; such inputs are kept in the directory of failures, and `campaign_fuzz KIND --input FILE`
tries one again.
"""

import argparse
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

HEAD = ["kind", "inputs tried", "accepted", "refused", "other status", "crashes", "hangs", "coverage edges", "seconds"]
COUNTS = re.compile(r"(\d+) tried +(\d+) accepted +(\d+) refused +(\d+) other status +(\d+) crashes +(\d+) hangs")
ENVIRONMENT = {
    # Huge allocations fail, as on a real machine. Inputs are small, so that a quarantine of one megabyte holds all
    # freed memory. Stacks of allocations are printed only when a failing input is tried again: half the time of the
    # defaults.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048:handle_abort=1:"
                    "malloc_context_size=1:quarantine_size_mb=1:"
                    f"suppressions='{pathlib.Path(__file__).parent.resolve() / 'fuzz' / 'address.supp'}'",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PEARLITE_DATA_DIR": "",
} | ({"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK) else {})  # an input is a file that need not last


class Row:
    """Counts of a kind, the sum of what its programs report."""

    def __init__(self, kind):
        self.kind, self.accepted, self.refused, self.other, self.crashes, self.hangs = kind, 0, 0, 0, 0, 0
        self.edges, self.began, self.failures = 0, time.monotonic(), []

    def add(self, accepted, refused, other, crashes, hangs):
        self.accepted, self.refused, self.other = self.accepted + accepted, self.refused + refused, self.other + other
        self.crashes, self.hangs = self.crashes + crashes, self.hangs + hangs

    def failed(self):
        return self.other + self.crashes + self.hangs

    def cells(self):
        tried = self.accepted + self.refused + self.failed()
        return [self.kind, tried, self.accepted, self.refused, self.other, self.crashes, self.hangs, self.edges or "",
                round(time.monotonic() - self.began)]


def program(options, name):
    found = sorted(options.build.glob(f"**/{name}"))
    if not found:
        sys.exit(f"fuzz.py: {options.build}: there is no {name}, expected a build by `cmake --build --preset fuzz`")
    return found[0]


def seeded(options, row, runs):
    def begin(job):
        count = (runs + job) // options.jobs
        command = [program(options, "campaign_fuzz"), row.kind, "--seed", options.seed + job, "--count", count,
                   "--limit", options.limit, "--failures", options.failures]
        return subprocess.Popen([str(word) for word in command], env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
    for job in [begin(job) for job in range(options.jobs)]:
        output, _ = job.communicate()
        counts = COUNTS.search(output)
        if not counts:
            sys.exit(f"fuzz.py: {row.kind}: no counts, but exit status {job.returncode}, in\n{output}")
        row.add(*map(int, counts.groups()[1:]))
        row.failures += [line.strip() for line in output.splitlines() if line.startswith("    ")]


def artifacts(options):
    return set(options.failures.glob("*"))


def guided(options, row, scratch):
    """libFuzzer ends at the first failure: it is started again with another seed until the time is over."""
    corpus, tally = scratch / row.kind, scratch / f"{row.kind}.tally"
    subprocess.run([program(options, "campaign_fuzz"), row.kind, "--seeds", corpus], env=os.environ | ENVIRONMENT,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    end, seed = time.monotonic() + options.guided, options.seed
    while (left := int(end - time.monotonic())) > 0:
        before = artifacts(options)
        command = [program(options, "campaign_fuzzer"), f"--kind={row.kind}", f"--tally={tally}", f"-seed={seed}",
                   f"-max_total_time={left}", f"-timeout={options.limit}", "-rss_limit_mb=3000", "-malloc_limit_mb=4000",
                   "-max_len=65536", f"-artifact_prefix={options.failures / row.kind}-", "-close_fd_mask=3", corpus]
        done = subprocess.run([str(word) for word in command], env=os.environ | ENVIRONMENT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        row.edges = max([row.edges, *map(int, re.findall(r"cov: (\d+)", done.stderr))])
        new = artifacts(options) - before
        row.failures += [f"guided: {file}" for file in new]
        is_hang = any("timeout-" in file.name for file in new)
        row.add(0, 0, 0, int(done.returncode != 0 and not is_hang), int(is_hang))
        seed += 1
    accepted, refused, other, _ = struct.unpack("4q", tally.read_bytes()[:32])
    row.add(accepted, refused, other, -other, 0)  # what failed by its status has ended libFuzzer, too


def runs_of(text, kind):
    """The number of runs of a kind in "a=3,b=4,5"."""
    named = dict(part.split("=") for part in text.split(",") if "=" in part)
    others = [int(part) for part in text.split(",") if "=" not in part]
    return int(named.get(kind, others[-1] if others else 0))


def table(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row.cells())) + " |" for row in rows]) + "\n"


def parse():
    parser = argparse.ArgumentParser(description="Runs the fuzz campaign.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", default="1000")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--guided", type=float, default=0)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--failures", type=pathlib.Path, default=pathlib.Path("fuzz-failures"))
    parser.add_argument("--report", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = parse()
    options.failures.mkdir(parents=True, exist_ok=True)
    kinds = subprocess.run([program(options, "campaign_fuzz"), "--list"], env=os.environ | ENVIRONMENT, capture_output=True,
                           text=True, check=True).stdout.split()
    unknown = set(options.kinds) - set(kinds)
    if unknown:
        sys.exit(f"fuzz.py: no kinds {', '.join(sorted(unknown))}; expected some of {', '.join(kinds)}")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for kind in options.kinds or kinds:
            row = Row(kind)
            runs = runs_of(options.runs, kind)
            if runs > 0:
                seeded(options, row, runs)
            if options.guided > 0:
                guided(options, row, pathlib.Path(scratch))
            print("| " + " | ".join(map(str, row.cells())) + " |", *row.failures, sep="\n    ", flush=True)
            rows.append(row)
            if options.report:
                options.report.write_text(table(rows), encoding="utf-8")
    return 1 if any(row.failed() for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
