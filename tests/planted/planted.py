"""Plants faults in a copy of the project and reports which test finds each (docs/planted-faults.md).

usage: planted.py list [--check]                     faults by hand; --check: each has its place in the sources
       planted.py draw [--seed N] [--count 20]       faults as the program draws them
       planted.py run [--budget-minutes 150] [--tier quick|full] [--only NAME...] [--jobs N] [--fresh]
       planted.py report [--markdown]                exit status 1 if tests have let too much pass

`run` works in build/planted of the project, in a git worktree of HEAD and a build of its own, and goes on where it was
stopped; a copy that has once been made stays at its revision until `run --fresh`. `--tier quick` tries the tests
labelled `quick` alone. A test fails a fault if it ends with an error or takes three times as long as without.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tomllib

import campaign
import suite
from drawing import Fault
from project_copy import Build, Sources, checked

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
SEED, COUNT = 20261129, 20
LEAST_QUICK_SHARE = 28 / 40  # of all faults
SKIPPED = 77


def by_hand(root):
    """The faults of faults.toml, each of them found once in its file."""
    with open(pathlib.Path(root) / "tests/planted/faults.toml", "rb") as file:
        faults = [Fault(**entry) for entry in tomllib.load(file)["fault"]]
    names = [fault.name for fault in faults]
    if len(set(names)) != len(names):
        raise ValueError("two faults of faults.toml have the same name")
    for fault in faults:
        fault.applied_to((pathlib.Path(root) / fault.file).read_text(encoding="utf-8"))
        if fault.find == fault.replace:
            raise ValueError(f"{fault.name} changes nothing")
    return faults


def equivalents(root):
    """{(file, line of code, the line in its place): reason} of drawn faults that change no result."""
    with open(pathlib.Path(root) / "tests/planted/equivalent.toml", "rb") as file:
        return {(each["file"], each["find"].strip(), each["replace"].strip()): each["reason"]
                for each in tomllib.load(file).get("equivalent", [])}


def list_faults(arguments):
    faults = by_hand(PROJECT)
    equivalents(PROJECT)
    for fault in faults:
        print(f"{fault.name:32} {fault.layer:11} {fault.file}\n    {fault.breaks}")
    print(f"{len(faults)} faults by hand, each at one place of the sources")
    return 1 if arguments.check and len(faults) < 20 else 0


def draw_faults(arguments):
    print(f"seed {arguments.seed}; `run` leaves out those that do not compile and goes on drawing")
    for fault in campaign.first_drawn(PROJECT, arguments.seed, arguments.count):
        print(f"{fault.name}  {fault.file}:{fault.line}\n    - {fault.find.strip()}\n    + {fault.replace.strip()}")
    return 0


def has_git():
    return subprocess.run(["git", "-C", PROJECT, "rev-parse", "HEAD"], capture_output=True, check=False).returncode == 0


def prepared(place, jobs, fresh):
    """Sources, build and record, made where they are not there; whatever a killed run has left is undone."""
    place.mkdir(parents=True, exist_ok=True)
    sources = Sources(PROJECT, place / "source")
    build = Build(sources.place, place / "build", place / "clean", jobs)
    sources.make()
    file = place / "results.json"
    if fresh and file.exists():
        file.unlink()
    record = campaign.Record(file)
    if fresh:
        build.forget()
        sources.move_to_head()
    else:
        sources.restore(all_files=build.is_made())
    if record["revision"] not in (None, sources.revision()):
        raise SystemExit("results.json is of another revision than build/planted/source: `run --fresh` begins anew")
    record["revision"] = sources.revision()
    return sources, build, record


def run(arguments):
    if not has_git():
        print("skipped: no git repository")
        return SKIPPED
    sources, build, record = prepared(PROJECT / "build/planted", arguments.jobs, arguments.fresh)
    if record["seed"] not in (None, arguments.seed) or record["count"] not in (None, arguments.count):
        raise SystemExit("results.json is of another seed or count: `run --fresh` begins anew")
    record["seed"], record["count"] = arguments.seed, arguments.count
    spent = record["spent_seconds"] / 60
    print(f"revision {record['revision'][:10]}, seed {arguments.seed}, {spent:.0f} minutes spent before")
    under_way = campaign.Campaign(sources, build, record, 60 * arguments.budget_minutes, arguments.jobs,
                                  log=lambda text: print(text, flush=True))
    build.make("quick_tests" if arguments.tier == "quick" else "all", under_way.log)
    build.restore()
    under_way.use_tests(json.loads(checked(["ctest", "--show-only=json-v1"], cwd=build.place)))
    faults, count = by_hand(sources.place), arguments.count
    if arguments.only:
        all_drawn = campaign.first_drawn(sources.place, arguments.seed, 4 * count)
        faults, count = [fault for fault in (*faults, *all_drawn) if fault.name in arguments.only], 0
    under_way.run(faults, arguments.seed, count, ["quick"] if arguments.tier == "quick" else suite.TIERS)
    record.save()
    return report(arguments)


def judged(record, known):
    """(rows, counts): each fault with where it was found; counts of those found by quick, by full, equivalent, left."""
    rows, counts = [], {"faults": 0, "quick": 0, "full": 0, "equivalent": 0, "missed": 0, "open": 0}
    for name, each in record["faults"].items():
        reason = known.get((each["file"], each["find"].strip(), each["replace"].strip()))
        if each["found_by"]:
            state = each["tier"]
        elif reason:
            state = "equivalent"
        else:
            state = "missed" if set(suite.TIERS) <= set(each["tiers"]) else "open"
        counts["faults"] += 1
        counts[state] += 1
        rows.append((name, each, state, reason))
    return rows, counts


def totals(record, counts):
    wanted = LEAST_QUICK_SHARE * counts["faults"]
    lines = [f"{counts['faults']} faults: {counts['quick']} found by quick (at least {wanted:.0f} are asked for), "
             f"{counts['full']} by full alone, {counts['equivalent']} equivalent, {counts['missed']} missed, "
             f"{counts['open']} not yet tried in both tiers."]
    lines.append(f"Seed {record['seed']}; {len(record['stillborn'])} further draws did not compile; revision "
                 f"{str(record['revision'])[:10]}; {record['spent_seconds'] / 60:.0f} minutes in all.")
    return lines


def table(rows):
    """A Markdown table."""
    def cell(text):
        return " ".join(text.replace("|", "\\|").split())
    lines = ["| fault | file | breaks, or is changed | found by | tier | build, s | tests, s |",
             "|---|---|---|---|---|---|---|"]
    for name, each, state, reason in rows:
        place = each["file"] + (f":{each['line']}" if each["line"] else "")
        broken = f"`{cell(each['breaks'])}`" if each["line"] else cell(each["breaks"])
        found = f"`{each['found_by']}`" if each["found_by"] else f"{state}: {reason}" if reason else f"**{state}**"
        late = ", by its time limit" if each.get("outcome") == "timeout" else ""
        lines.append(f"| {name} | `{place}` | {broken} | {found}{late} | {each['tier'] or ''} | "
                     f"{each['build_seconds']:.0f} | {each['test_seconds']:.0f} |")
    return lines


def report(arguments):
    record = campaign.Record(PROJECT / "build/planted/results.json")
    rows, counts = judged(record, equivalents(PROJECT))
    if arguments.command == "report" and arguments.markdown:
        print("\n".join([*table(rows), "", *totals(record, counts)]))
    else:
        for name, each, state, _ in rows:
            print(f"{name:32} {each['layer']:11} {state:11} {each['found_by'] or ''}")
        print("\n".join(totals(record, counts)))
    is_whole = counts["open"] == 0 and counts["faults"] > 0
    return 0 if is_whole and counts["missed"] == 0 and counts["quick"] >= LEAST_QUICK_SHARE * counts["faults"] else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    of_list = commands.add_parser("list")
    of_list.add_argument("--check", action="store_true")
    for name in ("draw", "run"):
        command = commands.add_parser(name)
        command.add_argument("--seed", type=int, default=SEED)
        command.add_argument("--count", type=int, default=COUNT)
    command.add_argument("--budget-minutes", type=float, default=150)
    command.add_argument("--tier", choices=suite.TIERS, default="full", help="the last tier that is tried")
    command.add_argument("--only", nargs="+", default=[], metavar="NAME")
    command.add_argument("--jobs", type=int, default=os.cpu_count(), help="processors for builds and for tests")
    command.add_argument("--fresh", action="store_true", help="forgets results, and copies HEAD anew")
    commands.add_parser("report").add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    return {"list": list_faults, "draw": draw_faults, "run": run, "report": report}[arguments.command](arguments)


if __name__ == "__main__":
    sys.exit(main())
