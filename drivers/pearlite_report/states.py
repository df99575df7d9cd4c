"""Samples of many states: how much they overlap (Klimovich, Shirts & Mobley 2015)."""

import numpy
from matplotlib.colors import LinearSegmentedColormap

from .style import blue_on, finish, new_axes, shortened

MOST_NUMBERED = 12  # states whose overlaps are written into the matrix
WANTED = 0.03  # of neighbours


def overlap(run):
    """The overlap matrix of the states."""
    if run.overlap is None:
        return None
    figure, axes = new_axes()
    draw_overlap(axes, run)
    caption = (f"Row i: the shares in which samples of state i could be from each state. Neighbours should have {WANTED} "
               "at least.")
    return finish(figure, "overlap", "estimates", "Overlap of states", caption)


def draw_overlap(axes, run):
    """The number of states, or None where there are none."""
    if run.overlap is None:
        return None
    n = len(run.overlap)
    colours = LinearSegmentedColormap.from_list("overlap", [axes.get_facecolor(), blue_on(axes)])
    highest = max(0.5, run.overlap.max())
    axes.imshow(run.overlap, cmap=colours, vmin=0, vmax=highest)
    axes.grid(False)
    names = [shortened(name, 12) for name in run.states]
    shown = numpy.arange(0, n, max(1, -(-n // MOST_NUMBERED)))
    axes.set_xticks(shown, [names[k] for k in shown])
    axes.set_yticks(shown, [names[k] for k in shown])
    axes.set_xlabel("State")
    axes.set_ylabel("State")
    if n <= MOST_NUMBERED:
        for i, j in zip(*numpy.nonzero(run.overlap >= 0.005)):
            color = axes.get_facecolor() if run.overlap[i, j] > 0.7 * highest else axes.xaxis.label.get_color()
            axes.text(j, i, f"{run.overlap[i, j]:.2f}".removeprefix("0"), ha="center", va="center", fontsize=7, color=color)
    return n
