"""Renders formulas by KaTeX when the site is built, so that pages need neither a script nor the network.

This needs Debian's libjs-katex and nodejs. Without them the site shows formulas as TeX, and the build prints a warning.
A formula that KaTeX cannot read is a warning with its place.
"""

import atexit
import json
import pathlib
import re
import shutil
import subprocess

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

KATEX = pathlib.Path("/usr/share/javascript/katex")
logger = logging.getLogger(__name__)


class Renderer:
    """A process of node, started at the first formula, that renders all formulas."""

    def __init__(self):
        self.process = None
        self.is_missing = False

    def start(self):
        node = shutil.which("node")
        if node is None or not (KATEX / "katex.min.js").exists():
            self.is_missing = True
            logger.warning("formulas are shown as they are written: Debian's libjs-katex and nodejs are missing",
                           type="pearlite", subtype="formulas")
            return
        self.process = subprocess.Popen([node, str(pathlib.Path(__file__).with_suffix(".js")), str(KATEX)], text=True,
                                        encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.process.stdin.close)

    def html(self, tex, is_display, place):
        """The formula's HTML, or None if KaTeX is missing or cannot read the formula."""
        if self.process is None and not self.is_missing:
            self.start()
        if self.is_missing:
            return None
        self.process.stdin.write(json.dumps({"tex": tex, "display": is_display}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            logger.warning("%s: %s", answer["error"], tex, location=place, type="pearlite", subtype="formulas")
        return answer.get("html")


RENDERER = Renderer()


def keep_together(_app, document, _docname):
    """Moves a comma or another end of a word into its formula, so that both stay on one line."""
    for node in document.findall(nodes.math):
        following = node.parent[node.parent.index(node) + 1:][:1]
        if following and isinstance(following[0], nodes.Text) and (end := re.match(r"\S{1,12}", following[0])):
            node["end"] = end[0]
            node.parent.replace(following[0], nodes.Text(following[0][end.end():]))


def visit_inline(translator, node):
    tex, end = node.astext(), translator.encode(node.get("end", ""))
    html = RENDERER.html(tex, False, node) or f'<code class="math">{translator.encode(tex)}</code>'
    # Where KaTeX has made several parts, lines may break between them.
    is_whole = html.count('class="base"') == 1
    translator.body.append(f'<span class="whole">{html}{end}</span>' if end and is_whole else html + end)
    raise nodes.SkipNode


def visit_display(translator, node):
    tex = node.astext()
    html = RENDERER.html(tex, True, node)
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})</span>')
    translator.body.append(html or f"<pre>{translator.encode(tex)}</pre>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def copy_style(app, exception):
    """KaTeX's style sheet and its fonts, in the one format that all browsers read."""
    if exception or app.builder.format != "html" or not (KATEX / "katex.min.css").exists():
        return
    place = pathlib.Path(app.outdir) / "_static/katex"
    (place / "fonts").mkdir(parents=True, exist_ok=True)
    style = (KATEX / "katex.min.css").read_text(encoding="utf-8")
    style = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", style)
    (place / "katex.min.css").write_text(style, encoding="utf-8")
    for font in re.findall(r"url\((fonts/[^)]*)\)", style):
        shutil.copyfile(KATEX / font, place / font)


def setup(app):
    app.add_html_math_renderer("pearlite", (visit_inline, None), (visit_display, None))
    app.connect("doctree-resolved", keep_together)
    app.connect("build-finished", copy_style)
    if (KATEX / "katex.min.css").exists():
        app.add_css_file("katex/katex.min.css")
    return {"parallel_read_safe": True, "parallel_write_safe": False}
