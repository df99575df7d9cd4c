"""Measures the numbers of files again: `measured.py measure NAME...`.

A file whose kind is `table` may have `runs`, a list of
  {"command": "pearlite run jobs/ising.toml", "row": 1, "cells": {"estimate": "{headline.value:.3f} ± ..."}, "ranks": 2}
Each command runs in an empty directory (paths of jobs are those of the checkout), and its numbers fill the cells of the
row. Braces hold a number of summary.json by its name, as sweeps call it, and a format: {log_evidence.bar.log_ratio.value:.2f}.
{z(-2.3026):+.1f} is the headline's deviation from a known number in standard errors, {z(-2.3026, NAME):+.1f} that of
another estimate, and {seconds:.0f} the wall time; of a sweep, {k.log_evidence.product.log_ratio.value.mean:.2f} is a column of settings.csv of setting k. Other rows of the file
stay, and keep the revision of their jobs. A file of the kind `block` runs the shell blocks that stand above it in its page.
"""

import csv
import datetime
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time

import measured

NUMBER = re.compile(r"\b[0-9a-f]{64}\b|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\bnan\b")
FIELD = re.compile(r"\{([^{}]+):([^{}:]*)\}")
SOURCES = ("src", "include", "drivers", "cmake", "CMakeLists.txt")


def flat(value, name=""):
    """{dotted name: number or text} of a summary. Entries of lists are named by what they say they are, else counted."""
    if isinstance(value, dict):
        found = {}
        for key, each in value.items():
            found |= flat(each, f"{name}.{key}" if name else key)
        return found
    if not isinstance(value, list):
        return {name: value}
    found = {}
    for k, each in enumerate(value):
        keys = [str(each[key]) for key in ("estimator", "quantity", "name") if isinstance(each, dict) and key in each]
        label = ".".join([name, *(keys or [str(k)])])
        if any(other.startswith(f"{label}.") for other in found):
            label += f".{each.get('error_method', k)}"
        found |= flat(each, label)
    return found


def filled(template, numbers):
    def text(match):
        name = match[1]
        if known := re.fullmatch(r"z\(([-+\d.e]+)(?:, (\S+))?\)", name):
            estimate = known[2] or "headline"
            value = (numbers[f"{estimate}.value"] - float(known[1])) / numbers[f"{estimate}.standard_error"]
        else:
            value = numbers[name]
        return format(value, match[2])
    return FIELD.sub(text, template)


def numbers_of_run(directory, seconds):
    """(numbers, digest) of a run or of a sweep."""
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    numbers = flat(summary) | {"seconds": seconds}
    settings = directory / "settings.csv"
    if settings.exists():
        with settings.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                for column, value in row.items():
                    try:
                        numbers[f"{row['setting']}.{row['scalar']}.{column}"] = float(value)
                    except ValueError:
                        continue
    return numbers, summary.get("digest")


def masked(line):
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def lines_again(lines, output):
    """For each line the next line of the output that differs in numbers at most. Spaces alone change no line."""
    rest, found = iter(output.splitlines()), []
    for line in lines:
        new = next((other for other in rest if masked(other) == masked(line)), None) if masked(line) else ""
        if new is None:
            raise LookupError(f"not printed: {line!r}")
        found.append(line if "".join(line.split()) == "".join(new.split()) else new)
    return found


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*:\s*(.*)", text)
    return f"{model[1].strip() if model else 'a CPU without a name'}, {os.cpu_count()} cores"


def program():
    return os.environ.get("PEARLITE", "pearlite")


def run_command(project, command, ranks, directory):
    """(numbers, digest, seconds) of `pearlite run ...`."""
    words = shlex.split(command)
    if words[0] == "mpirun":
        ranks, words = int(words[2]), words[3:]
    if words[:2] != ["pearlite", "run"]:
        raise LookupError(f"not a run of pearlite: {command}")
    words = [str(project.root / word) if word.startswith("jobs/") else word for word in words[2:]]
    launcher = [os.environ.get("MPIEXEC", "mpirun"), "-n", str(ranks)] if ranks and ranks > 1 else []
    start = time.monotonic()
    subprocess.run([*launcher, program(), "run", *words, "-o", str(directory / "run")], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    return (*numbers_of_run(directory / "run", seconds), seconds)


def measure_rows(project, record):
    columns, seconds, digests = record["columns"], 0.0, {}
    for run in record["runs"]:
        with tempfile.TemporaryDirectory() as place:
            numbers, digest, took = run_command(project, run["command"], run.get("ranks"), pathlib.Path(place))
        seconds += took
        digests[run["command"]] = digest
        for column, template in run["cells"].items():
            record["rows"][run["row"]][columns.index(column)] = filled(template, numbers)
    return seconds, digests


def measure_block(project, name, record):
    lines = (project.root / record["page"]).read_text(encoding="utf-8").split("\n")
    piece = next(piece for piece in measured.pieces_of(lines) if piece.comment and piece.comment[1] == name)
    blocks = re.findall(r"^```sh\n(.*?)^```$", "\n".join([*lines[:piece.begin], ""]), re.DOTALL | re.MULTILINE)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        path = f"{pathlib.Path(program()).resolve().parent}:{os.environ['PATH']}"
        end = "-- the last block --"
        script = "\n".join([*blocks[:-1], f"echo '{end}'", blocks[-1]])
        ended = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=place, text=True, check=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env={**os.environ, "PATH": path})
    output = ended.stdout.partition(end)[2]
    record["lines"] = lines_again(record["lines"], output)
    digests = dict(enumerate(re.findall(r"\bdigest ([0-9a-f]{64})", output)))
    return time.monotonic() - start, {f"run {k + 1}": digest for k, digest in digests.items()}


def jobs_again(record, today, revision):
    """Golden rows of what was run: in a table those of the jobs in `runs`, and of rows that no run measures the old ones."""
    jobs = record["jobs"]
    names = {pathlib.PurePath(word).stem for run in record.get("runs", []) for word in run["command"].split()
             if word.endswith(".toml")}
    all_rows = {run["row"] for run in record.get("runs", [])} == set(range(len(record.get("rows", []))))
    rest = {word for k, row in enumerate(record.get("rows", [])) if k not in {run["row"] for run in record.get("runs", [])}
            for word in re.findall(r"[\w-]+", row[0])}
    for job in jobs:
        name = job.removeprefix("job/")
        if record["kind"] == "block" or all_rows or (name in names and name not in rest):
            jobs[job] = {"revision": revision, "digest": next(iter(today.get(job, [])), None)}


def measure(project, names):
    records, today = project.records(), project.digests_today()
    revision = measured.git(project, "log", "-1", "--format=%h", "--abbrev=8", "--", *SOURCES).strip()
    for name in names:
        record = records[name]
        if record["kind"] == "table" and record.get("runs"):
            seconds, digests = measure_rows(project, record)
        elif record["kind"] == "block":
            seconds, digests = measure_block(project, name, record)
        else:
            raise LookupError(f"{name}: its file has no runs; run its command by hand: {record.get('command')}")
        jobs_again(record, today, revision)
        record |= {"source": "measured", "revision": revision, "date": datetime.date.today().isoformat(),
                   "machine": machine(), "seconds": round(seconds, 1), "digests": digests}
        project.write_record(name, record)
        print(f"measured: {name}: {seconds:.1f} s")
