"""The numbers of a search as HTML: its best state and its replicates."""

import html
import math
import tomllib

from . import numbers

MAX_STATE = 12  # numbers of the best state that are shown
MANY_REPLICATES = 1000  # beyond it rows of the table are left out


def best_state(run):
    """The lowest energy in large letters, and what is known of it; empty if the run has none."""
    best = run.summary.get("best")
    if not isinstance(best, dict) or "energy" not in best:
        return ""
    rows = []
    minimum = best.get("known_minimum")
    if numbers.is_number(minimum):
        gap = best["energy"] - minimum if numbers.is_number(best["energy"]) else None
        rows.append(("Known minimum", f"{numbers.plain(minimum, 10)}; the best is {_gap(gap)}"))
    if numbers.is_number(best.get("iteration")):
        where = f"iteration {numbers.plain(best['iteration'])}"
        if numbers.is_number(best.get("evaluations")):
            where += f", after {numbers.counted(best['evaluations'], 'energy', 'energies')}"
        if len(_replicates(run)) > 1 and numbers.is_number(best.get("replicate")):
            where += f", replicate {best['replicate'] + 1}"
        rows.append(("Found at", where))
    rows.append(("State", _state(run, best)))
    return (
        f'<div class="estimate"><div class="name">lowest energy found</div>\n'
        f'<div class="value">{_text(numbers.plain(best["energy"], 10))}</div>\n{_facts(rows)}</div>'
    )


def _gap(gap):
    if gap is None or not math.isfinite(gap):
        return numbers.plain(gap)
    return "equal to it" if gap == 0 else f"{numbers.plain(abs(gap), 3)} {'above' if gap > 0 else 'below'} it"


def _state(run, best):
    """The first numbers of a point; networks and images are drawn instead."""
    if run.graph:
        return "the network drawn below; as Graphviz text in summary.json"
    state = best.get("state")
    if not isinstance(state, list) or not state:
        return "in results.h5, best/state" if run.search else ""
    first = ", ".join(numbers.plain(value, 8) for value in state[:MAX_STATE])
    return first + (f", …; all {len(state)} numbers are in summary.json" if len(state) > MAX_STATE else "")


def replicates(run):
    """Statistics over the replicates of a search, and each of them; empty for a single one."""
    rows = _replicates(run)
    best = [row["best"] for row in rows if numbers.is_number(row.get("best")) and math.isfinite(row["best"])]
    if len(best) < 2:
        return ""
    mean = sum(best) / len(best)
    sd = math.sqrt(sum((value - mean) ** 2 for value in best) / (len(best) - 1))
    error = sd / math.sqrt(len(best))
    facts = [
        ("Replicates", numbers.plain(len(rows))),
        ("Mean best energy", f"{numbers.with_precision_of(mean, error)} ± {numbers.with_precision_of(error, error)}"),
        ("Standard deviation", numbers.plain(sd, 4)),
        ("Lowest and highest", f"{numbers.plain(min(best), 8)} and {numbers.plain(max(best), 8)}"),
        ("Success rate", _success(run, rows)),
        ("Energies computed", _evaluations(rows)),
    ]
    return f'<section id="replicates">\n<h2>Replicates</h2>\n{_facts(facts)}{_each(rows)}</section>'


def _success(run, rows):
    rate = (run.summary.get("diagnostics") or {}).get("success_rate")
    if not numbers.is_number(rate):
        return ""
    below = ""
    try:
        limit = tomllib.loads(run.configuration)["algorithm"]["success_below"]
        below = f" below {numbers.plain(limit, 8)}"
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        pass
    error = math.sqrt(rate * (1 - rate) / len(rows))
    return f"{numbers.plain(rate, 3)} ± {numbers.plain(error, 2)} ({round(rate * len(rows))} of {len(rows)}{below})"


def _evaluations(rows):
    counts = [row["evaluations"] for row in rows if numbers.is_number(row.get("evaluations"))]
    if not counts:
        return ""
    return f"{numbers.plain(sum(counts))} in all, {numbers.plain(round(sum(counts) / len(counts)))} a replicate on average"


def _each(rows):
    cells = [
        "<tr>"
        + "".join(
            f"<td>{_text(cell)}</td>"
            for cell in (
                place + 1,
                row.get("seed", ""),
                numbers.plain(row.get("best"), 10),
                numbers.plain(row.get("best_evaluations", ""), 10),
                numbers.plain(row.get("evaluations", ""), 10),
            )
        )
        + "</tr>"
        for place, row in enumerate(rows[:MANY_REPLICATES])
    ]
    heads = "".join(
        f"<th>{head}</th>" for head in ("replicate", "seed", "best energy", "energies to find it", "energies in all")
    )
    body = "\n".join(cells)
    more = f'<p class="note">The first {MANY_REPLICATES} of {len(rows)}.</p>\n' if len(rows) > MANY_REPLICATES else ""
    return (
        f'<details>\n<summary>Each of them</summary>\n<div class="scroll"><table class="numeric">\n<thead><tr>{heads}</tr>'
        f"</thead>\n<tbody>\n{body}\n</tbody>\n</table></div>\n{more}</details>\n"
    )


def _replicates(run):
    return [row for row in run.summary.get("replicates") or [] if isinstance(row, dict)]


def _facts(rows):
    body = "\n".join(f'<tr><th scope="row">{name}</th><td>{_text(value)}</td></tr>' for name, value in rows if value)
    return f'<table class="facts">\n{body}\n</table>\n' if body else ""


def _text(value):
    return html.escape(str(value))
