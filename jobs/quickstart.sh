#!/usr/bin/env bash
# Builds Pearlite and its Python package, anneals the 32 x 32 Ising model on two cores and compares log Z with Kaufman's
# exact value.
#   bash jobs/quickstart.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/setup.sh
. jobs/mpi-environment.sh

install_packages cmake/debian-packages.txt

build=build/release
log=$build/quickstart.log
mkdir -p "$build"
# Tests stay off in a new build directory; one configured before keeps its choice.
tests_off=(-D PEARLITE_TESTS=OFF)
[ ! -e "$build/CMakeCache.txt" ] || tests_off=()
echo "building (log: $log)"
if ! { cmake --preset release "${tests_off[@]}" &&
    cmake --build "$build" --target pearlite manual python -j "$(build_jobs)"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "the build failed; its log is $log" >&2
    exit 1
fi

run=runs/quickstart
pearlite=$build/drivers/pearlite
mpirun -n "$(($(nproc) > 1 ? 2 : 1))" "$pearlite" run jobs/ising.toml -o "$run" --overwrite
"$pearlite" report "$run"
python3 jobs/print_estimates.py "$run"
[ ! -d "$build/python/pearlite" ] || echo "  in Python: export PYTHONPATH=$PWD/$build/python, then import pearlite"
