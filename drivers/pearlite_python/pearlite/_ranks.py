"""Ranks of a job: the number of this rank, and the handling of an exception of one of them."""

import atexit
import pickle
import sys
import traceback

from . import _core
from ._errors import PearliteError, RemoteError

PATIENCE = 2.0  # seconds in which ranks that end alike come to the end


def rank() -> int:
    """The number of this process in its job, from 0; 0 without mpirun."""
    return _core.rank()


def size() -> int:
    """The number of processes of this job; 1 without mpirun."""
    return _core.size()


def _traceback_of(error):
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def _sent(error):
    """The exception as bytes, with its traceback in words."""
    text = _traceback_of(error)
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:  # any class may fail to be pickled, in any way
        pickled = None
    return pickle.dumps((pickled, text))


def _received(message, owner):
    pickled, text = pickle.loads(message)
    note = f"raised on rank {owner} of {size()}:\n\n{text}"
    if pickled is None:
        return RemoteError(note)
    error = pickle.loads(pickled)
    if hasattr(error, "add_note"):
        error.add_note(note)
    return error


def run(model, task):
    """(finished, signal, text). An exception of a function on one rank is raised on all ranks."""
    try:
        return _core.run(model, task)
    except PearliteError as failure:
        # All ranks are here: an error that only some knew of would have ended the job.
        raised = _core.take_raised()
        owner = _core.first_that(raised is not None)
        if owner is None:
            raise
        message = _core.broadcast(_sent(raised) if owner == rank() else b"", owner)
        if raised is None:
            raised = _received(message, owner)
        if hasattr(raised, "add_note"):
            raised.add_note(str(failure))
        raise raised from None


def raise_together(error):
    """Raises an exception of rank 0, or nothing, on all ranks."""
    message = broadcast(None if error is None else _sent(error))
    if error is not None:
        raise error
    if message is not None:
        raise _received(message, 0)


def last_words():
    """Prints the traceback before an exception of this rank alone ends the job."""
    raised = _core.take_raised()
    if raised is not None:
        sys.stderr.write(f"rank {rank()} of {size()}, which ends the job:\n{_traceback_of(raised)}")
        sys.stderr.flush()


def broadcast(value):
    """The value that rank 0 has, on all ranks."""
    if size() == 1:
        return value
    return pickle.loads(_core.broadcast(pickle.dumps(value) if rank() == 0 else b"", 0))


def _finish():
    if not _core.has_begun():
        return
    # A script that has failed on this rank alone would leave the others waiting.
    if getattr(sys, "last_value", None) is not None and size() > 1 and not _core.all_arrive(PATIENCE):
        sys.stderr.flush()
        _core.abort(1)
    _core.finish()


atexit.register(_finish)
