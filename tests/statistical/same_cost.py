"""Kernels and forms of SMC at the same cost: the error of log Z after a minute of one core, and the effective draws of
the posterior in a second.

usage: same_cost.py [REPLICATES] [--targets A,B] [--methods "A;B"] [--limit SECONDS]

Each row is one run with the keys of its method and defaults otherwise, with 8 replicates of 1024 particles on one core.
Seconds are processor time, pilot included; error x sqrt(seconds/60) is the error after a minute; effective draws are
the median over the parameters. Errors from R replicates have a relative error of 1/sqrt(2 (R - 1)), about a quarter for
8. Runs that take longer than the limit are stopped.
"""

import argparse
import math
import resource
import sys

import pearlite_runner as runner
from dimensions_test import simulated

TARGETS = ["gaussian 20", "gaussian 50", "gaussian 100", "logistic 31", "logistic 61"]
METHODS = {
    "hmc": {},
    "hmc, leapfrogs": {"kernel.kind": "hmc", "kernel.integrator": "leapfrog"},
    "mala": {"kernel.kind": "mala"},
    "random-walk": {"kernel.kind": "random-walk"},
    "slice": {"kernel.kind": "slice"},
    "student-mixture": {"kernel.kind": "student-mixture"},
    "hmc, waste-free 4": {"algorithm.waste_free": 4},
    "hmc, waste-free 64": {"algorithm.waste_free": 64},
    "hmc, bridge": {"path.kind": "bridge"},
}


def model_of(place, target):
    name, d = target.split()
    if name == "gaussian":
        return {"name": "gaussian", "dimension": int(d)}
    return {"name": "logistic-regression", "data": str(simulated(place / f"logistic-{d}.csv", int(d)))}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(place, target, method, replicates, limit):
    toml = runner.write_configuration(place / "run.toml", model=model_of(place, target),
                                      algorithm={"name": "smc", "replicates": replicates})
    sets = [part for key, value in METHODS[method].items() for part in ("--set", f"{key}={runner.toml_value(value)}")]
    before = processor_seconds()
    try:
        ended = runner.pearlite("run", toml, "-o", place / "run", "--overwrite", *sets, timeout=limit)
    except runner.Hang:
        return f"| {target} | {method} | | > {limit:.0f} | | |"
    if ended.status != runner.FINISHED:
        raise RuntimeError(ended.describe())
    seconds = processor_seconds() - before
    summary = runner.summary(place / "run")
    first = summary["log_evidence"][0]
    ess = sorted(each["ess"] for each in summary.get("posterior", []))
    draws = f"{ess[len(ess) // 2] / seconds:.0f}" if ess else ""
    if "standard_error" not in first:
        return f"| {target} | {method} | {first['value']:.3f}, no error bar | {seconds:.1f} | | {draws} |"
    error = first["standard_error"]
    return (f"| {target} | {method} | {first['value']:.3f} ± {error:.3f} | {seconds:.1f} "
            f"| {error * math.sqrt(seconds / 60):.4f} | {draws} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("replicates", nargs="?", type=int, default=8)
    parser.add_argument("--targets", type=lambda text: text.split(","), default=TARGETS)
    parser.add_argument("--methods", type=lambda text: text.split(";"), default=list(METHODS))
    parser.add_argument("--limit", type=float, default=600)
    options = parser.parse_args()
    print("| target | method | log evidence | s | error after 60 s | draws/s |\n|---|---|---|---|---|---|")
    with runner.scratch_directory() as place:
        for target in options.targets:
            for method in options.methods:
                print(row(place, target, method, options.replicates, options.limit), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
