"""Golden digests: the same bits as before, for every shipped job and every algorithm with every model.

usage: golden.py check [--ranks 1,3] [--short-ranks 3] [--crossed] [--variants 2,1] [--rows PATTERN] [--short]
                       [--states-only] [--list]
       golden.py update --reason TEXT [--rows PATTERN]
       golden.py make --from-commit [COMMIT]
       golden.py self-test
PATTERN: of shell wildcards, on names such as job/ising, smc/ising, variant/ising-mode. All commands take
--pearlite FILE (else PEARLITE names the program, else the path finds it).

table.json holds the digests of digests.py for each row of rows.py. Bits depend on the compiler, its options and the C
library's mathematics, so that the table has a part for each of these; on the CPU they depend if the program was built
for that alone. On a machine that has no part, `check` ends with
status 77; `make --from-commit` then builds the program as it was when the table was last changed (or as of COMMIT) and
adds the part, against which the present program can be checked. `update` removes the rows that change from the parts of
other machines, which cannot know them.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))

import pearlite_runner as runner

try:
    import digests
    import rows as golden_rows
    import runs as golden_runs
    import variants
except ModuleNotFoundError as error:
    if error.name not in ("h5py", "numpy"):
        raise
    print(f"skipped: this Python has no {error.name}: {sys.executable}")
    sys.exit(runner.SKIPPED)

TABLE = HERE / "table.json"
# Ranks with which a row begins, and goes on with after its stop.
CROSSINGS = ((2, 1), (3, 2), (1, 4), (4, 3), (7, 2), (2, 7))
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
}


def read_table():
    return json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}


def write_table(table):
    """A row a line, so that a change of a row is a change of a line."""
    parts = []
    for key in sorted(table):
        lines = [f"  {json.dumps(name)}: {json.dumps(table[key][name])}" for name in sorted(table[key])]
        parts.append(f"{json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n}")
    TABLE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def without_data(rows):
    """The rows whose data are there; the others are named."""
    there = []
    for row in rows:
        if missing := row.missing_data():
            print(f"skipped: {row.name}: no {missing} (PEARLITE_DATA_DIR)")
        else:
            there.append(row)
    return there


def wanted_rows(pattern, short=False):
    rows = [row for row in golden_rows.all_rows()
            if (not pattern or fnmatch.fnmatch(row.name, pattern)) and (row.is_short or not short)]
    if not rows:
        raise LookupError(f"no row is called {pattern}")
    return rows


def side_by_side(function, rows, workers):
    """function(row) of every row; an exception takes the place of its result."""
    def attempt(row):
        try:
            return function(row)
        except (AssertionError, OSError) as error:
            return error
    return runner.side_by_side(attempt, [(row,) for row in rows], workers)


def differences(expected, found, columns):
    """Messages about digests that differ, an empty list if all agree."""
    if isinstance(found, Exception):
        return [str(found)]
    return [f"{column} {found.get(column)}, expected {expected.get(column)}" for column in columns
            if found.get(column) != expected.get(column)]


def known_rows(rows, part, table):
    """The rows that the part has. Rows that another machine has are named; rows that are nowhere are a failure."""
    known, n_new = [], 0
    for row in rows:
        if row.name in part:
            known.append(row)
        elif any(row.name in other for other in table.values()):
            print(f"skipped: {row.name}: another machine changed it; `golden.py make --from-commit` makes it here")
        else:
            print(f"FAILED: {row.name}: not in the table; `golden.py update` adds it")
            n_new += 1
    return known, n_new


def rounds_of(options, rows):
    """(words, rows, {row: ranks it begins and goes on with}) of each pass over the table."""
    if options.variants:
        begun, resumed = options.variants
        variant = [row for row in rows if row.name.startswith("variant/")]
        rows = [row for row in rows if row not in variant]
        yield f"{begun} rank(s), {resumed} after a stop", variant, {row.name: (begun, resumed) for row in variant}
    for ranks in options.ranks:
        yield f"{ranks} rank(s)", rows, {row.name: (ranks, ranks) for row in rows}
    short = [row for row in rows if row.is_short]
    for ranks in options.short_ranks:
        yield f"{ranks} rank(s)", short, {row.name: (ranks, ranks) for row in short}
    if options.crossed:
        pairs = {row.name: CROSSINGS[k % len(CROSSINGS)] for k, row in enumerate(rows)}
        yield "other ranks after a stop", rows, pairs


def check(runs, options, table):
    """Rows against the part of this machine; without a part, whether they come to their end with a verdict."""
    part = table.get(runs.key())
    rows, n_failed = without_data(wanted_rows(options.rows, options.short)), 0
    if part is None:
        print(f"skipped: digests: {TABLE.name} has no part for {runs.key()}; `golden.py make --from-commit` makes one")
    else:
        rows, n_failed = known_rows(rows, part, table)
    columns = digests.OF_STATES if options.states_only else digests.COLUMNS
    fails_fast = os.environ.get("PEARLITE_FAIL_FAST")
    for words, chosen, ranks in rounds_of(options, rows):
        failed = threading.Event()

        def measure(row):
            if fails_fast and failed.is_set():
                return None
            expected = (part or {}).get(row.name, {})
            found = None
            try:
                found = runs.measure(row, expected.get("stop"), *ranks[row.name])
                return found
            finally:
                if found is None or (part is not None and differences(expected, found, columns)):
                    failed.set()

        most = max((max(pair) for pair in ranks.values()), default=1)
        found = side_by_side(measure, chosen, workers=min(4, max(1, 8 // most)))
        for row, digest in zip(chosen, found):
            wrong = ([str(digest)] if isinstance(digest, Exception) else [] if part is None or digest is None
                     else differences(part[row.name], digest, columns))
            if wrong:
                n_failed += 1
                print(f"FAILED: {row.name} on {words}: " + "; ".join(wrong))
            elif options.list:
                print(f"ok: {row.name} on {words}")
        print(f"{len(chosen)} rows on {words}: " + (f"{n_failed} differences" if n_failed else
                                                   "all as in the table" if part is not None else "all ended"))
        sys.stdout.flush()
        if fails_fast and n_failed:
            break
    return 1 if n_failed else 0


def new_digests(runs, row, old):
    """A row of the table. It goes on being stopped where it was, if that still is within the run."""
    stop = old.get("stop", 0) if row.is_interrupted else 0
    if row.is_interrupted and not (stop and runs.stops_at(row, stop)):
        stop = runs.last_step(row)
    found = runs.measure(row, stop, 1)
    of_columns = {column: found[column] for column in digests.COLUMNS if column in found}
    return ({"stop": stop} if stop else {}) | of_columns


def update(runs, options, table):
    key = runs.key()
    part = table.setdefault(key, {})
    everything = golden_rows.all_rows()
    rows = without_data(wanted_rows(options.rows))
    found = side_by_side(lambda row: new_digests(runs, row, part.get(row.name, {})), rows, workers=4)
    changes, n_failed = [], 0
    for row, digest in zip(rows, found):
        if isinstance(digest, Exception):
            n_failed += 1
            print(f"FAILED: {row.name}: {digest}")
        elif part.get(row.name) != digest:
            old = part.get(row.name)
            columns = [column for column in digests.COLUMNS if old and old.get(column) != digest.get(column)]
            changes.append(f"    {row.name}: " + (", ".join(columns) or "where it is stopped" if old else "new"))
            part[row.name] = digest
            for other in set(table) - {key} if old else ():
                table[other].pop(row.name, None)
    for name in set(part) - {row.name for row in everything}:
        changes.append(f"    {name}: no longer a row")
        for other in table.values():
            other.pop(name, None)
    write_table(table)
    print(f"for the body of the commit:\n\nGolden rows that change: {options.reason}\n" + "\n".join(sorted(changes)))
    return 1 if n_failed else 0


def make(options, table):
    """Builds the program of the commit and runs that commit's own script with it."""
    git = ["git", "-C", str(ROOT)]
    last = subprocess.run([*git, "log", "-1", "--format=%H", "--", str(TABLE)], check=True, stdout=subprocess.PIPE)
    commit = options.from_commit or last.stdout.decode().strip()
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="golden-", dir=ROOT / "build") as scratch:
        tree = pathlib.Path(scratch) / "tree"
        subprocess.run([*git, "worktree", "add", "--detach", str(tree), commit], check=True)
        try:
            build = ["cmake", "--build", "--preset", "ci", "--target", "pearlite", "-j", str(os.cpu_count())]
            subprocess.run(["cmake", "--preset", "ci"], cwd=tree, check=True)
            subprocess.run(build, cwd=tree, check=True)
            subprocess.run([sys.executable, "-B", tree / "tests/golden/golden.py", "update", "--pearlite",
                            tree / "build/ci/drivers/pearlite", "--reason", f"made from {commit}"], check=True)
            made = json.loads((tree / "tests/golden" / TABLE.name).read_text(encoding="utf-8"))
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(tree)], check=True)
    for key, part in made.items():
        new = part.keys() - table.setdefault(key, {}).keys()
        table[key] |= {name: part[name] for name in new}
        if new:
            print(f"{TABLE.name} has {len(new)} more rows for {key}, made from {commit}")
    write_table(table)
    return 0


def self_test(runs):
    """A digest with one other digit is reported, and nothing else is."""
    row = golden_rows.annealed_pair("gaussian", "annealed-importance", "random-walk")
    expected = new_digests(runs, row, {})
    again = runs.measure(row, expected["stop"], 3)
    if words := differences(expected, again, digests.COLUMNS):
        sys.exit("the digests of a row differ from one run to the next: " + "; ".join(words))
    for column in digests.COLUMNS:
        digits = expected[column]
        planted = {**expected, column: ("0" if digits[0] != "0" else "1") + digits[1:]}
        if [words.split()[0] for words in differences(planted, again, digests.COLUMNS)] != [column]:
            sys.exit(f"an altered digit in {column} is not reported")
    other = golden_rows.Row("self-test/one-ulp", variants.changed(row.tables, model={"end_sd": 1.0 - 2**-53}))
    if words := differences(expected, runs.measure(other, expected["stop"], 1), digests.COLUMNS):
        print(f"an altered digit in each column is reported, and so is the next number down, in {len(words)} columns")
        return 0
    sys.exit("the next number down for model.end_sd is not reported")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    parsers = {name: commands.add_parser(name) for name in ("check", "update", "make", "self-test")}
    for command in parsers.values():
        command.add_argument("--pearlite")
    for name in ("check", "update"):
        parsers[name].add_argument("--rows", metavar="PATTERN")
    def numbers(text):
        return [int(n) for n in text.split(",")]
    parsers["check"].add_argument("--ranks", default=[], type=numbers)
    parsers["check"].add_argument("--short-ranks", default=[], type=numbers)
    parsers["check"].add_argument("--crossed", action="store_true")
    parsers["check"].add_argument("--variants", metavar="BEGUN,RESUMED", type=numbers)
    parsers["check"].add_argument("--short", action="store_true")
    parsers["check"].add_argument("--states-only", action="store_true")
    parsers["check"].add_argument("--list", action="store_true")
    parsers["update"].add_argument("--reason", required=True)
    parsers["make"].add_argument("--from-commit", nargs="?", metavar="COMMIT", required=True)
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    if options.command in ("check", "update"):
        options.rows = options.rows or os.environ.get("PEARLITE_GOLDEN_ROWS")
    if options.command == "check" and not (options.ranks or options.short_ranks or options.crossed or options.variants):
        options.ranks = [1]
    for name, value in MPI_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if options.pearlite:
        runner.PEARLITE = options.pearlite
    table = read_table()
    if options.command == "make":
        return make(options, table)
    with runner.scratch_directory() as scratch:
        runs = golden_runs.Runs(scratch)
        if options.command == "self-test":
            return self_test(runs)
        return (check if options.command == "check" else update)(runs, options, table)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (LookupError, OSError) as error:
        sys.exit(f"golden.py: {error}")
