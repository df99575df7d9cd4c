"""Draws the figures of docs/python-plots.md: runs its blocks and keeps the figure of each.

usage: plots.py DIRECTORY    DIRECTORY/plot-1.svg, plot-2.svg, ..., in the order of the blocks

The package pearlite is on PYTHONPATH, else that of build/release or build/ci. As an extension of Sphinx this file shows
the figures above their blocks; where they are missing, the page goes without.
"""

import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/python-plots.md"


def blocks():
    return re.findall("```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def draw(directory):
    """Returns the files."""
    names, files = {}, []
    directory.mkdir(parents=True, exist_ok=True)
    for number, block in enumerate(blocks(), 1):
        exec(compile(block, f"{PAGE}: block {number}", "exec"), names)
        axes = names["axes"]
        first = axes if hasattr(axes, "figure") else axes.flat[0]
        files.append(directory / f"plot-{number}.svg")
        first.figure.savefig(files[-1])
    return files


def _directory():
    return pathlib.Path(os.environ.get("PEARLITE_GALLERY") or ROOT / "build/gallery")


def show(app, document):
    from docutils import nodes
    if app.env.docname != "python-plots":
        return
    for number, literal in enumerate(document.findall(nodes.literal_block), 1):
        if (_directory() / f"plot-{number}.svg").exists():
            image = f'<img src="gallery/plot-{number}.svg" alt="The figure of the block below.">'
            literal.parent.insert(literal.parent.index(literal), nodes.raw("", image, format="html"))


def copy(app, exception):
    if exception or app.builder.format != "html":
        return
    place = pathlib.Path(app.outdir) / "gallery"
    place.mkdir(exist_ok=True)
    for file in _directory().glob("plot-*.svg"):
        shutil.copyfile(file, place / file.name)


def setup(app):
    app.connect("doctree-read", show)
    app.connect("env-get-outdated", lambda *_arguments: ["python-plots"])
    app.connect("build-finished", copy, priority=600)  # after the gallery, which clears the folder
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    sys.path += [str(ROOT / "build" / preset / "python") for preset in ("release", "ci")]
    draw(pathlib.Path(sys.argv[1]))
