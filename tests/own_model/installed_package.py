"""An installed package, moved after its installation, and users' programs built outside the tree against it."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor


def call(*command, expect=0, directory=None):
    """Standard output and error of a command that must end with the status `expect`; None: any."""
    done = subprocess.run([str(part) for part in command], cwd=directory, text=True, timeout=280,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{shlex.join(map(str, command))}: status {done.returncode}, expected {expect}\n{done.stdout}")
    return done.stdout


def block_of_page(source, language, containing=""):
    """The one code block of docs/own-models.md in this language with this in it: what the page shows is what is tested."""
    page = (source / "docs/own-models.md").read_text()
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (block,) = [block for block in blocks if containing in block]
    return block


def install(build, place):
    """The prefix, not where it was installed first."""
    call("cmake", "--install", build, "--prefix", place / "first")
    return (place / "first").rename(place / "prefix")


def set_up_project(source, prefix, place, program, more_lines="", folder="drivers", languages=""):
    """A directory with the page's CMakeLists.txt and the program's one file, configured with nothing but CMAKE_PREFIX_PATH;
    the compile commands are for tests of what the compiler says."""
    place.mkdir()
    (place / "CMakeLists.txt").write_text(block_of_page(source, "cmake").replace("custom_model", program)
                                          .replace("project(coin)", f"project(coin{languages})") + more_lines)
    shutil.copy(source / folder / f"{program}.cpp", place)
    call("cmake", "-S", place, "-B", place / "build", "-D", f"CMAKE_PREFIX_PATH={prefix}",
         "-D", "CMAKE_EXPORT_COMPILE_COMMANDS=ON")


def compiler_of(build, sources):
    """The compiler and its options in a project, with a precompiled header of what the sources include first: it takes all
    but a second of their time."""
    command = json.loads((build / "compile_commands.json").read_text())[0]["command"]
    arguments = shlex.split(command)
    del arguments[arguments.index("-o"):]
    if sources:
        (included,) = {re.search(r'^#include "(\S+)"', source.read_text(), re.MULTILINE)[1] for source in sources}
        precompiled = build / "precompiled" / f"{included}.gch"
        precompiled.parent.mkdir(parents=True)
        (build / "all.hpp").write_text(f'#include "{included}"\n')
        call(*arguments, "-x", "c++-header", build / "all.hpp", "-o", precompiled)
        arguments[1:1] = ["-I", build / "precompiled"]
    return arguments


def build_and_compile(build, lacking):
    """Builds the project; beside it, {source: what its compiler says} of sources that lack something."""
    with ThreadPoolExecutor(2) as pool:
        building = pool.submit(call, "cmake", "--build", build)
        arguments = compiler_of(build, lacking)
        outputs = pool.map(lambda source: call(*arguments, "-fsyntax-only", source, expect=1), lacking)
        outputs = dict(zip(lacking, outputs))
        building.result()
    return outputs


def check_lacking(test, outputs):
    """Each output has the messages that its source expects, soon, and no other errors."""
    for source, output in outputs.items():
        with test.subTest(source=source.name):
            for expected in re.findall(r"^// expect: (.*)$", source.read_text(), re.MULTILINE):
                test.assertIn("static assertion failed: " + expected, output)
            errors = [line for line in output.splitlines() if "error:" in line]
            test.assertEqual([line for line in errors if "static assertion failed: this model" not in line], [])
            test.assertLess(output[: output.index("error:")].count("\n"), 12, output)


def has_report_python():
    candidates = [os.environ["PEARLITE_PYTHON"]] if "PEARLITE_PYTHON" in os.environ else ["python3", "/usr/bin/python3"]
    imports = [[python, "-c", "import h5py, matplotlib"] for python in candidates if shutil.which(python)]
    return any(subprocess.run(command, capture_output=True).returncode == 0 for command in imports)
