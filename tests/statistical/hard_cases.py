"""Cases in which runs of an earlier version printed wrong numbers and a verdict that supported them, run again.

usage: hard_cases.py [SEEDS [PATTERN]]

Runs each case, or the cases whose name matches the pattern of shell wildcards, with seeds 1 to SEEDS (by default 5).
The table counts the runs whose verdict supports the number, or would if the exact value were not known; among them the
runs whose 95 % interval holds the truth; and the runs that are wrong by more than 4 errors. It shows the first run
beside the output of the earlier version. Evidence is exact, or from regression_evidence.py.
"""

import fnmatch
import math
import os
import pathlib
import random
import sys

import pearlite_runner as runner
from dimensions_test import simulated
from verdicts_test import REGRESSIONS

OLD_DEFAULTS = {"kernel.moves": 5, "kernel.adapt": "online"}


def gaussian(d, replicates=None, **more):
    keys = {"model.name": "gaussian", "model.dimension": d, "algorithm.name": "smc", **more}
    return keys if replicates is None else {**keys, "algorithm.replicates": replicates}


def vague(place, n):
    """A table of n responses, 1 where the sum of 0.5 x and a normal error is positive."""
    file = place / f"vague-{n}.csv"
    if not file.exists():
        draw = random.Random(n)
        rows = [(draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(n)]
        file.write_text("y,x\n" + "".join(f"{int(0.5 * x + e > 0)},{x:.6f}\n" for x, e in rows))
    return str(file)


def evidence_of_two(file, variance):
    """The log evidence of a logistic regression with an intercept and a slope, by a sum over a grid about the mode."""
    import numpy as np
    y, x = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)
    signs, design = 1 - 2 * y, np.column_stack([np.ones_like(x), x])

    def log_density(beta):  # beta: ... x 2
        softplus = np.logaddexp(0, signs * (beta @ design.T))
        return -softplus.sum(-1) - (beta ** 2).sum(-1) / (2 * variance) - np.log(2 * np.pi * variance)

    mode = np.zeros(2)
    for _ in range(50):  # Newton's
        mean = 1 / (1 + np.exp(-design @ mode))
        precision = (design.T * (mean * (1 - mean))) @ design + np.eye(2) / variance
        mode += np.linalg.solve(precision, design.T @ (y - mean) - mode / variance)
    scale = np.linalg.inv(np.linalg.cholesky(precision)).T
    step = 0.25
    steps = np.arange(-10, 10 + step / 2, step)
    grid = mode + np.array([(a, b) for a in steps for b in steps]) @ scale.T
    values = np.concatenate([log_density(part) for part in np.array_split(grid, 60)])
    largest = values.max()
    return largest + math.log(np.exp(values - largest).sum() * step ** 2 * abs(np.linalg.det(scale)))


def reference_of(keys):
    """(log evidence, its standard error) of a regression; None of other models, whose exact values runs know."""
    data = keys.get("model.data")
    if data is None:
        return None
    kind, _, size = pathlib.Path(data).stem.partition("-")
    return REGRESSIONS[int(size)] if kind == "logistic" else (evidence_of_two(data, keys["model.prior_variance"]), 0.0)


def cases(place):
    """(name, output of the earlier version, keys) of each case."""
    regression = {"model.name": "logistic-regression", "algorithm.name": "smc"}
    of_11, of_31 = (str(simulated(place / f"logistic-{d}.csv", d)) for d in (11, 31))
    peaks = {"model.name": "unequal-peaks", "algorithm.particles": 256, "algorithm.replicates": 8}
    tempering = {"algorithm.name": "parallel-tempering"}
    yield "gaussian d 5, 32 replicates", "z +3.8, -0.1, +0.6", gaussian(5, 32)
    yield "gaussian d 10, 32 replicates", "z +2.9, +4.2, +4.5", gaussian(10, 32)
    yield "gaussian d 20, 32 replicates", "z +12.9, +11.0, +12.9", gaussian(20, 32)
    yield "gaussian d 20, 8 replicates, 20 moves", "z +14.9", gaussian(20, 8, **{"kernel.moves": 20})
    yield "gaussian d 50, 8 replicates", "z -12", gaussian(50, 8)
    yield "gaussian d 100, 8 replicates", "z -4700", gaussian(100, 8)
    yield "gaussian d 20, 8 replicates, 5 moves, online", "z +11", gaussian(20, 8, **OLD_DEFAULTS)
    yield "gaussian d 100, 8 replicates, 5 moves, online", "z -4700", gaussian(100, 8, **OLD_DEFAULTS)
    yield "regression d 11", "24 of 30 hold", {**regression, "model.data": of_11}
    yield "regression d 31, 8 replicates", "-354.1 +- 0.6 for -342.1", {**regression, "model.data": of_31,
                                                                        "algorithm.replicates": 8}
    yield "regression d 11, tempering", "+113 +- 3.6 off", {**regression, **tempering, "model.data": of_11}
    for n in (100, 10000):
        yield f"two parameters, {n} observations, tempering", {100: "4 of 30 hold", 10000: "0 of 10 hold"}[n], {
            **regression, **tempering, "model.data": vague(place, n), "model.prior_variance": 1e4}
    yield "eight schools", "786.39 beside -31.30", {"model.name": "schools", "algorithm.name": "smc"}
    yield "unequal peaks, 8 replicates of 256", "5 of 20 hold", {**peaks, "algorithm.name": "smc"}
    yield "unequal peaks, tempering", "1 of 20 holds", {"model.name": "unequal-peaks", **tempering}
    yield "two peaks, importance squared", "14 of 20 hold", {"model.name": "two-peaks",
                                                            "algorithm.name": "importance-squared"}
    yield "Ising 5 x 5, coupling -1, nonequilibrium", "status 2", {
        "model.name": "ising", "model.size": 5, "model.coupling": -1.0, "algorithm.name": "nonequilibrium"}


def judged(summary, reference):
    """(whether the run itself raises no doubt, z or None, text)"""
    first = summary["log_evidence"][0]
    truth, of_truth = reference or (first.get("exact", math.nan), 0.0)
    support = summary["headline"]["support"]["word"]
    if "value" not in first:
        return False, None, "refused"
    if "standard_error" not in first:
        return False, None, f"{first['value']:.3f}, {support}"
    z = (first["value"] - truth) / math.hypot(first["standard_error"], of_truth)
    is_silent = support in ("supported", "contradicted") and not summary["diagnostics"].get("warnings")
    return is_silent, z, f"{first['value']:.3f} ± {first['standard_error']:.3f}, z {z:+.1f}, {support}"


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    pattern = sys.argv[2] if len(sys.argv) > 2 else "*"
    print("| case | earlier | now, seed 1 | supported | of these hold | wrong | s |\n|---|---|---|---|---|---|---|")
    wrong_in_all = 0
    with runner.scratch_directory() as place:
        for name, earlier, keys in cases(place):
            if not fnmatch.fnmatch(name, pattern):
                continue
            truth = reference_of(keys)
            supported = holds = wrong = 0
            shown, seconds = "", 0.0
            for seed in range(1, seeds + 1):
                toml = place / "case.toml"
                toml.write_text("".join(f"{key} = {runner.toml_value(value)}\n" for key, value in keys.items())
                                + f"run.seed = {seed}\n")
                ended = runner.pearlite("run", toml, "-o", place / "case", "--overwrite", timeout=3000,
                                        executable=os.environ["PEARLITE_KNOWN"])
                seconds += ended.seconds
                if ended.status != runner.FINISHED:
                    shown = shown or f"status {ended.status}"
                    continue
                is_silent, z, text = judged(runner.summary(place / "case"), truth)
                shown = shown or text
                if is_silent:
                    supported += 1
                    holds += abs(z) < 1.96
                    wrong += abs(z) > 4
            wrong_in_all += wrong
            print(f"| {name} | {earlier} | {shown} | {supported} of {seeds} | {holds} | {wrong} | {seconds / seeds:.1f} |",
                  flush=True)
    return 1 if wrong_in_all else 0


if __name__ == "__main__":
    sys.exit(main())
