"""A node that has another copy of the configuration, of a file of data or of the program: the job is refused before the
first draw, with the host and the file. Catches ranks that compute on different data without a word."""

import re
import sys
import unittest

import emulated_nodes
import pearlite_runner as runner

try:
    import input_copies
except ModuleNotFoundError as error:
    print(f"skipped: this Python has no {error.name}: {sys.executable}")
    sys.exit(runner.SKIPPED)

ONE_A_NODE = {1: 1, 2: 1}
# Ranks 0 and 1 have the same copies.
OTHER_LAST = {1: 2, 2: 1}


class UnequalInputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.nodes = cls.enterClassContext(emulated_nodes.Nodes(2))

    def prepare(self, kind, name=""):
        """A job whose file of this kind is another one on node 2. Returns (configuration, file)."""
        directory = self.nodes.scratch / re.sub(r"\W", "-", name or kind)
        configuration, file = input_copies.write(directory, kind)
        self.nodes[2].replace(file, input_copies.other_copy(file))
        return configuration, file

    def run_job(self, configuration, where, ranks, *more):
        return self.nodes.pearlite(ranks, "run", configuration, "--data-dir", configuration.parent, "-o", where, *more)

    def refused(self, ended, where, file):
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("node2", ended.err)
        self.assertRegex(ended.err, re.escape(file.name) + ("|configuration" if file.suffix == ".toml" else ""))
        self.assertEqual(len(re.findall("^pearlite: ", ended.err, re.MULTILINE)), 1, ended.err)
        self.assertEqual(runner.checkpoints(where), [])
        self.assertFalse((where / "results.h5").exists() or (where / "summary.json").exists())

    def test_every_kind(self):
        cases = [(kind, *self.prepare(kind)) for kind in input_copies.INPUTS]

        def run_case(_, configuration, __):
            number = [case[1] for case in cases].index(configuration)
            where = configuration.parent / "run"
            return where, self.run_job(configuration, where, OTHER_LAST if number % 2 else ONE_A_NODE)

        for (kind, _, file), (where, ended) in zip(cases, runner.side_by_side(run_case, cases)):
            with self.subTest(kind):
                self.refused(ended, where, file)
        print(f"{len(cases)} kinds of input")

    def test_equal_copies_on_both_nodes(self):
        """Other files with the same bytes are no other inputs."""
        directory = self.nodes.scratch / "equal"
        configuration, file = input_copies.write(directory, "a table")
        self.nodes[2].replace(file, file.read_bytes())
        ended = self.run_job(configuration, directory / "run", ONE_A_NODE)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())

    def test_a_resume(self):
        configuration, file = self.prepare("a table", "resume")
        where = configuration.parent / "run"
        ended = self.run_job(configuration, where, {1: 1}, "--step-limit", 3)
        self.assertEqual(ended.status, runner.STOPPED, ended.describe())
        before = runner.checkpoints(where)
        ended = self.nodes.pearlite(ONE_A_NODE, "resume", where)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("node2", ended.err)
        self.assertEqual(runner.checkpoints(where), before)
        self.nodes[2].restore(file)
        ended = self.nodes.pearlite(ONE_A_NODE, "resume", where)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())

    def test_a_sweep(self):
        for kind in ("a configuration", "a table"):
            with self.subTest(kind):
                configuration, file = input_copies.write(self.nodes.scratch / f"sweep-{kind[2:]}", kind)
                with open(configuration, "a", encoding="utf-8") as text:
                    text.write("[sweep]\nreplicates = 4\n")
                self.nodes[2].replace(file, input_copies.other_copy(file))
                where = configuration.parent / "run"
                self.refused(self.run_job(configuration, where, ONE_A_NODE), where, file)

    def test_another_build(self):
        """The program of node 2 has another build id."""
        build = re.search("build ([0-9a-f]{16})", runner.pearlite("--version").out)
        content = self.nodes.program_file.read_bytes()
        build = bytes.fromhex(build[1]) if build else b""
        if not build or build not in content:
            self.skipTest("the program has no build id")
        other = content.replace(build, build[::-1])
        self.nodes[2].replace(self.nodes.program_file, other)
        self.addCleanup(self.nodes[2].restore, self.nodes.program_file)
        configuration, _ = input_copies.write(self.nodes.scratch / "build", "a table")
        ended = self.run_job(configuration, self.nodes.scratch / "build" / "run", ONE_A_NODE)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("node2", ended.err)
        self.assertRegex(ended.err, "build|program|version")


if __name__ == "__main__":
    emulated_nodes.require()
    runner.main()
