"""The defaults in many dimensions: with nothing set but the model and eight replicates of SMC, log Z must lie within 4
errors of its reference, with an error bar of at most 0.1, and with a verdict that supports it. A run from the prior
that makes one move of the random walk at each temperature is the wrong twin: it is far off, and its verdict must not support it (most
often its batches differ so much that it has no error bar).

usage: dimensions_test.py short|full

Gaussians have their exact answer, a logistic regression of simulated data (1000 rows, or 500; prior variance 100),
whose default path begins at Laplace's approximation, that of the path from the prior. False alarm of each comparison: with the
errors of 8 replicates (t with 7 degrees of freedom), 5 in 1000; the seeds are fixed.
"""

import json
import math
import random
import sys

import pearlite_runner as runner
import study_record as record

REPLICATES = 1 if record.is_first() else 8
CASES = {"short": {"gaussian": [20, 50], "logistic-regression": [31]},
         "full": {"gaussian": [20, 50, 100], "logistic-regression": [31, 61]}}


def simulated(file, d):
    """A table of a 0 or 1 and d - 1 covariates; the coefficients are N(0, 1/4), the covariates N(0, 1)."""
    draw = random.Random(d)
    coefficients = [draw.gauss(0, 0.5) for _ in range(d)]
    lines = [",".join(["y", *(f"x{k}" for k in range(1, d))])]
    for _ in range(500 if d < 50 else 1000):
        row = [draw.gauss(0, 1) for _ in range(d - 1)]
        slope = coefficients[0] + sum(c * x for c, x in zip(coefficients[1:], row, strict=True))
        lines.append(",".join([str(int(draw.random() < 1 / (1 + math.exp(-slope)))), *(f"{x:.6f}" for x in row)]))
    file.write_text("\n".join(lines) + "\n")
    return file


def log_evidence(place, name, model, *settings):
    """(value, standard error or 0 if withheld, exact value or None, support, seconds) of log Z/Z_0."""
    toml = runner.write_configuration(place / f"{name}.toml", model=model,
                                      algorithm={"name": "smc", "replicates": REPLICATES})
    sets = [part for setting in settings for part in ("--set", setting)]
    ended = runner.pearlite("run", toml, "-o", place / name, *sets, timeout=1500)
    if ended.status != runner.FINISHED:
        raise RuntimeError(ended.describe())
    summary = json.loads((place / name / "summary.json").read_text())
    if record.is_first():
        record.first_run(name, summary)
    first = summary["log_evidence"][0]
    support = summary["headline"]["support"]["word"]
    return first["value"], first.get("standard_error", 0.0), first.get("exact"), support, ended.seconds


def models(place, cases):
    for d in cases["gaussian"]:
        yield f"gaussian-{d}", {"name": "gaussian", "dimension": d}
    for d in cases["logistic-regression"]:
        yield f"logistic-{d}", {"name": "logistic-regression", "data": str(simulated(place / f"logistic-{d}.csv", d))}


def record_judged(name, z, error, verdict):
    record.figure(f"{name}, z", z, -4, 4)
    record.figure(f"{name}, standard error", error, 0, 0.1)
    record.figure(f"{name}, is supported", verdict == "supported", 1, 1)


def main():
    missed = []
    print("| model | log Z/Z_0 | reference | z | seconds | one random-walk move (wrong) |\n|---|---|---|---|---|---|")
    with runner.scratch_directory() as place:
        for name, model in models(place, CASES[sys.argv[1]]):
            value, error, exact, verdict, seconds = log_evidence(place, name, model)
            reference, reference_error = exact, 0.0
            if exact is None:
                reference, reference_error, *_ = log_evidence(place, name + "-prior", model, "path.kind='tempered'")
            twin, twin_error, _, twin_verdict, _ = log_evidence(place, name + "-twin", model, "path.kind='tempered'",
                                                                "kernel.kind='random-walk'", "kernel.moves=1",
                                                                "kernel.adapt='online'")
            if record.is_first():
                continue
            z = (value - reference) / math.hypot(error, reference_error)
            near = 4 * math.hypot(twin_error, reference_error)
            is_far = abs(twin - reference) > near
            record_judged(name, z, error, verdict)
            record.figure(f"{name}, error of the wrong twin", twin - reference, -near, near, outside=True)
            record.figure(f"{name}, the wrong twin is supported", twin_verdict == "supported", 0, 0)
            good = (abs(z) < 4 and 0 < error <= 0.1 and verdict == "supported" and is_far and twin_verdict != "supported")
            print(f"| {name} | {value:.3f} ± {error:.3f} | {reference:.3f} ± {reference_error:.3f} | {z:+.1f} "
                  f"| {seconds:.1f} | {twin:.1f}" + (f" ± {twin_error:.1f} |" if twin_error else ", no error bar |") + ("" if good else f"   MISSED: {verdict}; {twin_verdict}"))
            missed += [] if good else [name]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
