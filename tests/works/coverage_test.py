"""Are the error bars of `pearlite works` and `pearlite mbar` true? Data sets of harmonic oscillators, whose free energies
are known, go through the command as files, and its 95 % intervals must hold the answer as often as they state.

usage: coverage_test.py works|mbar [REPLICATES] [--seed SEED]      1000 data sets of each problem by default

Limits are 0.93 to 0.97 from 1000 data sets on, and as many standard errors, 2.9, for fewer: a true interval misses them
in 0.4 % of all studies. Below 1000 the problems are judged together. The wrong twin, with errors divided by sqrt 2 and
a coverage of 0.83, must miss them. Studies of fewer than 1000 detect only large faults, so their twin has errors
divided by 2 and a coverage of 0.67. At least 99 % of all data sets must have an error bar.
"""

import argparse
import collections
import csv
import math
import sys
import typing

import numpy
import pearlite_runner as runner
import study_record as record

FULL_STUDY = 1000
LEAST_GIVEN = 0.99


class Switching(typing.NamedTuple):
    """Springs u_k(x) = stiffness_k (x - centre_k)^2/2, in kT, from k = 0 to `steps`, all on straight lines; at each k
    between, x relaxes as an autoregressive process that leaves exp(-u_k) invariant and remembers `memory` of it."""

    centre: float
    stiffness: float  # both at the end; 0 and 1 at the beginning
    steps: int
    memory: float
    forward: int  # numbers of works
    reverse: int

    def free_energy(self):
        return 0.5 * math.log(self.stiffness)

    def works(self, rng, n, backwards):
        """Works on the system, of n trajectories from equilibrium at one end."""
        t = numpy.linspace(0, 1, self.steps + 1)[::-1 if backwards else 1]
        centres, stiffnesses = self.centre * t, 1 + (self.stiffness - 1) * t
        x = centres[0] + rng.normal(size=n) / math.sqrt(stiffnesses[0])
        works = numpy.zeros(n)
        for k in range(self.steps):
            works += 0.5 * (stiffnesses[k + 1] * (x - centres[k + 1]) ** 2 - stiffnesses[k] * (x - centres[k]) ** 2)
            noise = rng.normal(size=n) * math.sqrt((1 - self.memory ** 2) / stiffnesses[k + 1])
            x = centres[k + 1] + self.memory * (x - centres[k + 1]) + noise
        return works


# Works of a spring that is dragged are normal; of one whose stiffness changes they are not.
SWITCHINGS = {
    "dragged, 100 and 100 works": Switching(4, 1, 10, 0.5, 100, 100),
    "16 times as stiff, 100 and 100 works": Switching(0, 16, 4, 0.5, 100, 100),
    "16 times as stiff, dragged, 300 and 60 works": Switching(2, 16, 10, 0.3, 300, 60),
}


class Score(typing.NamedTuple):
    """The error of an estimate from one data set, and whether its intervals hold the truth."""

    estimator: str
    error: float  # value - truth
    is_in: typing.Optional[bool]  # the interval; None if none is given
    is_in_twin: typing.Optional[bool]
    half_width: typing.Optional[float]  # of the interval


def score(estimator, value, truth, interval, factor):
    if interval is None:
        return Score(estimator, value - truth, None, None, None)
    centre, half = (interval[0] + interval[1]) / 2, (interval[1] - interval[0]) / 2
    return Score(estimator, value - truth, interval[0] <= truth <= interval[1], abs(centre - truth) <= half / factor, half)


def finished(place, *arguments):
    # Open MPI starts in half the time without the daemon that it keeps for more ranks.
    ended = runner.pearlite(*arguments, "-o", place / "found", "--overwrite", timeout=300,
                            environment={"OMPI_MCA_ess_singleton_isolated": "1"})
    if ended.status != runner.FINISHED:
        raise RuntimeError(ended.describe())
    return runner.summary(place / "found")


def scores_of_works(place, problem, seed, factor):
    switching = SWITCHINGS[problem]
    rng = numpy.random.default_rng(seed)
    files = []
    for name, n, backwards in (("forward", switching.forward, False), ("reverse", switching.reverse, True)):
        files.append(place / f"{name}.csv")
        files[-1].write_text("work\n" + "".join(f"{w!r}\n" for w in switching.works(rng, n, backwards).tolist()),
                             encoding="utf-8")
    summary = finished(place, "works", *files, "--independent", "--seed", seed[0])
    truth = switching.free_energy()
    headline = summary["free_energy_difference"]
    scores = [score("headline", headline["value"], truth, headline.get("interval95"), factor)]
    for entry in summary["log_evidence"]:
        method = (entry["estimator"], entry.get("error_method"))
        if method[0] in ("bar", "histogram") and "value" in entry:
            scores.append(score(", ".join(filter(None, method)), entry["value"], -truth, entry.get("interval95"),
                                factor))
    return scores


# The harmonic oscillators of pymbar's own tests: centres, spring constants, samples.
CENTRES, STIFFNESSES, SAMPLES = numpy.array([1, 2, 3, 4.0]), numpy.array([0.5, 1, 1.5, 2]), numpy.array([1000, 500, 0, 800])


def scores_of_mbar(place, _, seed, factor):
    rng = numpy.random.default_rng(seed)
    x = numpy.concatenate([rng.normal(c, k ** -0.5, n) for c, k, n in zip(CENTRES, STIFFNESSES, SAMPLES)])
    numpy.savez(place / "u.npz", u_kn=0.5 * STIFFNESSES[:, None] * (x - CENTRES[:, None]) ** 2, N_k=SAMPLES)
    states = finished(place, "mbar", place / "u.npz", "--independent")["mbar"]["states"]
    scores = []
    for k, state in list(enumerate(states))[1:]:
        error, value = state.get("standard_error"), state["free_energy"]
        interval = None if error is None else (value - 1.96 * error, value + 1.96 * error)
        scores.append(score(f"f_{k} - f_0", value, 0.5 * math.log(STIFFNESSES[k] / STIFFNESSES[0]), interval, factor))
    return scores


STUDIES = {"works": (scores_of_works, list(SWITCHINGS)), "mbar": (scores_of_mbar, ["four oscillators"])}


def limits(n):
    half = 0.02 * math.sqrt(FULL_STUDY / min(n, FULL_STUDY))
    return 0.95 - half, min(0.95 + half, 1)


def judged(problem, estimator, scores):
    """A row of the table, and whether its figures are within their limits."""
    given = [each for each in scores if each.is_in is not None]
    low, high = limits(len(given))
    coverage, twin = (sum(flags) / max(1, len(given)) for flags in zip(*[(each.is_in, each.is_in_twin) for each in given]))
    errors = numpy.array([each.error for each in scores])
    is_true = low <= coverage <= high and not low <= twin <= high and len(given) >= LEAST_GIVEN * len(scores)
    case = f"{problem}, {estimator}"
    record.figure(f"{case}, coverage", coverage, low, high)
    record.figure(f"{case}, coverage of the wrong twin", twin, low, high, outside=True)
    record.figure(f"{case}, share of error bars", len(given) / len(scores), LEAST_GIVEN)
    row = {"problem": problem, "estimator": estimator, "data sets": len(scores), "given": len(given) / len(scores),
           "bias": f"{errors.mean():+.4f}", "sd": f"{errors.std(ddof=1):.4f}", "coverage": f"{coverage:.3f}",
           "wrong twin": f"{twin:.3f}", "limits": f"{low:.3f} to {high:.3f}", "verdict": "true" if is_true else "MISSED"}
    return row, is_true


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("replicates", nargs="?", type=int, default=FULL_STUDY)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scores_of, problems = STUDIES[options.study]
    is_full = options.replicates >= FULL_STUDY
    factor = math.sqrt(2) if is_full else 2
    found = collections.defaultdict(list)
    with runner.scratch_directory() as directory:
        def attempt(problem, k):
            place = directory / f"{problems.index(problem)}-{k}"
            place.mkdir()
            return problem, scores_of(place, problem, [options.seed, problems.index(problem), k], factor)
        cases = [(problem, k) for problem in problems for k in range(1 if record.is_first() else options.replicates)]
        for problem, scores in runner.side_by_side(attempt, cases, workers=4):
            for each in scores:
                if record.is_first():
                    record.first(problem, *each)
                found[problem if is_full else "all", each.estimator].append(each)
    if record.is_first():
        return 0
    rows = [judged(problem, estimator, scores) for (problem, estimator), scores in found.items()]
    writer = csv.DictWriter(sys.stdout, rows[0][0])
    writer.writeheader()
    writer.writerows(row for row, _ in rows)
    return 0 if all(is_true for _, is_true in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
