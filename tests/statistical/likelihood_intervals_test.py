"""Coverage of 95 % intervals of log p(y) from estimated likelihoods: judges the sweep likelihood-intervals.toml.
Intervals shortened by sqrt 2 must fall below the limits.

usage: likelihood_intervals_test.py REPLICATES

Limits: 93 to 97 % at 1000 replicates, widened by four binomial standard errors for fewer; conservative intervals have
no upper limit. A true coverage of 95 % misses the limits of 1000 replicates in 0.4 % of all studies.
"""

import math
import statistics
import sys

import calibration_test
import pearlite_runner as runner
import study_record as record

PRODUCT, CORRECTED = "log_evidence.product.log_ratio.", "log_evidence.power-posterior-corrected.log_ratio."
IS_CONSERVATIVE = {"one run, systematic (default)": True, "one run, multinomial": False,
                   "16 replicates of 128, systematic": False}


def share_covered(rows, estimate, factor=1.0):
    """(share, number of intervals), each shrunk about its value by `factor`."""
    held = []
    for row in rows:
        if row[estimate + "interval95.low"] == "":
            continue
        value, exact, low, high = (float(row[estimate + name]) for name in ("value", "exact", "interval95.low", "interval95.high"))
        held.append(value + factor * (low - value) <= exact <= value + factor * (high - value))
    return statistics.fmean(held), len(held)


def limits_of(n, is_conservative):
    slack = 0 if n >= 1000 else 4 * math.sqrt(0.95 * 0.05 / n)
    return 0.93 - slack, math.inf if is_conservative else 0.97 + slack


def is_covering(share, n, is_conservative):
    low, high = limits_of(n, is_conservative)
    return low <= share <= high


def main():
    replicates, missed = f"sweep.replicates={int(sys.argv[1])}", []
    sweep = calibration_test.HERE / "likelihood-intervals.toml"
    with runner.scratch_directory() as place:
        if record.is_first():
            record.first_replicates(sweep, place / "intervals", replicates, ranks=calibration_test.RANKS)
            return 0
        rows = calibration_test.sweep(sweep, place / "intervals", "--set", replicates)
    print("| run | product | share with an interval | interval / sqrt 2 (wrong) | by integration, corrected |\n"
          "|---|---|---|---|---|")
    for name, is_conservative in IS_CONSERVATIVE.items():
        own = [row for row in rows if row["variant"] == name]
        product, n = share_covered(own, PRODUCT)
        twin, _ = share_covered(own, PRODUCT, 1 / math.sqrt(2))
        corrected, n_corrected = share_covered(own, CORRECTED)
        good = (is_covering(product, n, is_conservative) and n > 0.95 * len(own) and not is_covering(twin, n, is_conservative)
                and is_covering(corrected, n_corrected, "one run" in name))
        limits = limits_of(n, is_conservative)
        record.figure(f"{name}, coverage", product, *limits)
        record.figure(f"{name}, coverage of intervals / sqrt 2", twin, *limits, outside=True)
        record.figure(f"{name}, share with an interval", n / len(own), 0.95)
        record.figure(f"{name}, coverage by integration, corrected", corrected,
                      *limits_of(n_corrected, "one run" in name))
        print(f"| {name} | {product:.3f} | {n / len(own):.3f} | {twin:.3f} | {corrected:.3f} |"
              + ("" if good else "   MISSED"))
        missed += [] if good else [name]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
