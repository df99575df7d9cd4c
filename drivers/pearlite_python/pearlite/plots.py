"""Figures of results on matplotlib axes, as in reports. Each function takes the axes, or makes them, and returns them.

    axes = pearlite.plots.corner(result)
    axes.figure.savefig("corner.pdf")

Without axes a figure is made in the style of reports: `width` is its width in inches (3.4 for a column of a paper), and
dark=True suits a dark page. Draws are weighted draws. InputError where a result has nothing to draw.
"""

import json
import pathlib
import tempfile

from ._comparison import Comparison
from ._errors import InputError

WIDTH = 4.9  # inches
EXTRA_HEIGHT = 0.45  # inches, of labels, which are as large in narrow figures


def _report_of(result):
    """The result as the modules of the report read it."""
    from ._report import run
    try:
        if result.directory is not None:
            return run.read_run(result.directory)
        with tempfile.TemporaryDirectory() as scratch:
            (pathlib.Path(scratch) / "summary.json").write_text(json.dumps(result.summary), encoding="utf-8")
            (pathlib.Path(scratch) / "results.h5").write_bytes(result._content("results.h5"))
            return run.read_run(scratch)
    except run.ReportError as error:
        raise InputError(str(error)) from None


def _drawn(draw, what, axes, width, dark, height=0.54):
    """draw(axes) on the axes or on new ones; it returns None where there is nothing to draw."""
    from matplotlib.figure import Figure

    from ._report import style
    if axes is not None:
        found = draw(axes)
    else:
        with style.drawing_style(dark):
            axes = Figure(figsize=(width, height * width + EXTRA_HEIGHT)).add_subplot()
            found = draw(axes)
            style.keep_labels_apart(axes.figure)
    if found is None:
        raise InputError(f"the result has no {what} to draw")
    return axes


def corner(result, names=None, *, width=None, dark=False):
    """The parameters in pairs, below their marginal densities; of many those of the strongest correlations, or `names`.
    Returns an array (k, k) of axes."""
    from ._report import parameters, style
    run = _chosen(_report_of(result), names)
    with style.drawing_style(dark):
        found = parameters.pair_grid(run, width, 1, len(names) if names else parameters.most_paired(width))
    if found is None:
        raise InputError("the result has no draws to draw")
    return found.axes


def _chosen(run, names):
    if names is None or run.samples is None:
        return run
    unknown = [name for name in names if name not in run.sample_names]
    if unknown:
        raise InputError(f"{unknown[0]}: no such parameter, expected one of {', '.join(run.sample_names)}")
    columns = [run.sample_names.index(name) for name in names]
    run.samples, run.sample_names, run.n_parameters = run.samples[:, columns], list(names), len(names)
    return run


def path(result, axes=None, *, width=WIDTH, dark=False):
    """The running estimate of log Z along the path, with the final one and its interval."""
    from ._report import along_path
    run = _report_of(result)
    return _drawn(lambda on: along_path.draw_log_ratio(on, run), "estimates along a path", axes, width, dark)


def weights(result, axes=None, *, width=WIDTH, dark=False):
    """The final log weights; a far tail is cut, and the axis says so."""
    from ._report import population
    run = _report_of(result)
    return _drawn(lambda on: population.draw_log_weights(on, run), "weights", axes, width, dark)


def trace(result, name, axes=None, *, width=WIDTH, dark=False):
    """The draws of a parameter by Markov chain, against their number."""
    from ._report import chains
    run = _chosen(_report_of(result), [name])
    return _drawn(lambda on: chains.draw_trace(on, run, 0), "Markov chains", axes, width, dark)


def ranks(result, name, axes=None, *, width=WIDTH, dark=False):
    """Ranks of a parameter's draws among those of all Markov chains, by chain, with the band of chains that mix."""
    from ._report import chains
    run = _chosen(_report_of(result), [name])
    return _drawn(lambda on: chains.draw_ranks(on, run, 0), "several Markov chains", axes, width, dark)


def works(result, axes=None, *, width=WIDTH, dark=False):
    """Works of both directions, whose distributions cross at -log Z/Z_0."""
    from ._report import work
    run = _report_of(result)
    return _drawn(lambda on: work.draw_distributions(on, run), "works of both directions", axes, width, dark)


def overlap(result, axes=None, *, width=WIDTH, dark=False):
    """The overlap matrix of the states of `pearlite mbar`, of pearlite.load()."""
    from ._report import states
    run = _report_of(result)
    return _drawn(lambda on: states.draw_overlap(on, run), "states", axes, width, dark, 0.9)


def energies(result, axes=None, *, width=WIDTH, dark=False):
    """The best energy of a search against its iterations."""
    from ._report.search import progress
    run = _report_of(result)
    return _drawn(lambda on: progress.draw_progress(on, run), "progress of a search", axes, width, dark)


def evidences(comparison, axes=None, *, width=WIDTH, dark=False):
    """Log evidences of pearlite.compare(), the best first, with 95 % intervals."""
    from ._report import estimates
    if not isinstance(comparison, Comparison):
        raise InputError(f"got {type(comparison).__name__}, expected the value of pearlite.compare()")
    rows = [(name, one.value, one.interval) for name, one in zip(comparison.names, comparison.log_evidences)]
    return _drawn(lambda on: estimates.draw_intervals(on, rows), "evidences", axes, width, dark, 0.2 + 0.07 * len(rows))
