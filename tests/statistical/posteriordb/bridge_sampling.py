"""Bridge sampling (Meng & Wong 1996, equation 4.1 with the optimal bridge) between draws of a posterior and a normal
distribution with the moments of half of them; errors by Fruehwirth-Schnatter (2004).
"""

import numpy


def normal_log_density(points, mean, factor):
    """The log density of N(mean, factor factor^T) at rows."""
    z = numpy.linalg.solve(factor, (points - mean).T)
    return -0.5 * (z**2).sum(axis=0) - numpy.log(numpy.diag(factor)).sum() - 0.5 * len(mean) * numpy.log(2 * numpy.pi)


def log_mean_exp(values):
    highest = values.max()
    return highest + numpy.log(numpy.exp(values - highest).mean())


def bridge_sampling(draws, log_densities, rng, correlation=1.0):
    """log Z and its standard error from posterior draws (n x d, unconstrained, in whatever order). `log_densities`: of
    rows. `correlation`: the draws' autocorrelation time."""
    order = rng.permutation(len(draws))
    fitting, used = draws[order[: len(draws) // 2]], draws[order[len(draws) // 2:]]
    mean, factor = fitting.mean(axis=0), numpy.linalg.cholesky(numpy.cov(fitting.T).reshape(2 * [draws.shape[1]]))
    proposed = mean + rng.normal(size=used.shape) @ factor.T
    # log of the unnormalised posterior over the proposal, at draws of both
    at_draws = log_densities(used) - normal_log_density(used, mean, factor)
    at_proposed = log_densities(proposed) - normal_log_density(proposed, mean, factor)
    share = 1 / (1 + correlation)  # of the draws, by their effective number
    log_z = numpy.median(at_draws)
    for _ in range(1000):
        upper = log_mean_exp(at_proposed - numpy.logaddexp(numpy.log(share) + at_proposed, numpy.log(1 - share) + log_z))
        lower = log_mean_exp(-numpy.logaddexp(numpy.log(share) + at_draws, numpy.log(1 - share) + log_z))
        before, log_z = log_z, upper - lower
        if abs(log_z - before) < 1e-10:
            break

    def relative_variance(logs):
        values = numpy.exp(logs - logs.max())
        return values.var() / values.mean() ** 2 / len(values)

    def bridge(at, of_posterior):
        numerator = at if of_posterior else numpy.full_like(at, log_z)
        return numerator - numpy.logaddexp(numpy.log(share) + at, numpy.log(1 - share) + log_z)

    variance = relative_variance(bridge(at_proposed, True)) + correlation * relative_variance(bridge(at_draws, False))
    return log_z, numpy.sqrt(variance)
