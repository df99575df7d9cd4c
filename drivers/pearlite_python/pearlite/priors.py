"""Distributions from which a run can begin: they can be drawn from, and are normalised.

A prior is one of these:

* a dict {name: distribution}, independent: of scipy.stats.norm(0, 5) and its like, scipy.stats.dirichlet, Normal,
  Uniform, or a pair (low, high) of bounds; a list of such distributions
* Transform(function, names), of the unit cube, as nested samplers take it
* an object with `log_density(x)`, x of shape (n, d), which returns (n,) numbers, and `draw(rng)` or `sample(rng)`,
  which returns one point (d,) drawn by a numpy.random.Generator; and, for algorithms that follow gradients,
  `gradient(x)`, which returns (n, d)

Parameters that a distribution bounds are sampled in unbounded coordinates, with the Jacobian: there are no walls.
"""

import numpy


class Normal:
    """Independent normal distributions; `mean` and `sd` are numbers or arrays (d,)."""

    def __init__(self, mean, sd, dimension=None):
        shape = numpy.broadcast_shapes(numpy.shape(mean), numpy.shape(sd), () if dimension is None else (dimension,))
        self.mean, self.sd = (numpy.broadcast_to(numpy.asarray(v, float), shape).reshape(-1).copy() for v in (mean, sd))
        if not numpy.all(self.sd > 0) or not numpy.all(numpy.isfinite(self.mean)):
            raise ValueError("Normal: expected finite means and standard deviations above 0")
        self._constant = -numpy.log(self.sd).sum() - 0.5 * self.sd.size * numpy.log(2 * numpy.pi)

    def log_density(self, x):
        return self._constant - 0.5 * (((x - self.mean) / self.sd) ** 2).sum(axis=1)

    def gradient(self, x):
        return (self.mean - x) / self.sd**2

    def draw(self, rng):
        return rng.normal(self.mean, self.sd)


class Uniform:
    """Independent uniform distributions between `lower` and `upper`, numbers or arrays (d,)."""

    def __init__(self, lower, upper, dimension=None):
        shape = numpy.broadcast_shapes(numpy.shape(lower), numpy.shape(upper), () if dimension is None else (dimension,))
        self.lower, self.upper = (numpy.broadcast_to(numpy.asarray(v, float), shape).reshape(-1).copy()
                                  for v in (lower, upper))
        if not numpy.all(self.lower < self.upper) or not numpy.all(numpy.isfinite(self.upper - self.lower)):
            raise ValueError("Uniform: expected finite lower bounds below upper ones")
        self._value = -numpy.log(self.upper - self.lower).sum()

    def log_density(self, x):
        inside = ((x >= self.lower) & (x <= self.upper)).all(axis=1)
        return numpy.where(inside, self._value, -numpy.inf)

    def gradient(self, x):
        return numpy.zeros_like(x)

    def draw(self, rng):
        return rng.uniform(self.lower, self.upper)


class Transform:
    """The distribution that function(u) has for u uniform in the unit cube, as dynesty's, UltraNest's and MultiNest's
    prior transforms: (d,) to (d,), or (n, d) to (n, d).

    names       names of the parameters, or their number
    dimension   that of the cube, where it is not the number of parameters
    vectorized  whether the function takes blocks (n, d); None: one call finds out
    """

    def __init__(self, function, names, *, dimension=None, vectorized=None):
        self.function, self.dimension, self.vectorized = function, dimension, vectorized
        self.names = [f"x{k}" for k in range(names)] if isinstance(names, int) else list(names)
