"""Progress of a run as a function of users sees it."""

import sys
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
    """Watches a run for the user's callback, or None, and a progress bar, or None. It is asked to go on (True) or not; an
    exception of the callback stops the run, too."""

    def __init__(self, function, bar):
        self.function, self.bar, self.raised, self.has_stopped = function, bar, None, False
        self._next = 0.0

    def __call__(self, *facts):
        if self.has_stopped:
            return False
        now = time.monotonic()
        if now < self._next:
            return True
        progress = Progress(*facts)
        if self.bar:
            self.bar.show(progress)
        try:
            self.has_stopped = self.function is not None and self.function(progress) is False
        except BaseException as error:
            self.raised, self.has_stopped = error, True
        self._next = time.monotonic() + SECONDS_BETWEEN
        return not self.has_stopped


def has_place_for_bar():
    """Whether the standard error stream is a terminal, or the output of a notebook's cell."""
    if sys.stderr is None:
        return False
    return sys.stderr.isatty() or "ipykernel" in type(sys.stderr).__module__


class Bar:
    """One line of the standard error stream, which is drawn over itself and removed at the end."""

    WIDTH = 24  # characters

    def __init__(self):
        self._begun, self._longest = time.monotonic(), 0

    def show(self, progress):
        done = progress.step / progress.steps if progress.steps else progress.inverse_temperature
        done = min(max(done, 0.0), 1.0)
        if progress.best_energy is not None:
            value = f"best energy {progress.best_energy:.6g}"
        else:
            value = f"log Z/Z_0 {progress.log_evidence:.4f}"
        steps = f"{progress.step}/{progress.steps}" if progress.steps else f"{progress.step}"
        filled = round(done * self.WIDTH)
        self._write(f"{'pilot ' if progress.is_pilot else ''}step {steps} [{'=' * filled}{' ' * (self.WIDTH - filled)}] "
                    f"{100 * done:3.0f} %  {value}  {time.monotonic() - self._begun:.0f} s")

    def _write(self, text):
        self._longest = max(self._longest, len(text))
        sys.stderr.write("\r" + text.ljust(self._longest))
        sys.stderr.flush()

    def remove(self):
        if self._longest:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
