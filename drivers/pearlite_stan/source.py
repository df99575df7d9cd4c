"""The text of a Stan program with the place in the user's files that each character came from, so that messages of
translator, compiler and program name the user's own lines; and its tokens.
"""

import pathlib
import re

TOKEN = re.compile(r'\s+|(?://|#)[^\n]*|/\*.*?\*/|"[^"\n]*"|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|%/%|[-+*/.^%]=|.', re.S)
INCLUDE = re.compile(r'[ \t]*#include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|([^\s"<>]+))[ \t]*(?://[^\n]*)?(?=\n|$)')
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, set(")]}")


class SyntaxProblem(Exception):
    """The rewriting itself refuses the program; the message names a place in the user's file."""

    def __init__(self, place, message):
        super().__init__(f"{place.file}:{place.line}: {message}")


class Place:
    """A file as the user names it, a line of it from 1 on, a column from 1 on."""

    def __init__(self, file, line, column):
        self.file, self.line, self.column = str(file), line, column


class Source:
    """Text, and for each of its characters (file, place in that file's text); one more entry for the end."""

    def __init__(self, text, origins, texts):
        self.text, self.origins, self.texts = text, origins, texts

    @classmethod
    def of(cls, file):
        """A file with its #include lines replaced by the files that they name, beside the includer or beside this file."""
        main, texts, text, origins = pathlib.Path(file), {}, [], []

        def add(path, within, includer):
            if path in within:
                raise SyntaxProblem(includer, f"{path} includes itself")
            try:
                own = texts[str(path)] = path.read_text(encoding="utf-8").replace("\r\n", "\n")
            except OSError:
                raise SyntaxProblem(includer, f"cannot read {path}, which the program includes") from None
            at = 0
            for found in re.finditer(r"^.*$", own, re.M):
                include = INCLUDE.fullmatch(found[0])
                if include is None:
                    continue
                put(path, own, at, found.start())
                name = next(group for group in include.groups() if group)
                beside = [folder / name for folder in (path.parent, main.parent) if (folder / name).is_file()]
                add((beside or [path.parent / name])[0], within | {path},
                    Place(path, own.count("\n", 0, found.start()) + 1, 1))
                at = found.end()
            put(path, own, at, len(own))

        def put(path, own, begin, end):
            text.append(own[begin:end])
            origins.extend((str(path), i) for i in range(begin, end))

        add(main, frozenset(), None)
        return cls("".join(text), origins + [(str(main), len(texts[str(main)]))], texts)

    def edited(self, edits):
        """With [begin, end) replaced by a text, for each of the edits. Lines stay: new text has no newline, and removed
        newlines are kept behind it. Insertions at one place stand in the order of the list."""
        text, origins, at = [], [], 0
        for begin, end, new in sorted(edits, key=lambda edit: edit[:2]):
            text.append(self.text[at:begin])
            origins += self.origins[at:begin]
            new = " ".join(new.split("\n")) + "\n" * self.text.count("\n", begin, end)
            text.append(new)
            if "\n" in new:  # each newline is its own
                lines = [i for i in range(begin, end) if self.text[i] == "\n"]
                origins += [self.origins[begin]] * (len(new) - len(lines)) + [self.origins[i] for i in lines]
            else:
                origins += [self.origins[begin]] * len(new)
            at = end
        return Source("".join(text) + self.text[at:], origins + self.origins[at:], self.texts)

    def place(self, line, column=1):
        """The user's place of a line and column of this text."""
        start = 0
        for _ in range(line - 1):
            start = self.text.find("\n", start) + 1 or len(self.text)
        file, at = self.origins[min(start + column - 1, len(self.text))]
        own = self.texts[file]
        return Place(file, own.count("\n", 0, at) + 1, at - (own.rfind("\n", 0, at) + 1) + 1)

    def user_line(self, place):
        """The words of the user's line at this place."""
        return self.texts[place.file].split("\n")[place.line - 1]

    def segments(self):
        """(lines of this text before the segment, lines of the user's file before it, file), where included files begin
        and end."""
        found = []
        for number, _ in enumerate(self.text.split("\n")):
            place = self.place(number + 1)
            if not found or (place.file, place.line - number) != (found[-1][2], found[-1][1] - found[-1][0] + 1):
                found.append((number, place.line - 1, place.file))
        return found


class Tokens:
    """The tokens of a text that are neither blank nor comment: words, and where each begins and ends."""

    def __init__(self, source):
        self.source = source
        found = [t for t in TOKEN.finditer(source.text) if not t[0].isspace() and not t[0].startswith(("//", "/*", "#"))]
        self.words = [t[0] for t in found]
        self.begins = [t.start() for t in found]
        self.ends = [t.end() for t in found]

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return self.words[i] if 0 <= i < len(self.words) else ""

    def text(self, begin, end):
        """The words of tokens [begin, end) with single blanks, without comments."""
        return " ".join(self.words[begin:end])

    def behind(self, i):
        """The token behind the bracket that closes the one at i."""
        depth = 0
        for k in range(i, len(self)):
            depth += self[k] in OPEN
            depth -= self[k] in CLOSE
            if depth == 0:
                return k + 1
        return len(self)

    def until(self, i, ends):
        """The first token from i on, outside brackets, that is one of `ends`, or closes brackets from outside."""
        while i < len(self) and self[i] not in ends and self[i] not in CLOSE:
            i = self.behind(i) if self[i] in OPEN else i + 1
        return i

    def arguments(self, i):
        """Ranges of tokens of the arguments in the parentheses that open at i."""
        ranges, begin, last = [], i + 1, self.behind(i) - 1
        while begin < last:
            end = self.until(begin, (",", "|"))
            ranges.append((begin, end))
            begin = end + 1
        return ranges
