"""Restores parts of furo that Debian's package omits, when the site is built.

The packaged style sheet has dark colours for the button but not for browsers that prefer dark colours, and it imports
files from a web server's /javascript. The packaged script is a module, which browsers do not load from a disk, so that
the button does not appear. A complete furo, as from PyPI, stays unchanged.
"""

import pathlib
import re

JAVASCRIPT = pathlib.Path("/usr/share/javascript")
DARK = 'body[data-theme="dark"]'


def in_one_piece(style):
    """The style sheet with its imports from /javascript inserted; imports of missing files are removed."""
    def imported(found):
        file = JAVASCRIPT / found[1]
        return file.read_text(encoding="utf-8") if file.exists() else ""
    return re.sub(r"""@import (?:url\()?["']?/javascript/([^"')]*)["']?\)?;""", imported, style)


def with_automatic_dark(style):
    """The style sheet, with the rules of the dark theme also for browsers that prefer dark colours."""
    if "prefers-color-scheme" in style or DARK not in style:
        return style
    # Keep the rules of the theme itself; other rules with its name show the button.
    rules = re.findall(rf"[^{{}}]*{re.escape(DARK)}[^{{}}]*{{[^{{}}]*}}", style)
    rules = [rule for rule in rules if "toggle" not in rule]
    rules = "\n".join(rule.strip().replace(DARK, 'body:not([data-theme="light"])') for rule in rules)
    return f"{style}\n@media screen and (prefers-color-scheme: dark) {{\n{rules}\n}}\n"


def as_plain_script(script, gumshoe):
    """The module as one script without imports."""
    plain = re.sub(r'^import Gumshoe from "[^"]*";\n', "", script)
    return script if plain == script else f"{gumshoe}\n(function () {{\n{plain}\n}})();\n"


def mend(app, exception):
    if exception or app.builder.format != "html":
        return
    static = pathlib.Path(app.outdir) / "_static"
    style, script = static / "styles/furo.css", static / "scripts/furo.js"
    style.write_text(with_automatic_dark(in_one_piece(style.read_text(encoding="utf-8"))), encoding="utf-8")
    gumshoe = script.with_name("gumshoe-patched.js")
    if gumshoe.exists():
        script.write_text(as_plain_script(script.read_text(encoding="utf-8"), gumshoe.read_text(encoding="utf-8")),
                          encoding="utf-8")


def hide_empty_contents(_app, pagename, _template, context, _doctree):
    """The first page's contents are on the page."""
    if pagename == "index":
        context["furo_hide_toc"] = True


def setup(app):
    app.connect("build-finished", mend)
    app.connect("html-page-context", hide_empty_contents, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
