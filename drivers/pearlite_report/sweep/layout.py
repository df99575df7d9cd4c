"""The layout of settings: which become lines of one panel and which separate panels, and the look of lines."""

import dataclasses

import matplotlib
import numpy

from .. import numbers, words
from ..style import BLUE, GREEN, GREY, INK, ORANGE, VERMILLION

MOST_LINES = 8  # more in one panel are a thicket
PALETTE = (VERMILLION, BLUE, GREEN, ORANGE, "#56B4E9", "#CC79A7", GREY, INK)
DASHES = ("-", "--", ":", "-.")
MARKERS = "osD^vPX*"
_FAR = 6


@dataclasses.dataclass
class Group:
    """The settings of one line or of one panel."""

    label: str
    settings: list  # their numbers
    style: dict = dataclasses.field(default_factory=dict)  # colour, dashes and marker of a line
    lines: list = dataclasses.field(default_factory=list)  # Groups of a panel
    scalar: str = ""  # of a line, where lines of a panel have different ones


def panels(sweep, against, column=None):
    """Panels with lines, at most MOST_LINES each, for all settings. `against` is the axis that is drawn along, or None
    where that is time; axes that go with it make no lines. `column`: the scalar whose sizes matter."""
    tied = [] if against is None else [against, *sweep.tied_to(against)]
    inside = [axis for axis in sweep.axes if axis not in tied and len(sweep.values_of(axis)) > 1]
    outside = [axis for axis in inside if column is not None and _sizes_differ(sweep, axis, column)]
    inside = [axis for axis in inside if axis not in outside]
    while inside and len(_combinations(sweep, inside)) > MOST_LINES:
        outside.append(_to_move(sweep, inside))
        inside.remove(outside[-1])
    outside.sort(key=sweep.axes.index)
    look = _styles(sweep, inside)
    found = []
    for values in _combinations(sweep, outside):
        members = _settings_with(sweep, outside, values, range(len(sweep.settings)))
        panel = Group(words.of_setting(dict(zip(outside, values))), members)
        for line in _combinations(sweep, inside, members):
            label = words.of_setting(dict(zip(inside, line)))
            panel.lines.append(Group(label, _settings_with(sweep, inside, line, members), look[line]))
        found.append(panel)
    return found


def _combinations(sweep, axes, settings=None):
    """The values of these axes that occur together, each once, in the order of the axes' values."""
    order = {axis: {value: place for place, value in enumerate(sweep.values_of(axis))} for axis in axes}
    chosen = sweep.settings if settings is None else [sweep.settings[number] for number in settings]
    found = dict.fromkeys(tuple(setting[axis] for axis in axes) for setting in chosen)
    return sorted(found, key=lambda values: tuple(order[axis][value] for axis, value in zip(axes, values)))


def _settings_with(sweep, axes, values, settings):
    return [number for number in settings if tuple(sweep.settings[number][axis] for axis in axes) == values]


def _to_move(sweep, inside):
    """The axis whose values become panels: one that leaves few enough lines, with the fewest values, a key rather than
    variants, since variants are to be compared."""

    def cost(axis):
        left = len(_combinations(sweep, [other for other in inside if other != axis]))
        n = len(sweep.values_of(axis))
        return (left > MOST_LINES, "." not in axis, n if left <= MOST_LINES else -n)

    return min(inside, key=cost)


def _sizes_differ(sweep, axis, column):
    """Whether the scalar has so different values for those of this axis that one scale would hide all else: energies
    and evidences of other models and data are of other sizes."""
    if not sweep.is_of_models(axis):
        return False
    mean = sweep.of_settings("mean", column)
    ranges = []
    for value in sweep.values_of(axis):
        mine = mean[[setting[axis] == value for setting in sweep.settings]]
        mine = mine[numpy.isfinite(mine)]
        if len(mine):
            ranges.append((mine.min(), mine.max()))
    if len(ranges) < 2:
        return False
    low, high = numpy.array(ranges).T
    return high.max() - low.min() > _FAR * max(numpy.median(high - low), 1e-12)


def _styles(sweep, axes):
    """Values of these axes -> keywords of a line. Numbers get shades, all else colours; a second axis gets dashes."""
    combinations = _combinations(sweep, axes)
    if not axes:
        return {(): {"color": BLUE, "linestyle": "-", "marker": "o"}}
    first = next((axis for axis in axes if not sweep.is_numeric(axis)), axes[0])
    values = sweep.values_of(first)
    if sweep.is_numeric(first):
        shades = matplotlib.colormaps["viridis"](numpy.linspace(0, 0.85, len(values)))
        colours = [matplotlib.colors.to_hex(shade) for shade in shades]
    else:
        colours = [PALETTE[i % len(PALETTE)] for i in range(len(values))]
    at = axes.index(first)
    rest = list(dict.fromkeys(line[:at] + line[at + 1 :] for line in combinations))
    look = {}
    for line in combinations:
        colour, nth = values.index(line[at]), rest.index(line[:at] + line[at + 1 :])
        marker = MARKERS[(nth if len(axes) > 1 else colour) % len(MARKERS)]
        look[line] = {"color": colours[colour], "linestyle": DASHES[nth % len(DASHES)], "marker": marker}
    return look


class Abscissa:
    """Where the values of a swept key lie: numbers on a scale, all else as categories."""

    LOG_BEYOND = 20  # numbers that span more than such a factor are drawn on a logarithmic axis

    def __init__(self, sweep, axis):
        self.axis = axis
        self.values = [""] if axis is None else sweep.values_of(axis)
        self.numeric = axis is not None and sweep.is_numeric(axis)
        self.logarithmic = self.numeric and self.values[0] > 0 and self.values[-1] > self.LOG_BEYOND * self.values[0]

    def at(self, setting):
        value = "" if self.axis is None else setting[self.axis]
        return float(value) if self.numeric else float(self.values.index(value))

    def beside(self, x, shift):
        """A place beside x by this share of the axis, or of a category, for points that others would hide."""
        if not self.numeric:
            return x + shift
        first, last = float(self.values[0]), float(self.values[-1])
        return x * (last / first) ** shift if self.logarithmic else x + shift * (last - first)

    def share(self, value):
        """From 0 to 1 along the axis."""
        first, last, value = (float(v) for v in (self.values[0], self.values[-1], value))
        if first == last:
            return 0.5
        if self.logarithmic:
            first, last, value = numpy.log([first, last, value])
        return (value - first) / (last - first)

    def label(self):
        return "" if self.axis is None else words.of_key(self.axis)

    def tick_labels(self):
        return [numbers.plain(value) if self.numeric else words.of_value(value) for value in self.values]
