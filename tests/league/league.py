"""The league table: every algorithm with nothing set on 80 densities of known evidence (targets.py).

usage: league.py [SEEDS] [-o DIRECTORY] [--targets PATTERN,...] [--algorithms A,B] [--ranks N]

SEEDS, by default 10, for each target and algorithm; at most 3 above 30 dimensions. A run is *silent* if it prints an
interval and no warning; it is silently wrong if its z exceeds 4, and doubts needlessly if it warns, or withholds its
interval, although its z is below 2 (where an interval is withheld: its error below half a nat). Limits:

 * no target is silently wrong in more than 3 of 10 seeds by any algorithm, but for the hard ones named UNSEEN;
 * over all others at most 0.5 % of silent runs are wrong, and silent intervals hold the truth in 93 % over all
   algorithms, and in 91 % by each;
 * needless doubt of runs with z below 2: at most 5 % on the ordinary half, 25 % on the hard one.

Limits of shares are widened by 2.33 binomial errors: one false alarm in a hundred each. `plain nested` is a sampler of
some sixty lines (plain_nested.hpp), with 500 live points and its textbook error, in place of a peer.
"""

import argparse
import contextlib
import csv
import fnmatch
import math
import os
import pathlib
import subprocess
import sys

import pearlite_runner as runner
import study_record as record
import targets

ALGORITHMS = ["smc", "annealed-importance", "nonequilibrium", "parallel-tempering", "importance-squared"]
PROGRAM = os.environ.get("PEARLITE_LEAGUE", "league_targets")
MOST_SEEDS_ABOVE = {30: 3}


class Cell:
    """Counts of runs."""

    def __init__(self):
        self.runs = self.failed = self.silent = self.holds = self.wrong = self.right = self.doubted = self.withheld = 0
        self.seconds = self.densities = 0.0

    def add(self, summary):
        self.runs += 1
        self.seconds += summary.get("timing", {}).get("wall_seconds", 0)
        estimates = summary.get("log_evidence", [])
        if summary.get("status") != "finished" or not estimates or "value" not in estimates[0]:
            self.failed += 1
            return
        first = estimates[0]
        self.count(first["value"] - first["exact"], first.get("standard_error"), first.get("interval95"), first["exact"],
                   bool(summary["diagnostics"].get("warnings")))

    def count(self, error, standard_error, interval, exact, warns):
        if standard_error is None:
            self.withheld += 1
            is_right = abs(error) < 0.5
        else:
            z = error / standard_error if standard_error > 0 else math.copysign(math.inf, error) if error else 0
            is_right = abs(z) < 2
            if not warns:
                self.silent += 1
                self.holds += interval[0] <= exact <= interval[1]
                self.wrong += abs(z) > 4
        self.right += is_right
        self.doubted += is_right and (standard_error is None or warns)

    def merge(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self

    def row(self, *names):
        held = f"{self.holds} ({100 * self.holds / self.silent:.1f} %)" if self.silent else "0"
        doubted = f"{self.doubted} of {self.right}" if self.right else "0"
        cells = [*names, self.runs, self.silent, held, self.wrong, doubted, self.withheld, self.failed,
                 f"{self.seconds / max(1, self.runs):.1f}"]
        return "| " + " | ".join(str(cell) for cell in cells) + " |"


HEAD = ("| algorithm | targets | runs | silent | of these hold | silently wrong | needless doubts of right runs | withheld "
        "| failed | s |\n|" + "---|" * 10)


def sweep_text(chosen, algorithms, seeds):
    lines = ["[run]", "seed = 1", "[sweep]", f"replicates = {seeds}", 'seeds = "separate"']
    for name, keys in chosen.items():
        for algorithm in algorithms:
            lines += [record.VARIANT.strip(), f'name = "{name}, {algorithm}"', f'algorithm.name = "{algorithm}"']
            lines += [f"model.{key} = {runner.toml_value(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


def seeds_of(keys, seeds):
    return min([seeds, *(most for above, most in MOST_SEEDS_ABOVE.items() if keys["dimension"] > above)])


def run_sweeps(place, chosen, options):
    """{(target, algorithm): Cell}"""
    cells = {}
    for seeds in sorted({seeds_of(keys, options.seeds) for keys in chosen.values()}):
        part = {name: keys for name, keys in chosen.items() if seeds_of(keys, options.seeds) == seeds}
        configuration, where = place / f"league-{seeds}.toml", place / f"runs-{seeds}"
        configuration.write_text(sweep_text(part, options.algorithms, seeds))
        if record.is_first():
            record.first_replicates(configuration, where, executable=PROGRAM, ranks=options.ranks)
            continue
        ended = runner.pearlite("run", configuration, "-o", where, "--overwrite", executable=PROGRAM, ranks=options.ranks,
                                timeout=200000)
        if ended.status not in (runner.FINISHED, runner.FAILED):
            raise RuntimeError(ended.describe())
        with open(where / "runs.csv", encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text):
                target, _, algorithm = row["variant"].rpartition(", ")
                found = where / "runs" / f"{int(row['run']):06d}"
                summary = runner.summary(found) if (found / "summary.json").exists() else {}
                cells.setdefault((target, algorithm), Cell()).add(summary)
    return cells


def run_nested(place, chosen, options):
    """The same of the plain nested sampler, which knows neither warnings nor intervals but its error."""
    cells = {}
    for name, keys in chosen.items():
        toml = runner.write_configuration(place / f"nested-{name}.toml", model=keys, algorithm={"name": "smc"})
        for seed in range(1, seeds_of(keys, options.seeds) + 1):
            ended = subprocess.run([PROGRAM, "nested", str(toml), str(seed)], capture_output=True, text=True, check=False)
            cell = cells.setdefault((name, "plain nested"), Cell())
            cell.runs += 1
            if ended.returncode != 0:
                cell.failed += 1
                continue
            value, error, exact, seconds = map(float, ended.stdout.split())
            cell.seconds += seconds
            cell.count(value - exact, error, (value - 1.96 * error, value + 1.96 * error), exact, False)
    return cells


def of_all(cells, wanted):
    whole = Cell()
    for key, cell in cells.items():
        if wanted(*key):
            whole.merge(cell)
    return whole


def widened(share, runs):
    """The largest number of runs that a share of them gives by chance."""
    return share * runs + 2.33 * math.sqrt(share * (1 - share) * runs)


def misses(cells, algorithms):
    """The limits that the runs miss."""
    found = []

    def judge(name, value, most):
        record.figure(name, value, 0, most)
        if value > most:
            found.append(f"{name}: {value}, at most {most:.1f}")

    for (target, algorithm), cell in cells.items():
        if target not in targets.UNSEEN and algorithm in algorithms:
            judge(f"{target}, {algorithm}, silently wrong", cell.wrong, 0.3 * cell.runs)
    for algorithm in [*algorithms, None]:
        name = algorithm or "all"
        seen = of_all(cells, lambda t, a: t not in targets.UNSEEN and a == (algorithm or a) and a in algorithms)
        if algorithm is None:
            judge("silently wrong", seen.wrong, widened(0.005, seen.silent))
        judge(f"{name}, silent intervals that fail", seen.silent - seen.holds,
              widened(0.09 if algorithm else 0.07, seen.silent))
        for half, part, most in (("ordinary", targets.ORDINARY, 0.05), ("hard", targets.HARD, 0.25)):
            its = of_all(cells, lambda t, a: t in part and a == (algorithm or a) and a in algorithms)
            judge(f"{name}, needless doubts of right runs on the {half} half", its.doubted, widened(most, its.right))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="?", type=int, default=10)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--targets", type=lambda text: text.split(","), default=["*"])
    parser.add_argument("--algorithms", type=lambda text: text.split(","), default=ALGORITHMS)
    parser.add_argument("--ranks", type=int, default=os.cpu_count())
    parser.add_argument("--nested", action="store_true", help="also by the plain nested sampler")
    options = parser.parse_args()
    chosen = {name: keys for name, keys in {**targets.ORDINARY, **targets.HARD}.items()
              if any(fnmatch.fnmatch(name, pattern) for pattern in options.targets)}
    with contextlib.ExitStack() as stack:
        place = (options.output or stack.enter_context(runner.scratch_directory())).resolve()
        place.mkdir(parents=True, exist_ok=True)
        cells = run_sweeps(place, chosen, options)
        if record.is_first():
            return 0
        if options.nested:
            cells.update(run_nested(place, chosen, options))
    print(HEAD)
    for algorithm in [*options.algorithms, *(["plain nested"] if options.nested else [])]:
        for half, part in (("ordinary", targets.ORDINARY), ("hard", targets.HARD)):
            its = of_all(cells, lambda t, a: a == algorithm and t in part and t not in targets.UNSEEN)
            print(its.row(algorithm, half))
        print(of_all(cells, lambda t, a: a == algorithm and t in targets.UNSEEN).row(algorithm, "unseen"))
    print("\n" + HEAD)
    for (target, algorithm), cell in sorted(cells.items()):
        print(cell.row(algorithm, target))
    missed = misses(cells, options.algorithms)
    for miss in missed:
        print("MISSED:", miss)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
