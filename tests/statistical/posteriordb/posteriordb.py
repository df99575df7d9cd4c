"""All posteriors of posteriordb that have reference draws, by Pearlite's defaults: translation, compilation, means, standard
deviations, evidence beside bridge sampling on the reference draws. A table of them; what is there is not made again.

usage: posteriordb.py REPOSITORY -o DIRECTORY [--pearlite PROGRAM] [--only REGEX] [--limit SECONDS] [--set KEY=VALUE]...
       posteriordb.py REPOSITORY -o DIRECTORY --compile-all         only compile all programs
       posteriordb.py REPOSITORY -o DIRECTORY --table [--page]      only write the table of what is there; into the docs

REPOSITORY is a clone of https://github.com/stan-dev/posteriordb. DIRECTORY takes libraries, data, runs, a row for each
posterior, table.csv and table.md. A run has one core and --limit seconds of its time (300). A posterior passes if means are
within 0.1 standard deviations, standard deviations within 10 %, and the evidence within 3 joint errors of bridge sampling,
or if the run calls itself doubtful or refused; exit status 1 if one does not. --page writes docs/measured/posteriordb.md.
"""

import argparse
import collections
import csv
import datetime
import json
import pathlib
import re
import resource
import subprocess
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import bridge_sampling
import repository
from stan_library import StanLibrary

MEAN, SD, Z = 0.1, 0.1, 3.0  # limits: in standard deviations, relative, in joint standard errors
COLUMNS = ("posterior", "d", "seconds", "log Z", "bridge sampling", "z", "mean", "sd", "verdict", "judgement")
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


class Failure(Exception):
    """A step on the way that did not succeed."""


def compile_programs(pearlite, programs, place):
    """Compiles programs that have no library of these contents; {program: words of those that were refused}."""
    place.mkdir(parents=True, exist_ok=True)
    ended = subprocess.run([pearlite, "stan", "-o", place, *sorted(programs)], stderr=subprocess.PIPE, text=True,
                           stdout=sys.stderr, check=False)
    refused = {}
    for words in re.split(r"^pearlite: ", ended.stderr, flags=re.M)[1:]:
        for program in programs:
            if words.startswith((f"{program}:", str(program))):
                refused[program] = words.strip()
    if ended.returncode != 0 and not refused:
        raise Failure(ended.stderr.strip())
    return refused


def run(pearlite, posterior, library, data, where, options):
    """A run by the defaults, or its end from before: (words on how it ended, processor seconds)."""
    file = where.with_suffix(".toml")
    if not (where / "summary.json").is_file() or not where.with_suffix(".seconds").is_file():
        where.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'[model]\nname = "stan"\nlibrary = {json.dumps(str(library))}\ndata = {json.dumps(str(data))}\n',
                        encoding="utf-8")
        settings = [word for setting in options.set for word in ("--set", setting)]
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (options.limit, options.limit + 20))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            ended = subprocess.run([pearlite, "run", file, "-o", where, "--overwrite", *settings], preexec_fn=limit,
                                   capture_output=True, text=True, check=False, timeout=20 * options.limit)
            words, status = ended.stderr, ended.returncode
        except subprocess.TimeoutExpired:
            words, status = "", -1
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        where.with_suffix(".seconds").write_text(f"{seconds:.2f}\n", encoding="utf-8")
        if status == 2:
            return f"refused: {words.strip().splitlines()[-1][:200] if words.strip() else ''}", seconds
    seconds = float(where.with_suffix(".seconds").read_text(encoding="utf-8"))
    try:
        status = json.loads((where / "summary.json").read_text(encoding="utf-8"))["status"]
    except (OSError, ValueError, KeyError):
        status = "stopped"
    return status, seconds


def bridge_of(posterior, library, data, file):
    """Bridge sampling on the reference draws: {value, standard_error}, or {why} without. Kept in a file."""
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(computed_bridge(posterior, library, data)), encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))


def computed_bridge(posterior, library, data):
    program = StanLibrary(library, data.read_text(encoding="utf-8"))
    reference, names = posterior.reference(), program.parameter_names()
    if posterior.program.stem == "eight_schools_noncentered":  # its draws are those of transformed parameters
        reference |= {name.replace("theta", "theta_trans"): (draws - reference["mu"]) / reference["tau"]
                      for name, draws in reference.items() if name.startswith("theta[")}
    missing = [name for name in names if name not in reference]
    if missing:
        return {"why": f"the reference lacks {missing[0]}"}
    points = program.unconstrained(numpy.column_stack([reference[name] for name in names]))
    points = points[numpy.isfinite(points).all(axis=1)]
    if len(points) < 100 * program.dimension:
        return {"why": "too few draws keep the constraints"}
    try:
        value, error = bridge_sampling.bridge_sampling(points, program.log_densities, numpy.random.default_rng(1))
    except numpy.linalg.LinAlgError:
        return {"why": "the draws have no covariance"}
    return {"value": value, "standard_error": error, "dimension": program.dimension}


def has_heavy_tail(draws):
    """Whether the variance seems infinite: Hill's estimate, by the outermost fiftieth, of a tail index above 1/2."""
    distances = numpy.sort(numpy.abs(draws - numpy.median(draws)))[::-1]
    n = len(distances) // 50
    return n > 0 and distances[n] > 0 and numpy.log(distances[:n] / distances[n]).mean() > 0.5


def differences(summary, reference):
    """The worst difference of a mean, in standard deviations, and ratio of standard deviations, with their quantities;
    of interquartile ranges where a tail is so heavy that there is no standard deviation."""
    found = {entry["name"]: entry for entry in summary.get("posterior", [])}
    means, ratios = [(0.0, "")], [(1.0, "")]
    for name, draws in reference.items():
        if name not in found:
            raise Failure(f"the run has no quantity {name}")
        mean, sd, entry = draws.mean(), draws.std(), found[name]
        if sd == 0:
            continue
        means.append((abs(float(entry["mean"]) - mean) / sd, name))
        if has_heavy_tail(draws):
            low, high = numpy.quantile(draws, (0.25, 0.75))
            ratios.append(((entry["quantiles"]["0.75"] - entry["quantiles"]["0.25"]) / (high - low), name))
        else:
            ratios.append((float(entry["sd"]) / sd, name))
    return max(means), max(ratios, key=lambda ratio: abs(numpy.log(max(ratio[0], 1e-300))))


def reason(summary):
    """Why a run is not supported: the first words of its warnings."""
    warnings = summary.get("diagnostics", {}).get("warnings", [])
    return "".join(f"; {re.split(':|;', warning)[0]}" for warning in warnings)


def row_of(posterior, status, seconds, where, bridge):
    row = {"posterior": posterior.name, "seconds": f"{seconds:.1f}", "d": bridge.get("dimension", "")}
    row["bridge sampling"] = f"{bridge['value']:.3f} ± {bridge['standard_error']:.4f}" if "value" in bridge else bridge["why"]
    if status != "finished":
        return row | {"verdict": status, "judgement": "refused" if status.startswith("refused") else "not ended"}
    summary = json.loads((where / "summary.json").read_text(encoding="utf-8"))
    estimate, support = summary["log_evidence"][0], summary["headline"].get("support", {}).get("word", "")
    (mean, of_mean), (sd, of_sd) = differences(summary, posterior.reference())
    row |= {"mean": f"{mean:.3f} ({of_mean})", "sd": f"{sd:.2f} ({of_sd})", "verdict": support + reason(summary)}
    passes = mean < MEAN and abs(sd - 1) < SD
    error = estimate.get("standard_error")
    row["log Z"] = f"{estimate['value']:.3f}" + (f" ± {error:.4f}" if error is not None else "")
    if "value" in bridge and error is not None:
        z = (estimate["value"] - bridge["value"]) / numpy.hypot(error, bridge["standard_error"])
        row["z"] = f"{z:+.1f}"
        passes = passes and abs(z) < Z
    return row | {"judgement": "right" if passes else "doubtful" if support != "supported" else "WRONG"}


def write_table(directory):
    """table.csv and table.md from the rows that are there; the rows."""
    rows = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((directory / "rows").glob("*.json"))]
    with (directory / "table.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, restval="")
        table.writeheader()
        table.writerows(rows)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in COLUMNS) + " |" for row in rows]
    (directory / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return rows


def counted(rows):
    """{judgement: number of rows}"""
    return dict(sorted(collections.Counter(row["judgement"] for row in rows).items()))


def within_30_seconds(rows):
    return sum(row["judgement"] in ("right", "doubtful") and float(row["seconds"]) <= 30 for row in rows)


def describe(rows):
    return f"{len(rows)} posteriors: " + ", ".join(f"{n} {words}" for words, n in counted(rows).items()) + \
        f"; {within_30_seconds(rows)} end within 30 s"


def write_page(rows, settings):
    """Files of measured numbers of docs/measured/posteriordb.md, and the page."""
    sys.path.insert(0, str(DOCS))
    import measured
    import measured_runs
    project = measured.Project()
    counts = {"posteriors": len(rows), **counted(rows), "end within 30 s": within_30_seconds(rows)}
    common = {"page": "docs/measured/posteriordb.md", "kind": "table", "source": "measured",
              "command": " ".join(["python3 tests/statistical/posteriordb/posteriordb.py posteriordb -o out --page",
                                   *(f"--set {setting}" for setting in settings)]),
              "jobs": {}, "no_job": "programs and data of another repository have no golden row",
              "revision": measured.git(project, "log", "-1", "--format=%h", "--abbrev=8", "--",
                                       *measured_runs.SOURCES).strip(),
              "date": datetime.date.today().isoformat(), "machine": measured_runs.machine(),
              "seconds": round(sum(float(row["seconds"]) for row in rows), 1)}
    tables = {"counts": (counts, [counts]), "posteriors": (COLUMNS, rows)}
    for name, (columns, lines) in tables.items():
        project.write_record(f"posteriordb.{name}", {
            "title": name, **common, "columns": list(columns), "rule": "|" + "---|" * len(columns),
            "rows": [[str(line.get(column, "")).replace("|", "/") for column in columns] for line in lines]})
    measured.make(project)


def judge(posterior, options, refused):
    """The row of a posterior."""
    place = options.output
    if posterior.program in refused:
        return {"posterior": posterior.name, "seconds": "0", "verdict": refused[posterior.program].split("\n")[0],
                "judgement": "not compiled"}
    library = place / "libraries" / f"{posterior.program.stem}.so"
    data = place / "data" / posterior.data.name.removesuffix(".zip")
    if not data.is_file():
        data.parent.mkdir(parents=True, exist_ok=True)
        data.write_text(json.dumps(repository.read_zipped(posterior.data)), encoding="utf-8")
    where = place / "runs" / posterior.name
    status, seconds = run(options.pearlite, posterior, library, data, where, options)
    bridge = bridge_of(posterior, library, data, place / "bridge" / f"{posterior.name}.json")
    return row_of(posterior, status, seconds, where, bridge)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--pearlite", default="pearlite")
    parser.add_argument("--only", default="", help="posteriors whose name this regular expression finds")
    parser.add_argument("--limit", type=int, default=300, help="processor seconds of a run")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of all configurations")
    parser.add_argument("--compile-all", action="store_true", help="only compile all programs, also without a reference")
    parser.add_argument("--table", action="store_true", help="only write the table")
    parser.add_argument("--page", action="store_true", help="write the table into docs/measured, too")
    parser.add_argument("--again", action="store_true", help="run again what has a row")
    options = parser.parse_args(arguments)
    options.output = options.output.resolve()
    return options


def main(arguments):
    options = parse(arguments)
    if not options.table:
        all_of_them = repository.posteriors(options.repository)
        wanted = [one for one in all_of_them if re.search(options.only, one.name) and one.has_reference]
        rows = options.output / "rows"
        rows.mkdir(parents=True, exist_ok=True)
        todo = [one for one in wanted if options.again or not (rows / f"{one.name}.json").is_file()]
        programs = repository.programs(options.repository) if options.compile_all else {one.program for one in todo}
        refused = {}
        if programs:
            refused = compile_programs(options.pearlite, programs, options.output / "libraries")
        for program, words in refused.items():
            print(f"{program.name} is not compiled: {words}")
        if options.compile_all:
            print(f"{len(programs) - len(refused)} programs are compiled, {len(refused)} are not")
            return 1 if refused else 0
        for k, posterior in enumerate(todo):
            if options.again:
                (options.output / "runs" / f"{posterior.name}.seconds").unlink(missing_ok=True)
            began = time.monotonic()
            row = judge(posterior, options, refused)
            (rows / f"{posterior.name}.json").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
            print(f"{k + 1}/{len(todo)} {posterior.name}: {row['judgement']}, {row['seconds']} s of a core, "
                  f"{time.monotonic() - began:.0f} s", flush=True)
    rows = write_table(options.output)
    print(describe(rows))
    if options.page:
        write_page(rows, options.set)
    return 1 if any(row["judgement"] in ("WRONG", "not compiled", "not ended") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
