"""Figures of quantities along the path: one function each, None when the run has nothing to draw."""

import math

import numpy

from . import numbers
from .estimates import exact_of, interval_of, main_estimate
from .style import BLUE, GREEN, ORANGE, VERMILLION, blue_on, finish, left_out, new_axes

MAX_POINTS = 3000  # more are not distinguishable at the width of a page
MARKERS_UP_TO = 60
MOST_DECADES = 8  # whose labels fit below a figure
INVERSE_TEMPERATURE = "Inverse temperature β"


def effective_sample_size(run):
    series = _series(run, "ess")
    if series is None:
        return None
    figure, axes = new_axes()
    _draw_series(axes, series)
    _scale_positive(axes, series.y, decades=1)
    axes.set_ylabel("Effective sample size (particles)")
    caption = "How many independent, equally weighted particles the weighted population is worth."
    resampled = _series(run, "resampled")
    if resampled is not None:
        at = resampled.x[resampled.y > 0]
        caption += f" {numbers.counted(len(at), 'resampling')}"
        if 0 < len(at) <= 300:
            axes.plot(
                at,
                numpy.full(len(at), 0.02),
                "|",
                color=VERMILLION,
                markersize=7,
                transform=axes.get_xaxis_transform(),
                clip_on=False,
            )
            caption += ", marked along the lower edge."
        else:
            caption += "."
    return _finish(figure, "effective-sample-size", "Effective sample size", caption, series)


def running_log_ratio(run):
    figure, axes = new_axes()
    series = draw_log_ratio(axes, run)
    if series is None:
        return None
    caption = "The estimate as it accumulates along the path, from 0 at the base distribution."
    return _finish(figure, "running-log-ratio", "Running log Z/Z₀", caption, series)


def draw_log_ratio(axes, run):
    """The running estimate of log Z/Z_0; its points, or None where there are none."""
    series = _series(run, "log_ratio")
    if series is None:
        return None
    _draw_series(axes, series, label="running estimate")
    estimate = main_estimate(run)
    if estimate is not None:
        value, interval = estimate["value"], interval_of(estimate)
        spread = None if interval is None else [[max(value - interval[0], 0)], [max(interval[1] - value, 0)]]
        axes.errorbar(
            [series.x[-1]],
            [value],
            spread,
            fmt="o",
            color=VERMILLION,
            markersize=4.5,
            capsize=3,
            zorder=3,
            label="final" if interval is None else "final, 95 % interval",
        )
        if exact_of(estimate) is not None:
            axes.axhline(exact_of(estimate), color=GREEN, linestyle="--", linewidth=1.1, label="exact")
        axes.legend(loc="best")
    axes.set_ylabel("Running log Z / Z₀ (nats)")
    return series


def variance_of_u(run):
    series = _series(run, "variance_u")
    if series is None:
        return None
    figure, axes = new_axes()
    _draw_series(axes, series)
    _scale_positive(axes, series.y, decades=2)
    axes.set_ylabel("Variance of u = d log f / dβ")
    return _finish(
        figure,
        "variance-u",
        "Variance of u",
        "Where this is high the path is hard: a good schedule takes small steps there.",
        series,
    )


def mean_of_u(run):
    series = _series(run, "mean_u")
    if series is None:
        return None
    figure, axes = new_axes()
    _draw_series(axes, series)
    axes.set_ylabel("Mean of u = d log f / dβ")
    return _finish(
        figure,
        "mean-u",
        "Mean of u",
        "The integrand of thermodynamic integration: the area under the curve is log Z/Z₀.",
        series,
    )


def schedule(run):
    series = _series(run, "inverse_temperature", against_step=True)
    if series is None:
        return None
    figure, axes = new_axes()
    _draw_series(axes, series)
    axes.set_ylabel(INVERSE_TEMPERATURE)
    n_steps = max(len(run.per_step["inverse_temperature"]) - 1, 0)
    caption = f"{numbers.counted(n_steps, 'step')}."
    found = run.summary.get("schedule") or {}
    if numbers.is_number(found.get("log_weight_variance")):
        caption += f" Variance of the log weights {numbers.plain(found['log_weight_variance'], 3)}"
        if numbers.is_number(found.get("twice_excess_work")):
            caption += f", twice the excess work {numbers.plain(found['twice_excess_work'], 3)}"
        predicted = (found.get("predicted_variance") or {}).get("finite_steps")
        if found.get("predicted_from") == "survey" and numbers.is_number(predicted):
            at_least = "at least " if found.get("tau_is_lower_bound") else ""
            caption += f"; predicted by the survey: {at_least}{numbers.plain(predicted, 3)}"
        caption += "."
    return _finish(figure, "schedule", "Schedule", caption, series)


def survey(run):
    """The survey from which an optimised schedule was computed."""
    b, g = run.survey.get("inverse_temperature"), run.survey.get("variance_u")
    if b is None or g is None or len(b) != len(g):
        return None
    figure, axes = new_axes()
    series = _Series(b, g, INVERSE_TEMPERATURE)
    _draw_series(axes, series, label="variance of u", marker="", linewidth=0.8)
    caption = "Measured by a survey of the path before the run."
    shown = series.y
    held, tau = run.knots.get("inverse_temperature"), run.knots.get("tau")
    if held is not None and tau is not None and numpy.any(tau > 1):
        friction = numpy.interp(held, b, g) * tau
        is_bound = run.knots.get("tau_is_lower_bound", numpy.zeros(len(tau))) > 0
        axes.plot(held, friction, color=VERMILLION, linewidth=1.1, label="times autocorrelation time")
        axes.plot(held[~is_bound], friction[~is_bound], "o", color=VERMILLION, markersize=4)
        if is_bound.any():
            axes.plot(held[is_bound], friction[is_bound], "^", color=VERMILLION, markersize=4.5, label="at least")
        axes.legend(loc="best")
        shown = numpy.concatenate([shown, friction])
        caption += " The schedule goes through equal lengths of the root of the upper curve, where it knows it."
    _scale_positive(axes, shown, decades=1)
    axes.set_ylabel("Variance of u = d log f / dβ")
    return _finish(figure, "survey", "Survey of the path", caption, series)


def acceptance(run):
    series = _series(run, "acceptance", against_step=True)
    if series is None or series.x[-1] == 0:
        return None
    moved = series.x > 0  # the row before step 1 has no move
    series.x, series.y = series.x[moved], series.y[moved]
    figure, axes = new_axes()
    _draw_series(axes, series)
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("Accepted proposals (fraction)")
    return _finish(
        figure, "acceptance", "Acceptance", f"Mean over the steps: {numbers.fixed(float(series.y.mean()), 3)}.", series
    )


MOBILITIES = {  # name -> (label, colour)
    "mobility": ("points, in their covariance's norm", BLUE),
    "mobility_energy": ("energies u", GREEN),
    "mobility_worst": ("the worst coordinate", ORANGE),
}


def mobility(run):
    drawn = {}
    for name in MOBILITIES:
        values = run.per_step.get(name)
        if values is not None and numpy.isfinite(values[1:]).any():  # the row before step 1 has no move
            drawn[name] = _Series(run.steps_of(name)[1:], values[1:], "Step")
    if not drawn:
        return None
    figure, axes = new_axes()
    for name, series in drawn.items():
        label, colour = MOBILITIES[name]
        _draw_series(axes, series, label=label, color=colour)
    axes.set_ylim(0, 1.06 * max(1, *(series.y.max() for series in drawn.values())))
    axes.set_ylabel("Mobility")
    axes.legend(loc="best")
    caption = (
        "Mean squared jump of the particles over twice their variance, over the moves of a step: 0 where they stand "
        "still, 1 where their new states are independent of the old ones."
    )
    moves = run.per_step.get("moves")
    if moves is not None and len(moves) > 1:
        fewest, most = int(moves[1:].min()), int(moves[1:].max())
        caption += f" {numbers.plain(fewest)}" + (f" to {numbers.plain(most)}" if most > fewest else "") + " moves a step."
    return _finish(figure, "mobility", "Mobility", caption, next(iter(drawn.values())))


def distinct_eves(run):
    series = _series(run, "eves", against_step=True)
    if series is None:
        return None
    figure, axes = new_axes()
    _draw_series(axes, series, drawstyle="steps-post")
    _scale_positive(axes, series.y, decades=1)
    axes.set_ylabel("Distinct Eves (count)")
    return _finish(
        figure,
        "eves",
        "Distinct Eves",
        "How many particles of the first generation still have descendants; "
        f"{numbers.plain(int(series.y[-1]))} at the end.",
        series,
    )


class _Series:
    """The finite points of one per-step series, ready to draw."""

    def __init__(self, x, y, x_label):
        finite = numpy.isfinite(x) & numpy.isfinite(y)
        self.x, self.y, self.x_label = x[finite], y[finite], x_label
        self.n_left_out = int((~finite).sum())


def _series(run, name, against_step=False):
    if name not in run.per_step:
        return None
    x = None if against_step else run.inverse_temperatures_of(name)
    series = _Series(
        run.steps_of(name) if x is None else x, run.per_step[name], "Step" if x is None else INVERSE_TEMPERATURE
    )
    if len(series.x) == 0:
        run.remarks.append(f"per_step/{name} has no finite value; its figure is left out")
        return None
    return series


def _draw_series(axes, series, **style):
    x, y = numbers.decimate(series.x, series.y, MAX_POINTS)
    marker = {"marker": "o", "markersize": 3} if len(x) <= MARKERS_UP_TO else {}
    axes.plot(x, y, **{"color": blue_on(axes), **marker, **style})
    axes.set_xlabel(series.x_label)
    if series.x_label == "Step":
        axes.xaxis.get_major_locator().set_params(integer=True, nbins=7)
    elif _is_crowded(series.x):
        first_decade = math.floor(math.log10(series.x[series.x > 0].min()))
        axes.set_xscale("symlog", linthresh=10.0**first_decade, linscale=0.8)
        axes.xaxis.get_major_locator().set_params(numticks=MOST_DECADES)


def _is_crowded(x):
    """Whether half of the steps stand in the first 3 % of a linear axis, as in schedules that grow by factors."""
    return x.min() >= 0 and 0 < numpy.median(x) < 0.03 * x.max()


def _scale_positive(axes, values, decades):
    """A log scale if the values span more than this number of decades, else a linear one that starts at zero."""
    if values.min() > 0 and values.max() > values.min() * 10**decades:
        axes.set_yscale("log")
    elif values.min() >= 0 and values.max() > 0:
        axes.set_ylim(0, 1.06 * values.max())


def _finish(figure, name, title, caption, series):
    if len(series.x) > MAX_POINTS:
        caption += f" Thinned from {numbers.plain(len(series.x))} points, extremes kept."
    return finish(figure, name, "annealing", title, caption + left_out(series.n_left_out))
