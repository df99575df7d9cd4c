#!/usr/bin/env python3
"""Evidence by pearlite with nothing set, beside NUTS and bridge sampling, by the errors that both really have.

usage: beside_stan.py PEARLITE [--seeds 10] [--posteriordb DIRECTORY] [--only PATTERN]

Logistic regressions of 500 rows with 8, 31 and 61 coefficients (a native model here), a hierarchical program of 100
parameters and, with posteriordb's repository, children's test scores (the same Stan program on both sides). The peer is
rstan's NUTS, 4 chains of 1000, and bridgesampling (Debian: r-cran-rstan, r-cran-bridgesampling, r-cran-jsonlite). Each
side has one row of seeds; an error is the standard deviation over them, beside the stated one. Seconds are those of the
processor: of the whole command here, without compilation there; "for 0.01" scales them by the variance.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent / "beside_stan"
NAMES = {"logistic8": 7, "logistic31": 30, "logistic61": 60, "hierarchical": None, "kid_scores": None}


def logistic(covariates):
    """Rows (y, x) of a regression with standard normal covariates."""
    import numpy
    rng = numpy.random.default_rng(100 + covariates)
    x, beta = rng.normal(size=(500, covariates)), rng.normal(size=covariates) * 0.5
    y = (rng.uniform(size=500) < 1 / (1 + numpy.exp(-(0.3 + x @ beta)))).astype(int)
    return y.tolist(), numpy.round(x, 6).tolist()


def data_of(name, posteriordb):
    if NAMES[name]:
        y, x = logistic(NAMES[name])
        return {"N": 500, "D": NAMES[name] + 1, "x": [[1.0, *row] for row in x], "y": y}
    if name == "hierarchical":
        draw = random.Random(21)
        return {"J": 98, "y": [draw.gauss(draw.gauss(1, 0.8), 1) for _ in range(98)]}
    with zipfile.ZipFile(posteriordb / "posterior_database/data/data/kidiq.json.zip") as archive:
        return json.loads(archive.read(archive.namelist()[0]))


def model_of(name, data, place, pearlite):
    """The lines of [model]."""
    if not NAMES[name]:
        library = place / f"{name}.so"
        subprocess.run([pearlite, "stan", "-o", library, HERE / f"{name}.stan"], check=True)
        return f'name = "stan"\nlibrary = "{library}"\ndata = "{place / name}.json"\n'
    with (place / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["y", *(f"x{k}" for k in range(NAMES[name]))])
        table.writerows([y, *row[1:]] for y, row in zip(data["y"], data["x"]))
    return f'name = "logistic-regression"\ndata = "{place / name}.csv"\nresponse = "y"\nprior_variance = 6.25\n'


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(pearlite, configuration, seeds, place):
    """(value, stated error, seconds) of each seed."""
    rows = []
    for seed in range(1, seeds + 1):
        began = processor_seconds()
        subprocess.run([pearlite, "run", configuration, "--seed", str(seed), "-o", place / "run", "--overwrite"], check=True,
                       stdout=subprocess.DEVNULL)
        headline = json.loads((place / "run/summary.json").read_text(encoding="utf-8"))["headline"]
        rows.append((headline["value"], headline["standard_error"], processor_seconds() - began))
    return rows


def theirs(name, seeds, place):
    ended = subprocess.run(["Rscript", "--vanilla", HERE / "peer.R", HERE / f"{name.rstrip('0123456789')}.stan", str(seeds),
                            place / f"{name}.json"], check=True, stdout=subprocess.PIPE, text=True)
    return [tuple(map(float, line.split()[1:])) for line in ended.stdout.splitlines() if line.startswith("row ")]


def describe(rows):
    """Mean with its error, standard deviation, mean of stated errors, seconds, seconds for 0.01."""
    values, errors, seconds = zip(*rows)
    sd = statistics.stdev(values)
    return (f"{statistics.mean(values):.4f} ± {sd / math.sqrt(len(rows)):.4f} | {sd:.4f} | {statistics.mean(errors):.4f} | "
            f"{statistics.mean(seconds):.2f} | {statistics.mean(seconds) * (sd / 0.01) ** 2:.3g}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("pearlite", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--posteriordb", type=pathlib.Path, help="its repository; without it there are no test scores")
    parser.add_argument("--only", default="", help="targets whose name this regular expression finds")
    options = parser.parse_args(arguments)
    pearlite = options.pearlite.resolve()
    print("| target | program | log evidence | error over seeds | stated error | seconds | for 0.01 |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        for name in NAMES:
            if not re.search(options.only, name) or (name == "kid_scores" and not options.posteriordb):
                continue
            data = data_of(name, options.posteriordb)
            (place / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
            (place / f"{name}.toml").write_text("[model]\n" + model_of(name, data, place, pearlite), encoding="utf-8")
            print(f"| {name} | pearlite | {describe(ours(pearlite, place / f'{name}.toml', options.seeds, place))} |", flush=True)
            print(f"| | NUTS, bridge sampling | {describe(theirs(name, options.seeds, place))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
