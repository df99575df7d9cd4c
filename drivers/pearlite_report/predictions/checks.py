"""Figures of posterior predictions: series with their bands, and checks of predictions against observations."""

import math

import numpy

from matplotlib.figure import Figure

from .. import numbers
from ..style import BLUE, GREY, INK, PALE_BLUE, VERMILLION, finish, new_axes, plain_ticks

LEVELS_OF_BAND = (0.05, 0.95)
N_BINS = 20
FULL = (10.2, 4.6)  # inches, across the page


def over_time(run):
    """Series along time: observations in the band of their one-step predictions, states in theirs, and the forecast."""
    series = [quantity for quantity in run.predictions if quantity.dimension == "time" and len(quantity.mean) > 1]
    series = [quantity for quantity in series if quantity.band(*LEVELS_OF_BAND) is not None]
    if not series:
        return None
    series.sort(key=lambda quantity: quantity.observed is None)
    height = FULL[1] if len(series) > 1 else 0.6 * FULL[1]
    figure = Figure(figsize=(FULL[0], height))
    panels = figure.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
    for axes, quantity in zip(panels, series):
        _draw_series(axes, quantity)
    panels[-1].set_xlabel("Time (place in the data)")
    captions = [_sentence(quantity) for quantity in series]
    return finish(figure, "over-time", "predictions-wide", "Predictions along time", " ".join(captions))


def _draw_series(axes, quantity):
    low, high = quantity.band(*LEVELS_OF_BAND)
    middle = quantity.level(0.5)
    time = numpy.arange(len(quantity.mean)) + 1
    axes.fill_between(time, low, high, color=PALE_BLUE, alpha=0.55, linewidth=0, label="5 % to 95 %")
    if quantity.observed is not None:
        outside = (quantity.observed < low) | (quantity.observed > high)
        axes.plot(time, quantity.observed, ".", color=INK, markersize=1.8, label="observed")
        axes.plot(time[outside], quantity.observed[outside], ".", color=VERMILLION, markersize=3.2, label="outside the band")
    else:
        axes.plot(time, middle, color=BLUE, linewidth=1.1, label="median")
    if quantity.beyond is not None and quantity.beyond.band(*LEVELS_OF_BAND) is not None:
        later = len(time) + 1 + numpy.arange(len(quantity.beyond.mean))
        axes.fill_between(later, *quantity.beyond.band(*LEVELS_OF_BAND), color=VERMILLION, alpha=0.3, linewidth=0)
        axes.plot(later, quantity.beyond.level(0.5), color=VERMILLION, linewidth=1.1, label="to come")
    axes.set_xlim(0, len(time) + (0 if quantity.beyond is None else len(quantity.beyond.mean)) + 1)
    axes.set_ylabel(quantity.name)
    plain_ticks(axes.xaxis, 10)
    plain_ticks(axes.yaxis, 6)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncols=4, borderaxespad=0)


def _sentence(quantity):
    text = f"{quantity.name}: {quantity.description}" if quantity.description else quantity.name
    if quantity.observed is None:
        return text + "; median, and the interval from its 5 % to its 95 % quantile."
    low, high = quantity.band(*LEVELS_OF_BAND)
    outside = int(((quantity.observed < low) | (quantity.observed > high)).sum())
    share = numbers.fixed(100 * outside / len(quantity.observed), 1)
    return text + f"; {outside} of {len(quantity.observed)} ({share} %) lie outside the band of 90 %."


def ranks(run):
    """Histogram of the observations' ranks among their predictions, for each quantity with more than a few values."""
    return [_ranks_of(quantity) for quantity in run.predictions if _has_ranks(quantity)]


def _has_ranks(quantity):
    return quantity.ranks is not None and len(quantity.ranks) >= N_BINS and not quantity.is_binary()


def _ranks_of(quantity):
    n = len(quantity.ranks)
    n_bins = min(N_BINS, max(5, n // 20))
    figure, axes = new_axes()
    axes.hist(quantity.ranks, bins=n_bins, range=(0, 1), color=PALE_BLUE, edgecolor="white", linewidth=0.5)
    expected = n / n_bins
    spread = 1.96 * math.sqrt(n * (1 / n_bins) * (1 - 1 / n_bins))
    axes.axhspan(max(0.0, expected - spread), expected + spread, color=GREY, alpha=0.18, linewidth=0)
    axes.axhline(expected, color=VERMILLION, linewidth=1.2, label="if predictions are right, with 95 % of bars in the band")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), borderaxespad=0)
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"Rank of the observed {quantity.name} among its predictions")
    axes.set_ylabel("Observations")
    covered = [f"{level} %: {numbers.fixed(100 * quantity.coverage(level / 100), 1)} %" for level in (50, 90, 95)]
    caption = (
        f"{numbers.counted(n, 'observation')}. Central intervals hold " + ", ".join(covered) + ". The parameters are those given "
        "all data, so that this is a check of the model and not a backtest."
    )
    return finish(figure, f"ranks-{quantity.name}", "predictions", f"Predictive check of {quantity.name}", caption)


def calibration(run):
    """Binary observations: frequencies in groups of equal predicted probability, and those of replicated data."""
    return [_calibration_of(quantity) for quantity in run.predictions if _can_be_calibrated(quantity)]


def _can_be_calibrated(quantity):
    return quantity.observed is not None and quantity.is_binary() and quantity.replicates is not None and len(quantity.mean) >= 50


def _calibration_of(quantity):
    order = numpy.argsort(quantity.mean, kind="stable")
    groups = [group for group in numpy.array_split(order, 10) if len(group) > 0]
    predicted = numpy.array([quantity.mean[group].mean() for group in groups])
    observed = numpy.array([quantity.observed[group].mean() for group in groups])
    replicated = numpy.array([quantity.replicates[:, group].mean(axis=1) for group in groups])
    low, high = numpy.quantile(replicated, LEVELS_OF_BAND, axis=1)
    figure, axes = new_axes()
    top = 1.05 * max(high.max(), observed.max(), predicted.max())
    bottom = 0.9 * min(low.min(), observed.min(), predicted.min())
    axes.plot([bottom, top], [bottom, top], color=GREY, linewidth=0.8)
    axes.vlines(predicted, low, high, color=PALE_BLUE, linewidth=5, label="replicated data, 5 % to 95 %")
    axes.plot(predicted, observed, "o", color=VERMILLION, markersize=4, label="observed")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, borderaxespad=0)
    axes.set_xlim(bottom, top)
    axes.set_ylim(bottom, top)
    axes.set_xlabel(f"Predicted probability of {quantity.name} = 1")
    axes.set_ylabel("Frequency")
    inside = int(((observed >= low) & (observed <= high)).sum())
    caption = (
        f"{numbers.counted(len(quantity.mean), 'observation')} in {len(groups)} groups of rising predicted probability; "
        f"{inside} of the observed frequencies lie in the 90 % interval of data replicated with the posterior's parameters."
    )
    return finish(figure, f"calibration-{quantity.name}", "predictions", f"Predictive check of {quantity.name}", caption)
