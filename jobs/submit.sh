#!/usr/bin/env bash
# Submits a configuration to SLURM with the memory that `pearlite check` predicts for each rank:
#   bash jobs/submit.sh [options of sbatch] FILE.toml [options of `pearlite run`]
#   bash jobs/submit.sh --ntasks=64 --time=4:00:00 jobs/ising.toml
# A quarter and 100 MiB are added. It prints the call of sbatch; with PEARLITE_DRY_RUN=yes it does no more.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${PEARLITE:-$(command -v pearlite || echo "$root/build/release/drivers/pearlite")}

options=()
while [ $# -gt 0 ] && [[ $1 != *.toml ]]; do
    options+=("$1")
    shift
done
if [ $# -eq 0 ]; then
    echo "usage: bash jobs/submit.sh [options of sbatch] FILE.toml [options of pearlite run]" >&2
    exit 2
fi

# `check` takes those options of `run` that choose its configuration.
checked=("$1")
for ((i = 2; i <= $#; ++i)); do
    case ${!i} in
    --set | --data-dir) checked+=("${!i}" "${@:i+1:1}") ;;
    --set=* | --data-dir=*) checked+=("${!i}") ;;
    esac
done
ranks=1 previous=
for option in "${options[@]}"; do
    case $option in
    --ntasks=*) ranks=${option#*=} ;;
    -n[0-9]*) ranks=${option#-n} ;;
    esac
    case $previous in -n | --ntasks) ranks=$option ;; esac
    previous=$option
done

found=$("$program" check "${checked[@]}")
mebibytes=$(python3 -c '
import re, sys
ranks, text = int(sys.argv[1]), sys.argv[2]
line = re.search(r"^# memory: .* a rank: ([0-9.]+) (MiB|GiB) of program.* and ([0-9.]+) (MiB|GiB) that ranks", text, re.M)
if line:
    size = {"MiB": 1, "GiB": 1024}
    common, divided = (float(line[k]) * size[line[k + 1]] for k in (1, 3))
    print(int(1.25 * (common + divided / ranks) + 100))
' "$ranks" "$found")
if [ -n "$mebibytes" ]; then
    options+=(--mem-per-cpu="${mebibytes}M")
else
    echo "pearlite check predicts no memory for $1: SLURM's own limit holds" >&2
fi
call=(sbatch "${options[@]}" "$root/jobs/pearlite.sbatch" "$@")
printf '%q ' "${call[@]}"
echo
[ -n "${PEARLITE_DRY_RUN:-}" ] || exec "${call[@]}"
