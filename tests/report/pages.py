"""Tools for tests of pages: they run the report in this process and read its page."""

import base64
import contextlib
import html.parser
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
try:
    import h5py  # noqa: F401
    import matplotlib  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(SKIPPED)

REPORT = pathlib.Path(os.environ.get("PEARLITE_REPORT") or pathlib.Path(__file__).parents[2] / "drivers" / "report.py")
sys.path.insert(0, str(REPORT.parent))
import report  # noqa: E402

MINUS = "\N{MINUS SIGN}"
VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(html.parser.HTMLParser):
    """A page as tests read it: its images, the addresses that it links to or loads, and its text. Tags must nest."""

    def __init__(self, path):
        super().__init__()
        self.open_tags, self.images, self.addresses, self.words, self.tags = [], [], [], [], []
        self.links = []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()
        self.text = re.sub("[ \\n]+", " ", " ".join(self.words))

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        values = dict(attributes)
        if tag == "img":
            self.images.append(values["src"])
        self.addresses += [values[name] for name in ("href", "src", "data") if name in values]
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_endtag(self, tag):
        if not self.open_tags or self.open_tags[-1] != tag:
            raise AssertionError(f"</{tag}> closes {self.open_tags[-1:]}, line {self.getpos()[0]}")
        self.open_tags.pop()

    def handle_data(self, data):
        if "style" not in self.open_tags:
            self.words.append(data)


class WithDirectory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name) / "run"

    def run_report(self, *arguments):
        """Runs the command in this process, since starting Python for every case would take most of the time."""
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = report.main([str(argument) for argument in arguments])
            except SystemExit as refused:  # by the parser of the command line
                status = refused.code
        return subprocess.CompletedProcess(arguments, status, output.getvalue(), errors.getvalue())

    def page(self, directory=None, *options):
        """The page of a run or a sweep, after the checks that every page must pass."""
        directory = directory or self.directory
        done = self.run_report(directory, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{directory / 'report.html'}\n")
        page = Page(directory / "report.html")
        self.assertEqual(page.open_tags, [])
        page.links = [address for address in page.addresses if not address.startswith("data:image/")]
        for link in page.links:  # of a sweep to its runs
            self.assertRegex(link, r"^runs/\d{6}/(report\.html)?$")
            self.assertTrue((directory / link).exists(), link)
        self.assertNotIn("http", page.text)
        self.assertNotIn("script", page.tags)
        self.assertNotIn("url(", page.source)
        files = {path.read_bytes() for path in (directory / "figures").iterdir()}
        self.assertEqual({base64.b64decode(source.split(",", 1)[1]) for source in page.images}, files)
        return page

    def figure_names(self):
        return {path.name for path in (self.directory / "figures").iterdir()}

    def assert_shows(self, page, *texts):
        for text in texts:
            self.assertIn(text, page.text)
