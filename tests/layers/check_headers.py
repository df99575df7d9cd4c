"""Compiles every public header alone, with the include path of an installed package: include/, not src/.

usage: check_headers.py [--self-test] PROJECT_ROOT BUILD_DIRECTORY

The compiler and its options are those by which the build compiles drivers/pearlite.cpp. The header that needs an optional
package is compiled where the build has found that package. Exit status 1 if a header does not compile
with warnings as errors; 77 (skipped) if the build has no compile_commands.json.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SKIPPED = 77
OF_AN_OPTIONAL_PACKAGE = "pearlite/model/automatic_gradient.hpp"


def compiler_of(build, root):
    """The words that call the compiler, without file names and without the private headers' directory; None if unknown."""
    commands = build / "compile_commands.json"
    if not commands.exists():
        return None
    entries = json.loads(commands.read_text())
    command = next((entry["command"] for entry in entries if pathlib.Path(entry["file"]) == root / "drivers/pearlite.cpp"), None)
    if command is None:
        return None
    words = shlex.split(command)
    if pathlib.Path(words[0]).name == "ccache":
        del words[0]
    words = words[: words.index("-o")]
    return [word for word in words if word != f"-I{root / 'src'}"]


def with_optional_package(compiler, build):
    """The compiler with the include directories of the package that the build has found, or None."""
    found = re.findall(r"^StanMath_\w*INCLUDE_DIR:PATH=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    if not found or any(directory.endswith("-NOTFOUND") for directory in found):
        return None
    return [*compiler, *(word for directory in set(found) - {"/usr/include"} for word in ("-isystem", directory))]


def compile_alone(compiler, header):
    """Errors of the compiler for a translation unit that includes only the header."""
    done = subprocess.run([*compiler, "-O0", "-Werror", "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{header}"\n',
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def check(compiler, include, optional_compiler=None):
    """{header: what is wrong} of those that do not compile, and the number of headers."""
    compilers = {str(file.relative_to(include)): compiler for file in sorted(include.rglob("*.hpp"))}
    if OF_AN_OPTIONAL_PACKAGE in compilers:
        compilers[OF_AN_OPTIONAL_PACKAGE] = optional_compiler
    headers = [header for header, its_compiler in compilers.items() if its_compiler is not None]
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        texts = pool.map(lambda header: compile_alone(compilers[header], header), headers)
    return {header: text for header, text in zip(headers, texts) if text}, len(headers)


def self_test(compiler, root):
    """Headers with a known fault each; returns the faults that the check missed or reported wrongly."""
    planted = {"pearlite/sound.hpp": "#pragma once\n#include <vector>\n#include <pearlite/core/types.hpp>\ninline std::vector<int> a;\n",
               "pearlite/lacks_include.hpp": "#pragma once\ninline std::vector<int> a;\n",
               "pearlite/private.hpp": '#pragma once\n#include "core/fields.hpp"\n',
               "pearlite/shadows.hpp": "#pragma once\ninline int f(int a) { { int a = 1; return a; } }\n"}
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        for header, text in planted.items():
            (tree / header).parent.mkdir(exist_ok=True)
            (tree / header).write_text(text)
        faults, _ = check([*compiler, f"-I{tree}"], tree)
    expected = set(planted) - {"pearlite/sound.hpp"}
    assert (root / "src/core/fields.hpp").exists()
    return {} if set(faults) == expected else {"self-test": f"found {sorted(faults)}, expected {sorted(expected)}"}


def main():
    arguments = sys.argv[1:]
    root, build = (pathlib.Path(argument).resolve() for argument in arguments[-2:])
    compiler = compiler_of(build, root)
    if compiler is None:
        print(f"skipped: {build} has no compile_commands.json that says how to compile drivers/pearlite.cpp")
        return SKIPPED
    if "--self-test" in arguments:
        faults = self_test(compiler, root)
        print("planted faults: " + ("some missed" if faults else "all found"))
    else:
        faults, count = check(compiler, root / "include", with_optional_package(compiler, build))
        print(f"{count} headers compiled alone, {len(faults)} faults")
    for header, text in faults.items():
        print(f"{header}:\n{text}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
