"""Pages of the interfaces: C++ from the public headers, Python from the docstrings.

The directive `{cpp-header} model/density.hpp` inserts all public declarations of that header, in their order, with the
comments above them; `:only:` selects some of them. Doxygen reads the headers. Breathe is not used because it cannot
list a header in the header's order, omits the requirements of a concept, which a user's class must fulfil, and parses
comments as markup, in which tables and code lose their columns. Without Doxygen (Debian's doxygen) a warning appears
during the build and on the pages.
"""

import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
from xml.etree import ElementTree

from docutils import nodes
from docutils.parsers.rst import directives
from myst_parser.mocking import MockRSTParser
from myst_parser.mdit_to_docutils.base import make_document
from plain_text import indented, rst_of
from sphinx import addnodes
from sphinx.domains.cpp import CPPDomain
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
logger = logging.getLogger(__name__)

DOXYGEN = """
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
RECURSIVE = YES
FILE_PATTERNS = *.hpp
QUIET = YES
WARN_AS_ERROR = YES
WARN_IF_UNDOCUMENTED = NO
WARN_IF_DOC_ERROR = YES
MACRO_EXPANSION = YES
PREDEFINED = "__extension__="
INPUT = "{headers}"
OUTPUT_DIRECTORY = "{place}"
STRIP_FROM_PATH = "{headers}"
"""


def with_verbatim_comments(source):
    """The source, line by line, with comments marked as text that has no markup in it. A bar at the head of each line
    keeps its indentation."""
    lines = source.splitlines()
    is_comment = [bool(re.match(r"\s*///(?!<)", line)) for line in lines]
    written = []
    for at, line in enumerate(lines):
        if is_comment[at]:
            line = "|" + line.split("///", 1)[1]
            if at == 0 or not is_comment[at - 1]:
                line = r"/**\verbatim" + line
            if at + 1 == len(lines) or not is_comment[at + 1]:
                line += r"\endverbatim*/"
        else:
            line = re.sub(r"///<(.*)", r"/**<\\verbatim|\1\\endverbatim*/", line)
        written.append(line)
    return "\n".join(written) + "\n"


def comment_of(element):
    texts = [text for tag in ("briefdescription", "detaileddescription") for part in element.findall(tag)
             for text in part.itertext() if "|" in text]
    lines = [line.partition("|")[2] for text in texts for line in text.splitlines() if "|" in line]
    return textwrap.dedent("\n".join(lines))


def head_comment(header):
    """The comment at the head of a header, which belongs to none of its declarations."""
    lines = header.read_text(encoding="utf-8").removeprefix("#pragma once\n").splitlines()
    return textwrap.dedent("\n".join(line[3:] for line in itertools.takewhile(lambda line: line[:3] == "///", lines)))


class Entity:
    """A declaration: a concept, a class, a function, a variable, a type."""

    def __init__(self, element, kind):
        self.element, self.kind = element, kind
        place = element.find("location")
        self.file, self.line = (place.get("file"), int(place.get("line") or 0)) if place is not None else (None, 0)
        full = element.findtext("compoundname") or element.findtext("qualifiedname") or element.findtext("name")
        self.namespace, _, self.name = full.rpartition("::")
        self.members = []
        self.is_public = element.get("prot", "public") == "public"

    def text(self, tag):
        found = self.element.find(tag)
        return "" if found is None else "".join(found.itertext()).strip()

    @property
    def comment(self):
        return comment_of(self.element)

    def head(self):
        """template <...> requires ..."""
        if self.element.find("templateparamlist") is None:
            return ""
        parameters = []
        for param in self.element.find("templateparamlist"):
            words = ["".join(param.find(tag).itertext()) for tag in ("type", "declname") if param.find(tag) is not None]
            default = param.find("defval")
            parameters.append(" ".join(words) + ("" if default is None else " = " + "".join(default.itertext())))
        requires = self.text("requiresclause")
        return f"template <{', '.join(parameters)}> " + (f"requires {requires} " if requires else "")

    def signature(self):
        if self.kind == "concept":
            return self.head() + self.name
        if self.kind in ("class", "struct"):
            bases = [base.text for base in self.element.findall("basecompoundref") if base.get("prot") == "public"]
            return self.head() + self.name + (f" : {', '.join('public ' + base for base in bases)}" if bases else "")
        if self.kind == "enum":
            return self.name
        words = self.text("type")
        if self.kind == "typedef":
            return f"{self.head()}{self.name} = {words}"
        if self.kind == "variable":
            initial = self.text("initializer")
            initial = initial if initial.startswith("=") or not initial else f"= {initial}"
            return f"{self.head()}{words} {self.name}{self.text('argsstring')} {initial}".strip()
        flags = [flag for flag in ("static", "explicit") if self.element.get(flag) == "yes"]
        flags += ["virtual"] if self.element.get("virt") in ("virtual", "pure-virtual") else []
        arguments = re.sub(r"\s*=\s*(?:default|delete|0)$|\s*override\b", "", self.text("argsstring"))
        flags = [flag for flag in flags if not re.search(rf"\b{flag}\b", words)]
        return f"{self.head()}{' '.join([*flags, words])} {self.name}{arguments}".replace("  ", " ").strip()

    def directive(self):
        return "cpp:" + {"variable": "var", "typedef": "type"}.get(self.kind, self.kind)

    def is_plain(self):
        """Whether the page may omit the function: a destructor, or a defaulted or deleted member."""
        return self.kind == "function" and (self.name.startswith("~") or
                                            re.search(r"=\s*(default|delete)$", self.text("argsstring")) is not None)

    def required(self):
        """The requirements of a concept, as in the header."""
        if self.kind != "concept":
            return []
        text = "".join(self.element.find("initializer").itertext()).rstrip()
        text = re.sub(r"^.*?\bconcept\s+\S+\s*=\s*", "", text, count=1, flags=re.DOTALL)
        # Join continuation lines, which are aligned to the line before; the page wraps long lines itself.
        text = re.sub(r"\n {9,}", " ", text)
        lines = text.splitlines()
        return [".. code-block:: cpp", "   :class: requires", "", *indented(lines), ""]

    def rst(self, seen):
        """Lines of reStructuredText. `seen` has the names that the page describes before; overloads share a name."""
        written = [f".. {self.directive()}:: {self.signature()}"]
        written += ["   :noindexentry:"] if (self.name in seen or self.kind == "variable") else []
        seen.add(self.name)
        body = ["", *rst_of(self.comment, "cpp"), *self.required()]
        for value in self.element.findall("enumvalue"):
            body += [f".. cpp:enumerator:: {value.findtext('name')}", "",
                     *indented(rst_of(comment_of(value), "cpp")), ""]
        for member in self.members:
            body += member.rst(set())
        return [*written, *indented(body), ""]


def parsed(xml):
    """{header: its entities in order}."""
    entities, classes = {}, {}
    for file in sorted(xml.glob("*.xml")):
        for compound in ElementTree.parse(file).getroot().findall("compounddef"):
            kind = compound.get("kind")
            if kind in ("concept", "class", "struct"):
                entity = Entity(compound, kind)
                classes[f"{entity.namespace}::{entity.name}"] = entity
                entities.setdefault(entity.file, []).append(entity)
            if kind in ("class", "struct", "namespace"):
                for member in compound.iter("memberdef"):
                    if member.get("kind") not in ("function", "variable", "typedef", "enum"):
                        continue
                    entity = Entity(member, member.get("kind"))
                    if kind == "namespace":
                        entities.setdefault(entity.file, []).append(entity)
                    elif entity.is_public and not entity.is_plain():
                        classes[compound.findtext("compoundname")].members.append(entity)
    for entity in classes.values():
        # A nested class is a member of the outer one.
        outer = classes.get(entity.namespace)
        if outer is not None:
            entities[entity.file].remove(entity)
            if entity.is_public:
                outer.members.append(entity)
        entity.members.sort(key=lambda member: member.line)
    for found in entities.values():
        found.sort(key=lambda entity: entity.line)
    return entities


def read_headers():
    """The result of parsed() for the project's headers; None without Doxygen."""
    doxygen = shutil.which("doxygen")
    if doxygen is None:
        logger.warning("pages of the C++ interface are left out: Debian's doxygen is missing", type="pearlite",
                       subtype="doxygen")
        return None
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        for header in INCLUDE.rglob("*.hpp"):
            copy = place / "include" / header.relative_to(INCLUDE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(with_verbatim_comments(header.read_text(encoding="utf-8")), encoding="utf-8")
        (place / "Doxyfile").write_text(DOXYGEN.format(headers=place / "include", place=place), encoding="utf-8")
        ran = subprocess.run([doxygen, place / "Doxyfile"], text=True, capture_output=True, check=False)
        if ran.returncode:
            raise RuntimeError(f"doxygen: {ran.stderr or ran.stdout}")
        return parsed(place / "xml")


HEADERS = []  # what read_headers() says, once it is asked for


class CppHeader(SphinxDirective):
    """`{cpp-header} FILE`: the public declarations of include/pearlite/FILE."""

    required_arguments = 1
    option_spec = {"only": directives.unchanged}

    def run(self):
        header = f"pearlite/{self.arguments[0]}"
        self.env.note_dependency(str(INCLUDE / header))
        self.env.metadata[self.env.docname].setdefault("cpp_headers", []).append(header)
        if not HEADERS:
            HEADERS.append(read_headers())
        if HEADERS[0] is None:
            return [nodes.paragraph("", "", nodes.Text(f"See {header}: the site was built without Doxygen."))]
        entities = HEADERS[0]
        if not (INCLUDE / header).exists():
            raise self.error(f"{header}: no such header")
        chosen = [entity for entity in entities.get(header, []) if "detail" not in entity.namespace.split("::")]
        names = self.options.get("only", "").replace(",", " ").split()
        if names:
            missing = set(names) - {entity.name for entity in chosen}
            if missing:
                raise self.error(f"{header}: nothing is called {', '.join(sorted(missing))}")
            chosen = [entity for entity in chosen if entity.name in names]
        lines = [".. code-block:: cpp", "   :class: include", "", f'   #include "{header}"', ""]
        if not names:
            lines += rst_of(head_comment(INCLUDE / header), "cpp")
        seen, namespace = set(), None
        for entity in chosen:
            if entity.namespace != namespace:
                namespace = entity.namespace
                lines += [f".. cpp:namespace:: {namespace}", ""]
            lines += entity.rst(seen)
        lines += [".. cpp:namespace:: nullptr", ""]
        return rendered(self, lines)


def rendered(directive, lines):
    """Nodes of reStructuredText on a page of Markdown."""
    document = make_document()
    document["source"] = directive.state.document["source"]
    document.settings = directive.state.document.settings
    document.reporter = directive.state.document.reporter
    MockRSTParser().parse("\n".join(lines), document)
    for signature in document.findall(addnodes.desc_signature):
        # Sphinx lists Python's names beside the page, but not those of C++.
        if signature.parent.parent is document:
            name = list(signature.findall(addnodes.desc_signature_line))[-1].next_node(addnodes.desc_name).astext()
            signature["_toc_parts"], signature["_toc_name"] = (name,), name
    return list(document.children)


class CppDomain(CPPDomain):
    """Sphinx's, but the search does not find names of parameters, of which nothing is said."""

    def get_objects(self):
        return [found for found in super().get_objects() if found[2] not in ("functionParam", "templateParam")]


def plain_docstring(_app, _what, _name, _object, _options, lines):
    """Docstrings are plain text; those of fields of named tuples say nothing."""
    text = "\n".join(lines)
    lines[:] = [] if text.startswith("Alias for field number") else rst_of(text, "python")


def setup(app):
    app.add_domain(CppDomain, override=True)
    app.add_directive("cpp-header", CppHeader)
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", plain_docstring)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
