#!/usr/bin/env python3
"""Bias and spread of the estimators of nonequilibrium work against the number of steps: Habeck 2017, figure 2.

    mpirun -n RANKS work_studies figure REPLICATES | draw_work_estimators.py FILE.svg

Reads the table of work_studies from standard input. Exit status 0, 2 if that is no such table, 1 if the figure cannot be
written.
"""

import csv
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "drivers"))

from figure_command import WrongArguments, write_figure  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from pearlite_report import style  # noqa: E402

# estimator: (label, format of the line, colour). The histogram estimator lies on BAR, hence rings and no line.
CURVES = {
    "cumulant-forward": ("cumulant, forward", "s--", style.BLUE),
    "cumulant-reverse": ("cumulant, reverse", "s--", style.GREEN),
    "cumulant-both": ("cumulant, both", "s--", style.GREY),
    "jarzynski-forward": ("Jarzynski, forward", "o-", style.BLUE),
    "jarzynski-reverse": ("Jarzynski, reverse", "o-", style.GREEN),
    "bar": ("BAR", "o-", style.VERMILLION),
    "histogram": ("histogram", "o", style.INK),
}

TICKS = (5, 10, 20, 50, 100, 200)  # not all steps: their labels would touch


def choose(arguments):
    if len(arguments) != 1:
        raise WrongArguments
    return arguments[0], lambda: draw(read_table(sys.stdin))


def read_table(lines):
    """estimator -> [(steps, mean error, its standard error, standard deviation)]; every estimator has rows."""
    rows = {name: [] for name in CURVES}
    for row in csv.DictReader(lines):
        numbers = (row["mean_error"], row["standard_error"], row["standard_deviation"])
        rows[row["estimator"]].append((int(row["steps"]), *map(float, numbers)))
    if not all(rows.values()):
        raise ValueError("estimators without rows")
    return rows


def draw(rows):
    """The figure, as SVG."""
    with style.drawing_style():
        figure = Figure(figsize=(1.9 * style.WIDE[0], 1.1 * style.WIDE[1]))
        bias, spread = figure.subplots(1, 2)
        for name, (label, line, colour) in CURVES.items():
            steps, error, uncertainty, deviation = zip(*rows[name])
            look = {"color": colour, "markersize": 4, "linewidth": 1.0}
            if name == "histogram":
                look |= {"markersize": 7, "markerfacecolor": "none", "linewidth": 0}
            bias.errorbar(steps, error, [2 * each for each in uncertainty], fmt=line, label=label, **look)
            spread.plot(steps, deviation, line, **look)
        bias.axhline(0, color=style.INK, linewidth=0.7)
        bias.set_yscale("symlog", linthresh=0.1)  # linear between -0.1 and 0.1
        bias.set_ylim(bottom=-0.3)
        bias.set_ylabel("mean error (nats), ± 2 standard errors")
        spread.set_yscale("log")
        spread.set_ylabel("standard deviation (nats)")
        for axes in (bias, spread):
            axes.set_xscale("log")
            axes.set_xticks(TICKS, [str(each) for each in TICKS])
            axes.minorticks_off()
            axes.set_xlabel("steps K")
        spread.legend(*bias.get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1, 0.5))
        return style.as_svg(figure)


if __name__ == "__main__":
    sys.exit(write_figure("draw_work_estimators.py", __doc__, choose, sys.argv[1:]))
