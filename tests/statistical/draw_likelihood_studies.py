#!/usr/bin/env python3
"""Figures of the studies of estimated likelihoods.

    mpirun -n RANKS likelihood_studies noise N | draw_likelihood_studies.py noise FILE.svg
    mpirun -n RANKS likelihood_studies ranks N | draw_likelihood_studies.py ranks FILE.svg

`noise`: the share of the effective sample size that noise leaves against the number of steps, beside theorem 1 of Tran,
Strickland, Pitt & Kohn. `ranks`: distribution functions of the ranks of calibration by simulation, less the uniform one.
Exit status 0, 2 for wrong arguments or tables, 1 if the figure cannot be written.
"""

import csv
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "drivers"))

import numpy  # noqa: E402
from figure_command import WrongArguments, write_figure  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from pearlite_report import style  # noqa: E402

COLOURS = (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE)
KOLMOGOROV_99 = 1.628  # 99 % quantile of sqrt(n) max |F_n - F|


def choose(arguments):
    studies = {"noise": (read_noise, draw_noise), "ranks": (read_ranks, draw_ranks)}
    if len(arguments) != 2 or arguments[0] not in studies:
        raise WrongArguments
    read, draw = studies[arguments[0]]
    return arguments[1], lambda: draw(read(csv.DictReader(sys.stdin)))


def read_noise(rows):
    """noise variance -> rows of (steps, theory, measured, standard error)."""
    columns = ("steps", "theory", "measured", "standard_error")
    series = {}
    for row in rows:
        series.setdefault(float(row["noise_variance"]), []).append([float(row[name]) for name in columns])
    if not series:
        raise ValueError("no rows")
    return {variance: numpy.array(points).T for variance, points in series.items()}


def draw_noise(series):
    with style.drawing_style():
        figure = Figure(figsize=(1.9 * style.WIDE[0], 1.1 * style.WIDE[1]))
        share, deviation = figure.subplots(1, 2)
        for k, ((variance, (steps, theory, measured, error)), colour) in enumerate(zip(series.items(), COLOURS)):
            fine = numpy.geomspace(steps[0], steps[-1], 200)
            share.plot(fine, numpy.exp(-variance / fine), color=colour, linewidth=1)
            share.plot(steps, measured, "o", color=colour, markersize=4, label=f"{variance:g}")
            beside = steps * 1.06 ** (k - 1.5)
            deviation.errorbar(
                beside, measured / theory - 1, 3 * error / theory, fmt="o", color=colour, markersize=4, linewidth=1
            )
        deviation.axhline(0, color=style.INK, linewidth=0.7)
        share.set_ylim(0, 1.02)
        share.set_ylabel("ESS ratio; lines: exp(-σ²/T)")
        deviation.set_ylabel("relative deviation, ± 3 standard errors")
        for axes in (share, deviation):
            axes.set_xscale("log")
            axes.set_xticks(steps, [f"{each:g}" for each in steps])
            axes.minorticks_off()
            axes.set_xlabel("steps T")
        share.legend(title="variance σ²", loc="lower right")
        return style.as_svg(figure)


def read_ranks(rows):
    """model -> [(parameter, whether the prior was right, counts of the ranks)]."""
    models = {}
    for row in rows:
        counts = numpy.array([float(each) for each in row["counts"].split()])
        models.setdefault(row["model"], []).append((row["parameter"], row["prior"] == "right", counts))
    if not models:
        raise ValueError("no rows")
    return models


def draw_ranks(models):
    with style.drawing_style():
        figure = Figure(figsize=(1.9 * style.WIDE[0], 1.2 * style.WIDE[1]))
        for axes, (model, curves) in zip(numpy.atleast_1d(figure.subplots(1, len(models), sharey=True)), models.items()):
            names = list(dict.fromkeys(name for name, _, _ in curves))
            for name, right, counts in curves:
                n = counts.sum()
                uniform = numpy.arange(1, len(counts) + 1) / len(counts)
                axes.plot(
                    numpy.arange(len(counts)),
                    numpy.cumsum(counts) / n - uniform,
                    "o-" if right else ":",
                    color=COLOURS[names.index(name) % len(COLOURS)],
                    markersize=3,
                    label=name if right else None,
                )
            limit = KOLMOGOROV_99 / numpy.sqrt(n)
            axes.axhspan(-limit, limit, color=style.PALE_BLUE, alpha=0.3, linewidth=0)
            axes.set_title(model)
            axes.set_xlabel("rank")
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4)
        figure.axes[0].set_ylabel("distribution function less the uniform one")
        return style.as_svg(figure)


if __name__ == "__main__":
    sys.exit(write_figure("draw_likelihood_studies.py", __doc__, choose, sys.argv[1:]))
