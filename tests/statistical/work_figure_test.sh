#!/usr/bin/env bash
# The table of `work_studies figure` becomes a picture; part of it, or something else, is refused.
#   work_figure_test.sh WORK_STUDIES MPIEXEC PYTHON
set -euo pipefail
studies=$1 mpiexec=$2 python=$3
draw=$(cd "$(dirname "$0")" && pwd)/draw_work_estimators.py
if ! "$python" -c "import matplotlib" 2>/dev/null; then
    echo "skipped: no matplotlib"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$mpiexec" -n 2 "$studies" figure 10 >table.csv
"$python" "$draw" figure.svg <table.csv
"$python" -c "import xml.etree.ElementTree as tree; tree.parse('figure.svg')"

# refused NAME: standard input is no table.
refused() {
    local status=0
    "$python" "$draw" refused.svg 2>message || status=$?
    if [ $status != 2 ] || [ -e refused.svg ] || ! grep -q "not a table" message; then
        echo "$1: exit status $status"
        cat message
        exit 1
    fi
}
grep -v ",bar," table.csv | refused "a table without an estimator"
sed 's/standard_deviation/sd/' table.csv | refused "a table without a column"
sed '$s/,[0-9.]*,10$/,x,10/' table.csv | refused "a table with a word for a number"
refused "nothing" </dev/null
