"""The functions that users call: each makes a model of their functions, and a configuration of their keywords."""

import json
import os
import pathlib
import signal
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy

from . import _core, _ranks
from ._calls import Form
from ._callback import Bar, Callback, Progress, has_place_for_bar
from ._errors import InputError, Stopped
from ._identity import identity_of
from ._problems import Problem, Quantities, StanModel, described, draws_of, drawn_by, names_in
from ._results import Result, load
from ._settings import tables_of, toml_of, whole

# A function of a block, or of one point, as an array, a dict or arguments (`vectorized`, `arguments`).
PointFunction = Callable[..., Any]
Algorithm = Union[str, dict[str, Any]]

KEPT_FILES = ("posterior.nc", "results.h5")


def _seconds(value):
    return None if value is None else str(value)


def _outcome(model, task, temporary, callback):
    """Runs a task and reads its result on all ranks."""
    bar = Bar() if task.prints_progress and _ranks.rank() == 0 and has_place_for_bar() else None
    task.prints_progress = task.prints_progress and not bar
    watcher = Callback(callback, bar) if (callback is not None or bar) and _ranks.rank() == 0 else None
    if watcher:
        task.set_callback(watcher)
    try:
        finished, stopped_by, text = _ranks.run(model, task)
    finally:
        if bar:
            bar.remove()
    if callback is not None:
        _ranks.raise_together(watcher and watcher.raised)
    directory = pathlib.Path(task.directory)
    if not finished:
        where = "nothing is kept without output=..." if temporary else f"continue from {directory} with resume=True"
        if stopped_by == signal.SIGINT:
            raise KeyboardInterrupt(f"the run has stopped with a checkpoint; {where}")
        by = "by its callback" if _ranks.broadcast(bool(watcher and watcher.has_stopped)) else "at its limit or by a signal"
        raise Stopped(f"the run has stopped {by}, with a checkpoint; {where}")
    content = None
    if _ranks.rank() == 0:
        is_run = (directory / "summary.json").exists() and not (directory / "sweep.h5").exists()
        content = (json.loads((directory / "summary.json").read_text(encoding="utf-8")) if is_run else {}, text)
    summary, text = _ranks.broadcast(content)
    files = {}
    if temporary and _ranks.rank() == 0:
        files = {name: (directory / name).read_bytes() for name in KEPT_FILES if (directory / name).exists()}
    return Result(summary, text, None if temporary else directory, files)


def _run(model, text, name, base, output, overwrite, resume, time_limit, step_limit, patience, data_dir, progress,
         callback):
    task = _core.Task()
    task.configuration, task.name, task.base = text, name, str(base)
    task.overwrite, task.resume, task.prints_progress = overwrite, resume, progress
    task.time_limit, task.patience = _seconds(time_limit), _seconds(patience)
    task.step_limit = whole(step_limit, "step_limit")
    task.data_directory = None if data_dir is None else str(data_dir)
    if output is not None:
        task.directory = os.fspath(output)
        return _outcome(model, task, False, callback)
    if resume:
        raise InputError("resume=True: expected output, the directory of the run to resume")
    scratch = tempfile.TemporaryDirectory(prefix="pearlite-") if _ranks.rank() == 0 else None
    try:
        task.directory = _ranks.broadcast(scratch and scratch.name)
        task.overwrite = True
        return _outcome(model, task, True, callback)
    finally:
        if scratch:
            scratch.cleanup()


def _run_functions(made, settings, output=None, overwrite=False, resume=False, time_limit=None, step_limit=None,
                   patience=None, progress=True, callback=None, **tables):
    configured = {"model": {"name": "python"}}
    for table, keys in tables_of(tables, **settings).items():
        configured.setdefault(table, {}).update(keys)
    return _run(made, toml_of(configured), "the keywords", pathlib.Path.cwd(), output, overwrite, resume,
                time_limit, step_limit, patience, None, progress, callback)


def sample(log_density: Optional[PointFunction] = None, names: Optional[Sequence[str]] = None,
           gradient: Optional[PointFunction] = None, prior: Any = None, *, log_likelihood: Optional[PointFunction] = None,
           constraints: Optional[dict] = None, quantities: Optional[tuple[Sequence[str], PointFunction]] = None,
           vectorized: Optional[bool] = None, arguments: Optional[str] = None, fingerprint: Any = None,
           algorithm: Algorithm = "smc", particles: Optional[float] = None, seed: Optional[int] = None,
           **settings: Any) -> Result:
    """The posterior, and the log of the integral, of a density that need not be normalised; or posterior and evidence of
    a likelihood and a prior.

    log_density     log_density(x) -> (n,), the log of the density at n points, x of shape (n, d); -inf where it is zero.
                    Or an object with BridgeStan's interface
    log_likelihood  in its place, log_likelihood(x) -> (n,): the prior is not in it
    names           d names of the parameters; None: those of the prior, or of the function's arguments
    gradient        gradient(x) -> (n, d), of log_density or log_likelihood; algorithms and fits that follow gradients use it
    prior           beside log_likelihood the prior; beside log_density the distribution from which annealing starts:
                    {name: scipy.stats.norm(0, 5)}, pearlite.priors.Transform, ... (pearlite.priors). None: a Student t
                    distribution near the posterior, which a pilot finds (docs/bridge.md)
    constraints     without a prior: {name: "positive" or (low, high), (name, name, ...): "simplex"}
    quantities      (names, function): function(x) -> (n, q) is reported in place of the parameters
    vectorized      False: functions take one point (d,) and return a number, a gradient (d,); None: a first call finds out
    arguments       "array"; "dict": functions take {name: value}; "names": an argument for each parameter. None: "names"
                    for functions whose arguments are the names, else "array"
    fingerprint     represents functions and data in checkpoints; None: their code, and the arrays they refer to

    x is Pearlite's own memory, read-only and valid during the call: copy what you keep. The number of points differs
    from call to call; a point's value must not depend on its neighbours. Results do not depend on the number of ranks
    if that of the functions does not.

    algorithm    "smc", "annealed-importance", "nonequilibrium", "parallel-tempering", "importance-squared", ...;
                 particles, seed and every other key as in a configuration, by table: algorithm__replicates=8,
                 run={"checkpoint_every": 60}, path__kind="bridge" (docs/keys.md)
    output       directory for checkpoints and results; None: nothing is kept but the result
    overwrite, resume    replace, or resume, the run in that directory
    time_limit, patience seconds or "[D-]HH:MM:SS"; step_limit: steps
    progress     whether progress is printed to the standard error stream: a bar in a terminal and in a notebook, else lines
    callback     callback(progress), a pearlite.Progress, on rank 0 some times a second; False stops the run

    Collective: all ranks of a job call it with the same arguments. Raises what a function raises, on all ranks;
    InputError, NumericalError, FileError; Stopped at a limit; KeyboardInterrupt after Ctrl-C, with a checkpoint.
    """
    if (log_density is None) == (log_likelihood is None):
        raise InputError("expected either log_density or log_likelihood")
    if log_likelihood is not None and prior is None:
        raise InputError("prior: not given, expected one beside log_likelihood")
    identity = _identity(fingerprint, names, log_density, gradient, prior,
                         *([log_likelihood, constraints] if log_likelihood or constraints else []))
    if StanModel.is_one(log_density):
        model = StanModel(log_density)
        names, log_density, gradient, vectorized = model.names, model.log_density, model.gradient, False
        quantities = quantities or model.quantities
    role = "log_density" if log_likelihood is None else "log_likelihood"
    problem = Problem(role, log_density or log_likelihood, names, gradient, prior, constraints, quantities, vectorized,
                      arguments)
    made = (problem.of_density if log_likelihood is None else problem.of_likelihood)(identity)
    return _run_functions(made, _heads(algorithm, particles, seed), **settings)


def anneal(log_prior: PointFunction, log_likelihood: PointFunction,
           draw_prior: Callable[[numpy.random.Generator], Any], names: Sequence[str],
           gradient: Optional[PointFunction] = None, *, estimated: bool = False,
           quantities: Optional[tuple[Sequence[str], PointFunction]] = None, exact: Optional[float] = None,
           vectorized: Optional[bool] = None, arguments: Optional[str] = None, fingerprint: Any = None,
           algorithm: Algorithm = "smc", particles: Optional[float] = None, seed: Optional[int] = None,
           **settings: Any) -> Result:
    """The posterior and the evidence of a prior and a likelihood, annealed from the one to the other.

    log_prior       log_prior(x) -> (n,), normalised; -inf outside its support
    log_likelihood  log_likelihood(x) -> (n,); anything outside the support
    draw_prior      draw_prior(rng) -> (d,), one draw by a numpy.random.Generator
    gradient        gradient(x, b) -> (n, d), of log_prior + b log_likelihood
    estimated       True: the likelihood is an unbiased estimate, log_likelihood(x, keys) with `keys` of shape (n, 2) and
                    type uint64; the estimate of point i takes its random numbers from
                    numpy.random.Generator(numpy.random.Philox(key=keys[i])) alone
    exact           the exact log evidence, where it is known: the result comes with a z-score

    Everything else is as for sample().
    """
    if estimated and gradient is not None:
        raise InputError("gradient: an estimated likelihood has none")
    identity = _identity(fingerprint, names, log_prior, log_likelihood, draw_prior, gradient)
    names = names_in(names)
    form, points = Form(names, vectorized, arguments), draws_of(draw_prior, len(names), 2 if len(names) != 2 else 3)
    log_prior = form.block(log_prior, "log_prior", points)
    keys = (numpy.zeros((len(points), 2), numpy.uint64),) if estimated else ()
    log_likelihood = form.block(log_likelihood, "log_likelihood", points, extra=keys)
    gradient = form.block(gradient, "gradient", points, len(names), (0.5,))
    reported = Quantities(quantities, names, None, True, form, points)
    made = _core.density(described(names, len(names), reported, identity), log_prior, drawn_by(draw_prior),
                         log_likelihood, gradient, estimated, exact)
    return _run_functions(made, _heads(algorithm, particles, seed), **settings)


def minimize(energy: PointFunction, bounds: Any, gradient: Optional[PointFunction] = None, *, periodic: bool = False,
             known_minimum: Optional[float] = None, vectorized: Optional[bool] = None, fingerprint: Any = None,
             algorithm: Algorithm = "pisaa", seed: Optional[int] = None, **settings: Any) -> Result:
    """The lowest point of an energy in a box.

    energy    energy(x) -> (n,), x of shape (n, d); +inf where a point is impossible
    bounds    d pairs (lower, upper)
    vectorized  False: functions take one point (d,); None: a first call finds out
    gradient  gradient(x) -> (n, d), for descents (algorithm__polish=True, kernel__descent_iterations)
    periodic  whether the energy has the period upper - lower in each coordinate, as in angles: descents go round

    algorithm is "pisaa", "psaa", "saa", "sa", ...; everything else is as for sample(). The result has minimum and argmin.
    """
    bounds = numpy.asarray(bounds, float)
    if bounds.ndim != 2 or bounds.shape[1] != 2:
        raise InputError(f"bounds: got shape {bounds.shape}, expected (d, 2)")
    identity = _identity(fingerprint, energy, gradient)
    form = Form([f"x{k}" for k in range(len(bounds))], vectorized, "array")
    shares = numpy.linspace(0.3, 0.6, 2 if len(bounds) != 2 else 3)[:, None]
    points = (1 - shares) * bounds[:, 0] + shares * bounds[:, 1]
    energy = form.block(energy, "energy", points)
    gradient = form.block(gradient, "gradient", points, len(bounds))
    made = _core.energy(bounds[:, 0].tolist(), bounds[:, 1].tolist(), energy, gradient, periodic,
                        known_minimum, identity)
    return _run_functions(made, _heads(algorithm, None, seed), **settings)


def run(configuration: Union[str, os.PathLike, dict[str, dict[str, Any]]], *,
        output: Optional[Union[str, os.PathLike]] = None, overwrite: bool = False, resume: bool = False,
        time_limit: Optional[Union[float, str]] = None, step_limit: Optional[int] = None,
        patience: Optional[Union[float, str]] = None, data_dir: Optional[Union[str, os.PathLike]] = None,
        progress: bool = True, callback: Optional[Callable[[Progress], Any]] = None, **settings: Any) -> Result:
    """Runs a configuration, as the command `pearlite run` does: a TOML file, or its tables as a dict. Further keywords
    replace keys: algorithm__particles=4096. `output` is runs/NAME for a file, and nothing is kept of a dict."""
    if isinstance(configuration, dict):
        tables, name, base = {table: dict(keys) for table, keys in configuration.items()}, "the tables", pathlib.Path.cwd()
    else:
        import tomllib
        name, base = os.fspath(configuration), pathlib.Path(configuration).resolve().parent
        try:
            tables = tomllib.loads(pathlib.Path(configuration).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(f"{name}: no such file, expected a TOML configuration") from None
        except (OSError, ValueError) as error:
            raise InputError(f"{name}: {error}") from None
        output = pathlib.Path("runs", pathlib.Path(configuration).stem) if output is None else output
    for table, keys in tables_of(settings).items():
        tables.setdefault(table, {}).update(keys)
    return _run(None, toml_of(tables), name, base, output, overwrite, resume, time_limit, step_limit, patience, data_dir,
                progress, callback)


def _identity(fingerprint, *functions):
    return identity_of(*functions) if fingerprint is None else identity_of(fingerprint)


def _heads(algorithm, particles, seed):
    """The keywords with special names; trajectories and draws are counted as particles."""
    key = {"annealed-importance": "trajectories", "nonequilibrium": "trajectories", "importance-squared": "draws",
           "pseudo-marginal": "chains"}
    name = algorithm.get("name") if isinstance(algorithm, dict) else algorithm
    return {"algorithm": algorithm, "particles_key": key.get(name, "particles"), "seed": whole(seed, "seed"),
            "particles": whole(particles, "particles")}


__all__ = ["anneal", "load", "minimize", "run", "sample"]
