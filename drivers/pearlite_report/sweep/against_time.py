"""Samplers at rising budgets: the log of the mean of Z, and the standard deviation of log Z, against the time of a run
(Fraccaro, Paquet & Winther 2016, figures 2 and 4)."""

import dataclasses
import re

import numpy

from .. import numbers, words
from ..style import finish, plain_log_ticks
from . import drawing
from .layout import DASHES, MARKERS, PALETTE, Group, panels

TIME = "timing.wall_seconds"
_VALUE = re.compile(r"log_evidence\..+\.(log_normaliser|log_ratio)\.value")
_BUDGET = re.compile(r"(.*\S) (\d+)")  # a variant's name: a sampler, and how much of it
_FEWEST = 3  # runs that have a standard deviation worth drawing
_FAR = 30  # nats from the value that is known best: a point that would leave the others in one line


def curves(sweep):
    """Both pictures, for the first axis that is a budget: a number outside the model, or variants whose names end in a
    number ("ARM 100", "ARM 1000"), which are one sampler each. Empty where there is none, where no time is asked for
    (`scalars`), or where fewer than two settings have runs enough."""
    if TIME not in sweep.chosen:
        return []
    for axis in sweep.axes:
        if len(sweep.values_of(axis)) < 2 or axis.startswith("model."):
            continue
        if sweep.is_numeric(axis):
            return _drawn(sweep, panels(sweep, axis), lambda number, axis=axis: sweep.settings[number][axis])
        if any(_BUDGET.fullmatch(str(value)) for value in sweep.values_of(axis)):
            return _drawn(sweep, samplers(sweep, axis), lambda number, axis=axis: _parts(sweep, axis, number)[1])
    return []


def samplers(sweep, axis):
    """Panels, one for each combination of the other axes, whose lines are the samplers of this family of variants."""
    others = [other for other in sweep.axes if other != axis and len(sweep.values_of(other)) > 1]
    names = list(dict.fromkeys(_parts(sweep, axis, number)[0] for number in range(len(sweep.settings))))
    found = {}
    for number, setting in enumerate(sweep.settings):
        place = {other: setting[other] for other in others}
        panel = found.setdefault(tuple(place.values()), Group(words.of_setting(place), []))
        name = _parts(sweep, axis, number)[0]
        line = next((line for line in panel.lines if line.label == name), None)
        if line is None:
            k = names.index(name)
            style = {"color": PALETTE[k % len(PALETTE)], "marker": MARKERS[k % len(MARKERS)],
                     "linestyle": DASHES[k // len(PALETTE) % len(DASHES)]}
            line = Group(name, [], style)
            panel.lines.append(line)
        line.settings.append(number)
        panel.settings.append(number)
    return list(found.values())


def _parts(sweep, axis, number):
    """The sampler, and how much of it, of a setting's variant."""
    name = str(sweep.settings[number][axis])
    match = _BUDGET.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, 0)


def log_evidence(sweep, setting):
    """log Z in the runs of a setting, of its first estimate; the ratio to the start's where nothing else is known."""
    found = {}
    for name in [*sweep.chosen, *sweep.columns]:
        match = _VALUE.fullmatch(name)
        if match and match[1] not in found:
            values = sweep.of_runs(name, setting)
            if numpy.isfinite(values).any():
                found[match[1]] = values[numpy.isfinite(values)]
    return found.get("log_normaliser", found.get("log_ratio", numpy.zeros(0)))


def log_of_mean(log_values):
    """The log of the mean of exp, and its standard error."""
    top = log_values.max()
    values = numpy.exp(log_values - top)
    mean = values.mean()
    error = values.std(ddof=1) / numpy.sqrt(len(values)) / mean if len(values) > 1 else numpy.nan
    return float(top + numpy.log(mean)), float(error)


def spread(log_values):
    """The standard deviation, and its standard error if they are normal."""
    sd = float(log_values.std(ddof=1))
    return sd, sd / numpy.sqrt(2 * (len(log_values) - 1))


def _drawn(sweep, groups, budget):
    seconds = sweep.of_settings("mean", TIME)
    means, spreads, counts, far = [], [], [], []
    for panel in groups:
        of_means, of_spreads = [], []
        for line in panel.lines:
            known = [
                (seconds[number], values)
                for number in sorted(line.settings, key=budget)
                if numpy.isfinite(seconds[number]) and len(values := log_evidence(sweep, number)) >= _FEWEST
            ]
            if known:
                counts += [len(values) for _, values in known]
                of_means.append(_line(line, known, log_of_mean))
                of_spreads.append(_line(line, known, spread))
        if of_means:
            near, beyond = _near(of_means)
            far += beyond
            means.append(drawing.Panel(panel.label, near))
            spreads.append(drawing.Panel(panel.label, of_spreads))
    if sum(len(line.x) for panel in means for line in panel.lines) < 2:
        return []
    few, many = min(counts), max(counts)
    runs = numbers.counted(many, "run") if few == many else f"{numbers.plain(few)} to {numbers.counted(many, 'run')}"
    caption = f"{runs} of each setting; bars are one standard error each way."
    names = ", ".join(dict.fromkeys(far))
    beyond = f" Not drawn, because they are more than {_FAR} nats off: points of {names}." if far else ""
    of_means = _pictures(
        means, "log-mean-z", "Log of the mean of Z against time", "log of mean Z (nats)", caption + beyond
    )
    title = "Spread of log Z against time"
    return of_means + _pictures(spreads, "sd-log-z", title, "sd of log Z (nats)", caption, _scale_spread)


def _line(group, known, statistic):
    x = numpy.array([seconds for seconds, _ in known])
    values, errors = numpy.array([statistic(values) for _, values in known]).T
    return drawing.Line(group.label, group.style, x, values, values - errors, values + errors, bars=True)


def _near(lines):
    """The lines without the points that are far from the value with the least error, and the names of those that had
    such points."""
    errors = numpy.concatenate([line.high - line.mean for line in lines])
    if not numpy.isfinite(errors).any():
        return lines, []
    best = numpy.concatenate([line.mean for line in lines])[numpy.nanargmin(errors)]
    kept, names = [], []
    for line in lines:
        is_near = numpy.abs(line.mean - best) <= _FAR
        if not is_near.all():
            names.append(line.label)
        if is_near.any():
            parts = {name: getattr(line, name)[is_near] for name in ("x", "mean", "low", "high")}
            kept.append(dataclasses.replace(line, **parts))
    return kept, names


def _pictures(found, name, title, label, caption, scale_values=None):
    pictures = []
    for part, suffix, remark in drawing.in_figures(found):
        figure = drawing.draw(part, _scale_time, label, scale_values=scale_values)
        shape = "wide" if len(part) > 2 else ""
        pictures.append(finish(figure, f"{name}{suffix}", "evidence", f"{title}{remark}", caption, shape))
    return pictures


def _scale_time(axes):
    axes.set_xlabel("Seconds of a run")
    axes.set_xscale("log")
    plain_log_ticks(axes.xaxis, *axes.get_xlim())


def _scale_spread(axes, _shared):
    axes.set_yscale("log")
    plain_log_ticks(axes.yaxis, *axes.get_ylim())
