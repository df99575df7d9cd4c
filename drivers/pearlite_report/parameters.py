"""The parameters of a posterior together, from its weighted draws: a forest of intervals, and pairs."""

import dataclasses

import numpy
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from . import numbers
from .population import sample_weights
from .style import BLUE, GREY, PALE_BLUE, SKY, SMALL, WIDE, blue_on, finish, plain_ticks, shortened

LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)
MOST_PANELS = 8  # of a forest whose parameters have different scales
WIDEST = 25  # times the shortest 95 % interval: the longest span of an axis
MOST_PAIRED = 6
FEW_POINTS = 500  # which are drawn larger
MOST_POINTS = 1500  # of a pair that are drawn as points
NARROWEST_PANEL, LETTER = 0.8, 0.075  # inches; the latter is the width of one
BINS = 40  # each way, of a pair that is drawn as a density


def forest(run):
    """Median, 50 % and 95 % interval of each parameter, as given; parameters of other scales have separate axes."""
    drawn = _finite_draws(run)
    if drawn is None or run.n_parameters < 2:
        return None
    values, weights, _ = drawn
    quantiles = numpy.array([numbers.weighted_quantiles(column, weights, LEVELS) for column in values.T])
    panels = _panels(quantiles)
    rows = [len(panel) for panel in panels]
    figure = Figure(figsize=(WIDE[0], 0.35 + 0.22 * len(quantiles) + 0.42 * len(panels)))
    for axes, panel in zip(figure.subplots(len(panels), 1, squeeze=False, height_ratios=rows)[:, 0], panels):
        _draw_forest(axes, quantiles[panel], [shortened(run.sample_names[j]) for j in panel], panel[0])
    caption = "Medians with intervals of 50 % (thick) and of 95 % (thin)."
    if len(panels) > 1:
        caption += " Each part has a separate axis."
    if run.n_parameters > len(quantiles):
        caption += f" The first {len(quantiles)} of {run.n_parameters} parameters are drawn."
    return finish(figure, "forest", "parameters", "Parameters", caption)


def _panels(quantiles):
    """Runs of neighbours that one axis can show: at most so many, each as narrow as that allows."""
    low, high = quantiles[:, 0], quantiles[:, -1]
    widest = WIDEST
    while True:
        panels = [[0]]
        for j in range(1, len(quantiles)):
            taken = [*panels[-1], j]
            widths = (high - low)[taken]
            narrowest = widths[widths > 0].min(initial=numpy.inf)
            if high[taken].max() - low[taken].min() <= widest * narrowest:
                panels[-1] = taken
            else:
                panels.append([j])
        if len(panels) <= MOST_PANELS:
            return panels
        widest *= 4


def _draw_forest(axes, quantiles, names, first):
    for row, (lowest, low, median, high, highest) in enumerate(quantiles):
        axes.plot([lowest, highest], [row, row], color=BLUE, linewidth=1.1, solid_capstyle="butt")
        axes.plot([low, high], [row, row], color=BLUE, linewidth=3.6, alpha=0.6, solid_capstyle="butt")
        axes.plot(
            [median],
            [row],
            "o",
            color=axes.get_facecolor(),
            markeredgecolor=BLUE,
            markeredgewidth=1.1,
            markersize=4.2,
            gid=f"median-{first + row}",
        )
    if quantiles.min() < 0 < quantiles.max():
        axes.axvline(0, color=GREY, linewidth=0.9, linestyle="--", zorder=0)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    plain_ticks(axes.xaxis, 6)


@dataclasses.dataclass
class PairGrid:
    """Parameters in pairs: the figure, its axes (n, n), and words on it."""

    figure: Figure
    axes: numpy.ndarray
    caption: str


def pairs(run):
    """Each of a few parameters against each other, below a diagonal of their marginal densities."""
    grid = pair_grid(run)
    if grid is None:
        return None
    return finish(grid.figure, "pairs", "parameters", "Pairs of parameters", grid.caption, "wide")


def most_paired(width):
    """How many parameters fit into a figure of this width, in inches."""
    return MOST_PAIRED if width is None else max(2, min(MOST_PAIRED, int(width / NARROWEST_PANEL)))


def pair_grid(run, width=None, fewest=2, most=MOST_PAIRED):
    """The pairs of at most so many parameters that vary; None if these are fewer than `fewest`. `width`: in inches."""
    drawn = _finite_draws(run)
    if drawn is None:
        return None
    values, weights, remark = drawn
    spread = numpy.flatnonzero(values.max(axis=0) > values.min(axis=0))
    if len(spread) < fewest or len(values) < 20:
        return None
    correlations = _correlations(values[:, spread], weights)
    chosen = _most_correlated(correlations, most)
    names = [run.sample_names[spread[k]] for k in chosen]
    n = len(chosen)
    size = width or max(WIDE[0] if n > 1 else SMALL[0], 1.6 * n)
    figure = Figure(figsize=(size, size), layout="none")
    edge = 0.75 / size
    figure.subplots_adjust(left=edge, bottom=edge, right=1 - 0.1 / size, top=1 - 0.1 / size, wspace=0.08, hspace=0.08)
    grid = figure.subplots(n, n, squeeze=False)
    ranges = [_range(values[:, spread[k]], weights) for k in chosen]
    points = _points(values[:, spread[chosen]], weights)
    for i, j in numpy.ndindex(n, n):
        axes = grid[i, j]
        if j > i:
            axes.set_axis_off()
            shown = numbers.fixed(float(correlations[chosen[i], chosen[j]]), 2)
            axes.text(0.5, 0.5, shown, ha="center", va="center", transform=axes.transAxes)
            continue
        axes.set_xlim(ranges[j])
        if i == j:
            _draw_marginal(axes, values[:, spread[chosen[i]]], weights, ranges[i])
        else:
            axes.set_ylim(ranges[i])
            _draw_pair(axes, values[:, spread[chosen[[j, i]]]], weights, points, (j, i), (ranges[j], ranges[i]))
        _label(axes, i, j, names, int((size - 0.85) / n / LETTER))
    figure.align_labels()
    of_all = len(spread) > n
    which = f"The {n} parameters with the strongest correlations among {len(spread)}. " if of_all else ""
    how = "Points are draws in proportion to their weights" if points is not None else "Densities"
    return PairGrid(figure, grid, f"{which}{how}; above the diagonal, correlations. {remark}")


def _finite_draws(run):
    """Draws of positive weight whose parameters are all finite, their weights, which sum to one, and a remark."""
    if run.samples is None or len(run.samples) == 0:
        return None
    weights, remark = sample_weights(run)
    if weights is None:
        return None
    usable = numpy.isfinite(run.samples).all(axis=1) & (weights > 0)
    if not usable.any():
        return None
    return run.samples[usable], weights[usable] / weights[usable].sum(), remark


def _correlations(values, weights):
    centred = values - weights @ values
    covariance = centred.T @ (centred * weights[:, None])
    sd = numpy.sqrt(covariance.diagonal())
    sd[sd == 0] = 1  # the draws that differ weigh nothing
    return covariance / numpy.outer(sd, sd)


def _most_correlated(correlations, most=MOST_PAIRED):
    """The parameters of the strongest correlations, as many as are drawn, in their own order."""
    n = len(correlations)
    if n <= most:
        return numpy.arange(n)
    first, second = numpy.triu_indices(n, 1)
    chosen = []
    for k in numpy.argsort(-numpy.abs(correlations[first, second]), kind="stable"):
        new = [j for j in (first[k], second[k]) if j not in chosen]
        if len(chosen) + len(new) <= most:
            chosen += new
    return numpy.sort(chosen)


def _range(values, weights):
    low, high = numbers.weighted_quantiles(values, weights, [0.002, 0.998])
    if not high > low:
        low, high = values.min(), values.max()
    margin = 0.05 * (high - low)
    # An axis of bounded values does not reach beyond their bounds.
    return max(low - margin, values.min()), min(high + margin, values.max())


def _points(values, weights):
    """Draws of equal weight, by systematic resampling; None if the sample is so large that a density shows more."""
    if numbers.effective_sample_size(weights) > 4 * MOST_POINTS:
        return None
    n = min(MOST_POINTS, len(values))
    at = numpy.searchsorted(numpy.cumsum(weights), (numpy.arange(n) + 0.5) / n)
    return values[numpy.minimum(at, len(values) - 1)]


def _draw_marginal(axes, values, weights, limits):
    n_bins = int(numpy.clip(2 * numbers.effective_sample_size(weights) ** (1 / 3), 8, BINS))
    axes.hist(values, bins=n_bins, range=limits, weights=weights, color=PALE_BLUE, edgecolor=axes.get_facecolor(),
              linewidth=0.3)


def _draw_pair(axes, values, weights, points, columns, limits):
    if points is not None:
        size, alpha = (3.5, 0.7) if len(points) < FEW_POINTS else (2.4, 0.45)
        axes.plot(*points[:, list(columns)].T, ".", color=blue_on(axes), markersize=size, alpha=alpha, markeredgewidth=0)
        return
    density, x, y = numpy.histogram2d(*values.T, bins=BINS, range=limits, weights=weights)
    steps = [PALE_BLUE, BLUE, "#00395a"] if blue_on(axes) == BLUE else [BLUE, SKY, "#d7ecfa"]
    colours = LinearSegmentedColormap.from_list("density", [axes.get_facecolor(), *steps])
    axes.pcolormesh(x, y, density.T, cmap=colours, rasterized=True)


def _label(axes, i, j, names, longest):
    axes.grid(False)
    for axis in (axes.xaxis, axes.yaxis):
        plain_ticks(axis, 3)
    is_last = i == len(names) - 1
    if is_last:
        axes.set_xlabel(shortened(names[j], min(18, longest)))
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticklabels([])
    if j == 0 and i > 0:
        axes.set_ylabel(shortened(names[i], min(18, longest)))
    else:
        axes.set_yticklabels([])
    if i == j:
        axes.set_yticks([])
