#!/usr/bin/env bash
# The one test command: sets the machine up, builds with warnings as errors and runs the tests.
#   bash tests/run.sh [--long] [ctest options]        --long adds the tests labelled `long`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/setup.sh

label_filter=(-LE long)
if [ "${1:-}" = --long ]; then
    label_filter=()
    shift
fi

install_packages cmake/debian-packages.txt
# What needs these is skipped, and says so, where they cannot be had.
install_packages cmake/debian-packages-optional.txt || echo "going on without the optional packages" >&2

if [ -z "${PEARLITE_DATA_DIR:-}" ] && [ -d ../shared/data ]; then
    PEARLITE_DATA_DIR=$(cd ../shared/data && pwd)
    export PEARLITE_DATA_DIR
fi

cmake --preset ci
cmake --build --preset ci -j "$(build_jobs)"

# CTest's closing summary is held back until the skipped tests and their reasons are listed.
results=$PWD/build/ci/Testing
mkdir -p "$results"
rm -f "$results/summary.txt" "$results/tests.xml"
status=0
ctest --test-dir build/ci --output-on-failure --no-tests=error -j "$(nproc)" \
    --output-junit "$results/tests.xml" --test-output-size-passed 1000000 "${label_filter[@]}" "$@" 2>&1 |
    while IFS= read -r line; do
        [[ ! $line =~ ^[0-9]+%\ tests\ passed ]] || closing=yes
        if [ -n "${closing:-}" ]; then
            echo "$line" >>"$results/summary.txt"
        else
            echo "$line"
        fi
    done || status=$?
if [ -s "$results/tests.xml" ]; then
    python3 tests/support/list_skipped.py "$results/tests.xml"
fi
if [ -s "$results/summary.txt" ]; then
    cat "$results/summary.txt"
fi
exit "$status"
