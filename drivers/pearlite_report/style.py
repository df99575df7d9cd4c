"""How figures look: sizes that read on a phone and in print, the colour-blind-safe palette of Okabe and Ito (2008)."""

import contextlib
import dataclasses
import io

import matplotlib
from matplotlib.figure import Figure

from . import numbers

BLUE = "#0072B2"
ORANGE = "#E69F00"
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


@dataclasses.dataclass
class Picture:
    """One finished figure: its file name without suffix, the section it belongs to, words for it, and its bytes."""

    name: str
    section: str  # "estimates", "search", "state", "state-wide", "annealing", "posterior" or "particles"
    title: str
    caption: str
    data: bytes
    suffix: str = "svg"


@contextlib.contextmanager
def drawing_style():
    """Matplotlib as this package wants it, whatever the user's matplotlibrc says; restored on leaving."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def new_axes(size=WIDE):
    figure = Figure(figsize=size)
    return figure, figure.add_subplot()


def as_svg(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def finish(figure, name, section, title, caption):
    return Picture(name, section, title, caption, as_svg(figure))


def left_out(count, noun="point", what="not finite"):
    """The sentence that owns up to what is not drawn; empty if nothing is."""
    plural = noun + ("es" if noun.endswith("ch") else "s")
    return "" if count == 0 else f" {numbers.counted(count, noun, plural)} left out ({what})."
