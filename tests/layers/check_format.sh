#!/usr/bin/env bash
# check_format.sh ROOT: fails if clang-format 14 would change a C++ source; exit status 77 (skipped) without
# clang-format 14.
set -euo pipefail
cd "$1"
formatter=clang-format-14
if ! command -v "$formatter" >/dev/null; then
    echo "skipped: $formatter is not installed"
    exit 77
fi
find include src drivers tests -name '*.[ch]pp' -print0 | xargs -0 "$formatter" --dry-run -Werror
