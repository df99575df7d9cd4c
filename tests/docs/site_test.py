"""The site is built of all pages without a warning: no page is left out of the table of contents, no formula fails.

In what is built, links lead to pages and anchors that are there, nothing comes from the network, each public header is
on a page, and the search finds keys, algorithms, models and estimators as they are typed.
"""

import html.parser
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOCS = SOURCE / "docs"
MISSING = [f"no Python module {name}" for name in ("sphinx", "myst_parser", "furo")
           if importlib.util.find_spec(name) is None]
MISSING += [f"no {name}" for name in ("node", "doxygen") if shutil.which(name) is None]
MISSING += [] if pathlib.Path("/usr/share/javascript/katex/katex.min.js").exists() else ["no libjs-katex"]
if MISSING:
    print(f"skipped: {', '.join(MISSING)}: {sys.executable}")
    sys.exit(77)


def sphinx(source, site, cache, **environment):
    """(status, messages) of a build; warnings are errors."""
    made = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", cache, source, site],
                          text=True, capture_output=True, check=False, env={**os.environ, **environment})
    return made.returncode, made.stderr


class Page(html.parser.HTMLParser):
    """A page's anchors, its links, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in ("script", "img", "iframe", "source") and attributes.get("src"):
            self.loaded.append(attributes["src"])
        if tag == "link" and attributes.get("href"):
            self.loaded.append(attributes["href"])


def dead_links(site):
    """["page: link"] of links without a target, and of files from the network."""
    pages = {page.resolve(): Page(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    wrong, count = [], 0
    for page, content in pages.items():
        for link, is_loaded in [*((link, False) for link in content.links), *((link, True) for link in content.loaded)]:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data"):
                wrong += [f"{page.name}: {link}: not on the disk"] if is_loaded and parts.scheme != "data" else []
                continue
            count += 1
            target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                wrong.append(f"{page.name}: {link}: no such file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                wrong.append(f"{page.name}: {link}: no such anchor")
    for style in site.rglob("*.css"):
        for url in re.findall(r"url\(([^)]*)\)", style.read_text(encoding="utf-8")):
            url = url.strip("\"'")
            if not url.startswith("data:") and not (style.parent / url.partition("#")[0].partition("?")[0]).exists():
                wrong.append(f"{style.name}: {url}: no such file")
    return wrong, count


def names_to_find():
    """{kind: names}: keys, algorithms and models by the headings of keys.md, estimators by the user guide's list."""
    keys, algorithms, models, table = set(), set(), set(), None
    for line in (DOCS / "keys.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## \[(\w+)\](?: (\S+))?", line):
            table = heading[1]
            {"algorithm": algorithms, "model": models}.get(table, set()).add(heading[2])
        elif key := re.match(r"\* `([^`]+)`", line):
            keys.add(f"{table}.{key[1]}")
    guide = (DOCS / "user-guide.md").read_text(encoding="utf-8")
    estimators = set(re.findall(r"`([\w-]+)`", re.search(r"^\* `estimator`:(.*?);$\n^\*", guide, re.M | re.S)[1]))
    return {"key": keys, "algorithm": algorithms, "model": models,
            "estimator": estimators | {"power-posterior", "power-posterior-corrected"}}


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        place = pathlib.Path(cls.place.name)
        cls.site = place / "site"
        # One report is at hand, and the others are not.
        (place / "gallery").mkdir()
        (place / "gallery/ising-arm.html").write_text("<p id='a'>A report</p>")
        (place / "gallery/ising-arm.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        cls.built = sphinx(DOCS, cls.site, place / "cache", PEARLITE_GALLERY=str(place / "gallery"))

    def text(self, page):
        return (self.site / page).read_text(encoding="utf-8")

    def test_all_pages_without_a_warning(self):
        self.assertEqual(self.built, (0, ""))
        pages = [page.relative_to(DOCS) for page in DOCS.rglob("*.md")]
        self.assertEqual([page for page in pages if not (self.site / page.with_suffix(".html")).exists()], [])
        print(f"{len(pages)} pages")

    def test_links_and_anchors(self):
        wrong, count = dead_links(self.site)
        self.assertEqual(wrong, [])
        self.assertGreater(count, 5000)
        print(f"{count} links")

    def test_formulas_are_rendered(self):
        formulas = sum(page.read_text(encoding="utf-8").count('class="katex"') for page in self.site.rglob("*.html"))
        self.assertGreater(formulas, 0)
        self.assertTrue((self.site / "_static/katex/fonts/KaTeX_Main-Regular.woff2").stat().st_size > 10000)
        print(f"{formulas} formulas")

    def test_public_headers_are_on_pages(self):
        pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "interfaces").glob("*.md"))
        headers = [str(header.relative_to(SOURCE / "include/pearlite")) for header in
                   (SOURCE / "include/pearlite").rglob("*.hpp") if "detail" not in header.parts]
        self.assertEqual([header for header in headers if f"```{{cpp-header}} {header}\n" not in pages], [])
        self.assertIn("density.log_likelihood(x)", re.sub("<[^>]*>", "", self.text("interfaces/cpp-densities.html")))

    def test_docstrings_keep_their_words(self):
        page = re.sub("<[^>]*>", "", self.text("interfaces/python.html"))
        for name in ("sample", "anneal", "minimize", "run", "load"):
            self.assertRegex(page, rf"(?m)^{name}\(")
        self.assertIn("path__kind=\"bridge\"", page.replace("&quot;", '"'))

    def test_gallery(self):
        page = self.text("gallery.html")
        self.assertIn('href="gallery/ising-arm.html"', page)
        self.assertIn("This report is not in this copy of the site", page)

    def test_search_finds_names_as_they_are_typed(self):
        names = names_to_find()
        self.assertGreater(len(names["key"]), 200)
        for kind, least in (("algorithm", 14), ("model", 25), ("estimator", 14)):
            self.assertGreaterEqual(len(names[kind]), least, kind)
        queries = [(kind, name) for kind, found in names.items() for name in sorted(found)]
        asked = subprocess.run(["node", pathlib.Path(__file__).with_name("search.js"), self.site], text=True,
                               input="\n".join(name for _, name in queries), capture_output=True, check=True)
        answers = [json.loads(line) for line in asked.stdout.splitlines()]
        self.assertEqual(len(answers), len(queries))
        missed = [f"{kind} {name}: {results[:2]}" for (kind, name), results in zip(queries, answers)
                  # A key comes first; other names are among the results, by themselves.
                  if name not in [title for _, title, _ in (results[:1] if kind == "key" else results)]]
        self.assertEqual(missed, [])
        print(f"{len(queries)} queries")


class Comments(unittest.TestCase):
    """Plain text of comments and docstrings, as it is written for Sphinx."""

    def test_tables_code_and_words(self):
        sys.path.insert(0, str(DOCS / "_site"))
        sys.dont_write_bytecode = True
        import plain_text
        text = ("Values of x_, by `name`:\n  f(x, y)   the first\n            of two\n  g(x)      the other\n\n"
                "    int i;\n\n    int j;\n\na, b      (docs/keys.md, docs/none.md)\ntime_limit, patience seconds\n")
        self.assertEqual([line for line in plain_text.rst_of(text, "cpp") if line], [
            "Values of x\\_, by ``name``:", "``f(x, y)``", "   the first", "   of two", "``g(x)``", "   the other",
            ".. code-block:: cpp", "   int i;", "   int j;", "``a, b``", "   (:doc:`/keys`, docs/none.md)",
            "``time_limit, patience``", "   seconds"])


class Mistakes(unittest.TestCase):
    """Planted mistakes are found."""

    def test_formulas(self):
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            (place / "docs").mkdir()
            (place / "docs/conf.py").write_text(
                f"import sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, {str(DOCS / '_site')!r})\n"
                "extensions = ['myst_parser', 'formulas']\nmyst_enable_extensions = ['dollarmath']\n"
                "html_math_renderer = 'pearlite'\n")
            (place / "docs/index.md").write_text("# One\n\nHere $x^2$ is right, and $\\frac{1$ is not.\n")
            status, messages = sphinx(place / "docs", place / "site", place / "cache")
            self.assertNotEqual(status, 0)
            self.assertRegex(messages, r"index\.md.*KaTeX parse error")
            self.assertEqual(messages.count("KaTeX"), 1)

    def test_links(self):
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            (place / "a.html").write_text('<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a>'
                                          '<a href="https://a.b/">4</a><img src="https://a.b/c.png"><a href="#z">5</a>')
            (place / "b.html").write_text('<p id="x">')
            self.assertEqual(dead_links(place)[0], ["a.html: b.html#y: no such anchor", "a.html: c.html: no such file",
                                                    "a.html: #z: no such anchor",
                                                    "a.html: https://a.b/c.png: not on the disk"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
