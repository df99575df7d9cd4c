"""Runs clang-tidy 14 with the committed .clang-tidy.

usage: check_tidy.py [--all | --self-test] PROJECT_ROOT BUILD_DIRECTORY [SOURCE...]

Without --all and SOURCE... it reads the sources and headers of src, include and drivers that differ from
CLEAN_REVISION, at which all were clean, each alone: one that lacks an include is a fault. If more than MOST differ, it
reads the MOST that were changed last, so that its time does not grow with the history; the others were read when they
were changed. With --all it reads all sources, a folder of src at a time, as a release build compiles them, since most
of the time goes into the headers of the standard library and of Eigen. If that finds no fault, the revision may be the
next CLEAN_REVISION.

Compiler options are those of the build without those unknown to clang 14, and without precompiled headers; kernel
sources have the options of their instruction set. Exit status 1 and the findings of clang-tidy if there are any; 77
(skipped) if clang-tidy or git is not installed, the build has no compile_commands.json, or the revision is not in the
project's history.
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
CLEAN_REVISION = "3a2754870041"
MOST = 16  # changed files
PLACES = ("include", "src", "drivers")
KERNELS = ("kernels", "ars")  # folders of kernel sources
OPTIONAL = ("automatic_gradient.hpp", "custom_gradient.cpp", "stan_model.hpp", "stan_data.hpp")  # need a package that a machine may lack
UNKNOWN_TO_CLANG = {"-mmove-max=128", "-mstore-max=128", "-Winvalid-pch", "-Werror", "-fpch-preprocess"}
FINDING = re.compile(r"^\S+:\d+:\d+: (?:warning|error): ")


def options_of(command):
    """The options of a compiler's call that clang-tidy needs, each with its argument."""
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word in ("-o", "-c", "-include", "-x"):
            next(words)
        elif word == "-isystem":
            kept.append((word, next(words)))
        elif word.startswith("-") and word not in UNKNOWN_TO_CLANG and not word.startswith("--param"):
            kept.append((word,))
    return kept


class Options:
    """Compiler options: one list for all of the project's libraries, in their order; and one for each kernel source,
    which is compiled for an instruction set."""

    def __init__(self, build):
        shared, self.of_kernels = {}, {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            if not re.search(r"CMakeFiles/pearlite(_\w+)?(?<!_Avx512)(?<!_Avx512Aes)\.dir/", entry["command"]):
                continue
            source, its = pathlib.Path(entry["file"]), options_of(entry["command"])
            if source.parent.name in KERNELS:
                self.of_kernels[source] = [word for option in its for word in option]
            else:
                shared |= dict.fromkeys(its)
        self.shared = [word for option in shared for word in option]

    def of(self, files):
        return self.of_kernels.get(files[0], self.shared)


def read(configuration, files, options):
    """{first line of a finding: its whole text}, in these files, read as one, and in the project's headers they include."""
    with tempfile.TemporaryDirectory() as name:
        unit = pathlib.Path(name) / "unit.cpp"
        unit.write_text("".join(f'#include "{file}" // NOLINT\n' for file in files))
        command = [TIDY, "--quiet", f"--config-file={configuration}", str(unit), "--", *options.of(files), "-ferror-limit=0"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and not FINDING.search(done.stdout):
        return {str(files[0]): f"{files[0]}:1:1: error: clang-tidy failed: {done.stderr}\n"}
    found, key = {}, None
    for line in done.stdout.splitlines():
        if FINDING.search(line):
            key = line
            found[key] = ""
        if key:
            found[key] += line + "\n"
    return found


def check(root, groups, options):
    """Findings in all groups of files."""
    # Long ones first, so that no core is left alone with one at the end.
    groups = sorted(groups, key=lambda group: sum(file.stat().st_size for file in group), reverse=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        all_found = pool.map(lambda group: read(root / ".clang-tidy", group, options), groups)
        return {key: text for found in all_found for key, text in found.items()}


def by_folder(root):
    """All sources: the folders of src, kernels for several instruction sets apart, and one by one the kernel sources in
    intrinsics and the programs."""
    folders = {}
    for source in sorted((root / "src").rglob("*.cpp")):
        group = source if source.parent.name in KERNELS else (source.parent, source.name.endswith("_kernels.cpp"))
        folders.setdefault(group, []).append(source)
    programs = [program for program in sorted((root / "drivers").glob("*.cpp")) if program.name not in OPTIONAL]
    return list(folders.values()) + [[program] for program in programs]


def git(root, *arguments):
    """The lines that it prints; nothing if it refuses."""
    command = ["git", "-c", f"safe.directory={root}", "-C", str(root), *arguments, "--", *PLACES]
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode else done.stdout.split()


def text_at(root, revision, name):
    """The text of a file at a revision; empty if it was not there."""
    command = ["git", "-c", f"safe.directory={root}", "-C", str(root), "show", f"{revision}:{name}"]
    return subprocess.run(command, capture_output=True, text=True).stdout


def code_of(text):
    """The code without comments, texts of strings and layout, which clang-tidy is not asked about."""
    text = re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', lambda match: '""' if match[1] else " ", text, flags=re.DOTALL)
    return re.sub(r'""(\s*"")*', '""', " ".join(text.split()))


def changed_files(root, clean):
    """Sources and headers that differ from the clean revision, those changed last first; nothing if the history does not know it."""
    differ = git(root, "diff", "--name-only", "--diff-filter=d", clean)
    if differ is None:
        return None
    latest = git(root, "diff", "--name-only", "HEAD") + git(root, "log", "--format=", "--name-only", f"{clean}..HEAD")
    order = {name: k for k, name in reversed(list(enumerate(latest)))}
    names = [name for name in differ if name.endswith((".cpp", ".hpp")) and not name.endswith(OPTIONAL)
             and code_of((root / name).read_text()) != code_of(text_at(root, clean, name))]
    return [root / name for name in sorted(names, key=lambda name: order.get(name, 0))]


def alone(files):
    """A list of one source for each file. A header of kernels stands for its kernel sources, since it cannot be
    compiled alone."""
    sources = {}
    for file in files:
        for source in sorted(file.parent.glob("*.cpp")) if file.parent.name in KERNELS else [file]:
            sources[source] = [source]
    return list(sources.values())


def order_test():
    """A history of few files; returns the mistakes of changed_files."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)

        def history(*arguments):
            done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", name, *arguments], check=True,
                                  capture_output=True, text=True)
            return done.stdout.strip()

        def commit(file, text):
            (root / file).parent.mkdir(exist_ok=True)
            (root / file).write_text(text)
            history("add", "-A")
            history("commit", "-q", "-m", file)

        history("init", "-q")
        commit("src/untouched.cpp", "int a;\n")
        commit("src/undone.cpp", "int b;\n")
        clean = history("rev-parse", "HEAD")
        for file, text in (("src/untouched.cpp", "int a; // another comment\n"), ("src/undone.cpp", "int c;\n"), ("src/z.cpp", "int d;\n"), ("src/a.cpp", "int e;\n"),
                           ("include/b.hpp", "int f;\n"), ("tests/c.cpp", "int g;\n"), ("src/notes.txt", "no source\n"),
                           ("src/z.cpp", "int h;\n"), ("src/undone.cpp", "int b;\n")):
            commit(file, text)
        (root / "src/a.cpp").write_text("int i;\n")
        found = [str(file.relative_to(root)) for file in changed_files(root, clean) or []]
        unknown = changed_files(root, "0" * 40)
    wrong = {}
    if found != ["src/a.cpp", "src/z.cpp", "include/b.hpp"]:
        wrong["order"] = f"self-test: changed are {found}, expected src/a.cpp, src/z.cpp, include/b.hpp\n"
    if unknown is not None:
        wrong["unknown"] = f"self-test: an unknown revision has {unknown}, expected nothing\n"
    return wrong


def self_test(root, options):
    """Sources with a known fault each; returns the mistakes of the check."""
    planted = {"sound.cpp": "#include <vector>\nnamespace { int twice(int a) { return 2 * a; } }\nint f(int a) { return twice(a); }\n",
               "null.cpp": "int* null_pointer() { return 0; }\n", "typedef.cpp": "typedef int Number;\n",
               "lacks_include.cpp": "std::set<int> numbers;\n", "header.cpp": '#include "header.hpp"\n'}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "src"
        folder.mkdir()
        (folder / "header.hpp").write_text("#pragma once\nstruct Base { virtual int f() = 0; };\ninline int e(int a) { int b; b = a; return b; }\n")
        for file, text in planted.items():
            (folder / file).write_text(text)
        alone = check(root, [[folder / file] for file in planted], options)
        together = check(root, [[folder / file for file in planted]], options)
    expected = {"null.cpp", "typedef.cpp", "lacks_include.cpp", "header.hpp"}
    wrong = {}
    for how, found in (("alone", alone), ("together", together)):
        places = {pathlib.Path(key.split(":")[0]).name for key in found}
        if places != expected:
            wrong[how] = f"self-test, {how}: found {sorted(found)}, expected some in each of {sorted(expected)}\n"
    return wrong


def main():
    root, build, *wanted = (pathlib.Path(argument).resolve() for argument in sys.argv[1:] if not argument.startswith("--"))
    if shutil.which(TIDY) is None:
        print(f"skipped: {TIDY} is not installed")
        return SKIPPED
    if not (build / "compile_commands.json").exists():
        print(f"skipped: {build} has no compile_commands.json that says how to compile the sources")
        return SKIPPED
    if shutil.which("git") is None and not wanted and "--all" not in sys.argv:
        print("skipped: git is not installed, which knows what has changed")
        return SKIPPED
    options = Options(build)
    if "--self-test" in sys.argv:
        faults = order_test() | self_test(root, options)
        print("planted faults: " + ("some missed" if faults else "all found"))
    else:
        files = wanted if wanted or "--all" in sys.argv else changed_files(root, CLEAN_REVISION)
        if files is None:
            print(f"skipped: the history of {root} does not know the revision {CLEAN_REVISION}")
            return SKIPPED
        if not wanted and len(files) > MOST:
            print(f"{len(files)} files differ from {CLEAN_REVISION}: the {MOST} changed last are read")
            files = files[:MOST]
        groups = by_folder(root) if "--all" in sys.argv else alone(files)
        faults = check(root, groups, options)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        print(f"{sum(map(len, groups))} files read in {len(groups)} pieces, {used:.0f} s of processor time, {len(faults)} findings")
    for text in faults.values():
        print(text, end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
