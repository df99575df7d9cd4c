"""First files of measured numbers, from the pages as they stand: `measured.py import`.

The revision of a number is the commit that last touched its line. The golden rows of a table are those of the jobs that
its cells, its text and its command name; of a sweep, those of its algorithms with its model. Numbers that the program
has measured since are left alone.
"""

import functools
import re
import tomllib

import measured

NOTHING = "0" * 40
STUDIES = re.compile(r"build/\S*tests/|tests/statistical|tests/benchmarks|run\.sh")
COST = re.compile(r"\b(\d+(?:\.\d+)?|half an|an?|two|three|four|five|six|ten|twenty|forty|seventy-five)\s+"
                  r"(seconds?|minutes?|hours?|s|min|h)\b", re.IGNORECASE)
WORDS = {"half an": 0.5, "a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twenty": 20,
         "forty": 40, "seventy-five": 75}
UNIT = {"s": 1, "m": 60, "h": 3600}


class History:
    """Who last touched a line, and what the golden table was then."""

    def __init__(self, project):
        self.project = project
        self.golden = functools.lru_cache(None)(self._golden)
        self.blame = functools.lru_cache(None)(self._blame)
        self.commits = measured.git(project, "log", "--reverse", "--format=%H", "--", "tests/golden/table.json").split()
        self.today = project.digests_today()

    def _golden(self, commit):
        try:
            return measured.digests_of(measured.git(self.project, "show", f"{commit}:tests/golden/table.json"))
        except (OSError, ValueError, AttributeError, measured.subprocess.CalledProcessError):
            return {}

    def digest(self, row, commit):
        """The digest of a golden row at a commit. Before the table had the row, the first digest that it had, where bits have
        changed since; else nobody knows: None."""
        if known := self.golden(commit).get(row):
            return known[0]
        first = next((found[0] for each in self.commits if (found := self.golden(each).get(row))), None)
        return first if first not in self.today.get(row, []) else None

    def _blame(self, page):
        """[(commit, seconds since 1970)] of the lines as they are on the disk; those of no commit yet are of HEAD."""
        found, times, commit = [], {}, None
        text = measured.git(self.project, "blame", "-w", "-M", "--line-porcelain", "--", page)
        for line in text.split("\n"):
            if match := re.match(r"([0-9a-f]{40}) \d+ \d+", line):
                commit = match[1]
            elif line.startswith("committer-time "):
                times[commit] = int(line.split()[1])
            elif line.startswith("\t"):
                found.append((commit, times[commit]))
        return found

    def last(self, commits):
        """The newest of (commit, time)."""
        commits = [each for each in commits if each[0] != NOTHING]
        return max(commits, key=lambda each: each[1])[0] if commits else measured.git(self.project, "rev-parse", "HEAD").strip()

    def first(self, commits):
        commits = [each for each in commits if each[0] != NOTHING]
        return min(commits, key=lambda each: each[1])[0] if commits else measured.git(self.project, "rev-parse", "HEAD").strip()


class Jobs:
    """The contents of jobs/ by name: configuration files and the golden rows that cover them."""

    def __init__(self, project):
        self.files = {file.stem: file for file in (project.root / "jobs").rglob("*.toml")}
        self.golden = set(project.digests_today())

    def named_in(self, text):
        """Names of jobs in code of a text, and in commands."""
        tokens = [word for code in re.findall(r"`([^`]+)`", text) for word in code.split()[:1]]
        tokens += re.findall(r"jobs/(?:papers/)?([\w.-]+?)\.toml", text) + re.findall(r"runs/([\w.-]+)", text)
        return [name for name in dict.fromkeys(token.removeprefix("jobs/").removeprefix("papers/") for token in tokens)
                if name in self.files]

    def rows_of(self, name):
        """Golden rows that cover a job: its own, or of a sweep its algorithms with its models."""
        if f"job/{name}" in self.golden:
            return [f"job/{name}"]
        tables = tomllib.loads(self.files[name].read_text(encoding="utf-8"))
        models = {tables.get("model", {}).get("name"), *self.values(tables, "model.name")}
        algorithms = {tables.get("algorithm", {}).get("name"), *self.values(tables, "algorithm.name")}
        rows = [f"{algorithm}/{model}" for algorithm in algorithms for model in models]
        return sorted(row for row in rows if row in self.golden)

    def values(self, table, key):
        """Texts that a sweep sets a key to, wherever it stands."""
        first, _, rest = key.partition(".")
        for name, value in table.items():
            if name == key or (name == first and not rest):
                yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))
            elif isinstance(value, dict):
                yield from self.values(value, rest if name == first and rest else key)
            elif isinstance(value, list):
                for each in value:
                    yield from self.values(each, key) if isinstance(each, dict) else ()

    def cost(self, name):
        """Seconds that the comment of a configuration says, None if it says none."""
        comment = "".join(line for line in self.files[name].read_text(encoding="utf-8").splitlines(True) if line.startswith("#"))
        return seconds_in(comment)


def seconds_in(text):
    match = COST.search(text or "")
    if not match:
        return None
    count = WORDS[match[1].lower()] if match[1].lower() in WORDS else float(match[1])
    return count * UNIT[match[2][0].lower()]


def slug(text):
    return re.sub(r"[^a-z0-9.]+", "-", measured.bare(text).lower() or "page").strip("-.")[:44].strip("-.") or "page"


def stem_of(page_name):
    path = page_name.removeprefix("docs/").removeprefix("measured/").removesuffix(".md").lower()
    return path.replace("/", "-")


def code_above(lines, piece):
    """The last block of commands before a table in its section, and the text between heading and table."""
    start = next((k for k in range(piece.begin - 1, -1, -1) if re.match(r"#+ ", lines[k])), 0)
    above, command = lines[start:piece.begin], []
    for line in above:
        if line.startswith("    ") and re.search(r"pearlite |build/|python3 |bash |tests/", line):
            command.append(line.strip())
    return "\n".join(command), "\n".join(above)


def command_of(lines, piece, jobs, rows):
    """(the command line, names of its jobs)."""
    command, above = code_above(lines, piece)
    paragraph = above.rstrip().rpartition("\n\n")[2]
    body = "\n".join(lines[piece.begin:piece.end])
    names = jobs.named_in(body) or jobs.named_in(paragraph) or jobs.named_in(command) or jobs.named_in(above)
    if not names and re.search(r"pearlite (run|check)", command):
        names = jobs.named_in(command)
    if not command and names:
        files = [jobs.files[name].relative_to(jobs.files[name].parents[1 if jobs.files[name].parent.name == "jobs" else 2])
                 for name in names]
        command = "; ".join(f"pearlite run {file}" for file in files)
    return command or None, names


def reason_without(command, names, page_name):
    if names:
        return "no golden row covers these settings"
    if "performance" in page_name or "benchmark" in (command or ""):
        return "timings"
    if STUDIES.search(command or ""):
        return "a study of the tests, whose programs have no golden row"
    return "the page names no job that has a golden row"


def seconds_of(lines, piece, command, names, jobs):
    """The cost of measuring, from a column of seconds, else from the command or the configuration."""
    header = measured.cells_of(lines[piece.begin])
    if any(cell in ("seconds", "s") for cell in header):
        column = next(k for k, cell in enumerate(header) if cell in ("seconds", "s"))
        rows = [measured.cells_of(row) for row in lines[piece.begin + 2:piece.end]]
        values = [float(match[0]) for row in rows if len(row) > column and (match := re.match(r"[\d.]*\d", row[column]))]
        if values:
            return round(sum(values), 1)
    costs = [cost for cost in (seconds_in(command), *(jobs.cost(name) for name in names)) if cost is not None]
    return max(costs) if costs else None


def then_of(jobs_rows, commits, history):
    """{golden row: {revision, digest}} as of the oldest of the lines."""
    commit = history.first(commits)
    return {row: {"revision": commit[:8], "digest": history.digest(row, commit)} for row in jobs_rows}


def record_of_table(page_name, lines, piece, history, jobs):
    rows = lines[piece.begin + 2:piece.end]
    commits = history.blame(page_name)
    numbered = [k for k in range(piece.begin + 2, piece.end) if re.search(r"\d", lines[k])]
    command, names = command_of(lines, piece, jobs, rows)
    covered = {}
    for name in names:
        of_name = [k for k in numbered if name in jobs.named_in(lines[k])] or numbered
        covered |= then_of(jobs.rows_of(name), [commits[k] for k in of_name], history)
    revision = history.last([commits[k] for k in numbered])
    date = measured.git(history.project, "log", "-1", "--format=%cs", revision).strip()
    record = {"title": piece.section, "page": page_name, "kind": "table", "source": measured.IMPORTED, "command": command,
              "jobs": covered}
    if not covered:
        record["no_job"] = reason_without(command, names, page_name)
    return record | {"revision": revision[:8], "date": date, "machine": "not recorded",
                     "seconds": seconds_of(lines, piece, command, names, jobs),
                     "columns": measured.cells_of(lines[piece.begin]), "rule": lines[piece.begin + 1].strip(),
                     **({"is_tight": True} if rows[0][1] != " " else {}),
                     "rows": [measured.cells_of(row) for row in rows]}


def record_of_block(page_name, lines, piece, history, jobs):
    """The record of lines that the shell blocks above print."""
    above = "\n".join(lines[:piece.begin])
    shell = re.findall(r"^```sh\n(.*?)^```$", above + "\n", re.DOTALL | re.MULTILINE)
    names = set(re.findall(r"name = \\?\"([\w-]+)", "\n".join(shell[-1:])) or re.findall(r"name = \\?\"([\w-]+)", "\n".join(shell)))
    rows = [row for row in jobs.golden if set(row.split("/")) <= names]
    rows = rows or [row for row in jobs.golden if row.split("/")[1] in names and row.split("/")[0] in ("smc", "pisaa")]
    commits = history.blame(page_name)[piece.begin:piece.end]
    revision = history.last(commits)
    covered = then_of(sorted(rows), commits, history)
    return {"title": piece.section, "page": page_name, "kind": "block", "source": measured.IMPORTED,
            "command": "the shell blocks above it in the page, as `docs_examples` runs them", "jobs": covered,
            **({} if covered else {"no_job": "no golden row has these models"}), "revision": revision[:8],
            "date": measured.git(history.project, "log", "-1", "--format=%cs", revision).strip(),
            "machine": "not recorded", "seconds": None, "language": lines[piece.begin].removeprefix("```"),
            "lines": lines[piece.begin + 1:piece.end - 1], "recipe": "shell blocks"}


def record_of_prose(page_name, lines, history, jobs):
    """None if the page has no number in prose that a file should have."""
    commits, sections, costs = history.blame(page_name), {}, []
    for section, paragraphs in measured.prose_of(lines).items():
        numbers, covered, used = [], {}, []
        for begin, text in paragraphs:
            found = measured.numbers_of(page_name, text)
            if not found:
                continue
            numbers += found
            end = next((k for k in range(begin, len(lines)) if not lines[k].strip()), len(lines))
            here = [commits[k] for k in range(begin, end) if re.search(r"\d\.\d|±|\+-", lines[k])] or [commits[begin]]
            used += here
            for name in jobs.named_in(text):
                new = then_of([row for row in jobs.rows_of(name) if row.startswith("job/")], here, history)
                covered = new | covered
                costs += [jobs.cost(name)]
        if numbers:
            sections[section] = {"revision": history.last(used)[:8], "jobs": covered, "numbers": sorted(numbers)}
    if not sections:
        return None
    costs = [cost for cost in costs if cost is not None]
    return {"title": "Numbers in the text", "page": page_name, "kind": "numbers", "source": measured.IMPORTED,
            "command": None, "machine": "not recorded", "seconds": sum(costs) if costs else None, "sections": sections}


def kept_sections(old, new):
    """Sections whose numbers are the same keep what the file says of them, under another heading, too."""
    for section, each in new["sections"].items():
        known = [old["sections"].get(section), *old["sections"].values()]
        if same := next((other for other in known if other and sorted(other["numbers"]) == each["numbers"]), None):
            new["sections"][section] = same
    return new


def import_page(project, page, history, jobs):
    name = project.name_of(page)
    text = page.read_text(encoding="utf-8")
    lines, records = text.split("\n"), project.records()
    prose = record_of_prose(name, lines, history, jobs)
    file = f"{stem_of(name)}.numbers"
    old = records.get(file)
    if prose:
        project.write_record(file, kept_sections(old, prose) if old else prose)
    elif old:
        (project.data / f"{file}.json").unlink()
    taken = set(records)
    added = []
    for piece in measured.without_file(name, lines, project.exempt()):
        record = (record_of_table if piece.kind == "table" else record_of_block)(name, lines, piece, history, jobs)
        base = f"{stem_of(name)}.{slug(piece.section)}"
        new = next(each for each in (base, *(f"{base}-{k}" for k in range(2, 100))) if each not in taken)
        taken.add(new)
        project.write_record(new, record)
        added.append((piece, new))
    # Rows that were edited below a comment: the page is right as long as the program has not measured them.
    for piece in measured.pieces_of(lines):
        if piece.kind == "table" and piece.comment and records.get(piece.comment[1], {}).get("source") == measured.IMPORTED:
            old = records[piece.comment[1]]
            here = [measured.cells_of(row) for row in lines[piece.begin:piece.end]]
            if [here[0], *here[2:]] != [old["columns"], *old["rows"]]:
                new = record_of_table(name, lines, piece, history, jobs)
                project.write_record(piece.comment[1], old | {key: new[key] for key in ("columns", "rule", "rows")})
    for piece, new in reversed(added):
        lines[piece.begin:piece.begin] = [f"<!-- measured: {new} -->", ""]
    if added:
        page.write_text("\n".join(lines), encoding="utf-8")


def import_pages(project, names):
    history, jobs = History(project), Jobs(project)
    for page in project.pages():
        if not names or project.name_of(page) in names:
            import_page(project, page, history, jobs)
