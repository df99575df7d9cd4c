"""True errors of tempered SMC, importance sampling squared and pseudo-marginal chains under noisy likelihoods, with
equal numbers of estimates: judges jobs/papers/estimated-likelihood-robustness.toml at its narrower prior. The errors
that the algorithms state enter only where they are judged.

usage: robustness_test.py REPLICATES

The true effective sample size is the posterior variance over the mean squared error of the posterior means of four
independent parameters: a share of sqrt(2 / (4 R)) of it is its own standard error over R replicates. Four of these
widen all limits.
"""

import math
import statistics
import sys

import calibration_test
import pearlite_runner as runner
import study_record as record

SWEEP = calibration_test.JOBS / "papers" / "estimated-likelihood-robustness.toml"
PRIOR_SD, DATA_SD, DIMENSION = 1.0, 0.5, 4
ALGORITHMS = ("AISEL", "importance sampling squared", "chains")
QUIET, NOISY = 1.0, 10.0
# At the smallest noise: a stated ESS is true within this factor, apart from the error of the study, and log p(y) has at
# most this error.
LARGEST_FACTOR = 1.5
LARGEST_ERROR = 0.1
# At the largest noise every algorithm has lost most of its true effective sample size, whatever ESS it states.
LARGEST_SHARE_LEFT = 0.3


def data_of(scratch):
    """The four data, which the posterior of a run holds."""
    import h5py  # no run needs it

    runner.write_configuration(scratch / "data.toml", model={"name": "noisy-likelihood", "dimension": DIMENSION,
                                                             "prior_sd": PRIOR_SD, "data_sd": DATA_SD},
                               algorithm={"name": "smc", "particles": 32})
    ended = runner.pearlite("run", scratch / "data.toml", "-o", scratch / "data")
    if ended.status != runner.FINISHED:
        raise AssertionError(ended.describe())
    with h5py.File(scratch / "data" / "posterior.nc") as posterior:
        return posterior["observed_data/y"][()].tolist()


def true_ess(rows, data):
    shrunk = PRIOR_SD**2 / (PRIOR_SD**2 + DATA_SD**2)
    squared = [(float(row[f"posterior.theta{k + 1}.mean"]) - shrunk * y) ** 2 for row in rows for k, y in enumerate(data)]
    return shrunk * DATA_SD**2 / statistics.fmean(squared)


def claimed_ess(rows):
    """The mean ESS that runs state; None if they withhold it, as SMC does when estimates are noisy."""
    claims = calibration_test.numbers(rows, "diagnostics.ess")
    return statistics.fmean(claims) if claims else None


def rms_error(rows, data):
    """The root mean squared error of log p(y), which chains do not estimate."""
    variance = PRIOR_SD**2 + DATA_SD**2
    exact = sum(-0.5 * (math.log(2 * math.pi * variance) + y**2 / variance) for y in data)
    return math.sqrt(statistics.fmean((float(row["headline.value"]) - exact) ** 2 for row in rows))


def main():
    replicates = int(sys.argv[1])
    slack = 1 + 4 * math.sqrt(2 / (DIMENSION * replicates))
    with runner.scratch_directory() as place:
        data = data_of(place)
        settings = (f"sweep.replicates={replicates}", f"sweep.model.noise_variance=[{QUIET},{NOISY}]",
                    f"sweep.model.prior_sd=[{PRIOR_SD}]")
        if record.is_first():
            record.first("data", data)
            record.first_replicates(SWEEP, place / "robustness", *settings, ranks=calibration_test.RANKS)
            return 0
        sets = [word for setting in settings for word in ("--set", setting)]
        rows = calibration_test.sweep(SWEEP, place / "robustness", *sets)
    good = True
    print("| algorithm | noise | claimed ESS | true ESS | rms error of log p(y) |\n|---|---|---|---|---|")
    for algorithm in ALGORITHMS:
        of = {noise: [row for row in rows if row["variant"] == algorithm and float(row["model.noise_variance"]) == noise]
              for noise in (QUIET, NOISY)}
        true = {noise: true_ess(own, data) for noise, own in of.items()}
        claimed = {noise: claimed_ess(own) for noise, own in of.items()}
        factor = claimed[QUIET] / true[QUIET]
        judged = 1 / (LARGEST_FACTOR * slack) < factor < LARGEST_FACTOR * slack
        record.figure(f"{algorithm}, claimed over true ESS", factor, 1 / (LARGEST_FACTOR * slack),
                      LARGEST_FACTOR * slack)
        record.figure(f"{algorithm}, share of the true ESS at most noise", true[NOISY] / true[QUIET], 0,
                      LARGEST_SHARE_LEFT * slack)
        judged = judged and true[NOISY] < LARGEST_SHARE_LEFT * slack * true[QUIET]
        errors = {noise: "" if algorithm == "chains" else f"{rms_error(own, data):.3f}" for noise, own in of.items()}
        if algorithm != "chains":
            quiet, noisy = rms_error(of[QUIET], data), rms_error(of[NOISY], data)
            record.figure(f"{algorithm}, rms error at least noise", quiet, 0, LARGEST_ERROR * slack)
            record.figure(f"{algorithm}, rms error at most noise", noisy, quiet)
            judged = judged and quiet < LARGEST_ERROR * slack and noisy > quiet
        for noise in of:
            stated = "none" if claimed[noise] is None else f"{claimed[noise]:.0f}"
            print(f"| {algorithm} | {noise:g} | {stated} | {true[noise]:.0f} | {errors[noise]} |"
                  + ("" if judged else "   MISSED"))
        good = good and judged
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
