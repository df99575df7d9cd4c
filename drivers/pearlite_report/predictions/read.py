"""Predictions in a results file, as plain arrays."""

import dataclasses

import h5py
import numpy


@dataclasses.dataclass
class Predicted:
    """A predicted quantity of n values; `beyond` is the same quantity where there are no data."""

    name: str
    description: str
    dimension: str
    levels: numpy.ndarray  # [levels]
    mean: numpy.ndarray  # [n]
    quantiles: numpy.ndarray  # [levels, n]
    replicates: numpy.ndarray | None  # [draws of the parameters, n]
    observed: numpy.ndarray | None  # [n]
    ranks: numpy.ndarray | None  # [n]
    beyond: "Predicted | None" = None

    def level(self, probability):
        """The quantiles of this probability, or None."""
        at = numpy.flatnonzero(numpy.isclose(self.levels, probability))
        return None if len(at) == 0 else self.quantiles[at[0]]

    def band(self, low, high):
        ends = self.level(low), self.level(high)
        return None if ends[0] is None or ends[1] is None or self.level(0.5) is None else ends

    def coverage(self, probability):
        """The share of observations within the central interval of this probability."""
        edge = (1 - probability) / 2
        return float(((self.ranks >= edge) & (self.ranks <= 1 - edge)).mean())

    def is_binary(self):
        return self.observed is not None and bool(numpy.isin(self.observed, (0, 1)).all())


def read_predictions(file, contents):
    """The quantities within the data, each with its continuation beyond them."""
    levels = contents.array("predictions/levels", 1)
    if levels is None:
        return []
    within, beyond = (_read_group(file, contents, f"predictions/{group}", levels) for group in ("within", "beyond"))
    for name, quantity in within.items():
        quantity.beyond = beyond.get(name)
    return list(within.values())


def _read_group(file, contents, path, levels):
    group = file.get(path)
    found = {}
    for name in group if isinstance(group, h5py.Group) else ():
        mean = contents.array(f"{path}/{name}/mean", 1)
        quantiles = contents.array(f"{path}/{name}/quantiles", 2)
        if mean is None or quantiles is None or quantiles.shape != (len(levels), len(mean)):
            continue
        found[name] = Predicted(
            name,
            contents.text(f"{path}/{name}/description"),
            contents.text(f"{path}/{name}/dimension"),
            levels,
            mean,
            quantiles,
            contents.array(f"{path}/{name}/replicates", 2),
            contents.array(f"{path}/{name}/observed", 1),
            contents.array(f"{path}/{name}/ranks", 1),
        )
    return found
