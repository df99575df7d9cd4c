"""The evidence over two swept numbers of the model, and both numbers weighted by it: under a prior that gives each point
of the grid the same probability, the weight of a point is its evidence."""

import dataclasses
import re

import numpy

from .. import elements, numbers, words
from ..run import Contents, ReportError, opened
from ..style import INK, finish, new_axes
from . import drawing

_VALUE = re.compile(r"log_evidence\.(.+)\.(log_ratio|log_normaliser)\.value")
_SIZE = (5.6, 4.2)  # inches
_DEEPEST = 20.0  # nats below the best that colours distinguish
_LEVELS = (10.0, 5.0, 2.0, 1.0)  # of contours, nats below the best
_MOST_NUMBERS = 81  # cells that have their number written in them
_NEAR_TOP = 0.35  # of the colours: cells that are pale


@dataclasses.dataclass
class Grid:
    """Two swept numbers and the evidence at all of their combinations."""

    axes: tuple  # the two keys
    name: str  # the scalar
    settings: list  # [a, b] of numbers of settings
    values: tuple  # of both keys, rising
    log_evidence: numpy.ndarray  # [a, b], means over the runs of a setting
    error: numpy.ndarray  # [a, b], their standard errors; for one run its stated error, or 0

    def weights(self):
        """[a, b], sum 1."""
        weights = numpy.exp(self.log_evidence - self.log_evidence.max())
        return weights / weights.sum()

    def moments(self, axis):
        """Mean, standard deviation, and the Monte Carlo error of the mean, of the first or the second number."""
        weights = self.weights()
        x = numpy.asarray(self.values[axis], dtype=float)
        x = x[:, None] if axis == 0 else x[None, :]
        mean = float((weights * x).sum())
        sd = float(numpy.sqrt((weights * (x - mean) ** 2).sum()))
        return mean, sd, float(numpy.sqrt(((weights * (x - mean) * self.error) ** 2).sum()))


def grid_of(sweep):
    """The grid, if exactly two keys of the model are swept, both numbers, in all combinations; else None."""
    axes = [axis for axis in sweep.axes if len(sweep.values_of(axis)) > 1]
    if len(axes) != 2 or not all(axis.startswith("model.") and sweep.is_numeric(axis) for axis in axes):
        return None
    name = _evidence(sweep)
    values = tuple(sweep.values_of(axis) for axis in axes)
    at = {tuple(setting[axis] for axis in axes): number for number, setting in enumerate(sweep.settings)}
    if name is None or len(at) != len(values[0]) * len(values[1]) or len(at) != len(sweep.settings):
        return None
    settings = [[at[a, b] for b in values[1]] for a in values[0]]
    log_evidence = sweep.of_settings("mean", name)[settings]
    if not numpy.isfinite(log_evidence).all():
        return None
    of_one = sweep.of_settings("mean", name.replace(".value", ".standard_error"))  # that a single run states
    several = sweep.of_settings("count", name) > 1
    error = numpy.where(several, sweep.of_settings("standard_error", name), of_one)[settings]
    return Grid(tuple(axes), name, settings, values, log_evidence, numpy.nan_to_num(error))


def _evidence(sweep):
    """The first estimate of the chosen scalars; of the normaliser, where the start's is not 1."""
    found = [name for name in [*sweep.chosen, *sweep.columns] if _VALUE.fullmatch(name)]
    if not found:
        return None
    normaliser = found[0].replace(".log_ratio.", ".log_normaliser.")
    return normaliser if sweep.column(normaliser) is not None else found[0]


def picture(sweep):
    """A list of the one picture; empty where there is no grid."""
    grid = grid_of(sweep)
    if grid is None:
        return []
    below = grid.log_evidence - grid.log_evidence.max()
    x, y = (numpy.asarray(values, dtype=float) for values in grid.values)
    figure, axes = new_axes(_SIZE)
    axes.grid(False)
    drawn = axes.pcolormesh(
        x, y, below.T, shading="nearest", cmap="viridis", vmin=-min(_DEEPEST, max(1.0, -below.min())), vmax=0
    )
    bar = figure.colorbar(drawn, ax=axes, label="log evidence below the best (nats)")
    bar.outline.set_visible(False)
    if min(below.shape) > 2:
        levels = [-level for level in _LEVELS if below.min() < -level]
        if levels:
            axes.contour(x, y, below.T, levels=levels, colors="white", linewidths=0.8, linestyles="solid")
    if below.size <= _MOST_NUMBERS:
        for i, j in numpy.ndindex(below.shape):
            pale = below[i, j] > -_NEAR_TOP * -drawn.get_clim()[0]
            axes.text(
                x[i], y[j], numbers.fixed(below[i, j], 1), ha="center", va="center", fontsize=7,
                color=INK if pale else "white",
            )
    means, sds, _ = zip(*(grid.moments(axis) for axis in (0, 1)))
    axes.errorbar(means[0], means[1], yerr=sds[1], xerr=sds[0], color="white", linewidth=1.6, marker="o", markersize=4)
    axes.set_xticks(x)
    axes.set_yticks(y)
    axes.set_xlabel(drawing.literal(words.of_key(grid.axes[0])))
    axes.set_ylabel(drawing.literal(words.of_key(grid.axes[1])))
    best = numpy.unravel_index(numpy.argmax(below), below.shape)
    caption = (
        f"{words.of_scalar(grid.name)}, {numbers.with_precision_of(grid.log_evidence.max(), 0.01)} at the best point, "
        f"{words.of_setting(dict(zip(grid.axes, (grid.values[0][best[0]], grid.values[1][best[1]]))))}. The cross is the "
        "mean weighted by the evidence, ± one standard deviation."
    )
    return [finish(figure, "evidence-surface", "evidence", "Evidence over the grid", caption)]


# ---- weighted by the evidence ---------------------------------------------------------------------------------------


def weighted(sweep):
    """Both numbers and the predictions weighted by the evidence, as a section of the page; empty without a grid."""
    grid = grid_of(sweep)
    if grid is None:
        return ""
    rows = []
    for axis, key in enumerate(grid.axes):
        mean, sd, error = grid.moments(axis)
        rows.append([words.of_key(key), numbers.fixed(mean, 3), numbers.fixed(sd, 3), numbers.plain(error, 2)])
    body = elements.numeric_table(["", "mean", "standard deviation", "Monte Carlo error of the mean"], rows)
    weights = grid.weights()
    best = float(weights.max())
    remark = (
        "Each point of the grid has the same prior probability, so that its weight is its evidence; "
        f"{numbers.fixed(1 / (weights**2).sum(), 1)} of {weights.size} points in effect, the heaviest with "
        f"{numbers.fixed(100 * best, 0)} %. A mean at the edge, or a standard deviation below the step of the grid, "
        "belongs to the grid and not to the posterior."
    )
    body += elements.note(remark)
    body += _weighted_predictions(sweep, grid)
    return f'<section id="weighted">\n<h2>Weighted by the evidence</h2>\n{body}</section>'


def _weighted_predictions(sweep, grid):
    """The scores of held-out rows; empty where the directories of the runs have none."""
    predicted = _read_predictions(sweep, grid)
    if predicted is None:
        return ""
    classes, probabilities = predicted
    weights = grid.weights()
    best = numpy.unravel_index(numpy.argmax(weights), weights.shape)
    mixed = numpy.tensordot(weights, probabilities, axes=2)
    rows = [
        [name, *scores(p, classes)] for name, p in (("weighted by the evidence", mixed), ("best point", probabilities[best]))
    ]
    table = elements.numeric_table(["predictions", "errors (%)", "log loss (nats)"], rows)
    return table + elements.note(
        f"{numbers.counted(len(classes), 'row')} held out, ± one standard error over rows; probabilities are those of the "
        "first run of each setting."
    )


def scores(probability, classes):
    """Errors in per cent and log loss, as texts with their standard errors; probability of class 1, classes 1 or -1."""
    of_observed = numpy.where(classes > 0, probability, 1 - probability)
    wrong = 100.0 * ((of_observed < 0.5) + 0.5 * (of_observed == 0.5))
    with numpy.errstate(divide="ignore"):
        loss = -numpy.log(of_observed)
    found = []
    for values in (wrong, loss):
        error = values.std(ddof=1) / numpy.sqrt(len(values)) if len(values) > 1 else numpy.nan
        found.append(
            f"{numbers.with_precision_of(values.mean(), error)} ± {numbers.with_precision_of(error, error)}"
            if numpy.isfinite(error) and error > 0
            else numbers.plain(float(values.mean()), 4)
        )
    return found


def _read_predictions(sweep, grid):
    """Classes [rows] and probabilities [a, b, rows]; None if a setting has none, or other rows."""
    first = {}
    for run in numpy.flatnonzero(sweep.runs["finished"] == 1):
        first.setdefault(int(sweep.runs["setting"][run]), run)
    rows, classes, probabilities = None, None, None
    for i, j in numpy.ndindex(grid.log_evidence.shape):
        run = first.get(grid.settings[i][j])
        results = None if run is None else sweep.run_directory(run) / "results.h5"
        if results is None or not results.exists():
            return None
        try:
            with opened(results) as file:
                contents = Contents(file, sweep.remarks)
                row, observed, p = (contents.array(f"held_out/{name}", 1) for name in ("row", "class", "probability"))
        except ReportError as error:
            sweep.remarks.append(f"No predictions are weighted: {error}")
            return None
        if row is None or observed is None or p is None or not len(row) == len(observed) == len(p) > 0:
            return None
        if rows is None:
            rows, classes = row, observed
            probabilities = numpy.empty((*grid.log_evidence.shape, len(row)))
        if not numpy.array_equal(rows, row) or not numpy.array_equal(classes, observed):
            return None
        probabilities[i, j] = p
    return classes, probabilities
