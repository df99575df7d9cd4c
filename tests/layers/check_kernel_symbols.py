"""Kernel objects share no code with others: one compiled for instructions that a CPU lacks must not be linked in place
of another object's copy of an inline function.

usage: check_kernel_symbols.py NM PATHS OBJECT...
       check_kernel_symbols.py --self-test NM COMPILER
PATHS is a list like "avx2,avx512": objects of kernels in intrinsics are named <path>.cpp.o, and one at least is expected
for each. Kernels that are compiled for several instruction sets have their objects in a folder like
pearlite_models_Avx512.dir.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Letters of nm for symbols that a linker takes from one object for all: weak, vague and unique ones.
SHARED = set("VvWwu")
# A pointer to a function of the C++ library.
ALLOWED = {"DW.ref.__gxx_personality_v0"}
COMPILED_FOR = re.compile(r"_Avx512(Aes)?\.dir/")


def shared_symbols(nm, path):
    output = subprocess.run([nm, "--defined-only", "-C", path], capture_output=True, text=True, check=True).stdout
    lines = [line.split(maxsplit=2) for line in output.splitlines()]
    return [line[2] for line in lines if len(line) == 3 and line[1] in SHARED and line[2] not in ALLOWED]


def check(nm, paths, objects):
    faults = []
    compiled = [path for path in objects if COMPILED_FOR.search(path) and path.endswith(".o")]  # no precompiled header
    if not compiled:
        faults.append("no object is compiled for AVX-512")
    for path in compiled:
        faults += [f"{path}: {symbol} is shared with other objects" for symbol in shared_symbols(nm, path)]
    for name in paths:
        kernels = [path for path in objects if pathlib.Path(path).name == f"{name}.cpp.o"]
        if not kernels:
            faults.append(f"no object is compiled for {name}")
        for path in kernels:
            faults += [f"{path}: {symbol} is shared with other objects" for symbol in shared_symbols(nm, path)]
    return faults


def self_test(nm, compiler):
    mistakes = []
    for text, expected in (("namespace { int f(int x) { return x; } } int g(int x) { return f(x); }", 0),
                           ("inline int f(int x) { return x; } int (*g)(int) = f;", 1),
                           ("template <class T> T f(T x) { return x; } template int f<int>(int);", 1)):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "x_Avx512.dir"
            folder.mkdir()
            source, result, other = folder / "x.cpp", folder / "x.cpp.o", pathlib.Path(name) / "avx2.cpp.o"
            source.write_text(text)
            subprocess.run([compiler, "-c", source, "-o", result], check=True)
            other.write_bytes(result.read_bytes())
            if len(check(nm, [], [str(result)])) != expected or len(check(nm, ["avx2"], [str(result), str(other)])) != 2 * expected:
                mistakes.append(f"self-test: {text}")
            if len(check(nm, ["amx"], [str(result)])) != expected + 1 or len(check(nm, [], [str(other)])) != 1:
                mistakes.append("self-test: a missing object was not noticed")
    return mistakes


def main():
    if sys.argv[1] == "--self-test":
        faults = self_test(*sys.argv[2:])
    else:
        faults = check(sys.argv[1], sys.argv[2].split(","), sys.argv[3:])
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
