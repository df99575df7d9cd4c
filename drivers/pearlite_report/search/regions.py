"""The regions of energy of a search, and the bias that it has learnt (Karagiannis et al. 2017, figure 4.1a)."""

import dataclasses

import numpy

from .. import numbers
from ..style import BLUE, GREY, VERMILLION, finish, new_axes, plain_ticks

MAX_REPLICATE_LINES = 20
MUCH_WIDER = 4


@dataclasses.dataclass
class Regions:
    """Regions of one replicate: edges [regions + 1] (the open ends one width long), and a number for each region."""

    replicate: int
    edges: numpy.ndarray
    theta: numpy.ndarray  # NaN where nothing was proposed
    frequencies: numpy.ndarray  # of the states; they sum to 1, or are all 0
    desired: numpy.ndarray


def theta(run):
    """The bias against energy: the logarithm of the mass that the sampler gives each region."""
    regions = [row for row in _regions(run) if numpy.isfinite(row.theta).sum() > 1]
    if not regions:
        return None
    figure, axes = new_axes()
    _draw_replicates(axes, run, regions, lambda row: row.theta)
    low, high = axes.dataLim.intervaly
    axes.set_ylim(low - 0.04 * (high - low), high + 0.04 * (high - low))  # outlines would touch the frame
    axes.set_ylabel("θ (log mass, nats)")
    best = _best_of(run, regions)
    proposed, total = int(numpy.isfinite(best.theta).sum()), len(best.theta)
    caption = "The learnt log mass of each region, normalised to a total of 1."
    if proposed < total:
        caption += f" {_the_best(regions)} proposed to {proposed} of {total} regions; the others have no value."
    return finish(figure, "theta", "search", "Bias of the regions", caption + _hidden(run, regions) + _whose(run))


def visits(run):
    """How often chains were in each region against how often they were meant to be."""
    regions = [row for row in _regions(run) if row.frequencies.any()]
    if not regions:
        return None
    figure, axes = new_axes()
    _draw_replicates(axes, run, regions, lambda row: row.frequencies)
    best = _best_of(run, regions)
    desired = _within(best, best.desired, *axes.get_xlim())
    axes.stairs(desired, best.edges, color=VERMILLION, linewidth=1.2, baseline=None, label="desired")
    axes.legend(loc="lower center", ncol=3, bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("Fraction of the states")
    distance = 0.5 * numpy.abs(best.frequencies - best.desired).sum()
    visited, total = int((best.frequencies > 0).sum()), len(best.desired)
    caption = f"{_the_best(regions)} was in {visited} of {total} regions"
    if not numpy.isfinite(best.theta).all():
        caption += "; desired shares of regions without proposals go to the others equally"
    caption += f". Total variation distance between visited and desired: {distance:.3f}."
    return finish(figure, "visits", "search", "Visits to the regions", caption + _hidden(run, regions) + _whose(run))


def _regions(run):
    points, bias, visited = (run.regions.get(name) for name in ("points", "theta", "visits"))
    desired = run.regions.get("desired")
    if points is None or bias is None or visited is None or desired is None:
        return []
    n_regions = points.shape[1] + 1
    if points.shape[1] < 2 or not bias.shape == visited.shape == (len(points), n_regions) or len(desired) != n_regions:
        run.remarks.append("The arrays in regions/ do not match; bias and visits are left out")
        return []
    rows = []
    for replicate, (u, t, v) in enumerate(zip(points, bias, visited)):
        edges = numpy.concatenate([[2 * u[0] - u[1]], u, [2 * u[-1] - u[-2]]])
        used = numpy.isfinite(t)
        if not used.any() or not numpy.isfinite(edges).all() or not (numpy.diff(edges) > 0).all():
            continue
        target = numpy.where(used, desired, 0)
        target[used] += (1 - target.sum()) / used.sum()
        counts = numpy.where(numpy.isfinite(v), numpy.maximum(v, 0), 0)
        rows.append(
            Regions(replicate, edges, numpy.where(used, t, numpy.nan), counts / max(counts.sum(), 1), target)
        )
    return rows


def _best_of(run, regions):
    best = run.summary.get("best")
    wanted = best.get("replicate") if isinstance(best, dict) else None
    return next((row for row in regions if row.replicate == wanted), regions[0])


def _the_best(regions):
    return "The best replicate" if len(regions) > 1 else "The search"


def _draw_replicates(axes, run, regions, values_of):
    """The best replicate in front, others thin, where any of them was."""
    best, others = _drawn(run, regions)
    low, high = _where_visited([best, *others])
    for place, row in enumerate(others):
        label = "other replicates" if place == 0 else None
        shown = _within(row, values_of(row), low, high)
        axes.stairs(shown, row.edges, color=GREY, alpha=0.4, linewidth=0.8, baseline=None, label=label)
    label = "best replicate" if others else "visited"
    shown = _within(best, values_of(best), low, high)
    axes.stairs(shown, best.edges, color=BLUE, linewidth=1.3, baseline=None, label=label)
    axes.set_xlim(low, high)
    axes.set_xlabel("Energy")
    plain_ticks(axes.xaxis, 6)
    plain_ticks(axes.yaxis)
    if others:
        axes.legend(loc="lower center", ncol=3, bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)


def _where_visited(rows):
    """From the lowest to the highest energy of any visited region (of any with a value, if none was), with a margin."""
    used = [row.frequencies > 0 if row.frequencies.any() else numpy.isfinite(row.theta) for row in rows]
    low = min(row.edges[:-1][here].min() for row, here in zip(rows, used))
    high = max(row.edges[1:][here].max() for row, here in zip(rows, used))
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def _within(row, values, low, high):
    """Without the regions outside the view, so that they do not stretch the other axis."""
    return numpy.where((row.edges[1:] > low) & (row.edges[:-1] < high), values, numpy.nan)


def _drawn(run, regions):
    """The best replicate, and others to be drawn: not too many, and none whose grid is so coarse that nothing else is seen."""
    best = _best_of(run, regions)
    others = [row for row in regions if row is not best and _width(row) < MUCH_WIDER * _width(best)]
    return best, others[:MAX_REPLICATE_LINES]


def _width(row):
    return float(numpy.median(numpy.diff(row.edges)))


def _hidden(run, regions):
    hidden = len(regions) - 1 - len(_drawn(run, regions)[1])
    why = f"their grids are much coarser, or beyond {MAX_REPLICATE_LINES + 1}"
    return f" {numbers.counted(hidden, 'replicate')} not drawn ({why})." if hidden > 0 else ""


def _whose(run):
    return " First chain only: each chain has its own bias." if run.summary.get("algorithm") == "psaa" else ""
