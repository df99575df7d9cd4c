"""The site: `sphinx-build docs build/site`, with Debian's python3-sphinx, furo and python3-myst-parser.

MyST reads the pages as they stand, and furo's pages need no network."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]

project = "Pearlite"
author = "The Pearlite authors"
copyright = f"2026, {author}"  # noqa: A001 (Sphinx's name)
version = release = re.search(r"project\(Pearlite VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["conf.py"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # pages that begin with a heading of another level

html_theme = "furo"
html_title = f"Pearlite {release}"
html_copy_source = False
html_show_sphinx = False
pygments_style = "default"
