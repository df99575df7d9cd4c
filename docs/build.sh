#!/usr/bin/env bash
# Builds the site, build/site/index.html: the pages, and the reports of the gallery if the program has been built
# (jobs/quickstart.sh builds it). PEARLITE_DATA_DIR names the data directory; jobs whose data are missing are left out.
#   bash docs/build.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/setup.sh
. jobs/mpi-environment.sh

# Install the optional packages for the site. Only the first three are required; the build reports the others' absence.
install_packages <(grep -xE 'python3-sphinx|furo|python3-myst-parser|libjs-katex|nodejs|doxygen' \
    cmake/debian-packages-optional.txt) || echo "going on with what there is" >&2

# Another Python may come first on the path and lack Debian's packages.
export PATH=/usr/bin:$PATH
python3 -B docs/_site/gallery.py build/gallery || echo "the gallery says how to make its reports" >&2
python3 -B docs/_site/plots.py build/gallery || echo "the plots of Python are left out" >&2
python3 -m sphinx -q docs build/site
echo "$PWD/build/site/index.html"
