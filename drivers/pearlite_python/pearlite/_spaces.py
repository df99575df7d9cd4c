"""Parameters with bounds as functions of unbounded coordinates, with their Jacobians.

A part maps coordinates y (n, size) to parameters (n, width); a Space is a row of parts. The simplex is that of Stan's
reference manual, section "Unit simplex": sticks are broken at inverse logits whose origin is the centre.
"""

import numpy

from ._errors import InputError


class Real:
    size = width = 1

    def parameters(self, y):
        return y

    def log_jacobian(self, y):
        return numpy.zeros(len(y))

    def gradient(self, y, g):
        """The gradient in y of f(parameters(y)) + log_jacobian(y), where g (n, width) is that of f."""
        return g

    def coordinates(self, value):
        return numpy.asarray(value, float)


class Above:
    """Parameters above `bound`, or with sign -1 below it: bound + sign e^y."""

    size = width = 1

    def __init__(self, bound, sign=1):
        self.bound, self.sign = float(bound), sign

    def parameters(self, y):
        value = self.bound + self.sign * numpy.exp(y)
        inside = numpy.nextafter(self.bound, self.sign * numpy.inf)
        return numpy.maximum(value, inside) if self.sign > 0 else numpy.minimum(value, inside)

    def log_jacobian(self, y):
        return y[:, 0]

    def gradient(self, y, g):
        return g * self.sign * numpy.exp(y) + 1

    def coordinates(self, value):
        return numpy.log(self.sign * (numpy.asarray(value, float) - self.bound))


class Between:
    """low + (high - low) / (1 + e^-y)."""

    size = width = 1

    def __init__(self, low, high):
        self.low, self.high = float(low), float(high)

    def _share(self, y):
        return 0.5 * (1 + numpy.tanh(0.5 * y))

    def parameters(self, y):
        value = self.low + (self.high - self.low) * self._share(y)
        return numpy.clip(value, numpy.nextafter(self.low, numpy.inf), numpy.nextafter(self.high, -numpy.inf))

    def log_jacobian(self, y):
        return (numpy.log(self.high - self.low) - numpy.logaddexp(0, y) - numpy.logaddexp(0, -y))[:, 0]

    def gradient(self, y, g):
        share = self._share(y)
        return g * (self.high - self.low) * share * (1 - share) + 1 - 2 * share

    def coordinates(self, value):
        value = numpy.asarray(value, float)
        return numpy.log(value - self.low) - numpy.log(self.high - value)


class Simplex:
    """`width` positive parameters whose sum is 1."""

    def __init__(self, width):
        self.width, self.size = width, width - 1
        self._origin = -numpy.log(numpy.arange(self.size, 0, -1.0))

    def _broken(self, y):
        z = 0.5 * (1 + numpy.tanh(0.5 * (y + self._origin)))
        rest = numpy.cumprod(numpy.column_stack([numpy.ones(len(y)), 1 - z]), axis=1)
        return z, rest

    def parameters(self, y):
        z, rest = self._broken(y)
        return numpy.maximum(numpy.column_stack([rest[:, :-1] * z, rest[:, -1]]), numpy.finfo(float).tiny)

    def log_jacobian(self, y):
        shifted = y + self._origin
        log_rest = numpy.cumsum(-numpy.logaddexp(0, shifted), axis=1)  # after each break
        log_z_and_not = -numpy.logaddexp(0, shifted) - numpy.logaddexp(0, -shifted)
        return log_z_and_not.sum(axis=1) + log_rest[:, :-1].sum(axis=1)

    def gradient(self, y, g):
        z, rest = self._broken(y)
        out = numpy.empty_like(y)
        adjoint = g[:, -1] * rest[:, -1]  # of the log of the stick that is left
        for k in range(self.size - 1, -1, -1):
            piece = g[:, k] * rest[:, k] * z[:, k]
            out[:, k] = piece * (1 - z[:, k]) - adjoint * z[:, k] + 1 - 2 * z[:, k]
            adjoint = adjoint + piece + 1
        return out

    def coordinates(self, value):
        value = numpy.asarray(value, float)
        rest = 1 - numpy.concatenate([[0], numpy.cumsum(value[:-1])[:-1]])
        z = value[:-1] / rest
        return numpy.log(z) - numpy.log1p(-z) - self._origin


class Space:
    def __init__(self, parts):
        self.parts = list(parts)
        self.size, self.width = (sum(getattr(part, what) for part in self.parts) for what in ("size", "width"))
        self.is_plain = all(isinstance(part, Real) for part in self.parts)

    def pieces(self, y, parameters=None):
        """The columns of each part: (part, its y), or (part, its y, its parameters)."""
        at = of = 0
        for part in self.parts:
            piece = (part, y[:, at:at + part.size])
            yield piece if parameters is None else (*piece, parameters[:, of:of + part.width])
            at, of = at + part.size, of + part.width

    def parameters(self, y):
        return y if self.is_plain else numpy.concatenate([part.parameters(piece) for part, piece in self.pieces(y)], axis=1)

    def log_jacobian(self, y):
        return sum(part.log_jacobian(piece) for part, piece in self.pieces(y))

    def gradient(self, y, g):
        return numpy.concatenate([part.gradient(piece, own) for part, piece, own in self.pieces(y, g)], axis=1)


def interval(low, high, name="a parameter"):
    """The part of a parameter between two bounds, each finite or not."""
    low, high = float(low), float(high)
    if not low < high:
        raise InputError(f"{name}: got bounds ({low:g}, {high:g}), expected a lower one below an upper one")
    if numpy.isfinite(low):
        return Between(low, high) if numpy.isfinite(high) else Above(low)
    return Above(high, -1) if numpy.isfinite(high) else Real()


def constrained(names, constraints):
    """The Space of named parameters. `constraints`: {name: "positive" or (low, high), (name, name, ...): "simplex"}."""
    constraints = dict(constraints or {})
    groups = {key: value for key, value in constraints.items() if isinstance(key, tuple)}
    unknown = [name for key in constraints for name in (key if isinstance(key, tuple) else (key,)) if name not in names]
    if unknown:
        raise InputError(f"constraints: {unknown[0]!r} is not a parameter, expected one of {', '.join(names)}")
    parts, at = [], 0
    while at < len(names):
        group = next((key for key in groups if key[0] == names[at]), None)
        if group is not None:
            if groups[group] != "simplex" or list(group) != list(names[at:at + len(group)]) or len(group) < 2:
                raise InputError(f"constraints: {group}: {groups[group]!r}: expected \"simplex\" of neighbouring parameters")
            parts.append(Simplex(len(group)))
            at += len(group)
            continue
        parts.append(_constraint(names[at], constraints.get(names[at])))
        at += 1
    return Space(parts)


def _constraint(name, given):
    if given is None:
        return Real()
    if isinstance(given, str):
        if given == "positive":
            return Above(0)
        raise InputError(f"constraints: {name}={given!r}: expected \"positive\" or (low, high)")
    try:
        low, high = given
    except (TypeError, ValueError):
        raise InputError(f"constraints: {name}={given!r}: expected \"positive\" or (low, high)") from None
    return interval(-numpy.inf if low is None else low, numpy.inf if high is None else high, f"constraints: {name}")
