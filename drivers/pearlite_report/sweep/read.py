"""Contents of a sweep's directory, as plain arrays. Nothing here draws or formats."""

import dataclasses
import difflib
import functools
import json
import math
import pathlib

import h5py
import numpy

from .. import numbers
from ..run import Contents, ReportError, opened, read_summary

NEAREST = 5  # names offered where one does not exist


@dataclasses.dataclass
class Sweep:
    """A finished sweep: S settings of the axes A, R runs, C scalars. NaN: a run, or each of a setting, has none."""

    directory: pathlib.Path
    summary: dict
    axes: list = dataclasses.field(default_factory=list)  # names of keys and of families of variants
    settings: list = dataclasses.field(default_factory=list)  # S times axis -> value; lists are tuples here
    columns: list = dataclasses.field(default_factory=list)  # names of the scalars [C]
    chosen: list = dataclasses.field(default_factory=list)  # those of the columns that are shown
    configuration: str = ""
    build: dict = dataclasses.field(default_factory=dict)
    runs: dict = dataclasses.field(default_factory=dict)  # setting, replicate, seed, finished [R]; values [R, C]
    statistics: dict = dataclasses.field(default_factory=dict)  # count, mean, standard_error, coverage ... [S, C]
    pairs: dict = dataclasses.field(default_factory=dict)  # axis, setting, reference, column, count, t ... [pairs]
    remarks: list = dataclasses.field(default_factory=list)

    @functools.cached_property
    def _place(self):
        return {name: place for place, name in enumerate(self.columns)}

    @property
    def replicates(self):
        """"16", or "up to 16" where variants have fewer."""
        most = self.summary.get("replicates", 1)
        has_fewer = self.summary.get("runs", 0) < most * len(self.settings)
        return ("up to " if has_fewer else "") + numbers.plain(most)

    def column(self, name):
        """The number of a scalar, or None."""
        return self._place.get(name)

    def of_settings(self, statistic, name):
        """[S], such as ("mean", "best.energy"); all NaN if there is no such scalar."""
        at = self.column(name)
        return numpy.full(len(self.settings), numpy.nan) if at is None else self.statistics[statistic][:, at]

    def of_runs(self, name, setting):
        """The values of a scalar in the finished runs of a setting, NaN where a run has none."""
        mine = (self.runs["setting"] == setting) & (self.runs["finished"] == 1)
        at = self.column(name)
        return numpy.full(int(mine.sum()), numpy.nan) if at is None else self.runs["values"][mine, at]

    def is_of_models(self, axis):
        """Whether the settings of an axis are other models or data."""
        return axis.startswith(("model.", "data")) or axis in self.summary.get("model_axes", [])

    def values_of(self, axis):
        """The values of an axis: numbers by size, all else in the order of the configuration."""
        values = list(dict.fromkeys(setting[axis] for setting in self.settings))
        return sorted(values) if self.is_numeric(axis) else values

    def is_numeric(self, axis):
        return all(numbers.is_number(setting[axis]) and math.isfinite(setting[axis]) for setting in self.settings)

    def tied_to(self, axis):
        """The axes whose value that of this axis decides, as where lists march together."""
        return [
            other
            for other in self.axes
            if other != axis
            and len({(setting[axis], setting[other]) for setting in self.settings}) == len(self.values_of(axis))
        ]

    def constant(self, name):
        """The value of a scalar that is the same, but for rounding, in all runs that have it; else None."""
        at = self.column(name)
        values = numpy.zeros(0) if at is None else self.runs["values"][:, at]
        values = values[numpy.isfinite(values)]
        return float(values[0]) if len(values) and numpy.allclose(values, values[0], rtol=1e-12, atol=0) else None

    def run_directory(self, run):
        return self.directory / "runs" / f"{run:06d}"

    def of_first_runs(self, read, complaint):
        """setting -> the result of `read(file, contents)` for results.h5 of the first finished run of each setting with
        a result. Files that cannot be read leave the remark `complaint`, with {run} and {error}."""
        found = {}
        for run in numpy.flatnonzero(self.runs["finished"] == 1):
            setting, results = int(self.runs["setting"][run]), self.run_directory(run) / "results.h5"
            if setting in found or not results.exists():
                continue
            try:
                with opened(results) as file:
                    made = read(file, Contents(file, self.remarks))
            except ReportError as error:
                self.remarks.append(complaint.format(run=run, error=error))
                continue
            if made is not None:
                found[setting] = made
        return dict(sorted(found.items()))


def is_sweep(directory):
    """Whether a directory is one of a sweep, finished or not."""
    directory = pathlib.Path(directory)
    if (directory / "sweep.h5").exists() or any(directory.glob("rows.*.jsonl")):
        return True
    try:
        summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(summary, dict) and summary.get("kind") == "sweep"


def read_sweep(directory):
    """Reads summary.json and sweep.h5. ReportError if either is missing or damaged, or if the sweep is not finished."""
    directory = pathlib.Path(directory)
    summary = _read_summary(directory)
    for name in ("summary.json", "sweep.h5"):
        if not (directory / name).exists():
            raise ReportError(f"{directory / name}: no such file; a report of a sweep needs it")
    sweep = Sweep(directory, summary)
    _read_settings(sweep)
    _read_arrays(directory / "sweep.h5", sweep)
    _choose(sweep)
    return sweep


def require_name(name, known, what):
    """ReportError with the nearest names if a name is not one of those known."""
    known = list(known)
    if name in known:
        return
    last = name.rpartition(".")[2]
    alike = [other for other in known if last and last in other.split(".")]
    nearest = list(dict.fromkeys([*difflib.get_close_matches(name, known, NEAREST, 0.5), *alike]))[:NEAREST]
    hint = f"; nearest: {', '.join(nearest)}" if nearest else f"; there are: {', '.join(known[:NEAREST]) or 'none'}"
    raise ReportError(f"{name}: no such {what}{hint}")


def _read_summary(directory):
    path = directory / "summary.json"
    unfinished = f"the sweep is not finished. Continue it with: pearlite resume {directory}"
    summary = read_summary(path, f"{directory}: no summary.json yet: {unfinished}")
    if summary.get("kind") != "sweep":
        raise ReportError(f"{path}: expected the summary of a sweep (kind is sweep)")
    if summary.get("status") != "finished":
        done = f"{summary.get('finished', '?')} of {summary.get('runs', '?')} runs are done"
        raise ReportError(f"{directory}: {done}, {unfinished}")
    return summary


def _read_settings(sweep):
    path = sweep.directory / "summary.json"
    axes, settings = sweep.summary.get("axes"), sweep.summary.get("settings")
    if not isinstance(axes, list) or not isinstance(settings, list) or not settings:
        raise ReportError(f"{path}: axes and settings are missing")
    for number, setting in enumerate(settings):
        if not isinstance(setting, dict) or set(setting) != set(axes):
            raise ReportError(f"{path}: setting {number} does not have a value for each of the axes")
    sweep.axes = [str(axis) for axis in axes]
    sweep.settings = [{axis: _hashable(setting[axis]) for axis in sweep.axes} for setting in settings]


def _hashable(value):
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return json.dumps(value) if isinstance(value, dict) else value


def _read_arrays(path, sweep):
    with opened(path) as file:
        contents = Contents(file, sweep.remarks)
        sweep.configuration = contents.text("configuration")
        sweep.build = {name: contents.value(f"build/{name}") for name in ("version", "compiler", "libraries")}
        _read_runs(file, sweep, contents)
        _read_statistics(file, sweep)
        _read_pairs(file, sweep)


def _read_runs(file, sweep, contents):
    names = contents.value("runs/columns")
    sweep.columns = [names] if isinstance(names, str) else list(names or [])
    sweep.runs = {name: file[f"runs/{name}"][()] for name in ("setting", "replicate", "seed", "finished")}
    n_runs = len(sweep.runs["setting"])
    for name, values in sweep.runs.items():
        _require_shape(f"runs/{name}", values, (n_runs,))
    sweep.runs["values"] = numpy.asarray(file["runs/values"][()], dtype=float)
    _require_shape("runs/values", sweep.runs["values"], (n_runs, len(sweep.columns)))
    if n_runs and not 0 <= sweep.runs["setting"].min() <= sweep.runs["setting"].max() < len(sweep.settings):
        raise ValueError(f"runs/setting goes beyond the {len(sweep.settings)} settings of summary.json")


def _read_statistics(file, sweep):
    shape = (len(sweep.settings), len(sweep.columns))
    for name in ("count", "mean", "sd", "standard_error", "coverage", "coverage_standard_error"):
        sweep.statistics[name] = numpy.asarray(file[f"settings/{name}"][()], dtype=float)
        _require_shape(f"settings/{name}", sweep.statistics[name], shape)


def _read_pairs(file, sweep):
    """Absent where seeds are separate."""
    group = file.get("pairs")
    if not isinstance(group, h5py.Group) or "axis" not in group:
        return
    pairs = {name: group[name][()] for name in ("axis", "setting", "reference", "column")}
    pairs |= {name: group[name][()] for name in ("count", "mean_difference", "standard_error", "t")}
    for name, values in pairs.items():
        _require_shape(f"pairs/{name}", values, (len(pairs["axis"]),))
    known_of = {"axis": sweep.axes, "setting": sweep.settings, "reference": sweep.settings, "column": sweep.columns}
    for name, known in known_of.items():
        if len(pairs[name]) and not 0 <= pairs[name].min() <= pairs[name].max() < len(known):
            raise ValueError(f"pairs/{name} goes beyond the {len(known)} that there are")
    sweep.pairs = pairs


def _require_shape(name, values, shape):
    if values.shape != shape:
        raise ValueError(f"{name} is of shape {values.shape}, expected {shape}")


def _choose(sweep):
    """The scalars that the configuration chose, those that some run has."""
    for name in sweep.summary.get("scalars") or []:
        if sweep.column(name) is None:
            sweep.remarks.append(f"No run has the scalar {name}")
        else:
            sweep.chosen.append(name)
