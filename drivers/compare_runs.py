#!/usr/bin/env python3
"""Estimators against a setting, from several run directories: as in the figures of Habeck 2017 against K or N.

    compare_runs.py --key schedule.steps [-o FILE.svg] DIR DIR ...

Reads the configuration and summary.json of finished runs and draws every estimator of log Z/Z_0 with its 95 % interval
against the key (on a logarithmic axis), the bounds, and the exact value where it is known. Prints a table. Exit status
0, 2 if the input does not allow it, 1 if the figure cannot be written.
"""

import argparse
import pathlib
import sys
import tomllib

sys.dont_write_bytecode = True


def main(arguments):
    parser = argparse.ArgumentParser(prog="compare_runs.py", description="Estimators against a setting.")
    parser.add_argument("directories", metavar="DIR", nargs="+", help="directories of finished runs")
    parser.add_argument("--key", required=True, help="section.key of the configuration, a number above 0")
    parser.add_argument("-o", "--output", metavar="FILE", default="comparison.svg", help="the figure (comparison.svg)")
    options = parser.parse_args(arguments)
    try:
        from pearlite_report import comparison, run
    except ImportError as error:
        print(f"compare_runs.py: needs Python with numpy, h5py and matplotlib: {error}", file=sys.stderr)
        return 1
    try:
        runs = [run.read_run(directory) for directory in options.directories]
        rows = sorted(((setting(each, options.key), each) for each in runs), key=lambda row: row[0])
        print(comparison.table(rows, options.key))
        pathlib.Path(options.output).write_bytes(comparison.draw(rows, options.key))
    except run.ReportError as error:
        print(f"compare_runs.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"compare_runs.py: cannot write the figure: {error}", file=sys.stderr)
        return 1
    return 0


def setting(finished, key):
    """The number under section.key in the configuration of a run."""
    from pearlite_report.run import ReportError

    try:
        value = tomllib.loads(finished.configuration)
        for name in key.split("."):
            value = value[name]
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        raise ReportError(f"{finished.directory}: its configuration has no {key}") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ReportError(f"{finished.directory}: {key} is {value!r}, expected a number above 0")
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
