"""Measured numbers of the pages come from files: docs/measured/data/NAME.json.

usage: measured.py make               write tables, blocks and marks of age into the pages, from the files
       measured.py check              fail where a page differs from its files, or a measured table has no file
       measured.py measure NAME...    run the commands of files, and write their numbers and the pages anew
       measured.py import [PAGE...]   make files of numbers that have none yet, from the pages as they stand
       measured.py list               all files: kind, source, cost, page
`measure` takes the program from PEARLITE (else the path finds it), and data from PEARLITE_DATA_DIR.

A file has a kind:
  table    columns and rows of the table below the comment `measured: NAME` of its page
  block    lines of the fenced block below that comment
  numbers  the numbers in prose of a page, by section: those with an error, and in docs/measured/ all with a point
and says by which command, when, on which machine and of which revision they are, and what measuring costs (seconds,
null if nobody knows). `jobs` has the rows of tests/golden/table.json that cover the command, each with the revision of
its numbers and the digest that the row had then; `no_job` is the reason where no row does. Where today's digest is
another one, `make` puts a mark below the comment (or below the heading of a section of prose).
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER_IN_CELL = re.compile(r"\d\.\d|±|\+-|\d\(\d+\)|\d of \d")
COMMENT = re.compile(r"^<!-- measured: (\S+) -->$")
MARK = re.compile(r"^\*.*\bmeasured at `[0-9a-f]+`, before (?:its|their) bits changed\.\*$", re.IGNORECASE)
IMPORTED = "imported from the page"
SEPARATOR = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+\s*$")
WITH_ERROR = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)? (?:±|\+-) \d+(?:\.\d+)?|[-+]?\d+\.\d+\(\d+\)")
WITH_POINT = re.compile(WITH_ERROR.pattern + r"|(?<![\w.])[-+]?\d+\.\d+(?:e[-+]?\d+)?(?![\w]|\.\d)")


class Project:
    """A checkout, or a stand-in with the same folders."""

    def __init__(self, root=ROOT):
        self.root = pathlib.Path(root)
        self.data = self.root / "docs/measured/data"

    def pages(self):
        """Pages that may have measured numbers; definitions and interfaces have none."""
        found = [self.root / "README.md", *sorted((self.root / "docs").rglob("*.md"))]
        return [page for page in found if page.exists() and page.name != "keys.md" and "interfaces" not in page.parts]

    def name_of(self, page):
        return page.relative_to(self.root).as_posix()

    def records(self):
        return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(self.data.glob("*.json"))
                if file.name != "exempt.json"}

    def write_record(self, name, record):
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / f"{name}.json").write_text(dumped(record), encoding="utf-8")

    def exempt(self):
        """{page: {header row of a table: why it has no file}}."""
        file = self.data / "exempt.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def digests_today(self):
        """{golden row: the digests that it has on any machine}."""
        return digests_of((self.root / "tests/golden/table.json").read_text(encoding="utf-8"))


def digests_of(text):
    """{golden row: [digests]} of the text of a golden table."""
    rows = {}
    for part in json.loads(text).values():
        for name, digests in part.items():
            whole = digests.get("whole") if isinstance(digests, dict) else None
            rows.setdefault(name, []).extend([whole] if whole else [])
    return rows


def dumped(record):
    """JSON with a row of a table, a line of a block, a section or a run a line."""
    lines = []
    for key, value in record.items():
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(f"  {json.dumps(each, ensure_ascii=False)}" for each in value) + "\n ]"
        elif isinstance(value, dict) and value:
            text = "{\n" + ",\n".join(f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(each, ensure_ascii=False)}"
                                      for name, each in value.items()) + "\n }"
        else:
            text = json.dumps(value, ensure_ascii=False)
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


# Tables of Markdown


def cells_of(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def row_of(cells, is_tight=False):
    """A tight row has no spaces around its cells."""
    return "|" + "|".join(cell if is_tight else f" {cell} " if cell else " " for cell in cells) + "|"


def bare(text):
    """Text without code, formulas and targets of links."""
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", " ", re.sub(r"\]\([^)]*\)", "] ", text))
    return re.sub(r"\$\$.*?\$\$|\$[^$]*\$|https?://\S+", " ", text, flags=re.DOTALL)


def looks_measured(rows, everywhere):
    """Whether a table has two cells at least with a measured number; `everywhere` counts whole numbers, too."""
    pattern = re.compile(r"\d") if everywhere else NUMBER_IN_CELL
    return sum(bool(pattern.search(bare(cell))) for row in rows for cell in cells_of(row)) >= 2


class Piece:
    """Lines [begin, end) of a page: a table or a fenced block, with the section that it is in."""

    def __init__(self, kind, begin, end, section, comment=None):
        self.kind, self.begin, self.end, self.section, self.comment = kind, begin, end, section, comment


def pieces_of(lines):
    """Tables and fenced blocks of a page. `comment` is (its line, NAME) where one stands above, with a mark at most
    between; a comment that stands above neither is a piece of the kind "nothing"."""
    found, section, comment, k = [], "", None, 0
    while k < len(lines):
        line, piece = lines[k], None
        if match := COMMENT.match(line):
            found += [Piece("nothing", comment[0], k, section, comment)] if comment else []
            comment = (k, match[1])
        elif line.startswith("```"):
            end = next((j for j in range(k + 1, len(lines)) if lines[j].startswith("```")), len(lines) - 1) + 1
            piece = Piece("block", k, end, section, comment)
        elif line.startswith("|") and k + 1 < len(lines) and SEPARATOR.match(lines[k + 1]):
            end = next((j for j in range(k, len(lines)) if not lines[j].startswith("|")), len(lines))
            piece = Piece("table", k, end, section, comment)
        elif line.strip() and not MARK.match(line) and comment:
            found.append(Piece("nothing", comment[0], k, section, comment))
            comment = None
        if re.match(r"#+ ", line):
            section = line.lstrip("# ").strip()
        if piece:
            found.append(piece)
            comment, k = None, piece.end - 1
        k += 1
    return found + ([Piece("nothing", comment[0], len(lines), section, comment)] if comment else [])


def prose_of(lines):
    """{section: [paragraphs as (first line, text)]}: without tables, code and comments."""
    hidden = {k for piece in pieces_of(lines) if piece.kind != "nothing" for k in range(piece.begin, piece.end)}
    sections, section, paragraph = {}, "", []

    def flush():
        if paragraph:
            sections.setdefault(section, []).append((paragraph[0][0], " ".join(text.strip() for _, text in paragraph)))
            paragraph.clear()

    for k, line in enumerate(lines):
        is_heading = re.match(r"#+ ", line) and k not in hidden
        is_code = line.startswith("    ") and not paragraph
        if k in hidden or is_heading or is_code or not line.strip() or COMMENT.match(line) or MARK.match(line):
            flush()
            section = line.lstrip("# ").strip() if is_heading else section
        else:
            paragraph.append((k, line))
    flush()
    return sections


def numbers_of(page_name, text):
    """Numbers of a paragraph that have to be in a file."""
    pattern = WITH_POINT if page_name.startswith("docs/measured/") else WITH_ERROR
    return [match[0] for match in pattern.finditer(bare(text))]


def numbers_by_section(page_name, lines):
    found = {}
    for section, paragraphs in prose_of(lines).items():
        numbers = sorted(number for _, text in paragraphs for number in numbers_of(page_name, text))
        if numbers:
            found[section] = numbers
    return found


# Marks of age


def changed_jobs(record, today):
    """The golden rows of a record whose digest is no longer that of the record."""
    return [job for job, then in record.get("jobs", {}).items()
            if then["digest"] and then["digest"] not in today.get(job, [])]


def mark_of(record, today, whole="Measured", part="measured"):
    """The mark of a record or of a section; None if its bits are today's."""
    changed = changed_jobs(record, today)
    if not changed:
        return None
    revisions = [record["jobs"][job]["revision"] for job in changed]
    revision = next((each for each in revisions if each != record.get("revision")), revisions[0])
    if len(changed) == len(record["jobs"]):
        return f"*{whole} at `{revision}`, before its bits changed.*"
    names = [f"`{job.removeprefix('job/')}`" for job in changed]
    names = ", ".join(names if len(names) < 4 else [*names[:2], f"{len(names) - 2} others"])
    return f"*{names}: {part} at `{revision}`, before {'its' if len(changed) == 1 else 'their'} bits changed.*"


def body_of(record):
    """Lines of the table or of the block of a record."""
    if record["kind"] == "table":
        is_tight = record.get("is_tight", False)
        return [row_of(record["columns"]), record["rule"], *(row_of(cells, is_tight) for cells in record["rows"])]
    return [f"```{record['language']}", *record["lines"], "```"]


def made(page_name, text, records, today):
    """The page as it has to be. LookupError names a comment without a file, or without a table below it."""
    lines = text.split("\n")
    for piece in reversed(pieces_of(lines)):
        if piece.comment is None:
            continue
        at, name = piece.comment
        if name not in records or records[name]["page"] != page_name:
            raise LookupError(f"{page_name}: measured: {name}: docs/measured/data has no such file for this page")
        if piece.kind != records[name]["kind"]:
            raise LookupError(f"{page_name}: measured: {name}: no {records[name]['kind']} below this comment")
        mark = mark_of(records[name], today)
        lines[at + 1:piece.end] = [*([mark] if mark else []), "", *body_of(records[name])]
    return "\n".join(marked_sections(page_name, lines, records, today))


def marked_sections(page_name, lines, records, today):
    """Lines with marks below the headings of sections whose prose has numbers of other bits."""
    sections = next((record["sections"] for record in records.values()
                     if record["kind"] == "numbers" and record["page"] == page_name), {})
    hidden = {k for piece in pieces_of(lines) if piece.kind != "nothing" for k in range(piece.begin, piece.end)}
    result, k, seen = [], 0, set()
    while k < len(lines):
        result.append(lines[k])
        if re.match(r"#+ ", lines[k]) and k not in hidden:
            section = lines[k].lstrip("# ").strip()
            if k + 2 < len(lines) and lines[k + 1] == "" and MARK.match(lines[k + 2]):
                k += 2
            if section in sections and section not in seen and \
                    (mark := mark_of(sections[section], today, "Numbers in the text: measured",
                                   "numbers in the text measured")):
                result += ["", mark]
            seen.add(section)
        k += 1
    return result


# Commands


def make(project):
    """Names of the pages that changed."""
    records, today, changed = project.records(), project.digests_today(), []
    for page in project.pages():
        text = page.read_text(encoding="utf-8")
        new = made(project.name_of(page), text, records, today)
        if new != text:
            page.write_text(new, encoding="utf-8")
            changed.append(project.name_of(page))
    return changed


def first_difference(old, new):
    pairs = zip(old.split("\n"), new.split("\n"))
    number, (left, right) = next(((k, pair) for k, pair in enumerate(pairs, 1) if pair[0] != pair[1]), (0, ("", "")))
    return f"line {number}: the page has {left!r}, its file gives {right!r}"


def faults_of_prose(name, lines, records):
    record = next((each for each in records.values() if each["kind"] == "numbers" and each["page"] == name), None)
    expected = {section: sorted(each["numbers"]) for section, each in record["sections"].items()} if record else {}
    found = numbers_by_section(name, lines)
    faults = []
    for section in sorted({*expected, *found}):
        page, file = found.get(section, []), list(expected.get(section, []))
        new = list(page)
        for number in page:
            if number in file:
                file.remove(number)
                new.remove(number)
        if new:
            faults.append(f"{name}: {section}: {', '.join(new)}: in the text, not in its file")
        if file:
            faults.append(f"{name}: {section}: {', '.join(file)}: in its file, not in the text")
    return faults


def is_measured(name, lines, piece):
    """Tables by their cells; of blocks those that show what the commands of README.md and of the examples print."""
    if piece.kind == "table":
        return looks_measured(lines[piece.begin + 2:piece.end], name.startswith("docs/measured/"))
    shows = name == "README.md" or name.startswith("docs/examples/")
    return piece.kind == "block" and shows and lines[piece.begin] == "```text" and \
        any(re.search(r"\d\.\d", line) for line in lines[piece.begin:piece.end])


def without_file(name, lines, exempt):
    """Measured tables and blocks of a page that stand below no comment and are not exempt."""
    return [piece for piece in pieces_of(lines) if piece.comment is None and is_measured(name, lines, piece)
            and lines[piece.begin] not in exempt.get(name, {})]


def check(project):
    """A line for each fault."""
    records, today, exempt, faults, used = project.records(), project.digests_today(), project.exempt(), [], []
    for page in project.pages():
        name, text = project.name_of(page), page.read_text(encoding="utf-8")
        lines = text.split("\n")
        try:
            new = made(name, text, records, today)
        except LookupError as error:
            faults.append(str(error))
            continue
        if new != text:
            faults.append(f"{name}: {first_difference(text, new)}; `measured.py make` writes it")
        faults += faults_of_prose(name, lines, records)
        faults += [f"{name}:{piece.begin + 1}: a measured {piece.kind} without a file: {lines[piece.begin]}"
                   for piece in without_file(name, lines, exempt)]
        tables = {lines[piece.begin] for piece in pieces_of(lines) if piece.kind == "table"}
        faults += [f"exempt.json: {name}: no such table: {header}" for header in exempt.get(name, {}) if header not in tables]
        used += [piece.comment[1] for piece in pieces_of(lines) if piece.comment]
    names = {project.name_of(page) for page in project.pages()}
    for name, record in records.items():
        n_used = used.count(name)
        if record["page"] not in names or (record["kind"] != "numbers" and n_used != 1):
            faults.append(f"docs/measured/data/{name}.json: {record['page']} has {n_used} comments with its name")
        if not record.get("jobs") and not record.get("no_job") and record["kind"] != "numbers":
            faults.append(f"docs/measured/data/{name}.json: neither jobs nor a reason why there are none")
    return faults


def stale(project):
    """[(name, record, mark)] of what to measure again, cheapest first, unknown costs last."""
    today, found = project.digests_today(), []
    for name, record in project.records().items():
        for part in record["sections"].values() if record["kind"] == "numbers" else [record]:
            if mark := mark_of(part, today):
                found.append((name, record, mark))
                break
    return sorted(found, key=lambda each: (each[1].get("seconds") is None, each[1].get("seconds") or 0, each[0]))


def git(project, *arguments):
    return subprocess.run(["git", "-C", project.root, *arguments], text=True, capture_output=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("make", "check", "measure", "import", "list"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    project = Project()
    if options.command == "check":
        faults = check(project)
        print("\n".join([*faults, f"{len(project.records())} files of measured numbers, {len(faults)} faults"]))
        return 1 if faults else 0
    if options.command == "list":
        for name, record in project.records().items():
            seconds = "?" if record.get("seconds") is None else f"{record['seconds']:g}"
            print(f"{name:60} {record['kind']:8} {record['source']:24} {seconds:>8} s  {record['page']}")
        return 0
    if options.command == "measure":
        import measured_runs
        measured_runs.measure(project, options.names)
    if options.command == "import":
        import measured_import
        measured_import.import_pages(project, options.names)
    for name in make(project):
        print(f"written: {name}")
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    sys.modules["measured"] = sys.modules["__main__"]
    sys.exit(main())
