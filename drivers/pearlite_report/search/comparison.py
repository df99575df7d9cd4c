"""Searches of several runs side by side: which of them count together, what tells the others apart, and a table."""

import dataclasses

import numpy

from .. import numbers
from ..run import ReportError
from .progress import Progress, best_energies, progress_by_evaluations, progress_by_iterations

ORDER = ("pisaa", "psaa", "vfsa", "aesamc", "saa", "sa", "asamc")  # of algorithms in tables and legends
# Settings that are told apart wherever they differ; others only where they differ within an algorithm.
_ALWAYS = ("model.", "algorithm.chains", "algorithm.iterations")
_NEVER = {"algorithm.name", "algorithm.replicates", "algorithm.success_below"}


@dataclasses.dataclass
class Contender:
    """Runs that differ in nothing but seed and number of replicates: their replicates count together."""

    algorithm: str
    label: str
    order: tuple  # by which contenders of one algorithm are sorted
    value: float | None  # of the key that runs are drawn against
    runs: list

    @property
    def best(self):
        """The best energy of each replicate, those that are finite."""
        values = numpy.concatenate([best_energies(run) for run in self.runs])
        return values[numpy.isfinite(values)]

    @property
    def mean(self):
        return float(self.best.mean())

    @property
    def standard_error(self):
        """NaN for a single replicate."""
        return float(self.best.std(ddof=1) / numpy.sqrt(len(self.best))) if len(self.best) > 1 else numpy.nan

    def progress(self, by):
        """Against "iterations" or "evaluations", as far as all runs got; None if a run recorded none."""
        parts = [(progress_by_iterations if by == "iterations" else progress_by_evaluations)(run) for run in self.runs]
        if any(part is None for part in parts):
            return None
        x = numpy.unique(numpy.concatenate([part.x for part in parts]))
        x = x[(x >= max(part.x[0] for part in parts)) & (x <= min(part.x[-1] for part in parts))]
        rows = [part.best[:, numpy.searchsorted(part.x, x, side="right") - 1] for part in parts]
        return Progress(x, numpy.concatenate(rows)) if len(x) > 1 else None


def contenders(runs, values=None, key=None):
    """Runs by algorithm, settings and, with a key, its value. ReportError if they cannot be compared."""
    values = values or [None] * len(runs)
    for run in runs:
        if not numpy.isfinite(best_energies(run)).any():
            raise ReportError(f"{run.directory}: no replicate has a finite best energy")
    models = {str(run.summary.get("model")) for run in runs}
    if len(models) > 1:
        raise ReportError(f"searches of different models do not compare: {', '.join(sorted(models))}")
    settings = [_flat(run) for run in runs]
    told_apart = [name for name in dict.fromkeys(name for row in settings for name in row) if name != key]
    told_apart = [name for name in told_apart if _differs(name, runs, settings)]
    found = {}
    for run, value, row in zip(runs, values, settings):
        algorithm = str(run.summary.get("algorithm", "?"))
        words = [_in_words(name, row[name]) for name in told_apart if name in row]
        place = tuple((name, *_order_of(row[name])) for name in told_apart if name in row)
        label = ", ".join([algorithm.upper(), *words])
        found.setdefault((algorithm, label, place, value), []).append(run)
    order = [*ORDER, *sorted({algorithm for algorithm, *_ in found} - set(ORDER))]
    rows = [Contender(*where, members) for where, members in found.items()]
    for row in rows:
        _require_different_seeds(row)
    return sorted(rows, key=lambda row: (order.index(row.algorithm), row.order, row.value or 0))


def _flat(run):
    """section.key -> value of what a search depends on, seeds and replicates apart."""
    sections = {name: run.settings(name) for name in ("model", "algorithm", "schedule", "kernel")}
    flat = {f"{section}.{key}": value for section, keys in sections.items() for key, value in keys.items()}
    return {name: value for name, value in flat.items() if name not in _NEVER}


def _differs(name, runs, settings):
    groups = {}
    for run, row in zip(runs, settings):
        if name in row:
            group = "" if name.startswith(_ALWAYS) else run.summary.get("algorithm")
            groups.setdefault(group, set()).add(str(row[name]))
    return any(len(group) > 1 for group in groups.values())


def _order_of(value):
    """Numbers by size, all else by its letters."""
    return (float(value), "") if numbers.is_number(value) else (0.0, str(value))


def _in_words(name, value):
    key = name.split(".", 1)[1].replace("_", " ")
    if isinstance(value, bool):
        return key if value else f"not {key}"
    if name in ("algorithm.chains", "algorithm.iterations") and numbers.is_number(value):
        return numbers.counted(value, key[:-1])
    words = "+".join(map(str, value)) if isinstance(value, list) else numbers.plain(value)
    return f"{key} {words}"


def _require_different_seeds(contender):
    seen = {}
    for run in contender.runs:
        for row in run.summary.get("replicates") or []:
            seed = row.get("seed") if isinstance(row, dict) else None
            if seed is not None and seen.setdefault(seed, run) is not run:
                raise ReportError(
                    f"{seen[seed].directory} and {run.directory} hold the same replicate (seed {seed}) of the same search"
                )


def table(rows, key=None):
    """Text: of every contender the replicates, their best energies, and what they cost."""
    wide = max(len(row.label) for row in rows)
    heads = ["replicates", "mean best", "std. error", "sd", "lowest", "energies", "rank seconds"]
    widths = [12, *(max(14, len(head) + 2) for head in heads[1:])]
    between = len(key or "") + 3
    lines = ["search".ljust(wide) + (key.rjust(between) if key else "") + _aligned(heads, widths)]
    for row in rows:
        best = row.best
        sd = best.std(ddof=1) if len(best) > 1 else numpy.nan
        cells = [len(best), *(f"{value:.6g}" for value in (row.mean, row.standard_error, sd, best.min()))]
        cells += [_mean_evaluations(row), _rank_seconds(row)]
        cells = ["" if cell == "nan" else cell for cell in cells]
        lines.append(row.label.ljust(wide) + (f"{row.value:g}".rjust(between) if key else "") + _aligned(cells, widths))
    return "\n".join([*lines, "Energies and seconds are those of a replicate on average."])


def _aligned(cells, widths):
    return "".join(str(cell).rjust(width) for cell, width in zip(cells, widths))


def _mean_evaluations(row):
    replicates = [each for run in row.runs for each in run.summary.get("replicates") or [] if isinstance(each, dict)]
    counts = [each["evaluations"] for each in replicates if numbers.is_number(each.get("evaluations"))]
    return f"{sum(counts) / len(counts):.4g}" if counts else ""


def _rank_seconds(row):
    total, replicates = 0.0, 0
    for run in row.runs:
        seconds, ranks = (run.summary.get("timing") or {}).get("wall_seconds"), run.summary.get("ranks")
        if not numbers.is_number(seconds) or not numbers.is_number(ranks):
            return ""
        total += seconds * ranks
        replicates += len(best_energies(run))
    return f"{total / replicates:.3g}"
