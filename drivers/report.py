#!/usr/bin/env python3
"""Figures and one HTML page from the directory of a run or of a sweep.

    report.py DIR [-o OUT]
    report.py DIR [-o OUT] [--scalar NAME]... [--against KEY] [--above E] [--runs]      (sweeps)

Writes OUT/report.html (self-contained) and OUT/figures/*; OUT is DIR itself unless -o says otherwise. Prints the path
of the page. Exit status 0, 2 if the input does not allow a report, 1 if the report cannot be made or written.
"""

import os
import site
import sys


def _trusted_places():
    """The path of modules: this file's folder, Python's own folders, those of PYTHONPATH, the user's packages. The
    working directory is excluded under any name: a foreign h5py.py may lie there. The command starts Python isolated
    (-I), which leaves only Python's own folders."""
    here = os.path.realpath(os.getcwd())
    named = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(place)]
    places = [os.path.dirname(os.path.realpath(__file__)), *named, *sys.path, site.getusersitepackages()]
    return [place for place in places if place and os.path.realpath(place) != here]


sys.path[:] = _trusted_places()

import argparse
import pathlib

sys.dont_write_bytecode = True  # the installed directory may be read-only or shared


def main(arguments):
    options = parse(arguments)
    try:
        from pearlite_report import figures, run
        from pearlite_report.sweep import read
    except ImportError as error:
        return _fail(
            1, f"needs Python with numpy, h5py and matplotlib (Debian: python3-h5py python3-matplotlib): {error}"
        )
    if options.modules_only:
        return 0
    try:
        print(of_sweep(options) if read.is_sweep(options.directory) else of_run(options))
    except run.ReportError as error:
        return _fail(2, error)
    except OSError as error:
        return _fail(1, f"cannot write the report: {error}")
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="pearlite report", description="Figures and one HTML page from the directory of a run or of a sweep."
    )
    parser.add_argument("directory", metavar="DIR", help="the directory of a run or of a finished sweep")
    parser.add_argument("-o", "--output", metavar="OUT", help="where report.html and figures/ go (default: DIR)")
    parser.add_argument("--state", metavar="WORD", help="of a run that is not finished: running, stopped, failed or died")
    parser.add_argument("--modules-only", action="store_true", help="only find out whether all modules are there")
    sweeps = parser.add_argument_group("sweeps")
    sweeps.add_argument(
        "--scalar", metavar="NAME", action="append", default=[],
        help="show this scalar, such as diagnostics.ess, instead of the chosen ones; may be repeated",
    )
    sweeps.add_argument("--against", metavar="KEY", help="draw against this swept key alone, such as algorithm.chains")
    sweeps.add_argument("--above", metavar="E", type=float, help="draw distances to E on a logarithmic axis")
    sweeps.add_argument("--runs", action="store_true", help="make the report of every single run too")
    return parser.parse_args(arguments)


def of_run(options):
    """The page of a single run; its path."""
    from pearlite_report import figures, page, run

    for name in ("scalar", "against", "above", "runs"):
        value = getattr(options, name)
        if value is not None and value is not False and value != []:
            raise run.ReportError(f"--{name} is for sweeps; {options.directory} is not the directory of one")
    shown = run.read_run(options.directory, options.state)
    pictures = figures.draw_all(shown)
    return write(pictures, page.render(shown, pictures), options.output or options.directory)


def of_sweep(options):
    """The page of a sweep; its path."""
    from pearlite_report.sweep import figures, page, read, theta

    sweep = read.read_sweep(options.directory)
    theta.add_deviations(sweep)
    wanted = figures.Wanted(options.scalar, options.against, options.above)
    figures.apply(sweep, wanted)
    output = pathlib.Path(options.output or options.directory)
    if options.runs:
        _report_runs(sweep, output)
    pictures = figures.draw_all(sweep, wanted)
    return write(pictures, page.render(sweep, pictures, output), output)


def _report_runs(sweep, output):
    """The page of every run whose directory was kept, in OUT/runs/<number>."""
    from pearlite_report import figures, page, run

    for number in range(len(sweep.runs["setting"])):
        directory = sweep.run_directory(number)
        if not (directory / "results.h5").exists():
            continue
        try:
            finished = run.read_run(directory)
        except run.ReportError as error:
            sweep.remarks.append(f"Run {number} has no report: {error}")
            continue
        pictures = figures.draw_all(finished)
        write(pictures, page.render(finished, pictures), output / "runs" / directory.name)


def write(pictures, text, output):
    """Writes the figures and the page; returns the path of the page. Figures of an earlier report are replaced, as many as
    the list in .report-figures names: others are not the report's."""
    output = pathlib.Path(output)
    directory = output / "figures"
    directory.mkdir(parents=True, exist_ok=True)
    written = output / ".report-figures"
    if written.exists():
        for name in written.read_text(encoding="utf-8").splitlines():
            (directory / pathlib.Path(name).name).unlink(missing_ok=True)
    names = [f"{picture.name}.{picture.suffix}" for picture in pictures]
    for name, picture in zip(names, pictures, strict=True):
        _write_whole(directory / name, picture.data)
    _write_whole(written, "".join(f"{name}\n" for name in names).encode("utf-8"))
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
