"""Panels of lines with bands or bars against a swept key, or against time, in one figure with one legend."""

import dataclasses
import textwrap

import numpy
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from .. import numbers
from ..style import INK, ORANGE, WIDE, plain_log_ticks, plain_ticks

MOST_PANELS = 12  # of a figure
_CHARACTER = 0.068  # inches of a tick label's character
_PANEL = (2.45, 1.95)  # inches
_LOG_BEYOND = 20


@dataclasses.dataclass
class Line:
    """A mean with its uncertainty, and single values beside it."""

    label: str
    style: dict  # keywords of a line
    x: numpy.ndarray  # [n]
    mean: numpy.ndarray
    low: numpy.ndarray
    high: numpy.ndarray
    points: tuple = ((), ())  # x and y of replicates
    bars: bool = False  # bars instead of a band


@dataclasses.dataclass
class Panel:
    title: str
    lines: list
    reference: tuple | None = None  # words, x or None for all of it, y
    band: tuple | None = None  # words, x, low, high


def draw(panels, decorate, y_label, above=None, scale_values=None):
    """The figure; `decorate(axes)` scales and labels the horizontal axis, `scale_values(axes, shared)`, if it is given,
    the vertical one. `above`: values are distances to it."""
    columns = 1 if len(panels) == 1 else 2 if len(panels) in (2, 4) else 3
    rows = -(-len(panels) // columns)
    width, height = WIDE if len(panels) == 1 else (_PANEL[0] * columns + 0.5, _PANEL[1])
    labels = _labels(panels, width)
    n_legend, legend_columns = _legend_size(labels, width)
    top = 0.18 * n_legend + 0.06 if labels else 0.0
    figure = Figure(figsize=(width, height * rows + top))
    grid = figure.add_gridspec(rows + bool(labels), columns, height_ratios=([top] if labels else []) + [height] * rows)
    shared = _same_scale(panels)
    drawn = []
    for place, panel in enumerate(panels):
        row, column = divmod(place, columns)
        cell = grid[row + bool(labels), column]
        axes = figure.add_subplot(cell, sharey=drawn[0] if shared and drawn else None)
        drawn.append(axes)
        _draw_panel(axes, panel)
        decorate(axes)
        if scale_values is None:
            _scale_values(axes, panels if shared else [panel], above)
        else:
            scale_values(axes, shared)
        if len(panels) > 1:
            axes.set_title(literal(broken_label(panel.title, _PANEL[0] - 0.4)), fontsize=9)
        if column > 0 and shared:
            axes.tick_params(labelleft=False)
        if place + columns < len(panels):
            axes.set_xlabel("")
            # Each panel of a swept key has the same scale, those of time have their own.
            axes.tick_params(labelbottom=scale_values is not None)
        if column == 0:
            axes.set_ylabel(literal(broken_label(y_label, 0.95 * height)))
    if labels:
        _draw_legend(figure.add_subplot(grid[0, :]), drawn, legend_columns, width)
    return figure


def _draw_legend(space, drawn, columns, width):
    """Each label once, in the room above the panels."""
    handles = {}
    for axes in drawn:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    space.axis("off")
    space.legend(
        list(handles.values()), [_wrapped(label, width) for label in handles], loc="center", ncol=columns,
        columnspacing=1.1, handlelength=1.8, borderpad=0, borderaxespad=0, labelspacing=0.3,
    )


def literal(words):
    """Text that matplotlib does not take for a formula."""
    return words.replace("$", r"\$")


def _draw_panel(axes, panel):
    if panel.band is not None:
        label, x, low, high = panel.band
        axes.fill_between(x, low, high, color=ORANGE, alpha=0.15, linewidth=0, label=literal(label))
    pale = 0.18 if len(panel.lines) < 5 else 0.1
    for line in panel.lines:
        colour = line.style.get("color")
        axes.plot(*line.points, "o", color=colour, alpha=0.28, markersize=2.6, markeredgewidth=0)
        if line.bars:
            known = numpy.isfinite(line.low) & numpy.isfinite(line.high)
            axes.vlines(line.x[known], line.low[known], line.high[known], color=colour, linewidth=1.6, alpha=0.6)
        else:
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=pale, linewidth=0)
        axes.plot(line.x, line.mean, label=literal(line.label), **{"linewidth": 1.2, "markersize": 4, **line.style})
    if panel.reference is not None:
        label, x, y = panel.reference
        look = {"color": INK, "linestyle": (0, (5, 2)), "linewidth": 1.1, "label": literal(label)}
        if x is None:
            axes.axhline(y, **look)
            axes.update_datalim([(0, y)], updatex=False)
            axes.autoscale_view(scalex=False)
        else:
            axes.plot(x, y, marker="_", **look)


def _labels(panels, width):
    """Labels of the legend, wrapped to its width; none for a single line without a name."""
    found = []
    for panel in panels:
        found += [line.label for line in panel.lines]
        found += [part[0] for part in (panel.band, panel.reference) if part is not None]
    return [_wrapped(label, width) for label in dict.fromkeys(found) if label]


def _wrapped(label, width):
    """The label in lines that fit one column of a legend."""
    return "\n".join(textwrap.wrap(label, max(10, int((width - 0.6) / _CHARACTER))))


def _legend_size(labels, width):
    """Lines and columns of a legend that fits into this width (inches): as few rows as possible, then as few columns."""
    for columns in range(len(labels), 0, -1):
        parts = [list(part) for part in numpy.array_split(labels, columns)]  # as matplotlib fills columns
        if columns == 1 or sum(_CHARACTER * max(map(_longest_line, part)) + 0.55 for part in parts) < width:
            columns = -(-len(labels) // len(parts[0]))
            parts = [list(part) for part in numpy.array_split(labels, columns)]
            return max(sum(label.count("\n") + 1 for label in part) for part in parts), columns
    return 0, 1


def _longest_line(label):
    return max(map(len, label.split("\n")))


def _values(panels):
    found = [values for panel in panels for line in panel.lines for values in (line.mean, line.low, line.high)]
    found = numpy.concatenate([numpy.zeros(0), *found])
    return found[numpy.isfinite(found)]


def _same_scale(panels):
    """Whether one scale for all panels hides none of them."""
    ranges = [numpy.ptp(values) for values in (_values([panel]) for panel in panels) if len(values)]
    return len(ranges) < 2 or numpy.ptp(_values(panels)) <= 4 * max(numpy.median(ranges), 1e-300)


def _scale_values(axes, panels, above):
    """Linear; logarithmic for distances, and for numbers above 0 that span much."""
    means = [line.mean for panel in panels for line in panel.lines]
    means = numpy.concatenate([numpy.zeros(0), *means])
    means = means[numpy.isfinite(means)]
    spans = len(means) and means.min() > 0 and means.max() > _LOG_BEYOND * means.min()
    if above is None and not spans:
        plain_ticks(axes.yaxis, 6)
        return
    values = _values(panels)
    axes.set_yscale("log")
    known = [numpy.ravel(panel.reference[2]) for panel in panels if panel.reference is not None]
    known = numpy.concatenate([numpy.zeros(0), *known])
    low, high = max(values[values > 0].min(), 0.1 * means.min()), values.max()
    axes.set_ylim(min([low, *known[known > 0]]) / 1.25, 1.25 * max([high, *known]))
    plain_log_ticks(axes.yaxis, *axes.get_ylim())


def scale_key(axes, abscissa, width):
    """The horizontal axis of a swept key, with a tick at each of its values where these have room."""
    labels = abscissa.tick_labels()
    axes.set_xlabel(literal(abscissa.label()))
    if not abscissa.numeric:
        _set_categories(axes, labels, width)
        return
    if len(labels) > 1:
        axes.set_xlim(abscissa.beside(abscissa.values[0], -0.05), abscissa.beside(abscissa.values[-1], 0.05))
    if abscissa.logarithmic:
        axes.set_xscale("log")
    shares = [abscissa.share(value) for value in abscissa.values]
    room = [0.9 * width * (b - a) for a, b in zip(shares, shares[1:])]
    needed = [_CHARACTER * (len(a) + len(b) + 1) / 2 for a, b in zip(labels, labels[1:])]
    if all(has >= needs for has, needs in zip(room, needed)):
        axes.xaxis.set_major_locator(FixedLocator([float(value) for value in abscissa.values]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticklabels(labels)
    elif abscissa.logarithmic:
        plain_log_ticks(axes.xaxis, float(abscissa.values[0]), float(abscissa.values[-1]))
    else:
        plain_ticks(axes.xaxis, max(3, int(width / 0.6)))


def _set_categories(axes, labels, width):
    """Labels beside each other, broken into lines where they are long, turned where that does not help."""
    room = width / len(labels) - 0.12
    broken = [broken_label(label, room) for label in labels]
    longest = max(map(_longest_line, broken))
    turned = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    fits = _CHARACTER * longest <= room
    shown = [literal(label) for label in (broken if fits else labels)]
    axes.set_xticks(range(len(labels)), shown, **({} if fits else turned))
    axes.set_xlim(-0.5, len(labels) - 0.5)
    axes.grid(False, axis="x")


def panel_width(n_panels):
    """About the inches between the ends of a panel's horizontal axis."""
    return WIDE[0] - 0.8 if n_panels == 1 else _PANEL[0] - 0.5


def broken_label(label, inches):
    """The label in two lines if one is too long for this number of inches."""
    if len(label) * _CHARACTER < inches:
        return label
    cuts = [place for place in range(1, len(label)) if label[place] == " " or label[place - 1] == "+"]
    if not cuts:
        return label
    cut = min(cuts, key=lambda place: abs(place - len(label) / 2))
    return label[:cut] + "\n" + label[cut:].lstrip()


def in_figures(panels):
    """The panels of each figure, and the suffixes that distinguish its name and its title."""
    parts = [panels[i : i + MOST_PANELS] for i in range(0, len(panels), MOST_PANELS)]
    if len(parts) < 2:
        return [(parts[0], "", "")] if parts else []
    n = numbers.plain(len(parts))
    return [(part, f"-{place}", f", part {place} of {n}") for place, part in enumerate(parts, 1)]
