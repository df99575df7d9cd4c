"""Numbers of pages come from their files: planted edits fail, changed digests mark a page, and measuring again unmarks it.

The project is a stand-in of a page, its files and a golden table.
"""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import measured
import measured_import
import measured_runs

PAGE = """# Results

The mean is 1.25 ± 0.03 over `job` with `step = 0.5`.

<!-- measured: results.one -->

| job | estimate |
|---|---|
| `a` | 1.23 ± 0.04 |
| `b` | 2.5(1) |

| key | default |
|---|---|
| `step` | how far |
"""
TABLE = {"title": "Results", "page": "docs/measured/results.md", "kind": "table", "source": measured.IMPORTED,
         "command": "pearlite run jobs/a.toml", "revision": "aaaaaaaa", "seconds": 5.0, "machine": "not recorded",
         "jobs": {"job/a": {"revision": "aaaaaaaa", "digest": "11"}, "job/b": {"revision": "bbbbbbbb", "digest": "22"}},
         "columns": ["job", "estimate"], "rule": "|---|---|", "rows": [["`a`", "1.23 ± 0.04"], ["`b`", "2.5(1)"]]}
PROSE = {"title": "Numbers in the text", "page": "docs/measured/results.md", "kind": "numbers", "source": measured.IMPORTED,
         "command": None, "seconds": None,
         "sections": {"Results": {"revision": "aaaaaaaa", "jobs": {}, "numbers": ["1.25 ± 0.03"]}}}


class Pages(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.project = measured.Project(place.name)
        self.page = self.project.root / "docs/measured/results.md"
        self.project.data.mkdir(parents=True)
        (self.project.root / "tests/golden").mkdir(parents=True)
        self.page.write_text(PAGE, encoding="utf-8")
        self.project.write_record("results.one", TABLE)
        self.project.write_record("results.numbers", PROSE)
        self.golden("11", "22")

    def golden(self, a, b):
        (self.project.root / "tests/golden/table.json").write_text(
            json.dumps({"a machine": {"job/a": {"whole": a}, "job/b": {"whole": b}}}), encoding="utf-8")

    def edit(self, old, new):
        text = self.page.read_text(encoding="utf-8")
        self.assertIn(old, text)
        self.page.write_text(text.replace(old, new), encoding="utf-8")

    def assert_fault(self, pattern):
        faults = measured.check(self.project)
        self.assertEqual(len(faults), 1, faults)
        self.assertRegex(faults[0], pattern)

    def test_a_page_as_its_files_say(self):
        self.assertEqual(measured.check(self.project), [])
        self.assertEqual(measured.make(self.project), [])

    def test_planted_edits_of_a_table_fail(self):
        for old, new in (("1.23 ± 0.04", "1.24 ± 0.04"), ("2.5(1)", "2.5(2)"), ("| `b` | 2.5(1) |\n", ""), ("`a`", "`c`")):
            with self.subTest(old):
                self.edit(old, new)
                self.assert_fault("line (9|10): the page has")
                self.assertEqual(measured.make(self.project), ["docs/measured/results.md"])
                self.assertEqual(self.page.read_text(encoding="utf-8"), PAGE)

    def test_planted_edits_of_the_text_fail(self):
        self.edit("1.25 ± 0.03", "1.26 ± 0.03")
        faults = measured.check(self.project)
        self.assertEqual([fault.split(": ")[2] for fault in faults], ["1.26 ± 0.03", "1.25 ± 0.03"])
        self.assertEqual(measured.numbers_of("docs/x.md", "a 2.5 ± 0.1. b -3.25(4), 7.5"), ["2.5 ± 0.1", "-3.25(4)"])
        self.edit("The mean is 1.26 ± 0.03", "It is\n1.25 ±\n0.03 in the mean, and 1.5 in another run,")
        self.assert_fault("1.5: in the text, not in its file")

    def test_a_changed_digest_marks_the_page(self):
        self.golden("11", "33")
        self.assert_fault("`b`: measured at `bbbbbbbb`, before its bits changed")
        measured.make(self.project)
        self.assertIn("one -->\n*`b`: measured at `bbbbbbbb`, before its bits changed.*\n\n| job", self.page.read_text())
        self.assertEqual(measured.check(self.project), [])
        self.golden("33", "33")
        measured.make(self.project)
        self.assertIn("one -->\n*Measured at `bbbbbbbb`, before its bits changed.*\n\n| job", self.page.read_text())
        self.assertEqual([name for name, _, _ in measured.stale(self.project)], ["results.one"])

    def test_measured_again_has_no_mark(self):
        self.golden("11", "33")
        measured.make(self.project)
        again = {**TABLE, "jobs": {**TABLE["jobs"], "job/b": {"revision": "cccccccc", "digest": "33"}},
                 "rows": [["`a`", "1.23 ± 0.04"], ["`b`", "2.6(1)"]]}
        self.project.write_record("results.one", again)
        measured.make(self.project)
        self.assertEqual(self.page.read_text(encoding="utf-8"), PAGE.replace("2.5(1)", "2.6(1)"))
        self.assertEqual(measured.stale(self.project), [])

    def test_a_mark_that_should_not_be_there(self):
        self.edit("one -->\n", "one -->\n*Measured at `aaaaaaaa`, before its bits changed.*\n")
        self.assert_fault("before its bits changed")
        measured.make(self.project)
        self.assertEqual(self.page.read_text(encoding="utf-8"), PAGE)

    def test_sections_of_text_are_marked(self):
        section = {**PROSE["sections"]["Results"], "jobs": {"job/a": {"revision": "aaaaaaaa", "digest": "10"}}}
        self.project.write_record("results.numbers", {**PROSE, "sections": {"Results": section}})
        measured.make(self.project)
        self.assertTrue(self.page.read_text(encoding="utf-8").startswith(
            "# Results\n\n*Numbers in the text: measured at `aaaaaaaa`, before its bits changed.*\n\nThe mean"))
        self.assertEqual(measured.check(self.project), [])
        self.project.write_record("results.numbers", PROSE)
        measured.make(self.project)
        self.assertEqual(self.page.read_text(encoding="utf-8"), PAGE)

    def test_tables_without_a_file_are_found(self):
        self.edit("| key | default |", "| K | log Z |")
        self.edit("| `step` | how far |", "| 10 | 3.5 ± 0.1 |")
        self.assert_fault("docs/measured/results.md:12: a measured table without a file: . K . log Z .")
        exempt = {"docs/measured/results.md": {"| K | log Z |": "exact"}}
        (self.project.data / "exempt.json").write_text(json.dumps(exempt), encoding="utf-8")
        self.assertEqual(measured.check(self.project), [])
        self.edit("| K | log Z |", "| key | default |")
        self.edit("| 10 | 3.5 ± 0.1 |", "| `step` | how far |")
        self.assert_fault("no such table")

    def test_comments_and_files_belong_together(self):
        self.edit("results.one", "results.two")
        self.assertRegex(measured.check(self.project)[0], "results.two: docs/measured/data has no such file")
        self.edit("<!-- measured: results.two -->\n\n", "")
        self.assertEqual(len(measured.check(self.project)), 2)
        self.edit("| `step` | how far |\n", "| `step` | how far |\n\n<!-- measured: results.one -->\n\nNo table.\n")
        self.assertRegex(measured.check(self.project)[0], "no table below")

    def test_the_cheapest_come_first(self):
        self.golden("33", "33")
        for name, seconds in (("dear", 60.0), ("unknown", None), ("cheap", 1.0)):
            self.project.write_record(f"results.{name}", {**TABLE, "seconds": seconds})
        self.assertEqual([name for name, _, _ in measured.stale(self.project)],
                         ["results.cheap", "results.one", "results.dear", "results.unknown"])

    def test_comments_in_code_are_no_comments(self):
        text = "```text\n<!-- measured: none -->\n| a | b |\n|---|---|\n| 1.5 | 2.5 |\n```\n"
        self.assertEqual([piece.kind for piece in measured.pieces_of(text.split("\n"))], ["block"])

    def test_cells(self):
        row = "| a \\| b | | c |"
        self.assertEqual(measured.cells_of(row), ["a \\| b", "", "c"])
        self.assertEqual(measured.row_of(measured.cells_of(row)), row)


class Recipes(unittest.TestCase):
    def test_numbers_of_a_summary(self):
        numbers = measured_runs.flat({"headline": {"value": -1.25, "standard_error": 0.5}, "log_evidence": [
            {"estimator": "bar", "quantity": "log_ratio", "error_method": "lee", "value": 1.5},
            {"estimator": "bar", "quantity": "log_ratio", "error_method": "bootstrap", "value": 2.5}]})
        self.assertEqual(numbers["log_evidence.bar.log_ratio.value"], 1.5)
        self.assertEqual(numbers["log_evidence.bar.log_ratio.bootstrap.value"], 2.5)
        text = "{headline.value:.2f} ± {headline.standard_error:.1f}, {log_evidence.bar.log_ratio.value:.0f}, {z(-2.25):+.1f}"
        self.assertEqual(measured_runs.filled(text, numbers), "-1.25 ± 0.5, 2, +2.0")
        with self.assertRaises(KeyError):
            measured_runs.filled("{none:.1f}", numbers)

    def test_lines_of_a_block(self):
        output = "start 1\n  log Z: 2.6 +- 0.1\nmore\nend 7.5\n"
        self.assertEqual(measured_runs.lines_again(["  log Z: 2.5 +- 0.2", "end 7.0"], output),
                         ["  log Z: 2.6 +- 0.1", "end 7.5"])
        with self.assertRaises(LookupError):
            measured_runs.lines_again(["end 7.0", "more"], output)


class Import(unittest.TestCase):
    def test_costs(self):
        self.assertEqual(measured_import.seconds_in("some 7 minutes of two cores"), 420)
        self.assertEqual(measured_import.seconds_in("20 s; 124 s"), 20)
        self.assertEqual(measured_import.seconds_in("Half an hour of a core"), 1800)
        self.assertIsNone(measured_import.seconds_in("soon"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
