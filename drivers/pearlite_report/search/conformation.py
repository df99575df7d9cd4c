"""The best state of a search as a picture: a molecule, or an image beside the observed one."""

import io

import numpy
from matplotlib.figure import Figure

from .. import numbers
from ..style import BLUE, GREY, INK, ORANGE, VERMILLION, WIDE, Picture, finish


def molecule(run):
    """Beads and bonds: in the plane as they are, in space by two projections along principal axes."""
    positions = run.positions
    if positions is None or len(positions) < 2 or positions.shape[1] not in (2, 3) or not numpy.isfinite(positions).all():
        return None
    kinds = sequence_of(run, len(positions))
    turned = principal_axes(positions)
    is_planar = positions.shape[1] == 2
    x, y, z = turned[:, 0], turned[:, 1], None if is_planar else turned[:, 2]
    # After a turn about the first axis by a right angle, the upward direction points away from the reader.
    views = [(x, y, None)] if is_planar else [(x, y, z), (x, z, -y)]
    width = WIDE[0] if is_planar else 2 * WIDE[0]
    shape = (numpy.ptp(y) + 1) / (numpy.ptp(x) + 1)
    figure = Figure(figsize=(width, float(numpy.clip(width / len(views) * shape, 1.6, 4.2)) + 0.3))
    size = float(numpy.clip(9.0 - 0.045 * len(positions), 4, 8))
    for place, (across, up, depth) in enumerate(views):
        axes = figure.add_subplot(1, len(views), place + 1)
        _draw_molecule(axes, across, up, depth, kinds, size)
        if not is_planar:
            axes.set_xlabel(("first and second", "first and third")[place] + " principal axis")
    words = "Beads A are filled, B are open." if kinds else "The configuration has no sequence for these beads."
    caption = (
        f"{_whose(run)}, {numbers.counted(len(positions), 'bead')}, turned to its principal axes. {words} "
        "The ring is bead 1."
    )
    if not is_planar:
        caption += " Paler is farther away; the second view looks along the first one's vertical."
    return finish(figure, "conformation", "state" if is_planar else "state-wide", "Conformation", caption)


def _whose(run):
    return "The best conformation after the descents" if run.summary.get("polished") else "The best conformation"


def _draw_molecule(axes, x, y, depth, kinds, size):
    n = len(x)
    # From the back to the front; in the plane along the chain.
    place = numpy.zeros(n) if depth is None or numpy.ptp(depth) == 0 else (depth - depth.min()) / numpy.ptp(depth)
    for k in range(n - 1):
        middle = 0.5 * (place[k] + place[k + 1])
        axes.plot(x[k : k + 2], y[k : k + 2], color=_faded(GREY, middle, depth), linewidth=1.6, zorder=2 + 2 * middle)
    for k in range(n):
        filled = not kinds or kinds[k] == "A"
        colour = _faded(VERMILLION if kinds and filled else BLUE, place[k], depth)
        face = {"markerfacecolor": colour if filled else "white", "markeredgecolor": colour, "markeredgewidth": 1.4}
        axes.plot(x[k], y[k], "o", markersize=size, zorder=2.01 + 2 * place[k], **face)
    ring = {"markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 0.8}
    axes.plot(x[0], y[0], "o", markersize=size + 5, zorder=5, **ring)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)


def _faded(colour, place, depth):
    """The colour, mixed with white at the back (place 0)."""
    if depth is None:
        return colour
    share = 0.35 + 0.65 * place
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return tuple(1 - share * (1 - channel) for channel in channels)


def principal_axes(positions):
    """Centred and rotated so that the spread decreases along the axes; handedness is kept."""
    centred = positions - positions.mean(axis=0)
    _, vectors = numpy.linalg.eigh(centred.T @ centred)
    vectors = vectors[:, ::-1]
    if numpy.linalg.det(vectors) < 0:
        vectors[:, -1] *= -1
    return centred @ vectors


def sequence_of(run, n):
    """The kinds of n beads by the configuration: its sequence, or the Fibonacci sequence of its length; or None."""
    model = run.settings("model")
    sequence = model.get("sequence")
    if sequence is None and "length" in model:
        previous, sequence = "A", "B"
        while len(sequence) < n:
            previous, sequence = sequence, previous + sequence
    return sequence if isinstance(sequence, str) and len(sequence) == n and set(sequence) <= {"A", "B"} else None


def restored_image(run):
    """The observed image, the restored image, and the pixels in which they differ."""
    if not run.search or run.images is None or len(run.images) != 2:
        return None
    restored, observed = numpy.nan_to_num(run.images)
    rows, columns = observed.shape
    panels = {"observed": _grey(observed), "best state": _grey(restored), "difference": _difference(observed, restored)}
    figure = Figure(figsize=(9.0, 0.45 + 3.0 * rows / columns))
    for place, (title, pixels) in enumerate(panels.items()):
        axes = figure.add_subplot(1, 3, place + 1)
        axes.imshow(pixels, interpolation="nearest")
        axes.set_title(title)
        axes.grid(False)
        axes.set_xticks([])
        axes.set_yticks([])
        for side in axes.spines.values():
            side.set(visible=True, color=GREY)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=180, metadata={"Software": None})
    set_to, cleared = int((restored > observed).sum()), int((restored < observed).sum())
    caption = (
        f"{rows} × {columns} pixels; white is 0, black is 1. {numbers.plain(set_to + cleared)} pixels differ: "
        f"{numbers.plain(set_to)} became 1 (blue), {numbers.plain(cleared)} became 0 (orange)."
    )
    return Picture("restoration", "state-wide", "Restoration", caption, buffer.getvalue(), "png")


def _grey(image):
    return numpy.repeat((1 - numpy.clip(image, 0, 1))[:, :, None], 3, axis=2)


def _difference(observed, restored):
    picture = 0.5 + 0.5 * _grey(0.25 * restored)
    for where, colour in ((restored > observed, BLUE), (restored < observed, ORANGE)):
        picture[where] = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return picture
