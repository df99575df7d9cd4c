"""How functions of users take their points: whole blocks or one point at a time; as an array, a dict, or by name.

The compiled part calls with blocks x (n, d), and expects (n,) numbers, or (n, k).
"""

import inspect
import sys
import warnings

import numpy

from . import _ranks
from ._errors import InputError

ARGUMENTS = ("array", "dict", "names")


def names_of(function):
    """The names of a function's arguments if these can be parameters: two or more, none of them optional."""
    try:
        arguments = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if len(arguments) < 2 or any(a.kind != a.POSITIONAL_OR_KEYWORD or a.default is not a.empty for a in arguments):
        return None
    return [argument.name for argument in arguments]


class Form:
    """How the functions of a call take d parameters. `vectorized` and `arguments`: as the user says, or None."""

    def __init__(self, names, vectorized=None, arguments=None):
        if arguments not in (None, *ARGUMENTS):
            raise InputError(f"arguments={arguments!r}: expected one of {', '.join(map(repr, ARGUMENTS))}")
        self.names, self.vectorized, self.arguments = list(names), vectorized, arguments

    def block(self, function, role, points, columns=None, extra=()):
        """A function of whole blocks. `points` (n, d), n > 1 and not d: with them and `extra`, further arguments, it is
        tried once. `columns`: of its result; None: one number a point."""
        if function is None:
            return None
        call = _Call(function, role, self._way(function), self.names, columns)
        vectorized = self.vectorized
        if vectorized is None:
            vectorized = call.takes_blocks(numpy.array(points, float), extra)
        if not vectorized:
            return call.one_by_one
        return function if call.way == "array" else call.together

    def _way(self, function):
        if self.arguments:
            return self.arguments
        return "names" if len(self.names) > 1 and names_of(function) == self.names else "array"


class _Call:
    def __init__(self, function, role, way, names, columns):
        self.function, self.role, self.way, self.names, self.columns = function, role, way, names, columns

    def together(self, x, *extra):
        return self._stacked(self._applied(x.T if self.way != "array" else x, extra), (len(x),))

    def one_by_one(self, x, *extra):
        out = numpy.empty(self._shape(len(x)))
        # Copies, which a function may keep and change.
        points = x.copy() if self.way == "array" else x.tolist()
        extra_of = [[item[i] if isinstance(item, numpy.ndarray) else item for item in extra] for i in range(len(x))] \
            if extra else None
        i = 0
        try:
            if extra_of is None and self.way == "array" and self.columns is None:
                function = self.function
                for i, point in enumerate(points):
                    out[i] = function(point)
            else:
                for i, point in enumerate(points):
                    value = self._stacked(self._applied(point, extra_of[i] if extra_of else ()), ())
                    if self.columns is not None and numpy.shape(value) != (self.columns,):
                        raise self._wrong_value(value)
                    out[i] = value
        except Exception as error:
            self._explain(error, x[i], extra_of[i] if extra_of else ())
            raise
        return out

    def _shape(self, *shape):
        return shape if self.columns is None else (*shape, self.columns)

    def _applied(self, point, extra):
        if self.way == "names":
            return self.function(*point, *extra)
        if self.way == "dict":
            return self.function(dict(zip(self.names, point)), *extra)
        return self.function(point, *extra)

    def _stacked(self, value, shape):
        """A gradient by name, {name: numbers}, as an array."""
        if isinstance(value, dict):
            return numpy.stack([numpy.broadcast_to(value[name], shape) for name in self.names], axis=-1)
        return value

    def _explain(self, error, point, extra):
        """Adds the point, and the shape if it was wrong, to an exception."""
        where = ", ".join(f"{name} = {value:.17g}" for name, value in zip(self.names, point))
        error.add_note(f"{self.role} was called at {where}")
        frame = error.__traceback__.tb_next
        if isinstance(error, (TypeError, ValueError)) and frame is None and self.columns is None:  # not of the function
            value = self._stacked(self._applied(point if self.way == "array" else point.tolist(), extra), ())
            raise self._wrong_value(value) from None

    def _wrong_value(self, value):
        error = TypeError if _shape_of(value) is None else ValueError
        return error(f"{self.role} returned {_described(value)} for one point, expected {self._wanted()}")

    def _wanted(self, n=None):
        shape = self._shape(*(() if n is None else (n,)))
        return "a number" if shape == () else f"an array of shape {_shape_words(shape)}"

    def takes_blocks(self, x, extra):
        """Whether the function takes whole blocks; says so where it takes one point at a time."""
        x.flags.writeable = False
        n, first = len(x), None
        try:
            block = self.together(x, *extra)
        except Exception as error:
            first, block = error, None
        else:
            if _shape_of(block) == self._shape(n):
                self._require_independence(x, extra, block)
                return True
        try:
            point = x[0].copy() if self.way == "array" else x[0].tolist()
            single = self._stacked(self._applied(point, [e[0] if isinstance(e, numpy.ndarray) else e for e in extra]), ())
        except Exception as error:
            if first is None:
                raise self._wrong_shape(block, x, f"raised {type(error).__name__}: {error}") from None
            if hasattr(first, "add_note"):
                first.add_note(f"{self.role} was called with a block of points, x of shape {_shape_words(x.shape)}; with one "
                               f"point, shape {_shape_words(x[0].shape)}, it raised {type(error).__name__}: {error}")
            raise first from None
        shape = _shape_of(single)
        if shape is None or numpy.prod(shape, dtype=int) != numpy.prod(self._shape(), dtype=int):
            if first is not None:
                raise first
            raise self._wrong_shape(block, x, f"returned {_described(single)}")
        if _ranks.rank() == 0:
            came = f"raised {type(first).__name__}" if first is not None else f"returned {_described(block)}"
            warnings.warn(f"{self.role} takes one point at a time: it {came} for a block of {n} points. It is called for each "
                          f"point, as with vectorized=False, which silences this; whole blocks, arrays (n, {x.shape[1]}), "
                          f"are faster", stacklevel=_levels_to_user())
        return False

    def _wrong_shape(self, block, x, otherwise):
        error = TypeError if _shape_of(block) is None else ValueError
        return error(f"{self.role} returned {_described(block)} for a block of {len(x)} points, x of shape "
                     f"{_shape_words(x.shape)}, expected {self._wanted(len(x))}; for one point, shape "
                     f"{_shape_words(x[0].shape)}, it {otherwise}, expected {self._wanted()}")

    def _require_independence(self, x, extra, block):
        alone = self.together(x[:1], *[e[:1] if isinstance(e, numpy.ndarray) else e for e in extra])
        if _shape_of(alone) not in (self._shape(1), self._shape()):  # the latter of functions of scipy.stats
            raise self._wrong_shape(alone, x[:1], "was not called")
        alone = numpy.reshape(numpy.asarray(alone, float), self._shape())
        if not numpy.allclose(alone, numpy.asarray(block, float)[0], rtol=1e-6, equal_nan=True):
            raise ValueError(f"{self.role} returned {alone} for a point alone and {numpy.asarray(block)[0]} "
                             f"for it among {len(x)} points: expected a value that does not depend on other points (sum over "
                             f"axis=1), or vectorized=False for a function of one point")


def _levels_to_user():
    """The stacklevel of a warning in the line of a user that called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def _shape_of(value):
    try:
        return numpy.asarray(value, float).shape if value is not None else None
    except (TypeError, ValueError):
        return None


def _shape_words(shape):
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _described(value):
    shape = _shape_of(value)
    if shape is None:
        return f"{type(value).__name__}, which is no array of numbers" if value is not None else "NoneType"
    return "a number" if shape == () else f"an array of shape {_shape_words(shape)}"
