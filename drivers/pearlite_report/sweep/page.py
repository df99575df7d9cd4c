"""The page of a sweep: one file with its figures inside; its only links are those to single runs."""

from .. import elements, numbers, words
from . import asked, surface, tables

_MANY_FAILURES = 50


def render(sweep, pictures, output):
    """The whole page, which is to be in `output`, as a string."""
    title = _title(sweep)
    parts = [
        elements.header(f"Pearlite sweep report \N{MIDDLE DOT} {sweep.directory.resolve().name}", title),
        _failures(sweep),
        elements.warnings(sweep.summary.get("warnings")),
        _facts(sweep),
        elements.figures("Figures", pictures, "asked"),
        asked.tables(sweep),
        tables.settings(sweep),
        elements.figures("Scalars", pictures, "scalars"),
        elements.figures("Coverage", pictures, "coverage"),
        elements.figures("Evidence", pictures, "evidence"),
        surface.weighted(sweep),
        elements.figures("Progress of the searches", pictures, "progress"),
        elements.figures("Masses of the regions", pictures, "masses"),
        elements.figures("Works", pictures, "works"),
        elements.figures("Along the path", pictures, "paths"),
        tables.pairs(sweep),
        tables.runs(sweep, output),
        _names(sweep),
        elements.configuration(sweep.configuration, "As it was given"),
    ]
    return elements.document(title, parts)


def _title(sweep):
    """The model and the algorithm, or the model and the swept keys if settings may differ in the algorithm."""
    if not _may_differ(sweep):
        return words.title_of(sweep.summary)
    swept = " and ".join(words.of_key(axis).lower() for axis in sweep.axes)
    return f"{sweep.summary.get('model', 'unknown model')} \N{MIDDLE DOT} by {swept}"


def _may_differ(sweep):
    """Whether settings may have different algorithms or models: variants are whole tables."""
    return any("." not in axis or axis in ("algorithm.name", "model.name") for axis in sweep.axes)


def _failures(sweep):
    """The failed runs, at the head of the page: means are over the other runs."""
    failures = [row for row in sweep.summary.get("failures") or [] if isinstance(row, dict)]
    n_failed = sweep.summary.get("failed", len(failures))
    if not n_failed:
        return ""
    n_runs = sweep.summary.get("runs", len(sweep.runs["setting"]))
    shown = [
        f"Run {row.get('run', '?')}, {_where(sweep, row)}, seed {row.get('seed', '?')}: "
        f"{row.get('error', 'no reason given')}"
        for row in failures[:_MANY_FAILURES]
    ]
    if len(failures) > _MANY_FAILURES:
        shown.append(f"and {numbers.plain(len(failures) - _MANY_FAILURES)} more, in summary.json")
    without = "it" if n_failed == 1 else "them"
    heading = f"{numbers.plain(n_failed)} of {numbers.counted(n_runs, 'run')} failed; all means are without {without}"
    return elements.warning_box(heading, shown or ["No reason is recorded."], "failures")


def _where(sweep, row):
    number = row.get("setting")
    known = isinstance(number, int) and 0 <= number < len(sweep.settings)
    setting = words.of_setting(sweep.settings[number]) if known else ""
    replicate = f"replicate {row.get('replicate', '?')}"
    return f"{setting}, {replicate}" if setting else replicate


def _facts(sweep):
    summary = sweep.summary
    seeds = {"common": "the same at every setting", "separate": "separate at every setting"}
    timing = summary.get("timing") or {}
    first = " of the first setting" if _may_differ(sweep) else ""
    rows = [
        (f"Model{first}", summary.get("model")),
        (f"Algorithm{first}", summary.get("algorithm")),
        *((f"Swept: {axis}", ", ".join(map(words.of_value, sweep.values_of(axis)))) for axis in sweep.axes),
        ("Settings", numbers.plain(len(sweep.settings))),
        ("Replicates", f"{sweep.replicates} a setting" if "replicates" in summary else ""),
        ("Seeds", seeds.get(summary.get("seeds"), summary.get("seeds"))),
        ("Runs", f"{numbers.plain(summary.get('finished'))} finished of {numbers.plain(summary.get('runs'))}"),
        ("Status", summary.get("status")),
        ("Wall time", numbers.duration(timing["wall_seconds"]) if "wall_seconds" in timing else ""),
        ("Build", summary.get("build")),
        ("Version", sweep.build.get("version")),
        ("Compiler", sweep.build.get("compiler")),
        ("Libraries", sweep.build.get("libraries")),
        ("Digest", summary.get("digest") or "none: the runs had a budget in time, or failed"),
    ]
    remarks = "".join(elements.note(f"{remark}.") for remark in sweep.remarks)
    return f'<section id="sweep">\n<h2>Sweep</h2>\n{elements.facts(rows)}{remarks}</section>'


def _names(sweep):
    """The values that --scalar accepts."""
    if not sweep.columns:
        return ""
    body = f"<pre>{elements.text(chr(10).join(sweep.columns))}</pre>\n"
    heading = f"{numbers.counted(len(sweep.columns), 'scalar')} of each run, for --scalar NAME"
    return f'<section id="scalars">\n<h2>Names of all scalars</h2>\n{elements.folded(heading, body)}</section>'
