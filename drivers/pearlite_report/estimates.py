"""The estimates of a run: the usable ones of the summary, and the figures that compare them."""

import math

import numpy

from . import numbers
from .style import BLUE, GREEN, ORANGE, VERMILLION, WIDE, blue_on, finish, left_out, new_axes


OF_REPLICATES = "replicates"  # the word for the batches of summary.json and results.h5


def interval_of(entry):
    """The two ends of the 95 % interval, or None."""
    interval = entry.get("interval95")
    if isinstance(interval, list) and len(interval) == 2 and all(map(_is_finite, interval)):
        return min(interval), max(interval)
    return None


def name_of(entry):
    """The estimator, and the method of its error bar where that is said."""
    name, method = str(entry.get("estimator", "?")), entry.get("error_method")
    return f"{name}, {OF_REPLICATES if method == 'batches' else method}" if method else name


def exact_of(entry):
    return entry["exact"] if _is_finite(entry.get("exact")) else None


def usable_estimates(run, quantity):
    """The estimates of `log_ratio` (log Z/Z_0) or `log_normaliser` (log Z) that have a finite value."""
    return [
        entry
        for entry in run.summary.get("log_evidence") or []
        if isinstance(entry, dict) and entry.get("quantity", "log_ratio") == quantity and _is_finite(entry.get("value"))
    ]


def main_estimate(run):
    """The first usable estimate of log Z/Z_0, or None."""
    return next(iter(usable_estimates(run, "log_ratio")), None)


def compared_estimates(run):
    """All estimators of one quantity with their intervals, one below the other."""
    quantity = max(("log_ratio", "log_normaliser"), key=lambda name: len(usable_estimates(run, name)))
    entries = usable_estimates(run, quantity)
    if len(entries) < 2:
        return None
    figure, axes = new_axes((WIDE[0], 1.1 + 0.36 * len(entries)))
    draw_intervals(
        axes,
        [(name_of(entry).replace(", ", ",\n"), entry["value"], interval_of(entry)) for entry in entries],
        "log Z / Z₀ (nats)" if quantity == "log_ratio" else "log Z (nats)",
    )
    exact = next((exact_of(entry) for entry in entries if exact_of(entry) is not None), None)
    shift = entries[0]["value"] - main_estimate(run)["value"] if quantity != "log_ratio" and main_estimate(run) else 0
    caption = "Dots with 95 % intervals."
    lower, upper = bounds_of(run)
    if lower is not None:
        axes.axvspan(lower + shift, upper + shift, color=ORANGE, alpha=0.15, linewidth=0)
        _keep_estimates_in_view(axes, entries, lower + shift, upper + shift)
        caption += (
            f" Shaded: between the lower and the upper bound, {numbers.plain(lower + shift)} and "
            f"{numbers.plain(upper + shift)}."
        )
    if exact is not None:
        axes.axvline(exact, color=GREEN, linestyle="--", linewidth=1.1, label="exact")
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0)
    return finish(figure, "estimates", "estimates", "Estimators compared", caption)


def draw_intervals(axes, rows, label="log evidence (nats)"):
    """Values with their 95 % intervals below each other: (name, value, interval or None)."""
    for row, (_, value, interval) in enumerate(rows):
        if interval is not None:
            axes.plot(interval, [row, row], color=blue_on(axes), linewidth=2.2, alpha=0.55, solid_capstyle="butt")
        axes.plot([value], [row], "o", color=blue_on(axes), markersize=5)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.locator_params(axis="x", nbins=6)
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.set_xlabel(label)
    return rows


def bounds_of(run):
    """-<W> of forward and of reverse trajectories, or None twice."""
    diagnostics = run.summary.get("diagnostics") or {}
    bounds = diagnostics.get("lower_bound"), diagnostics.get("upper_bound")
    return bounds if all(map(_is_finite, bounds)) and bounds[0] <= bounds[1] else (None, None)


def _keep_estimates_in_view(axes, entries, lower, upper):
    """Bounds and expansions may lie far off: the view is that of the estimates that have an error bar or are not cumulants."""
    near = [
        end
        for entry in entries
        if not str(entry.get("estimator", "")).startswith("cumulant")
        for end in (entry["value"], *(interval_of(entry) or ()))
    ]
    if not near:
        return
    width = max(near) - min(near) or 1.0
    low, high = max(min(near) - width, min(lower, min(near))), min(max(near) + width, max(upper, max(near)))
    margin = 0.05 * (high - low)
    axes.set_xlim(low - margin, high + margin)


def replicates(run):
    """One dot a replicate, the combined estimate as a line with its interval as a band."""
    values = run.batch_log_ratio
    if values is None or len(values) < 2 or not numpy.isfinite(values).any():
        return None
    finite = numpy.isfinite(values)
    figure, axes = new_axes()
    axes.plot(numpy.flatnonzero(finite), values[finite], "o", color=BLUE, markersize=4.5, label="replicate")
    estimate = main_estimate(run) or {"value": numbers.log_mean_exp(values)}
    if interval_of(estimate) is not None:
        axes.axhspan(*interval_of(estimate), color=ORANGE, alpha=0.25, linewidth=0, label="95 % interval")
    if exact_of(estimate) is not None:
        axes.axhline(exact_of(estimate), color=GREEN, linestyle="--", linewidth=1.1, label="exact")
    axes.axhline(estimate["value"], color=VERMILLION, linewidth=1.1, label="combined")
    axes.legend(loc="lower center", ncol=4, bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)
    axes.set_xlabel("Replicate (from 0)")
    axes.set_ylabel("log Z / Z₀ (nats)")
    axes.xaxis.get_major_locator().set_params(integer=True)
    caption = f"{numbers.counted(len(values), 'replicate')}; combined on the scale of Z, not of log Z."
    return finish(
        figure, "log-z-of-replicates", "estimates", "Replicates", caption + left_out(int((~finite).sum()), "replicate")
    )


def _is_finite(value):
    return numbers.is_number(value) and math.isfinite(value)
