"""Parallel tempering: how replicas travel, and the integrand of thermodynamic integration."""

import numpy

from .style import BLUE, PALE_BLUE, finish, new_axes


def swap_acceptance(run):
    """The rate at which neighbouring temperatures exchange states."""
    rate, b = run.tempering.get("swap_acceptance"), run.tempering.get("inverse_temperature")
    if rate is None or b is None or len(rate) + 1 != len(b):
        return None
    figure, axes = new_axes()
    axes.step(b, numpy.append(rate, rate[-1]), where="post", color=BLUE)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("Inverse temperature b")
    axes.set_ylabel("Exchange rate with the next")
    caption = f"Lowest {rate.min():.3f}; the sum of rejection rates, the communication barrier, is {(1 - rate).sum():.2f}."
    return finish(figure, "swaps", "annealing", "Exchanges between temperatures", caption)


def mean_of_u(run):
    """Mean u in equilibrium with two standard errors; the area under it is log Z/Z_0."""
    names = ("inverse_temperature", "mean_u", "mean_u_standard_error")
    b, mean, error = (run.tempering.get(name) for name in names)
    if b is None or mean is None or error is None or not len(b) == len(mean) == len(error):
        return None
    if not numpy.isfinite(mean).all():
        return None
    figure, axes = new_axes()
    axes.fill_between(b, 0, mean, color=PALE_BLUE, alpha=0.5, linewidth=0)
    axes.errorbar(b, mean, yerr=2 * error, fmt="o-", color=BLUE, markersize=3, linewidth=1)
    axes.set_xlabel("Inverse temperature b")
    axes.set_ylabel("Mean of u = d log f / db")
    return finish(
        figure, "equilibrium-u", "annealing", "Thermodynamic integration", "The area under the curve is log Z/Z₀; bars are two standard errors."
    )
