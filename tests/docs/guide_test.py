"""Examples in the pages of docs/ are legal: commands, their options, configurations, programs.

Indented and fenced blocks are read. A command on a shipped job is tried by `pearlite check` with the same --set; `keys`
and `list` are run. Synopses, and commands on files that a page only names, may use only options of the program.
Configurations are TOML whose keys exist; those that name a model and an algorithm are checked in full if their data are
available. Programs in Python are run. docs/examples has a separate test, which runs every example.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib
import unittest

import pearlite_runner as runner

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGES = [path for path in sorted((SOURCE / "docs").rglob("*.md")) if "examples" not in path.parts]
RUN_BY_OTHERS = {"python-examples.md", "python-plots.md"}  # by tests/python, which checks results
COMMAND = re.compile(r"(?:mpirun -n \d+ )?pearlite (?=[a-z])")
NO_DATA = re.compile(r"no such file|no data directory|not found|cannot be read|cannot open|is missing")


def blocks_of(text):
    """(language or "", line, lines) of the fenced and the indented blocks."""
    language, begin, block = None, 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = re.match(r"\s*```(\w*)", line)
        if fence and language is None:
            language, begin, block = fence[1], number + 1, []
        elif fence:
            yield language, begin, block
            language, block = None, []
        elif language is not None:
            block.append(line)
        elif line.startswith("    ") and (block or not line[4:].startswith(" ")):
            begin = begin if block else number
            block.append(line[4:])
        elif not line.strip() and block:
            block.append("")
        elif block:
            yield "", begin, block
            block = []


def commands_of(lines):
    """The commands of pearlite in a block, without comments, with continued lines joined."""
    joined = "\n".join(lines).replace("\\\n", " ")
    for line in joined.splitlines():
        for part in re.sub(r"\s+#.*", "", line).split("&&"):
            if found := COMMAND.match(part.strip()):
                yield part.strip()[found.end():]


def synopsis(command):
    """True for a synopsis, which has placeholders in place of words."""
    return re.search(r"\[|\||\b(DIR|FILE|NAME|FORWARD|MODEL)\b", command) is not None


class Guide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads((SOURCE / "docs/pearlite.schema.json").read_text(encoding="utf-8"))
        cls.help, cls.tried, cls.without_data = {}, set(), []
        scratch = runner.scratch_directory()
        cls.place = scratch.__enter__()
        cls.addClassCleanup(scratch.__exit__, None, None, None)

    def help_of(self, command):
        if command not in self.help:
            ended = runner.pearlite(command, "--help")
            self.assertRegex(ended.out, rf"Usage: \S+ {re.escape(command)}\b", f"no command {command}")
            self.help[command] = ended.out
        return self.help[command]

    def check_command(self, command):
        words = command.split() if synopsis(command) else shlex.split(command)
        help_text = self.help_of(words[0])
        for option in re.findall(r"(?<![\w-])(--?[a-z][\w-]*)", command):
            self.assertRegex(help_text, rf"(^|[\s,]){re.escape(option)}\b", f"{command}: no option {option}")
        if command in self.tried or synopsis(command):
            return
        self.tried.add(command)
        if words[0] in ("keys", "list"):
            self.assertEqual(runner.pearlite(*words).status, runner.FINISHED, command)
        elif words[0] in ("run", "check", "tune") and words[1].startswith("jobs/"):
            self.assertTrue((SOURCE / words[1]).exists(), command)
            self.check_job(command, words)

    def check_job(self, command, words):
        settings = [words[k:k + 2] for k, word in enumerate(words) if word in ("--set", "--seed")]
        if "$" in str(settings):
            return
        if not settings and "\n[short]" in (SOURCE / words[1]).read_text(encoding="utf-8"):
            # The short form has the same keys, and less work to prepare.
            settings = [("--set", "run.short=true")]
        ended = runner.pearlite("check", words[1], *(part for pair in settings for part in pair), "--probe", 0,
                                directory=SOURCE, timeout=120)
        if ended.status == runner.BAD_INPUT and NO_DATA.search(ended.err):
            self.without_data.append(command)
        else:
            self.assertEqual(ended.status, runner.FINISHED, f"{command}: {ended.describe()}")

    def test_commands(self):
        for page in PAGES:
            for language, line, block in blocks_of(page.read_text(encoding="utf-8")):
                if language not in ("", "sh"):
                    continue
                for command in commands_of(block):
                    with self.subTest(f"{page.relative_to(SOURCE)}:{line}", command=command):
                        self.check_command(command)
        self.assertGreater(len(self.tried), 30)
        if self.without_data:
            print(f"without their data: {'; '.join(self.without_data)}", file=sys.stderr)

    def check_tables(self, tables):
        """Keys of all tables but of models that are not Pearlite's own."""
        own = set(self.schema["properties"]["model"]["properties"])
        for name, table in tables.items():
            known = self.schema["properties"].get(name)
            self.assertIsNotNone(known, f"no table [{name}]")
            if name in ("sweep", "short") or (name == "model" and not set(table) <= own):
                continue
            for key in table:
                self.assertIn(key, known["properties"], f"no key {name}.{key}")

    def test_configurations(self):
        found = 0
        for page in PAGES:
            for language, line, block in blocks_of(page.read_text(encoding="utf-8")):
                text = "\n".join(block)
                if page.name == "keys.md" or (language != "toml" and not re.match(r"(#[^\n]*\n)?\[\w+\]", text)):
                    continue
                text = text.split("\n\n    ")[0] if language == "toml" else re.split(r"\n(?=[a-z_]+ (run|check) )", text)[0]
                with self.subTest(f"{page.relative_to(SOURCE)}:{line}"):
                    tables = tomllib.loads(text)
                    self.check_tables(tables)
                    found += 1
                    if not {"model", "algorithm"} <= set(tables) or "name" not in tables["model"]:
                        continue
                    file = self.place / f"{page.stem}-{line}.toml"
                    file.write_text(text, encoding="utf-8")
                    ended = runner.pearlite("check", file, "--probe", 0, timeout=120)
                    own = re.search(r"model\.name: not a legal value", ended.err)
                    if ended.status != runner.FINISHED and not own:
                        self.assertRegex(ended.err, NO_DATA, ended.describe())
        self.assertGreater(found, 12)

    def test_programs(self):
        """Runs the programs in Python with the package of this build, in order of their pages."""
        package = pathlib.Path(os.environ["PEARLITE"]).resolve().parents[1] / "python"
        if not package.exists():
            self.skipTest("the Python package is not built")
        for page in PAGES:
            for language, line, block in blocks_of(page.read_text(encoding="utf-8")):
                if language != "python" or page.name in RUN_BY_OTHERS:
                    continue
                with self.subTest(f"{page.relative_to(SOURCE)}:{line}"):
                    ended = subprocess.run(
                        [sys.executable, "-c", "\n".join(block)], cwd=self.place, capture_output=True, text=True, timeout=120,
                        check=False, env={**os.environ, "PYTHONPATH": str(package), "OPENBLAS_NUM_THREADS": "1"})
                    self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_what_is_wrong_is_found(self):
        for wrong in ("run jobs/ising.toml --set model.sise=3", "report runs/x --folow", "runn jobs/ising.toml",
                      "run jobs/no-such-job.toml"):
            with self.assertRaises(AssertionError, msg=wrong):
                self.check_command(wrong)
        with self.assertRaises(AssertionError):
            self.check_tables({"algorithm": {"particels": 3}})


if __name__ == "__main__":
    runner.main()
