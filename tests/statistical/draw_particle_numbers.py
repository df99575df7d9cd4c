#!/usr/bin/env python3
"""The cost of a given precision over the number of samples of an estimated likelihood: measured, and as Tran, Strickland,
Pitt & Kohn, section 3.4, predict it.

    particle_numbers PASSES | draw_particle_numbers.py FILE.svg

Reads the last table of particle_numbers from standard input. Exit status 0, 2 if there is no such table, 1 if the figure
cannot be written.
"""

import io
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "drivers"))

from figure_command import WrongArguments, write_figure  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from pearlite_report import style  # noqa: E402

# column: (label, format of the points, colour, shift along N that keeps error bars apart)
CURVES = {
    "means, measured time": ("posterior means, measured time", "o", style.BLUE, 0.99),
    "means, tau_0 + tau_1 N": ("posterior means, tau_0 + tau_1 N", "s", style.VERMILLION, 1.01),
}


def choose(arguments):
    if len(arguments) != 1:
        raise WrongArguments
    return arguments[0], lambda: draw(read_table(sys.stdin))


def read_table(lines):
    """Rows of the last table, as {column: text}."""
    head, rows = None, []
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "N":
            head, rows = cells, []
        elif head and len(cells) == len(head) and cells[0].isdigit():
            rows.append(dict(zip(head, cells)))
    if not rows:
        raise ValueError("no rows")
    return rows


def draw(rows):
    sizes = [int(row["N"]) for row in rows]
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(sizes, [float(row["cost, predicted"]) for row in rows], "-", color=style.INK, label="predicted")
    for column, (label, marks, colour, shift) in CURVES.items():
        pairs = [[float(number) for number in row[column].split("±")] for row in rows]
        axes.errorbar([size * shift for size in sizes], [value for value, _ in pairs], [error for _, error in pairs],
                      fmt=marks, color=colour, label=label, markersize=4, capsize=2)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_yticks([1, 1.5, 2, 3], ["1", "1.5", "2", "3"])
    axes.minorticks_off()
    axes.set_xlabel("samples of each subject's effects, N")
    axes.set_ylabel("time for a given precision, relative to the least")
    axes.legend()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


if __name__ == "__main__":
    sys.exit(write_figure("draw_particle_numbers.py", __doc__, choose, sys.argv[1:]))
