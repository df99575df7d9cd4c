"""The error of every estimator of log Z/Z_0 over the replicates, a panel an estimator: its mean, and a standard deviation
on either side (Habeck 2017, figure 2)."""

import numpy

from .. import words
from ..style import BLUE, finish, plain_ticks
from . import drawing
from .evidence import estimators_of
from .layout import Abscissa, panels
from .scalars import file_name

_FEWEST = 10  # replicates
_BEYOND = 4  # times the error of the best estimator: larger errors leave the panel


def against_axis(sweep, axis):
    """Empty unless there are several estimators, a known answer and enough replicates."""
    estimators = estimators_of(sweep, with_cumulants=True)
    if len(estimators) < 2 or sweep.summary.get("replicates", 1) < _FEWEST or not sweep.is_numeric(axis):
        return []
    abscissa, pictures = Abscissa(sweep, axis), []
    groups = [line for panel in panels(sweep, axis) for line in panel.lines]
    for place, group in enumerate(groups):
        found = [panel for name in estimators.values() if (panel := _panel(sweep, group.settings, name, abscissa))]
        if len(found) < 2:
            continue
        limit = _BEYOND * min(_size(panel) for panel in found)
        width = drawing.panel_width(len(found))
        figure = drawing.draw(
            found, lambda axes: _scale_steps(axes, abscissa, width), "Error of log Z (nats)",
            scale_values=lambda axes, _shared: _scale(axes, limit),
        )
        which = f", {group.label}" if len(groups) > 1 else ""
        caption = (
            f"Mean error of {sweep.replicates} runs, and one standard deviation of them on either "
            "side; what is beyond the panels is larger."
        )
        title = f"Bias and spread against {words.of_key(axis).lower()}{which}"
        name = f"spread-against-{file_name(axis)}" + (f"-{place + 1}" if len(groups) > 1 else "")
        pictures.append(finish(figure, name, "evidence", title, caption, "wide" if len(found) > 2 else ""))
    return pictures


def _panel(sweep, settings, name, abscissa):
    rows = []
    for number in sorted(settings, key=lambda number: abscissa.at(sweep.settings[number])):
        errors = sweep.of_runs(name, number) - sweep.of_runs(name.removesuffix("value") + "exact", number)
        errors = errors[numpy.isfinite(errors)]
        if len(errors) >= _FEWEST:
            rows.append((abscissa.at(sweep.settings[number]), errors.mean(), errors.std(ddof=1)))
    if len(rows) < 2:
        return None
    x, mean, sd = numpy.array(rows).T
    style = {"color": BLUE, "linestyle": "-", "marker": "o", "markersize": 3}
    line = drawing.Line("", style, x, mean, mean - sd, mean + sd)
    return drawing.Panel(words.of_estimator(name), [line], ("no error", None, 0.0))


def _size(panel):
    (line,) = panel.lines
    return float(numpy.maximum(numpy.abs(line.low), numpy.abs(line.high)).max())


def _scale_steps(axes, abscissa, width):
    drawing.scale_key(axes, abscissa, width)
    axes.minorticks_off()


def _scale(axes, limit):
    axes.set_ylim(-limit, limit)
    plain_ticks(axes.yaxis, 5)
