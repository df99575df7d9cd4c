"""Searches for low energies: progress, regions of energy and operations (Karagiannis et al. 2017, figures 2 to 6)."""

import dataclasses

import numpy

from . import numbers
from .style import BLUE, GREEN, GREY, ORANGE, PALE_BLUE, VERMILLION, WIDE, finish, new_axes

MAX_REPLICATE_LINES = 20
TARGET_ACCEPTANCE = 0.234  # that scales are adapted to


@dataclasses.dataclass
class Progress:
    """The best energy so far against iterations or evaluations: x [n], best [replicates, n], all finite."""

    x: numpy.ndarray
    best: numpy.ndarray

    @property
    def mean(self):
        return self.best.mean(axis=0)

    @property
    def standard_error(self):
        n = len(self.best)
        return self.best.std(axis=0, ddof=1) / numpy.sqrt(n) if n > 1 else numpy.zeros(len(self.x))


def progress_by_iterations(run):
    """None if the run recorded no progress. Iterations before all replicates have a finite energy are left out."""
    x, best = run.search.get("iteration"), run.search.get("best")
    return None if best is None else _finite(x, best)


def progress_by_evaluations(run):
    """The same on a grid of evaluations that all replicates have reached: each counts its own."""
    evaluations, best = run.search.get("evaluations"), run.search.get("best")
    if best is None or evaluations is None or evaluations[:, 0].max() <= 0:
        return None
    low, high = evaluations[:, 0].max(), evaluations[:, -1].min()
    if not low < high:
        return None
    grid = numpy.geomspace(low, high, best.shape[1])
    grid[[0, -1]] = low, high
    rows = [row[numpy.searchsorted(at, grid, side="right") - 1] for at, row in zip(evaluations, best)]
    return _finite(grid, numpy.array(rows))


def _finite(x, best):
    usable = numpy.isfinite(best).all(axis=0)
    return Progress(x[usable], best[:, usable]) if usable.sum() > 1 else None


def known_minimum(run):
    best = run.summary.get("best")
    value = best.get("known_minimum") if isinstance(best, dict) else None
    return value if numbers.is_number(value) and numpy.isfinite(value) else None


def against_iterations(run):
    return _progress(run, progress_by_iterations(run), "progress-iterations", "Iteration", "Progress against iterations")


def against_evaluations(run):
    return _progress(
        run, progress_by_evaluations(run), "progress-evaluations", "Energies computed", "Progress against evaluations"
    )


def _progress(run, progress, name, x_label, title):
    if progress is None:
        return None
    figure, axes = new_axes()
    n = len(progress.best)
    caption = "The best energy so far of the only replicate."
    if n > 1:
        low, high = numpy.percentile(progress.best, [16, 84], axis=0)
        axes.fill_between(progress.x, progress.best.min(axis=0), progress.best.max(axis=0), color=PALE_BLUE, alpha=0.35, linewidth=0, label="all replicates")
        axes.fill_between(progress.x, low, high, color=BLUE, alpha=0.3, linewidth=0, label="16 % to 84 %")
        caption = f"The best energy so far: mean of {n} replicates, and where all of them and their middle 68 % are."
    axes.plot(progress.x, progress.mean, color=BLUE, label="mean" if n > 1 else "best so far")
    minimum = known_minimum(run)
    if minimum is not None:
        axes.axhline(minimum, color=GREEN, linestyle="--", linewidth=1.1, label="known minimum")
    axes.set_xscale("log")
    compress_if_wide(axes, [progress])
    axes.legend(loc="lower center", ncol=4, bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)
    axes.set_xlabel(x_label)
    axes.set_ylabel("Best energy so far")
    return finish(figure, name, "search", title, caption)


def compress_if_wide(axes, curves):
    """A logarithmic energy axis (of both signs) where the first energies would hide the last."""
    last = numpy.concatenate([curve.best[:, -1] for curve in curves])
    first = max(float(curve.best.max()) for curve in curves)
    near = max(float(numpy.abs(last).max()), float(numpy.ptp(last)), 1.0)
    if first - last.min() > 200 * near:
        axes.set_yscale("symlog", linthresh=10 ** numpy.ceil(numpy.log10(near)))


# ---- regions of energy ----------------------------------------------------------------------------------------------


def theta(run):
    """The self-adjusting bias against energy: the logarithm of what mass the sampler gives each region."""
    regions = [row for row in _regions(run) if numpy.isfinite(row["theta"]).sum() > 1]
    if not regions:
        return None
    figure, axes = new_axes()
    _draw_replicates(axes, run, regions, lambda row: numpy.where(numpy.isfinite(row["theta"]), row["theta"], numpy.nan))
    axes.set_ylabel("θ (log mass, nats)")
    return finish(
        figure, "theta", "search", "Bias of the regions", "Regions that nothing was ever proposed in have no value." + _whose(run)
    )


def visits(run):
    """How often chains were in each region against how often they were meant to be."""
    regions = [row for row in _regions(run) if row["visits"].sum() > 0]
    if not regions:
        return None
    figure, axes = new_axes()
    _draw_replicates(axes, run, regions, lambda row: row["visits"] / row["visits"].sum())
    row = _best_of(run, regions)
    axes.stairs(row["target"], row["edges"], color=VERMILLION, linewidth=1.2, baseline=None, label="desired")
    axes.legend(loc="lower center", ncol=3, bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("Fraction of the iterations")
    seen = row["target"] > 0
    distance = 0.5 * numpy.abs(row["visits"] / row["visits"].sum() - row["target"]).sum()
    caption = (
        f"The best replicate proposed to {int(seen.sum())} of {len(seen)} regions; the others' desired shares go to these "
        f"equally. Total variation distance between visited and desired: {distance:.3f}."
    )
    return finish(figure, "visits", "search", "Visits to the regions", caption + _whose(run))


def _regions(run):
    """Per replicate: edges of the energy axis (its open ends one width long), theta, visits and the desired frequencies."""
    points, bias, visited = (run.regions.get(name) for name in ("points", "theta", "visits"))
    desired = run.regions.get("desired")
    if points is None or bias is None or visited is None or desired is None:
        return []
    n_regions = points.shape[1] + 1
    if points.shape[1] < 2 or not bias.shape == visited.shape == (len(points), n_regions) or len(desired) != n_regions:
        return []
    rows = []
    for replicate, (u, t, v) in enumerate(zip(points, bias, visited)):
        edges = numpy.concatenate([[2 * u[0] - u[1]], u, [2 * u[-1] - u[-2]]])
        used = numpy.isfinite(t)
        target = numpy.where(used, desired, 0)
        if used.any():
            target[used] += (1 - target.sum()) / used.sum()
        rows.append({"replicate": replicate, "edges": edges, "theta": t, "visits": v, "target": target})
    return rows


def _best_of(run, regions):
    best = run.summary.get("best")
    wanted = best.get("replicate") if isinstance(best, dict) else None
    return next((row for row in regions if row["replicate"] == wanted), regions[0])


def _draw_replicates(axes, run, regions, values_of):
    """The best replicate in front, others thin; the view is where any of these chains could go."""
    best = _best_of(run, regions)
    others = [row for row in regions if row is not best][:MAX_REPLICATE_LINES]
    for place, row in enumerate(others):
        axes.stairs(values_of(row), row["edges"], color=GREY, alpha=0.35, linewidth=0.8, baseline=None, label="other replicates" if place == 0 else None)
    axes.stairs(values_of(best), best["edges"], color=BLUE, linewidth=1.3, baseline=None, label="best replicate")
    low = min(row["edges"][:-1][row["target"] > 0].min() for row in [best, *others] if row["target"].any())
    high = max(row["edges"][1:][row["target"] > 0].max() for row in [best, *others] if row["target"].any())
    axes.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))
    axes.set_xlabel("Energy")
    if others:
        axes.legend(loc="lower center", ncol=3, bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)


def _whose(run):
    return " Of the first chain: each has a bias of its own." if run.summary.get("algorithm") == "psaa" else ""


# ---- operations -----------------------------------------------------------------------------------------------------


def acceptance(run):
    """What was accepted of each operation's proposals, with the scales that the pilot settled on."""
    names, rates = run.operation_names, run.operations.get("acceptance")
    if not names or rates is None or rates.shape[1] != len(names):
        return None
    scales = run.operations.get("scales")
    has_scales = scales is not None and scales.shape == rates.shape
    figure, axes = new_axes((WIDE[0], 1.1 + 0.34 * len(names)))
    rows = numpy.arange(len(names))
    tried = [column[numpy.isfinite(column)] for column in rates.T]
    mean = [float(column.mean()) if len(column) else 0.0 for column in tried]
    axes.barh(rows, mean, height=0.6, color=PALE_BLUE)
    if len(rates) > 1:
        for row, column in zip(rows, tried):
            axes.plot(column, numpy.full(len(column), row), "|", color=BLUE, markersize=7)
    caption = "Mean over the replicates; a line each." if len(rates) > 1 else "Of all proposals."
    if has_scales and numpy.isfinite(scales).any():
        axes.axvline(TARGET_ACCEPTANCE, color=ORANGE, linestyle="--", linewidth=1.1)
        caption += f" Scales: median of the replicates; dashed: the rate {TARGET_ACCEPTANCE} that they are adapted to."
    labels = [_operation_label(name, scales[:, k] if has_scales else ()) for k, name in enumerate(names)]
    axes.set_yticks(rows, labels)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(False, axis="y")
    for row, column, value in zip(rows, tried, mean):
        text = numbers.plain(value, 2) if len(column) else "never proposed"
        axes.annotate(text, (max(column, default=0.0), row), (5, 0), textcoords="offset points", va="center", fontsize=8.5)
    axes.set_xlim(0, max(0.3, 1.18 * max((max(column, default=0.0) for column in tried), default=0.0)))
    axes.set_xlabel("Accepted")
    return finish(figure, "operations", "search", "Operations", caption)


def _operation_label(name, scales):
    finite = [value for value in scales if numpy.isfinite(value)]
    return f"{name}\n(scale {numbers.plain(float(numpy.median(finite)), 2)})" if finite else name
