"""Figures of the final population: weights, posterior marginals, particles as images."""

import io
import math

import matplotlib.image
import numpy

from . import numbers
from .style import PALE_BLUE, SMALL, VERMILLION, Picture, as_svg, finish, left_out, new_axes, shortened


MAX_MARGINALS = 12


MOST_SPAN = 40  # nats below the mean's log, beyond which a tail of few particles is cut
CUT_SHARE = 0.001


def log_weights(run):
    figure, axes = new_axes()
    caption = draw_log_weights(axes, run)
    if caption is None:
        return None
    return finish(figure, "log-weights", "estimates", "Final log weights", caption)


def draw_log_weights(axes, run):
    """A histogram of the final log weights; returns what there is to say on it, or None where there are none."""
    if run.log_weight is None or len(run.log_weight) == 0:
        return None
    centre = numbers.log_mean_exp(run.log_weight)
    weights = numbers.normalised_weights(run.log_weight)
    if weights is None or not math.isfinite(centre):
        run.remarks.append("No particle has a finite log weight; the figure of the log weights is left out")
        return None
    finite = numpy.isfinite(run.log_weight)
    centred = run.log_weight[finite] - centre
    shown, n_cut = _without_far_tail(centred)
    axes.hist(
        shown, bins=_n_bins(len(shown)), range=_range_of(shown), color=PALE_BLUE, edgecolor=axes.get_facecolor(),
        linewidth=0.4
    )
    axes.axvline(0, color=VERMILLION, linewidth=1.1, label="log of the mean weight")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), borderaxespad=0)
    axes.set_xlabel("Log weight relative to the mean (nats)")
    axes.set_ylabel("Particles")
    caption = (
        f"{numbers.counted(len(run.log_weight), 'particle')}; the largest normalised weight is "
        f"{numbers.plain(float(weights.max()), 3)}, the effective sample size "
        f"{numbers.plain(numbers.effective_sample_size(weights), 4)}{_before_resampling(run)}."
    )
    if n_cut:
        lowest = numbers.plain(float(centred.min()), 3)
        axes.text(0.01, 0.97, f"{n_cut} below, to {lowest}", va="top", fontsize="small", transform=axes.transAxes)
        caption += f" {numbers.counted(n_cut, 'particle')} further below, down to {lowest}, are cut off."
    return caption + left_out(int((~finite).sum()), "particle", "-inf or NaN")


def _without_far_tail(centred):
    """The values, and how many low ones were cut: at most one in a thousand, if they stretch the axis far."""
    low = float(numpy.quantile(centred, CUT_SHARE))
    if centred.min() >= min(low, -MOST_SPAN) or centred.min() >= 2 * low:
        return centred, 0
    return centred[centred >= low], int((centred < low).sum())


def _before_resampling(run):
    """The weights before a last resampling: after it all particles weigh the same, but the result rests on these."""
    resampled = run.per_step.get("resampled")
    before = (run.summary.get("diagnostics") or {}).get("ess")
    if before is None or resampled is None or len(resampled) == 0 or not resampled[-1] > 0:
        return ""
    return f" after the resampling of the last step; before it, {numbers.plain(before, 4)}"


def marginals(run):
    """A small weighted histogram per parameter."""
    if run.samples is None or len(run.samples) == 0:
        return []
    weights, remark = sample_weights(run)
    if weights is None:
        return []
    shown = range(min(run.samples.shape[1], MAX_MARGINALS))
    return [picture for j in shown if (picture := _marginal(run, j, weights, remark)) is not None]


def _marginal(run, j, weights, remark):
    finite = numpy.isfinite(run.samples[:, j]) & (weights > 0)
    values, weights = run.samples[finite, j], weights[finite]
    if len(values) == 0:
        return None
    name = run.sample_names[j]
    low, high = numbers.weighted_quantiles(values, weights, [0.001, 0.999])
    figure, axes = new_axes(SMALL)
    n_bins = _n_bins(numbers.effective_sample_size(weights / weights.sum()), most=40)
    axes.hist(
        values,
        bins=n_bins,
        range=_range_of(numpy.array([low, high]), margin=0.04, within=values),
        weights=weights / weights.sum(),
        density=True,
        color=PALE_BLUE,
        edgecolor=axes.get_facecolor(),
        linewidth=0.3,
    )
    entry = next((entry for entry in run.summary_of_parameters() if entry.get("name") == name), {})
    if numbers.is_number(entry.get("mean")) and math.isfinite(entry["mean"]):
        axes.axvline(entry["mean"], color=VERMILLION, linewidth=1.4)
    axes.set_xlabel(shortened(name))
    axes.set_ylabel("Density")
    axes.grid(False)
    axes.set_yticks([])
    axes.locator_params(axis="x", nbins=5)
    if run.n_parameters > MAX_MARGINALS:
        remark += f" The first {MAX_MARGINALS} of {run.n_parameters} parameters are drawn."
    return Picture(f"marginal-{j + 1:02d}", "posterior", name, remark, as_svg(figure))


def sample_weights(run):
    """Normalised weights of the draws and a sentence on them; None if no weight is usable."""
    log_weight = run.sample_log_weight
    if log_weight is None and run.log_weight is not None and len(run.log_weight) == len(run.samples):
        log_weight = run.log_weight  # the draws are the particles
    if log_weight is None or len(log_weight) != len(run.samples):
        equal = numpy.full(len(run.samples), 1.0 / len(run.samples))
        if log_weight is None and run.log_weight is None:
            return equal, "The draws have equal weights."
        found = run.log_weight if log_weight is None else log_weight
        return equal, f"{len(run.samples)} draws but {len(found)} weights: drawn unweighted."
    weights = numbers.normalised_weights(log_weight)
    is_equal = weights is not None and numpy.ptp(weights) <= 1e-9 * weights.max()
    return weights, "The draws have equal weights." if is_equal else "Weighted draws."


def particles(run):
    """The final particles as images: a contact sheet, ten a row, black for 1."""
    if run.images is None:
        return None
    n, rows, columns = run.images.shape
    caption = (
        f"The first {n} of {numbers.counted(run.n_images, 'final particle')}, in slot order, ten a row, "
        f"{rows} × {columns} pixels; white is 0, black is 1." + left_out(_bad(run.images), "pixel")
    )
    return Picture("particles", "particles", "Final particles", caption, sheet_of(run.images), "png")


def sheet_of(images):
    """Images side by side, ten a row, as PNG."""
    n, rows, columns = images.shape
    across, gap = min(n, 10), 2
    down = math.ceil(n / across)
    sheet = numpy.full((down * (rows + gap) + gap, across * (columns + gap) + gap), 0.12)
    for i, image in enumerate(numpy.nan_to_num(numpy.clip(images, 0, 1))):
        top, left = gap + i // across * (rows + gap), gap + i % across * (columns + gap)
        sheet[top : top + rows, left : left + columns] = image
    for i in range(n, down * across):
        top, left = gap + i // across * (rows + gap), gap + i % across * (columns + gap)
        sheet[top : top + rows + gap, left : left + columns + gap] = 0
    enlarge = max(1, round(900 / sheet.shape[1]))
    buffer = io.BytesIO()
    matplotlib.image.imsave(
        buffer,
        numpy.kron(sheet, numpy.ones((enlarge, enlarge))),
        format="png",
        cmap="gray_r",
        vmin=0,
        vmax=1,
        metadata={"Software": None},
    )
    return buffer.getvalue()


def _bad(images):
    return int((~numpy.isfinite(images)).sum())


def _n_bins(n, most=60):
    return int(min(max(2 * n ** (1 / 3), 8), most))


def _range_of(values, margin=0.0, within=None):
    """From the least to the greatest, and a margin, which does not reach beyond `within`."""
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-12 * max(abs(low), abs(high), 1.0):
        half = 0.5 * max(abs(low), 1.0)
        return low - half, high + half
    ends = low - margin * (high - low), high + margin * (high - low)
    return ends if within is None else (max(ends[0], float(within.min())), min(ends[1], float(within.max())))
