"""Results of a run."""

import html
import io
import json
import pathlib
import tempfile
import typing

import numpy

from . import _core, _predictions
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


MOST_ROWS = 30  # of a table in a notebook


def _opened(content):
    import h5py
    return h5py.File(io.BytesIO(content))


def _plain(dataset):
    """The values of a dataset, texts as such."""
    return dataset.asstr()[()] if dataset.dtype.kind in "SO" else dataset[()]


def _shortest(values, share):
    """The shortest interval with this share of the values."""
    values = numpy.sort(values)
    inside = max(1, int(numpy.floor(share * len(values))))
    widths = values[inside:] - values[:len(values) - inside]
    first = int(widths.argmin()) if len(widths) else 0
    return values[first], values[min(first + inside, len(values) - 1)]


def _of_parameter(draws, name):
    """The draws of a parameter such as "a", "w[1]" or "A[2,1]"; None where they were not recorded."""
    base, _, indices = name.partition("[")
    values = draws.get(name, draws.get(base))
    if values is not None and name not in draws:
        at = tuple(int(index) - 1 for index in indices.rstrip("]").split(","))
        values = values[(..., *at)] if values.ndim == 2 + len(at) else None
    return None if values is None else values.ravel()


class Summary(dict):
    """summary.json; called, a pandas.DataFrame of the parameters with the columns that ArviZ names."""

    def __init__(self, content, result=None):
        super().__init__(content)
        self._result = result

    def __call__(self, hdi_prob=0.94):
        import pandas
        low, high = (f"hdi_{100 * share:.3g}%" for share in ((1 - hdi_prob) / 2, (1 + hdi_prob) / 2))
        draws, rows = self._result.draws(), {}
        for name, found in self._result.posterior.items():
            values = _of_parameter(draws, name)
            ends = (numpy.nan, numpy.nan) if values is None else _shortest(values, hdi_prob)
            rows[name] = {"mean": found.mean, "sd": found.sd, low: ends[0], high: ends[1], "mcse_mean": found.mcse,
                          "ess_bulk": found.ess}
        return pandas.DataFrame.from_dict(rows, orient="index")


class Result:
    """The result of a finished run.

    summary       dict, the contents of summary.json (docs/user-guide.md); summary() is a table of the parameters
    verdict       str, whether the diagnostics support the estimate and its error bar
    log_evidence  Estimate of log Z/Z_0: with a normalised prior the log evidence; None after a search
    posterior     {name: Parameter}; empty where none was recorded
    minimum       float, the lowest energy found by a search; else None
    argmin        array (d,), where it is; else None
    directory     pathlib.Path of the run, or None where it was not kept
    """

    def __init__(self, summary, text, directory=None, files=None):
        self.summary, self.directory, self._text, self._files = Summary(summary, self), directory, text, files or {}
        self._added = {}

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<pearlite.Result {self.summary.get('algorithm')}: {self._headline()}; {self.support}>"

    def _repr_html_(self):
        rows = "".join(f"<tr><th>{html.escape(name)}</th>" + "".join(f"<td>{value:.4g}</td>" for value in values[:4]) + "</tr>"
                       for name, values in list(self.posterior.items())[:MOST_ROWS])
        head = "<tr><th></th><th>mean</th><th>sd</th><th>mcse</th><th>ess</th></tr>"
        more = len(self.posterior) - MOST_ROWS
        return (f"<div><b>{html.escape(self._headline())}</b><br>{html.escape(self.verdict)}"
                + (f"<table>{head}{rows}</table>" if rows else "")
                + (f"and {more} parameters more, in summary()" if more > 0 else "") + "</div>")

    def _headline(self):
        if self.minimum is not None:
            return f"minimum {self.minimum:.6g}"
        return f"{self.summary.get('headline', {}).get('label', 'log evidence')} {self.log_evidence}"

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
        """{name: array (chains, draws)} of equally weighted draws of each parameter; (chains, draws, 3) of w[1] to w[3]."""
        with _opened(self._content("posterior.nc")) as file:
            group = file["posterior"]
            return {name: group[name][()] for name in group if group[name].ndim >= 2}

    @property
    def groups(self) -> list:
        """The groups of an InferenceData that to_xarray() has: "posterior", "sample_stats", ..."""
        with _opened(self._content("posterior.nc")) as file:
            return [*(name for name in file if hasattr(file[name], "items") and name not in self._added), *self._added]

    def add_predictions(self, log_likelihood=None, predict=None, observed=None, seed=0):
        """Adds groups to those of to_xarray(), by functions of a draw: "log_likelihood" by log_likelihood(...), which
        returns an array of the log likelihoods of single observations, for LOO and WAIC; "posterior_predictive" by
        predict(..., rng), which returns observations drawn at these parameters, `rng` a numpy.random.Generator;
        "observed_data" as given. Functions take parameters by name, or one dict of them, and return arrays, or dicts of
        arrays by variable (else the variable is "y"). Returns the result itself. InputError for wrong names and shapes."""
        draws = self.draws()
        added = {}
        if log_likelihood is not None:
            added["log_likelihood"] = _predictions.of_draws(log_likelihood, draws)
        if predict is not None:
            added["posterior_predictive"] = _predictions.of_draws(predict, draws, numpy.random.default_rng(seed))
        if observed is not None:
            observed = observed if isinstance(observed, dict) else {"y": observed}
            added["observed_data"] = {name: numpy.asarray(values) for name, values in observed.items()}
        self._added.update(added)
        return self

    def to_xarray(self, group="posterior"):
        """A group of an InferenceData as an xarray.Dataset. For ArviZ:
        arviz.InferenceData(**{name: result.to_xarray(name) for name in result.groups})."""
        import h5py
        import xarray
        if group in self._added:
            return _predictions.as_dataset(self._added[group], group != "observed_data")
        with _opened(self._content("posterior.nc")) as file:
            if group not in self.groups:
                raise InputError(f"{group}: no such group, expected one of {', '.join(self.groups)}")
            found, coordinates = {}, {}
            for name, values in file[group].items():
                if not h5py.h5ds.is_scale(values.id):
                    found[name] = [scales[0].name.split("/")[-1] for scales in values.dims], _plain(values)
                elif b"but not a netCDF variable" not in values.attrs.get("NAME", b""):
                    coordinates[name] = [name], _plain(values)
            return xarray.Dataset(found, coordinates)

    def weighted_draws(self):
        """({name: array (n,)}, weights (n,)): all final draws with weights whose sum is 1."""
        with _opened(self._content("results.h5")) as file:
            if "samples/values" not in file:
                raise InputError("no draws were recorded")
            names, values = _plain(file["samples/names"]), file["samples/values"][()]
            log_weight = next((file[place][()] for place in ("samples/log_weight", "log_weight")
                               if place in file and len(file[place]) == len(values)), numpy.zeros(len(values)))
        weights = numpy.exp(log_weight - log_weight.max())
        return dict(zip(numpy.atleast_1d(names).tolist(), values.T)), weights / weights.sum()

    def equal_weight_draws(self, n=None, seed=0) -> dict:
        """{name: array (n,)}: draws of equal weight, by systematic resampling of the weighted ones; None: as many."""
        draws, weights = self.weighted_draws()
        n = len(weights) if n is None else n
        rng = numpy.random.default_rng(seed)
        at = numpy.searchsorted(numpy.cumsum(weights), (numpy.arange(n) + rng.uniform()) / n)
        at = rng.permutation(numpy.minimum(at, len(weights) - 1))
        return {name: values[at] for name, values in draws.items()}

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
