"""The numbers of a sweep as HTML: settings, paired differences, runs."""

import math
import os

import numpy

from .. import elements, numbers, words
from ..elements import Markup, text

_MANY_SETTINGS = 400  # beyond it rows are left out
_MANY_PAIRS = 300
_MANY_RUNS = 2000
_FEW_RUNS = 12  # up to it the table of runs is unfolded
LARGE_T = 3.0


def settings(sweep):
    """Every setting with the means of the chosen scalars."""
    axes = _axes_shown(sweep)
    covered = {
        name for name in sweep.chosen if numpy.isfinite(sweep.of_settings("coverage", name)).any()
    }
    heads = [*map(words.of_key, axes), "runs"] if axes else ["setting", "runs"]
    for name in sweep.chosen:
        heads += [words.of_scalar(name)] + (["coverage"] if name in covered else [])
    done = numpy.bincount(
        sweep.runs["setting"][sweep.runs["finished"] == 1].astype(int), minlength=len(sweep.settings)
    )
    rows = []
    for number in range(min(len(sweep.settings), _MANY_SETTINGS)):
        row = _values(sweep, number, axes) + [numbers.plain(int(done[number]))]
        for name in sweep.chosen:
            row.append(_mean(sweep, name, number, int(done[number])))
            if name in covered:
                row.append(_share(sweep, name, number))
        rows.append(row)
    remark = "Means over the runs of a setting, ± one standard error."
    if covered:
        remark += " Coverage: the share of 95 % intervals that hold the exact value, ± its binomial error."
    body = elements.numeric_table(heads, rows) + elements.note(remark + _fixed(sweep, axes))
    body += elements.note(_left_out(len(sweep.settings), _MANY_SETTINGS, "setting", "settings.csv"))
    return f'<section id="settings">\n<h2>Settings</h2>\n{body}</section>'


def pairs(sweep):
    """Differences of settings whose runs have the same seeds; empty if there are none of the chosen scalars."""
    if not sweep.pairs:
        return ""
    wanted = [sweep.column(name) for name in sweep.chosen]
    found = [
        row for column in wanted for row in numpy.flatnonzero(sweep.pairs["column"] == column)
        if math.isfinite(sweep.pairs["mean_difference"][row])
    ]
    if not found:
        return ""
    heads = ["compared", "other settings", "scalar", "pairs", "difference", "t"]
    body = elements.numeric_table(heads, [_pair(sweep, row) for row in found[:_MANY_PAIRS]])
    body += elements.note(
        "Mean differences of runs with the same seed, ± one standard error; t is the difference in standard errors, "
        f"bold beyond {numbers.plain(LARGE_T)}. Among many comparisons some are large by chance."
    )
    body += elements.note(_left_out(len(found), _MANY_PAIRS, "comparison", "pairs.csv"))
    return f'<section id="pairs">\n<h2>Paired comparisons</h2>\n{body}</section>'


def _pair(sweep, row):
    axis, setting, reference, column = (
        int(sweep.pairs[name][row]) for name in ("axis", "setting", "reference", "column")
    )
    this, other, axis = sweep.settings[setting], sweep.settings[reference], sweep.axes[axis]
    difference, error, t = (float(sweep.pairs[name][row]) for name in ("mean_difference", "standard_error", "t"))
    same = {name: value for name, value in this.items() if name != axis and other[name] == value}
    same = {name: value for name, value in same.items() if name in _axes_shown(sweep)}
    t_text = numbers.fixed(t, 1) if math.isfinite(t) else ""
    return [
        f"{words.of_setting({axis: this[axis]})} less {words.of_value(other[axis])}",
        words.of_setting(same),
        words.of_scalar(sweep.columns[column]),
        numbers.plain(int(sweep.pairs["count"][row])),
        with_error(difference, error),
        Markup(f"<b>{text(t_text)}</b>") if t_text and abs(t) > LARGE_T else t_text,
    ]


def runs(sweep, output):
    """Every run, with a link to its report or to its directory where these are there."""
    axes = _axes_shown(sweep)
    errors = {row.get("run"): row for row in sweep.summary.get("failures") or [] if isinstance(row, dict)}
    heads = ["run", *map(words.of_key, axes), "replicate", "seed", "status", *map(words.of_scalar, sweep.chosen)]
    n_runs = len(sweep.runs["setting"])
    rows = []
    for run in range(min(n_runs, _MANY_RUNS)):
        number, finished = int(sweep.runs["setting"][run]), sweep.runs["finished"][run] == 1
        status = "finished" if finished else "failed" if run in errors else "not run"
        row = [_linked(sweep, run, output), *(words.of_value(sweep.settings[number][axis]) for axis in axes)]
        row += [int(sweep.runs["replicate"][run]), int(sweep.runs["seed"][run]), status]
        rows.append(row + [_single(sweep.runs["values"][run, sweep.column(name)]) for name in sweep.chosen])
    body = elements.numeric_table(heads, rows) + elements.note(_left_out(n_runs, _MANY_RUNS, "run", "runs.csv"))
    body = elements.folded("Each of them", body, n_runs <= _FEW_RUNS)
    return f'<section id="runs">\n<h2>Runs</h2>\n{body}</section>'


def _linked(sweep, run, output):
    name = f"{run:06d}"
    directory = sweep.run_directory(run)
    for place in (output / "runs" / name / "report.html", directory / "report.html", directory):
        if place.exists():
            address = os.path.relpath(place, output).replace(os.sep, "/") + ("/" if place.is_dir() else "")
            return Markup(f'<a href="{text(address)}">{name}</a>')
    return name


def with_error(value, error):
    """A number with its error, one digit or two of it; the number alone if it has none."""
    if not math.isfinite(value):
        return ""
    if not math.isfinite(error) or error <= 0:
        return numbers.plain(value, 6)
    return f"{numbers.with_precision_of(value, error)} ± {numbers.with_precision_of(error, error)}"


def _mean(sweep, name, number, done):
    mean, error, count = (float(sweep.of_settings(what, name)[number]) for what in ("mean", "standard_error", "count"))
    if not math.isfinite(mean):
        return ""
    of = f" ({numbers.plain(int(count))})" if count < done else ""
    return with_error(mean, error if count > 1 else math.nan) + of


def _share(sweep, name, number):
    share, error = (float(sweep.of_settings(what, name)[number]) for what in ("coverage", "coverage_standard_error"))
    if not math.isfinite(share):
        return ""
    return numbers.fixed(share, 3) + (f" ± {numbers.fixed(error, 3)}" if math.isfinite(error) and error > 0 else "")


def _single(value):
    return numbers.plain(float(value), 8) if math.isfinite(value) else ""


def _axes_shown(sweep):
    return [axis for axis in sweep.axes if len(sweep.values_of(axis)) > 1]


def _values(sweep, number, axes):
    return [words.of_value(sweep.settings[number][axis]) for axis in axes] if axes else ["all runs"]


def _fixed(sweep, axes):
    """Axes with a single value are said once, not in every row."""
    single = {axis: value for axis, value in sweep.settings[0].items() if axis not in axes}
    return f" All with {words.of_setting(single)}." if single else ""


def _left_out(count, most, noun, where):
    return "" if count <= most else f"The first {most} of {numbers.counted(count, noun)}; all are in {where}."
