#!/usr/bin/env python3
"""pearlite stan: translates Stan programs and compiles them to shared libraries with BridgeStan's C interface.

    compile.py [--again] [-o OUTPUT] MODEL.stan...

OUTPUT is the library of one program, or the directory of all libraries. R translates (Debian's r-cran-rstan, Stan 2.21)
and a C++ compiler compiles, with the headers of r-cran-stanheaders, Boost, Eigen and TBB. The libraries need none of them
to run. CXX and CXXFLAGS name another compiler and options. Reading the headers takes most of the time of a program, so that
many programs are compiled as one unit. A library that was made from the same program in the same way is left as it is.
Exit status 0, 2 if a library was not made.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # the command starts Python isolated (-I)
sys.dont_write_bytecode = True  # the installed directory may be read-only or shared

import argparse
import hashlib
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import syntax

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = "Debian: apt-get install --no-install-recommends r-cran-rstan r-cran-stanheaders libtbb-dev"
PROGRAMS_PER_UNIT = 12
OLD = "the translator is of Stan 2.21; BridgeStan makes libraries of any version"
OLD_SIGNS = re.compile(r'PARSER EXPECTED: (?!";")|No matches for|not found|reserved|not a legal|Unrecognized')
# The same operations in the same order give the same bits: no contraction. Hidden and local symbols: several models in
# one process keep their own autodiff stacks. USING_R leaves out a function that only CmdStan needs.
OPTIONS = ("-std=c++17 -ffp-contract=off -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-gnu-unique -w "
           "-ffunction-sections -fdata-sections -DBOOST_DISABLE_ASSERTS -DUSING_R").split()


class Refused(Exception):
    """A mistake in words for the user."""


class Tools:
    """The programs and files outside that make libraries."""

    def __init__(self):
        self.compiler = os.environ.get("CXX") or "c++"
        self.flags = shlex.split(os.environ.get("CXXFLAGS") or "-O2 -march=x86-64-v3")
        if shutil.which("Rscript") is None:
            raise Refused(f"R is not installed; translating Stan programs takes it ({PACKAGES})")
        if shutil.which(self.compiler) is None:
            raise Refused(f"there is no compiler {self.compiler}; the variable CXX names another")
        found = subprocess.run(["Rscript", "--vanilla", "-e", 'cat(system.file("include", package = "StanHeaders"))'],
                               capture_output=True, text=True, check=False)
        self.headers = pathlib.Path(found.stdout or "/nonexistent")
        if not (self.headers / "src/stan").is_dir():
            raise Refused("the package StanHeaders of R is not installed (Debian: r-cran-stanheaders)")
        version = subprocess.run([self.compiler, "--version"], capture_output=True, check=False).stdout
        parts = [file.read_bytes() for file in sorted(HERE.iterdir()) if file.is_file()]
        parts += [version, f"{self.headers} {self.flags}".encode(), (self.headers / "src/stan/version.hpp").read_bytes()]
        self.identity = hashlib.sha256(b"\0".join(parts))

    def compile(self, source, target):
        """The compiler's words; empty if it has made the target."""
        return words_of([self.compiler, *OPTIONS, *self.flags, f"-I{HERE}", "-isystem", self.headers / "src", "-isystem",
                         self.headers, "-isystem", "/usr/include/eigen3", "-c", source, "-o", target])

    def link(self, objects, library):
        """Shared library of those functions that it needs, with CVODES for programs with differential equations."""
        archives = [archive for archive in [self.headers.parent / "lib/libStanHeaders.a"] if archive.is_file()]
        return words_of([self.compiler, *self.flags, "-shared", "-Wl,-Bsymbolic", "-Wl,--gc-sections", *objects, *archives,
                         "-o", library])


def words_of(command):
    """The output of a program that fails; empty if it does not."""
    ended = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return "" if ended.returncode == 0 else ended.stdout.decode(errors="replace") or f"status {ended.returncode}"


class Program:
    """A Stan program on its way to a library."""

    def __init__(self, file, library):
        self.file, self.library = file, library
        self.name = re.sub(r"[^A-Za-z0-9_]", "_", file.stem)
        self.source = self.identity = self.cpp = None

    def read(self, tools):
        if not self.file.is_file():
            raise Refused(f"{self.file}: no such file; expected a Stan program")
        if not os.access(self.file, os.R_OK):
            raise Refused(f"{self.file} cannot be read")
        if self.file.suffix != ".stan":
            raise Refused(f"{self.file}: expected a name that ends in .stan")
        if not self.library.parent.is_dir():
            raise Refused(f"{self.library.parent}: no such directory; expected a place for the library")
        try:
            self.source = syntax.rewrite(self.file)
        except UnicodeDecodeError:
            raise Refused(f"{self.file}: not text, expected a Stan program") from None
        except syntax.SyntaxProblem as problem:
            raise Refused(str(problem)) from None
        identity = tools.identity.copy()
        identity.update(f"{self.file}\0{self.source.text}".encode())
        self.identity = "pearlite-stan-" + identity.hexdigest()

    def up_to_date(self):
        return self.library.is_file() and self.identity.encode() in self.library.read_bytes()

    def accept(self, translation):
        """Takes the translation, with the names and lines of the user's files for messages at run time."""
        events = [f'    reader.add_event({begin}, {line}, "restart", {quoted(pathlib.Path(file).name)});\n'
                  for begin, line, file in self.source.segments()]
        end = self.source.text.count("\n") + 2
        events.append(f'    reader.add_event({end}, {end}, "end", {quoted(self.file.name)});\n')
        text = re.sub(r"(?:    reader\.add_event\(.*\);\n)+", lambda _: "".join(events), translation.read_text(), count=1)
        translation.write_text(re.sub(r"^typedef \w+::\w+ stan_model;$", "", text, flags=re.M))
        self.cpp = translation

    def located(self, line, column, message):
        """A message at a place of the rewritten program, with the user's line."""
        place = self.source.place(line, column)
        own = self.source.user_line(place)
        return (f"{place.file}:{place.line}:{place.column}: {message}\n"
                f"    {own}\n    {re.sub(r'[^ ]', ' ', own[:place.column - 1].expandtabs(1))}^")

    def refused_by_translator(self, words):
        found = re.search(r" error in '[^']*' at line (\d+), column (\d+)", words)
        if found is None:
            return f"{self.file}: Stan's translator refuses the program: {words.strip()}"
        message = words[:found.start()].split("SYNTAX ERROR, MESSAGE(S) FROM PARSER:")[-1]
        message = re.sub(r"^(?:Info|Warning):.*?(?:\n\s*\n|\Z)", "", message.strip(), flags=re.S | re.M)
        expected = re.search(r"^PARSER EXPECTED:.*", words[found.end():], re.M)
        message = " ".join(f"{message} {expected[0] if expected else ''}".split()) or "no statement of Stan"
        hint = f"\n    {OLD}" if OLD_SIGNS.search(message) else ""
        return self.located(int(found[1]), int(found[2]), f"Stan's translator refuses the program: {message}") + hint

    def in_translation(self, words):
        """The first place in the translation that the compiler names, but for those where it includes headers."""
        return re.search(rf"(?<!from ){re.escape(str(self.cpp))}:(\d+)", words)

    def refused_by_compiler(self, words):
        message = re.search(r"error: (.*)", words)
        where = self.in_translation(words)
        lines = self.cpp.read_text().split("\n")[:int(where[1])] if where else []
        marks = [int(found[1]) for line in lines if (found := re.search(r"current_statement_begin__ = (\d+);", line))]
        member = re.fullmatch(r" {8}\w.* (\w+);", lines[-1]) if lines else None  # a variable of data or parameters
        at = self.source.text.find(f" {member[1]}") if member else -1
        if at >= 0:
            marks.append(self.source.text.count("\n", 0, at) + 1)
        message = f"the compiler refuses the translated program: {message[1] if message else words.strip()}"
        return self.located(marks[-1], 1, message) if marks else f"{self.file}: {message}"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def translate(programs, work):
    """Translates those programs that the translator accepts; returns what it says of the others."""
    arguments = []
    for k, program in enumerate(programs):
        (work / f"{k}.stan").write_text(program.source.text)
        arguments += [work / f"{k}.stan", program.name, work / f"{k}.hpp"]
    ended = subprocess.run(["Rscript", "--vanilla", HERE / "translate.R", *arguments], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    said = re.split(r"^pearlite-program \d+\n", ended.stdout.decode(errors="replace"), flags=re.M)
    if ended.returncode != 0 or len(said) != len(programs) + 1:
        raise Refused(said[-1].strip() or "R does not translate")
    refusals = []
    for k, program in enumerate(programs):
        if (work / f"{k}.hpp").is_file():
            program.accept(work / f"{k}.hpp")
        else:
            refusals.append(program.refused_by_translator(said[k + 1]))
    return refusals


def compile_unit(programs, tools, work):
    """Compiles translated programs in one unit, again without one that the compiler refuses; returns what it says of
    those. `made` are the programs in work/unit.o, by their numbers."""
    refusals, made = [], list(programs)
    while made:
        unit = [f'#include "{program.cpp}"\n' for program in made] + ['#include "stan_model.hpp"\n']
        unit += [f"bs_model* make_{k}(const char* data, unsigned seed, const char* identity) {{ return new "
                 f"Program<model_{program.name}_namespace::model_{program.name}>(data, seed, identity); }}\n"
                 for k, program in enumerate(made)]
        (work / "unit.cpp").write_text("".join(unit))
        words = tools.compile(work / "unit.cpp", work / "unit.o")
        if not words:
            break
        places = {found.start(): program for program in made if (found := program.in_translation(words))}
        if not places:
            if len(made) > 1:  # the compiler names none: each alone
                parts = [compile_and_link([program], tools, work) for program in made]
                return [refusal for part in parts for refusal in part], []
            return refusals + [made[0].refused_by_compiler(words)], []
        culprit = places[min(places)]
        refusals.append(culprit.refused_by_compiler(words))
        made.remove(culprit)
    return refusals, made


def compile_and_link(programs, tools, work):
    """Makes the libraries of translated programs; returns refusals."""
    refusals, made = compile_unit(programs, tools, work)
    for k, program in enumerate(made):
        (work / "own.cpp").write_text(
            "struct bs_model;\nbs_model* make_{0}(const char*, unsigned, const char*);\n"
            "bs_model* make_bs_model(const char* data, unsigned seed) {{ return make_{0}(data, seed, {1}); }}\n".format(
                k, quoted(program.identity)))
        words = tools.compile(work / "own.cpp", work / "own.o") or tools.link([work / "own.o", work / "unit.o"],
                                                                               work / "library.so")
        if words:
            refusals.append(f"{program.file}: the linker refuses the program: {words.strip()}")
            continue
        # A program of its own: instructions that this machine lacks end that one only. They may be meant for another.
        loads = words_of([sys.executable, "-I", "-c", "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_NOW)",
                          work / "library.so"])
        if "OSError" in loads:
            reason = loads.strip().splitlines()[-1].split(f"{work}/library.so: ")[-1]
            refusals.append(f"{program.file}: the library cannot be loaded: {reason}")
            continue
        # Whole or not at all, even where a run has the old library open.
        part = program.library.with_name(f"{program.library.name}.{os.getpid()}")
        try:
            shutil.copyfile(work / "library.so", part)
            os.replace(part, program.library)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise Refused(f"cannot write {program.library}: {error.strerror}") from None
        print(f"made {program.library}; a configuration names it as model.library", flush=True)
    return refusals


def libraries(files, output):
    """The programs, each with its library."""
    many = len(files) > 1
    if many and output is not None and not output.is_dir():
        raise Refused(f"{output}: no such directory; expected one for the libraries of {len(files)} programs")
    place = lambda file: (output / file.name if output is not None and output.is_dir() else file).with_suffix(".so")
    programs = [Program(file, place(file) if output is None or output.is_dir() else output) for file in files]
    names = {}
    for program in programs:
        if program.name in names:
            raise Refused(f"{names[program.name]} and {program.file} have one name, expected programs of different names")
        names[program.name] = program.file
    return programs


def make(options, work):
    refusals, programs, tools = [], libraries(options.programs, options.output), Tools()
    wanted = []
    for program in programs:
        try:
            program.read(tools)
        except Refused as refusal:
            refusals.append(str(refusal))
            continue
        if not options.again and program.up_to_date():
            print(f"{program.library} is up to date")
        else:
            wanted.append(program)
    if wanted:
        print("translating", ", ".join(str(program.file) for program in wanted), flush=True)
        refusals += translate(wanted, work)
    translated = [program for program in wanted if program.cpp is not None]
    for begin in range(0, len(translated), PROGRAMS_PER_UNIT):
        unit = translated[begin:begin + PROGRAMS_PER_UNIT]
        print("compiling", ", ".join(str(program.library) for program in unit), "for",
              "about half a minute" if len(unit) == 1 else "about a minute", flush=True)
        refusals += compile_and_link(unit, tools, work)
    return refusals


def main(arguments):
    parser = argparse.ArgumentParser(prog="pearlite stan", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("programs", metavar="MODEL.stan", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--output", metavar="OUTPUT", type=pathlib.Path)
    parser.add_argument("--again", action="store_true", help="compile libraries that are up to date, too")
    try:
        with tempfile.TemporaryDirectory(prefix="pearlite-stan-") as work:
            refusals = make(parser.parse_args(arguments), pathlib.Path(work))
    except Refused as refusal:
        refusals = [str(refusal)]
    for refusal in refusals:
        print(f"pearlite: {refusal}", file=sys.stderr)
    return 2 if refusals else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
