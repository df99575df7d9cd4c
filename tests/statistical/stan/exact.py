"""Integrals and moments of the study's programs by quadrature: (log integral, {parameter: (mean, sd)}) of each."""

import math

import numpy as np


def _weights(log_terms):
    """(weights that sum to 1, log of the sum of the terms)"""
    highest = log_terms.max()
    weights = np.exp(log_terms - highest)
    return weights / weights.sum(), highest + math.log(weights.sum())


def _moments(weights, values):
    mean = (weights * values).sum()
    return mean, math.sqrt(max((weights * values**2).sum() - mean**2, 0.0))


def _linear(x, y, prior_variance, names):
    """A normal linear regression with sigma ~ Cauchy(0, 2.5), not doubled; coefficients N(0, prior_variance) or, with
    None, flat. Coefficients are integrated exactly, log sigma on a grid."""
    n, p = x.shape
    grid = np.linspace(-6, 6, 6001)
    log_terms, means, variances = np.empty(len(grid)), np.empty((len(grid), p)), np.empty((len(grid), p))
    products, with_y, of_y = x.T @ x, x.T @ y, y @ y
    for k, log_sigma in enumerate(grid):
        precision = products * math.exp(-2 * log_sigma)
        if prior_variance is not None:
            precision = precision + np.eye(p) / prior_variance
        covariance = np.linalg.inv(precision)
        means[k] = covariance @ with_y * math.exp(-2 * log_sigma)
        variances[k] = np.diag(covariance)
        log_terms[k] = (-n / 2 * math.log(2 * math.pi) - n * log_sigma - of_y / 2 * math.exp(-2 * log_sigma)
                        + means[k] @ precision @ means[k] / 2 - np.linalg.slogdet(precision)[1] / 2
                        + (p / 2 * math.log(2 * math.pi) if prior_variance is None else -p / 2 * math.log(prior_variance))
                        - math.log(math.pi * 2.5 * (1 + math.exp(2 * log_sigma) / 6.25)) + log_sigma)
    weights, log_sum = _weights(log_terms)
    found = {"sigma": _moments(weights, np.exp(grid))}
    for j, name in enumerate(names):
        mean = weights @ means[:, j]
        found[name] = mean, math.sqrt(weights @ (variances[:, j] + means[:, j] ** 2) - mean**2)
    return log_sum + math.log(grid[1] - grid[0]), found


def autoregression(data):
    y, order = np.array(data["y"], float), data["K"]
    rows = np.array([[1, *(y[t - k] for k in range(1, order + 1))] for t in range(order, len(y))])
    return _linear(rows, y[order:], 100.0, ["alpha", *(f"beta[{k}]" for k in range(1, order + 1))])


def kid_scores(data):
    schooling, intelligence = np.array(data["mom_hs"], float), np.array(data["mom_iq"], float)
    rows = np.stack([np.ones_like(schooling), schooling, intelligence, schooling * intelligence], axis=1)
    return _linear(rows, np.array(data["kid_score"], float), None, [f"beta[{k}]" for k in range(1, 5)])


def _normal_groups(y, variances, prior_variance, log_tau, log_prior):
    """Groups y_j ~ N(mu, tau^2 + variance_j) with mu ~ N(0, prior_variance), log tau on a grid."""
    log_terms, means, seconds = np.empty(len(log_tau)), np.empty(len(log_tau)), np.empty(len(log_tau))
    for k, point in enumerate(log_tau):
        total = math.exp(2 * point) + variances
        precision = (1 / total).sum() + 1 / prior_variance
        means[k] = (y / total).sum() / precision
        seconds[k] = 1 / precision + means[k] ** 2
        log_terms[k] = (-np.log(2 * math.pi * total).sum() / 2 - (y**2 / total).sum() / 2 + means[k] ** 2 * precision / 2
                        - math.log(prior_variance * precision) / 2 + log_prior(point))
    weights, log_sum = _weights(log_terms)
    mean = weights @ means
    return log_sum + math.log(log_tau[1] - log_tau[0]), {"mu": (mean, math.sqrt(weights @ seconds - mean**2)),
                                                        "tau": _moments(weights, np.exp(log_tau))}


def eight_schools(data):
    return _normal_groups(np.array(data["y"], float), np.array(data["sigma"], float) ** 2, 25.0,
                          np.linspace(-20, 12, 64001),
                          lambda log_tau: log_tau - math.log(math.pi * 5 * (1 + math.exp(2 * log_tau) / 25)))


def hierarchical(data):
    y = np.array(data["y"], float)
    return _normal_groups(y, np.ones(len(y)), 25.0, np.linspace(-8, 6, 28001),
                          lambda log_tau: -log_tau**2 / 2 - math.log(2 * math.pi) / 2)


def gaussian_process(data):
    """Quadrature on a grid of the logarithms of length, amplitude and noise. One set of eigenvalues of the kernel
    serves all amplitudes and noises."""
    x, y = np.array(data["x"], float), np.array(data["y"], float)
    lengths, amplitudes, noises = np.linspace(-4, 3, 141), np.linspace(-3.5, 5, 141), np.linspace(-5, 2, 141)
    log_terms = np.empty((len(lengths), len(amplitudes), len(noises)))
    squares = (x[:, None] - x) ** 2
    for k, log_length in enumerate(lengths):
        values, vectors = np.linalg.eigh(np.exp(-squares / 2 * math.exp(-2 * log_length)))
        along = (vectors.T @ y) ** 2
        spread = (np.maximum(values, 0) * np.exp(2 * amplitudes)[:, None, None]
                  + np.exp(2 * noises)[None, :, None] + 1e-9)
        log_terms[k] = (-(np.log(2 * math.pi * spread) + along / spread).sum(axis=2) / 2 - log_length**2 / 2
                        - (amplitudes**2)[:, None] / 2 - ((noises + 1) ** 2)[None, :] / 2 - 1.5 * math.log(2 * math.pi))
    weights, log_sum = _weights(log_terms)
    steps = math.log((lengths[1] - lengths[0]) * (amplitudes[1] - amplitudes[0]) * (noises[1] - noises[0]))
    return log_sum + steps, {"length": _moments(weights, np.exp(lengths)[:, None, None]),
                             "amplitude": _moments(weights, np.exp(amplitudes)[:, None]),
                             "noise": _moments(weights, np.exp(noises))}
