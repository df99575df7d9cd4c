"""Markov chains: where they went, and a table of them; rounds of adaptive importance sampling."""

import html
import itertools

import numpy

from . import numbers
from .style import BLUE, GREEN, GREY, ORANGE, VERMILLION, blue_on, finish, legend_columns, new_axes

MOST_CHAINS = 4  # in a trace
MOST_PARAMETERS = 6
MOST_POINTS = 400  # of a chain in a figure
MOST_RANK_BINS = 20


def traces(run):
    """The recorded draws of the first chains against their number, one figure a parameter."""
    if not _has_chains(run):
        return []
    return [_trace(run, j) for j in range(min(run.samples.shape[1], MOST_PARAMETERS))]


def _has_chains(run):
    return run.chain is not None and run.samples is not None and len(run.chain) == len(run.samples)


def _trace(run, j):
    figure, axes = new_axes()
    n_shown = draw_trace(axes, run, j)
    n_chains = len(set(run.chain.tolist()))
    caption = f"{numbers.counted(n_shown, 'chain')} of {n_chains}, thinned for drawing. Level stretches are where a chain stood still."
    return finish(figure, f"trace-{j + 1:02d}", "chains", f"Trace of {run.sample_names[j]}", caption)


def draw_trace(axes, run, j):
    """Parameter j of the first chains; how many, or None where there are none."""
    if not _has_chains(run):
        return None
    shown = sorted(set(run.chain.tolist()))[:MOST_CHAINS]
    for colour, chain in zip(_colours(axes), shown):
        values = run.samples[run.chain == chain, j]
        at = numpy.unique(numpy.linspace(0, len(values) - 1, min(len(values), MOST_POINTS)).astype(int))
        axes.plot(at + 1, values[at], color=colour, linewidth=0.7, label=f"chain {chain:.0f}")
    _name_chains(axes, len(shown))
    axes.set_xlabel("Recorded draw after burn-in")
    axes.set_ylabel(run.sample_names[j])
    return len(shown)


def _colours(axes):
    return (blue_on(axes), ORANGE, GREEN, VERMILLION)


def _name_chains(axes, n):
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), borderaxespad=0, ncols=legend_columns(axes, n))


def draw_ranks(axes, run, j):
    """How often draws of each chain have each rank among those of all chains, in the band of 95 % of chains that mix
    (Vehtari et al. 2021); how many chains, or None where there are fewer than two."""
    if not _has_chains(run) or len(set(run.chain.tolist())) < 2:
        return None
    chains = sorted(set(run.chain.tolist()))
    ranks = numpy.argsort(numpy.argsort(run.samples[:, j], kind="stable")) / len(run.chain)
    entry = next((entry for entry in run.summary_of_parameters() if entry.get("name") == run.sample_names[j]), {})
    independent = (entry.get("ess") or len(run.chain)) / len(chains)
    edges = numpy.linspace(0, 1, int(numpy.clip(independent / 10, 4, MOST_RANK_BINS)) + 1)
    spread = 1.96 * numpy.sqrt((len(edges) - 1) / independent)  # of a share of 1 / bins, in units of it
    axes.axhspan(max(0, 1 - spread), 1 + spread, color=GREY, alpha=0.2, linewidth=0)
    for colour, chain in zip(itertools.cycle(_colours(axes)), chains):
        height = numpy.histogram(ranks[run.chain == chain], edges, density=True)[0]
        axes.stairs(height, edges, baseline=None, color=colour, linewidth=1, alpha=0.8, label=f"chain {chain:.0f}")
    if len(chains) <= MOST_CHAINS:
        _name_chains(axes, len(chains))
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"Rank of {run.sample_names[j]}, as a share")
    axes.set_ylabel("Density")
    return len(chains)


def rounds(run):
    """The share of the draws that is effective, round by round."""
    draws, ess = run.importance.get("draws"), run.importance.get("ess")
    if draws is None or ess is None or len(draws) != len(ess):
        return None
    figure, axes = new_axes()
    axes.plot(numpy.arange(1, len(ess) + 1), ess / draws, "o-", color=BLUE)
    axes.set_xticks(numpy.arange(1, len(ess) + 1, max(1, len(ess) // 10)))
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("Round")
    axes.set_ylabel("Effective share of the draws")
    caption = f"The last round has the {draws[-1]:.0f} draws of the result; the others adapted the proposal."
    return finish(figure, "rounds", "estimates", "Adaptation of the proposal", caption)


def table(summary):
    """A row a chain; empty if the run had none."""
    entries = [entry for entry in summary.get("chains") or [] if isinstance(entry, dict)]
    if not entries:
        return ""
    rows = "\n".join(
        "<tr>"
        + "".join(
            f"<td>{html.escape(str(cell))}</td>"
            for cell in (
                chain,
                numbers.fixed(entry["acceptance"], 3) if numbers.is_number(entry.get("acceptance")) else "",
                entry.get("longest_stay", ""),
            )
        )
        + "</tr>"
        for chain, entry in enumerate(entries)
    )
    return (
        '<section id="chains">\n<h2>Chains</h2>\n<div class="scroll"><table class="numeric">\n<thead><tr>'
        "<th>chain</th><th>acceptance</th><th>longest stay (iterations)</th></tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table></div>\n</section>"
    )
