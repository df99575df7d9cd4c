"""Runs clang-tidy 14 with the committed .clang-tidy on all sources of src and drivers.

usage: check_tidy.py [--self-test] PROJECT_ROOT BUILD_DIRECTORY [SOURCE...]

Most of clang-tidy's time goes into the headers of the standard library and of Eigen. So it reads up to MOST_SOURCES sources at a
time, each a file that includes them. Sources that define the same name for themselves go to different files; where that was not
foreseen, the sources that do not compile beside others are read alone. SOURCE... limits the check to these.

Compiler options are those of the build, without what clang 14 does not know, and without precompiled headers: a source that lacks an
include is a fault here. Exit status 1 and the texts of clang-tidy if it has anything to say; 77 (skipped) if it is not installed or
the build has no compile_commands.json.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TIDY = "clang-tidy-14"
MOST_SOURCES = 20
UNKNOWN_TO_CLANG = {"-mmove-max=128", "-mstore-max=128", "-Winvalid-pch", "-Werror"}
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\} // namespace$", re.MULTILINE | re.DOTALL)
# Definitions that begin a line: of types, of functions, and of constants.
DEFINED = re.compile(r"^(?:template <.*> )?(?:(?:struct|class|enum class) (\w+) (?:: .*)?\{|(?:using|concept) (\w+) =|"
                     r"(?:[\w:<>,&*]+ )+[&*]*(\w+)(?:\(| =|\{|;|\[))", re.MULTILINE)
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
FINDING = re.compile(r"^\S+:\d+:\d+: (?:warning|error): ")
COMPILE_ERROR = "[clang-diagnostic-error]"


def options_of(command):
    """The options of a compiler's call that clang-tidy needs, each with its argument."""
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word in ("-o", "-c", "-include"):
            next(words)
        elif word == "-isystem":
            kept.append((word, next(words)))
        elif word.startswith("-") and word not in UNKNOWN_TO_CLANG:
            kept.append((word,))
    return kept


def own_names(source):
    """Names that a source defines for itself: it would clash with another one in the same file that does so."""
    text = source.read_text()
    is_program = re.search(r"^int main\(", text, re.MULTILINE)
    own = text if is_program else "".join(UNNAMED.findall(text))
    return {name for names in DEFINED.findall(own) for name in names if name} | set(MACRO.findall(text))


def grouped(sources):
    """Lists of sources for one file each."""
    groups = []
    for source in sources:
        names = own_names(source)
        for group in groups:
            if len(group["sources"]) < MOST_SOURCES and not names & group["names"]:
                break
        else:
            group = {"sources": [], "names": set()}
            groups.append(group)
        group["sources"].append(source)
        group["names"] |= names
    return [group["sources"] for group in groups]


def read_once(configuration, sources, options):
    """What clang-tidy prints of a file that includes the sources."""
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "sources.cpp"
        file.write_text("".join(f'#include "{source}" // NOLINT\n' for source in sources))
        done = subprocess.run([TIDY, "--quiet", f"--config-file={configuration}", str(file), "--", *options, "-ferror-limit=0"],
                              capture_output=True, text=True)
    if done.returncode and not FINDING.search(done.stdout) and COMPILE_ERROR not in done.stdout:
        return f"{sources[0]}:1:1: error: clang-tidy failed: {done.stderr} {COMPILE_ERROR}\n"
    return done.stdout


def read(configuration, sources, options):
    """Findings in these sources and in the project's headers that they include."""
    text = read_once(configuration, sources, options)
    errors = [line for line in text.splitlines() if COMPILE_ERROR in line]
    if not errors or len(sources) == 1:
        return findings(text)
    alone = [source for source in sources if any(line.startswith(f"{source}:") for line in errors)] or sources
    rest = [source for source in sources if source not in alone]
    print(f"read alone: {' '.join(source.name for source in alone)}\n{errors[0]}", file=sys.stderr)
    found = read(configuration, rest, options) if rest else {}
    for source in alone:
        found |= findings(read_once(configuration, [source], options))
    return found


def findings(text):
    """{first line of a finding: its whole text}"""
    found, key = {}, None
    for line in text.splitlines():
        if FINDING.search(line):
            key = line
            found[key] = ""
        if key:
            found[key] += line + "\n"
    return found


def check(root, sources, options):
    """Findings in the sources, and the number of files that clang-tidy read."""
    # Long files first, so that no core is left alone with one at the end.
    groups = sorted(grouped(sources), key=len, reverse=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        all_found = pool.map(lambda group: read(root / ".clang-tidy", group, options), groups)
    return {key: text for found in all_found for key, text in found.items()}, len(groups)


def sources_of(root, build):
    """The build's sources in src and drivers, and the options of all of them together, in their order."""
    entries = json.loads((build / "compile_commands.json").read_text())
    places = (root / "src", root / "drivers")
    chosen, options = set(), {}
    for entry in entries:
        file = pathlib.Path(entry["file"])
        if file not in chosen and any(place in file.parents for place in places):
            chosen.add(file)
            options |= dict.fromkeys(options_of(entry["command"]))
    return sorted(chosen), [word for option in options for word in option]


def self_test(root, options):
    """Sources with a known fault each; returns what the check got wrong."""
    sound = "#include <vector>\nnamespace { int twice(int a) { return 2 * a; } }\nint f(int a) { return twice(a); }\n"
    planted = {"sound.cpp": sound, "same_names.cpp": sound.replace("int f", "int g").replace("{ int twice", "{\nint twice"),
               "null.cpp": "int* null_pointer() { return 0; }\n", "typedef.cpp": "typedef int Number;\n",
               "lacks_include.cpp": "std::set<int> numbers;\n", "header.cpp": '#include "header.hpp"\n',
               "clash.cpp": "namespace { const char* twice(int) { return nullptr; } }\nbool h() { return twice(1) != nullptr; }\n"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "src"
        folder.mkdir()
        (folder / "header.hpp").write_text("#pragma once\nstruct Base { virtual int f() = 0; };\ninline int e(int a) { int b; b = a; return b; }\n")
        for file, text in planted.items():
            (folder / file).write_text(text)
        found, _ = check(root, [folder / file for file in planted], options)
    places = {pathlib.Path(key.split(":")[0]).name for key in found}
    expected = {"null.cpp", "typedef.cpp", "lacks_include.cpp", "header.hpp"}
    return {} if places == expected else {"self-test": f"found {sorted(found)}, expected some in each of {sorted(expected)}\n"}


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--self-test"]
    root, build, *wanted = (pathlib.Path(argument).resolve() for argument in arguments)
    if shutil.which(TIDY) is None:
        print(f"skipped: {TIDY} is not installed")
        return SKIPPED
    if not (build / "compile_commands.json").exists():
        print(f"skipped: {build} has no compile_commands.json that tells how to compile the sources")
        return SKIPPED
    sources, options = sources_of(root, build)
    sources = [source for source in sources if not wanted or source in wanted]
    if "--self-test" in sys.argv:
        faults = self_test(root, options)
        print("planted faults: " + ("some missed" if faults else "all found"))
    else:
        faults, files = check(root, sources, options)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        print(f"{len(sources)} sources read in {files} files, {used:.0f} s of processor time, {len(faults)} findings")
    for text in faults.values():
        print(text, end="")
    return 1 if faults or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
