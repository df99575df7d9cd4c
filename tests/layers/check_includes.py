"""Finds includes of private sources that another include of the same file has already.

usage: check_includes.py [--trim] [--self-test] PROJECT_ROOT

A .cpp file repeats no include; a private header repeats no header of the project, but names the standard headers that
it uses. Public headers (include/) may repeat what they like, as programs outside build on them. --trim removes repeated
includes. Exit status 1 and one line for each fault. --self-test runs the check on a small tree with known faults.
"""

import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'#include ([<"])([^">]+)[">]$')


def includes_of(text):
    """{line number: (bracket, name)} of includes that no condition encloses and no comment explains."""
    found, depth = {}, 0
    for number, line in enumerate(text.split("\n")):
        depth += line.startswith("#if")
        depth -= line.startswith("#endif")
        include = INCLUDE.match(line)
        if include and not depth and not line.endswith('.inl"'):
            found[number] = include.groups()
    return found


class Tree:
    """The sources of a project, from which includes can be removed."""

    def __init__(self, root):
        self.root = root
        paths = [path for folder in ("include", "src") for path in sorted((root / folder).rglob("*.[ch]pp"))]
        self.text = {path: path.read_text() for path in paths}
        self.includes = {path: includes_of(text) for path, text in self.text.items()}

    def header(self, include):
        paths = [self.root / folder / include[1] for folder in ("src", "include")]
        return next((path for path in paths if include[0] == '"' and path in self.text), None)

    def brought(self, path, seen, but):
        """Adds all includes of a header to `seen`, without those of the file `but`."""
        for include in self.includes[path].values():
            if include not in seen:
                seen.add(include)
                header = self.header(include)
                if header and header != but:
                    self.brought(header, seen, but)
        return seen

    def trim(self, path):
        """Removes the repeated includes of a file; their names."""
        own = self.includes[path]
        repeated = []
        for number, include in list(own.items()):
            if include[0] == "<" and path.suffix == ".hpp":
                continue
            headers = [self.header(other) for line, other in own.items() if line != number]
            if path.stem == pathlib.Path(include[1]).stem and path.suffix == ".cpp" and self.header(include):
                continue  # its own header
            if any(include in self.brought(header, set(), path) for header in headers if header):
                del own[number]
                repeated.append((number, include[1]))
        return repeated


def without(text, numbers):
    """The text without these lines, and without the second of two empty lines that they leave."""
    kept, last = [], max(numbers) + 1
    for number, line in enumerate(text.split("\n")):
        if number not in numbers and not (number <= last and not line and (not kept or not kept[-1])):
            kept.append(line)
    return "\n".join(kept)


def check(root, trims=False):
    tree, faults = Tree(root), []
    for path in tree.text:
        if path.is_relative_to(root / "src") and (repeated := tree.trim(path)):
            for number, name in repeated:
                faults.append(f"{path.relative_to(root)}:{number + 1}: another include has {name} already")
            if trims:
                path.write_text(without(tree.text[path], {number for number, _ in repeated}))
    return faults


def self_test():
    sources = {"include/pearlite/core/a.hpp": "#include <vector>\n#include <string>\n",
               "src/io/a.hpp": '#include "pearlite/core/a.hpp"\n\n#include <vector>\n',
               "src/io/a.cpp": '#include "io/a.hpp"\n\n#include <string>\n\n#include <cmath>\n',
               "src/io/b.cpp": '#include "io/a.hpp"\n#include "pearlite/core/a.hpp"\n#if 1\n#include <map>\n#endif\n'}
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in sources.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found = [fault.split(":")[0] for fault in check(root, trims=True)]
        trimmed = (root / "src/io/a.cpp").read_text() == '#include "io/a.hpp"\n\n#include <cmath>\n'
        return [] if found == ["src/io/a.cpp", "src/io/b.cpp"] and trimmed and not check(root) else [f"self-test: {found}"]


def main():
    root = pathlib.Path(sys.argv[-1])
    if not (root / "src").is_dir():
        sys.exit(f"{root}: no folder src, expected the root of a project as the last argument")
    faults = self_test() if "--self-test" in sys.argv else check(root, "--trim" in sys.argv)
    print("\n".join(faults + [f"{len(faults)} includes are repeated"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
