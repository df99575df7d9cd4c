"""Stan programs beside quadrature and rstan's NUTS: integrals, moments and processor time.

usage: study.py posteriors|evidence [--data DIRECTORY] [--programs A,B] [--seeds N] [--draws N] [-o DIRECTORY]

posteriors: seven programs, `smc` with 8192 particles and nothing else set. Log Z must lie within 4 of its standard errors
of quadrature if there is one, and its standard error must be at most 0.01; means must lie within 0.1 standard
deviations, and standard deviations within 10 %, of quadrature, or else of NUTS (4 chains of DRAWS, by default 5000).
False alarm: once in 15 000 runs for log Z; moments of 8192 particles have errors of about 0.015.

evidence: a hierarchical model of 100 parameters and a regression with 61 coefficients, on simulated data, beside NUTS
(4 chains of 1000 draws) and bridge sampling, with their processor time. A second run with fewer particles has about the
error of bridge sampling.

Debian has rstan, jsonlite and bridgesampling (r-cran-rstan, ...). `pearlite stan` and rstan compile each program, which
takes a minute and is not counted. Six data sets are from posteriordb, in DIRECTORY (by default `posteriordb` in
PEARLITE_DATA_DIR); docs/data.md names their source. Programs without data are skipped with a note; status 77 if all
are. One core each.
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys

import exact

import pearlite_runner as runner

HERE = pathlib.Path(__file__).parent
SCHOOLS = HERE.parents[1] / "stan" / "programs" / "eight_schools.stan"
POSTERIORDB = {"eight_schools": "eight_schools", "autoregression": "arK", "kid_scores": "kidiq", "garch": "garch",
               "hidden_markov": "hmm_example", "two_components": "low_dim_gauss_mix"}
POSTERIORS = [*POSTERIORDB, "gaussian_process"]
EVIDENCE = ["hierarchical", "logistic"]


def simulated(name):
    """Data of the programs that are not posteriordb's."""
    draw = random.Random(21)
    if name == "gaussian_process":
        x = sorted(draw.uniform(-3, 3) for _ in range(40))
        return {"N": 40, "x": x, "y": [math.sin(2 * value) + draw.gauss(0, 0.3) for value in x]}
    if name == "hierarchical":
        return {"J": 98, "y": [draw.gauss(draw.gauss(1, 0.8), 1) for _ in range(98)]}
    beta = [draw.gauss(0, 0.5) for _ in range(61)]
    rows = [[1.0, *(draw.gauss(0, 1) for _ in range(60))] for _ in range(500)]
    slopes = (sum(b * value for b, value in zip(beta, row, strict=True)) for row in rows)
    return {"N": 500, "D": 61, "x": rows, "y": [int(draw.random() < 1 / (1 + math.exp(-slope))) for slope in slopes]}


class Program:
    """A program with its data, in a separate directory."""

    def __init__(self, name, place, data):
        self.name, self.place = name, place / name
        self.place.mkdir(parents=True, exist_ok=True)
        self.source = SCHOOLS if name == "eight_schools" else HERE / f"{name}.stan"
        self.data = json.loads(data.read_text(encoding="utf-8")) if data else simulated(name)
        self.file = self.place / "data.json"
        self.file.write_text(json.dumps(self.data), encoding="utf-8")
        made = runner.pearlite("stan", self.source, "-o", self.place / "program.so", timeout=600)
        if made.status != 0:
            sys.exit(made.describe())

    def quadrature(self):
        """(log integral, {parameter: (mean, sd)}), or None."""
        integrate = getattr(exact, self.name, None)
        return integrate(self.data) if integrate else None

    def smc(self, particles, seed):
        """(summary, processor seconds)"""
        where = self.place / f"smc-{particles}-{seed}"
        file = runner.write_configuration(
            where.with_suffix(".toml"), model={"name": "stan", "library": "program.so", "data": "data.json"},
            algorithm={"name": "smc", "particles": particles})
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = runner.pearlite("run", file, "-o", where, "--seed", seed, "--overwrite", timeout=3600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.status != runner.FINISHED:
            sys.exit(ended.describe())
        return runner.summary(where), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def nuts(self, draws, what, seeds):
        """Results of nuts.R for each seed."""
        file = self.place / f"nuts-{what}.json"
        command = ["Rscript", "--vanilla", HERE / "nuts.R", self.source, self.file, draws, what, file, *seeds]
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"rstan: {self.name}: {ended.stderr}")
        return json.loads(file.read_text(encoding="utf-8"))


def compare_moments(rows, reference):
    """(largest distance of a mean in sds, largest relative distance of an sd)"""
    found = {row["name"]: row for row in rows}
    return (max(abs(found[name]["mean"] - mean) / sd for name, (mean, sd) in reference.items()),
            max(abs(found[name]["sd"] / sd - 1) for name, (_, sd) in reference.items()))


def posteriors(programs, seeds, draws):
    """Prints the table; returns the rows that miss their limits."""
    missed = []
    print(f"{'program':18}{'seed':>5}{'log Z':>12}{'+-':>8}{'quadrature':>13}{'z':>6}{'seconds':>9}"
          f"{'means, sd':>11}{'sds, %':>8}  moments beside", flush=True)
    for program in programs:
        quadrature = program.quadrature()
        if quadrature:
            reference, beside = quadrature[1], "quadrature"
        else:
            nuts = program.nuts(draws, "moments", [1])[0]
            beside = f"NUTS, {4 * draws} draws, {nuts['seconds']:.0f} s, R-hat {max(nuts['rhat']):.4f}"
            reference = {name: (mean, sd) for name, mean, sd in zip(nuts["names"], nuts["mean"], nuts["sd"], strict=True)
                         if name != "lp__"}
        for seed in seeds:
            summary, seconds = program.smc(8192, seed)
            estimate = summary["log_evidence"][0]
            value, error = estimate["value"], estimate["standard_error"]
            mean, sd = compare_moments(summary["posterior"], reference)
            z = (value - quadrature[0]) / error if quadrature else None
            print(f"{program.name:18}{seed:5}{value:12.4f}{error:8.4f}"
                  + (f"{quadrature[0]:13.4f}{z:+6.1f}" if quadrature else " " * 19)
                  + f"{seconds:9.1f}{mean:11.3f}{100 * sd:8.1f}  {beside}", flush=True)
            if (z is not None and abs(z) > 4) or error > 0.01 or mean > 0.1 or sd > 0.1:
                missed.append(f"{program.name}, seed {seed}")
    return missed


def evidence(programs, seeds):
    """Prints the table; returns the rows that miss their limits."""
    missed = []
    print(f"{'program':14}{'seed':>5}  {'method':34}{'log Z':>11}{'+-':>8}{'quadrature':>13}{'z':>6}{'seconds':>9}"
          f"{'seconds for 0.01':>18}", flush=True)
    for program in programs:
        quadrature = program.quadrature()
        rivals = {found["seed"]: found for found in program.nuts(1000, "bridge", seeds)}
        for seed in seeds:
            rival = rivals[seed]
            rows = [("NUTS, 4000 draws, bridge sampling", rival["log_integral"], rival["standard_error"], rival["seconds"])]
            for particles in (1024, 8192):
                summary, seconds = program.smc(particles, seed)
                estimate = summary["log_evidence"][0]
                rows.append((f"smc, {particles} particles", estimate["value"], estimate["standard_error"], seconds))
            exact_value, exact_error = (quadrature[0], 0.0) if quadrature else rows[0][1:3]
            for method, value, error, seconds in rows:
                compared = quadrature or method.startswith("smc")
                z = (value - exact_value) / math.hypot(error, exact_error) if compared else None
                print(f"{program.name:14}{seed:5}  {method:34}{value:11.4f}{error:8.4f}"
                      + (f"{exact_value:13.4f}" if quadrature else " " * 13) + (f"{z:+6.1f}" if compared else " " * 6)
                      + f"{seconds:9.1f}{seconds * (error / 0.01) ** 2:18.1f}", flush=True)
                if method.startswith("smc") and (abs(z) > 4 or error > 0.1):
                    missed.append(f"{program.name}, seed {seed}, {method}")
    return missed


def missing(table):
    """A message if R or a package for this table is not installed; otherwise empty."""
    packages = ["rstan", "StanHeaders", "jsonlite"] + (["bridgesampling"] if table == "evidence" else [])
    names = ", ".join(f'"{package}"' for package in packages)
    with contextlib.suppress(FileNotFoundError):
        check = f"quit(status = !all(sapply(c({names}), requireNamespace, quietly = TRUE)))"
        if subprocess.run(["Rscript", "--vanilla", "-e", check], capture_output=True, check=False).returncode == 0:
            return ""
    return f"R with its packages {names} is not installed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["posteriors", "evidence"])
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "."), "posteriordb"))
    parser.add_argument("--programs")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--draws", type=int, default=5000)
    parser.add_argument("-o", dest="directory", type=pathlib.Path)
    options = parser.parse_args()
    if lacking := missing(options.table):
        print(f"skipped: {lacking}")
        return runner.SKIPPED
    names = POSTERIORS if options.table == "posteriors" else EVIDENCE
    if options.programs:
        names = options.programs.split(",")
    with contextlib.ExitStack() as stack:
        place = options.directory or stack.enter_context(runner.scratch_directory())
        programs = []
        for name in names:
            data = options.data / f"{POSTERIORDB[name]}.json" if name in POSTERIORDB else None
            if data and not data.is_file():
                print(f"left out: {name}: {data} is missing")
            else:
                programs.append(Program(name, place, data))
        if not programs:
            print("skipped: no data")
            return runner.SKIPPED
        seeds = range(1, options.seeds + 1)
        if options.table == "posteriors":
            missed = posteriors(programs, seeds, options.draws)
        else:
            missed = evidence(programs, seeds)
    print(f"missed: {'; '.join(missed)}" if missed else "all within their limits")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
