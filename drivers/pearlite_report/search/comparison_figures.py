"""Searches of several runs in one figure: the mean best energy against iterations, evaluations or a setting in which they
differ (Karagiannis et al. 2017, figures 4.2 and 4.3)."""

import matplotlib
import numpy

from .. import numbers
from ..run import ReportError
from .progress import LOG_BEYOND, known_minimum, line_across, scale_energies, scale_iterations
from ..style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    VERMILLION,
    WIDE,
    as_svg,
    drawing_style,
    new_axes,
    plain_log_ticks,
    plain_ticks,
)

_COLOURS = {
    "pisaa": VERMILLION,
    "psaa": BLUE,
    "vfsa": GREEN,
    "aesamc": ORANGE,
    "saa": "#56B4E9",
    "sa": GREY,
    "asamc": "#CC79A7",
}
_DASHES = ("-", "--", ":", "-.")
_MARKERS = "osD^vP"
_SIZE = (1.5 * WIDE[0], 1.3 * WIDE[1])
_BESIDE = 0.012  # how far lines stand apart of their values, so that error bars do not hide each other


def draw_progress(rows, by, above=None):
    """The mean best energy so far, with bands of two standard errors, as SVG. With `above`, its distance to that energy."""
    curves = [(row, row.progress(by)) for row in rows]
    curves = [(row, curve) for row, curve in curves if curve is not None]
    if not curves:
        raise ReportError("no run recorded its progress")
    with drawing_style():
        figure, axes = new_axes(_SIZE)
        for (row, curve), style in zip(curves, _styles([row for row, _ in curves])):
            mean, low, high = _band(curve.mean, curve.standard_error, above)
            colour, dashes, _ = style
            axes.plot(curve.x, mean, color=colour, linestyle=dashes, linewidth=1.4, label=_label(row, rows))
            axes.fill_between(curve.x, low, high, color=colour, alpha=0.18, linewidth=0)
        scale_iterations(axes, [curve for _, curve in curves])
        if above is None:
            scale_energies(axes, [curve for _, curve in curves], _known_minimum(rows))
        axes.set_xlabel("Iteration" if by == "iterations" else "Energies computed")
        return _finished(figure, axes, rows, "best energy so far", above)


def draw_against(rows, key, above=None):
    """The mean best energy with two standard errors against the key, as SVG. With `above`, its distance to that energy."""
    lines = {}
    for row in rows:
        lines.setdefault(row.label, []).append(row)
    with drawing_style():
        figure, axes = new_axes(_SIZE)
        styles = _styles([members[0] for members in lines.values()])
        for place, (members, (colour, dashes, marker)) in enumerate(zip(lines.values(), styles)):
            x = numpy.array([row.value for row in members]) * (1 + _BESIDE * (place - (len(lines) - 1) / 2))
            error = numpy.nan_to_num([row.standard_error for row in members])
            mean, low, high = _band(numpy.array([row.mean for row in members]), error, above)
            line = {"color": colour, "linestyle": dashes, "marker": marker, "linewidth": 1.2, "markersize": 4.5}
            axes.plot(x, mean, label=_label(members[0], rows), **line)
            axes.vlines(x, low, high, color=colour, linewidth=1.6, alpha=0.6)
        _scale_key(axes.xaxis, [row.value for row in rows])
        plain_ticks(axes.yaxis)
        axes.set_xlabel(key)
        return _finished(figure, axes, rows, "best energy", above)


def _band(mean, error, above):
    """The line and its band. A logarithmic axis has no room for what is not above: there the band ends a decade below."""
    low, high = mean - 2 * error, mean + 2 * error
    if above is None:
        return mean, low, high
    distance = numpy.where(mean > above, mean - above, numpy.nan)
    return distance, numpy.maximum(low - above, 0.1 * distance), high - above


def _scale_key(axis, values):
    if max(values) > LOG_BEYOND * min(values):
        axis.axes.set_xscale("log")
    else:
        plain_ticks(axis)


def _styles(rows):
    """Colour, dashes and marker: a colour for each algorithm, whose lines differ in dashes, or in shade if it is alone."""
    algorithms = [row.algorithm for row in rows]
    if len(set(algorithms)) == 1 and len(rows) > 1:
        shades = matplotlib.colormaps["viridis"](numpy.linspace(0, 0.85, len(rows)))
        return [(matplotlib.colors.to_hex(shade), "-", _MARKERS[i % len(_MARKERS)]) for i, shade in enumerate(shades)]
    nth = [algorithms[:i].count(algorithm) for i, algorithm in enumerate(algorithms)]
    return [
        (_COLOURS.get(algorithm, INK), _DASHES[i % len(_DASHES)], _MARKERS[i % len(_MARKERS)])
        for algorithm, i in zip(algorithms, nth)
    ]


def _label(row, rows):
    """How many replicates it is the mean of is said of each line only where that differs."""
    same = len({len(each.best) for each in rows}) == 1
    return row.label if same else f"{row.label} ({numbers.counted(len(row.best), 'replicate')})"


def _known_minimum(rows):
    """That of all runs, or None if one has another or none."""
    minima = {known_minimum(run) for row in rows for run in row.runs}
    return minima.pop() if len(minima) == 1 else None


def _finished(figure, axes, rows, what, above):
    counts = {len(row.best) for row in rows}
    of = f" of {numbers.counted(counts.pop(), 'replicate')}" if len(counts) == 1 else ""
    if above is not None:
        if not any(numpy.isfinite(line.get_ydata()).any() for line in axes.lines):
            raise ReportError(f"no mean best energy lies above {above:g}")
        axes.set_yscale("log")
        plain_log_ticks(axes.yaxis, *axes.get_ylim())
    elif _known_minimum(rows) is not None:
        line_across(axes, _known_minimum(rows), color=INK, linestyle=(0, (1, 2)), linewidth=1.1, label="known minimum")
    beyond = "" if above is None else f", above {numbers.plain(above)}"
    axes.set_ylabel(f"Mean{of}: {what}{beyond}")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return as_svg(figure)
