"""Nonequilibrium runs, a panel a setting: works of both directions, the mean of u and known quantities on the way, and
the posterior of log Z, a line a setting (Habeck 2017, figures 1, 3 and 4)."""

import numpy

from .. import words
from ..run import read_group
from ..style import BLUE, GREEN, INK, ORANGE, finish, plain_ticks
from ..work import equilibrium_curve, known_quantities, quantity_bands
from . import drawing
from .layout import MOST_LINES, PALETTE

_BINS = 30
_MOST_POINTS = 60  # of a line
_FIRST = "The first replicate of each setting."
_VALUE = "log_evidence.bar.{}.value"


def curves(sweep):
    """The pictures; empty if no nonequilibrium run's directory was kept."""
    if sweep.column(_VALUE.format("log_ratio")) is None or len(sweep.settings) > drawing.MOST_PANELS:
        return []
    known = sweep.of_first_runs(_works_of, "The works of run {run} are not drawn: {error}")
    if not known:
        return []
    pictures = _works(sweep, known) + _posteriors(sweep, known) + _means_of_u(sweep, known)
    for name in dict.fromkeys(name for run in known.values() for name in known_quantities(run["hysteresis"])):
        pictures += _quantities(sweep, known, name)
    return pictures


def _works_of(file, contents):
    """Works, and averages on the way, of a run, or None."""
    work = read_group(file, contents, "work")
    if "forward" not in work or "reverse" not in work:
        return None
    parts = ("forward", "reverse", "equilibrium")
    return {"work": work, "hysteresis": {part: read_group(file, contents, f"hysteresis/{part}") for part in parts}}


def _label(sweep, setting):
    """The keys in which a setting differs from the others; only the first of keys that vary together."""
    axes = [axis for axis in sweep.axes if len(sweep.values_of(axis)) > 1]
    tied = {other for place, axis in enumerate(axes) for other in sweep.tied_to(axis) if other in axes[place + 1 :]}
    return words.of_setting({axis: sweep.settings[setting][axis] for axis in axes if axis not in tied})


def _drawn(panels, x_label, y_label, name, title, caption, from_zero=False):
    pictures = []
    for part, suffix, remark in drawing.in_figures([panel for panel in panels if panel.lines]):
        top = max(float(line.mean.max()) for panel in part for line in panel.lines)

        def scale_values(axes, shared):
            if from_zero:
                axes.set_ylim(0, 1.05 * top if shared else None)
            plain_ticks(axes.yaxis, 5)

        def label_key(axes):
            axes.set_xlabel(x_label)
            plain_ticks(axes.xaxis, 4 if len(part) > 1 else 7)

        figure = drawing.draw(part, label_key, y_label, scale_values=scale_values)
        shape = "wide" if len(part) > 2 else ""
        pictures.append(finish(figure, f"{name}{suffix}", "works", f"{title}{remark}", caption, shape))
    return pictures


def _log_starts(sweep):
    """log Z_0 of each setting if these differ, so that a figure shows log Z_0 - W; else None."""
    ratio, whole = (sweep.of_settings("mean", _VALUE.format(name)) for name in ("log_ratio", "log_normaliser"))
    starts = whole - ratio
    known = numpy.isfinite(starts).all()
    return starts if known and numpy.ptp(starts) > 1e-6 * max(1.0, numpy.abs(starts).max()) else None


def _works(sweep, known):
    starts = _log_starts(sweep)
    exact = sweep.of_settings("mean", _VALUE.format("log_ratio").removesuffix("value") + "exact")
    estimate = sweep.of_settings("mean", _VALUE.format("log_ratio"))
    panels = []
    for setting, run in known.items():
        works = {name: run["work"][name][numpy.isfinite(run["work"][name])] for name in ("forward", "reverse")}
        if not all(len(values) > 1 and numpy.ptp(values) > 0 for values in works.values()):
            continue
        is_exact = numpy.isfinite(exact[setting])
        crossing = -(exact if is_exact else estimate)[setting]
        if starts is not None:
            works = {name: starts[setting] - values for name, values in works.items()}
            crossing = starts[setting] - crossing
        lines = [
            _outline(name, values, colour, _edges(values, works))
            for (name, values), colour in zip(works.items(), (BLUE, GREEN))
        ]
        mark = numpy.array([crossing, crossing])
        height = numpy.array([0, max(line.mean.max() for line in lines)])
        look = {"color": INK, "linestyle": "--" if is_exact else ":", "marker": ""}
        words_of_it = "log Z" if starts is not None else "-log Z/Z₀"
        lines.append(drawing.Line(f"{words_of_it}, {'exact' if is_exact else 'BAR'}", look, mark, height, height, height))
        panels.append(drawing.Panel(_label(sweep, setting), lines))
    x_label = "Work W (nats)" if starts is None else "log Z₀ - W (nats)"
    caption = f"{_FIRST} The distributions cross at the dashed line."
    return _drawn(panels, x_label, "Density", "works", "Work distributions", caption, from_zero=True)


def _edges(values, works):
    """Common bins; a distribution that is narrow on the scale of both has its own."""
    every = numpy.concatenate(list(works.values()))
    wide = numpy.ptp(values) > 0.2 * numpy.ptp(every)
    low, high = (every.min(), every.max()) if wide else (values.min(), values.max())
    return numpy.linspace(low, high, _BINS + 1 if wide else _BINS // 2 + 1)


def _outline(label, values, colour, edges):
    """A histogram as a line with its area filled."""
    density = numpy.histogram(values, edges, density=True)[0]
    x, y = numpy.repeat(edges, 2), numpy.concatenate([[0], numpy.repeat(density, 2), [0]])
    style = {"color": colour, "linestyle": "-", "marker": "", "linewidth": 1.0}
    return drawing.Line(label, style, x, y, numpy.zeros(len(y)), y)


def _posteriors(sweep, known):
    lines = []
    for setting, run in known.items():
        draws = run["work"].get("log_ratio_posterior", numpy.zeros(0))
        draws = draws[numpy.isfinite(draws)]
        if len(draws) >= 20 and numpy.ptp(draws) > 0:
            edges = numpy.linspace(draws.min(), draws.max(), _BINS + 1)
            colour = PALETTE[len(lines) % len(PALETTE)]
            lines.append(_outline(_label(sweep, setting) or "log Z/Z₀", draws, colour, edges))
    if not lines or len(lines) > MOST_LINES:
        return []
    exact = sweep.constant("log_evidence.histogram.log_ratio.exact")
    if exact is not None:
        height = numpy.array([0, max(line.mean.max() for line in lines)])
        look = {"color": INK, "linestyle": "--", "marker": ""}
        lines.append(drawing.Line("exact", look, numpy.array([exact, exact]), height, height, height))
    caption = f"Draws of the histogram estimator's posterior. {_FIRST}"
    return _drawn(
        [drawing.Panel("", lines)], "log Z / Z₀ (nats)", "Posterior density", "log-ratio-posteriors",
        "Posteriors of log Z", caption, from_zero=True,
    )


def _means_of_u(sweep, known):
    """The part of the path where the directions differ most, of the setting where they differ most."""
    curves_of = {setting: found for setting, run in known.items() if (found := _both_ways(run)) is not None}
    if not curves_of:
        return []
    low, high = _window(max(curves_of.values(), key=lambda curves: _gap(curves).max()))
    panels = []
    for setting, found in curves_of.items():
        lines = []
        for (name, (b, mean, error)), colour in zip(found.items(), (BLUE, ORANGE)):
            shown = _shown(b, low, high)
            b, mean, error = b[shown], mean[shown], error[shown]
            style = {"color": colour, "linestyle": "-", "marker": ""}
            lines.append(drawing.Line(name, style, b, mean, mean - 2 * error, mean + 2 * error))
        exact = equilibrium_curve(known[setting]["hysteresis"], "mean_u")
        if exact is not None:
            b, mean = exact
            shown = _shown(b, low, high)
            b, mean = b[shown], mean[shown]
            look = {"color": INK, "linestyle": "--", "marker": "", "linewidth": 1.0}
            lines.append(drawing.Line("equilibrium, exact", look, b, mean, mean, mean))
        panels.append(drawing.Panel(_label(sweep, setting), lines))
    caption = f"Averages over the trajectories as they are, with two standard errors, where they differ most. {_FIRST}"
    return _drawn(panels, "Inverse temperature b", "Mean of u = d log f / db", "u-on-the-way", "Hysteresis", caption)


def _shown(b, low, high):
    """The places of enough temperatures between these for smooth lines."""
    inside = numpy.flatnonzero((b >= low) & (b <= high))
    return inside[numpy.unique(numpy.linspace(0, len(inside) - 1, _MOST_POINTS).astype(int))]


def _both_ways(run):
    """direction -> (b, mean of u, standard error), b ascending; None if one is missing."""
    found = {}
    for name in ("forward", "reverse"):
        curve = run["hysteresis"][name]
        if not {"inverse_temperature", "mean_u", "sd_u"} <= curve.keys():
            return None
        order = numpy.argsort(curve["inverse_temperature"], kind="stable")
        b, mean, sd = (curve[column][order] for column in ("inverse_temperature", "mean_u", "sd_u"))
        finite = numpy.isfinite(mean) & numpy.isfinite(sd)
        if finite.sum() < 2:
            return None
        found[name] = b[finite], mean[finite], sd[finite] / numpy.sqrt(len(run["work"][name]))
    return found


def _gap(curves_of_run):
    b, forward, _ = curves_of_run["forward"]
    return numpy.abs(forward - numpy.interp(b, *curves_of_run["reverse"][:2]))


def _window(curves_of_run):
    b, gap = curves_of_run["forward"][0], _gap(curves_of_run)
    wide = b[gap > 0.5 * gap.max()] if gap.max() > 0 else b
    margin = max(0.4 * (wide.max() - wide.min()), 0.03 * (b.max() - b.min()))
    return max(wide.min() - margin, b.min()), min(wide.max() + margin, b.max())


def _quantities(sweep, known, name):
    panels = []
    for setting, run in known.items():
        bands = quantity_bands(run["hysteresis"], name)
        if bands is None:
            continue
        lines = []
        for (label, (step, mean, sd)), colour in zip(bands.items(), (BLUE, ORANGE, INK)):
            style = {"color": colour, "linestyle": "--" if label == "equilibrium" else "-", "marker": ""}
            lines.append(drawing.Line(label, style, step, mean, mean - sd, mean + sd))
        panels.append(drawing.Panel(_label(sweep, setting), lines))
    caption = f"Means with one standard deviation on either side. {_FIRST}"
    title = f"{name} of the trajectories and of the path"
    return _drawn(panels, "Step k", name, f"{name}-on-the-way", title, caption)
