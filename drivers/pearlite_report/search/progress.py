"""Searches for low energies: the best energy so far, and the results of the replicates (Karagiannis et al. 2017, figure
4.2a)."""

import dataclasses

import numpy

from .. import numbers
from ..style import BLUE, GREEN, ORANGE, PALE_BLUE, VERMILLION, blue_on, finish, left_out, new_axes, plain_ticks

LOG_BEYOND = 20  # an axis of evaluations is logarithmic if it spans more than such a factor


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
    if best is None or evaluations is None or not numpy.isfinite(evaluations).all():
        return None
    low, high = evaluations[:, 0].max(), evaluations[:, -1].min()
    if not 0 < low < high:
        return None
    grid = numpy.geomspace(low, high, best.shape[1])
    grid[[0, -1]] = low, high
    rows = [row[numpy.searchsorted(at, grid, side="right") - 1] for at, row in zip(evaluations, best)]
    return _finite(grid, numpy.array(rows))


def _finite(x, best):
    usable = numpy.isfinite(best).all(axis=0) & numpy.isfinite(x) & (x > 0)
    return Progress(x[usable], best[:, usable]) if usable.sum() > 1 else None


def has_stages_before(run):
    """Whether the search found the range of energies or the scales of its operations before its first iteration."""
    return bool(run.settings("algorithm").get("range_iterations") or run.settings("kernel").get("pilot_iterations"))


def best_energies(run, name="best"):
    """The best energy of every replicate (or "polished": after its descent), in their order; NaN if it is no number."""
    rows = [row for row in run.summary.get("replicates") or [] if isinstance(row, dict)]
    return numpy.array([row[name] if numbers.is_number(row.get(name)) else numpy.nan for row in rows], dtype=float)


def known_minimum(run):
    best = run.summary.get("best")
    value = best.get("known_minimum") if isinstance(best, dict) else None
    return value if numbers.is_number(value) and numpy.isfinite(value) else None


def against_iterations(run):
    return _progress(run, progress_by_iterations(run), "progress-iterations", "Iteration", "Progress against iterations")


def against_evaluations(run):
    return _progress(
        run, progress_by_evaluations(run), "progress-evaluations", "Proposals", "Progress against evaluations"
    )


def _progress(run, progress, name, x_label, title):
    if progress is None:
        return None
    figure, axes = new_axes()
    draw_progress(axes, run, progress, x_label)
    n = len(progress.best)
    caption = "The best energy so far of the only replicate."
    if n > 1:
        caption = f"The best energy so far: mean of {n} replicates, and where all of them and their middle 68 % are."
    if x_label != "Iteration" and has_stages_before(run):
        caption += " Counted from the start, with those that found the range and the scales."
    return finish(figure, name, "search", title, caption)


def draw_progress(axes, run, progress=None, x_label="Iteration"):
    """The best energy so far, by default against iterations; None where nothing was recorded."""
    progress = progress or progress_by_iterations(run)
    if progress is None:
        return None
    n = len(progress.best)
    if n > 1:
        low, high = numpy.percentile(progress.best, [16, 84], axis=0)
        lowest, highest = progress.best.min(axis=0), progress.best.max(axis=0)
        axes.fill_between(
            progress.x, lowest, highest, color=PALE_BLUE, alpha=0.35, linewidth=0, label="all replicates"
        )
        axes.fill_between(progress.x, low, high, color=BLUE, alpha=0.3, linewidth=0, label="16 % to 84 %")
    axes.plot(progress.x, progress.mean, color=blue_on(axes), label="mean" if n > 1 else "best so far")
    scale_iterations(axes, [progress])
    scale_energies(axes, [progress], known_minimum(run))
    _draw_known_minimum(axes, run)
    _legend_above(axes)
    axes.set_xlabel(x_label)
    axes.set_ylabel("Best energy so far")
    return progress


def _draw_known_minimum(axes, run):
    if known_minimum(run) is not None:
        line_across(axes, known_minimum(run), color=GREEN, linestyle="--", linewidth=1.1, label="known minimum")


def line_across(axes, value, **style):
    """A horizontal line that the frame keeps its distance from."""
    axes.axhline(value, **style)
    axes.update_datalim([(0, value)], updatex=False)
    axes.autoscale_view(scalex=False)


def _legend_above(axes):
    axes.legend(loc="lower center", ncol=4, bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)


def scale_iterations(axes, curves):
    """Logarithmic if the curves span enough of it."""
    first, last = min(curve.x[0] for curve in curves), max(curve.x[-1] for curve in curves)
    if last > LOG_BEYOND * first:
        axes.set_xscale("log")
    else:
        plain_ticks(axes.xaxis, 5)


def scale_energies(axes, curves, minimum=None):
    """Linear; or, where the first energies would hide the last, logarithmic but linear near the last. The minimum stays
    in view."""
    ends = numpy.concatenate([curve.best[:, -1] for curve in curves])
    top = max(float(curve.best.max()) for curve in curves)
    near = max(float(numpy.abs(ends).max()), float(numpy.ptp(ends)), 1.0)
    if top - ends.min() > 200 * near:
        linear = 10 ** numpy.ceil(numpy.log10(near))
        axes.set_yscale("symlog", linthresh=linear, linscale=2)
        axes.set_ylim(min([ends.min()] if minimum is None else [ends.min(), minimum]) - 0.3 * linear, 1.5 * top)
    else:
        plain_ticks(axes.yaxis)


def replicates(run):
    """The best energy of every replicate, lowest first; nothing for a single one."""
    best = best_energies(run)
    order = [k for k in numpy.argsort(best) if numpy.isfinite(best[k])]
    finite = best[order]
    if len(finite) < 2:
        return None
    figure, axes = new_axes()
    places = numpy.arange(1, len(finite) + 1)
    axes.plot(places, finite, "o", color=BLUE, markersize=4.5, label="replicate")
    polished = best_energies(run, "polished")[order]
    if numpy.isfinite(polished).any():
        axes.plot(places, polished, "v", color=ORANGE, markersize=4.5, label="after its descent")
    axes.axhline(finite.mean(), color=VERMILLION, linewidth=1.1, label="mean")
    _draw_known_minimum(axes, run)
    _legend_above(axes)
    axes.set_xlabel("Replicate, in order of its best energy")
    axes.set_ylabel("Best energy found")
    axes.xaxis.get_major_locator().set_params(integer=True)
    plain_ticks(axes.yaxis)
    caption = (
        f"{numbers.counted(len(finite), 'replicate')}: lowest {numbers.plain(float(finite[0]))}, "
        f"mean {numbers.plain(float(finite.mean()))}."
    )
    return finish(
        figure, "replicates", "search", "Replicates", caption + left_out(len(best) - len(finite), "replicate")
    )
