"""Adds names to the search: keys such as `schedule.steps`, algorithms, models and estimators.

Each name is an object of Sphinx with a place on a page. Keys are in keys.md, where tables are headings and keys are
items of a list; the page of an algorithm or a model begins with `algorithm.name = "smc"`; estimators and error methods
are rows of a table of the user guide.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.domains import Domain

TABLE = re.compile(r"\[(\w+)\](?: (.+))?")
NAMED = re.compile(r'(algorithm|model)\.name = "([\w-]+)"')
QUOTED = re.compile(r'"([\w-]+)"')


class NamesDomain(Domain):
    name = "names"
    label = "names"
    initial_data = {"objects": []}

    def clear_doc(self, docname):
        self.data["objects"] = [found for found in self.data["objects"] if found[2] != docname]

    def merge_domaindata(self, docnames, otherdata):
        self.data["objects"] += [found for found in otherdata["objects"] if found[2] in docnames]

    def get_objects(self):
        for name, kind, docname, anchor in self.data["objects"]:
            yield name, name, kind, docname, anchor, 0

    def resolve_any_xref(self, *_arguments):
        return []

    def note(self, name, kind, docname, node, document):
        """An object at a node, which gets an anchor if it has none."""
        if not node["ids"]:
            stem = nodes.make_id(f"{kind.partition(',')[0]}-{name}")
            anchor, count = stem, 1
            while anchor in document.ids:
                count += 1
                anchor = f"{stem}-{count}"
            node["ids"].append(anchor)
            document.ids[anchor] = node
        self.data["objects"].append((name, kind, docname, node["ids"][0]))


def shortened(text, columns=60):
    """The names that a table is for, as many as fit on a line."""
    text = re.sub(r"(for )?(algorithm|model)\.name ", "", text.replace("\n", " "))
    return text if len(text) <= columns else re.sub(r"[,;][^,;]*$", ", ...", text[:columns])


def note_keys(domain, docname, document):
    seen = set()
    for section in document.findall(nodes.section):
        table = TABLE.fullmatch(section.next_node(nodes.title).astext())
        if table is None:
            continue
        whose = table[2] or ""
        if whose and table[1] in ("algorithm", "model"):
            domain.note(whose, f"{table[1]}, its keys", docname, section, document)
        first = next((found for found in section.children if isinstance(found, nodes.paragraph)), None)
        if not whose and first is not None and first.astext().startswith("For "):
            whose = first.astext().removeprefix("For ").rstrip(".")
        for item in (item for found in section.children if isinstance(found, nodes.bullet_list) for item in found):
            key = f"{table[1]}.{item.next_node(nodes.literal).astext()}"
            # Tables of several algorithms share keys: one result for each meaning.
            if (key, table[2], item.astext()) in seen:
                continue
            seen.add((key, table[2], item.astext()))
            domain.note(key, f"key, {shortened(whose)}" if whose else "key", docname, item, document)


def note_pages(domain, docname, document):
    """Algorithms and models that a page is about: those of the paragraph under its title."""
    title = document.next_node(nodes.title)
    first = document.next_node(nodes.paragraph)
    if title is None or first is None:
        return
    kind, entries = None, []
    for literal in first.findall(nodes.literal):
        named, quoted = NAMED.fullmatch(literal.astext()), QUOTED.fullmatch(literal.astext())
        kind = named[1] if named else kind
        name = named[2] if named else quoted[1] if quoted and kind else None
        if name:
            domain.note(name, kind, docname, title.parent, document)
            entries.append(("single", name, title.parent["ids"][0], "", None))
    if entries:
        # Entries of the index come before other pages that have the name in a title.
        title.parent.insert(1, addnodes.index(entries=entries))


def note_rows(domain, docname, document):
    """Estimators and error methods: tables with these words at their head."""
    for table in document.findall(nodes.table):
        head = table.next_node(nodes.entry).astext()
        if head not in ("estimator", "error method"):
            continue
        for row in table.next_node(nodes.tbody).children:
            whole = ""
            for literal in row[0].findall(nodes.literal):
                name = literal.astext()
                # `cumulant-forward`, `-reverse`
                name = whole.rpartition("-")[0] + name if name.startswith("-") else name
                whole = whole or name
                domain.note(name, head, docname, literal, document)


def note_all(app, document):
    docname = app.env.docname
    domain = app.env.get_domain("names")
    if docname == "keys":
        note_keys(domain, docname, document)
    elif docname.startswith(("algorithms/", "models/")):
        note_pages(domain, docname, document)
    elif docname == "user-guide":
        note_rows(domain, docname, document)


def setup(app):
    app.add_domain(NamesDomain)
    app.connect("doctree-read", note_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
