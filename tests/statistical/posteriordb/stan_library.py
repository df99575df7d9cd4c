"""A compiled Stan program behind BridgeStan's C interface: log densities at points, and coordinates of parameters."""

import ctypes

import numpy

DOUBLES = numpy.ctypeslib.ndpointer(dtype=numpy.double, flags="C_CONTIGUOUS")


class StanLibrary:
    def __init__(self, library, data, seed=1):
        """`data`: JSON, a text. ValueError if the program refuses it."""
        self.lib = ctypes.CDLL(str(library))
        self.lib.bs_model_construct.restype = ctypes.c_void_p
        self.lib.bs_model_construct.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_char_p)]
        self.lib.bs_param_names.restype = ctypes.c_char_p
        self.lib.bs_param_names.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_bool]
        self.lib.bs_param_unc_num.argtypes = [ctypes.c_void_p]
        self.lib.bs_param_unconstrain.argtypes = [ctypes.c_void_p, DOUBLES, DOUBLES, ctypes.POINTER(ctypes.c_char_p)]
        self.lib.bs_param_constrain.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_bool, DOUBLES, DOUBLES,
                                                ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p)]
        self.lib.bs_log_density.argtypes = [ctypes.c_void_p, ctypes.c_bool, ctypes.c_bool, DOUBLES,
                                            ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_char_p)]
        message = ctypes.c_char_p()
        self.model = self.lib.bs_model_construct(data.encode(), seed, ctypes.byref(message))
        if not self.model:
            raise ValueError((message.value or b"the program refuses its data").decode())
        self.dimension = self.lib.bs_param_unc_num(self.model)

    def parameter_names(self):
        """As posteriordb has them: theta[2,1]."""
        names = self.lib.bs_param_names(self.model, False, False).decode().split(",")
        return [f"{name.partition('.')[0]}[{name.partition('.')[2].replace('.', ',')}]" if "." in name else name
                for name in names]

    def unconstrained(self, values):
        """Coordinates (n x dimension) of parameters (n x their number), NaN where they violate constraints."""
        points = numpy.empty((len(values), self.dimension))
        for value, point in zip(numpy.ascontiguousarray(values), points):
            if self.lib.bs_param_unconstrain(self.model, value, point, None) != 0:
                point[:] = numpy.nan
        return points

    def constrained(self, point):
        """Parameters, in the order of their names."""
        values = numpy.empty(len(self.parameter_names()))
        self.lib.bs_param_constrain(self.model, False, False, numpy.ascontiguousarray(point), values, None, None)
        return values

    def log_density(self, point):
        """With all constants and the Jacobian; -inf where the program throws."""
        found = ctypes.c_double()
        failed = self.lib.bs_log_density(self.model, False, True, numpy.ascontiguousarray(point), ctypes.byref(found), None)
        return found.value if failed == 0 and not numpy.isnan(found.value) else -numpy.inf

    def log_densities(self, points):
        return numpy.array([self.log_density(point) for point in points])
