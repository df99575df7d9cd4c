#!/usr/bin/env bash
# Makes the site, build/site/index.html: the pages, and the reports of the gallery if the program is there to make them
# (jobs/quickstart.sh builds it). PEARLITE_DATA_DIR names the data of its jobs; those that lack theirs are left out.
#   bash docs/build.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/setup.sh
. jobs/mpi-environment.sh

# Those of the optional packages that the site is made with; it does without all but the first three, and says so.
install_packages <(grep -xE 'python3-sphinx|furo|python3-myst-parser|libjs-katex|nodejs|doxygen' \
    cmake/debian-packages-optional.txt) || echo "going on with what there is" >&2

# A Python of one's own may come first on the path, and lack Debian's packages.
export PATH=/usr/bin:$PATH
python3 -B docs/_site/gallery.py build/gallery || echo "the gallery says how to make its reports" >&2
python3 -m sphinx -q docs build/site
echo "$PWD/build/site/index.html"
