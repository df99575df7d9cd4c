"""Elements of pages: the document, figures, tables, boxes. All text is escaped unless it is Markup."""

import base64
import html
import pathlib


class Markup(str):
    """Text that is HTML already."""


def text(value):
    return value if isinstance(value, Markup) else html.escape(str(value))


def document(title, parts, reloads=False):
    """The whole page as a string; parts that are empty are left out. `reloads`: browsers load it again, and again."""
    again = '<meta http-equiv="refresh" content="30">\n' if reloads else ""
    style = pathlib.Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{again}<title>{text(title)}</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def header(kicker, title):
    return f'<header>\n<p class="kicker">{text(kicker)}</p>\n<h1>{text(title)}</h1>\n</header>'


def figures(heading, pictures, section, style="", remark=""):
    """The section with this section's pictures; empty if there are none."""
    chosen = [picture for picture in pictures if picture.section == section]
    if not chosen:
        return ""
    body = "\n".join(figure(picture, style or picture.shape) for picture in chosen)
    note = f'<p class="note">{text(remark)}</p>\n' if remark else ""
    return f'<section>\n<h2>{text(heading)}</h2>\n{note}<div class="figures">\n{body}\n</div>\n</section>'


def figure(picture, style=""):
    caption = f"<b>{text(picture.title)}.</b> {text(picture.caption)}"
    return f'<figure class="{style}">{image(picture)}\n<figcaption>{caption}</figcaption></figure>'


def image(picture):
    kind = "image/svg+xml" if picture.suffix == "svg" else f"image/{picture.suffix}"
    data = base64.b64encode(picture.data).decode("ascii")
    return f'<img alt="{text(picture.title)}" src="data:{kind};base64,{data}">'


class FoldedRows:
    """Rows of a table that unfold below the row that stands for them."""

    def __init__(self, row, rows):
        self.row, self.rows = row, rows


def numeric_table(heads, rows):
    """A table of numbers, whose first column has words; it scrolls where it is too wide. Rows may be folded."""
    head = "".join(f"<th>{text(name)}</th>" for name in heads)
    bodies, plain = [], []
    for row in [*rows, None]:
        if row is not None and not isinstance(row, FoldedRows):
            plain.append(row)
            continue
        if plain:
            bodies.append(_body(plain))
        plain = []
        if row is not None:
            first = Markup(f"<details><summary>{text(row.row[0])}</summary></details>")
            bodies.append(_body([[first, *row.row[1:]], *row.rows], ' class="folded"'))
    return (
        f'<div class="scroll"><table class="numeric">\n<thead><tr>{head}</tr></thead>\n' + "\n".join(bodies) + "\n"
        "</table></div>\n"
    )


def _body(rows, kind=""):
    lines = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<tbody{kind}>\n{lines}\n</tbody>"


LONGEST_NUMBER = 40  # characters of a cell that does not wrap


def _cell(value):
    words = ' class="words"' if len(str(value)) > LONGEST_NUMBER and not isinstance(value, Markup) else ""
    return f"<td{words}>{text(value)}</td>"


def facts(rows):
    """Names and facts; names without a fact are left out."""
    body = "\n".join(
        f'<tr><th scope="row">{text(name)}</th><td>{text(_joined(value))}</td></tr>'
        for name, value in rows
        if value not in (None, "", [])
    )
    return f'<table class="facts">\n{body}\n</table>\n' if body else ""


def folded(heading, body, unfolded=False):
    return f"<details{' open' if unfolded else ''}>\n<summary>{text(heading)}</summary>\n{body}</details>\n"


def note(words):
    return f'<p class="note">{text(words)}</p>\n' if words else ""


def warning_box(heading, warnings, identity="warnings"):
    """Empty if there are no warnings."""
    if not warnings:
        return ""
    items = "\n".join(f"<li>{text(warning)}</li>" for warning in warnings)
    return (
        f'<section class="box warning" id="{identity}">\n<h2>{text(heading)}</h2>\n<ul>\n{items}\n</ul>\n</section>'
    )


def warnings(found):
    """The box of a summary's warnings: a text or a list of them."""
    found = [found] if isinstance(found, str) else list(found or [])
    return warning_box("Warning" if len(found) == 1 else f"{len(found)} warnings", found)


def configuration(toml, heading="As resolved by the program"):
    if not toml:
        return ""
    body = f"<pre>{text(toml.strip())}</pre>\n"
    return f'<section id="configuration">\n<h2>Configuration</h2>\n{folded(heading, body)}</section>'


def _joined(value):
    return ", ".join(str(item) for item in value) if isinstance(value, list) else value
