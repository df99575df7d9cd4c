"""Makes the gallery: runs the commands of docs/gallery.md and keeps the report of each run and one of its figures.

usage: gallery.py DIRECTORY [NAME ...]       all of the page, or those of these names
       DIRECTORY/NAME.html, NAME.svg or .png; conf.py takes build/gallery, or what PEARLITE_GALLERY names

The program is $PEARLITE, else `pearlite` on the path, else that of build/release or build/ci. Runs use a temporary
directory. The script skips a run whose data files are missing and prints a line about it; any other failure ends the
script with status 1. As an extension of Sphinx this file shows the reports above their commands, and for a missing
report the command that makes it.
"""

import html
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/gallery.md"
RUN = re.compile(r"^    (pearlite run jobs/\S+\.toml .*-o runs/(\S+))\n    (pearlite report runs/\2) +# figures/(\S+) ",
                 re.MULTILINE)


def entries_of(page):
    """{name: (commands, figure)} of the page's text."""
    return {found[2]: ((found[1], found[3]), found[4]) for found in RUN.finditer(page)}


def program():
    """The executable, or None."""
    candidates = [os.environ.get("PEARLITE"), shutil.which("pearlite"),
                  *(ROOT / "build" / preset / "drivers/pearlite" for preset in ("release", "ci"))]
    return next((pathlib.Path(found).resolve() for found in candidates if found and os.access(found, os.X_OK)), None)


def make(name, commands, figure, pearlite, directory, place):
    """Makes a report; False if its data are missing."""
    if not (place / "jobs").exists():
        (place / "jobs").symlink_to(ROOT / "jobs")
    for command in commands:
        ran = subprocess.run([pearlite, *shlex.split(command)[1:]], cwd=place, text=True, capture_output=True,
                             check=False)
        if ran.returncode == 2 and "(--data-dir or PEARLITE_DATA_DIR)" in ran.stderr:
            return False
        if ran.returncode:
            raise RuntimeError(f"{command}: status {ran.returncode}\n{ran.stderr}{ran.stdout}")
    run = place / "runs" / name
    shutil.copyfile(run / "report.html", directory / f"{name}.html")
    shutil.copyfile(run / "figures" / figure, directory / f"{name}{pathlib.Path(figure).suffix}")
    return True


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    directory, names = pathlib.Path(arguments[0]), arguments[1:]
    entries = entries_of(PAGE.read_text(encoding="utf-8"))
    unknown = set(names) - set(entries)
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))}: not in docs/gallery.md, which has {', '.join(entries)}")
    pearlite = program()
    if pearlite is None:
        sys.exit("no executable: expected $PEARLITE, pearlite on the path, build/release or build/ci")
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pearlite-gallery-") as place:
        for name in names or entries:
            begun = time.monotonic()
            made = make(name, *entries[name], pearlite, directory, pathlib.Path(place))
            print(f"{name}: {time.monotonic() - begun:.1f} s" if made else f"{name}: left out, its data are missing")


def made_reports():
    """{name: its thumbnail} of the reports at hand."""
    directory = pathlib.Path(os.environ.get("PEARLITE_GALLERY") or ROOT / "build/gallery")
    found = {}
    for report in sorted(directory.glob("*.html")):
        pictures = [report.with_suffix(suffix) for suffix in (".svg", ".png") if report.with_suffix(suffix).exists()]
        found[report.stem] = (report, pictures[0] if pictures else None)
    return found


def show(app, document):
    """Puts each report above its commands."""
    from docutils import nodes
    if app.env.docname != "gallery":
        return
    reports = made_reports()
    for literal in list(document.findall(nodes.literal_block)):
        names = list(entries_of("\n".join("    " + line for line in literal.astext().splitlines())))
        if not names:
            continue
        name = names[0]
        if name in reports:
            picture = reports[name][1]
            image = f'<img src="gallery/{picture.name}" alt="A figure of the report.">' if picture else ""
            text = f'<a class="report" href="gallery/{html.escape(name)}.html">{image}<span>The report</span></a>'
        else:
            text = ('<p class="report">This report is not in this copy of the site: '
                    "<code>bash docs/build.sh</code> makes it, if program and data are there.</p>")
        literal.parent.insert(literal.parent.index(literal), nodes.raw("", text, format="html"))


def copy_reports(app, exception):
    if exception or app.builder.format != "html":
        return
    place = pathlib.Path(app.outdir) / "gallery"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for files in made_reports().values():
        for file in filter(None, files):
            shutil.copyfile(file, place / file.name)


def setup(app):
    app.connect("doctree-read", show)
    app.connect("env-get-outdated", lambda *_arguments: ["gallery"])
    app.connect("build-finished", copy_reports)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    main(sys.argv[1:])
