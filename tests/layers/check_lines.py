"""Checks that no line of a document or of a comment has more than 120 columns.

usage: check_lines.py PROJECT_ROOT

Documents are README.md, CHANGELOG.md and docs/; comments are those of C++, Python, shell, CMake and TOML files that have
a line to themselves. Exempt are rows of tables with measurements (docs/measured/, calibration.md, planted-faults.md),
the row of a table of layers that the `layers` test reads, and lines without a space to break at. Exit status 1 and one
line for each fault.
"""

import fnmatch
import pathlib
import re
import sys

LONGEST = 120
MEASURED = ("docs/measured/*", "docs/calibration.md", "docs/planted-faults.md", "docs/architecture.md")
COMMENTS = {".hpp": r"\s*//", ".cpp": r"\s*//", ".inl": r"\s*//", ".py": r"\s*#", ".sh": r"\s*#", ".cmake": r"\s*#",
            ".txt": r"\s*#", ".toml": r"\s*#", ".sbatch": r"\s*#"}


def documents(root):
    return [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))]


def sources(root):
    for directory in ("include", "src", "drivers", "tests", "jobs", "cmake"):
        yield from (file for file in sorted((root / directory).rglob("*")) if file.suffix in COMMENTS)


def must_fit(root, file, line):
    """Whether this line of this file may not be longer than the limit."""
    if " " not in line.strip():
        return False
    if file.suffix == ".md":
        return not (line.startswith("|") and any(fnmatch.fnmatch(str(file.relative_to(root)), pattern)
                                                for pattern in MEASURED))
    return re.match(COMMENTS[file.suffix], line) is not None


def main():
    root = pathlib.Path(sys.argv[1])
    faults = []
    for file in (*documents(root), *sources(root)):
        output = False  # within a block of a program's output, which stands as it was printed
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if file.suffix == ".md" and line.startswith("```"):
                output = not output and line.startswith("```text")
            if output:
                continue
            if len(line) > LONGEST and must_fit(root, file, line):
                faults.append(f"{file.relative_to(root)}:{number}: {len(line)} columns, at most {LONGEST}")
    print(f"{len(faults)} lines are too long")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
