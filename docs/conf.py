"""The site: `sphinx-build docs build/site`, with Debian's python3-sphinx, furo and python3-myst-parser.

MyST reads the pages unchanged, and furo's pages need no network. Extensions in _site/ add formulas, pages of the
interfaces, names for the search, and the gallery. `bash docs/build.sh` installs their dependencies and builds the site.
"""

import importlib.util
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True  # no bytecode in the checkout
sys.path[:0] = [str(ROOT / "docs/_site"), str(ROOT / "drivers/pearlite_python")]

project = "Pearlite"
author = "The Pearlite authors"
copyright = f"2026, {author}"  # noqa: A001 (Sphinx's name)
version = release = re.search(r"project\(Pearlite VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]

extensions = ["myst_parser", "formulas", "interfaces", "names", "gallery", "plots", "theme"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["conf.py", "_site"]
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = False
suppress_warnings = ["myst.header"]  # some pages begin with a heading of a lower level

# autodoc needs neither the compiled part of the Python package nor numpy.
autodoc_mock_imports = ["pearlite._core", *(name for name in ["numpy"] if importlib.util.find_spec(name) is None)]
autodoc_typehints = "none"  # docstrings say types and shapes
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
add_module_names = False

html_theme = "furo"
html_title = f"Pearlite {release}"
html_math_renderer = "pearlite"
html_static_path = ["_site/static"]
html_css_files = ["pearlite.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # browsers do not load pages from a disk for excerpts
pygments_style = "default"
smartquotes = False  # keeps --time-limit and "text" as typed
toc_object_entries_show_parents = "hide"
