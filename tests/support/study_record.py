"""Lines for the ledger (tests/ledger/ledger.py): the first replicates of a study, and its judged figures."""

import csv
import json
import math
import os

import pearlite_runner as runner

VARIANT = "[[sweep.variant]]\n"
# Parts of a summary: estimates, their errors, and the words about them; no time and no path.
ESTIMATES = ("status", "headline", "verdict", "log_evidence", "approximations", "free_energy_difference", "mbar",
             "posterior", "predictions", "best", "edges")


def is_first():
    """Whether the study shall run the first replicate of each cell alone."""
    return bool(os.environ.get("PEARLITE_FIRST_REPLICATE"))


def first(cell, *values):
    """A line of the short run: values of the cell's first replicate, all digits of them."""
    with open(os.environ["PEARLITE_FIRST_REPLICATE"], "a", encoding="utf-8") as file:
        file.write(json.dumps([cell, *values]) + "\n")


def first_run(cell, summary):
    """The line of a run by its summary."""
    warnings = summary.get("diagnostics", {}).get("warnings", [])
    first(cell, {key: summary[key] for key in ESTIMATES if key in summary}, warnings)


def first_replicates(file, where, *settings, **options):
    """The lines of a sweep: runs the first replicate of every setting, with the seed that it has in the whole sweep of
    these settings."""
    text = file.read_text(encoding="utf-8")
    assert VARIANT in text, f"{file}: without variants sweep.replicates = 1 has the same seed"
    copy = where.with_suffix(".first.toml")
    copy.write_text(text.replace(VARIANT, VARIANT + "replicates = 1\n"), encoding="utf-8")
    first_of_all(copy, where, *settings, **options)


def first_of_all(file, where, *settings, **options):
    """The lines of all runs of a sweep."""
    sets = [word for setting in ("sweep.keep=runs", *settings) for word in ("--set", setting)]
    ended = runner.pearlite("run", file, "-o", where, "--overwrite", *sets, timeout=900, **options)
    if ended.status not in (runner.FINISHED, runner.FAILED):
        raise RuntimeError(ended.describe())
    with open(where / "runs.csv", encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            assert row["replicate"] == "0", row
            first_run([row["setting"], row["seed"]], runner.summary(where / "runs" / f"{int(row['run']):06}"))


def figure(name, value, low=-math.inf, high=math.inf, *, outside=False):
    """A judged figure with its limits; `outside`: the value of a wrong twin, which must lie beyond them."""
    if file := os.environ.get("PEARLITE_FIGURES"):
        with open(file, "a", encoding="utf-8") as lines:
            lines.write("\t".join([name, *(repr(float(x)) for x in (value, low, high))])
                        + ("\toutside" if outside else "") + "\n")
