"""The HTML page: one file with its figures inside, no scripts, nothing fetched."""

import base64
import html
import math
import pathlib

from . import chains, numbers
from .estimates import exact_of, interval_of, name_of
from .search import tables

ALGORITHMS = {
    "annealed-importance": "Annealed importance sampling",
    "smc": "Sequential Monte Carlo",
    "resample-move": "Resample-move",
    "nonequilibrium": "Nonequilibrium work",
    "parallel-tempering": "Parallel tempering",
    "importance-squared": "Importance sampling squared",
    "pseudo-marginal": "Pseudo-marginal Metropolis-Hastings",
    "schedule": "Schedule optimisation",
    "sa": "Simulated annealing",
    "vfsa": "Simulated annealing of a population",
    "saa": "Stochastic approximation annealing",
    "psaa": "Parallel stochastic approximation annealing",
    "asamc": "Annealing stochastic approximation Monte Carlo",
    "aesamc": "Annealing evolutionary stochastic approximation Monte Carlo",
    "pisaa": "Parallel and interacting stochastic approximation annealing",
}
MANY_ESTIMATES = 6
OF_REPLICATES = {  # shown with the replicates
    "mean_best",
    "sd_best",
    "success_rate",
    "mean_polished",
    "sd_polished",
    "success_rate_polished",
}
LARGE_Z_SCORE = 3.0  # beyond it, chance alone is an explanation once in 370


def render(run, pictures):
    """The whole page as a string."""
    title = _title(run.summary)
    parts = [
        _header(run, title),
        _status(run.summary),
        _headline(run),
        _warnings(run.summary),
        _figures("Estimates and weights", pictures, "estimates"),
        _figures("Best state", pictures, "state-wide", "wide"),
        _figures("Best state", pictures, "state"),
        _figures("Search", pictures, "search"),
        tables.replicates(run),
        _posterior(run.summary, pictures),
        chains.table(run.summary),
        _figures("Traces", pictures, "chains"),
        _figures("Predictions", pictures, "predictions-wide", "wide"),
        _figures("Predictive checks", pictures, "predictions"),
        _figures("Final particles", pictures, "particles", "sheet"),
        _figures("Along the path", pictures, "annealing", remark=_which_batch(run)),
        _run_table(run),
        _configuration(run),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{_text(title)}</title>\n'
        f"<style>\n{_style()}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _style():
    return pathlib.Path(__file__).with_name("page.css").read_text(encoding="utf-8")


def _title(summary):
    algorithm = str(summary.get("algorithm", "unknown algorithm"))
    return f"{summary.get('model', 'unknown model')} \N{MIDDLE DOT} {ALGORITHMS.get(algorithm, algorithm)}"


def _header(run, title):
    return (
        f'<header>\n<p class="kicker">Pearlite run report \N{MIDDLE DOT} {_text(run.directory.resolve().name)}</p>\n'
        f"<h1>{_text(title)}</h1>\n</header>"
    )


def _status(summary):
    if summary.get("status", "finished") == "finished":
        return ""
    return (
        f'<section class="box warning">\n<h2>This run is {_text(summary["status"])}, not finished</h2>\n'
        "<p>All numbers and figures belong to the part that has run; they are not the result.</p>\n</section>"
    )


# ---- headline -------------------------------------------------------------------------------------------------------


def _headline(run):
    summary = run.summary
    all_entries = [entry for entry in summary.get("log_evidence") or [] if isinstance(entry, dict)]
    # One estimator in large letters; where there are many, the others in a table.
    first = all_entries[0].get("estimator") if len(all_entries) > MANY_ESTIMATES else None
    large = [entry for entry in all_entries if first is None or entry.get("estimator") == first]
    entries = [_estimate(entry) for entry in large]
    if first is not None:
        ratios = [entry for entry in all_entries if entry.get("quantity", "log_ratio") == "log_ratio"]
        entries.append(_estimates_table([entry for entry in ratios if entry.get("estimator") != first]))
    entries += [found for found in (tables.best_state(run), tables.polished_state(run)) if found]
    verdict = f"<p>{_text(summary['verdict'])}</p>\n" if summary.get("verdict") else ""
    if not entries and not verdict:
        return ""
    return f'<section class="box" id="result">\n<h2>Result</h2>\n{verdict}' + "\n".join(entries) + "\n</section>"


def _estimate(entry):
    name = _text(name_of(entry))
    if "refused" in entry:
        return (
            f'<div class="estimate"><div class="name">{name}</div>\n'
            f'<p class="refused">Refused: {_text(entry["refused"])}</p></div>'
        )
    value, error = entry.get("value"), entry.get("standard_error")
    symbol = "log Z" if entry.get("quantity") == "log_normaliser" else "log Z/Z<sub>0</sub>"
    line = f"{symbol} = {_text(numbers.with_precision_of(value, error))}"
    if numbers.is_number(error):
        line += f" ± {_text(numbers.with_precision_of(error, error))}"
    if interval_of(entry) is not None:
        low, high = (_text(numbers.with_precision_of(bound, error)) for bound in interval_of(entry))
        line += f' <span class="interval">(95 % interval {low} to {high})</span>'
    elif not numbers.is_number(error):
        line += ' <span class="interval">(no standard error)</span>'
    return (
        f'<div class="estimate"><div class="name">{name}</div>\n<div class="value">{line}</div>\n'
        f"{_against_exact(entry)}{_note(entry)}</div>"
    )


def _estimates_table(entries):
    rows = []
    for entry in entries:
        error, interval = entry.get("standard_error"), interval_of(entry)
        cells = [
            name_of(entry),
            entry.get("refused") or _cell(entry.get("value"), error),
            _cell(error, error),
            "" if interval is None else " to ".join(_cell(bound, error) for bound in interval),
            numbers.fixed(entry["z_score"], 2) if numbers.is_number(entry.get("z_score")) else "",
            entry.get("note", ""),
        ]
        rows.append("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells) + "</tr>")
    heads = "".join(
        f"<th>{head}</th>"
        for head in ("estimator", "log Z/Z<sub>0</sub>", "standard error", "95 % interval", "z", "remark")
    )
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table class="numeric">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n'
        "</table></div>\n"
    )


def _note(entry):
    return f'<p class="note">{_text(entry["note"])}</p>' if entry.get("note") else ""


def _against_exact(entry):
    exact, z_score = exact_of(entry), entry.get("z_score")
    if exact is None:
        return ""
    text = f"Exact {_text(numbers.with_precision_of(exact, entry.get('standard_error')))}"
    if numbers.is_number(z_score):
        z_text = f"z = {_text(numbers.fixed(z_score, 2))}"
        if not math.isfinite(z_score) or abs(z_score) > LARGE_Z_SCORE:
            z_text = f'<span class="large">{z_text}: the estimate and the exact value do not agree</span>'
        text += f", {z_text}"
    return f"<p>{text}</p>"


def _warnings(summary):
    warnings = (summary.get("diagnostics") or {}).get("warnings") or []
    warnings = [warnings] if isinstance(warnings, str) else warnings
    if not warnings:
        return ""
    items = "\n".join(f"<li>{_text(warning)}</li>" for warning in warnings)
    heading = "Warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    return f'<section class="box warning" id="warnings">\n<h2>{heading}</h2>\n<ul>\n{items}\n</ul>\n</section>'


# ---- figures and tables ---------------------------------------------------------------------------------------------


def _figures(heading, pictures, section, style="", remark=""):
    chosen = [picture for picture in pictures if picture.section == section]
    if not chosen:
        return ""
    body = "\n".join(_figure(picture, style) for picture in chosen)
    note = f'<p class="note">{_text(remark)}</p>\n' if remark else ""
    return f'<section>\n<h2>{_text(heading)}</h2>\n{note}<div class="figures">\n{body}\n</div>\n</section>'


def _which_batch(run):
    n_batches = 0 if run.batch_log_ratio is None else len(run.batch_log_ratio)
    return f"Recorded in batch 0 of {n_batches}." if n_batches > 1 else ""


def _figure(picture, style=""):
    caption = f"<b>{_text(picture.title)}.</b> {_text(picture.caption)}"
    return f'<figure class="{style}">{_image(picture)}\n<figcaption>{caption}</figcaption></figure>'


def _image(picture):
    kind = "image/svg+xml" if picture.suffix == "svg" else f"image/{picture.suffix}"
    data = base64.b64encode(picture.data).decode("ascii")
    return f'<img alt="{_text(picture.title)}" src="data:{kind};base64,{data}">'


def _posterior(summary, pictures):
    table = _posterior_table([entry for entry in summary.get("posterior") or [] if isinstance(entry, dict)])
    chosen = [picture for picture in pictures if picture.section == "posterior"]
    if not table and not chosen:
        return ""
    drawings = ""
    if chosen:
        images = "\n".join(f"<figure>{_image(picture)}</figure>" for picture in chosen)
        drawings = (
            f'<div class="small">\n{images}\n</div>\n<p class="note">Marginal densities between their 0.1 % and '
            f"99.9 % quantiles; the line is the mean. {_text(chosen[0].caption)}</p>"
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
    rows = []
    for entry in entries:
        mcse, sd = entry.get("mcse"), entry.get("sd")
        # Without an error of the mean, a hundredth of the sd is as far as anybody reads.
        precision = mcse if mcse is not None or sd is None else sd / 100
        cells = [
            entry.get("name", "?"),
            _cell(entry.get("mean"), precision),
            _cell(sd, precision),
            _cell(mcse, mcse),
            "" if entry.get("ess") is None else numbers.plain(entry["ess"], 4),
        ]
        cells += [numbers.plain(entry[key], 4) if numbers.is_number(entry.get(key)) else "" for key in of_chains]
        cells += [_cell((entry.get("quantiles") or {}).get(level), precision) for level in levels]
        rows.append("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{_text(name)}</th>" for name in heads)
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table class="numeric">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n'
        "</table></div>\n"
    )


def _cell(value, standard_error):
    return "" if value is None else numbers.with_precision_of(value, standard_error)


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
    ]
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
    body = "\n".join(
        f'<tr><th scope="row">{name}</th><td>{_text(_joined(value))}</td></tr>'
        for name, value in rows
        if value not in (None, "", [])
    )
    remarks = "".join(f'<p class="note">{_text(remark)}.</p>\n' for remark in run.remarks)
    return f'<section id="run">\n<h2>Run</h2>\n<table class="facts">\n{body}\n</table>\n{remarks}</section>'


def _joined(value):
    return ", ".join(str(item) for item in value) if isinstance(value, list) else value


def _configuration(run):
    if not run.configuration:
        return ""
    return (
        f'<section id="configuration">\n<h2>Configuration</h2>\n<details>\n<summary>As resolved by the program'
        f"</summary>\n<pre>{_text(run.configuration.strip())}</pre>\n</details>\n</section>"
    )


def _text(value):
    return html.escape(str(value))
