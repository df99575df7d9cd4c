"""Functions and priors of users as functions of unbounded coordinates y (n, d), which the compiled part calls."""

import numpy

from . import _core
from ._calls import Form, names_of
from ._distributions import Own, distribution_of
from ._errors import InputError
from ._spaces import constrained


def names_in(names, what="names"):
    if isinstance(names, str) or not all(isinstance(name, str) for name in names) or not len(names):
        raise InputError(f"{what}: expected a list of one name per coordinate")
    return list(names)


def drawn_by(draw):
    """draw(rng) as a function of two integers of 64 bits, which are the generator's key."""
    def keyed(a, b):
        return draw(numpy.random.Generator(numpy.random.Philox(key=[a, b])))
    return keyed


def _count(*dimensions):
    """A number of points for which a block (n, d) is not square, whatever d it has."""
    return next(n for n in range(2, 5) if n not in dimensions)


def draws_of(draw, size, n):
    """n points (n, size) by a function of users."""
    draw = drawn_by(draw)
    points = [numpy.asarray(draw(1, k), float) for k in range(n)]
    for point in points:
        if point.shape != (size,):
            raise ValueError(f"a draw of the prior has shape {point.shape}, expected ({size},), one number per parameter")
    return numpy.stack(points)


class Quantities:
    """Reported by a run: names and function of `quantities`, or the parameters where they are not the coordinates."""

    def __init__(self, quantities, names, parameters, is_plain, form, points):
        self.names, self.function = [], None
        if quantities is not None:
            self.names, function = names_in(quantities[0], "quantities"), quantities[1]
            own = form.block(function, "quantities", points, len(self.names))
            self.function = own if is_plain else lambda y: own(parameters(y))
        elif not is_plain:
            self.names, self.function = names, parameters


def described(names, size, quantities, identity):
    coordinates = names if len(names) == size else [f"y{k}" for k in range(size)]
    return _core.Described(coordinates, quantities.function, quantities.names, identity)


class Problem:
    """A density or a likelihood of named parameters, which have a prior or constraints."""

    def __init__(self, role, function, names, gradient, prior, constraints, quantities, vectorized, arguments):
        if prior is not None and constraints:
            raise InputError("constraints: the prior has them already, expected either")
        names = None if names is None else names_in(names)
        self.prior = None if prior is None else distribution_of(prior, names)
        names = names or (self.prior.names if self.prior else names_of(function))
        if names is None:
            raise InputError("names: not given, expected a list of one name per parameter (or a function of two or more "
                             "arguments, which name them)")
        self.names = names
        self.space = self.prior.space if self.prior else constrained(names, constraints)
        self.parameters = (self.prior or self.space).parameters
        self.size = (self.prior or self.space).size
        self.is_plain = isinstance(self.prior, Own) or (self.space is not None and self.space.is_plain)
        points = self._points(_count(self.size, len(names)))
        form = Form(names, vectorized, arguments)
        self.function = form.block(function, role, points)
        self.slope = form.block(gradient, "gradient", points, len(names))
        self.quantities = Quantities(quantities, names, self.parameters, self.is_plain, form, points)

    def _points(self, n):
        if self.prior is None:
            return self.parameters(numpy.random.Generator(numpy.random.Philox(key=[1, 2])).normal(size=(n, self.size)))
        return numpy.asarray(self.parameters(draws_of(self.prior.draw, self.size, n)))

    def _described(self, identity):
        return described(self.names, self.size, self.quantities, identity)

    def density(self, y):
        """The density of y that belongs to the function, a density of the parameters."""
        return self.function(y) if self.is_plain else self.function(self.parameters(y)) + self.space.log_jacobian(y)

    def density_slope(self, y):
        return self.slope(y) if self.is_plain else self.space.gradient(y, numpy.asarray(self.slope(self.parameters(y))))

    def of_density(self, identity):
        """The function is a density: annealed from the prior, or bridged from where it is."""
        has_slope = self.slope is not None
        if self.prior is None:
            return _core.joint_density(self._described(identity), self.function if self.is_plain else self.density,
                                       (self.slope if self.is_plain else self.density_slope) if has_slope else None)
        if self.space is None:
            raise InputError("prior: a transform of the unit cube has no density to start from; expected log_likelihood=, "
                             "the likelihood alone, in place of log_density")
        prior = self.prior

        def log_likelihood(y):
            return self.density(y) - prior.log_density(y)

        def along_path(y, b):
            return (1 - b) * prior.gradient(y) + b * numpy.asarray(self.density_slope(y))
        return self._annealed(identity, log_likelihood, along_path if has_slope and prior.gradient else None)

    def of_likelihood(self, identity):
        """The function is a likelihood, annealed from the prior."""
        prior = self.prior
        if self.slope is not None and prior.pull is None:
            raise InputError("gradient: a transform of the unit cube has no derivative, expected no gradient or another prior")

        def log_likelihood(y):
            return self.function(self.parameters(y))

        def along_path(y, b):
            return prior.gradient(y) + b * prior.pull(y, numpy.asarray(self.slope(self.parameters(y))))
        return self._annealed(identity, self.function if self.is_plain else log_likelihood,
                              along_path if self.slope is not None and prior.gradient else None)

    def _annealed(self, identity, log_likelihood, gradient):
        return _core.density(self._described(identity), self.prior.log_density, drawn_by(self.prior.draw), log_likelihood,
                             gradient, False, None)


class StanModel:
    """An object with BridgeStan's interface, in its unconstrained coordinates; its parameters are reported."""

    def __init__(self, model):
        self.model, self.size = model, model.param_unc_num()
        self.names = [f"y{k}" for k in range(self.size)]
        self.quantities = ([str(name) for name in model.param_names()], model.param_constrain)

    @staticmethod
    def is_one(value):
        return all(hasattr(value, name) for name in ("param_unc_num", "param_constrain", "log_density", "param_names"))

    def log_density(self, y):
        try:
            return self.model.log_density(y, propto=False, jacobian=True)
        except RuntimeError:  # a statement of the program rejects the point
            return -numpy.inf

    def gradient(self, y):
        try:
            return self.model.log_density_gradient(y, propto=False, jacobian=True)[1]
        except RuntimeError:
            return numpy.zeros(self.size)
