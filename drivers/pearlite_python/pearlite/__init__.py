"""Annealed Monte Carlo on clusters: evidences, posteriors and minima of Python functions, with error bars.

    import pearlite
    result = pearlite.sample(log_density, names=["a", "b"])
    print(result)

A script is run by one process, `python3 script.py`, or by many, `mpirun -n 8 python3 script.py`: the functions of this
package are collective, and give the same bits on any number of ranks.
"""

try:
    from . import _core
except ImportError as error:
    from ._missing import why
    raise ImportError(why(error), name="pearlite._core") from None
from . import plots, priors
from ._callback import Progress
from ._comparison import Comparison, compare
from ._errors import FileError, InputError, NumericalError, PearliteError, RemoteError, Stopped
from ._ranks import rank, size
from ._results import Estimate, Parameter, Result, load
from ._running import anneal, minimize, run, sample

__version__ = _core.version

__all__ = ["Comparison", "Estimate", "FileError", "InputError", "NumericalError", "Parameter", "PearliteError",
           "Progress", "RemoteError", "Result", "Stopped", "anneal", "compare", "load", "minimize", "plots", "priors",
           "rank", "run", "sample", "size"]
