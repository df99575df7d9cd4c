"""The figures that the configuration asks for, [[sweep.figure]]: a statistic of scalars over the runs of a setting,
against an axis, with published values beside it."""

import dataclasses

import numpy

from .. import elements, numbers, words
from ..style import GREY, finish, plain_log_ticks, plain_ticks
from . import drawing
from .layout import MARKERS, PALETTE, Abscissa, Group, panels
from .scalars import file_name, reference_of

_STATISTICS = {
    "mean": "Mean of {}",
    "median": "Median of {}",
    "sd": "Standard deviation of {}",
    "bias": "Mean error of {}",
    "rms-error": "Root mean square error of {}",
}
_LOG_Z = ("log_evidence.", "diagnostics.lower_bound", "diagnostics.upper_bound")  # have one axis together


@dataclasses.dataclass
class Asked:
    """A figure as summary.json has it."""

    name: str
    title: str
    scalars: list
    statistic: str
    against: str | None
    known: float | None
    logarithmic: bool | None
    published: list  # label, x, y


def figures_of(sweep):
    """The requested figures that can be drawn; the sweep gets a remark about each of the others."""
    found = []
    for entry in sweep.summary.get("figures") or []:
        scalars = [name for name in entry.get("scalars") or sweep.chosen[:1] if _is_there(sweep, entry, name)]
        against = entry.get("against") or next((a for a in sweep.axes if len(sweep.values_of(a)) > 1), None)
        if scalars:
            found.append(
                Asked(
                    str(entry["name"]), entry.get("title") or str(entry["name"]), scalars, entry.get("statistic", "mean"),
                    against, entry.get("known"), entry.get("logarithmic"), entry.get("published") or [],
                )
            )
    return found


def _is_there(sweep, entry, name):
    there = sweep.column(name) is not None and numpy.isfinite(sweep.of_settings("mean", name)).any()
    if not there:
        sweep.remarks.append(f"Figure {entry.get('name')}: no run has the scalar {name}")
    return there


def pictures(sweep):
    """All of them."""
    found = []
    for asked in figures_of(sweep):
        drawn = _panels(sweep, asked)
        for part, suffix, remark in drawing.in_figures(drawn):
            abscissa, width = Abscissa(sweep, asked.against), drawing.panel_width(len(part))
            figure = drawing.draw(
                part, lambda axes: _scale_key(axes, abscissa, width, asked), _label(asked), scale_values=_scale_of(asked)
            )
            shape = "wide" if len(part) > 2 else ""
            title = asked.title + remark
            found.append(finish(figure, file_name(asked.name) + suffix, "asked", title, _caption(sweep, asked), shape))
    return found


def tables(sweep):
    """The numbers of each figure, folded, as HTML."""
    parts = []
    for asked in figures_of(sweep):
        abscissa = Abscissa(sweep, asked.against)
        rows = []
        for panel in _groups(sweep, asked):
            for line in panel.lines:
                label = ", ".join(filter(None, [panel.label, line.label]))
                for number, value, error in _values(sweep, asked, line, abscissa):
                    at = "" if asked.against is None else words.of_value(sweep.settings[number][asked.against])
                    rows.append([label or "this sweep", at, numbers.plain(value, 5), numbers.plain(error, 2)])
        for curve in asked.published:
            rows += [
                [curve["label"], words.of_value(x), numbers.plain(y, 5), ""] for x, y in zip(curve["x"], curve["y"])
            ]
        heads = ["", "" if asked.against is None else words.of_key(asked.against), _label(asked), "standard error"]
        parts.append(elements.folded(f"Numbers of {asked.name}", elements.numeric_table(heads, rows)))
    return "".join(parts)


def _label(asked):
    name = words.of_scalar(asked.scalars[0]) if len(asked.scalars) == 1 else "the scalars"
    if len(asked.scalars) > 1 and all(name.startswith(_LOG_Z) for name in asked.scalars):
        name = "log Z estimates"
    text = _STATISTICS.get(asked.statistic, asked.statistic + " of {}").format(name)
    return text if asked.statistic != "mean" else name[:1].upper() + name[1:]


def _groups(sweep, asked):
    """Panels whose lines are the settings of other axes, or where there are several scalars these."""
    found = panels(sweep, asked.against, asked.scalars[0])
    if len(asked.scalars) == 1:
        for panel in found:
            for line in panel.lines:
                line.scalar = asked.scalars[0]
        return found
    split = []
    for panel in found:
        for line in panel.lines:
            whole = Group(", ".join(filter(None, [panel.label, line.label])), line.settings)
            for k, name in enumerate(asked.scalars):
                style = {"color": PALETTE[k % len(PALETTE)], "linestyle": "-", "marker": MARKERS[k % len(MARKERS)]}
                label = words.of_estimator(name) if name.startswith("log_evidence.") else words.of_scalar(name)
                whole.lines.append(Group(label, line.settings, style))
                whole.lines[-1].scalar = name
            split.append(whole)
    return split


def _values(sweep, asked, line, abscissa):
    """[(setting, statistic, its standard error)] along the axis."""
    found = []
    for number in sorted(line.settings, key=lambda number: abscissa.at(sweep.settings[number])):
        values = sweep.of_runs(line.scalar, number)
        known = numpy.full(len(values), asked.known) if asked.known is not None else _known(sweep, line.scalar, number)
        value, error = statistic(asked.statistic, values, known)
        if numpy.isfinite(value):
            found.append((number, value, error))
    return found


def _known(sweep, name, setting):
    """The exact value in each run of a setting, NaN where it is unknown."""
    other = name.removesuffix("value") + "exact" if name.endswith(".value") else "best.known_minimum"
    return sweep.of_runs(other, setting)


def statistic(name, values, known):
    """A statistic of the values [n] of runs, and its standard error; `known` [n] are the right ones. NaN where it is not
    defined, the error from one run on its own included."""
    if name in ("bias", "rms-error"):
        values = values - known
    values = values[numpy.isfinite(values)]
    n = len(values)
    if n == 0 or (n == 1 and name == "sd"):
        return numpy.nan, numpy.nan
    sd = float(values.std(ddof=1)) if n > 1 else numpy.nan
    if name == "median":
        return float(numpy.median(values)), _error_of_median(values)
    if name == "sd":
        return sd, sd / numpy.sqrt(2 * (n - 1))
    if name == "rms-error":
        squares = values**2
        rms = float(numpy.sqrt(squares.mean()))
        return rms, float(squares.std(ddof=1) / numpy.sqrt(n) / (2 * rms)) if n > 1 and rms > 0 else numpy.nan
    return float(values.mean()), sd / numpy.sqrt(n)


def _error_of_median(values):
    """A quarter of the distance between the order statistics two binomial standard deviations to each side."""
    n = len(values)
    if n < 2:
        return numpy.nan
    ordered = numpy.sort(values)
    low, high = max(0, int(numpy.floor(n / 2 - numpy.sqrt(n)))), min(n - 1, int(numpy.ceil(n / 2 + numpy.sqrt(n))) - 1)
    return float(ordered[high] - ordered[low]) / 4


def _panels(sweep, asked):
    abscissa = Abscissa(sweep, asked.against)
    drawn = []
    for group in _groups(sweep, asked):
        lines = []
        for place, line in enumerate(group.lines):
            if known := _values(sweep, asked, line, abscissa):
                lines.append(_line(sweep, line, known, abscissa, place, len(group.lines)))
        if lines:
            lines += [_published(curve, lines, abscissa, k) for k, curve in enumerate(asked.published)]
            reference = _reference(sweep, asked, abscissa, group.settings)
            drawn.append(drawing.Panel(group.label, [line for line in lines if len(line.x)], reference))
    return drawn


def _line(sweep, group, known, abscissa, place, n_lines):
    shift = 0.0 if abscissa.numeric else 0.6 * (place - (n_lines - 1) / 2) / n_lines
    x = numpy.array([abscissa.at(sweep.settings[number]) + shift for number, _, _ in known])
    value, error = numpy.array([row[1:] for row in known], dtype=float).T
    style = group.style if abscissa.numeric else {**group.style, "linestyle": ""}
    alone = not abscissa.numeric or numpy.isfinite(error).sum() < 2
    return drawing.Line(group.label, style, x, value, value - 2 * error, value + 2 * error, bars=alone)


def _published(curve, lines, abscissa, k):
    """Open symbols, in the colour of the line whose label ends theirs."""
    points = [(at, y) for x, y in zip(curve["x"], curve["y"]) if (at := _place(abscissa, x)) is not None]
    x, y = numpy.array(points, dtype=float).reshape(-1, 2).T
    own = next((line for line in lines if line.label and curve["label"].endswith(line.label)), None)
    style = {
        "color": own.style["color"] if own else GREY, "marker": own.style["marker"] if own else MARKERS[::-1][k % 8],
        "markerfacecolor": "none", "linestyle": (0, (1, 2)) if abscissa.numeric else "", "linewidth": 1.0,
    }
    nothing = numpy.full(len(x), numpy.nan)
    return drawing.Line(curve["label"], style, x, y, nothing, nothing, bars=True)


def _place(abscissa, x):
    if abscissa.numeric:
        return float(x) if numbers.is_number(x) and not (abscissa.logarithmic and x <= 0) else None
    return float(abscissa.values.index(x)) if x in abscissa.values else None


def _reference(sweep, asked, abscissa, settings):
    if asked.statistic == "bias":
        return "no error", None, 0.0
    if asked.statistic not in ("mean", "median"):
        return None
    if asked.known is not None:
        return "known", None, asked.known
    return reference_of(sweep, asked.scalars[0], abscissa, settings)


def _scale_key(axes, abscissa, width, asked):
    """Published values may lie beyond those of this sweep."""
    drawing.scale_key(axes, abscissa, width)
    beyond = [float(x) for curve in asked.published for x in curve["x"] if numbers.is_number(x)]
    if not abscissa.numeric or not beyond or len(abscissa.values) < 2:
        return
    low, high = axes.get_xlim()
    first, last = min(beyond), max(beyond)
    if abscissa.logarithmic and first > 0:
        axes.set_xlim(min(low, first / 1.2), max(high, 1.2 * last))
    elif not abscissa.logarithmic:
        axes.set_xlim(min(low, first - 0.03 * (last - first)), max(high, last + 0.03 * (last - first)))


def _scale_of(asked):
    if asked.logarithmic is None:
        return None
    return _logarithmic if asked.logarithmic else lambda axes, _shared: plain_ticks(axes.yaxis, 6)


def _logarithmic(axes, _shared):
    axes.set_yscale("log")
    plain_log_ticks(axes.yaxis, *axes.get_ylim())


def _caption(sweep, asked):
    if sweep.summary.get("replicates", 1) < 2:
        return "One run a setting."
    caption = f"{sweep.replicates} runs a setting; bands and bars are two standard errors each way."
    return caption + (" Open symbols are published values." if asked.published else "")
