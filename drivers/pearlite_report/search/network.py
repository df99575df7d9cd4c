"""A directed acyclic graph in layers (after Sugiyama, Tagawa and Toda 1981), from Graphviz text; needs no Graphviz."""

import re

import numpy
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from .. import numbers
from ..style import BLUE, GREY, INK, finish

_NAME = r'"((?:[^"\\]|\\.)*)"'
_STATEMENT = re.compile(rf"\s*{_NAME}(?:\s*->\s*{_NAME})?\s*;")
SWEEPS = 24
MAX_NODES = 80  # beyond it names cannot be read
MAX_UNIT = 0.75  # inches of half a node's room


def network(run):
    """The best network of a search."""
    if not run.graph:
        return None
    names, edges = parse(run.graph)
    if not 1 < len(names) <= MAX_NODES:
        return None
    layers = layers_of(names, edges)
    if layers is None:
        run.remarks.append("best/graph has a cycle; it is not drawn")
        return None
    rows, links = _with_waypoints(layers, edges)
    rows = _uncrossed(rows, links)
    figure = _drawn(rows, links, names)
    alone = sum(1 for name in names if all(name not in edge for edge in edges))
    caption = f"{numbers.counted(len(names), 'node')}, {numbers.counted(len(edges), 'edge')}, parents above children."
    if alone:
        caption += f" {numbers.counted(alone, 'node')} without an edge."
    return finish(figure, "network", "state-wide", "Network", caption)


def parse(text):
    """Names in their order, and (parent, child) pairs, of a digraph of quoted names."""
    names, edges = {}, []
    for parent, child in _STATEMENT.findall(text):
        parent, child = (re.sub(r"\\(.)", r"\1", name) for name in (parent, child))
        names.setdefault(parent)
        if child:
            names.setdefault(child)
            edges.append((parent, child))
    return list(names), edges


def layers_of(names, edges):
    """name -> layer: one below its lowest parent, and roots just above their highest child; None if there is a cycle."""
    layer, waiting = {}, {name: {a for a, b in edges if b == name} for name in names}
    while waiting:
        free = [name for name in waiting if not waiting[name] - layer.keys()]
        if not free:
            return None
        for name in free:
            layer[name] = 1 + max((layer[parent] for parent in waiting.pop(name)), default=-1)
    for name in names:
        children = [layer[b] for a, b in edges if a == name]
        if children and all(b != name for _, b in edges):
            layer[name] = min(children) - 1
    return layer


def _with_waypoints(layers, edges):
    """Rows of nodes and of the waypoints (edge, row) of edges that pass rows; and each edge's places, a row each."""
    rows = [[] for _ in range(1 + max(layers.values()))]
    for name, row in layers.items():
        rows[row].append(name)
    links = []
    for parent, child in edges:
        between = [((parent, child), row) for row in range(layers[parent] + 1, layers[child])]
        for waypoint in between:
            rows[waypoint[1]].append(waypoint)
        links.append([parent, *between, child])
    return rows, links


def _uncrossed(rows, links):
    """The rows, each in the order of its neighbours' mean places, as it had the fewest crossings."""
    above, below = {}, {}
    for link in links:
        for a, b in zip(link[:-1], link[1:]):
            above.setdefault(b, []).append(a)
            below.setdefault(a, []).append(b)
    best, fewest = rows, _crossings(rows, below)
    for sweep in range(SWEEPS):
        rows = [list(row) for row in rows]
        downwards = sweep % 2 == 0
        order = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
        for k in order:
            fixed = rows[k - 1] if downwards else rows[k + 1]
            place = {node: (i + 0.5) / len(fixed) for i, node in enumerate(fixed)}
            near = above if downwards else below
            own = {node: (i + 0.5) / len(rows[k]) for i, node in enumerate(rows[k])}
            wished = {node: numpy.mean([place[other] for other in near.get(node, ())] or [own[node]]) for node in rows[k]}
            rows[k].sort(key=wished.get)
        crossings = _crossings(rows, below)
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def _crossings(rows, below):
    total = 0
    for upper, lower in zip(rows[:-1], rows[1:]):
        place = {node: i for i, node in enumerate(lower)}
        ends = [sorted(place[b] for b in below.get(a, ())) for a in upper]
        flat = [end for group in ends for end in group]
        total += sum(1 for i, a in enumerate(flat) for b in flat[i + 1 :] if a > b)
    return total


def _places(rows, links):
    """node -> (x, y): nodes two units wide, waypoints one; rows are pulled to their neighbours but keep their order."""
    neighbours = {}
    for link in links:
        for a, b in zip(link[:-1], link[1:]):
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
    x = {}
    for row in rows:
        at = numpy.cumsum([_half(node) * 2 for node in row]) - [_half(node) for node in row]
        x.update(zip(row, at - at.mean()))
    for _ in range(60):
        for row in rows:
            wished = [
                numpy.mean([x[other] for other in neighbours[node]]) if node in neighbours else x[node] for node in row
            ]
            x.update(zip(row, _kept_apart(wished, [_half(node) for node in row])))
    return {node: (x[node], -float(k)) for k, row in enumerate(rows) for node in row}


def _half(node):
    return 0.5 if isinstance(node, tuple) else 1.0


def _kept_apart(wished, half):
    """The places nearest to the wished ones (least squares) that keep the order and the distances: by pooling."""
    offset = numpy.concatenate([[0], numpy.cumsum([a + b for a, b in zip(half[:-1], half[1:])])])
    pools = []
    for value in numpy.asarray(wished) - offset:
        pools.append([value, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, n), (b, m) = pools[-2:]
            pools[-2:] = [[(a * n + b * m) / (n + m), n + m]]
    return numpy.concatenate([numpy.full(n, value) for value, n in pools]) + offset


def _drawn(rows, links, names):
    places = _places(rows, links)
    x = [place[0] for place in places.values()]
    width = max(x) - min(x) + 2
    widest = max(len(name) for name in names)
    unit = min(max(0.34, 0.075 * widest + 0.12), 0.6)  # inches; half a node's room
    size = (min(max(width * unit, 8.5), 13), max(1.6, 0.72 * len(rows) + 0.2))
    room = max(width, size[0] / MAX_UNIT) / 2  # a small network stands in the middle
    figure = Figure(figsize=size)
    axes = figure.add_subplot()
    for link in links:
        _draw_link(axes, [places[node] for node in link])
    for name in names:
        style = {"boxstyle": "round,pad=0.28", "facecolor": "#e9f2f9", "edgecolor": BLUE, "linewidth": 0.9}
        axes.annotate(name, places[name], ha="center", va="center", fontsize=8.5, color=INK, bbox=style, zorder=3)
    middle = 0.5 * (min(x) + max(x))
    axes.set_xlim(middle - room, middle + room)
    axes.set_ylim(0.5 - len(rows), 0.5)
    axes.set_axis_off()
    return figure


def _draw_link(axes, points):
    """A smooth line through the points, vertical at each, with an arrow at the child."""
    corners, codes = [points[0]], [Path.MOVETO]
    (_, bottom) = points[-1]
    points = [*points[:-1], (points[-1][0], bottom + 0.2)]
    for (x0, y0), (x1, y1) in zip(points[:-1], points[1:]):
        corners += [(x0, 0.55 * y0 + 0.45 * y1), (x1, 0.45 * y0 + 0.55 * y1), (x1, y1)]
        codes += [Path.CURVE4] * 3
    style = {"arrowstyle": "-|>", "mutation_scale": 9, "color": GREY, "linewidth": 0.9}
    axes.add_patch(FancyArrowPatch(path=Path(corners, codes), shrinkA=0, shrinkB=0, zorder=2, **style))
