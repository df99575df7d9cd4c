"""Checks every #include of the sources against the table of layers in docs/architecture.md.

usage: check_layers.py [--self-test] PROJECT_ROOT

A second table there has the folders of a layer, in which an include may only point upwards, too; in a layer without such
a table no two folders include each other.

Beyond the tables: no public header includes a private one; no folder is crowded; only an algorithm's own folder and the
registry know its name, apart from exceptions in known_exceptions.py. An exception that is no longer needed is a fault,
too, so that the list can only become shorter.

Exit status 1 and one line for each fault. --self-test runs the check on small trees, each with a known fault that it
must find.
"""

import pathlib
import re
import sys
import tempfile

import known_exceptions
import ownership

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
TABLE_ROW = re.compile(r"^\| `(\w+)` \|([^|]*)\|$", re.MULTILINE)
FOLDER_ROW = re.compile(r"^\| `(\w+)/(\w+)` \|([^|]*)\|", re.MULTILINE)
SOURCE_SUFFIXES = {".hpp", ".h", ".cpp", ".inl"}
# Libraries that one layer alone may include.
OWNED_LIBRARIES = {"parallel": re.compile(r"mpi\.h$|boost/mpi(/|\.hpp$)"), "io": re.compile(r"(hdf5(_hl)?|H5\w+|netcdf\w*)\.h$")}


def read_table(document):
    """{layer: set of layers it may include} and a list of faults of the table itself."""
    table, faults = {}, []
    for layer, cell in TABLE_ROW.findall(document):
        allowed = set(re.findall(r"`(\w+)`", cell))
        faults += [f"table: {layer} may not include {other}, which does not stand above it" for other in allowed - set(table)]
        table[layer] = allowed
    return table, faults or ([] if table else ["table: no rows found"])


def read_folders(document):
    """{layer: {folder: set of folders of the layer that it may include}} and a list of faults of the table itself."""
    folders, faults = {}, []
    for layer, folder, cell in FOLDER_ROW.findall(document):
        table = folders.setdefault(layer, {})
        allowed = set(re.findall(r"`(\w+)`", cell))
        faults += [f"table: {layer}/{folder} may not include {other}, which does not stand above it"
                   for other in sorted(allowed - set(table))]
        table[folder] = allowed
    return folders, faults


def folder_of(parts):
    """The folder of a layer, from (layer, ..., file); None for a file of the layer itself and for interfaces that public
    headers are made of."""
    return parts[1] if len(parts) > 2 and parts[1] != "detail" else None


def folder_faults(root, table, folders, known_pairs):
    """Includes between folders of a layer against the table of its folders, or in both directions."""
    faults, arrows = [], set()
    for layer, file in sources(root, table):
        base = root / ("include/pearlite" if file.is_relative_to(root / "include/pearlite") else "src")
        if layer is None or not file.is_relative_to(base):
            continue
        name, folder = file.relative_to(root), folder_of(file.relative_to(base).parts)
        if folder and layer in folders and folder not in folders[layer]:
            faults.append(f"{name}: its folder is not in the table of {layer}")
            continue
        for include in INCLUDE.findall(file.read_text()):
            parts = include.removeprefix("pearlite/").split("/")
            other = folder_of(parts) if parts[0] == layer else None
            if not folder or not other or folder == other:
                continue
            arrows.add((layer, folder, other))
            if layer in folders and other not in folders[layer][folder]:
                faults.append(f"{name}: #include of {include}: {layer}/{folder} may not include {layer}/{other}")
    pairs = {(layer, *sorted((a, b))) for layer, a, b in arrows if (layer, b, a) in arrows and layer not in folders}
    faults += [f"{layer}/{a} and {layer}/{b} include each other" for layer, a, b in sorted(pairs - set(known_pairs))]
    return faults + [f"known_exceptions.py: {layer}/{a} and {layer}/{b} no longer include each other"
                     for layer, a, b in sorted(set(known_pairs) - pairs)]


def sources(root, table):
    """(layer, file) of every source file; layer is None for a directory that the table does not name."""
    for base in (root / "include/pearlite", root / "src"):
        for file in sorted(base.rglob("*")):
            if file.suffix in SOURCE_SUFFIXES:
                layer = file.relative_to(base).parts[0]
                yield (layer if layer in table else None), file
    for file in sorted((root / "drivers").rglob("*")):
        if file.suffix in SOURCE_SUFFIXES:
            yield "drivers", file


def fault_of(include, layer, table):
    """The fault of this include in this layer, or None."""
    for owner, pattern in OWNED_LIBRARIES.items():
        if pattern.match(include) and layer != owner:
            return f"only {owner} may include it"
    if ".." in include.split("/"):
        return "relative includes hide the layer"
    # Public headers are pearlite/LAYER/..., private ones LAYER/....
    target = include.removeprefix("pearlite/").split("/")[0]
    if (include.startswith("pearlite/") or "/" in include and target in table) and target not in {layer, *table.get(layer, ())}:
        return f"{layer} may not include {target}"
    return None


def is_private(include, root, table):
    """Whether an include names a header of src."""
    return "/" in include and include.split("/")[0] in table or (root / "src" / include).is_file()


def check(root, known_pairs=()):
    """All faults of includes under the project root, one line each, and the number of includes looked at."""
    document = (root / "docs/architecture.md").read_text()
    table, faults = read_table(document)
    folders, of_table = read_folders(document)
    faults += of_table + folder_faults(root, table, folders, known_pairs)
    count = 0
    for layer, file in sources(root, table):
        name = file.relative_to(root)
        if layer is None:
            faults.append(f"{name}: its layer is not in the table")
            continue
        for include in INCLUDE.findall(file.read_text()):
            count += 1
            fault = fault_of(include, layer, table)
            if name.parts[0] == "include" and is_private(include, root, table):
                fault = "private header in a public one"
            if fault:
                faults.append(f"{name}: #include of {include}: {fault}")
    return faults, count


def self_test(root):
    """Plants one fault at a time in a small tree; returns the mistakes of the check."""
    header = "include/pearlite/core/a.hpp"
    sound = {header: "#include <vector>\n", "src/random/a.cpp": '#include "pearlite/core/a.hpp"\n#include "simd/a.hpp"\n#include "lanes/a.hpp"\n',
             "src/io/b/a.cpp": '#include "io/a/a.hpp"\n', "src/app/commands/a.cpp": '#include "app/run/a.hpp"\n',
             "src/parallel/a.cpp": "#include <mpi.h>\n#include <boost/mpi.hpp>\n", "src/io/a.cpp": "#include <hdf5.h>\n"}
    planted = [(header, '#include "pearlite/io/a.hpp"'), (header, "  #  include <pearlite/random/a.hpp>"),
               ("src/models/a.cpp", '#include "parallel/a.hpp"'), ("src/random/b.cpp", '#include "../io/a.hpp"'),
               ("src/simd/a.cpp", '#include "random/a.hpp"'), ("src/io/b.cpp", "#include <mpi.h>"), ("src/app/a.cpp", "#include <boost/mpi/communicator.hpp>"),
               ("src/app/a.cpp", "#include <hdf5.h>"), ("src/app/a.cpp", "#include <netcdf_mem.h>"),
               ("src/unknown/a.cpp", "#include <vector>"),
               ("src/app/run/a.cpp", '#include "app/commands/a.hpp"'), ("src/app/nowhere/a.cpp", ""),
               ("src/io/a/a.cpp", '#include "io/b/a.hpp"'),
               ("drivers/a.cpp", '#include "pearlite/io/a.hpp"'), ("include/pearlite/random/a.hpp", '#include "core/a.hpp"')]
    document = (root / "docs/architecture.md").read_text()
    mistakes = []
    for extra in [None, *planted]:
        with tempfile.TemporaryDirectory() as name:
            tree = pathlib.Path(name)
            for path, text in {"docs/architecture.md": document, **sound, **(dict([extra]) if extra else {})}.items():
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_text(text)
            if len(check(tree)[0]) != (1 if extra else 0):
                mistakes.append(f"self-test: {extra or 'sound tree'} gave {check(tree)[0]}")
    upward = document.replace("| `core` | |", "| `core` | `io` |")
    if len(read_table(upward)[1]) != 1:
        mistakes.append("self-test: a table that points upward was accepted")
    return mistakes + ownership.self_test()


def main():
    arguments = sys.argv[1:]
    root = pathlib.Path(arguments[-1])
    if "--self-test" in arguments:
        faults = self_test(root)
        print("planted faults: " + ("some missed" if faults else "all found"))
    else:
        faults, count = check(root, known_exceptions.MUTUAL)
        faults += ownership.check(root, known_exceptions.CROWDED, known_exceptions.INCLUDES)
        print(f"{count} includes checked, {len(faults)} faults")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
