"""Figures of a population that grew variable by variable: of the first replicate, and running estimates of all."""

import numpy

from . import numbers
from .style import BLUE, GREEN, GREY, ORANGE, PALE_BLUE, VERMILLION, finish, new_axes

VARIABLES = "Variables n"


def _table(run, name):
    """Steps x replicates, or None."""
    table = run.growth.get(name)
    return table if table is not None and table.ndim == 2 and table.size > 0 else None


def effective_share(run):
    """gamma of the base set and of the set that was large enough."""
    first, last = _table(run, "first_gamma"), _table(run, "gamma")
    if first is None or last is None:
        return None
    n = numpy.arange(1, len(last) + 1)
    figure, axes = new_axes()
    axes.plot(n, first[:, 0], color=PALE_BLUE, label="base set")
    enlarged = numpy.flatnonzero(last[:, 0] != first[:, 0])
    axes.plot(n[enlarged], last[enlarged, 0], ".", color=VERMILLION, markersize=4, label="enlarged set")
    threshold = run.settings("algorithm").get("gamma_threshold")
    if threshold and run.settings("algorithm").get("enlarge") != "none":
        axes.axhline(threshold, color=GREY, linewidth=0.9, linestyle="--", label="threshold")
    axes.set_ylim(0, 1.03)
    axes.set_xlabel(VARIABLES)
    axes.set_ylabel("Effective share γ")
    axes.legend(loc="lower center", ncol=3, bbox_to_anchor=(0.5, 1))
    caption = (
        "1/(1 + v), v the relative variance of the weights to n + 1 variables: the base set moved once, and the set that "
        f"was enlarged. {numbers.counted(len(enlarged), 'step')} of {len(n)} enlarged it."
    )
    return finish(figure, "effective-share", "annealing", "Effective share of the particles", caption)


def particles(run):
    """R_n beside the numbers that Theorem 1 wants."""
    used, optimal = _table(run, "particles"), _table(run, "optimal_particles")
    if used is None or optimal is None:
        return None
    n = numpy.arange(1, len(used) + 1)
    figure, axes = new_axes()
    axes.step(n, used[:, 0], color=BLUE, where="mid", label="used")
    axes.plot(n, optimal[:, 0], color=ORANGE, linewidth=0.9, label="best for as many in all (Theorem 1)")
    axes.set_yscale("log")
    axes.set_xlabel(VARIABLES)
    axes.set_ylabel("Particles")
    axes.legend(loc="lower center", ncol=2, bbox_to_anchor=(0.5, 1))
    growth = run.summary.get("growth") or {}
    caption = ""
    if "moved_per_step" in growth:
        caption = (
            f"{numbers.plain(growth['moved_per_step'], 3)} times the base set moved a step. Independent particles would give "
            f"log Z the variance {numbers.plain(growth['variance_of_independent_particles'], 3)}, "
            f"{numbers.plain(growth['least_variance'], 3)} with the best numbers."
        )
    return finish(figure, "particles-by-step", "annealing", "Particles at each number of variables", caption)


def running_log_ratio(run):
    """log Z_n of each replicate."""
    steps = _table(run, "log_ratio")
    ends = run.batch_log_ratio
    if steps is None or ends is None or len(ends) != steps.shape[1]:
        return None
    running = ends - steps.sum(axis=0) + numpy.vstack([numpy.zeros(steps.shape[1]), numpy.cumsum(steps, axis=0)])
    n = numpy.arange(1, len(running) + 1)
    figure, axes = new_axes()
    axes.plot(n, running, color=PALE_BLUE, linewidth=0.8)
    highest = running.max(axis=1)
    mean = highest + numpy.log(numpy.exp(running - highest[:, None]).mean(axis=1))
    axes.plot(n, mean, color=GREEN, label="mean of Z")
    axes.set_xlabel(VARIABLES)
    axes.set_ylabel("log Z$_n$/Z$_0$ (nats)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1))
    caption = f"{numbers.counted(len(ends), 'replicate')}, and the log of the mean of their Z."
    return finish(figure, "running-evidence", "annealing", "Evidence as variables are added", caption)
