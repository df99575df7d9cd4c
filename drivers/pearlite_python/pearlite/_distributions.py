"""Priors of users as distributions of unbounded coordinates y, of which parameters are functions."""

from math import lgamma

import numpy

from ._calls import Form
from ._errors import InputError
from ._spaces import Real, Simplex, Space, interval
from .priors import Normal, Transform, Uniform

STEP = 1e-5  # of central differences of log densities of one coordinate


class _OfOne:
    """A distribution of one parameter with scipy.stats' logpdf, support and rvs."""

    def __init__(self, name, frozen):
        self.names, self.frozen = [name], frozen
        self.part = interval(*map(float, frozen.support()), name)

    def log_density(self, y, parameters):
        with numpy.errstate(divide="ignore"):
            return self.frozen.logpdf(parameters[:, 0]) + self.part.log_jacobian(y)

    def draw(self, rng):
        return self.part.coordinates([self.frozen.rvs(random_state=rng)])

    def gradient(self, y, parameters):
        del parameters
        ends = [self.log_density(moved, self.part.parameters(moved)) for moved in (y + STEP, y - STEP)]
        return ((ends[0] - ends[1]) / (2 * STEP))[:, None]


class _OfNormal:
    def __init__(self, name, mean, sd):
        self.names, self.part, self.normal = [name], Real(), Normal(mean, sd)

    def log_density(self, y, parameters):
        del parameters
        return self.normal.log_density(y)

    def draw(self, rng):
        return self.normal.draw(rng)

    def gradient(self, y, parameters):
        del parameters
        return self.normal.gradient(y)


class _OfUniform:
    def __init__(self, name, low, high):
        self.names, self.part = [name], interval(low, high, name)
        if not numpy.isfinite(high - low):
            raise InputError(f"prior of {name}: got bounds ({low:g}, {high:g}), expected finite ones")
        self._log = -numpy.log(high - low)

    def log_density(self, y, parameters):
        del parameters
        return self._log + self.part.log_jacobian(y)

    def draw(self, rng):
        return self.part.coordinates([rng.uniform(self.part.low, self.part.high)])

    def gradient(self, y, parameters):
        del parameters
        return self.part.gradient(y, numpy.zeros_like(y))


class _OfSimplex:
    """scipy.stats.dirichlet(alpha)."""

    def __init__(self, name, frozen):
        self.alpha = numpy.asarray(frozen.alpha, float)
        self._log = lgamma(self.alpha.sum()) - sum(map(lgamma, self.alpha))
        self.part = Simplex(len(self.alpha))
        self.names = _numbered(name, len(self.alpha))

    def log_density(self, y, parameters):
        return self._log + (self.alpha - 1) @ numpy.log(parameters).T + self.part.log_jacobian(y)

    def draw(self, rng):
        return self.part.coordinates(rng.dirichlet(self.alpha))

    def gradient(self, y, parameters):
        return self.part.gradient(y, (self.alpha - 1) / parameters)


class Product:
    """Independent distributions by name, in coordinates y."""

    def __init__(self, parts):
        self.parts = parts
        self.names = [name for part in parts for name in part.names]
        self.space = Space([part.part for part in parts])
        self.size = self.space.size

    def parameters(self, y):
        return self.space.parameters(y)

    def _pieces(self, y):
        pieces = self.space.pieces(y, self.parameters(y))
        return [(part, piece, own) for part, (_, piece, own) in zip(self.parts, pieces)]

    def log_density(self, y):
        return sum(part.log_density(piece, own) for part, piece, own in self._pieces(y))

    def draw(self, rng):
        return numpy.concatenate([part.draw(rng) for part in self.parts])

    def gradient(self, y):
        return numpy.concatenate([part.gradient(piece, own) for part, piece, own in self._pieces(y)], axis=1)

    def pull(self, y, g):
        """The gradient in y of a function of the parameters."""
        zero = self.space.gradient(y, numpy.zeros_like(g))
        return self.space.gradient(y, g) - zero


class Cube:
    """A transform of the unit cube, in coordinates y of which the cube's are normal probabilities."""

    def __init__(self, transform, names):
        from scipy.special import ndtr
        self.names, self.size, self.space = names, len(names), None
        if transform.dimension is not None:
            self.size = transform.dimension
        self._normal, self._ndtr = Normal(0, 1, self.size), ndtr
        cube = numpy.random.Generator(numpy.random.Philox(key=[1, 2])).uniform(0.2, 0.8, (self.size + 1, self.size))
        self._function = Form([f"u{i}" for i in range(self.size)], transform.vectorized).block(
            transform.function, "the prior transform", cube, len(names))

    def parameters(self, y):
        inside = numpy.clip(self._ndtr(y), numpy.finfo(float).tiny, 1 - numpy.finfo(float).epsneg)
        return numpy.asarray(self._function(inside), float)

    def log_density(self, y):
        return self._normal.log_density(y)

    def draw(self, rng):
        return self._normal.draw(rng)

    def gradient(self, y):
        return self._normal.gradient(y)

    pull = None


class Own:
    """A user's object, in its own coordinates."""

    def __init__(self, prior, names):
        self.names, self.size, self.prior = names, len(names), prior
        self.space = Space([Real()] * self.size)
        self.draw = prior.draw if hasattr(prior, "draw") else prior.sample
        self.log_density = prior.log_density
        self.gradient = getattr(prior, "gradient", None)

    def parameters(self, y):
        return y

    def pull(self, y, g):
        del y
        return g


def _numbered(name, n):
    return [f"{name}[{k + 1}]" for k in range(n)]


def _is_frozen(value):
    return hasattr(value, "logpdf") and hasattr(value, "rvs")


def _part(name, value):
    if isinstance(value, (Normal, Uniform)):
        given = [value.mean, value.sd] if isinstance(value, Normal) else [value.lower, value.upper]
        if len(given[0]) != 1:
            raise InputError(f"prior of {name}: got {len(given[0])} parameters, expected one; several have a name each")
        return (_OfNormal if isinstance(value, Normal) else _OfUniform)(name, *(float(v[0]) for v in given))
    if _is_frozen(value) and hasattr(value, "support"):
        return _OfOne(name, value)
    if _is_frozen(value) and hasattr(value, "alpha"):
        return _OfSimplex(name, value)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return _OfUniform(name, *map(float, value))
    raise InputError(f"prior of {name}: got {type(value).__name__}, expected a distribution such as scipy.stats.norm(0, 5), "
                     f"pearlite.priors.Normal(0, 5), or bounds (low, high)")


class _Frozen:
    """A distribution of scipy.stats with several coordinates, such as multivariate_normal."""

    def __init__(self, frozen):
        self.frozen = frozen

    def log_density(self, x):
        return numpy.reshape(self.frozen.logpdf(x), len(x))

    def draw(self, rng):
        return numpy.reshape(self.frozen.rvs(random_state=rng), -1)


def distribution_of(prior, names):
    """A prior as users write it. `names`: of the parameters, or None where it names them itself."""
    if isinstance(prior, dict):
        found = Product([_part(name, value) for name, value in prior.items()])
    elif isinstance(prior, (list, tuple)) or _is_frozen(prior) and (hasattr(prior, "support") or hasattr(prior, "alpha")):
        prior = prior if isinstance(prior, (list, tuple)) else [prior]
        parts = [_part("x", value) for value in prior]
        given = list(names) if names is not None else _default_names(sum(len(part.names) for part in parts))
        for part in parts:
            part.names, given = given[:len(part.names)], given[len(part.names):]
        found = Product(parts)
    elif isinstance(prior, Transform):
        found = Cube(prior, list(names or prior.names))
    else:
        found = Own(*_named(prior, names))
    if names is not None and list(names) != found.names:
        raise InputError(f"names: got {', '.join(names)}; the prior is of {', '.join(found.names)}: expected the same, "
                         f"in one order")
    return found


def _default_names(n):
    return [f"x{k}" for k in range(n)]


def _named(prior, names):
    if _is_frozen(prior):
        prior = _Frozen(prior)
    if not hasattr(prior, "log_density") or not (hasattr(prior, "draw") or hasattr(prior, "sample")):
        raise InputError(f"prior: got {type(prior).__name__}, expected a dict {{name: distribution}}, a distribution of "
                         f"scipy.stats, pearlite.priors.Transform, or an object with log_density(x) and draw(rng)")
    if names is None:
        point = numpy.reshape((prior.draw if hasattr(prior, "draw") else prior.sample)(numpy.random.default_rng(0)), -1)
        names = _default_names(len(point))
    return prior, list(names)
