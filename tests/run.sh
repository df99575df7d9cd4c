#!/usr/bin/env bash
# The one test command: sets the machine up, builds with warnings as errors and runs a tier of the tests.
#   bash tests/run.sh                     quick: most faults in minutes; only the packages that the program needs
#   bash tests/run.sh --full              all that must hold before a change lands; installs the optional packages
#   bash tests/run.sh --long              full, and studies of hours, for nights and releases
#   bash tests/run.sh --layer PATTERN     for an edit: tests that PATTERN finds by name, label or file ("smc", "io")
# --all (alone: with --full) also runs studies whose bits have not changed (tests/ledger). Further options go to CTest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/setup.sh

tier=quick
pattern=
while [ $# -gt 0 ]; do
    case $1 in
        --quick | --full | --long) tier=${1#--} ;;
        --layer)
            tier=layer
            pattern=${2:?--layer needs a pattern}
            shift
            ;;
        --all)
            export PEARLITE_LEDGER=all
            [ "$tier" != quick ] || tier=full
            ;;
        *) break ;;
    esac
    shift
done

# The processor seconds of all programs that have ended so far, in `cores`.
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
count_cores() {
    times >"$scratch"
    cores=$(awk -F'[ms ]+' 'NR == 2 { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }' "$scratch")
}

began=$SECONDS
install_packages cmake/debian-packages.txt
if [ "$tier" = full ] || [ "$tier" = long ]; then
    # Tests that need them are skipped, and say so, where they cannot be installed.
    install_packages cmake/debian-packages-optional.txt || echo "going on without the optional packages" >&2
fi

if [ -z "${PEARLITE_DATA_DIR:-}" ] && [ -d ../shared/data ]; then
    PEARLITE_DATA_DIR=$(cd ../shared/data && pwd)
    export PEARLITE_DATA_DIR
fi
packages_seconds=$((SECONDS - began))
count_cores
packages_cores=$cores

cmake --preset ci
case $tier in
    quick) targets=(quick_tests) filter=(-L '^quick$') ;;
    full) targets=(all) filter=(-LE '^long$') ;;
    long) targets=(all long_tests) filter=() ;;
    layer)
        selection=$(python3 -B tests/support/tiers.py select build/ci "$pattern")
        eval "$selection"
        read -r -a targets <<<"$layer_programs"
        filter=(-R "$layer_tests")
        ;;
esac
if [ "${#targets[@]}" -gt 0 ]; then
    cmake --build --preset ci -j "$(build_jobs)" --target "${targets[@]}"
fi
build_seconds=$((SECONDS - began - packages_seconds))
count_cores
build_cores=$((cores - packages_cores))

# Tests of whole jobs wait for programs to start, to sleep and to end most of the time: two share a core.
slots=$((2 * $(nproc)))

# CTest's closing summary is held back until the skipped tests and their reasons are listed.
results=$PWD/build/ci/Testing
mkdir -p "$results"
rm -f "$results/summary.txt" "$results/tests.xml"
status=0
ctest --test-dir build/ci --output-on-failure --no-tests=error -j "$slots" \
    --output-junit "$results/tests.xml" --test-output-size-passed 1000000 "${filter[@]}" "$@" 2>&1 |
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
    count_cores
    echo "packages $packages_seconds s, build $build_seconds s ($build_cores core-seconds)," \
        "tests $((SECONDS - began - packages_seconds - build_seconds)) s" \
        "($((cores - packages_cores - build_cores)) core-seconds)"
    python3 -B tests/support/tiers.py close "$tier" "$results/tests.xml"
fi
if [ -s "$results/summary.txt" ]; then
    cat "$results/summary.txt"
fi
exit "$status"
