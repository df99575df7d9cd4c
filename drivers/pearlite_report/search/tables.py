"""The numbers of a search as HTML: its best state and its replicates."""

import html
import math

from .. import numbers
from .progress import has_stages_before

MAX_STATE = 12  # numbers of the best state that are shown
MANY_REPLICATES = 1000  # beyond it rows of the table are left out
FEW_REPLICATES = 10  # up to it the table is unfolded


def best_state(run):
    """The lowest energy in large letters, and facts about it; empty if the run has none."""
    best = run.summary.get("best")
    if not isinstance(best, dict) or "energy" not in best:
        return ""
    minimum = best.get("known_minimum")
    rows = [
        ("Known minimum", numbers.plain(minimum, 10) if numbers.is_number(minimum) else ""),
        ("Found", _where_found(run, best)),
        ("Problem", _settings(run.settings("model"), but=("name",))),
        ("Search", size(run)),
        ("State", _state(run, best)),
    ]
    return (
        f'<div class="estimate"><div class="name">lowest energy found</div>\n'
        f'<div class="value">{_text(numbers.plain(best["energy"], 10))}</div>\n{_facts(rows)}</div>'
    )


def polished_state(run):
    """The lowest energy that descents from the replicates' best states ended at; empty if there were none."""
    polished = run.summary.get("polished")
    if not isinstance(polished, dict) or "energy" not in polished:
        return ""
    counts = [("energies", "energy"), ("gradients", "gradient")]
    cost = [
        numbers.counted(polished[name], noun, name) for name, noun in counts if numbers.is_number(polished.get(name))
    ]
    if len(_replicates(run)) > 1 and numbers.is_number(polished.get("replicate")):
        cost.append(f"replicate {polished['replicate']}")
    rows = [("Descent", "; ".join(cost)), ("State", _first_numbers(polished.get("state")))]
    return (
        f'<div class="estimate"><div class="name">lowest energy after descents from the best states</div>\n'
        f'<div class="value">{_text(numbers.plain(polished["energy"], 10))}</div>\n{_facts(rows)}</div>'
    )


def _where_found(run, best):
    parts = []
    if numbers.is_number(best.get("evaluations")):
        parts.append(f"after {numbers.counted(best['evaluations'], 'proposal')}")
    if numbers.is_number(best.get("iteration")):
        among = ", with those that found the range and the scales" if has_stages_before(run) else ""
        parts.append(f"iteration {numbers.plain(best['iteration'])}{among}")
    if len(_replicates(run)) > 1 and numbers.is_number(best.get("replicate")):
        parts.append(f"replicate {best['replicate']}")
    return "; ".join(parts)


def _settings(settings, but):
    parts = []
    for name, value in settings.items():
        if name in but or isinstance(value, (dict, list)):
            continue
        words = name.replace("_", " ")
        if isinstance(value, bool):
            parts.append(words if value else f"not {words}")
        else:
            parts.append(f"{words} {numbers.plain(value) if numbers.is_number(value) else value}")
    return ", ".join(parts)


def size(run):
    """How many of each kind the run had, by its configuration."""
    settings = run.settings("algorithm")
    counts = [
        ("replicates", "replicate"),
        ("particles", "particle"),
        ("trajectories", "trajectory", "trajectories"),
        ("replicas", "system"),
        ("chains", "chain"),
        ("scans", "scan"),
        ("iterations", "iteration"),
        ("regions", "grid point"),
    ]
    return ", ".join(
        numbers.counted(settings[name], *nouns) for name, *nouns in counts if numbers.is_number(settings.get(name))
    )


def _state(run, best):
    """The first numbers of a point; networks and images are drawn instead."""
    if run.graph:
        return "the network drawn below; as Graphviz text in summary.json and results.h5 (best/graph)"
    return _first_numbers(best.get("state")) or ("in results.h5, best/state" if run.search else "")


def _first_numbers(state):
    if not isinstance(state, list) or not state:
        return ""
    first = ", ".join(numbers.plain(value, 8) for value in state[:MAX_STATE])
    return first + (f", …; all {len(state)} numbers are in summary.json" if len(state) > MAX_STATE else "")


def replicates(run):
    """Statistics over the replicates of a search, and each of them; empty for a single one."""
    rows = _replicates(run)
    best = _finite(rows, "best")
    if len(best) < 2:
        return ""
    facts = [
        ("Replicates", numbers.plain(len(rows))),
        ("Without a finite energy", numbers.plain(len(rows) - len(best)) if len(best) < len(rows) else ""),
        *_spread(_finite(rows, "polished"), "Mean after descents"),
        ("Success rate after descents", _success(run, rows, "success_rate_polished")),
        *_spread(best, "Mean best energy"),
        ("Success rate", _success(run, rows, "success_rate")),
        ("Proposals", _evaluations(rows)),
        ("Time", _time(run, rows)),
    ]
    return f'<section id="replicates">\n<h2>Replicates</h2>\n{_facts(facts)}{_each(rows, _limit(run))}</section>'


def _finite(rows, name):
    return [row[name] for row in rows if numbers.is_number(row.get(name)) and math.isfinite(row[name])]


def _spread(values, name):
    if len(values) < 2:
        return []
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return [
        (name, _with_error(mean, sd / math.sqrt(len(values)))),
        ("Standard deviation", numbers.plain(sd, 4)),
        ("Lowest and highest", f"{numbers.plain(min(values), 8)} and {numbers.plain(max(values), 8)}"),
    ]


def _with_error(mean, error):
    if error == 0:
        return f"{numbers.plain(mean, 10)} (all the same)"
    return f"{numbers.with_precision_of(mean, error)} ± {numbers.with_precision_of(error, error)}"


def _limit(run):
    """The energy below which a replicate counts as a success, or None."""
    limit = run.settings("algorithm").get("success_below")
    return limit if numbers.is_number(limit) else None


def _success(run, rows, name):
    rate = (run.summary.get("diagnostics") or {}).get(name)
    if not numbers.is_number(rate) or not 0 <= rate <= 1:
        return ""
    below = "" if _limit(run) is None else f" below {numbers.plain(_limit(run), 8)}"
    error = math.sqrt(rate * (1 - rate) / len(rows))
    shown = numbers.plain(rate, 3) + (f" ± {numbers.plain(error, 2)}" if error > 0 else "")
    return f"{shown} ({round(rate * len(rows))} of {len(rows)}{below})"


def _evaluations(rows):
    counts = [row["evaluations"] for row in rows if numbers.is_number(row.get("evaluations"))]
    if not counts:
        return ""
    return f"{numbers.plain(sum(counts))} in all, {numbers.plain(round(sum(counts) / len(counts)))} a replicate on average"


def _time(run, rows):
    seconds, ranks = (run.summary.get("timing") or {}).get("wall_seconds"), run.summary.get("ranks")
    if not numbers.is_number(seconds):
        return ""
    if not numbers.is_number(ranks) or ranks < 1:
        return numbers.duration(seconds)
    where = f"on {numbers.counted(ranks, 'rank')}"
    return f"{numbers.duration(seconds)} {where}; {numbers.duration(seconds * ranks / len(rows))} of a rank a replicate"


def _each(rows, limit):
    columns = {"polished": "after its descent"} if any("polished" in row for row in rows) else {}
    columns |= {"best": "best energy", "best_evaluations": "proposals to find it", "evaluations": "proposals in all"}
    heads = ["replicate", "seed", *columns.values()]
    heads += [] if limit is None else [f"below {numbers.plain(limit, 8)}"]
    cells = "\n".join(_row(place, row, columns, limit) for place, row in enumerate(rows[:MANY_REPLICATES]))
    head = "".join(f"<th>{_text(name)}</th>" for name in heads)
    more = f'<p class="note">The first {MANY_REPLICATES} of {len(rows)}.</p>\n' if len(rows) > MANY_REPLICATES else ""
    unfolded = " open" if len(rows) <= FEW_REPLICATES else ""
    return (
        f'<details{unfolded}>\n<summary>Each of them</summary>\n<div class="scroll"><table class="numeric">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{cells}\n</tbody>\n</table></div>\n{more}</details>\n"
    )


def _row(place, row, names, limit):
    best = row.get("best")
    cells = [place, row.get("seed", "")]
    cells += [numbers.plain(row[name], 10) if name in row else "" for name in names]
    if limit is not None:
        cells.append("yes" if numbers.is_number(best) and best < limit else "no")
    return "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells) + "</tr>"


def _replicates(run):
    return [row for row in run.summary.get("replicates") or [] if isinstance(row, dict)]


def _facts(rows):
    body = "\n".join(f'<tr><th scope="row">{name}</th><td>{_text(value)}</td></tr>' for name, value in rows if value)
    return f'<table class="facts">\n{body}\n</table>\n' if body else ""


def _text(value):
    return html.escape(str(value))
