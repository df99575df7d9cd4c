#!/usr/bin/env bash
# Tables of `search_studies efficiency` and results of searches become pictures; other files are refused.
#   search_figures_test.sh SEARCH_STUDIES MPIEXEC PYTHON
set -euo pipefail
studies=$1 mpiexec=$2 python=$3
draw=$(cd "$(dirname "$0")" && pwd)/draw_searches.py
if ! "$python" -c "import h5py, matplotlib" 2>/dev/null; then
    echo "skipped: no h5py or no matplotlib"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# drawn FILE TEXT...: the picture is well-formed and has these texts.
drawn() {
    local file=$1 text
    shift
    "$python" -c "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])" "$file"
    for text in "$@"; do
        grep -q "$text" "$file" || {
            echo "$file lacks $text"
            exit 1
        }
    done
}
# So short a study misses the slopes of the theory, and says so by its status.
"$mpiexec" -n 2 "$studies" efficiency 2 10000 >table.csv 2>/dev/null || true
"$python" "$draw" efficiency efficiency.svg <table.csv
drawn efficiency.svg "gain power" "0.55" "0.95"

"$python" - <<'END'
import h5py
import numpy

def search(name, best):
    with h5py.File(name, "w") as results:
        results["search/iteration"] = numpy.array([1, 10, 100])
        results["search/best"] = numpy.array(best)

search("two.h5", [[9.0, 5.0, 2.0], [8.0, 3.0, 2.0]])
search("one.h5", [[7.0, 6.0, 2.5]])
search("ragged.h5", [[7.0, 6.0]])
h5py.File("empty.h5", "w").close()
END
"$python" -W error::RuntimeWarning "$draw" progress progress.svg 2 "many runs=two.h5" "a single run=one.h5"
drawn progress.svg "many runs" "a single run" "mean gap to the minimum"

# refused NAME ARGUMENT...: exit status 2, a message, no picture. Standard input is the table.
refused() {
    local name=$1 status=0
    shift
    "$python" "$draw" "$@" >message 2>&1 || status=$?
    if [ $status != 2 ] || [ -e refused.svg ] || ! grep -q "draw_searches.py" message || grep -q Traceback message; then
        echo "$name: exit status $status"
        cat message
        exit 1
    fi
}
sed '1s/median_square_error/error/' table.csv | refused "a table without a column" efficiency refused.svg
head -1 table.csv | refused "a table without rows" efficiency refused.svg
sed '$s/^[0-9.]*/x/' table.csv | refused "a table with a word for a number" efficiency refused.svg
refused "nothing" efficiency refused.svg </dev/null
refused "no figure" </dev/null
refused "a word for the minimum" progress refused.svg low "a=two.h5"
refused "results without a label" progress refused.svg 2 two.h5
refused "no results" progress refused.svg 2 a=none.h5
refused "results of something else" progress refused.svg 2 a=empty.h5
refused "curves of other lengths" progress refused.svg 2 a=ragged.h5
