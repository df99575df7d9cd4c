#!/usr/bin/env python3
"""Figures of searches for low energies, in the style of Karagiannis et al. 2017.

    mpirun -n RANKS search_studies efficiency REPLICATES | draw_searches.py efficiency FILE.svg
    draw_searches.py progress FILE.svg MINIMUM LABEL=RESULTS.h5 ...

`efficiency` draws squared errors of the regions' log masses against the number of chains at equal cost, beside lines of
slope gain power - 1 (figure 4.1d). `progress` draws mean gaps to the known minimum over replicates, with two standard
errors, against the iterations (figures 4.7b and 4.8b). Exit status 0, 2 for wrong arguments or tables, 1 if the figure
cannot be written.
"""

import csv
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "drivers"))

import h5py  # noqa: E402
import numpy  # noqa: E402
from figure_command import WrongArguments, write_figure  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from pearlite_report import style  # noqa: E402

COLOURS = (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE, style.GREY, style.INK)


def choose(arguments):
    if len(arguments) == 2 and arguments[0] == "efficiency":
        return arguments[1], lambda: draw_efficiency(read_efficiency(sys.stdin))
    if len(arguments) >= 4 and arguments[0] == "progress":
        return arguments[1], lambda: draw_progress(float(arguments[2]), [read_progress(each) for each in arguments[3:]])
    raise WrongArguments


def read_efficiency(lines):
    """gain power -> [(chains, median squared error)] for two chains and more."""
    rows = {}
    for row in csv.DictReader(lines):
        if int(row["chains"]) > 1:
            rows.setdefault(float(row["gain_power"]), []).append(
                (int(row["chains"]), float(row["median_square_error"]))
            )
    if not rows:
        raise ValueError("no rows")
    return rows


def draw_efficiency(rows):
    with style.drawing_style():
        figure = Figure(figsize=(1.4 * style.WIDE[0], 1.1 * style.WIDE[1]))
        axes = figure.subplots()
        for (power, points), colour in zip(sorted(rows.items()), COLOURS):
            chains, errors = (numpy.array(each) for each in zip(*points))
            relative = errors / errors[0]
            axes.plot(chains, relative, "o", color=colour, markersize=4, label=f"{power:g}")
            # The line of the theory through the middle of the points.
            theory = chains ** (power - 1.0)
            axes.plot(
                chains, theory * numpy.exp(numpy.mean(numpy.log(relative / theory))), "--", color=colour, linewidth=1
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(chains, [str(each) for each in chains])
        axes.minorticks_off()
        axes.set_xlabel("chains, at equal cost")
        axes.set_ylabel("median squared error / that of 2 chains")
        axes.legend(title="gain power", loc="center left", bbox_to_anchor=(1, 0.5))
        return style.as_svg(figure)


def read_progress(argument):
    """(label, iterations, best energies of all replicates)."""
    label, file = argument.split("=", 1)
    with h5py.File(file) as results:
        iterations, best = results["search/iteration"][:], results["search/best"][:]
    if best.shape != (len(best), len(iterations)):
        raise ValueError(f"{file}: search/best is {best.shape}, but search/iteration has {len(iterations)} numbers")
    return label, iterations, best


def draw_progress(minimum, curves):
    with style.drawing_style():
        figure = Figure(figsize=(1.4 * style.WIDE[0], 1.1 * style.WIDE[1]))
        axes = figure.subplots()
        for (label, iterations, best), colour in zip(curves, COLOURS):
            gaps = 100 * (best - minimum) / abs(minimum)
            gaps[gaps < 1e-6] = 0  # the known minimum is rounded
            mean = gaps.mean(axis=0)
            axes.plot(iterations, mean, color=colour, label=label)
            if len(gaps) > 1:
                error = 2 * gaps.std(axis=0, ddof=1) / numpy.sqrt(len(gaps))
                axes.fill_between(
                    iterations, numpy.maximum(mean - error, 0.1 * mean), mean + error, color=colour, alpha=0.2
                )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("iterations")
        axes.set_ylabel("mean gap to the minimum, %")
        axes.legend()
        return style.as_svg(figure)


if __name__ == "__main__":
    sys.exit(write_figure("draw_searches.py", __doc__, choose, sys.argv[1:]))
