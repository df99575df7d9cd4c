"""An evidence by one of the ways in which functions make a model, on any number of ranks: evidence.py WAY [OUTPUT].

The density is N(m, S) up to its constant, m = (1, 2, 3), S = diag(1, 4, 0.25), so that log Z is exact.
"""

import sys

import numpy
import pearlite

MEAN, SD = numpy.array([1.0, 2.0, 3.0]), numpy.array([1.0, 2.0, 0.5])
PRIOR = pearlite.priors.Normal(0, 3, 3)
EXACT = 1.5 * numpy.log(2 * numpy.pi) + numpy.log(SD).sum()
NAMES = ["a", "b", "c"]


def log_density(x):
    return -0.5 * (((x - MEAN) / SD) ** 2).sum(axis=1)


def gradient(x):
    return (MEAN - x) / SD**2


def mixed(words):
    """The finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    words = (words ^ (words >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return words ^ (words >> numpy.uint64(31))


def normal_of(keys):
    """A standard normal number of each key, by Box and Muller's formula: a generator for each takes ten times as long."""
    first = mixed(keys[:, 0].astype(numpy.uint64) + mixed(keys[:, 1].astype(numpy.uint64)))
    second = mixed(first + numpy.uint64(0x9E3779B97F4A7C15))
    radius, turn = ((words >> numpy.uint64(11)) * 2.0**-53 + 2.0**-54 for words in (first, second))
    return numpy.sqrt(-2 * numpy.log(radius)) * numpy.cos(2 * numpy.pi * turn)


def noisy(x, keys):
    """log of an estimate whose mean is the density over the prior's: e^{s z - s^2/2}."""
    return log_density(x) - PRIOR.log_density(x) + 0.3 * normal_of(keys) - 0.045


def main():
    way, output = sys.argv[1], (sys.argv[2:] or [None])[0]
    common = dict(particles=2048, seed=7, progress=False, output=output)
    if way == "density":
        result = pearlite.sample(log_density, NAMES, gradient, **common)
    elif way == "prior":
        result = pearlite.sample(log_density, NAMES, prior=PRIOR, **common)
    elif way == "anneal":
        result = pearlite.anneal(PRIOR.log_density, lambda x: log_density(x) - PRIOR.log_density(x), PRIOR.draw, NAMES,
                                 exact=EXACT, **common)
    elif way == "estimated":
        result = pearlite.anneal(PRIOR.log_density, noisy, PRIOR.draw, NAMES, estimated=True, **common)
    elif way == "quantities":
        result = pearlite.sample(log_density, NAMES, gradient,
                                 quantities=(["a+b", "c"], lambda x: numpy.c_[x[:, 0] + x[:, 1], x[:, 2]]), **common)
    elif way == "tables":
        result = pearlite.run({"model": {"name": "gaussian"}, "algorithm": {"name": "smc"}}, run__seed=3, output=output,
                              algorithm__particles=1024, algorithm__replicates=2, progress=False)
    elif way == "angles":
        result = pearlite.minimize(lambda x: (1 - numpy.cos(x - 3)).sum(axis=1), [(-numpy.pi, numpy.pi)] * 4,
                                   lambda x: numpy.sin(x - 3), periodic=True, seed=3, progress=False,
                                   algorithm__iterations=20, kernel__descent_iterations=30, kernel__basin_hopping=True,
                                   output=output)
    else:
        result = pearlite.minimize(lambda x: ((x - 0.5) ** 2).sum(axis=1), [(-1, 1)] * 4, seed=3, progress=False,
                                   algorithm__iterations=4000, algorithm__polish=True,
                                   output=output)
    if pearlite.rank() == 0:
        estimate = result.log_evidence
        value, error = (result.minimum, 0) if estimate is None else (estimate.value, estimate.standard_error)
        print(result.summary["digest"], value, error, EXACT, result.support)
        for name, parameter in result.posterior.items():
            print("parameter", name, parameter.mean, parameter.sd)
        if result.minimum is None:
            print("draws", *(f"{name}:{values.shape}" for name, values in result.draws().items()))
        else:
            print("argmin", *result.argmin)


if __name__ == "__main__":
    main()
