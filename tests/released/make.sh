#!/usr/bin/env bash
# Makes the files of a release: tests/released/VERSION, of the program that is released.
#   bash tests/released/make.sh build/release/drivers/pearlite
set -euo pipefail
program=$(realpath "$1")
version=$("$program" --version | sed -n 's/^pearlite \([0-9.]*\).*/\1/p')
place=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/$version
unset PEARLITE_DATA_DIR
mkdir "$place"
cd "$place"

cat >evidence.toml <<'TOML'
[model]
name = "gaussian"
dimension = 2

[algorithm]
name = "smc"
particles = 128
TOML
cat >search.toml <<'TOML'
[model]
name = "test-function"
function = "rastrigin"
dimension = 2

[algorithm]
name = "pisaa"
chains = 4
iterations = 20000
TOML

"$program" run evidence.toml -o finished >/dev/null 2>&1
"$program" run evidence.toml -o evidence --step-limit 8 >/dev/null 2>&1 || [ $? -eq 3 ]
"$program" run search.toml -o search --step-limit 100 >/dev/null 2>&1 || [ $? -eq 3 ]
for run in finished evidence search; do # the newest checkpoint serves
    ls -r "$run"/checkpoint.*.h5 | tail -n +2 | xargs -r rm
done
du -sh "$place"
