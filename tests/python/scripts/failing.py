"""A run that does not end well: failing.py HOW [OUTPUT]."""

import sys
import time

import numpy
import pearlite

HOW, OUTPUT = sys.argv[1], (sys.argv[2:] or [None])[0]
PRIOR = pearlite.priors.Normal(0, 1, 2)
kept, calls = [], 0


class Unsendable(Exception):
    """An exception that cannot be pickled."""

    def __init__(self, what, _):
        super().__init__(what)
        self.lock = open("/dev/null", encoding="utf-8")


def log_likelihood(x):
    global calls
    calls += 1
    is_time = calls == 6 and pearlite.rank() == pearlite.size() - 1
    if HOW == "raise" and is_time:
        raise ZeroDivisionError("the sixth call")
    if HOW == "unsendable" and is_time:
        raise Unsendable("the sixth call", None)
    if HOW == "slow":
        time.sleep(0.03)
    if HOW == "kept":
        kept.append(x[:1])
    if HOW == "written":
        x[0, 0] = 1
    if HOW == "shape":
        return x
    if HOW == "nothing":
        return None
    if HOW == "nan":
        return numpy.full(len(x), numpy.nan)
    return -0.5 * (x**2).sum(axis=1)


def main():
    if HOW == "alone" and pearlite.rank() == 0:
        pearlite.size()
        raise KeyError("this rank alone, between runs")
    options = {"seed": 2}
    if HOW == "key":
        options["algorithm__partikel"] = 3
    if HOW == "table":
        options["particle"] = 3
    if HOW == "resumed" or HOW == "other":
        options |= {"resume": True}
    if HOW == "settings":
        options |= {"resume": True, "seed": 5}
    likelihood = log_likelihood if HOW != "other" else lambda x: -(x**2).sum(axis=1)
    result = pearlite.anneal(PRIOR.log_density, likelihood, PRIOR.draw, ["a", "b"], particles=4096, output=OUTPUT,
                             fingerprint="other" if HOW == "other" else "the model", progress=False,
                             schedule={"kind": "linear", "steps": 40}, algorithm={"name": "smc", "replicates": 1}, **options)
    if pearlite.rank() == 0:
        print(result.summary["digest"])


if __name__ == "__main__":
    main()
