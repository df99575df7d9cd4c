"""Exceptions of this package."""


class PearliteError(Exception):
    """Anything that a run could not do."""


class InputError(PearliteError, ValueError):
    """A key, a file or an argument is wrong; the message names it and says what was expected."""


class FileError(PearliteError, OSError):
    """A file cannot be read or written, is damaged, or does not belong to this run."""


class NumericalError(PearliteError, ArithmeticError):
    """A number that must not arise, NaN above all; the message names step, particle and parameters."""


class Stopped(PearliteError):
    """A limit stopped the run with a checkpoint; the same call with resume=True resumes it."""


class RemoteError(PearliteError):
    """A function raised an exception on another rank that cannot be sent to this one; the message is its traceback."""
