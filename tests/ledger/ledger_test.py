"""The ledger with stand-ins for studies: a changed bit, limit or data file makes a study run, a changed comment does
not; a planted edit fails; with PEARLITE_LEDGER=all a figure that differs fails; a study without a short run always runs
whole."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import ledger

HERE = pathlib.Path(__file__).resolve().parent
STUDY = '''"""A stand-in."""
import os
import sys
# The bits that an algorithm gives, and the limit of the figure.
BITS = 0.951
HIGH = 0.97
if file := os.environ.get("PEARLITE_FIRST_REPLICATE"):
    with open(file, "a") as lines:
        lines.write(f"cell {BITS}\\n")
    sys.exit(0)
print("the whole study")
with open(os.environ["PEARLITE_FIGURES"], "a") as figures:
    figures.write(f"coverage\\t{BITS}\\t0.93\\t{HIGH}\\n")
    figures.write("z of the twin\\t7.5\\t-3\\t3\\toutside\\n")
sys.exit(0 if BITS <= HIGH else 1)
'''


class Ledger(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = pathlib.Path(scratch.name)
        self.file, self.script = self.place / "ledger.json", self.place / "study.py"
        self.script.write_text(STUDY, encoding="utf-8")

    def ledger(self, *arguments, **environment):
        """(status, output)"""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PEARLITE_LEDGER")}
        ended = subprocess.run([sys.executable, "-B", HERE / "ledger.py", *map(str, arguments)], text=True, check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**variables, **environment})
        return ended.returncode, ended.stdout

    def command(self, *more):
        return ["run", "study", "--ledger", self.file, "--scripts", self.script, *more,
                "--", sys.executable, "-B", "--", self.script]

    def run_study(self, mode="", *more, **environment):
        return self.ledger(*self.command(*more), PEARLITE_LEDGER=mode, **environment)

    def record(self):
        status, out = self.run_study("update")
        self.assertEqual(status, 0, out)
        self.assertIn("recorded, 2 figures", out)

    def change(self, old, new):
        text = self.script.read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.script.write_text(text.replace(old, new), encoding="utf-8")

    def assert_whole(self, is_whole, **environment):
        status, out = self.run_study(**environment)
        self.assertEqual(status, 0, out)
        self.assertEqual("the whole study" in out, is_whole, out)
        return out

    def test_unchanged(self):
        self.assertIn("not known", self.assert_whole(True))
        self.record()
        out = self.assert_whole(False)
        self.assertRegex(out, r"unchanged since \w+\+?: coverage 0.951 in 0.93 to 0.97\n")
        self.assertIn("z of the twin 7.5 outside -3 to 3", out)
        self.assertEqual(self.ledger("check", "--ledger", self.file)[0], 0)

    def test_a_changed_bit_runs(self):
        self.record()
        self.change("BITS = 0.951", "BITS = 0.9510000000000001")
        self.assert_whole(True)
        self.record()  # beside the entry of other bits
        self.assert_whole(False)
        self.change("BITS = 0.9510000000000001", "BITS = 0.951")
        self.assert_whole(False)

    def test_a_changed_comment_does_not_run(self):
        self.record()
        self.change("# The bits", "# Those bits")
        self.change("A stand-in.", "Another docstring.")
        self.change("import sys\n", "import sys\n\n\n")
        self.assert_whole(False)

    def test_a_changed_limit_runs(self):
        self.record()
        self.change("HIGH = 0.97", "HIGH = 0.98")
        self.assert_whole(True)

    def test_data_arguments_and_helpers_count(self):
        helper, data = self.place / "helper.py", self.place / "table.csv"
        helper.write_text("FACTOR = 1\n", encoding="utf-8")
        data.write_text("1\n", encoding="utf-8")
        self.change("import sys\n", "import sys\nimport helper\n")
        settings = {"PEARLITE_DATA_DIR": str(self.place)}
        scripts = ["--data", "table.csv"]

        def is_whole():
            status, out = self.run_study("", *scripts, **settings)
            self.assertEqual(status, 0, out)
            self.run_study("update", *scripts, **settings)
            return "the whole study" in out
        self.assertEqual([is_whole(), is_whole()], [True, False])
        helper.write_text("FACTOR = 2\n", encoding="utf-8")
        self.assertEqual([is_whole(), is_whole()], [True, False])
        data.write_text("2\n", encoding="utf-8")
        self.assertEqual([is_whole(), is_whole()], [True, False])

    def test_canonical_forms(self):
        pairs = {"cpp": ("int a = 1; // one\n/* two */ auto b = \"// no comment\";\n",
                         "int a=1;\nauto b=\"// no comment\";"),
                 "toml": ("# comment\na = 1\n[b]\nc = 2 # comment\n", "a=1\n\n[b]\nc = 2\n")}
        changes = {"cpp": ("no comment", "a comment"), "toml": ("c = 2", "c = 3")}
        for suffix, (one, other) in pairs.items():
            with self.subTest(suffix):
                file = self.place / f"script.{suffix}"
                file.write_text(one, encoding="utf-8")
                form = ledger.canonical(file)
                file.write_text(other, encoding="utf-8")
                self.assertEqual(ledger.canonical(file), form)
                file.write_text(other.replace(*changes[suffix]), encoding="utf-8")
                self.assertNotEqual(ledger.canonical(file), form)

    def test_sources_that_studies_include(self):
        found = {file.name for file in ledger.all_scripts([ledger.TESTS / "statistical" / "work_studies.cpp"])}
        self.assertLessEqual({"work_studies.cpp", "replicates.hpp", "scores.hpp", "scores.cpp", "work_models.hpp"},
                             found)

    def test_a_planted_edit_fails(self):
        self.record()
        written = self.file.read_text(encoding="utf-8")
        entry = written.splitlines()[1]
        resealed = json.loads(entry)
        resealed["figures"][0][1] = 0.96
        edits = {"the seal is broken": written.replace("0.951", "0.961"),
                 "formatted by hand": written.replace(", ", ",", 1),
                 "two entries": written.replace(entry, f"{entry},\n{entry}"),
                 "not JSON": written[:-3],
                 "other keys": re.sub(r', "seal": "\w+"', "", written)}
        for fault, text in edits.items():
            with self.subTest(fault):
                self.file.write_text(text, encoding="utf-8")
                for arguments in (["check", "--ledger", self.file], self.command()):
                    status, out = self.ledger(*arguments)
                    self.assertEqual(status, 1, out)
                    self.assertIn(fault, out)
        # A forged seal is found by those who run all studies.
        self.file.write_text(ledger.serialised([ledger.sealed(resealed)]), encoding="utf-8")
        self.assert_whole(False)
        status, out = self.run_study("all")
        self.assertEqual(status, 1, out)
        self.assertIn("coverage: the ledger has [0.96, 0.93, 0.97], this run [0.951, 0.93, 0.97]", out)

    def test_entries_are_sorted(self):
        self.record()
        self.change("BITS = 0.951", "BITS = 0.952")
        self.record()
        entries = ledger.read(self.file)
        self.file.write_text(ledger.serialised(entries[::-1]), encoding="utf-8")
        self.assertIn("not sorted", self.ledger("check", "--ledger", self.file)[1])

    def test_all_runs_everything(self):
        self.record()
        status, out = self.run_study("all")
        self.assertEqual(status, 0, out)
        self.assertIn("the whole study", out)

    def test_no_short_run(self):
        for fault in ("sys.exit(3)", "sys.exit(0)"):
            with self.subTest(fault):
                self.script.write_text(STUDY.replace('    with open(file, "a") as lines:\n'
                                                     '        lines.write(f"cell {BITS}\\n")\n    sys.exit(0)',
                                                     "    " + fault), encoding="utf-8")
                for mode in ("", "update", ""):
                    status, out = self.run_study(mode)
                    self.assertEqual(status, 0, out)
                    self.assertIn("no short run", out)
                    self.assertIn("the whole study", out)
                self.assertFalse(self.file.exists())

    def test_statuses_and_figures_of_studies(self):
        self.change("HIGH = 0.97", "HIGH = 0.94")  # the study itself fails
        self.assertEqual(self.run_study("update")[0], 1)
        self.change("sys.exit(0 if BITS <= HIGH else 1)", "sys.exit(77)")  # it skips itself
        self.assertEqual(self.run_study("update")[0], 77)
        self.change("sys.exit(77)", "sys.exit(0)")  # it passes, with a figure that does not
        status, out = self.run_study("update")
        self.assertEqual(status, 1, out)
        self.assertIn("its figure does not: coverage 0.951 in 0.93 to 0.94", out)
        self.assertFalse(self.file.exists())

    def test_most_entries(self):
        for k in range(ledger.MOST_ENTRIES + 1):
            self.change(f"BITS = 0.95{k}" if k else "BITS = 0.951", f"BITS = 0.95{k + 1}")
            self.record()
        self.assertEqual(len(ledger.read(self.file)), ledger.MOST_ENTRIES)

    def test_update_by_the_command_lines_of_ctest(self):
        command = [sys.executable, "-B", HERE / "ledger.py", *self.command("--build", self.place)]
        lines = [f"add_test({name} {' '.join(json.dumps(str(word)) for word in [*command[:4], name, *command[5:]])})\n"
                 f"set_tests_properties({name} PROPERTIES LABELS \"{label}\" ENVIRONMENT \"OF_TEST=1\")\n"
                 for name, label in (("short", "s"), ("full", "s;long"))]
        (self.place / "CTestTestfile.cmake").write_text("".join(lines), encoding="utf-8")
        self.change('print("the whole study")', 'print("the whole study", os.environ["OF_TEST"])')
        update = ["update", "--ledger", self.file, "--build", self.place]
        status, out = self.ledger(*update)
        self.assertEqual(status, 0, out)
        self.assertEqual([entry["study"] for entry in ledger.read(self.file)], ["short"])
        # A study that CTest has run whole is not run again.
        status, out = self.ledger(*[*command[3:4], "full", *command[5:]], OF_TEST="1")
        self.assertIn("the whole study", out)
        status, out = self.ledger(*update, "f*")
        self.assertEqual(status, 0, out)
        self.assertIn("as CTest has run it", out)
        self.assertNotIn("the whole study", out)
        self.assertEqual([entry["study"] for entry in ledger.read(self.file)], ["full", "short"])


if __name__ == "__main__":
    unittest.main()
