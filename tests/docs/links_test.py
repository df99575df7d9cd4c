"""Links in README.md, CHANGELOG.md, packaging/ and docs/ lead somewhere: files that are there, and headings that are in them. Every page of
docs/ can be reached from README.md by links.

Pages of the web are not asked for.
"""

import pathlib
import re
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)


def anchor_of(heading):
    """The anchor that GitHub and Sphinx's MyST make of a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", ""))
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors_of(text):
    seen, anchors = {}, set()
    for heading in HEADING.findall(re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)):
        anchor = anchor_of(heading)
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        anchors.add(f"{anchor}-{count}" if count else anchor)
    return anchors


def links_of(text):
    return [first or second for first, second in LINK.findall(CODE.sub("", text.replace("\n", " \n")))]


def mistakes_of(page):
    """[faults of the links of a page], {the pages that it links to}."""
    wrong, pages = [], set()
    for link in links_of(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            wrong.append(f"{page}: {link}: no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target.read_text(encoding="utf-8")):
            wrong.append(f"{page}: {link}: no such heading")
        elif target.suffix == ".md":
            pages.add(target)
    return wrong, pages


class Links(unittest.TestCase):
    def test_links_and_reach(self):
        pages = [SOURCE / "README.md", SOURCE / "CHANGELOG.md", SOURCE / "packaging/README.md",
                 *sorted((SOURCE / "docs").rglob("*.md"))]
        found = {page: mistakes_of(page) for page in pages}
        self.assertEqual([mistake for wrong, _ in found.values() for mistake in wrong], [])
        reached, new = set(), {SOURCE / "README.md"}
        while new:
            reached |= new
            new = {page for each in new if each in found for page in found[each][1]} - reached
        self.assertEqual([page.name for page in pages if page not in reached and "docs" in page.parts], [])
        print(f"{len(pages)} pages, {sum(len(links_of(page.read_text(encoding='utf-8'))) for page in pages)} links")

    def test_planted_mistakes_are_found(self):
        with tempfile.TemporaryDirectory() as place:
            page, other = pathlib.Path(place) / "a.md", pathlib.Path(place) / "b.md"
            other.write_text("# First `one`, of [two](a.md)\n```sh\n# no heading\n```\n## Again\n## Again\n")
            page.write_text("[x](b.md#first-one-of-two) [y](b.md#again-1) `[code](none.md)` [w](https://a.b/c)\n"
                            "[z](c.md) [v](b.md#no-heading)\n[over\nlines](b.md#again-2)\n")
            wrong, pages = mistakes_of(page)
            self.assertEqual([text.rpartition("/")[2] for text in wrong],
                             ["a.md: c.md: no such file", "a.md: b.md#no-heading: no such heading",
                              "a.md: b.md#again-2: no such heading"])
            self.assertEqual(pages, {other.resolve()})


if __name__ == "__main__":
    unittest.main(verbosity=2)
