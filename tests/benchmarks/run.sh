#!/usr/bin/env bash
# Builds and runs all benchmarks and prints what they measure beside the targets of docs/measured/performance.md.
#   bash tests/benchmarks/run.sh [--real-time] [NAME...]        without names all of them; see compare.py
#   bash tests/benchmarks/run.sh --against DIRECTORY [NAME...]  compares with the benchmarks of another build there
# Every figure is a ratio of times measured in the same run, so that other work on the machine disturbs it little.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. cmake/setup.sh
install_packages cmake/debian-packages.txt

cmake --preset ci >/dev/null
cmake --build --preset ci -j "$(build_jobs)" --target benchmarks >/dev/null
exec python3 tests/benchmarks/compare.py build/ci/tests/benchmarks "$@"
