"""Nonequilibrium work: both distributions, Crooks' theorem, hysteresis (Habeck 2017, figures 1, 3 and 4)."""

import numpy

from . import numbers
from .estimates import exact_of, interval_of, main_estimate
from .style import BLUE, GREEN, INK, ORANGE, VERMILLION, blue_on, finish, left_out, legend_columns, new_axes


def distributions(run):
    """Histograms of forward and reverse work, which cross at -log Z."""
    if not _vary(run):
        return None
    figure, axes = new_axes()
    meets = draw_distributions(axes, run)
    words = "The distributions cross at -log Z/Z₀." if meets else "The distributions do not meet: no estimate can be trusted."
    return finish(
        figure, "work", "estimates", "Work distributions", words + left_out(_n_infinite(run), "trajectory", "infinite work")
    )


def _vary(run):
    forward, reverse = _works(run)
    return forward is not None and numpy.ptp(numpy.concatenate([forward, reverse])) > 0


def draw_distributions(axes, run):
    """Whether the distributions meet; None where there are no works of both directions."""
    if not _vary(run):
        return None
    forward, reverse = _works(run)
    values = numpy.concatenate([forward, reverse])
    edges = numpy.linspace(values.min(), values.max(), 61)
    for works, color, label in ((forward, blue_on(axes), "forward"), (reverse, ORANGE, "reverse")):
        # A distribution that is narrow on the scale of both gets separate bins.
        own = numpy.linspace(works.min(), works.max(), 31) if numpy.ptp(works) < 0.1 * numpy.ptp(values) else edges
        if works.min() == works.max():
            own = edges
        axes.hist(works, bins=own, density=True, color=color, alpha=0.55, label=label)
    estimate = main_estimate(run)
    if estimate is not None:
        interval = interval_of(estimate)
        if interval is not None:
            axes.axvspan(-interval[1], -interval[0], color=VERMILLION, alpha=0.25, linewidth=0)
        axes.axvline(-estimate["value"], color=VERMILLION, linewidth=1.1, label="-log Z/Z₀")
        if exact_of(estimate) is not None:
            axes.axvline(-exact_of(estimate), color=GREEN, linestyle="--", linewidth=1.1, label="exact")
    axes.legend(loc="lower center", ncol=legend_columns(axes, 4), bbox_to_anchor=(0.5, 1), columnspacing=1, handlelength=1.4)
    axes.set_xlabel("Work W (nats)")
    axes.set_ylabel("Density")
    return bool(reverse.max() > forward.min())


def log_ratio_of_densities(run):
    """log p_f(W)/p_r(W) against W: a line of slope 1 by Crooks' theorem."""
    forward, reverse = _works(run)
    if forward is None or not reverse.max() > forward.min():
        return None
    low, high = max(forward.min(), reverse.min()), min(forward.max(), reverse.max())
    edges = numpy.linspace(low, high, 21)
    in_forward, in_reverse = numpy.histogram(forward, edges)[0], numpy.histogram(reverse, edges)[0]
    both = (in_forward >= 3) & (in_reverse >= 3)
    if both.sum() < 2:
        return None
    centres = 0.5 * (edges[1:] + edges[:-1])[both]
    log_ratio = numpy.log(in_forward[both] / len(forward)) - numpy.log(in_reverse[both] / len(reverse))
    error = numpy.sqrt(1 / in_forward[both] + 1 / in_reverse[both])
    figure, axes = new_axes()
    axes.errorbar(centres, log_ratio, yerr=error, fmt="o", color=BLUE, markersize=4, linewidth=1)
    estimate = main_estimate(run)
    if estimate is not None:
        line = numpy.array([centres[0], centres[-1]])
        axes.plot(line, line + estimate["value"], color=VERMILLION, label="W + log Z/Z₀")
        axes.legend(loc="upper left")
    axes.set_xlabel("Work W (nats)")
    axes.set_ylabel("log p_f(W) / p_r(W)")
    diagnostics = run.summary.get("diagnostics") or {}
    slope, slope_error = diagnostics.get("crooks_slope"), diagnostics.get("crooks_slope_standard_error")
    fitted = ""
    if numbers.is_number(slope) and numbers.is_number(slope_error):
        fitted = f" Logistic regression gives a slope of {slope:.3f} ± {slope_error:.3f}."
    return finish(
        figure, "crooks", "estimates", "Crooks' theorem", "Bins with at least three works each way; the slope should be 1." + fitted
    )


def posterior(run):
    """Draws of log Z from the histogram estimator's posterior."""
    draws = run.work.get("log_ratio_posterior")
    if draws is None:
        return None
    finite = draws[numpy.isfinite(draws)]
    if len(finite) < 20 or finite.min() == finite.max():
        return None
    figure, axes = new_axes()
    axes.hist(finite, bins=50, density=True, color="#8fc1e0")
    estimate = main_estimate(run)
    if estimate is not None:
        axes.axvline(estimate["value"], color=VERMILLION, linewidth=1.1, label=estimate.get("estimator", "estimate"))
        if exact_of(estimate) is not None:
            axes.axvline(exact_of(estimate), color=GREEN, linestyle="--", linewidth=1.1, label="exact")
        axes.legend(loc="lower center", ncol=2, bbox_to_anchor=(0.5, 1))
    axes.ticklabel_format(axis="x", useOffset=False)
    axes.locator_params(axis="x", nbins=6)
    axes.set_xlabel("log Z / Z₀ (nats)")
    axes.set_ylabel("Posterior density")
    caption = f"{numbers.counted(len(finite), 'draw')} of the histogram estimator's posterior."
    return finish(figure, "work-posterior", "estimates", "Posterior of log Z", caption)


def hysteresis(run):
    """Mean of u along the path, both ways, with two standard errors."""
    return _hysteresis(run, "hysteresis", "Hysteresis", None)


def widest_hysteresis(run):
    """The part of the path where both ways differ most."""
    curves = _curves(run)
    if curves is None:
        return None
    b, gap = _gap(curves)
    if len(b) < 20 or gap.max() <= 0:
        return None
    wide = b[gap > 0.25 * gap.max()]
    span = max(wide.max() - wide.min(), 0.05 * (b.max() - b.min()))
    low, high = max(wide.min() - 0.5 * span, b.min()), min(wide.max() + 0.5 * span, b.max())
    if high - low > 0.7 * (b.max() - b.min()):
        return None
    return _hysteresis(run, "hysteresis-zoom", "Where forward and reverse differ most", (low, high))


def equilibration(run):
    """Mean of u while the reverse starts come into equilibrium."""
    curve = run.hysteresis.get("equilibration") or {}
    mean, sd = curve.get("mean_u"), curve.get("sd_u")
    n = len(run.work.get("reverse", ()))
    if mean is None or sd is None or len(mean) < 3 or n == 0 or not numpy.isfinite(mean).all():
        return None
    steps = numpy.arange(1, len(mean) + 1)
    error = 2 * sd / numpy.sqrt(n)
    figure, axes = new_axes()
    axes.fill_between(steps, mean - error, mean + error, color=ORANGE, alpha=0.3, linewidth=0)
    axes.plot(steps, mean, color=ORANGE)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.set_xlabel("Application of the last kernel")
    axes.set_ylabel("Mean of u = d log f / db")
    axes.xaxis.get_major_locator().set_params(integer=True)
    return finish(
        figure, "equilibration", "annealing", "Reverse starts", "Mean over the reverse starts, with two standard errors."
    )


def _hysteresis(run, name, title, window):
    curves = _curves(run)
    if curves is None:
        return None
    figure, axes = new_axes()
    for direction, color in (("forward", BLUE), ("reverse", ORANGE)):
        b, mean, error = curves[direction]
        shown = slice(None) if window is None else (b >= window[0]) & (b <= window[1])
        if len(b[shown]) == 0:
            return None
        axes.fill_between(b[shown], (mean - 2 * error)[shown], (mean + 2 * error)[shown], color=color, alpha=0.3, linewidth=0)
        axes.plot(b[shown], mean[shown], color=color, label=direction)
    caption = "Averages over the trajectories as they are, with two standard errors; in equilibrium both curves agree."
    known = equilibrium_curve(run.hysteresis, "mean_u")
    if known is not None:
        b, mean = known
        shown = slice(None) if window is None else (b >= window[0]) & (b <= window[1])
        axes.plot(b[shown], mean[shown], color=INK, linestyle="--", linewidth=1, label="equilibrium, exact")
    axes.legend(loc="best")
    axes.set_xlabel("Inverse temperature b")
    axes.set_ylabel("Mean of u = d log f / db")
    return finish(figure, name, "annealing", title, caption)


def quantities(run):
    """Each quantity with known moments: the distributions that trajectories follow, and those on the path."""
    pictures = []
    for name in known_quantities(run.hysteresis):
        bands = quantity_bands(run.hysteresis, name)
        if bands is None:
            continue
        figure, axes = new_axes()
        for label, (step, mean, sd) in bands.items():
            color = {"forward": BLUE, "reverse": ORANGE}.get(label, INK)
            axes.fill_between(step, mean - sd, mean + sd, color=color, alpha=0.25, linewidth=0)
            axes.plot(step, mean, color=color, linestyle="-" if label in ("forward", "reverse") else "--", label=label)
        axes.legend(loc="best")
        axes.set_xlabel("Step k")
        axes.set_ylabel(name)
        caption = "Means with one standard deviation on either side: of the trajectories, and of the path's distributions."
        pictures.append(finish(figure, f"quantity-{name}", "annealing", f"{name} on the way", caption))
    return pictures


def known_quantities(hysteresis):
    """The names of the quantities whose moments at equilibrium a run has written."""
    known = hysteresis.get("equilibrium") or {}
    names = [name.removeprefix("mean_") for name in known if name.startswith("mean_") and name != "mean_u"]
    return [name for name in names if f"sd_{name}" in known]


def quantity_bands(hysteresis, name):
    """direction, or "equilibrium" -> (step k, mean, standard deviation); None if one is missing. Long runs have
    only some of the steps."""
    b = (hysteresis.get("forward") or {}).get("inverse_temperature")
    if b is None or len(b) < 2:
        return None
    found = {}
    for part in ("forward", "reverse", "equilibrium"):
        curve = hysteresis.get(part) or {}
        if not {"inverse_temperature", f"mean_{name}", f"sd_{name}"} <= curve.keys():
            return None
        at, mean, sd = (curve[column] for column in ("inverse_temperature", f"mean_{name}", f"sd_{name}"))
        step = numpy.interp(at, b, numpy.arange(len(b)))
        order = numpy.argsort(step, kind="stable")[:: max(1, len(step) // 200)]
        found[part] = step[order], mean[order], sd[order]
    return found


def equilibrium_curve(hysteresis, name):
    """(b, values) known to the model, or None."""
    curve = hysteresis.get("equilibrium") or {}
    if not {"inverse_temperature", name} <= curve.keys() or not numpy.isfinite(curve[name]).all():
        return None
    return curve["inverse_temperature"], curve[name]


def _curves(run):
    """direction -> (b, mean, standard error), b ascending; None if a direction is missing."""
    curves = {}
    for direction in ("forward", "reverse"):
        curve = run.hysteresis.get(direction) or {}
        if not {"inverse_temperature", "mean_u", "sd_u"} <= curve.keys() or direction not in run.work:
            return None
        order = numpy.argsort(curve["inverse_temperature"], kind="stable")
        b, mean = curve["inverse_temperature"][order], curve["mean_u"][order]
        error = curve["sd_u"][order] / numpy.sqrt(len(run.work[direction]))
        finite = numpy.isfinite(mean) & numpy.isfinite(error)
        if finite.sum() < 2:
            return None
        thin = max(1, int(finite.sum()) // 2000)  # more points cannot be seen
        curves[direction] = tuple(values[finite][::thin] for values in (b, mean, error))
    return curves


def _gap(curves):
    b, forward, _ = curves["forward"]
    return b, numpy.abs(forward - numpy.interp(b, curves["reverse"][0], curves["reverse"][1]))


def _works(run):
    """The finite works of both directions, or None twice."""
    forward, reverse = run.work.get("forward"), run.work.get("reverse")
    if forward is None or reverse is None:
        return None, None
    forward, reverse = forward[numpy.isfinite(forward)], reverse[numpy.isfinite(reverse)]
    return (forward, reverse) if len(forward) > 0 and len(reverse) > 0 else (None, None)


def _n_infinite(run):
    return sum(int((~numpy.isfinite(run.work[name])).sum()) for name in ("forward", "reverse"))
