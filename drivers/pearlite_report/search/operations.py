"""The operations of a search: their acceptance rates, and the scales that were found."""

import numpy

from .. import numbers
from ..style import BLUE, ORANGE, PALE_BLUE, WIDE, finish, new_axes

TARGET_ACCEPTANCE = 0.234  # that scales are adapted to


def acceptance(run):
    """Acceptance rates of the operations' proposals, with the scales that the pilot adapted."""
    names, rates = run.operation_names, run.operations.get("acceptance")
    if not names or rates is None:
        return None
    if rates.shape[1] != len(names):
        run.remarks.append(f"operations/acceptance has {rates.shape[1]} columns for {len(names)} names; it is left out")
        return None
    scales = run.operations.get("scales")
    if scales is None or scales.shape != rates.shape:
        scales = numpy.full(rates.shape, numpy.nan)
    figure, axes = new_axes((WIDE[0], 1.1 + 0.34 * len(names)))
    rows = numpy.arange(len(names))
    tried = [column[numpy.isfinite(column)] for column in rates.T]
    mean = [float(column.mean()) if len(column) else 0.0 for column in tried]
    axes.barh(rows, mean, height=0.6, color=PALE_BLUE)
    caption = "Share of all proposals."
    if len(rates) > 1:
        caption = "Mean over the replicates; a line for each."
        for row, column in zip(rows, tried):
            axes.plot(column, numpy.full(len(column), row), "|", color=BLUE, markersize=7)
    if numpy.isfinite(scales).any() and run.settings("kernel").get("pilot_iterations") != 0:
        axes.axvline(TARGET_ACCEPTANCE, color=ORANGE, linestyle="--", linewidth=1.1)
        whose = "median of the replicates" if len(rates) > 1 else "as found by the pilot"
        caption += f" Scales: {whose}; dashed: the rate {TARGET_ACCEPTANCE} that they are adapted to."
    axes.set_yticks(rows, [_label(name, column) for name, column in zip(names, scales.T)])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(False, axis="y")
    highest = [max(column, default=0.0) for column in tried]
    for row, column, top, value in zip(rows, tried, highest, mean):
        text = numbers.plain(value, 2) if len(column) else "never proposed"
        axes.annotate(text, (top, row), (5, 0), textcoords="offset points", va="center", fontsize=8.5)
    axes.set_xlim(0, max(0.3, 1.18 * max(highest)))
    axes.set_xlabel("Accepted")
    return finish(figure, "operations", "search", "Operations", caption)


def _label(name, scales):
    finite = scales[numpy.isfinite(scales)]
    return f"{name}\n(scale {numbers.plain(float(numpy.median(finite)), 2)})" if len(finite) else name
