"""Groups of an InferenceData that a user's functions make of the draws: pointwise log likelihoods and predictions."""

import inspect

import numpy

from ._errors import InputError


def _arguments(function, names):
    """How a function of one draw is called: with the parameters that it names, or with all in a dict."""
    wanted = [name for name, p in inspect.signature(function).parameters.items()
              if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.default is p.empty and name != "rng"]
    if wanted and all(name in names for name in wanted):
        return lambda values: ((), {name: values[name] for name in wanted})
    if len(wanted) == 1:
        return lambda values: ((values,), {})
    unknown = ", ".join(name for name in wanted if name not in names)
    raise InputError(f"{function.__name__}: no parameter is called {unknown or '(nothing)'}, expected some of "
                     f"{', '.join(names)}, or one argument that is a dict")


def _variables(found, function):
    """{variable: array} of what a function returned for a draw."""
    found = found if isinstance(found, dict) else {"y": found}
    arrays = {name: numpy.asarray(values) for name, values in found.items()}
    for name, values in arrays.items():
        if values.dtype.kind not in "biuf" or values.ndim == 0:
            raise InputError(f"{function.__name__}: {name} is {values.dtype} of shape {values.shape}, expected an array of "
                             f"numbers, one for each observation")
    return arrays


def of_draws(function, draws, rng=None):
    """{variable: array (chains, draws, ...)}: a function of every draw. `rng`: passed where the function takes one."""
    call = _arguments(function, list(draws))
    more = {"rng": rng} if rng is not None and "rng" in inspect.signature(function).parameters else {}
    chains, length = next(iter(draws.values())).shape[:2]
    found = {}
    for chain in range(chains):
        for draw in range(length):
            arguments, named = call({name: values[chain, draw] for name, values in draws.items()})
            for name, values in _variables(function(*arguments, **named, **more), function).items():
                whole = found.setdefault(name, numpy.empty((chains, length, *values.shape), values.dtype))
                if whole.shape[2:] != values.shape:
                    raise InputError(f"{function.__name__}: {name} has the shape {values.shape} at draw {draw} of chain "
                                     f"{chain}, and had {whole.shape[2:]} before")
                whole[chain, draw] = values
    return found


def as_dataset(variables, is_of_draws):
    """An xarray.Dataset with the dimensions that ArviZ names: chain, draw, y_dim_0, ..."""
    import xarray
    first = ["chain", "draw"] if is_of_draws else []
    return xarray.Dataset({name: ([*first, *(f"{name}_dim_{k}" for k in range(values.ndim - len(first)))], values)
                           for name, values in variables.items()})
