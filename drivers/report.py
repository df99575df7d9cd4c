#!/usr/bin/env python3
"""Figures and one HTML page from a run directory.

    report.py DIR [-o OUT]

Writes OUT/report.html (self-contained) and OUT/figures/*; OUT is DIR itself unless -o says otherwise. Prints the path
of the page. Exit status 0, 2 if the input does not allow a report, 1 if the report cannot be made or written.
"""

import argparse
import os
import pathlib
import sys

sys.dont_write_bytecode = True  # the installed directory may be read-only or shared


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="pearlite report", description="Figures and one HTML page from a run directory."
    )
    parser.add_argument("directory", metavar="DIR", help="a run directory with results.h5 and summary.json")
    parser.add_argument("-o", "--output", metavar="OUT", help="where report.html and figures/ go (default: DIR)")
    options = parser.parse_args(arguments)
    try:
        from pearlite_report import figures, page, run
    except ImportError as error:
        return _fail(
            1, f"needs Python with numpy, h5py and matplotlib (Debian: python3-h5py python3-matplotlib): {error}"
        )
    try:
        finished = run.read_run(options.directory)
        pictures = figures.draw_all(finished)
        print(write(finished, pictures, page.render(finished, pictures), options.output or options.directory))
    except run.ReportError as error:
        return _fail(2, error)
    except OSError as error:
        return _fail(1, f"cannot write the report: {error}")
    return 0


def write(run, pictures, text, output):
    """Writes the figures and the page; returns the path of the page. Figures of an earlier report are replaced."""
    output = pathlib.Path(output)
    directory = output / "figures"
    directory.mkdir(parents=True, exist_ok=True)
    for old in [*directory.glob("*.svg"), *directory.glob("*.png")]:
        old.unlink()
    for picture in pictures:
        _write_whole(directory / f"{picture.name}.{picture.suffix}", picture.data)
    _write_whole(output / "report.html", text.encode("utf-8"))
    return output / "report.html"


def _write_whole(path, data):
    """A reader, or a browser that reloads, sees the old file or the new one, never half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)


def _fail(status, message):
    print(f"pearlite report: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
