"""The ledger of studies: a study that has not changed is not computed again.

usage: ledger.py run STUDY [--scripts FILE...] [--data FILE...] [--build DIRECTORY] -- LAUNCHER... -- COMMAND...
       ledger.py update [STUDY...] --build DIRECTORY [--long]
       ledger.py check
STUDY: in `update` a pattern of shell wildcards; without one all studies are run that are not `long`, with --long all.
All commands take --ledger FILE (else ledger.json beside this script).

Studies with fixed seeds are functions of bits. CTest starts each of them by `run`, which first has a short run: with
PEARLITE_FIRST_REPLICATE=FILE a study runs the first replicate of each cell alone and writes estimates, errors and
words of verdicts to FILE (tests/support/study_record.py, tests/statistical/record.hpp). A digest of these lines, of the
study's arguments, its scripts and its data is the key of an entry of the ledger. If the ledger knows it, the figures of
the whole study stand there, with the revision that found them, and `run` prints them. Else it runs the whole study,
which passes or fails by its own verdict. A study whose short run fails always runs whole.

Scripts are read without what cannot change a figure: Python without comments and docstrings, C++ as its tokens, TOML
as its values. Modules beside a script that it imports, and sources below tests/ that it includes, count as well.
Modules of tests/support start programs and record; what they do to a figure shows in the lines.

The whole study writes its judged figures to the file that PEARLITE_FIGURES names, a line each: name, value, lower
limit, upper limit, and `outside` if the value of a wrong twin must lie beyond them.

PEARLITE_LEDGER=all runs every study whole; a figure that differs from the entry with its digest is a failure. `update`
runs studies by the command lines of CTest, in the build directory that it is given, and writes those that pass; a whole
study that CTest has run in that directory since is not run again. Only this program writes the ledger: an entry has a
seal, the file one form, and an edit by hand fails in `check` and `run`. Machines with other bits have entries of their
own, MOST_ENTRIES of a study; the oldest gives way.
"""

import argparse
import ast
import datetime
import fnmatch
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
LEDGER = HERE / "ledger.json"
SUPPORT = TESTS / "support"
KEYS = ("study", "digest", "revision", "date", "seconds", "figures")
MOST_ENTRIES = 4
SKIPPED = 77
SHORT_RUN_SECONDS = 900


class Fault(Exception):
    """A fault of the ledger, or of what a study has written."""


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


# The file.

def seal_of(entry):
    return sha256(json.dumps([entry[key] for key in KEYS], ensure_ascii=False))


def sealed(entry):
    return {**{key: entry[key] for key in KEYS}, "seal": seal_of(entry)}


def serialised(entries):
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def place_of(entry):
    return entry["study"], entry["digest"]


def check_entry(entry):
    if not isinstance(entry, dict) or list(entry) != [*KEYS, "seal"]:
        raise Fault(f"an entry has other keys than {', '.join(KEYS)} and seal")
    if entry["seal"] != seal_of(entry):
        raise Fault(f"{entry['study']}, {entry['digest'][:12]}: the seal is broken: an edit by hand")


def read(file):
    """The entries; Fault if another hand than this program's has written the file."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    try:
        entries = json.loads(text)
    except ValueError as error:
        raise Fault(f"not JSON: {error}") from None
    if not isinstance(entries, list):
        raise Fault("not a list of entries")
    for entry in entries:
        check_entry(entry)
    places = [place_of(entry) for entry in entries]
    if len(set(places)) < len(places):
        raise Fault("two entries of a study have one digest")
    if places != sorted(places):
        raise Fault("the entries are not sorted")
    if text != serialised(entries):
        raise Fault("the file is formatted by hand")
    for study in {study for study, _ in places}:
        if sum(study == other for other, _ in places) > MOST_ENTRIES:
            raise Fault(f"{study}: more than {MOST_ENTRIES} entries")
    return entries


def write(file, entries):
    part = file.with_suffix(".part")
    part.write_text(serialised(sorted(entries, key=place_of)), encoding="utf-8")
    os.replace(part, file)


def with_entry(entries, entry):
    """The entries with this one; the oldest of the study give way to it."""
    own = [each for each in entries if each["study"] == entry["study"] and each["digest"] != entry["digest"]]
    kept = sorted(own, key=lambda each: each["date"])[-(MOST_ENTRIES - 1):]
    return [each for each in entries if each["study"] != entry["study"]] + kept + [entry]


# The digest.

def without_docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                    and isinstance(first.value.value, str)):
                node.body = node.body[1:] or [ast.Pass()]
    return tree


TOKEN = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<raw>\w*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"'
                   r"|'(?:\\.|[^'\\\n])'|[\w'.]+|(?P<space>\s+)|.", re.DOTALL)


def tokens(text):
    """The tokens of C++ without its comments."""
    return [match.group(0) for match in TOKEN.finditer(text) if match["comment"] is None and match["space"] is None]


def canonical(file):
    """The text of a script without what cannot change a figure."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return ast.dump(without_docstrings(ast.parse(text)))
    if file.suffix == ".toml":
        import tomllib  # since Python 3.11
        return json.dumps(tomllib.loads(text), default=str)
    if file.suffix in (".cpp", ".hpp"):
        return "\n".join(tokens(text))
    return text


def modules_of(file):
    """The modules beside a Python script that it imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        for name in names:
            if (module := file.parent / f"{name}.py").is_file():
                yield module


def sources_of(file):
    """The sources below tests/ that a C++ source includes, and what stands behind a header."""
    for name in re.findall(r'^\s*#include "([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE):
        for folder in (TESTS, file.parent):
            for found in {folder / name, (folder / name).with_suffix(".cpp")}:
                if found.is_file():
                    yield found


def all_scripts(scripts):
    """The scripts with all that they use, sorted."""
    found, pending = set(), [pathlib.Path(script).resolve() for script in scripts]
    while pending:
        file = pending.pop()
        if file in found or SUPPORT in file.parents:
            continue
        found.add(file)
        pending += {".py": modules_of, ".cpp": sources_of, ".hpp": sources_of}.get(file.suffix, lambda _: ())(file)
    return sorted(found)


def digest_of(lines, arguments, scripts, data):
    parts = [["lines", lines], ["arguments", arguments]]
    parts += [["script", file.name, canonical(file)] for file in all_scripts(scripts)]
    for name in data:
        file = pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "."), name)
        parts.append(["data", str(name), sha256(file.read_bytes()) if file.is_file() else "missing"])
    return sha256(json.dumps(parts))


def script_arguments(command):
    """The program's name and its arguments: where it is does not count."""
    return [pathlib.Path(command[0]).name, *command[1:]]


def short_run(launcher, command, scratch):
    """The lines of the first replicates; Fault if there are none."""
    file = scratch / "first"
    try:
        ended = subprocess.run([*launcher, *command], env={**os.environ, "PEARLITE_FIRST_REPLICATE": str(file)},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SHORT_RUN_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Fault(str(error)) from None
    if ended.returncode != 0:
        last = ended.stdout.decode(errors="replace").strip().splitlines()[-1:]
        raise Fault(": ".join([f"status {ended.returncode}", *last]))
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    if not lines:
        raise Fault("it writes no lines")
    return lines


# Figures.

def number(text):
    value = float(text)
    return value if math.isfinite(value) else None


def read_figures(file):
    """[name, value, low, high] of every judged figure, or [..., "outside"] of a wrong twin."""
    figures = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        name, value, low, high, *rest = line.split("\t")
        figures.append([name, number(value), number(low), number(high), *rest])
    return figures


def is_within(figure):
    _, value, low, high, *rest = figure
    if value is None:
        return False
    is_inside = (low is None or value >= low) and (high is None or value <= high)
    is_outside = (low is not None and value <= low) or (high is not None and value >= high)
    return is_outside if rest else is_inside


def shown(value):
    return "none" if value is None else f"{value:.6g}"


def in_words(figure):
    name, value, low, high, *rest = figure
    if low is not None and high is not None:
        limits = f"{'outside' if rest else 'in'} {shown(low)} to {shown(high)}"
    else:
        limits = f"at least {shown(low)}" if low is not None else f"at most {shown(high)}"
    return f"{name} {shown(value)} {limits}"


def check_figures(figures):
    if not figures:
        raise Fault("the study writes no figure")
    names = [figure[0] for figure in figures]
    if twice := {name for name in names if names.count(name) > 1}:
        raise Fault(f"two figures have one name: {min(twice)}")
    for figure in figures:
        if not is_within(figure):
            raise Fault(f"the study passes, but its figure does not: {in_words(figure)}")


def differences(expected, found):
    """In words; limits that differ are differences as well."""
    of_name = {figure[0]: figure for figure in found}
    words = [f"{figure[0]}: the ledger has {figure[1:]}, this run {of_name[figure[0]][1:]}"
             for figure in expected if figure[0] in of_name and of_name[figure[0]] != figure]
    words += [f"{figure[0]}: the ledger has {figure[1:]}, this run has none" for figure in expected
              if figure[0] not in of_name]
    known = {figure[0] for figure in expected}
    return words + [f"{figure[0]}: the ledger has none, this run {figure[1:]}" for figure in found
                    if figure[0] not in known]


# Commands.

def revision():
    """The commit, with a + where the tree has other changes than those of the ledger."""
    git = ["git", "-C", str(TESTS)]
    try:
        commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changes = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no", "--", ":/",
                                  ":!/tests/ledger/ledger.json"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit + ("+" if changes.strip() else "")


def run_whole(study, launcher, command, scratch):
    """(status, figures, seconds) of the whole study."""
    file = scratch / "figures"
    environment = {**os.environ, "PEARLITE_FIGURES": str(file)}
    environment.pop("PEARLITE_FIRST_REPLICATE", None)
    sys.stdout.flush()
    start = time.monotonic()
    status = subprocess.run([*launcher, *command], env=environment, check=False).returncode
    figures = read_figures(file)
    for figure in figures:
        print(f"ledger: {in_words(figure)}")
    return status, figures, time.monotonic() - start


def found_entry(directory, study, digest):
    """The entry of a whole run that CTest has left in the build directory, or None."""
    try:
        entry = json.loads((directory / f"{study}.json").read_text(encoding="utf-8"))
        check_entry(entry)
    except (OSError, ValueError, TypeError, Fault):
        return None
    return entry if place_of(entry) == (study, digest) else None


def print_unchanged(entry):
    for figure in entry["figures"]:
        print(f"unchanged since {entry['revision'][:12]}{'+' * entry['revision'].endswith('+')}: {in_words(figure)}")


def run(options, entries):
    mode = os.environ.get("PEARLITE_LEDGER", "")
    if mode not in ("", "all", "update"):
        raise Fault(f"PEARLITE_LEDGER={mode}: expected all, or nothing")
    study, digest, known = options.study, None, None
    with tempfile.TemporaryDirectory(prefix="ledger-") as directory:
        scratch = pathlib.Path(directory)
        try:
            lines = short_run(options.launcher, options.command, scratch)
            digest = digest_of(lines, script_arguments(options.command), options.scripts, options.data)
        except (Fault, ModuleNotFoundError) as fault:
            print(f"ledger: no short run, so that the whole study runs: {fault}")
        known = next((entry for entry in entries if place_of(entry) == (study, digest)), None)
        if known and mode != "all":
            print_unchanged(known)
            return 0
        found = options.build / "Testing" / "ledger" if options.build else None
        if digest and mode == "update" and found and (entry := found_entry(found, study, digest)):
            write(options.ledger, with_entry(entries, entry))
            print(f"{study}: as CTest has run it, {len(entry['figures'])} figures")
            return 0
        status, figures, seconds = run_whole(study, options.launcher, options.command, scratch)
    if status != 0 or not digest:
        return status
    check_figures(figures)
    if known:
        words = differences(known["figures"], figures)
        for word in words:
            print(f"FAILED: {study}: {word}")
        return 1 if words else 0
    today = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    entry = sealed({"study": study, "digest": digest, "revision": revision(), "date": today,
                    "seconds": round(seconds, 1), "figures": figures})
    if mode == "update":
        write(options.ledger, with_entry(entries, entry))
        print(f"{study}: recorded, {len(figures)} figures")
        return 0
    if found:
        found.mkdir(parents=True, exist_ok=True)
        (found / f"{study}.json").write_text(json.dumps(entry, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"ledger: not known; `ledger.py update {study} --build DIRECTORY` records it")
    return 0


def registered(build):
    """{study: (command, environment, labels)} of the tests that CTest starts by `run`."""
    shown_tests = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], stdout=subprocess.PIPE,
                                 check=True).stdout
    studies = {}
    for test in json.loads(shown_tests)["tests"]:
        command = test.get("command", [])
        places = [k for k, word in enumerate(command) if pathlib.Path(word).name == "ledger.py"]
        if not places or command[places[0] + 1:places[0] + 2] != ["run"]:
            continue
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        environment = dict(variable.split("=", 1) for variable in properties.get("ENVIRONMENT", []))
        studies[command[places[0] + 2]] = command, environment, properties.get("LABELS", [])
    return studies


def update(options):
    studies = registered(options.build)
    if not studies:
        raise Fault(f"{options.build} has no studies")
    entries = read(options.ledger)
    if strangers := sorted({entry["study"] for entry in entries} - set(studies)):
        write(options.ledger, [entry for entry in entries if entry["study"] in studies])
        print("no longer studies: " + ", ".join(strangers))
    chosen = [study for study, (_, _, labels) in studies.items()
              if (any(fnmatch.fnmatch(study, pattern) for pattern in options.studies) if options.studies
                  else options.long or "long" not in labels)]
    if not chosen:
        raise Fault("no study is called " + ", ".join(options.studies))
    failed = []
    for study in chosen:
        command, environment, _ = studies[study]
        print(f"-- {study}", flush=True)
        environment = {**os.environ, **environment, "PEARLITE_LEDGER": "update"}
        status = subprocess.run(command, env=environment, check=False).returncode
        if status == SKIPPED:
            print(f"{study}: skipped")
        elif status != 0:
            failed.append(study)
    for study in failed:
        print(f"FAILED: {study}: not recorded")
    return 1 if failed else 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command_name", required=True)
    parsers = {name: commands.add_parser(name) for name in ("run", "update", "check")}
    for command in parsers.values():
        command.add_argument("--ledger", type=pathlib.Path, default=LEDGER)
    parsers["run"].add_argument("study")
    parsers["run"].add_argument("--scripts", nargs="*", default=[])
    parsers["run"].add_argument("--data", nargs="*", default=[])
    parsers["run"].add_argument("--build", type=pathlib.Path)
    parsers["update"].add_argument("studies", nargs="*")
    parsers["update"].add_argument("--build", type=pathlib.Path, required=True)
    parsers["update"].add_argument("--long", action="store_true")
    parts = [[]]
    for word in arguments:
        if word == "--" and len(parts) < 3:
            parts.append([])
        else:
            parts[-1].append(word)
    options = parser.parse_args(parts[0])
    if options.command_name == "run":
        if len(parts) != 3 or not parts[2]:
            parser.error("expected -- LAUNCHER... -- COMMAND...")
        options.launcher, options.command = parts[1:]
    return options


def main():
    options = parse(sys.argv[1:])
    subject = options.ledger.name
    try:
        if options.command_name == "update":
            return update(options)
        entries = read(options.ledger)
        if options.command_name == "run":
            subject = options.study
            return run(options, entries)
        print(f"{len(entries)} entries of {len({entry['study'] for entry in entries})} studies")
        return 0
    except Fault as fault:
        print(f"FAILED: {subject}: {fault}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
