"""Evidences of several results side by side, as the command `pearlite compare`."""

import html
import json
import pathlib
import tempfile

import numpy

from . import _core
from ._errors import InputError
from ._results import Result, load


class Comparison:
    """Results, the best first. print() gives the table and the warnings of the command.

    names            of the results
    log_evidences    Estimate of each
    log_bayes_factors (value, standard error) of the best over each
    probabilities    array; of the models, which were equally probable before the data
    """

    def __init__(self, results, text):
        order = sorted(results, key=lambda name: -results[name].log_evidence.value)
        self.names, self.results, self._text = order, {name: results[name] for name in order}, text
        self.log_evidences = [results[name].log_evidence for name in order]
        best = self.log_evidences[0]
        self.log_bayes_factors = [(best.value - one.value, 0.0 if one is best else
                                   float(numpy.hypot(best.standard_error, one.standard_error)))
                                  for one in self.log_evidences]
        odds = numpy.exp([-difference for difference, _ in self.log_bayes_factors])
        self.probabilities = odds / odds.sum()

    def __str__(self):
        return self._text

    def _repr_html_(self):
        return f"<pre>{html.escape(self._text)}</pre>"


def compare(results) -> Comparison:
    """Evidences of the same observations side by side: of results or directories, a list or {name: result}.

    InputError for fewer than two, for a result without an evidence, and for runs that are known to have other
    observations or a tempered likelihood: those of the command.
    """
    if not isinstance(results, dict):
        names = [_name(result, number) for number, result in enumerate(results, 1)]
        results = {name if names.count(name) == 1 else f"{name} ({number})": result
                   for number, (name, result) in enumerate(zip(names, results), 1)}
    results = {name: result if isinstance(result, Result) else load(result) for name, result in results.items()}
    with tempfile.TemporaryDirectory() as scratch:
        places = []
        for name, result in results.items():
            place = pathlib.Path(scratch) / name.replace("/", "\N{DIVISION SLASH}")
            place.mkdir()
            (place / "summary.json").write_text(json.dumps(result.summary), encoding="utf-8")
            places.append(place)
        try:
            return Comparison(results, _words(_core.compare(places), scratch))
        except InputError as error:
            raise InputError(_words(str(error), scratch)) from None


def _words(text, scratch):
    """Names without the directory, in a column as much narrower."""
    return text.replace(f"{scratch}/", "").replace("run" + " " * (len(scratch) + 1), "run", 1)


def _name(result, number):
    directory = result.directory if isinstance(result, Result) else pathlib.Path(result)
    return f"model {number}" if directory is None else directory.name
