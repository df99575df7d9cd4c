"""How figures look: sizes that read on a phone and in print, the colour-blind-safe palette of Okabe and Ito (2008)."""

import contextlib
import dataclasses
import io
import itertools

import matplotlib
import numpy
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, Formatter, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from . import numbers

BLUE = "#0072B2"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
VERMILLION = "#D55E00"
INK = "#24292f"
GREY = "#6b7480"

WIDE = (4.9, 3.1)  # inches; two of these stand beside each other on a screen
SMALL = (2.6, 1.9)
PALE_BLUE = "#8fc1e0"  # for bars that a line must stand out from

_SETTINGS = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9.5,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "font.size": 9.5,
    "grid.color": "#e6e8eb",
    "grid.linewidth": 0.7,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.solid_joinstyle": "round",
    "svg.fonttype": "path",
    "svg.hashsalt": "pearlite",  # the same run draws the same bytes
    "xtick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.color": GREY,
    "ytick.labelcolor": INK,
}


_DARK = {
    "axes.edgecolor": "#9aa4ae",
    "axes.facecolor": "#0d1117",
    "axes.labelcolor": "#dde3ea",
    "figure.facecolor": "#0d1117",
    "grid.color": "#2b323b",
    "savefig.facecolor": "#0d1117",
    "text.color": "#dde3ea",
    "xtick.color": "#9aa4ae",
    "xtick.labelcolor": "#dde3ea",
    "ytick.color": "#9aa4ae",
    "ytick.labelcolor": "#dde3ea",
}


@dataclasses.dataclass
class Picture:
    """One finished figure: its file name without suffix, the section it belongs to, words for it, and its bytes."""

    name: str
    section: str  # "estimates", "search", "state", "state-wide", "edges", "annealing", "parameters", "posterior",
    # "predictions", "training" or "particles"; of a sweep "asked", "scalars", "coverage",
    # "evidence", "progress", "masses", "works" or "paths"
    title: str
    caption: str
    data: bytes
    suffix: str = "svg"
    shape: str = ""  # "wide": takes the whole width of the page


@contextlib.contextmanager
def drawing_style(dark=False):
    """Matplotlib as this package wants it, whatever the user's matplotlibrc says; restored on leaving."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS | (_DARK if dark else {}))
        yield


def blue_on(axes):
    """The first colour, which stands out from the ground."""
    return BLUE if sum(axes.get_facecolor()[:3]) > 1.5 else SKY


LEGEND_ENTRY = 1.15  # inches


def legend_columns(axes, most):
    """As many as fit into the width of the figure."""
    return max(1, min(most, int(axes.figure.get_figwidth() / LEGEND_ENTRY)))


def new_axes(size=WIDE):
    figure = Figure(figsize=size)
    return figure, figure.add_subplot()


class _PlainTicks(Formatter):
    """Numbers in full, with the decimals that distinguish ticks and thin spaces between thousands."""

    def __call__(self, value, position=None):
        return self.format_ticks([value])[0]

    def format_ticks(self, values):
        steps = numpy.diff(numpy.unique(values))
        decimals = 0 if len(steps) == 0 else max(0, int(numpy.ceil(-numpy.log10(steps.min()) - 1e-9)))
        if len(values) == 0 or numpy.abs(values).max() >= 1e8 or decimals > 8:
            return [numbers.plain(float(value), 3) for value in values]
        # A step of 2.5 has a decimal more than its size.
        decimals += any(abs(value * 10**decimals - round(value * 10**decimals)) > 1e-3 for value in values)
        return [_with_thin_spaces(value, decimals) for value in values]


def _with_thin_spaces(value, decimals):
    value = round(value, decimals) + 0.0  # no minus before a zero
    text = f"{value:,.{decimals}f}".replace("-", numbers.MINUS)
    return text.replace(",", "\N{NARROW NO-BREAK SPACE}" if abs(value) >= 10000 else "")


def plain_ticks(axis, most=7):
    """Ticks of a linear axis at round numbers, with at most this number of intervals."""
    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(_PlainTicks())


def plain_log_ticks(axis, low, high):
    """A logarithmic axis from low to high, with ticks within the decades, in plain numbers, if these are few."""
    if 0 < low and high < 300 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high > 10 * low else (1, 1.5, 2, 3, 5, 7)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: numbers.plain(float(f"{value:.6g}"), 6)))
        axis.set_minor_formatter(NullFormatter())


LONGEST_NAME = 28  # characters beside an axis


def shortened(name, longest=LONGEST_NAME):
    """A long name without its middle: names of one family differ at either end."""
    if len(name) <= longest:
        return name
    tail = longest // 2 - 1
    return f"{name[: longest - 1 - tail]}\N{HORIZONTAL ELLIPSIS}{name[-tail:]}"


LABEL_GAP = 3  # pixels between the labels of neighbouring ticks, 100 to an inch


def keep_labels_apart(figure):
    """No label of a tick touches the next one: axes of numbers get fewer ticks, names are turned, and labels
    that still do not fit are left out."""
    for attempt in range(12):
        figure.draw_without_rendering()
        axes_of_all = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
        crowded = [axis for axis in axes_of_all if touching_labels(axis)]
        if not crowded:
            break
        for axis in crowded:
            _make_room(axis, attempt)
    figure.set_layout_engine("none")  # as it is now


def touching_labels(axis):
    """Pairs of labels of neighbouring ticks that overlap, in the order of their places; the figure has been drawn."""
    shown = [tick.label1 for tick in axis.get_major_ticks() + axis.get_minor_ticks()]
    boxes = [(label, label.get_window_extent()) for label in shown if label.get_visible() and label.get_text()]
    low, high = sorted(axis.get_view_interval())
    along = "x0" if axis.axis_name == "x" else "y0"
    slack = 1e-9 * (high - low)
    inside = [pair for pair in boxes if low - slack <= pair[0].get_position()[along == "y0"] <= high + slack]
    inside.sort(key=lambda pair: getattr(pair[1], along))
    neighbours = itertools.pairwise(inside)
    return [(a, b) for (a, of_a), (b, of_b) in neighbours if _is_close(of_a, of_b, a.get_rotation(), along)]


def _is_close(a, b, rotation, along):
    if rotation % 180:  # of turned labels, which end at their ticks, the lines must not meet
        return abs(b.x1 - a.x1) < 1.3 * min(label_height(a, rotation), label_height(b, rotation))
    end = "x1" if along == "x0" else "y1"
    return getattr(b, along) - getattr(a, end) < (LABEL_GAP if along == "x0" else 0)


def label_height(box, rotation):
    """An upper bound of the height of a turned line of text in its upright box."""
    return min(box.width, box.height, 14) / max(0.5, numpy.sin(numpy.radians(rotation)))


def _make_room(axis, attempt):
    locator = axis.get_major_locator()
    pairs = touching_labels(axis)
    has_names = isinstance(locator, FixedLocator)
    if isinstance(locator, MaxNLocator) and len(axis.get_major_ticks()) > 3:
        locator.set_params(nbins=max(2, len(axis.get_major_ticks()) - 2 - attempt))
    elif has_names and axis.axis_name == "x" and not any(label.get_rotation() for pair in pairs for label in pair):
        for label in axis.get_ticklabels():
            label.set(rotation=35, ha="right", rotation_mode="anchor")
    else:
        hidden = None
        for first, second in pairs:
            if first is not hidden:  # else there is room now
                second.set_visible(False)
                hidden = second


def as_svg(figure):
    keep_labels_apart(figure)
    buffer = io.BytesIO()
    # The canvas of the figure would draw it once more before, for a layout that is done.
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def finish(figure, name, section, title, caption, shape=""):
    return Picture(name, section, title, caption, as_svg(figure), shape=shape)


def left_out(count, noun="point", what="not finite"):
    """The sentence that counts the points left out of a figure; empty if there are none."""
    return "" if count == 0 else f" {numbers.counted(count, noun)} left out ({what})."
