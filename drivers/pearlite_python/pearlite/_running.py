"""The functions that users call: each makes a model of their functions, and a configuration of their keywords."""

import json
import os
import pathlib
import signal
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core, _ranks
from ._errors import InputError, Stopped
from ._identity import identity_of
from ._results import Result, load
from ._settings import tables_of, toml_of

# Maps points (n, d) to n numbers, or to an array (n, d).
BlockFunction = Callable[[NDArray[numpy.float64]], ArrayLike]
Algorithm = Union[str, dict[str, Any]]

KEPT_FILES = ("posterior.nc", "results.h5")


def _strings(names, what="names"):
    if isinstance(names, str) or not all(isinstance(name, str) for name in names) or not len(names):
        raise InputError(f"{what}: expected a list of one name per coordinate")
    return list(names)


def _described(names, quantities, identity):
    names = _strings(names)
    if quantities is None:
        return _core.Described(names, None, [], identity)
    quantity_names, function = quantities
    return _core.Described(names, function, _strings(quantity_names, "quantities"), identity)


def _drawn_by(draw):
    """draw(rng) as a function of two integers of 64 bits, which are the generator's key."""
    def keyed(a, b):
        return draw(numpy.random.Generator(numpy.random.Philox(key=[a, b])))
    return keyed


def _seconds(value):
    return None if value is None else str(value)


def _outcome(model, task, temporary):
    """Runs a task and reads its result on all ranks."""
    finished, stopped_by, text = _ranks.run(model, task)
    directory = pathlib.Path(task.directory)
    if not finished:
        where = "nothing is kept without output=..." if temporary else f"continue from {directory} with resume=True"
        if stopped_by == signal.SIGINT:
            raise KeyboardInterrupt(f"the run has stopped with a checkpoint; {where}")
        raise Stopped(f"the run has stopped at its limit or by a signal, with a checkpoint; {where}")
    content = None
    if _ranks.rank() == 0:
        is_run = (directory / "summary.json").exists() and not (directory / "sweep.h5").exists()
        content = (json.loads((directory / "summary.json").read_text(encoding="utf-8")) if is_run else {}, text)
    summary, text = _ranks.broadcast(content)
    files = {}
    if temporary and _ranks.rank() == 0:
        files = {name: (directory / name).read_bytes() for name in KEPT_FILES if (directory / name).exists()}
    return Result(summary, text, None if temporary else directory, files)


def _run(model, text, name, base, output, overwrite, resume, time_limit, step_limit, patience, data_dir, progress):
    task = _core.Task()
    task.configuration, task.name, task.base = text, name, str(base)
    task.overwrite, task.resume, task.prints_progress = overwrite, resume, progress
    task.time_limit, task.step_limit, task.patience = _seconds(time_limit), step_limit, _seconds(patience)
    task.data_directory = None if data_dir is None else str(data_dir)
    if output is not None:
        task.directory = os.fspath(output)
        return _outcome(model, task, temporary=False)
    if resume:
        raise InputError("resume=True: expected output, the directory of the run to resume")
    scratch = tempfile.TemporaryDirectory(prefix="pearlite-") if _ranks.rank() == 0 else None
    try:
        task.directory = _ranks.broadcast(scratch and scratch.name)
        task.overwrite = True
        return _outcome(model, task, temporary=True)
    finally:
        if scratch:
            scratch.cleanup()


def _run_functions(model, settings, output=None, overwrite=False, resume=False, time_limit=None, step_limit=None,
                   patience=None, progress=True, **tables):
    for table, keys in tables_of(tables, **settings).items():
        model.tables.setdefault(table, {}).update(keys)
    return _run(model.made, toml_of(model.tables), "the keywords", pathlib.Path.cwd(), output, overwrite, resume,
                time_limit, step_limit, patience, None, progress)


class _Model:
    def __init__(self, made):
        self.made, self.tables = made, {"model": {"name": "python"}}


def sample(log_density: BlockFunction, names: Sequence[str], gradient: Optional[BlockFunction] = None, prior: Any = None,
           *, quantities: Optional[tuple[Sequence[str], BlockFunction]] = None, fingerprint: Any = None,
           algorithm: Algorithm = "smc", particles: Optional[int] = None, seed: Optional[int] = None,
           **settings: Any) -> Result:
    """The posterior, and the log of the integral, of a density that need not be normalised.

    log_density  log_density(x) -> (n,), the log of the density at n points, x of shape (n, d); -inf where it is zero
    names        d names of the coordinates
    gradient     gradient(x) -> (n, d), of log_density; algorithms and fits that follow gradients use it
    prior        the distribution from which annealing starts (pearlite.priors; an object with log_density and draw);
                 None: a Student t distribution near the posterior, which a pilot finds (docs/bridge.md)
    quantities   (names, function): function(x) -> (n, q) is reported in place of the coordinates
    fingerprint  represents functions and data in checkpoints; None: their code, and the arrays they refer to

    x is Pearlite's own memory, read-only and valid during the call: copy what you keep. The number of points differs
    from call to call; a point's value must not depend on its neighbours. Results do not depend on the number of ranks
    if that of the functions does not.

    algorithm    "smc", "annealed-importance", "nonequilibrium", "parallel-tempering", "importance-squared", ...;
                 particles, seed and every other key as in a configuration, by table: algorithm__replicates=8,
                 run={"checkpoint_every": 60}, path__kind="bridge" (docs/keys.md)
    output       directory for checkpoints and results; None: nothing is kept but the result
    overwrite, resume    replace, or resume, the run in that directory
    time_limit, patience seconds or "[D-]HH:MM:SS"; step_limit: steps
    progress     whether progress is printed to the standard error stream

    Collective: all ranks of a job call it with the same arguments. Raises what a function raises, on all ranks;
    InputError, NumericalError, FileError; Stopped at a limit; KeyboardInterrupt after Ctrl-C, with a checkpoint.
    """
    identity = _identity(fingerprint, names, log_density, gradient, prior)
    described = _described(names, quantities, identity)
    if prior is None:
        made = _core.joint_density(described, log_density, gradient)
    else:
        def log_likelihood(x):
            return log_density(x) - prior.log_density(x)

        def along_path(x, b):
            return (1 - b) * prior.gradient(x) + b * gradient(x)
        has_gradient = gradient is not None and hasattr(prior, "gradient")
        made = _core.density(described, prior.log_density, _drawn_by(prior.draw), log_likelihood,
                             along_path if has_gradient else None, False, None)
    return _run_functions(_Model(made), _heads(algorithm, particles, seed), **settings)


def anneal(log_prior: BlockFunction, log_likelihood: Callable[..., ArrayLike],
           draw_prior: Callable[[numpy.random.Generator], ArrayLike], names: Sequence[str],
           gradient: Optional[Callable[[NDArray[numpy.float64], float], ArrayLike]] = None, *, estimated: bool = False,
           quantities: Optional[tuple[Sequence[str], BlockFunction]] = None, exact: Optional[float] = None,
           fingerprint: Any = None, algorithm: Algorithm = "smc", particles: Optional[int] = None,
           seed: Optional[int] = None, **settings: Any) -> Result:
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
    made = _core.density(_described(names, quantities, identity), log_prior, _drawn_by(draw_prior), log_likelihood,
                         gradient, estimated, exact)
    return _run_functions(_Model(made), _heads(algorithm, particles, seed), **settings)


def minimize(energy: BlockFunction, bounds: ArrayLike, gradient: Optional[BlockFunction] = None, *,
             periodic: bool = False, known_minimum: Optional[float] = None, fingerprint: Any = None,
             algorithm: Algorithm = "pisaa", seed: Optional[int] = None, **settings: Any) -> Result:
    """The lowest point of an energy in a box.

    energy    energy(x) -> (n,), x of shape (n, d); +inf where a point is impossible
    bounds    d pairs (lower, upper)
    gradient  gradient(x) -> (n, d), for descents (algorithm__polish=True, kernel__descent_iterations)
    periodic  whether the energy has the period upper - lower in each coordinate, as in angles: descents go round

    algorithm is "pisaa", "psaa", "saa", "sa", ...; everything else is as for sample(). The result has minimum and argmin.
    """
    bounds = numpy.asarray(bounds, float)
    if bounds.ndim != 2 or bounds.shape[1] != 2:
        raise InputError(f"bounds: got shape {bounds.shape}, expected (d, 2)")
    identity = _identity(fingerprint, energy, gradient)
    made = _core.energy(bounds[:, 0].tolist(), bounds[:, 1].tolist(), energy, gradient, periodic,
                        known_minimum, identity)
    return _run_functions(_Model(made), _heads(algorithm, None, seed), **settings)


def run(configuration: Union[str, os.PathLike, dict[str, dict[str, Any]]], *,
        output: Optional[Union[str, os.PathLike]] = None, overwrite: bool = False, resume: bool = False,
        time_limit: Optional[Union[float, str]] = None, step_limit: Optional[int] = None,
        patience: Optional[Union[float, str]] = None, data_dir: Optional[Union[str, os.PathLike]] = None,
        progress: bool = True, **settings: Any) -> Result:
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
                progress)


def _identity(fingerprint, *functions):
    return identity_of(*functions) if fingerprint is None else identity_of(fingerprint)


def _heads(algorithm, particles, seed):
    """The keywords with special names; trajectories and draws are counted as particles."""
    key = {"annealed-importance": "trajectories", "nonequilibrium": "trajectories", "importance-squared": "draws",
           "pseudo-marginal": "chains"}
    name = algorithm.get("name") if isinstance(algorithm, dict) else algorithm
    return {"algorithm": algorithm, "particles_key": key.get(name, "particles"), "particles": particles, "seed": seed}


__all__ = ["anneal", "load", "minimize", "run", "sample"]
