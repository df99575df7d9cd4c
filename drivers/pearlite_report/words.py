"""Names in words: algorithms, keys of the configuration, and the scalars of a run, with units where these are known."""

import re

from . import numbers

ALGORITHMS = {
    "annealed-importance": "Annealed importance sampling",
    "smc": "Sequential Monte Carlo",
    "resample-move": "Resample-move",
    "nonequilibrium": "Nonequilibrium work",
    "parallel-tempering": "Parallel tempering",
    "likelihood-constrained": "Likelihood-constrained SMC",
    "importance-squared": "Importance sampling squared",
    "pseudo-marginal": "Pseudo-marginal Metropolis-Hastings",
    "schedule": "Schedule optimisation",
    "contrastive-divergence": "Contrastive divergence",
    "sa": "Simulated annealing",
    "vfsa": "Simulated annealing of a population",
    "saa": "Stochastic approximation annealing",
    "psaa": "Parallel stochastic approximation annealing",
    "asamc": "Annealing stochastic approximation Monte Carlo",
    "aesamc": "Annealing evolutionary stochastic approximation Monte Carlo",
    "pisaa": "Parallel and interacting stochastic approximation annealing",
}

_KEYS = {
    "algorithm.average_from": "Iteration from which averages count",
    "algorithm.lambda": "Preference for low energies (lambda)",
    "model.dimension": "Dimension",
    "model.flips": "Flips at each temperature",
    "model.length": "Length (monomers)",
    "run.block": "Particles of a block",
    "run.seed": "Seed",
    "schedule.steps": "Steps of the schedule",
}
_COUNTED = {key: key[:-1] for key in ("chains", "iterations", "particles", "steps", "replicates")}
_EVIDENCE = re.compile(r"log_evidence\.([^.]+)\.(log_ratio|log_normaliser)(?:\.(.+))?\.(\w+)")
_QUANTILE = re.compile(r"posterior\.(.+)\.quantiles\.(\d+(?:\.\d+)?)")
_POSTERIOR = re.compile(r"posterior\.(.+)\.(\w+)")
_OF_ESTIMATE = {
    "value": "{}",
    "standard_error": "Standard error of {}",
    "low": "Lower end of the 95 % interval, {}",
    "high": "Upper end of the 95 % interval, {}",
    "exact": "Exact {}",
    "z_score": "z score of {}",
}
_OF_PARAMETER = {
    "mean": "Posterior mean of {}",
    "sd": "Posterior standard deviation of {}",
    "mcse": "Monte Carlo error of the posterior mean of {}",
    "ess": "Effective sample size of {}",
    "r_hat": "R-hat of {}",
}
_SCALARS = {
    "best.energy": "Best energy",
    "best.evaluations": "Proposals until the best",
    "best.iteration": "Iteration of the best energy",
    "best.known_minimum": "Known minimum of the energy",
    "diagnostics.ess": "Effective sample size",
    "polished.energy": "Best energy after the descent",
    "polished.energies": "Energies computed in descents",
    "polished.gradients": "Gradients computed in descents",
    "timing.wall_seconds": "Wall time (s)",
    "warnings": "Warnings of a run",
}
_UNITS = {"_seconds": "s", "_bytes": "bytes"}


def title_of(summary):
    algorithm = str(summary.get("algorithm", "unknown algorithm"))
    return f"{summary.get('model', 'unknown model')} \N{MIDDLE DOT} {ALGORITHMS.get(algorithm, algorithm)}"


def of_key(axis):
    """A key of the configuration, or a family of variants, as the label of an axis."""
    if axis in _KEYS or "." not in axis:
        return _KEYS.get(axis) or _spaced(axis).capitalize()
    section, _, key = axis.partition(".")
    words = _spaced(key).capitalize()
    return words if section in ("algorithm", "model") else f"{words} of the {_spaced(section)}"


def of_value(value):
    """A swept value, such as 1000, yes, or metropolis+snooker."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return "+".join(map(of_value, value))
    return numbers.plain(value)


def of_setting(setting):
    """The values of a setting in one line: 4 chains, length 13, VFSA."""
    return ", ".join(_keyed(axis, value) for axis, value in setting.items())


def _keyed(axis, value):
    if "." not in axis:
        return of_value(value)
    key = axis.rpartition(".")[2]
    if key in _COUNTED and numbers.is_number(value):
        return numbers.counted(value, _COUNTED[key])
    return f"{_spaced(key)} {of_value(value)}"


def of_scalar(name):
    """A scalar of a run as the label of an axis, with its unit where that is known."""
    if name in _SCALARS:
        return _SCALARS[name]
    evidence, posterior, quantile = (form.fullmatch(name) for form in (_EVIDENCE, _POSTERIOR, _QUANTILE))
    if evidence:
        estimator, quantity, further, what = evidence.groups()
        symbol = "log Z" if quantity == "log_normaliser" else "log Z / Z₀"
        method = (further or "").removesuffix("interval95").strip(".")
        of = ", ".join(filter(None, [symbol, estimator, _spaced(method)]))
        unit = "" if what == "z_score" else " (nats)"
        return _OF_ESTIMATE.get(what, f"{_spaced(what).capitalize()} of {{}}").format(of) + unit
    if quantile:
        return f"Posterior {numbers.plain(100 * float(quantile[2]), 4)} % quantile of {quantile[1]}"
    if posterior:
        parameter, what = posterior.groups()
        return _OF_PARAMETER.get(what, f"{_spaced(what).capitalize()} of {{}}").format(parameter)
    return _unknown_scalar(name)


def _unknown_scalar(name):
    words = name.removeprefix("diagnostics.").removeprefix("timing.")
    unit = next((unit for ending, unit in _UNITS.items() if words.endswith(ending)), "")
    for ending in _UNITS:
        words = words.removesuffix(ending)
    parts = [_spaced(part) for part in words.split(".")]
    shown = ", ".join([parts[0].capitalize(), *parts[1:]])
    return f"{shown} ({unit})" if unit else shown


def _spaced(name):
    return name.replace("_", " ").replace(".", " ")


def of_estimator(name):
    """The estimator of a scalar of an estimate (and the quantity, if it is not log Z/Z_0); others as in of_scalar()."""
    found = _EVIDENCE.fullmatch(name)
    if not found:
        return of_scalar(name)
    estimator, quantity, further, _ = found.groups()
    parts = [estimator, "log Z" if quantity == "log_normaliser" else "", _spaced(further or "")]
    return ", ".join(filter(None, parts))
