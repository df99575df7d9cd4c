#!/usr/bin/env python3
"""Several finished runs in one figure, and a table.

    compare_runs.py --key schedule.steps [-o FILE.svg] DIR DIR ...

Runs with estimates: every estimator of log Z/Z_0 with its 95 % interval against the key of the configuration (on a
logarithmic axis), the bounds, and the exact value where it is known, as in the figures of Habeck 2017 against K or N.

    compare_runs.py [--against iterations|evaluations] [--above E] [-o FILE.svg] DIR DIR ...
    compare_runs.py --key algorithm.chains [--above E] [-o FILE.svg] DIR DIR ...

Searches for low energies: the mean best energy of the replicates of each algorithm and setting so far, with bands of two
standard errors, or at the end against the key, as in the figures 4.2 and 4.3 of Karagiannis et al. 2017. Replicates of
runs that differ in nothing but their seeds count together. With --above, distances to that energy on a logarithmic axis.

Exit status 0, 2 if the input does not allow it, 1 if the figure cannot be written.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True


def main(arguments):
    options = parse(arguments)
    try:
        from pearlite_report import run
    except ImportError as error:
        print(f"compare_runs.py: needs Python with numpy, h5py and matplotlib: {error}", file=sys.stderr)
        return 1
    try:
        text, figure = compare([run.read_run(directory) for directory in options.directories], options)
        pathlib.Path(options.output).write_bytes(figure)
        print(text)
    except run.ReportError as error:
        print(f"compare_runs.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"compare_runs.py: cannot write the figure: {error}", file=sys.stderr)
        return 1
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(prog="compare_runs.py", description="Several finished runs in one figure.")
    parser.add_argument("directories", metavar="DIR", nargs="+", help="directories of finished runs")
    parser.add_argument("--key", help="section.key of the configuration, a number above 0: runs are drawn against it")
    parser.add_argument(
        "--against",
        choices=("iterations", "evaluations"),
        help="searches without --key: what the progress is drawn against (iterations)",
    )
    parser.add_argument(
        "--above", type=float, metavar="E", help="searches: distances to this energy, on a logarithmic axis"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="comparison.svg", help="the figure (comparison.svg)")
    options = parser.parse_args(arguments)
    if options.key and options.against:
        parser.error("--key and --against exclude each other")
    return options


def compare(runs, options):
    """The table and the figure of these runs."""
    from pearlite_report import comparison
    from pearlite_report.run import ReportError
    from pearlite_report.search import comparison as search_comparison
    from pearlite_report.search import comparison_figures as search_figures

    searches = [bool(each.summary.get("replicates")) for each in runs]
    if any(searches) and not all(searches):
        raise ReportError(f"{runs[searches.index(False)].directory} is no search, but others are")
    if not any(searches) and options.key is None:
        raise ReportError("the runs are no searches: --key says what their estimates are drawn against")
    values = [setting(each, options.key) for each in runs] if options.key else None
    if not any(searches):
        rows = sorted(zip(values, runs), key=lambda row: row[0])
        return comparison.table(rows, options.key), comparison.draw(rows, options.key)
    rows = search_comparison.contenders(runs, values, options.key)
    if options.key:
        figure = search_figures.draw_against(rows, options.key, options.above)
    else:
        figure = search_figures.draw_progress(rows, options.against or "iterations", options.above)
    return search_comparison.table(rows, options.key), figure


def setting(finished, key):
    """The number under section.key in the configuration of a run."""
    from pearlite_report.run import ReportError

    section, _, name = key.partition(".")
    value = finished.settings(section).get(name)
    if value is None:
        raise ReportError(f"{finished.directory}: its configuration has no {key}")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ReportError(f"{finished.directory}: {key} is {value!r}, expected a number above 0")
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
