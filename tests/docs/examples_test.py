"""The worked examples, docs/examples/*.md, and the tour of README.md are run as they stand: all ```sh blocks of a page in
one shell, in an empty directory. A ```text block shows some lines of what the block above it prints, in their order; they must be printed, with
other numbers at most, since these depend on compiler and machine.

usage: examples_test.py [--show] [PAGE...]        --show prints what the blocks print
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import pearlite_runner as runner

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*sorted((SOURCE / "docs/examples").glob("*.md")), SOURCE / "README.md"]
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\b[0-9a-f]{64}\b|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\bnan\b")
SECONDS_OF_A_PAGE = 300


def masked(line):
    """A line without its numbers, and without what depends on their widths."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def blocks_of(text):
    """[(the block of a shell, the lines that the page shows of its output)]."""
    found = []
    for language, content in BLOCK.findall(text):
        if language == "sh":
            found.append([content, []])
        else:
            found[-1][1] += content.splitlines()
    return found


def absent(lines, output):
    """The first of the lines that the output does not have after the one before it; None if it has all."""
    rest = iter([masked(line) for line in output.splitlines()])
    return next((line for line in lines if masked(line) and not any(masked(line) == other for other in rest)), None)


def run(blocks, directory, path):
    """The end of the shell and the output of each block."""
    end = "-- end of a block --"
    script = "".join(f"{block}\necho '{end}'\n" for block, _ in blocks)
    ended = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=directory, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_OF_A_PAGE,
                           env=os.environ | {"PATH": f"{path}:{os.environ['PATH']}"})
    return ended.returncode, ended.stdout.split(f"{end}\n")


class Examples(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        scratch = runner.scratch_directory()
        cls.directory = scratch.__enter__()
        cls.addClassCleanup(scratch.__exit__, None, None, None)
        cls.build = pathlib.Path(os.environ["PEARLITE"]).resolve().parents[1]
        cls.prefix = cls.directory / "prefix"
        subprocess.run(["cmake", "--install", cls.build, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)

    def check(self, page):
        blocks = blocks_of(page.read_text(encoding="utf-8"))
        self.assertTrue(blocks, page)
        directory = self.directory / page.stem
        directory.mkdir()
        status, outputs = run(blocks, directory, self.prefix / "bin")
        if "--show" in sys.argv:
            print("\n".join(f"--- {page.name}, block {k + 1}\n{output}" for k, output in enumerate(outputs)))
        self.assertEqual(status, 0, f"{page.name}, block {len(outputs)}:\n{outputs[-1]}")
        for k, (_, lines) in enumerate(blocks):
            line = absent(lines, outputs[k])
            self.assertIsNone(line, f"{page.name}: block {k + 1} does not print {line!r} but\n{outputs[k]}")

    def test_a_line_that_is_not_printed_is_found(self):
        output = "a 1.5 +- 0.2\nb\nc\n"
        self.assertIsNone(absent(["a -17 +- 1e-3", "c"], output))
        self.assertEqual(absent(["c", "b"], output), "b")
        self.assertEqual(absent(["a 1.5"], output), "a 1.5")


def has_stan():
    check = 'quit(status = !all(sapply(c("rstan", "StanHeaders"), requireNamespace, quietly = TRUE)))'
    return shutil.which("Rscript") and subprocess.run(["Rscript", "--vanilla", "-e", check], capture_output=True).returncode == 0


def test_of(page):
    def test(self):
        if page.name == "stan-evidence.md" and not has_stan():
            self.skipTest("R with the packages rstan and StanHeaders is not installed")
        self.check(page)
    return test


for each in PAGES:
    if all(not word.endswith(".md") for word in sys.argv[1:]) or each.name in sys.argv[1:]:
        setattr(Examples, "test_" + each.stem.replace("-", "_").lower(), test_of(each))

if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if not word.endswith(".md")]
    show = "--show" in sys.argv
    unittest.main(argv=sys.argv[:1], verbosity=2)
