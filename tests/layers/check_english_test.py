"""Sentences that check_english.py must find and must pass, in every kind of file that it reads."""

import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

import check_english as english


def found(name, text):
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / name
        file.write_text(text)
        return [fault for _, fault, _ in english.faults_of_file(file)]


class Sentences(unittest.TestCase):
    """Catches a rule that finds nothing, and one that finds plain English."""

    def test_openings_of_sentences_are_found_in_every_kind_of_file(self):
        for name, text in {
            "page.md": "A line.\n\n* What it costs is little.\n",
            "table.md": "| key | meaning |\n|---|---|\n| `a` | Of two halves the larger |\n",
            "source.cpp": "int a; // So many chains.\n",
            "block.cpp": "/* A line.\n * Those that moved. */\n",
            "message.cpp": 'auto a = "a fault was found. What it was is " "in the log";\n',
            "script.py": '"""Does it.\n\nWhat is left is kept.\n"""\n',
            "comment.py": "a = 1\n# Of these one.\n",
            "script.sh": "# So much for that.\n",
            "settings.toml": "# Those of the paper.\n",
        }.items():
            with self.subTest(name):
                self.assertEqual(len(found(name, text)), 1)

    def test_a_word_for_print_and_report_is_found(self):
        self.assertEqual(found("page.md", "The ranks are told the sum.\n"), ['"told"'])
        self.assertEqual(found("source.cpp", 'auto a = "ranks tell each other";\n'), ['"tell"'])

    def test_plain_sentences_code_and_questions_pass(self):
        for name, text in {
            "page.md": "The log says what it costs. Half of those moved.\n\n```sh\n# What it does\n```\n\nWhat is a path?\n",
            "code.md": "`tell` prints it.\n",
            "source.cpp": 'auto a = f("of "); // The sum of those that moved.\nint told = 1;\n',
            "lists.cpp": "// Ranks share the sum\n// Of two numbers, the larger is taken here as a continued sentence.\n",
        }.items():
            with self.subTest(name):
                self.assertEqual(found(name, text), [])


class Subjects(unittest.TestCase):
    """Catches subjects of commits that are riddles."""

    def test_subjects_with_verb_object_and_area_pass(self):
        self.assertEqual(list(english.faults_of_subject("Step over gaps in filters (state_space)")), [])

    def test_other_subjects_are_faults(self):
        for subject in ("Performance: a number", "Second reading: two words", "Step over gaps in filters",
                        "Gaps in filters are stepped over (state_space)", "step over gaps (filters)"):
            with self.subTest(subject):
                self.assertTrue(list(english.faults_of_subject(subject)))

    def test_a_machine_without_git_has_no_subjects(self):
        with unittest.mock.patch("shutil.which", return_value=None):
            self.assertEqual(list(english.faults_of_subjects(pathlib.Path(english.__file__).parents[2])), [])

    def test_a_folder_without_git_has_no_subjects(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(list(english.faults_of_subjects(pathlib.Path(directory))), [])


class Program(unittest.TestCase):
    """Catches an exit status that hides faults."""

    def test_the_status_is_1_where_there_are_faults(self):
        with tempfile.TemporaryDirectory() as directory:
            for text, status in (("What it is.\n", 1), ("It is this.\n", 0)):
                (pathlib.Path(directory) / "README.md").write_text(text)
                run = subprocess.run(["python3", english.__file__, directory], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, status, run.stdout)


if __name__ == "__main__":
    unittest.main()
