"""The HTML page: one file with its figures inside, no scripts, nothing fetched."""

import math

from . import chains, elements, numbers
from .elements import Markup, text
from .estimates import exact_of, interval_of, name_of
from .search import edges, tables
from .words import title_of

SUPPORT_COLOURS = ("green", "orange", "red")  # classes of page.css
OF_REPLICATES = {  # shown with the replicates
    "mean_best",
    "sd_best",
    "success_rate",
    "mean_polished",
    "sd_polished",
    "success_rate_polished",
}
LEAST_FOLDED = 10  # elements of an array that are one row of a table, which unfolds
LARGE_Z_SCORE = 3.0  # beyond it, chance alone is an explanation once in 370


def render(run, pictures):
    """The whole page as a string."""
    title = title_of(run.summary)
    parts = [
        elements.header(f"Pearlite run report \N{MIDDLE DOT} {run.directory.resolve().name}", title),
        _status(run),
        _headline(run),
        elements.warnings((run.summary.get("diagnostics") or {}).get("warnings")),
        elements.figures("Estimates and weights", pictures, "estimates"),
        elements.figures("Best state", pictures, "state-wide", "wide"),
        elements.figures("Best state", pictures, "state"),
        elements.figures("Edges", pictures, "edges", "wide"),
        edges.table(run),
        elements.figures("Search", pictures, "search"),
        tables.replicates(run),
        _posterior(run.summary, pictures),
        chains.table(run.summary),
        elements.figures("Traces", pictures, "chains"),
        elements.figures("Predictions", pictures, "predictions-wide", "wide"),
        elements.figures("Predictive checks", pictures, "predictions"),
        elements.figures("Training", pictures, "training"),
        elements.figures(
            "Filters and samples" if run.training else "Final particles", pictures, "particles", "sheet"
        ),
        elements.figures("Along the path", pictures, "annealing", remark=_whose_path(run)),
        _run_table(run),
        elements.configuration(run.configuration),
    ]
    return elements.document(title, parts, reloads=run.summary.get("status") == "running")


def _status(run):
    """A note on the state of a run that is not finished."""
    summary = run.summary
    state = summary.get("status", "finished")
    if state == "finished":
        return ""
    progress = summary.get("progress") or {}
    place = elements.facts(_place(progress)) if progress else ""
    advice = {
        "running": "The page is loaded again every 30 seconds; the report draws it again (--follow).",
    }.get(state, f"To continue: pearlite resume {run.directory}.")
    return (
        f'<section class="box warning">\n<h2>This run {text(_sentence_of(state))}</h2>\n'
        "<p>All numbers and figures belong to the part that has run, up to the last checkpoint; they are not the result. "
        f"{text(advice)}</p>\n{place}</section>"
    )


def _sentence_of(state):
    return {"running": "is going on", "died": "has died, without a word", "failed": "has failed"}.get(
        state, f"is {state}, not finished"
    )


def _place(progress):
    """Where the run is, in names and words."""
    unit = str(progress.get("unit", "step")).capitalize()
    done = f"{progress.get('done')}" + (f" of {progress['of']}" if "of" in progress else "")
    rows = [(f"{unit} of the pilot" if progress.get("in_pilot") else unit, done)]
    if "stage" in progress:
        rows.append(("Stage", progress["stage"]))
    if "variables" in progress:
        rows.append(("Variables", progress["variables"]))
    for key, label in (("inverse_temperature", "Inverse temperature"), ("temperature", "Temperature")):
        if key in progress:
            rows.append((label, numbers.plain(progress[key], 5)))
    if "log_ratio" in progress:
        value, error = progress["log_ratio"], progress.get("standard_error")
        with_error = f" ± {numbers.with_precision_of(error, error)}" if numbers.is_number(error) else ""
        rows.append((Markup("log Z/Z<sub>0</sub> so far"), numbers.with_precision_of(value, error) + with_error))
    if "best_energy" in progress:
        rows.append(("Best energy", numbers.plain(progress["best_energy"], 10)))
    if numbers.is_number(progress.get("seconds_left")):
        rows.append(("Time left" + (" of the pilot" if progress.get("in_pilot") else ""),
                     numbers.duration(progress["seconds_left"])))
    return rows


# ---- headline -------------------------------------------------------------------------------------------------------


def _headline(run):
    summary = run.summary
    all_entries = [entry for entry in summary.get("log_evidence") or [] if isinstance(entry, dict)]
    # One estimator in large letters, the others in a table.
    first = all_entries[0].get("estimator") if all_entries else None
    headline = summary.get("headline") or {}
    entries = [_estimate(entry, headline) for entry in all_entries if entry.get("estimator") == first]
    ratios = [entry for entry in all_entries if entry.get("quantity", "log_ratio") == "log_ratio"]
    others = [entry for entry in ratios if entry.get("estimator") != first]
    if others:
        entries.append(elements.folded("Other estimators", _estimates_table(others)))
    entries += [_test_likelihood(entry) for entry in summary.get("test_log_likelihood") or []]
    entries += [found for found in (tables.polished_state(run), tables.best_state(run)) if found]
    verdict = f"<p>{_support(summary)}{text(summary['verdict'])}</p>\n" if summary.get("verdict") else ""
    if not entries and not verdict:
        return ""
    return f'<section class="box" id="result">\n<h2>Result</h2>\n{verdict}' + "\n".join(entries) + "\n</section>"


def _support(summary):
    """The word of the headline on its colour."""
    support = (summary.get("headline") or {}).get("support") or {}
    word, colour = support.get("word"), support.get("colour")
    if not word or colour not in SUPPORT_COLOURS:
        return ""
    return f'<span class="support {colour}">{text(word)}</span> '


def _estimate(entry, headline):
    name = text(name_of(entry))
    if "refused" in entry:
        return (
            f'<div class="estimate"><div class="name">{name}</div>\n'
            f'<p class="refused">Refused: {text(entry["refused"])}</p></div>'
        )
    value, error = entry.get("value"), entry.get("standard_error")
    symbol = "log Z" if entry.get("quantity") == "log_normaliser" else "log Z/Z<sub>0</sub>"
    if headline.get("label") and headline.get("value") == value:  # the name that the screen has
        symbol = text(headline["label"])
    line = f"{symbol} = {text(numbers.with_precision_of(value, error))}"
    line += _error_of(entry)
    if interval_of(entry) is None and not numbers.is_number(error):
        line += ' <span class="interval">(no standard error)</span>'
    return (
        f'<div class="estimate"><div class="name">{name}</div>\n<div class="value">{line}</div>\n'
        f"{_against_exact(entry)}{_note(entry)}</div>"
    )


def _error_of(entry):
    """The standard error and the 95 % interval, as far as there are any."""
    error, line = entry.get("standard_error"), ""
    if numbers.is_number(error):
        line += f" ± {text(numbers.with_precision_of(error, error))}"
    if interval_of(entry) is not None:
        low, high = (text(numbers.with_precision_of(bound, error)) for bound in interval_of(entry))
        line += f' <span class="interval">(95 % interval {low} to {high})</span>'
    return line


def _test_likelihood(entry):
    """The mean log-likelihood of test data, with the error of log Z; that of the choice of data stands beneath."""
    value, error, of_data = (entry.get(key) for key in ("value", "standard_error", "standard_error_of_data"))
    line = f"test log-likelihood = {text(numbers.with_precision_of(value, error if numbers.is_number(error) else 0.01))}"
    line += _error_of(entry)
    data = f"mean of {entry.get('data')} data, {entry.get('form')}"
    if "seed" in entry:
        data += f" with seed {entry['seed']}"
    if numbers.is_number(of_data):
        data += f"; other data would change it by {numbers.plain(of_data, 2)}"
    return (
        f'<div class="estimate"><div class="name">{text(name_of(entry))}</div>\n<div class="value">{line}</div>\n'
        f'<p class="note">{text(data)}</p></div>'
    )


def _estimates_table(entries):
    rows = []
    for entry in entries:
        error, interval = entry.get("standard_error"), interval_of(entry)
        cells = [
            name_of(entry),
            _cell(entry.get("value"), error),
            _cell(error, error),
            "" if interval is None else " to ".join(_cell(bound, error) for bound in interval),
            numbers.fixed(entry["z_score"], 2) if numbers.is_number(entry.get("z_score")) else "",
            f"refused: {entry['refused']}" if "refused" in entry else entry.get("note", ""),
        ]
        rows.append(cells)
    heads = ("estimator", Markup("log Z/Z<sub>0</sub>"), "standard error", "95 % interval", "z", "remark")
    return elements.numeric_table(heads, rows)


def _note(entry):
    return f'<p class="note">{text(entry["note"])}</p>' if entry.get("note") else ""


def _against_exact(entry):
    exact, z_score = exact_of(entry), entry.get("z_score")
    if exact is None:
        return ""
    line = f"Exact {text(numbers.with_precision_of(exact, entry.get('standard_error')))}"
    if numbers.is_number(z_score):
        z_text = f"z = {text(numbers.fixed(z_score, 2))}"
        if not math.isfinite(z_score) or abs(z_score) > LARGE_Z_SCORE:
            z_text = f'<span class="large">{z_text}: the estimate and the exact value do not agree</span>'
        line += f", {z_text}"
    return f"<p>{line}</p>"


# ---- figures and tables ---------------------------------------------------------------------------------------------


def _whose_path(run):
    n = 0 if run.batch_log_ratio is None else len(run.batch_log_ratio)
    return f"Figures show the first of {n} replicates unless they say otherwise." if n > 1 else ""


def _posterior(summary, pictures):
    table = _posterior_table([entry for entry in summary.get("posterior") or [] if isinstance(entry, dict)])
    together = [elements.figure(picture, picture.shape) for picture in pictures if picture.section == "parameters"]
    chosen = [picture for picture in pictures if picture.section == "posterior"]
    if not table and not chosen and not together:
        return ""
    drawings = '<div class="figures">\n' + "\n".join(together) + "\n</div>\n" if together else ""
    if chosen:
        images = "\n".join(f"<figure>{elements.image(picture)}</figure>" for picture in chosen)
        drawings += (
            f'<div class="small">\n{images}\n</div>\n<p class="note">Marginal densities between their 0.1 % and '
            f"99.9 % quantiles; the line is the mean. {text(chosen[0].caption)}</p>"
        )
    return f'<section id="posterior">\n<h2>Posterior</h2>\n{table}{drawings}\n</section>'


def _posterior_table(entries):
    if not entries:
        return ""
    levels = sorted({level for entry in entries for level in (entry.get("quantiles") or {})}, key=float)
    of_chains = {
        key: head
        for key, head in (("r_hat", "R-hat"), ("bulk_ess", "bulk ess"), ("tail_ess", "tail ess"))
        if any(key in entry for entry in entries)
    }
    heads = ["parameter", "mean", "sd", "mcse", "ess", *of_chains.values()] + [
        f"{numbers.plain(100 * float(level), 4)} %" for level in levels
    ]
    rows = {}  # of the arrays and of single parameters, by their names
    for entry in entries:
        mcse, sd = entry.get("mcse"), entry.get("sd")
        # Without an error of the mean, a hundredth of the sd is as far as anybody reads.
        precision = mcse if mcse is not None or sd is None else sd / 100
        cells = [
            entry.get("name", "?"),
            _cell(entry.get("mean"), precision),
            _cell(sd, precision),
            _cell(mcse, mcse),
            _count(entry.get("ess")),
        ]
        cells += [_count(entry.get(key)) for key in of_chains]
        cells += [_cell((entry.get("quantiles") or {}).get(level), precision) for level in levels]
        name = str(entry.get("name", "?"))
        rows.setdefault(name.rpartition("[")[0] if name.endswith("]") else name, []).append((entry, cells))
    table = []
    for name, of_array in rows.items():
        cells = [cells for _, cells in of_array]
        if len(of_array) < LEAST_FOLDED:
            table += cells
        else:
            folded = _folded_cells(name, [entry for entry, _ in of_array], of_chains)
            table.append(elements.FoldedRows(folded + [""] * len(levels), cells))
    return elements.numeric_table(heads, table)


def _folded_cells(name, entries, of_chains):
    """The row that stands for the elements of an array: ranges of means and sds, the worst of what judges them."""

    def found(key):
        return [value for entry in entries if numbers.is_number(value := entry.get(key)) and math.isfinite(value)]

    def spread(key):
        values = found(key)
        return f"{numbers.plain(min(values), 3)} to {numbers.plain(max(values), 3)}" if values else ""

    def worst(key, choose, sign):
        values = found(key)
        return f"{sign} {_count(choose(values))}" if values else ""

    mcse = found("mcse")
    cells = [f"{name}, {len(entries)} elements", spread("mean"), spread("sd")]
    cells += [f"\N{LESS-THAN OR EQUAL TO} {numbers.plain(max(mcse), 2)}" if mcse else ""]
    cells.append(worst("ess", min, "\N{GREATER-THAN OR EQUAL TO}"))
    for key in of_chains:
        highest = key == "r_hat"
        cells.append(worst(key, max if highest else min, f"\N{LESS-THAN OR EQUAL TO}" if highest else
                           "\N{GREATER-THAN OR EQUAL TO}"))
    return cells


def _count(value):
    """An effective number or an R-hat: four digits, large numbers whole."""
    if not numbers.is_number(value):
        return ""
    return numbers.plain(round(value) if 1000 <= value < 1e15 else value, 4)


def _cell(value, standard_error):
    return "" if value is None else numbers.with_precision_of(value, standard_error)


def _data(summary):
    """Rows of the table on the data that a run used."""
    data = summary.get("data") or {}
    rows = data.get("rows") or {}
    observed = [
        f"{array['name']}: {array['size']} values, mean {numbers.plain(array.get('mean'), 4)}, "
        f"sd {numbers.plain(array.get('sd'), 4)}" + (f", {array['missing']} missing" if "missing" in array else "")
        for array in data.get("observed", [])
    ]
    left_out = rows.get("left_out_rows") and (
        f"{rows['left_out']}, which lack a value of {', '.join(rows['lacking'])}: {rows['left_out_rows']}"
    )
    return [
        *(("Data file", f"{file['path']} ({file['key']}), SHA-256 {file['sha256']}") for file in summary.get("files", [])),
        ("Observations", "; ".join(observed)),
        *((given["name"].capitalize(), ", ".join(given["columns"])) for given in data.get("given", []) if "columns" in given),
        ("Rows left out", left_out),
        ("Priors", "; ".join(data.get("priors", []))),
    ]


def _run_table(run):
    summary, timing = run.summary, run.summary.get("timing") or {}
    diagnostics = {
        name: value
        for name, value in (summary.get("diagnostics") or {}).items()
        if numbers.is_number(value) and name not in OF_REPLICATES
    }
    rows = [
        ("Algorithm", summary.get("algorithm")),
        ("Model", summary.get("model")),
        ("Status", summary.get("status")),
        ("Seed", summary.get("seed")),
        ("Ranks", summary.get("ranks")),
        ("Block", summary.get("block")),
        ("Size", tables.size(run)),
    ]
    rows += _data(summary)
    if "wall_seconds" in timing:
        rows.append(("Wall time", numbers.duration(timing["wall_seconds"])))
    if "updates_per_second" in timing:
        rows.append(
            ("Rate", f"{numbers.plain(timing['updates_per_second'], 4)} {timing.get('unit', 'updates')} per second")
        )
    if "busiest_rank" in timing:
        peak = timing["busiest_rank"].get("peak_memory_bytes", 0) / 2**20
        rows.append(("Memory", f"{numbers.plain(peak, 3)} MiB on the rank that needed most"))
    for name, value in diagnostics.items():
        label = "Effective sample size" if name == "ess" else name.replace("_", " ").capitalize()
        rows.append((label, numbers.plain(value, 4)))
    rows += [
        ("Build", summary.get("build")),
        ("Version", run.build.get("version")),
        ("Compiler", run.build.get("compiler")),
        ("Libraries", run.build.get("libraries")),
        ("Digest", summary.get("digest")),
    ]
    remarks = "".join(elements.note(f"{remark}.") for remark in run.remarks)
    return f'<section id="run">\n<h2>Run</h2>\n{elements.facts(rows)}{remarks}</section>'
