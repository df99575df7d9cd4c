"""Estimators of several runs against a setting in which they differ."""

from .estimates import bounds_of, exact_of, interval_of, usable_estimates
from .style import BLUE, GREEN, GREY, ORANGE, VERMILLION, WIDE, as_svg, drawing_style, new_axes

_COLOURS = {
    "bar": VERMILLION,
    "histogram": "#8b1a1a",
    "jarzynski-forward": BLUE,
    "jarzynski-reverse": GREEN,
    "product": BLUE,
    "stepping-stone": "#CC79A7",
    "thermodynamic-integration": "#56B4E9",
}


def estimates_of(run):
    """estimator -> its first usable entry; cumulants, which are exact for normal works only, are left out."""
    first = {}
    for entry in usable_estimates(run, "log_ratio"):
        name = str(entry.get("estimator", "?"))
        if not name.startswith("cumulant"):
            first.setdefault(name, entry)
    return first


def table(rows, key):
    """Text: the setting, and every estimator with its standard error."""
    names = _names(rows)
    lines = [f"{key:>20}" + "".join(f"{name:>28}" for name in names)]
    for value, run in rows:
        cells = []
        for name in names:
            entry = estimates_of(run).get(name)
            error = entry and entry.get("standard_error")
            cells.append("" if entry is None else f"{entry['value']:.4f}" + (f" +- {error:.4f}" if error else " (no error)"))
        lines.append(f"{value:>20}" + "".join(f"{cell:>28}" for cell in cells))
    return "\n".join(lines)


def draw(rows, key):
    """The figure, as SVG."""
    with drawing_style():
        figure, axes = new_axes((1.4 * WIDE[0], 1.3 * WIDE[1]))
        bounds = [(value, *bounds_of(run)) for value, run in rows if bounds_of(run)[0] is not None]
        if len(bounds) > 1:
            at, lower, upper = zip(*bounds)
            axes.fill_between(at, lower, upper, color=ORANGE, alpha=0.12, linewidth=0, label="between the bounds")
        names = _names(rows)
        for place, name in enumerate(names):
            points = [(value, estimates_of(run)[name]) for value, run in rows if name in estimates_of(run)]
            nudge = 1 + 0.03 * (place - (len(names) - 1) / 2)  # so that intervals do not hide each other
            at = [value * nudge for value, _ in points]
            colour = _COLOURS.get(name, GREY)
            axes.plot(at, [entry["value"] for _, entry in points], "o-", color=colour, markersize=4, linewidth=0.8, label=name)
            for x, (_, entry) in zip(at, points):
                if interval_of(entry) is not None:
                    axes.plot([x, x], interval_of(entry), color=colour, linewidth=1.6, alpha=0.6)
        exact = {exact_of(entry) for _, run in rows for entry in estimates_of(run).values()} - {None}
        if len(exact) == 1:
            axes.axhline(exact.pop(), color=GREEN, linestyle="--", linewidth=1.1, label="exact")
        axes.set_xscale("log")
        axes.set_xlabel(key)
        axes.set_ylabel("log Z / Z₀ (nats)")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        return as_svg(figure)


def _names(rows):
    seen = {}
    for _, run in rows:
        for name in estimates_of(run):
            seen.setdefault(name)
    return list(seen)
