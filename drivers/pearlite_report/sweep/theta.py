"""Masses of the regions of energy that searches learn, theta: the spread between the runs of a setting, and the masses
beside exact ones, if the runs have these (Karagiannis et al. 2017, figures 4.1a, 4.2c and 4.4c)."""

import numpy

from ..run import Contents, ReportError, opened
from ..style import finish
from . import drawing
from .layout import panels

DEVIATION = "theta.squared_deviation"
_MOST_SETTINGS = 12  # of a figure of masses
_REGIONS = "Upper end of the region of energy"


def add_deviations(sweep):
    """Adds the scalar theta.squared_deviation to sweeps of searches whose directories are there: the squared difference
    of a run's theta from the mean over the runs of its setting, times n/(n - 1), so that its mean is the variance of
    theta; itself a mean over the regions that all these runs know. Theta is compared up to a constant."""
    by_setting = {}
    for run, (theta, points) in _read(sweep, "theta").items():
        by_setting.setdefault(int(sweep.runs["setting"][run]), []).append((run, theta, points))
    values = numpy.full(len(sweep.runs["setting"]), numpy.nan)
    for members in by_setting.values():
        n = len(members)
        if n < 2 or any(not numpy.array_equal(points, members[0][2]) for _, _, points in members):
            continue
        rows = numpy.array([theta for _, theta, _ in members])
        rows = rows[:, numpy.isfinite(rows).all(axis=0)]
        if rows.shape[1] < 2:
            continue
        rows = rows - rows.mean(axis=1, keepdims=True)
        values[[run for run, _, _ in members]] = numpy.square(rows - rows.mean(axis=0)).mean(axis=1) * n / (n - 1)
    if numpy.isfinite(values).any():
        _add_column(sweep, DEVIATION, values)


def _add_column(sweep, name, values):
    """A scalar more of all runs, with the statistics that the others have."""
    sweep.columns.append(name)
    sweep.__dict__.pop("_place", None)
    sweep.runs["values"] = numpy.column_stack([sweep.runs["values"], values])
    shape = len(sweep.settings)
    new = {statistic: numpy.full(shape, numpy.nan) for statistic in sweep.statistics}
    for setting in range(shape):
        mine = sweep.of_runs(name, setting)
        mine = mine[numpy.isfinite(mine)]
        new["count"][setting] = len(mine)
        if len(mine):
            new["mean"][setting] = mine.mean()
        if len(mine) > 1:
            new["sd"][setting] = mine.std(ddof=1)
            new["standard_error"][setting] = mine.std(ddof=1) / numpy.sqrt(len(mine))
    for statistic, column in new.items():
        sweep.statistics[statistic] = numpy.column_stack([sweep.statistics[statistic], column])


def _read(sweep, name):
    """run -> the array regions/name of its first replicate, and the points that cut its regions."""
    found = {}
    for run in numpy.flatnonzero(sweep.runs["finished"] == 1):
        results = sweep.run_directory(run) / "results.h5"
        if not results.exists():
            continue
        try:
            with opened(results) as file:
                contents = Contents(file, sweep.remarks)
                values, points = contents.array(f"regions/{name}", 2), contents.array("regions/points", 2)
        except ReportError:
            continue  # the progress of the searches has a remark on it
        if values is not None and points is not None and values.shape == (len(points), points.shape[1] + 1):
            found[int(run)] = values[0], points[0]
    return found


def pictures(sweep):
    """Learnt and exact masses of the regions, a panel for each of the last settings; empty where no run knows exact
    masses."""
    learnt = _read(sweep, "log_mass")
    exact = _read(sweep, "exact_log_mass") if learnt else {}
    if not exact:
        return []
    found = []
    for group in panels(sweep, None):
        for line in group.lines:
            for number in line.settings:
                runs = [run for run in exact if sweep.runs["setting"][run] == number]
                rows = [learnt[run] for run in runs], [exact[run][0] for run in runs]
                if panel := _panel(", ".join(filter(None, [group.label, line.label])), line, *rows):
                    found.append(panel)
    if len(found) > _MOST_SETTINGS:
        found = found[-_MOST_SETTINGS:]
    drawn = []
    for part, suffix, remark in drawing.in_figures(found):
        figure = drawing.draw(part, lambda axes: axes.set_xlabel(_REGIONS), "Log mass of the region")
        caption = "Means over the runs of a setting, with two standard errors each way."
        shape = "wide" if len(part) > 2 else ""
        drawn.append(finish(figure, f"masses{suffix}", "masses", f"Masses of the regions{remark}", caption, shape))
    return drawn


def _panel(label, line, learnt, exact):
    if not learnt or any(not numpy.array_equal(points, learnt[0][1]) for _, points in learnt):
        return None
    points = learnt[0][1]
    x = numpy.append(points, points[-1] + (points[-1] - points[0]) / max(1, len(points) - 1))
    rows = numpy.array([values for values, _ in learnt])
    known = numpy.isfinite(rows).all(axis=0) & numpy.isfinite(exact[0])
    rows, x = rows[:, known], x[known]
    if not known.any():
        return None
    mean = rows.mean(axis=0)
    error = rows.std(axis=0, ddof=1) / numpy.sqrt(len(rows)) if len(rows) > 1 else numpy.full(len(mean), numpy.nan)
    style = {**line.style, "linestyle": "", "marker": "o"}
    learnt_line = drawing.Line("learnt", style, x, mean, mean - 2 * error, mean + 2 * error, bars=True)
    return drawing.Panel(label, [learnt_line], ("exact", x, exact[0][known]))
