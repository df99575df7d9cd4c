"""Are the errors of parallel tempering true? Judges the sweep tempering.toml of problems with known answers by its table,
and wrong twins, which it must reject. Limits and scores are those of calibration_test.py; a score is Student's t of one
degree of freedom less than there are systems. The integral over temperatures is in the table, but not judged: its error
has a part for its quadrature.

usage: tempering_test.py [REPLICATES]       200 replicates by default; status 1 if a figure misses
"""

import argparse
import math
import pathlib
import statistics
import sys

import calibration_test as calibration
import pearlite_runner as runner
import study_record as record

SYSTEMS = 32
JUDGED = ["mbar", "stepping-stone"]
ALL = [*JUDGED, "thermodynamic-integration"]


def main():
    parser = argparse.ArgumentParser(description="Are the errors of parallel tempering true?")
    parser.add_argument("replicates", nargs="?", type=int, default=calibration.FULL_STUDY)
    options = parser.parse_args()
    missed = []
    sweep, replicates = pathlib.Path(__file__).parent / "tempering.toml", f"sweep.replicates={options.replicates}"
    if record.is_first():
        with runner.scratch_directory() as place:
            record.first_replicates(sweep, place / "tempering", replicates, ranks=calibration.RANKS)
        return 0
    print("| problem | estimator | sd log Z | mean z | sd z | sd z of error / sqrt 2 |\n|---|---|---|---|---|---|")
    with runner.scratch_directory() as place:
        rows = calibration.sweep(sweep, place / "tempering", "--set", replicates)
    for problem in dict.fromkeys(row["problem"] for row in rows):
        own = [row for row in rows if row["problem"] == problem]
        for estimator in ALL:
            column = f"log_evidence.{estimator}.log_ratio."
            raw = calibration.numbers(own, column + "z_score")
            scores, twin = ([calibration.normal_score(factor * score, SYSTEMS - 1) for score in raw]
                            for factor in (1, math.sqrt(2)))
            print(f"| {problem} | {estimator} | {statistics.stdev(calibration.numbers(own, column + 'value')):.4f} "
                  f"| {statistics.fmean(scores):+.3f} | {statistics.stdev(scores):.3f} | {statistics.stdev(twin):.3f} |")
            if estimator not in JUDGED:
                continue
            case = f"{problem}, {estimator}"
            record.figure(f"{case}, error bars", len(scores), 0.98 * len(own))
            calibration.record_scores(case, scores, True, [("error / sqrt 2", twin)])
            if len(scores) < 0.98 * len(own):
                missed.append(f"{problem}, {estimator}: {len(own) - len(scores)} error bars are missing")
            if not calibration.is_accepted(scores, True):
                missed.append(f"{problem}, {estimator}: the standard error is not true")
            if calibration.is_accepted(twin, True):
                missed.append(f"{problem}, {estimator}: the error divided by sqrt 2 passed")
    for what in missed:
        print(f"MISSED: {what}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
