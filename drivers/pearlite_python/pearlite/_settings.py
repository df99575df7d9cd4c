"""Keyword arguments as the tables of a configuration."""

import json
import math
import numbers

import numpy

from ._errors import InputError

TABLES = ("model", "algorithm", "kernel", "schedule", "path", "run", "ladder", "sweep")


def whole(value, name):
    """An integer that may be written as 1e4; None stays."""
    if value is None or isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and float(value).is_integer():
        return int(value)
    raise InputError(f"{name}={value!r}: expected an integer")


def tables_of(settings, algorithm=None, particles_key="particles", particles=None, seed=None):
    """{table: {key: value}} of keyword arguments such as algorithm="smc", run={"seed": 2}, algorithm__particles=4096."""
    tables = {}
    for name, value in {**({} if algorithm is None else {"algorithm": algorithm}), **settings}.items():
        table, _, key = name.partition("__")
        if key:
            tables.setdefault(table, {})[key.replace("__", ".")] = value
        elif isinstance(value, dict):
            tables.setdefault(table, {}).update(value)
        elif table == "algorithm":
            tables.setdefault(table, {})["name"] = value
        else:
            raise InputError(f"{name}={value!r}: expected a table, as in run={{\"seed\": 2}}, or TABLE__KEY, as in "
                             f"algorithm__particles=4096")
    if particles is not None:
        tables.setdefault("algorithm", {})[particles_key] = particles
    if seed is not None:
        tables.setdefault("run", {})["seed"] = seed
    return tables


def _written(value, place):
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return repr(number) if math.isfinite(number) else {math.inf: "inf", -math.inf: "-inf"}.get(number, "nan")
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return "[" + ", ".join(_written(item, place) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_written(item, place)}" for key, item in value.items()) + "}"
    if hasattr(value, "__fspath__"):
        value = value.__fspath__()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    raise InputError(f"{place}: got {type(value).__name__}, expected a number, a text, true or false, or a list of these")


def toml_of(tables):
    """The text of a configuration."""
    lines = []
    for table, keys in tables.items():
        lines.append(f"[{table}]")
        for key, value in keys.items():
            if value is not None:
                lines.append(f"{key} = {_written(value, f'{table}.{key}')}")
        lines.append("")
    return "\n".join(lines)
