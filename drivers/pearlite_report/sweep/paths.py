"""Annealed runs: their schedules, and how far their weights have spread on the way, a line a setting (Kiwaki 2015,
figures 1 and 4)."""

import numpy

from .. import numbers
from ..style import finish
from . import drawing
from .layout import MOST_LINES, panels

_MOST_POINTS = 400  # of a line
_MOST_SETTINGS = MOST_LINES * drawing.MOST_PANELS
SHARE = "Share of the steps"


def curves(sweep):
    """The pictures; empty if no annealed run's directory was kept, or if the settings are too many to distinguish."""
    if not 1 < len(sweep.settings) <= _MOST_SETTINGS:
        return []
    known = sweep.of_first_runs(_path, "Run {run} is not among the curves: {error}")
    if len(known) < 2:
        return []
    first = "The first replicate of each setting."
    schedules = {setting: path["inverse_temperature"] for setting, path in known.items()}
    shares = {setting: path["ess"] / path["ess"][0] for setting, path in known.items()}
    return _drawn(sweep, schedules, "schedules", "Schedules", "Inverse temperature β", first) + _drawn(
        sweep, shares, "ess-on-the-way", "Effective share of the particles", "Effective share", first
    )


def _path(_file, contents):
    """The arrays along the path of a run, or None."""
    path = {name: contents.array(f"per_step/{name}", 1) for name in ("inverse_temperature", "ess")}
    b, ess = path["inverse_temperature"], path["ess"]
    return path if b is not None and ess is not None and len(b) == len(ess) > 1 and ess[0] > 0 else None


def _drawn(sweep, values, name, title, label, caption):
    found = []
    for group in panels(sweep, None):
        lines = [_line(line, values[number]) for line in group.lines for number in line.settings if number in values]
        if lines:
            found.append(drawing.Panel(group.label, lines))
    pictures = []
    for part, suffix, remark in drawing.in_figures(found):
        figure = drawing.draw(part, _scale_steps, label, scale_values=_scale_values)
        shape = "wide" if len(part) > 2 else ""
        pictures.append(finish(figure, f"{name}{suffix}", "paths", f"{title}{remark}", caption, shape))
    return pictures


def _line(line, values):
    x, y = numbers.decimate(numpy.linspace(0, 1, len(values)), values, _MOST_POINTS)
    style = {**line.style, "marker": "", "linewidth": 1.4}
    return drawing.Line(line.label, style, x, y, y, y)


def _scale_steps(axes):
    axes.set_xlim(0, 1)
    axes.set_xlabel(SHARE)


def _scale_values(axes, _shared):
    axes.set_ylim(bottom=0)
