"""Probabilities of the edges of a network: a picture of all, and a table of the strongest."""

import numpy

from .. import elements, numbers
from ..style import INK, finish, new_axes, shortened

MAX_NODES = 80  # beyond it names cannot be read
MOST_ROWS = 40
MOST_NUMBERS = 12  # nodes, up to which the numbers stand in the picture
WORTH_A_ROW = 0.05


def probabilities(run):
    """Every edge, a row a parent and a column a child."""
    if not _is_whole(run) or len(run.edge_nodes) > MAX_NODES:
        return None
    values, n = run.edges["probability"], len(run.edge_nodes)
    size = min(1.9 + 0.3 * n, 9.5)
    figure, axes = new_axes((size + 0.6, size))
    axes.grid(False)
    shown = numpy.where(numpy.eye(n, dtype=bool), numpy.nan, values)
    drawn = axes.imshow(shown, cmap="Blues", vmin=0, vmax=1)
    bar = figure.colorbar(drawn, ax=axes, label="Probability", shrink=0.8)
    bar.outline.set_visible(False)
    if n <= MOST_NUMBERS:
        for i, j in zip(*numpy.nonzero(shown >= 0.005)):
            axes.text(
                j, i, numbers.fixed(shown[i, j], 2), ha="center", va="center", fontsize=7,
                color="white" if shown[i, j] > 0.6 else INK,
            )
    names = [shortened(name) for name in run.edge_nodes]
    small = {"fontsize": 8.5 if n <= 30 else 6}
    axes.set_xticks(range(n), names, rotation=90, **small)
    axes.set_yticks(range(n), names, **small)
    axes.tick_params(length=0)
    axes.set_xlabel("Child")
    axes.set_ylabel("Parent")
    caption = (
        "Probability of each edge, from the weighted averages of the chains. Where both directions of a pair are pale "
        "and the pair is adjacent for certain, the data do not determine the direction."
    )
    return finish(figure, "edges", "edges", "Probabilities of edges", caption)


def table(run):
    """The strongest edges with their errors, as a section of the page; empty if the run has none."""
    if not _is_whole(run):
        return ""
    value, error, adjacent, adjacent_error = (
        run.edges[name] for name in ("probability", "standard_error", "adjacent", "adjacent_standard_error")
    )
    order = sorted(zip(*numpy.nonzero(value >= WORTH_A_ROW)), key=lambda place: -value[place])
    rows = [
        [
            f"{run.edge_nodes[place[0]]} \N{RIGHTWARDS ARROW} {run.edge_nodes[place[1]]}",
            *_with_error(value[place], error[place]),
            *_with_error(adjacent[place], adjacent_error[place]),
        ]
        for place in order[:MOST_ROWS]
    ]
    heads = ["edge", "probability", "Monte Carlo error", "adjacent in any direction", "Monte Carlo error"]
    facts = elements.facts(
        [
            ("Expected number of edges", numbers.plain(float(value.sum()), 4)),
            ("Pairs that are probably adjacent", str(int((numpy.triu(adjacent) > 0.5).sum()))),
        ]
    )
    note = elements.note(
        f"Edges with a probability of {WORTH_A_ROW} at least"
        + (f", the first {MOST_ROWS} of {len(order)}" if len(order) > MOST_ROWS else "")
        + "; all are in edges.csv."
    )
    return f'<section id="edge-table">\n<h2>Strongest edges</h2>\n{facts}{elements.numeric_table(heads, rows)}{note}</section>'


def _with_error(value, error):
    if not numpy.isfinite(error):
        return numbers.fixed(value, 3), ""
    return numbers.fixed(value, 4), numbers.plain(float(error), 2)


def _is_whole(run):
    n = len(run.edge_nodes)
    wanted = ("probability", "standard_error", "adjacent", "adjacent_standard_error")
    return n > 1 and all(name in run.edges and run.edges[name].shape == (n, n) for name in wanted)
