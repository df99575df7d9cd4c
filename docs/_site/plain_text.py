"""Converts comments and docstrings, which are plain text, to reStructuredText.

Paragraphs stay paragraphs. Tables of names and meanings become definition lists, which fit any width; indented lines
become code; names of pages, such as docs/keys.md, become links. Everything else is literal: `a pair of backquotes` is
the only markup in a comment.
"""

import itertools
import pathlib
import re
import textwrap

# "name   meaning", or "name, name meaning" in a table that has begun.
ROW = re.compile(r"(\S(?:.*?[^ .,:;])?) {2,}(\S.*)")
NAMES_ROW = re.compile(r"(\w+(?:, \w+)+) (\S.*)")
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")
DOCS = pathlib.Path(__file__).resolve().parents[1]
ITEM = re.compile(r"[*-] ")


def linked(page):
    """A page of the site that a comment names, by its title."""
    return f":doc:`/{page[1]}`" if (DOCS / f"{page[1]}.md").exists() else page[0]


def inline(text):
    """A line of running text."""
    parts = re.split(r"`([^`]+)`", text)
    parts[::2] = [PAGE.sub(linked, re.sub(r"([\\*_|`])", r"\\\1", part)) for part in parts[::2]]
    # Markup must end at a word boundary; an escaped blank, which is invisible, adds one.
    parts[1::2] = [f"``{part}``" + (r"\ " if rest[:1].isalnum() else "")
                   for part, rest in zip(parts[1::2], parts[2::2])]
    return "".join(parts)


def indented(lines, columns=3):
    return [" " * columns + line if line else "" for line in lines]


def paragraphs_of(lines):
    """Lists of lines between empty ones."""
    found = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line.rstrip())
        elif found[-1]:
            found.append([])
    return [paragraph for paragraph in found if paragraph]


def entries_of(lines):
    """[a first line and the lines indented under it]."""
    entries = []
    for line in lines:
        if line.startswith(" ") and entries:
            entries[-1].append(line)
        else:
            entries.append([line])
    return entries


def table(lines):
    """A definition list, or None if the lines are no table. A line that is no row continues the row before."""
    if not ROW.fullmatch(lines[0]):
        return None
    written = []
    for line in lines:
        row = not line.startswith(" ") and (ROW.fullmatch(line) or NAMES_ROW.fullmatch(line))
        if row:
            written += ["", f"``{row[1]}``", *indented([inline(row[2])])]
        else:
            written += indented([inline(line.strip())])
    return [*written, ""]


def code(lines, language):
    return [f".. code-block:: {language}", "", *indented(textwrap.dedent("\n".join(lines)).splitlines()), ""]


def block(lines, language):
    """One paragraph of the text."""
    if all(line.startswith("    ") for line in lines):
        return code(lines, language)
    if (found := table(lines)) is not None:
        return found
    if ITEM.match(lines[0]):
        return [written for item in entries_of(lines) for written in
                ("* " + inline(item[0][2:]), *("  " + inline(line.strip()) for line in item[1:]))] + [""]
    # A table or code under its introduction is indented.
    written = []
    for is_indented, run in itertools.groupby(lines, lambda line: line.startswith("  ")):
        run = textwrap.dedent("\n".join(run)).splitlines()
        if is_indented:
            written += table(run) or code(run, language)
        else:
            written += [*(inline(line) for line in run), ""]
    return written


def rst_of(text, language="none"):
    """Lines of reStructuredText; `language` is that of indented code."""
    lines = textwrap.dedent(text).strip("\n").splitlines()
    written = []
    codes = []
    for paragraph in [*paragraphs_of(lines), []]:
        # Code may have empty lines: paragraphs of code that follow each other are one.
        if paragraph and all(line.startswith("    ") for line in paragraph):
            codes += [*([""] if codes else []), *paragraph]
            continue
        if codes:
            written += code(codes, language)
            codes = []
        if paragraph:
            written += block(paragraph, language)
    return written
