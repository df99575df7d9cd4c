"""Draws faults from the sources: an operator swapped, a constant changed, a statement dropped."""

import dataclasses
import pathlib
import random
import re

LAYERS = ("core", "simd", "random", "parallel", "io", "model", "target", "population", "estimator", "path", "kernel", "models",
          "algorithm", "app", "drivers")
OPERATORS = {" + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " < ": " <= ", " <= ": " < ", " > ": " >= ",
             " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ", "++": "--", "--": "++",
             " += ": " -= ", " -= ": " += "}
CONSTANTS = {"0": "1", "1": "2", "2": "3", "0.5": "0.25"}

OPERATOR = re.compile(r" (?:\+=|-=|<=|>=|==|!=|&&|\|\||[-+*/<>]) |\+\+|--")
CONSTANT = re.compile(r"(?<![\w.'])(?:0\.5|[012])(?![\w.'])")
# Comments, strings and characters, of which nothing is drawn. An apostrophe within a number separates digits.
SILENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                    r"(?<!\w)'(?:\\.|[^'\\\n])+'", re.DOTALL)
# Lines that say something to people or to the compiler alone, and ones that change no number.
IDLE = re.compile(r"^\s*(?:#|using |namespace |template |class |struct |enum |friend |static_assert|public:|private:|"
                  r"\[\[)|throw |\bthrow_|Error\(|fmt::|message|warning|remark|PEARLITE_|static_assert|\bk\(|\bkeys?\(|"
                  r"about|operator|\btext\b|\bnote\b|reserve\(|shrink_to_fit|prefetch|\blog_line|requires|concept |"
                  r"always_inline|refuse|describe|line \+=|virtual |= default|= delete|\bpoll\b")
ASSIGNMENT = re.compile(r"[\w.>:()\[\]-]+ (?:[-+*/|&^]|<<|>>)?= .*;")
CALL = re.compile(r"(?:[a-z_][\w.:]*(?:->|\.|::))*[a-z_]\w*\(.*\);")
STEP = re.compile(r"(?:\+\+|--)[\w.>\[\]-]+;")


@dataclasses.dataclass(frozen=True)
class Fault:
    """A text of a file, which is replaced."""

    name: str
    layer: str
    file: str
    find: str
    replace: str
    breaks: str
    line: int = 0  # of a drawn one, whose `find` is the whole line and may occur elsewhere, too

    def applied_to(self, text):
        """The text with the fault in it. ValueError if its place is not found exactly once."""
        if self.line:
            lines = text.split("\n")
            if lines[self.line - 1] != self.find:
                raise ValueError(f"{self.file}:{self.line} is another line than the one drawn")
            lines[self.line - 1] = self.replace
            return "\n".join(lines)
        places = text.count(self.find)
        if places != 1:
            raise ValueError(f"{self.name}: its text occurs {places} times in {self.file}, expected once")
        return text.replace(self.find, self.replace)


def masked(text):
    """The text with comments, strings and characters blank, line by line."""
    return SILENT.sub(lambda match: re.sub(r"[^\n]", "\0", match.group(0)), text).split("\n")


def is_statement(line, before):
    """Whether a line is a statement that can be dropped: all of it on the line, after the end of another."""
    code = line.strip()
    if before and before.rstrip()[-1:] not in (";", "{", "}", ":", ")") and not before.strip().endswith("else"):
        return False
    if code.count("(") != code.count(")") or code.count("{") != code.count("}"):
        return False
    return any(kind.fullmatch(code) for kind in (ASSIGNMENT, CALL, STEP))


def changes_of(code, line, before):
    """Kinds and new lines: what can go wrong with a line whose comments and strings are blank in `code`."""
    changes = []
    for match in OPERATOR.finditer(code):
        new = OPERATORS[match.group(0)]
        changes.append((f"'{match.group(0).strip()}' is '{new.strip()}'", match, new))
    for match in CONSTANT.finditer(code):
        changes.append((f"{match.group(0)} is {CONSTANTS[match.group(0)]}", match, CONSTANTS[match.group(0)]))
    found = [(kind, line[:match.start()] + new + line[match.end():]) for kind, match, new in changes]
    if is_statement(code.replace("\0", "s"), before):
        found.append(("dropped", line[:len(line) - len(line.lstrip())] + ";"))
    return found


def mutants(text):
    """{line number: [(kind, old line, new line)]} of the lines with mutants."""
    lines, codes = text.split("\n"), masked(text)
    found, before = {}, ""
    statement = ""  # idle statements may go on for lines
    for number, (line, code) in enumerate(zip(lines, codes), 1):
        blank = code.replace("\0", "").strip()
        if not blank:
            continue
        statement += code
        changes = [] if IDLE.search(statement) else changes_of(code, line, before)
        if blank[-1] in ";{}:" or blank.startswith("#"):
            statement = ""
        before = blank
        if changes:
            found[number] = [(kind, line, new) for kind, new in changes]
    return found


def sources(root):
    """{layer: files} of what is drawn from: sources of layers and public headers."""
    root = pathlib.Path(root)
    files = [*root.glob("src/*/**/*.cpp"), *root.glob("include/pearlite/*/**/*.hpp")]
    layers = {}
    for file in sorted(files):
        path = file.relative_to(root)
        layer = path.parts[1] if path.parts[0] == "src" else path.parts[2]
        layers.setdefault(layer, []).append(path.as_posix())
    return layers


def drawn(root, seed):
    """Faults without end, no two at the same line: uniform over layers, then over lines of code, then over mutants."""
    root, generator = pathlib.Path(root), random.Random(seed)
    lines = {}
    for layer, files in sorted(sources(root).items()):
        places = [(file, number, changes) for file in files
                  for number, changes in sorted(mutants((root / file).read_text(encoding="utf-8")).items())]
        if places:
            lines[layer] = places
    layers, taken = sorted(lines), set()
    while len(taken) < sum(map(len, lines.values())):
        layer = generator.choice(layers)
        file, number, changes = generator.choice(lines[layer])
        kind, old, new = generator.choice(changes)
        if (file, number) in taken:
            continue
        taken.add((file, number))
        name = f"{layer}_{pathlib.PurePath(file).stem}_{number}"
        yield Fault(name, layer, file, old, new, f"{kind}: {old.strip()}", number)
