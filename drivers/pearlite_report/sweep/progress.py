"""Searches: the mean best energy so far against iterations or evaluations, a line a setting (Karagiannis et al. 2017,
figures 4.2 and 4.3)."""

import numpy

from .. import numbers
from ..run import ReportError, read_search
from ..search.progress import Progress, has_stages_before, progress_by_evaluations, progress_by_iterations
from ..search.progress import scale_energies, scale_iterations
from ..style import finish, plain_log_ticks, plain_ticks
from . import drawing
from .layout import panels
from .scalars import distance

_MOST_POINTS = 400  # of a line
_LABELS = {"iterations": "Iteration", "evaluations": "Proposals"}


def is_search(sweep):
    return sweep.column("best.energy") is not None and numpy.isfinite(sweep.of_settings("mean", "best.energy")).any()


def curves(sweep, above=None):
    """The pictures against iterations and against evaluations; empty if no run's directory was kept."""
    if not is_search(sweep):
        return []
    runs = _read(sweep)
    if not runs:
        sweep.remarks.append("No run's directory is there: the progress of the searches is not drawn")
        return []
    return [picture for by in _LABELS for picture in _drawn(sweep, runs, by, above)]


def _read(sweep):
    """setting -> its finished runs whose directories are there."""
    found, lost = {}, 0
    for run in numpy.flatnonzero(sweep.runs["finished"] == 1):
        directory = sweep.run_directory(run)
        if not (directory / "results.h5").exists():
            lost += 1
            continue
        try:
            found.setdefault(int(sweep.runs["setting"][run]), []).append(read_search(directory))
        except ReportError as error:
            sweep.remarks.append(f"Run {run} is not among the curves: {error}")
    if lost and found:
        sweep.remarks.append(f"{numbers.counted(lost, 'run')} without a directory left out of the curves")
    return found


def joined(runs, by):
    """The progress of the replicates of several runs, as far as all runs got; None if one recorded none."""
    parts = [(progress_by_iterations if by == "iterations" else progress_by_evaluations)(run) for run in runs]
    if not parts or any(part is None for part in parts):
        return None
    x = numpy.unique(numpy.concatenate([part.x for part in parts]))
    x = x[(x >= max(part.x[0] for part in parts)) & (x <= min(part.x[-1] for part in parts))]
    if len(x) > _MOST_POINTS:
        wanted = numpy.geomspace(x[0], x[-1], _MOST_POINTS)
        x = x[numpy.unique(numpy.clip(numpy.searchsorted(x, wanted), 0, len(x) - 1))]
    rows = [part.best[:, numpy.searchsorted(part.x, x, side="right") - 1] for part in parts]
    return Progress(x, numpy.concatenate(rows)) if len(x) > 1 else None


def _drawn(sweep, runs, by, above):
    known = {setting: joined(members, by) for setting, members in runs.items()}
    found, progresses = [], []
    for group in panels(sweep, None, "best.energy"):
        lines = [(line, known.get(number)) for line in group.lines for number in line.settings]
        lines = [(line, progress) for line, progress in lines if progress is not None]
        if lines:
            found.append(drawing.Panel(group.label, [_line(line, progress, above) for line, progress in lines]))
            progresses.append([progress for _, progress in lines])
            _draw_minimum(sweep, found[-1], above)
    if not found:
        return []
    if above is not None and not any(numpy.isfinite(line.mean).any() for panel in found for line in panel.lines):
        raise ReportError(f"no mean best energy lies above {above:g}")
    minimum = sweep.constant("best.known_minimum")
    pictures, begin = [], 0
    for part, suffix, remark in drawing.in_figures(found):
        scales = _Scales(progresses[begin : begin + len(part)], by, minimum, above)
        begin += len(part)
        beyond = "" if above is None else f", above {numbers.plain(above)}"
        figure = drawing.draw(part, scales, f"Mean best energy so far{beyond}", above, scale_values=scales.values)
        title = f"Progress against {by}{remark}"
        shape = "wide" if len(part) > 2 else ""
        caption = _caption(runs, progresses, by)
        if scales.cut:
            caption += " The first energies may be above the view."
        pictures.append(finish(figure, f"progress-{by}{suffix}", "progress", title, caption, shape))
    return pictures


def _line(line, progress, above):
    mean, low, high = distance(progress.mean, 2 * progress.standard_error, above)
    style = {**line.style, "marker": "", "linewidth": 1.4}
    return drawing.Line(line.label, style, progress.x, mean, low, high)


def _draw_minimum(sweep, panel, above):
    minimum = sweep.constant("best.known_minimum")
    if above is None and minimum is not None:
        panel.reference = ("known minimum", None, minimum)


class _Scales:
    """The axes of each panel: time from the first to the last that was recorded, energies where they matter."""

    def __init__(self, progresses, by, minimum, above):
        self._progresses, self._by, self._minimum, self._above = progresses, by, minimum, above
        self._of = {}
        self.cut = False  # whether the first energies are out of view

    def __call__(self, axes):
        place = self._of.setdefault(axes, len(self._of))
        scale_iterations(axes, self._progresses[place])
        axes.set_xlabel(_LABELS[self._by])

    def values(self, axes, shared):
        if self._above is not None:
            axes.set_yscale("log")
            plain_log_ticks(axes.yaxis, *axes.get_ylim())
            return
        place = self._of[axes]
        mine = [each for panel in self._progresses for each in panel] if shared else self._progresses[place]
        if not self._show_ends(axes, mine):
            scale_energies(axes, mine, self._minimum)

    def _show_ends(self, axes, progresses):
        """Where the first energies would hide how searches end, the view begins when a hundredth is done, or when
        energies are as near as the range of the last ones is wide. Returns whether it does."""
        later = [_mean_after(progress, 0.01) for progress in progresses]
        ends = [float(mean[-1]) for mean in later] + ([] if self._minimum is None else [self._minimum])
        lowest, spread = min(ends), numpy.ptp(ends)
        top, first = max(float(mean[0]) for mean in later), max(float(each.mean[0]) for each in progresses)
        top = min(top, max(ends) + spread) if spread > 0 else top
        if not first - lowest > 4 * (top - lowest) > 0:
            return False
        self.cut = True
        plain_ticks(axes.yaxis)
        axes.set_ylim(lowest - 0.08 * (top - lowest), top + 0.08 * (top - lowest))
        axes.set_xlim(left=min(each.x[numpy.argmax(each.mean <= axes.get_ylim()[1])] for each in progresses))
        return True


def _mean_after(progress, share):
    """The mean from this share of all iterations, or evaluations, on."""
    return progress.mean[min(numpy.searchsorted(progress.x, share * progress.x[-1]), len(progress.x) - 1) :]


def _caption(runs, progresses, by):
    counts = sorted({len(progress.best) for panel in progresses for progress in panel})
    of = numbers.counted(counts[0], "replicate") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} replicates"
    caption = f"Means of {of} of each setting, with bands of two standard errors."
    if counts == [1]:
        caption = "The only replicate of each setting."
    before = any(has_stages_before(run) for members in runs.values() for run in members)
    if by == "evaluations" and before:
        caption += " Counted from the start, with those that found the range and the scales."
    return caption
