"""The estimators of log Z/Z_0 against a swept key, with the bounds, as in the figures of Habeck (2017)."""

import re

import numpy

from ..style import BLUE, GREEN, GREY, VERMILLION, finish
from . import drawing
from .layout import MARKERS, Abscissa, panels
from .scalars import file_name, reference_of

_COLOURS = {
    "bar": VERMILLION,
    "histogram": "#8b1a1a",
    "jarzynski-forward": BLUE,
    "jarzynski-reverse": GREEN,
    "mbar": "#E69F00",
    "product": BLUE,
    "stepping-stone": "#CC79A7",
    "thermodynamic-integration": "#56B4E9",
}
_VALUE = re.compile(r"log_evidence\.([^.]+)\.log_ratio\.value")
_BESIDE = 0.008  # of the axis: how far intervals lie apart, so that they do not hide each other


def estimators_of(sweep, with_cumulants=False):
    """estimator -> the name of its scalar; cumulants, which are exact for normal works only, if they are wanted."""
    found = {}
    for name in sweep.columns:
        match = _VALUE.fullmatch(name)
        is_wanted = match and (with_cumulants or not match[1].startswith("cumulant"))
        if is_wanted and numpy.isfinite(sweep.of_settings("mean", name)).any():
            found[match[1]] = name
    return found


def against_axis(sweep, axis):
    """The estimators beside each other; empty if there is one only, without bounds."""
    estimators = estimators_of(sweep)
    bounded = sweep.column("diagnostics.lower_bound") is not None
    if len(estimators) < 2 and not (estimators and bounded):
        return []
    abscissa = Abscissa(sweep, axis)
    found = []
    for group in panels(sweep, axis):
        for line in group.lines:  # each combination of the other axes has a panel: its lines are the estimators
            label = ", ".join(filter(None, [group.label, line.label]))
            found.append(_panel(sweep, label, line.settings, estimators, abscissa))
    pictures = []
    for part, suffix, remark in drawing.in_figures(found):
        width = drawing.panel_width(len(part))
        figure = drawing.draw(part, lambda axes: drawing.scale_key(axes, abscissa, width), "log Z / Z₀ (nats)")
        title = f"Estimators against {abscissa.label()[:1].lower()}{abscissa.label()[1:]}{remark}"
        shape = "wide" if len(part) > 2 else ""
        name = f"estimators-against-{file_name(axis)}{suffix}"
        pictures.append(finish(figure, name, "evidence", title, _caption(sweep, bounded), shape))
    return pictures


def _caption(sweep, bounded):
    if sweep.summary.get("replicates", 1) > 1:
        caption = f"Means over {sweep.replicates} runs with two standard errors."
    else:
        caption = "Bars are the 95 % intervals of the runs; where there is none, the run gave none."
    return caption + (" Shaded: between the lower and the upper bound." if bounded else "")


def _panel(sweep, label, settings, estimators, abscissa):
    lines = []
    for place, (estimator, name) in enumerate(estimators.items()):
        mean = sweep.of_settings("mean", name)
        known = sorted(
            (number for number in settings if numpy.isfinite(mean[number])),
            key=lambda number: abscissa.at(sweep.settings[number]),
        )
        if not known:
            continue
        shift = (0.12 if not abscissa.numeric else _BESIDE) * (place - (len(estimators) - 1) / 2)
        x = [abscissa.beside(abscissa.at(sweep.settings[number]), shift) for number in known]
        low, high = _interval(sweep, name, known)
        dashes = "-" if abscissa.numeric else ""
        colour = _COLOURS.get(estimator, GREY)
        style = {"color": colour, "linestyle": dashes, "marker": MARKERS[place % len(MARKERS)], "linewidth": 0.8}
        lines.append(drawing.Line(estimator, style, numpy.array(x), mean[known], low, high, bars=True))
    reference = reference_of(sweep, next(iter(estimators.values())), abscissa, settings)
    return drawing.Panel(label, lines, reference, _bounds(sweep, settings, abscissa))


def _interval(sweep, name, settings):
    """Two standard errors over the replicates; for a single run, its own interval of 95 %."""
    statistics = ("mean", "standard_error", "count")
    mean, error, count = (sweep.of_settings(statistic, name)[settings] for statistic in statistics)
    stem = name.removesuffix("value")
    ends = [sweep.of_settings("mean", f"{stem}interval95.{end}")[settings] for end in ("low", "high")]
    single = (count < 2) | ~numpy.isfinite(error)
    return numpy.where(single, ends[0], mean - 2 * error), numpy.where(single, ends[1], mean + 2 * error)


def _bounds(sweep, settings, abscissa):
    lower, upper = (sweep.of_settings("mean", f"diagnostics.{end}_bound") for end in ("lower", "upper"))
    known = [number for number in settings if numpy.isfinite(lower[number]) and numpy.isfinite(upper[number])]
    if len(known) < 2 or not abscissa.numeric:
        return None
    known.sort(key=lambda number: abscissa.at(sweep.settings[number]))
    return "between the bounds", [abscissa.at(sweep.settings[number]) for number in known], lower[known], upper[known]
