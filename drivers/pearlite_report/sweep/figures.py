"""All figures of a sweep, in the order of the page."""

import dataclasses

import numpy

from ..run import ReportError
from ..style import drawing_style
from . import against_time, asked, evidence, paths, progress, scalars, spread, surface, theta, works
from .read import require_name

_MOST_CHOSEN = 6  # scalars drawn against each key unless they were asked for
_ENERGIES = (".energy", ".mean_best", ".mean_polished")


@dataclasses.dataclass
class Wanted:
    """Figures that the command line asks for."""

    scalars: list = dataclasses.field(default_factory=list)  # instead of the chosen ones
    against: str | None = None  # the only axis
    above: float | None = None  # an energy, or another value, to which distances are drawn


def apply(sweep, wanted):
    """Makes the scalars asked for the chosen ones. ReportError if a scalar or an axis does not exist."""
    for name in wanted.scalars:
        require_name(name, sweep.columns, "scalar in this sweep")
        if not numpy.isfinite(sweep.of_settings("mean", name)).any():
            raise ReportError(f"{name}: no setting has a finite mean")
    if wanted.against is not None:
        require_name(wanted.against, sweep.axes, "swept key")
    if wanted.scalars:
        sweep.chosen = list(dict.fromkeys(wanted.scalars))
    if wanted.above is not None and not any(_is_distance(name, wanted) for name in sweep.chosen):
        raise ReportError("--above: no energy is among the scalars of this sweep; --scalar says what it is meant for")


def draw_all(sweep, wanted):
    """The pictures that this sweep has the numbers for."""
    axes = [wanted.against] if wanted.against else [axis for axis in sweep.axes if len(sweep.values_of(axis)) > 1]
    drawn = sweep.chosen if wanted.scalars else _drawable(sweep)
    with drawing_style():
        pictures = [] if wanted.scalars else asked.pictures(sweep)
        for name in drawn:
            above = wanted.above if _is_distance(name, wanted) else None
            for axis in axes or [None]:
                pictures += scalars.against_axis(sweep, name, axis, above)
        pictures += scalars.coverages(sweep, sweep.chosen)
        if not wanted.scalars:
            pictures += surface.picture(sweep)
            pictures += against_time.curves(sweep)
            for axis in axes:
                pictures += evidence.against_axis(sweep, axis)
                pictures += spread.against_axis(sweep, axis)
        if not wanted.scalars or any(name.endswith(_ENERGIES) for name in sweep.chosen):
            pictures += progress.curves(sweep, wanted.above)
        if not wanted.scalars:
            pictures += works.curves(sweep)
            pictures += paths.curves(sweep)
            pictures += theta.pictures(sweep)
    return pictures


def _is_distance(name, wanted):
    """Whether --above is meant for this scalar: any that was asked for, else energies."""
    return bool(wanted.scalars) or name.endswith(_ENERGIES)


def _drawable(sweep):
    known = []
    for name in sweep.chosen:
        if numpy.isfinite(sweep.of_settings("mean", name)).any():
            known.append(name)
        else:
            sweep.remarks.append(f"{name} has no finite mean; it is not drawn")
    if len(known) > _MOST_CHOSEN:
        sweep.remarks.append(
            f"The first {_MOST_CHOSEN} of {len(known)} scalars are drawn; --scalar NAME draws any other"
        )
    return known[:_MOST_CHOSEN]
