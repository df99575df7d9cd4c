"""Tests the planting of faults itself, on a small project without a compiler: drawing, planting, undoing, going on."""

import itertools
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import campaign
import drawing
import planted
import project_copy
import suite

SOURCE = """#include "a.hpp"
// a + b is 0
double mean(std::span<const double> x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum += x[i];
    if (x.empty() && strict)
        throw InputError("1 + 1 values, expected 0");
    total_.push_back(sum);
    return 0.5 * sum / n;
}
"""


def test_of(name, *labels, outputs=(), processors=1):
    return suite.Test(name, ["true"], set(labels), ".", [], [], 77, processors, list(outputs))


class Drawing(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for layer in ("core", "model"):
            (self.root / "src" / layer).mkdir(parents=True)
            (self.root / "src" / layer / "mean.cpp").write_text(SOURCE, encoding="utf-8")

    def test_is_a_function_of_the_seed(self):
        draws = [list(itertools.islice(drawing.drawn(self.root, seed), 8)) for seed in (1, 1, 2)]
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])

    def test_draws_each_line_once_and_ends(self):
        faults = list(drawing.drawn(self.root, 3))
        self.assertEqual(len({(fault.file, fault.line) for fault in faults}), len(faults))
        self.assertEqual({fault.layer for fault in faults}, {"core", "model"})

    def test_changes_code_alone(self):
        found = drawing.mutants(SOURCE)
        self.assertEqual(sorted(found), [4, 5, 6, 7, 9, 10])
        new = {number: {change[2].strip() for change in changes} for number, changes in found.items()}
        self.assertEqual(new[4], {"double sum = 1;"})
        self.assertIn("for (std::size_t i = 0; i <= x.size(); ++i)", new[5])
        self.assertEqual(new[6], {"sum -= x[i];", ";"})
        self.assertEqual(new[7], {"if (x.empty() || strict)"})
        self.assertEqual(new[9], {";"})
        self.assertEqual(new[10], {"return 0.25 * sum / n;", "return 0.5 / sum / n;", "return 0.5 * sum * n;"})

    def test_every_mutant_differs(self):
        for fault in drawing.drawn(self.root, 4):
            text = (self.root / fault.file).read_text(encoding="utf-8")
            changed = fault.applied_to(text)
            self.assertNotEqual(text, changed)
            self.assertEqual(text.count("\n"), changed.count("\n"))

    def test_leaves_template_brackets_and_strings(self):
        self.assertEqual(drawing.mutants('auto x = f<int>("a + 1", 1\'000);\n'), {})
        self.assertEqual(drawing.mutants("template <class T, int n = 0>\n"), {})


class Planting(unittest.TestCase):
    FAULT = drawing.Fault("x", "core", "a.cpp", "a + b", "a - b", "")

    def test_asks_for_one_place(self):
        self.assertEqual(self.FAULT.applied_to("(a + b)"), "(a - b)")
        for text in ("", "a + b, a + b"):
            with self.assertRaisesRegex(ValueError, "expected once"):
                self.FAULT.applied_to(text)

    def test_a_drawn_one_asks_for_its_line(self):
        fault = drawing.Fault("x", "core", "a.cpp", "  a;", "  ;", "", 2)
        self.assertEqual(fault.applied_to("  a;\n  a;\n"), "  a;\n  ;\n")
        with self.assertRaisesRegex(ValueError, "another line"):
            fault.applied_to("  a;\n  b;\n")


class Copies(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_mirror_restores_files_times_and_links(self):
        clean, build = self.root / "clean", self.root / "build"
        (clean / "sub").mkdir(parents=True)
        (clean / "sub/a.o").write_text("a")
        (clean / "link").symlink_to("sub/a.o")
        project_copy.mirror(clean, build)
        (build / "sub/a.o").write_text("b")
        (build / "more").mkdir()
        (build / "more/b.o").write_text("b")
        (build / "link").unlink()
        project_copy.mirror(clean, build)
        self.assertEqual(project_copy.entries_of(clean), project_copy.entries_of(build))
        self.assertEqual((build / "sub/a.o").read_text(), "a")

    def test_sources_go_back_and_the_users_tree_stays(self):
        project = self.root / "project"
        (project / "src/core").mkdir(parents=True)
        (project / "src/core/mean.cpp").write_text(SOURCE)
        git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "All"]):
            subprocess.run([*git, *command], check=True)
        sources = project_copy.Sources(project, self.root / "copy")
        sources.make()
        before = project_copy.entries_of(sources.place)
        fault = next(drawing.drawn(sources.place, 5))
        sources.apply(fault)
        self.assertNotEqual((sources.place / fault.file).read_text(), SOURCE)
        self.assertEqual((project / fault.file).read_text(), SOURCE)
        project_copy.Sources(project, self.root / "copy").restore(all_files=True)  # as after a kill
        self.assertEqual(project_copy.entries_of(sources.place), before)
        (project / "src/core/mean.cpp").write_text(SOURCE + "\n")
        subprocess.run([*git, "commit", "-qam", "Change"], check=True)
        sources.move_to_head()  # the changed file is newer than what was built of it
        times = {path: entry[1] for path, entry in project_copy.entries_of(sources.place).items() if entry}
        self.assertEqual([path for path, time in times.items() if time > project_copy.FIXED_TIME and path != ".git"],
                         [fault.file])

    def test_headers_have_readers(self):
        text = "a.o: #deps 2, deps mtime 1 (VALID)\n    u/a.cxx\n    /p/src/a.hpp\n    /usr/b.h\n\n"
        self.assertEqual(project_copy.readers_of(text, "/p", "/p/build"), {"src/a.hpp": {"/p/build/u/a.cxx"},
                                                                           "build/u/a.cxx": {"/p/build/u/a.cxx"}})


class Suites(unittest.TestCase):
    def test_finds_what_a_test_needs(self):
        outputs = {"tests/core_test", "drivers/pearlite"}

        def needed(*texts):
            return suite.needed_outputs(texts, "/p/build", outputs)
        self.assertEqual(needed("mpiexec", "-n", "/p/build/tests/core_test", "X=/p/build/drivers/pearlite"),
                         ["drivers/pearlite", "tests/core_test"])
        self.assertEqual(needed("python3", "/p/tests/a.py"), [])
        self.assertEqual(needed("/p/build"), ["all"])
        self.assertEqual(needed("PYTHONPATH=/p/build/python"), ["all"])

    def test_leaves_out_what_reads_texts_or_takes_hours(self):
        def entry(name, *labels):
            return {"name": name, "command": ["true"], "properties": [{"name": "LABELS", "value": list(labels)}]}
        listing = {"tests": [entry("a", "core", "quick"), entry("b", "long"), entry("c", "layers"), {"name": "d"}]}
        tests = suite.tests_of(listing, "/p/build", set())
        self.assertEqual([(test.name, test.tier) for test in tests], [("a", "quick")])

    def test_orders_by_likelihood_and_cost(self):
        fault = drawing.Fault("x", "io", "src/io/files/locks.cpp", "", "", "")
        tests = [test_of("far", "statistical"), test_of("app", "app"), test_of("io_slow", "io"),
                 test_of("io_fast", "io"), test_of("faults_lock", "faults"), test_of("core", "core"),
                 test_of("golden", "golden"),
                 test_of("unmeasured", "io"), test_of("unable", "io")]
        seconds = {test.name: 1 + (test.name == "io_slow") for test in tests if test.name != "unmeasured"}
        ordered = suite.order(tests, fault, seconds, lambda test: test.name != "unable")
        self.assertEqual([test.name for test in ordered],
                         ["golden", "faults_lock", "io_fast", "io_slow", "app", "core", "far"])

    def test_runs_and_ends_programs(self):
        def outcome(script, limit=20, stop=None):
            test = test_of("x")
            test.command, test.environment = [sys.executable, "-c", script], ["A=1"]
            return suite.run(test, limit, stop or threading.Event())[0]
        self.assertEqual(outcome("import os; assert os.environ['A'] == '1'"), "passed")
        self.assertEqual(outcome("raise SystemExit(1)"), "failed")
        self.assertEqual(outcome("raise SystemExit(77)"), "skipped")
        began = time.monotonic()
        self.assertEqual(outcome("import os, time; os.fork() or os.setpgid(0, 0); time.sleep(300)", 0.5), "timeout")
        stop = threading.Event()
        stop.set()
        self.assertEqual(outcome("import time; time.sleep(300)", 20, stop), "stopped")
        self.assertLess(time.monotonic() - began, 300)


class StandIn:
    """Sources and a build that only note what happens to them."""

    def __init__(self, refuses=()):
        self.place, self.planted, self.log, self.refuses = pathlib.Path("/p"), None, [], refuses

    def restore(self, **_):
        self.planted = None

    def apply(self, fault):
        self.planted = fault.name
        self.log.append(fault.name)

    def build(self, _):
        if self.planted in self.refuses:
            raise project_copy.BuildFailed("no")
        return 0.5

    def outputs(self):
        return set()

    def depend(self, *_):
        return True


class Campaigns(unittest.TestCase):
    TESTS = [test_of("golden", "golden", "quick", outputs=["p"]), test_of("core", "core", "quick", outputs=["q"]),
             test_of("works", "works", outputs=["p"], processors=2)]
    FAULTS = [drawing.Fault(name, "core", "src/core/a.cpp", "a", "b", "c") for name in ("first", "second", "third")]

    def setUp(self):
        self.file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "results.json"

    def campaign(self, finders, budget=1000, refuses=()):
        project = StandIn(refuses)

        def run(test, _limit, _stop):
            return ("failed" if test.name == finders.get(project.planted) else "passed"), 0.01
        found = campaign.Campaign(project, project, campaign.Record(self.file), budget, 2, lambda _: None, run)
        found.tests = self.TESTS
        return project, found

    def found(self):
        return {name: (each["found_by"], each["tier"]) for name, each in campaign.Record(self.file)["faults"].items()}

    def test_reports_who_finds_what_and_undoes_all(self):
        project, found = self.campaign({"first": "core", "second": "works"})
        self.assertTrue(found.run(self.FAULTS, 1, 0, suite.TIERS))
        self.assertIsNone(project.planted)
        self.assertEqual(self.found(), {"first": ("core", "quick"), "second": ("works", "full"), "third": (None, None)})
        rows, counts = planted.judged(campaign.Record(self.file), {("src/core/a.cpp", "a", "b"): "same"})
        self.assertEqual((counts["quick"], counts["full"], counts["equivalent"], counts["missed"]), (1, 1, 1, 0))
        self.assertIn("| first | `src/core/a.cpp` | c | `core` | quick |", "\n".join(planted.table(rows)))

    def test_goes_on_where_it_stopped(self):
        _, stopped = self.campaign({"first": "core"})
        stopped.run(self.FAULTS[:1], 1, 0, suite.TIERS)
        project, found = self.campaign({"first": "works", "second": "golden", "third": "works"})
        found.run(self.FAULTS, 1, 0, suite.TIERS)
        self.assertEqual(project.log, ["second", "third", "third"])
        self.assertEqual(self.found()["first"], ("core", "quick"))

    def test_ends_with_its_budget(self):
        project, found = self.campaign({}, budget=0)
        self.assertFalse(found.run(self.FAULTS, 1, 0, suite.TIERS))
        self.assertEqual(project.log, [])

    def test_draws_another_where_one_does_not_compile(self):
        stream = [drawing.Fault(f"drawn_{n}", "core", "src/core/a.cpp", "a", "b", "c", n) for n in range(1, 6)]
        project, found = self.campaign({}, refuses=("drawn_2",))
        original, campaign.drawn = campaign.drawn, lambda *_: iter(stream)
        try:
            found.run([], 1, 3, suite.TIERS)
        finally:
            campaign.drawn = original
        self.assertEqual(sorted(self.found()), ["drawn_1", "drawn_3", "drawn_4"])
        self.assertEqual(campaign.Record(self.file)["stillborn"], ["drawn_2"])
        self.assertIsNone(project.planted)

    def test_runs_side_by_side_within_slots(self):
        running, most, lock = [0], [0], threading.Lock()

        def start(test, _):
            with lock:
                running[0] += test.processors
                most[0] = max(most[0], running[0])
            time.sleep(0.02)
            with lock:
                running[0] -= test.processors
            return test.name
        seen = []
        tests = [test_of(str(n), processors=1 + n % 2) for n in range(8)]
        campaign.in_slots(tests, 2, lambda _: None, start, lambda _, name: seen.append(name))
        self.assertEqual((sorted(seen), most[0]), ([str(n) for n in range(8)], 2))
        seen.clear()
        campaign.in_slots(tests, 1, lambda _: None, start, lambda _, name: seen.append(name) or name == "2")
        self.assertEqual(seen, ["0", "1", "2"])


if __name__ == "__main__":
    unittest.main()
