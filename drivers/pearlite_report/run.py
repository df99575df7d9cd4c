"""Contents of a run directory, as plain arrays. Nothing here draws or formats."""

import contextlib
import dataclasses
import json
import pathlib
import tomllib

import h5py
import numpy

from . import stamp
from .predictions.read import read_predictions

SUMMARY_SCHEMA = 1
MAX_IMAGES = 100
MAX_PARAMETERS = 40

# Exceptions of h5py for a file that it cannot read.
UNREADABLE = (OSError, RuntimeError, KeyError, ValueError, TypeError, UnicodeDecodeError)


class ReportError(Exception):
    """The input does not allow a report; the message names the fault and the remedy."""


@dataclasses.dataclass
class Run:
    """One run. Arrays that the run did not record are None; `remarks` names the records that could not be used."""

    directory: pathlib.Path
    summary: dict
    configuration: str = ""
    build: dict = dataclasses.field(default_factory=dict)
    per_step: dict = dataclasses.field(default_factory=dict)  # name -> float64 [number of rows]
    survey: dict = dataclasses.field(default_factory=dict)  # variance_u, tau, ... [temperatures of the survey]
    knots: dict = dataclasses.field(default_factory=dict)  # tau, tau_is_lower_bound, ... [temperatures held]
    log_weight: numpy.ndarray | None = None  # [particles]
    sample_names: list = dataclasses.field(default_factory=list)
    samples: numpy.ndarray | None = None  # [draws, up to MAX_PARAMETERS]
    sample_log_weight: numpy.ndarray | None = None  # [draws]; None: they count equally, or those of the particles
    chain: numpy.ndarray | None = None  # [draws], the Markov chain of each
    n_parameters: int = 0
    images: numpy.ndarray | None = None  # [up to MAX_IMAGES, rows, columns]
    n_images: int = 0
    filters: numpy.ndarray | None = None  # [up to MAX_IMAGES, rows, columns], of a training: weights, 1/2 for 0
    n_filters: int = 0
    training: dict = dataclasses.field(default_factory=dict)  # epoch, free_energy, ... [looks]
    growth: dict = dataclasses.field(default_factory=dict)  # particles, gamma, ... [variables but one, replicates]
    batch_log_ratio: numpy.ndarray | None = None  # [batches]
    predictions: list = dataclasses.field(default_factory=list)  # of Predicted
    work: dict = dataclasses.field(default_factory=dict)  # forward, reverse [trajectories], log_ratio_posterior [draws]
    hysteresis: dict = dataclasses.field(default_factory=dict)  # forward, equilibration, reverse, equilibrium: name -> [n]
    tempering: dict = dataclasses.field(default_factory=dict)  # name -> [temperatures]
    importance: dict = dataclasses.field(default_factory=dict)  # draws, ess, log_ratio [rounds]
    search: dict = dataclasses.field(default_factory=dict)  # iteration [n]; evaluations, best [replicates, n]
    regions: dict = dataclasses.field(default_factory=dict)  # points, theta, visits [replicates, regions]; desired
    operation_names: list = dataclasses.field(default_factory=list)
    operations: dict = dataclasses.field(default_factory=dict)  # acceptance, scales [replicates, operations]
    positions: numpy.ndarray | None = None  # [beads, 2 or 3], of the best state, after a descent if there was one
    graph: str = ""  # the best state for Graphviz
    overlap: numpy.ndarray | None = None  # [states, states]
    states: list = dataclasses.field(default_factory=list)
    edges: dict = dataclasses.field(default_factory=dict)  # probability, standard_error, adjacent, ... [nodes, nodes]
    edge_nodes: list = dataclasses.field(default_factory=list)
    remarks: list = dataclasses.field(default_factory=list)

    def settings(self, section):
        """A section of the configuration as a dictionary; empty if it is absent or the configuration cannot be read."""
        try:
            found = tomllib.loads(self.configuration).get(section)
        except tomllib.TOMLDecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    def summary_of_parameters(self):
        """The entries of the summary's posterior."""
        return [entry for entry in self.summary.get("posterior") or [] if isinstance(entry, dict)]

    def steps_of(self, name):
        """The step of every row of a per-step series."""
        n = len(self.per_step[name])
        step = self.per_step.get("step")
        if step is not None and len(step) == n:
            return step
        # A schedule has one more entry than there are steps: its first is the state before step 1.
        schedule = self.per_step.get("inverse_temperature")
        return numpy.arange(n, dtype=float) + (0.0 if schedule is None or len(schedule) == n else 1.0)

    def inverse_temperatures_of(self, name):
        """The inverse temperature at every row of a per-step series, or None if the run has no schedule."""
        n = len(self.per_step[name])
        schedule = self.per_step.get("inverse_temperature")
        if schedule is None:
            return None
        if len(schedule) == n:
            return schedule
        at = self.steps_of(name)
        if numpy.all(numpy.isfinite(at)) and at.min() >= 0 and at.max() < len(schedule):
            counts_from_zero = n + 1 == len(schedule) and at[0] == 0
            return schedule[at.astype(numpy.int64) + (1 if counts_from_zero else 0)]
        return None


def read_run(directory, state=None):
    """Reads summary.json and results.h5 of a run directory, or of a run without results progress.h5, which its last
    checkpoint has left. `state`: a word for such a run, "running" or "died", else that of its summary. ReportError if
    the files are missing or damaged."""
    directory = pathlib.Path(directory)
    if not directory.exists():
        raise ReportError(f"{directory}: no such directory")
    if not directory.is_dir():
        raise ReportError(f"{directory}: not a directory (name the run directory, not a file in it)")
    results, progress = directory / "results.h5", directory / "progress.h5"
    if progress.exists() and not _has_finished(directory):
        try:
            return _read_unfinished(directory, progress, state)
        except ReportError:
            if not _has_finished(directory):  # else the run has ended meanwhile, and taken the file away
                raise
    if not results.exists():
        raise ReportError(_why_no_results(directory))
    run = Run(directory, _read_summary(directory))
    _read_results(results, run)
    return run


def _has_finished(directory):
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return json.loads((directory / "summary.json").read_text(encoding="utf-8")).get("status") == "finished"
    return False


def _read_unfinished(directory, progress, state):
    run = Run(directory, {})
    _read_results(progress, run)
    with opened(progress) as file:
        run.summary = _summary_of(Contents(file, []).text("summary"), progress)
    if state:
        run.summary["status"] = state
    return run


def read_search(directory):
    """The summary, the configuration and the progress of a run, which many runs of a sweep are read for."""
    directory = pathlib.Path(directory)
    run = Run(directory, _read_summary(directory))
    with opened(directory / "results.h5") as file:
        contents = Contents(file, run.remarks)
        run.configuration = contents.text("configuration")
        _read_progress(contents, run)
    return run


def _why_no_results(directory):
    if any(directory.glob("checkpoint.*.h5")):
        return (
            f"{directory}: no results.h5 yet, and no progress.h5, only checkpoints: the run is not finished. "
            f"Continue it with: pearlite resume {directory}"
        )
    return f"{directory}: no results.h5; this is not the directory of a finished run"


def _read_summary(directory):
    path = directory / "summary.json"
    return read_summary(path, f"{path}: no such file; results.h5 is there, but a report needs both")


def read_summary(path, missing):
    """summary.json of a run or a sweep; `missing` is the message if there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReportError(missing) from None
    except (OSError, ValueError) as error:
        raise ReportError(f"{path}: cannot be read as JSON ({error})") from None
    return _summary_of(text, path)


def _summary_of(text, path):
    try:
        summary = json.loads(text)
    except ValueError as error:
        raise ReportError(f"{path}: cannot be read as JSON ({error})") from None
    if not isinstance(summary, dict):
        raise ReportError(f"{path}: expected one JSON object")
    schema = summary.get("schema")
    if schema != SUMMARY_SCHEMA:
        raise ReportError(f"{path}: schema is {schema!r}, this program reads schema {SUMMARY_SCHEMA}")
    return summary


def _read_results(path, run):
    with opened(path) as file:
        contents = Contents(file, run.remarks)
        run.configuration = contents.text("configuration")
        run.build = {name: contents.value(f"build/{name}") for name in ("version", "compiler", "libraries")}
        run.per_step = read_group(file, contents, "per_step")
        run.survey = read_group(file, contents, "survey/path")
        run.knots = read_group(file, contents, "survey/knots")
        run.log_weight = contents.array("log_weight", 1)
        run.batch_log_ratio = contents.array("batches/log_ratio", 1)
        run.work = read_group(file, contents, "work")
        run.tempering = read_group(file, contents, "tempering")
        for direction in ("forward", "equilibration", "reverse", "equilibrium"):
            run.hysteresis[direction] = read_group(file, contents, f"hysteresis/{direction}")
        run.overlap = contents.array("mbar/overlap", 2)
        run.states = list(numpy.atleast_1d(contents.value("mbar/states") or []))
        run.importance = read_group(file, contents, "importance")
        run.chain = contents.array("samples/chain", 1)
        _read_samples(contents, run)
        run.predictions = read_predictions(file, contents)
        run.images, run.n_images = _read_images(contents, run, "images")
        run.filters, run.n_filters = _read_images(contents, run, "filters")
        run.training = read_group(file, contents, "training")
        run.growth = read_group(file, contents, "growth", 2)
        _read_search(contents, run)


@contextlib.contextmanager
def opened(path):
    """A stamped HDF5 file of kind "results"; ReportError if it is incomplete, or cannot be read."""
    try:
        stamp.verify(path, "results")
        with h5py.File(path, "r") as file:
            yield file
    except stamp.StampError as error:
        raise ReportError(f"{path} is {error}") from None
    except UNREADABLE as error:
        raise ReportError(f"{path}: cannot be read ({error})") from None


def read_group(file, contents, path, dimensions=1):
    """The arrays of a group that are not empty."""
    group = file.get(path)
    arrays = {}
    for name in group if isinstance(group, h5py.Group) else ():
        values = contents.array(f"{path}/{name}", dimensions)
        if values is not None and len(values) > 0:
            arrays[name] = values
    return arrays


def _read_samples(contents, run):
    names = contents.value("samples/names")
    run.sample_names = [names] if isinstance(names, str) else list(names or [])
    run.samples = contents.array("samples/values", 2, columns=MAX_PARAMETERS)
    run.sample_log_weight = contents.array("samples/log_weight", 1)
    if run.samples is None:
        return
    run.n_parameters = contents.shape("samples/values")[1]
    if len(run.sample_names) != run.n_parameters:
        run.remarks.append(
            f"samples/names has {len(run.sample_names)} names for {run.n_parameters} parameters; "
            "parameters are numbered instead"
        )
        run.sample_names = [f"parameter {i + 1}" for i in range(run.n_parameters)]


def _read_images(contents, run, group):
    """The first images of a group, and how many there are."""
    pixels = contents.array(f"{group}/pixels", 2, rows=MAX_IMAGES)
    rows, columns = contents.value(f"{group}/rows"), contents.value(f"{group}/columns")
    if pixels is None or len(pixels) == 0:
        return None, 0
    if rows is None or columns is None or int(rows) * int(columns) != pixels.shape[1]:
        run.remarks.append(
            f"{group}/pixels has {pixels.shape[1]} pixels an image, which is not "
            f"{rows} x {columns}; {group} are left out"
        )
        return None, 0
    return pixels.reshape(len(pixels), int(rows), int(columns)), contents.shape(f"{group}/pixels")[0]


def _read_search(contents, run):
    """Reads the records of searches for low energies."""
    _read_progress(contents, run)
    run.regions = contents.arrays("regions", {"points": 2, "theta": 2, "visits": 2, "desired": 1})
    names = contents.value("operations/names")
    run.operation_names = [names] if isinstance(names, str) else list(names or [])
    run.operations = contents.arrays("operations", {"acceptance": 2, "scales": 2})
    run.positions = contents.array("polished/positions", 2)
    if run.positions is None:
        run.positions = contents.array("best/positions", 2)
    run.graph = contents.text("best/graph")
    run.edges = contents.arrays(
        "edges", {"probability": 2, "standard_error": 2, "adjacent": 2, "adjacent_standard_error": 2}
    )
    run.edge_nodes = list(contents.value("edges/nodes") or []) if run.edges else []


def _read_progress(contents, run):
    run.search = contents.arrays("search", {"iteration": 1, "evaluations": 2, "best": 2})
    if run.search:
        best, iteration = run.search.get("best"), run.search.get("iteration")
        if best is None or iteration is None or run.search.get("evaluations", best).shape != best.shape:
            run.remarks.append("search/ lacks iteration or best, or they do not match; progress is left out")
            run.search = {}
        elif best.shape[1] != len(iteration):
            run.remarks.append(f"search/best has {best.shape[1]} columns for {len(iteration)} iterations; it is left out")
            run.search = {}


class Contents:
    """Lenient access to the datasets of one file: an absent one is None, one of a strange shape gets a remark."""

    def __init__(self, file, remarks):
        self._file = file
        self._remarks = remarks

    def shape(self, name):
        return self._file[name].shape

    def array(self, name, dimensions, rows=None, columns=None):
        """A float64 array with this number of dimensions, at most these numbers of rows and columns of it."""
        dataset = self._file.get(name)
        if not isinstance(dataset, h5py.Dataset):
            return None
        if len(dataset.shape or ()) != dimensions or dataset.dtype.kind not in "fiub":
            self._remarks.append(f"{name} is not a numeric array of {dimensions} dimension(s); it is left out")
            return None
        part = (slice(rows), slice(columns))[:dimensions]
        return numpy.asarray(dataset[part], dtype=numpy.float64)

    def arrays(self, group, dimensions):
        """The arrays of a group that exist and are not empty; `dimensions` has the number of dimensions by name."""
        found = {name: self.array(f"{group}/{name}", n) for name, n in dimensions.items()}
        return {name: values for name, values in found.items() if values is not None and values.size > 0}

    def value(self, name):
        """A scalar or a list; strings are decoded, an array of one element counts as a scalar."""
        dataset = self._file.get(name)
        if not isinstance(dataset, h5py.Dataset) or dataset.shape is None:
            return None
        values = [_plain(item) for item in numpy.asarray(dataset[()]).ravel()]
        return values[0] if len(values) == 1 else values

    def text(self, name):
        value = self.value(name)
        return value if isinstance(value, str) else ""


def _plain(item):
    if isinstance(item, bytes):
        return item.decode("utf-8", errors="replace")
    return item.item() if isinstance(item, numpy.generic) else item
