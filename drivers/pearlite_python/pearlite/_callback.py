"""Progress of a run as a function of users sees it."""

import time
import typing

SECONDS_BETWEEN = 0.2


class Progress(typing.NamedTuple):
    """Where a run is; `steps` is 0 where their number is not known, `best_energy` None but for searches."""

    step: int
    steps: int
    inverse_temperature: float
    ess: float
    log_evidence: float
    best_energy: float | None
    temperature: float
    is_pilot: bool
    stage: str


class Callback:
    """The callback of a run. It is asked to go on (True) or not; an exception of it stops the run, too."""

    def __init__(self, function):
        self.function, self.raised, self.has_stopped = function, None, False
        self._next = 0.0

    def __call__(self, *facts):
        if self.has_stopped:
            return False
        now = time.monotonic()
        if now < self._next:
            return True
        try:
            self.has_stopped = self.function(Progress(*facts)) is False
        except BaseException as error:
            self.raised, self.has_stopped = error, True
        self._next = time.monotonic() + SECONDS_BETWEEN
        return not self.has_stopped
