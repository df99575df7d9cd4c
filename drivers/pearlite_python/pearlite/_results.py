"""Results of a run."""

import json
import pathlib
import tempfile
import typing

import numpy

from . import _core
from ._errors import FileError, InputError


class Estimate(typing.NamedTuple):
    """A number with its standard error, NaN where none is given, and its 95 % interval."""

    value: float
    standard_error: float
    interval: tuple

    def __str__(self):
        if numpy.isnan(self.standard_error):
            return f"{self.value:.6g} (no error bar)"
        return f"{self.value:.6g} +- {self.standard_error:.2g}"


class Parameter(typing.NamedTuple):
    """A parameter's posterior: mean, standard deviation, Monte Carlo standard error of the mean, effective sample size,
    and quantiles {probability: value}."""

    mean: float
    sd: float
    mcse: float
    ess: float
    quantiles: dict


def _number(value):
    return float("nan") if value is None else float(value)


def _estimate(entry):
    interval = entry.get("interval95") or (None, None)
    return Estimate(_number(entry.get("value")), _number(entry.get("standard_error")), tuple(map(_number, interval)))


class Result:
    """The result of a finished run.

    summary       dict, the contents of summary.json (docs/user-guide.md)
    verdict       str, whether the diagnostics support the estimate and its error bar
    log_evidence  Estimate of log Z/Z_0: with a normalised prior the log evidence; None after a search
    posterior     {name: Parameter}; empty where none was recorded
    minimum       float, the lowest energy found by a search; else None
    argmin        array (d,), where it is; else None
    directory     pathlib.Path of the run, or None where it was not kept
    """

    def __init__(self, summary, text, directory=None, files=None):
        self.summary, self.directory, self._text, self._files = summary, directory, text, files or {}

    def __str__(self):
        return self._text

    def __repr__(self):
        what = f"minimum {self.minimum:.6g}" if self.minimum is not None else f"log evidence {self.log_evidence}"
        return f"<pearlite.Result {self.summary.get('algorithm')}: {what}; {self.support}>"

    @property
    def verdict(self) -> str:
        return self.summary.get("verdict", "")

    @property
    def support(self) -> str:
        """"supported", "doubtful", "withheld", ...: the verdict in a word."""
        return self.summary.get("headline", {}).get("support", {}).get("word", "")

    @property
    def warnings(self) -> list:
        return list(self.summary.get("diagnostics", {}).get("warnings", []))

    @property
    def log_evidence(self):
        headline = self.summary.get("headline")
        return _estimate(headline) if headline and self.minimum is None else None

    @property
    def log_evidences(self) -> dict:
        """{estimator: Estimate} of log Z/Z_0 by every estimator of the algorithm."""
        return {entry["estimator"]: _estimate(entry) for entry in self.summary.get("log_evidence", [])
                if entry.get("quantity") == "log_ratio"}

    @property
    def posterior(self) -> dict:
        return {entry["name"]: Parameter(_number(entry.get("mean")), _number(entry.get("sd")), _number(entry.get("mcse")),
                                         _number(entry.get("ess")),
                                         {float(p): value for p, value in entry.get("quantiles", {}).items()})
                for entry in self.summary.get("posterior", [])}

    @property
    def minimum(self):
        return self.summary["headline"]["value"] if "best" in self.summary else None

    @property
    def argmin(self):
        state = self.summary.get("polished", self.summary.get("best", {})).get("state")
        return None if state is None else numpy.asarray(state, float)

    def _content(self, name):
        if name in self._files:
            return self._files[name]
        file = None if self.directory is None else self.directory / name
        if file is None or not file.exists():
            raise FileError(f"{name}: not at hand; expected a run that wrote it, with output=..., or rank 0 of a run "
                            f"without")
        return file.read_bytes()

    def draws(self) -> dict:
        """{name: array (chains, draws)} of equally weighted draws of each parameter."""
        import io

        import h5py
        with h5py.File(io.BytesIO(self._content("posterior.nc"))) as file:
            group = file["posterior"]
            return {name: group[name][()] for name in group if group[name].ndim >= 2}

    def to_xarray(self, group="posterior"):
        """A group of posterior.nc as an xarray.Dataset; InferenceData's groups, for ArviZ."""
        import xarray
        if self.directory is not None:
            return xarray.load_dataset(self.directory / "posterior.nc", group=group)
        with tempfile.TemporaryDirectory() as place:  # xarray reads netCDF from memory only with h5netcdf
            file = pathlib.Path(place) / "posterior.nc"
            file.write_bytes(self._content("posterior.nc"))
            return xarray.load_dataset(file, group=group)

    def to_cmdstan(self, file):
        """Writes the draws as CmdStan does, as the command `pearlite draws`: to FILE, or with several chains a table each,
        NAME_1.csv, NAME_2.csv, ...; returns their paths."""
        with tempfile.TemporaryDirectory() as place:
            if self.directory is None:
                (pathlib.Path(place) / "posterior.nc").write_bytes(self._content("posterior.nc"))
            return _core.write_draws(self.directory or pathlib.Path(place), pathlib.Path(file))

    def to_pandas(self):
        """The draws as a pandas.DataFrame, with the columns chain and draw first."""
        import pandas
        draws = self.draws()
        chains, length = next(iter(draws.values())).shape[:2]
        columns = {"chain": numpy.repeat(numpy.arange(chains), length), "draw": numpy.tile(numpy.arange(length), chains)}
        for name, values in draws.items():
            flat = values.reshape(chains * length, -1)
            columns.update({name: flat[:, 0]} if values.ndim == 2 else
                           {f"{name}[{i}]": flat[:, i] for i in range(flat.shape[1])})
        return pandas.DataFrame(columns)


def load(directory) -> Result:
    """The result of a finished run in a directory, of whatever program made it. InputError if there is none."""
    directory = pathlib.Path(directory)
    file = directory / "summary.json"
    if not file.exists():
        raise InputError(f"{directory}: no summary.json, expected the directory of a finished run")
    summary = json.loads(file.read_text(encoding="utf-8"))
    if summary.get("status") != "finished":
        raise InputError(f"{directory}: {summary.get('status')}, expected a finished run")
    return Result(summary, _core.describe(directory), directory)
