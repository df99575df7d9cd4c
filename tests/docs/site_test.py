"""The site is built of all pages without a warning: no link leads nowhere, no page is left out of the table of contents."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MISSING = [name for name in ("sphinx", "myst_parser", "furo") if importlib.util.find_spec(name) is None]
if MISSING:
    print(f"skipped: this Python has no {', '.join(MISSING)}: {sys.executable}")
    sys.exit(77)


class Site(unittest.TestCase):
    def test_site(self):
        with tempfile.TemporaryDirectory() as place:
            made = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", f"{place}/cache",
                                   SOURCE / "docs", f"{place}/site"], text=True, capture_output=True)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            site = pathlib.Path(place) / "site"
            pages = [page.relative_to(SOURCE / "docs") for page in (SOURCE / "docs").rglob("*.md")]
            self.assertEqual([page for page in pages if not (site / page.with_suffix(".html")).exists()], [])
            # It works from a disk: nothing that a page needs lies elsewhere.
            for page in site.rglob("*.html"):
                needed = re.findall(r"<(?:script|img)[^>]* src=\"(https?:[^\"]*)|<link[^>]* href=\"(https?:[^\"]*)",
                                    page.read_text(encoding="utf-8"))
                self.assertEqual(needed, [], page)
            print(f"{len(pages)} pages")


if __name__ == "__main__":
    unittest.main(verbosity=2)
