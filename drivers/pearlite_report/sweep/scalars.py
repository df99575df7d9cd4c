"""Scalars against swept keys, and how often intervals cover the exact value."""

import numpy
from matplotlib.figure import Figure

from .. import numbers, words
from ..run import ReportError
from ..style import GREEN, INK, WIDE, finish, left_out
from . import drawing
from .layout import PALETTE, Abscissa, panels

_SPREAD = 0.18  # of a category: how far replicates lie apart
_ROWS = 30  # settings of a figure of coverages
_MOST_COVERAGES = 4  # such figures
_NOMINAL = 0.95


def against_axis(sweep, name, axis, above=None):
    """The pictures of one scalar against one axis; axis None: all settings are one. Empty if nothing is finite."""
    if not numpy.isfinite(sweep.of_settings("mean", name)).any():
        return []
    abscissa = Abscissa(sweep, axis)
    found = [_panel(sweep, group, name, abscissa, above) for group in panels(sweep, axis, name)]
    found = [panel for panel in found if panel.lines]
    if not found:
        raise ReportError(f"no mean of {name} lies above {above:g}")
    label = words.of_scalar(name) + ("" if above is None else f", above {numbers.plain(above)}")
    pictures = []
    for part, suffix, remark in drawing.in_figures(found):
        width = drawing.panel_width(len(part))
        figure = drawing.draw(part, lambda axes: drawing.scale_key(axes, abscissa, width), label, above)
        title = label if axis is None else f"{label} against {abscissa.label()[:1].lower()}{abscissa.label()[1:]}"
        stem = f"{name}-against-{axis}" if axis else name
        caption = _caption(sweep, name, axis, found)
        shape = "wide" if len(part) > 2 else ""
        pictures.append(finish(figure, file_name(stem) + suffix, "scalars", title + remark, caption, shape))
    return pictures


def file_name(words_of_it):
    """Letters, digits, points, dashes and underscores only."""
    return "".join(letter if letter.isalnum() or letter in ".-_" else "-" for letter in words_of_it)


def _panel(sweep, group, name, abscissa, above):
    lines = [
        _line(sweep, line, name, abscissa, above, place, len(group.lines)) for place, line in enumerate(group.lines)
    ]
    lines = [line for line in lines if numpy.isfinite(line.mean).any()]
    reference = None if above is not None else reference_of(sweep, name, abscissa, group.settings)
    return drawing.Panel(group.label, lines, reference)


def _line(sweep, group, name, abscissa, above, place, n_lines):
    mean, count = sweep.of_settings("mean", name), sweep.of_settings("count", name)
    error = numpy.where(count > 1, sweep.of_settings("standard_error", name), numpy.nan)  # one run has none
    known = [number for number in group.settings if numpy.isfinite(mean[number])]
    known.sort(key=lambda number: abscissa.at(sweep.settings[number]))
    shift = 0.0 if abscissa.numeric else 0.6 * (place - (n_lines - 1) / 2) / n_lines
    x = numpy.array([abscissa.at(sweep.settings[number]) + shift for number in known])
    middle, low, high = distance(mean[known], 2 * error[known], above)
    style = group.style if abscissa.numeric else {**group.style, "linestyle": ""}
    points = _points(sweep, name, known, x, 0.0 if abscissa.numeric else _SPREAD / n_lines, above)
    # A band cannot show the error of one place alone.
    alone = numpy.isfinite(low).sum() < len(known) or len(known) == 1
    return drawing.Line(group.label, style, x, middle, low, high, points, bars=not abscissa.numeric or alone)


def distance(mean, error, above):
    """The line and its ends. On a logarithmic axis they are distances from `above`, the low end a decade lower at most."""
    low, high = mean - error, mean + error
    if above is None:
        return mean, low, high
    middle = numpy.where(mean > above, mean - above, numpy.nan)
    return middle, numpy.maximum(low - above, 0.1 * middle), numpy.where(mean > above, high - above, numpy.nan)


def _points(sweep, name, settings, x, spread, above):
    """The replicates of each setting, beside each other where there is room."""
    at, values = [], []
    for place, number in zip(x, settings):
        mine = sweep.of_runs(name, number)
        n = len(mine)
        if n > 1:
            at.append(place + spread * numpy.linspace(-1, 1, n))
            values.append(mine)
    if not at:
        return (), ()
    at, values = numpy.concatenate(at), numpy.concatenate(values) - (above or 0.0)
    drawn = numpy.isfinite(values) & (values > 0 if above is not None else True)
    return at[drawn], values[drawn]


def reference_of(sweep, name, abscissa, settings):
    """The exact value of a scalar: one for all runs, or one for each place of the axis; None if it is unknown."""
    known, label = None, "exact"
    if name.endswith(".value"):
        known = name.removesuffix("value") + "exact"
    elif name in ("best.energy", "polished.energy"):
        known, label = "best.known_minimum", "known minimum"
    if known is None or sweep.column(known) is None:
        return None
    if sweep.constant(known) is not None:
        return label, None, sweep.constant(known)
    mean, spread = sweep.of_settings("mean", known), numpy.nan_to_num(sweep.of_settings("sd", known))
    places = {}
    for number in settings:
        if numpy.isfinite(mean[number]):
            places.setdefault(abscissa.at(sweep.settings[number]), []).append((mean[number], spread[number]))
    for values in places.values():
        size = max(1e-9 * abs(values[0][0]), 1e-12)
        if numpy.ptp([value for value, _ in values]) > size or max(error for _, error in values) > size:
            return None
    x = sorted(places)
    y = [places[at][0][0] for at in x]
    if not x:
        return None
    return (label, None, y[0]) if numpy.allclose(y, y[0], rtol=1e-12, atol=0) else (label, x, y)


def _caption(sweep, name, axis, drawn):
    counts = sweep.of_settings("count", name)
    settings = "" if axis is None else f"{axis}. "
    if not counts.max() > 1:
        return f"{name} against {settings}One run a setting." if axis else f"{name}. One run."
    means = "lines are means, bands" if axis is not None and sweep.is_numeric(axis) else "symbols are means, bars"
    caption = f"{name} against {settings}" if axis else f"{name}. "
    caption += f"Pale points are runs ({sweep.replicates} a setting), {means} two standard errors of them."
    n_drawn = sum(len(line.x) for panel in drawn for line in panel.lines)
    return caption + left_out(len(sweep.settings) - n_drawn, "setting", "no finite value")


# ---- coverage -------------------------------------------------------------------------------------------------------


def coverages(sweep, names):
    """How often the 95 % intervals of each setting held the exact value, a row a setting."""
    names = [name for name in names if numpy.isfinite(sweep.of_settings("coverage", name)).any()]
    if not names:
        return []
    known = numpy.any([numpy.isfinite(sweep.of_settings("coverage", name)) for name in names], axis=0)
    settings = list(numpy.flatnonzero(known))
    parts = [settings[i : i + _ROWS] for i in range(0, len(settings), _ROWS)]
    pictures = [
        _coverage(sweep, names, part, place + 1, len(parts)) for place, part in enumerate(parts[:_MOST_COVERAGES])
    ]
    beyond = sum(map(len, parts[_MOST_COVERAGES:]))
    if beyond:
        sweep.remarks.append(f"The coverage of {numbers.counted(beyond, 'setting')} is in settings.csv only")
    return pictures


def _coverage(sweep, names, settings, part, n_parts):
    legend = 0.2 * -(-len(names) // 2) if len(names) > 1 else 0.0
    labels = [words.of_setting(sweep.settings[number]) or "all runs" for number in settings]
    width = max(WIDE[0], 3.4 + 0.072 * max(map(len, labels)))
    figure = Figure(figsize=(width, 0.9 + legend + (0.14 + 0.1 * len(names)) * max(2, len(settings))))
    axes = figure.add_subplot()
    for place, name in enumerate(names):
        coverage, count = sweep.of_settings("coverage", name)[settings], _intervals(sweep, name, settings)
        y = numpy.arange(len(settings)) + 0.6 * (place - (len(names) - 1) / 2) / len(names)
        low, high = numbers.wilson(coverage, count)
        colour = PALETTE[1:][place % (len(PALETTE) - 1)]
        axes.hlines(y, low, high, color=colour, linewidth=1.8, alpha=0.55)
        axes.plot(coverage, y, "o", color=colour, markersize=4, label=drawing.literal(words.of_estimator(name)))
    axes.axvline(_NOMINAL, color=GREEN, linestyle=(0, (5, 2)), linewidth=1.1)
    axes.set_yticks(range(len(settings)), [drawing.literal(label) for label in labels], color=INK)
    axes.set_ylim(len(settings) - 0.5, -0.5)
    axes.set_xlim(None, 1.01)
    axes.grid(False, axis="y")
    axes.set_xlabel(drawing.broken_label("Share of the 95 % intervals that hold the exact value", 3.3))
    if len(names) > 1:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=2, borderaxespad=0.2, columnspacing=1)
    title = "Coverage" + (f", part {part} of {n_parts}" if n_parts > 1 else "")
    caption = "Bars are binomial, two standard errors each way (Wilson's interval); the dashed line is at 0.95."
    if len(names) == 1:
        caption = f"{words.of_estimator(names[0])}. {caption}"
    shape = "wide" if width > 1.3 * WIDE[0] else ""
    return finish(figure, f"coverage-{part}" if n_parts > 1 else "coverage", "coverage", title, caption, shape)


def _intervals(sweep, name, settings):
    """How many runs of each setting have an interval: they may refuse one that have a value."""
    low = name.removesuffix("value") + "interval95.low"
    with_value = sweep.of_settings("count", name)[settings]
    if sweep.column(low) is None:
        return with_value
    return numpy.array([numpy.isfinite(sweep.of_runs(low, number)).sum() for number in settings])
