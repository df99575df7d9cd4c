#!/usr/bin/env bash
# Tables as likelihood_studies and particle_numbers print them become pictures; something else is refused.
#   likelihood_figures_test.sh PYTHON
set -euo pipefail
python=$1
here=$(cd "$(dirname "$0")" && pwd)
draw=$here/draw_likelihood_studies.py
if ! "$python" -c "import matplotlib" 2>/dev/null; then
    echo "skipped: no matplotlib"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >noise.csv <<END
noise_variance,steps,theory,measured,standard_error,z
0.5,1,0.60653,0.60652,0.00051,-0.0
0.5,5,0.90484,0.90511,0.00051,+0.5
4,1,0.01832,0.01845,0.00011,+1.2
4,5,0.44933,0.44895,0.00097,-0.4
END
cat >ranks.csv <<END
model,prior,parameter,p_value,counts
"process, filter",right,mean,0.3,3 1 3 0
"process, filter",wrong,mean,0.001,9 1 0 0
"regression, sampling",right,intercept,0.3,2 2 1 2
"regression, sampling",wrong,intercept,0.001,0 0 0 9
END
for study in noise ranks; do
    "$python" "$draw" $study $study.svg <$study.csv
    "$python" -c "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])" $study.svg
done

# refused STUDY NAME: standard input is no table of that study.
refused() {
    local status=0
    "$python" "$draw" "$1" refused.svg 2>message || status=$?
    if [ $status != 2 ] || [ -e refused.svg ] || ! grep -q "not a table" message; then
        echo "$2: exit status $status"
        cat message
        exit 1
    fi
}
refused noise "the table of another study" <ranks.csv
refused ranks "the table of another study" <noise.csv
sed 's/0.00097/x/' noise.csv | refused noise "a table with a word for a number"
refused ranks "nothing" </dev/null

# The last table counts: the first one here has a word for a number.
cat >numbers.txt <<END
gamma^2 22.9
| N | cost, predicted | means, measured time | means, tau_0 + tau_1 N |
|---|---|---|---|
| 8 | unknown | 1.355 ± 0.249 | 1.376 ± 0.253 |

| N | cost, predicted | means, measured time | means, tau_0 + tau_1 N |
|---|---|---|---|
| 8 | 1.486 | 1.355 ± 0.249 | 1.376 ± 0.253 |
| 16 | 1.012 | 1.191 ± 0.401 | 1.186 ± 0.399 |
without overhead: N = 11.5
END
draw=$here/draw_particle_numbers.py
"$python" "$draw" numbers.svg <numbers.txt
"$python" -c "import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])" numbers.svg
for wrong in noise.csv /dev/null; do
    status=0
    "$python" "$draw" refused.svg <$wrong 2>message || status=$?
    if [ $status != 2 ] || [ -e refused.svg ] || ! grep -q "not a table" message; then
        echo "draw_particle_numbers.py, $wrong: exit status $status"
        cat message
        exit 1
    fi
done
