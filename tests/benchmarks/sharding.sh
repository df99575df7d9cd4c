#!/usr/bin/env bash
# Memory and messages of a rank of SMC that resamples at every step, in eight dimensions: memory must fall as 1/P.
#   bash tests/benchmarks/sharding.sh PEARLITE PARTICLES RANKS...
# Prints a row of docs/measured/performance.md for each number of ranks; the digest must be the same in all.
set -euo pipefail
pearlite=$1 particles=$2
shift 2
. "$(dirname "${BASH_SOURCE[0]}")/../../jobs/mpi-environment.sh"
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
cat >"$runs/sharding.toml" <<END
model = {name = "gaussian", dimension = 8, start_mean = 2.0, start_sd = 3.0}
algorithm = {name = "smc", particles = $particles, ess_threshold = 1.0}
schedule = {kind = "exponential", steps = 10}
kernel = {moves = 1}
END
printf '| particles | ranks | log Z/Z_0 | peak memory, MiB | sent, MB | words reduced | collected, MB | seconds | digest |\n'
printf '|---|---|---|---|---|---|---|---|---|\n'
for ranks in "$@"; do
    mpirun --oversubscribe -n "$ranks" "$pearlite" run "$runs/sharding.toml" -o "$runs/$ranks" >"$runs/log" 2>&1 || {
        cat "$runs/log" >&2
        exit 1
    }
    python3 - "$runs/$ranks/summary.json" "$particles" "$ranks" <<'END'
import json
import sys

summary = json.load(open(sys.argv[1]))
timing, headline = summary["timing"], summary["log_evidence"][0]
rank = timing["busiest_rank"]
print(f"| {sys.argv[2]} | {sys.argv[3]} | {headline['value']:.4f} | {rank['peak_memory_bytes'] / 2**20:.0f} "
      f"| {rank['sent_bytes'] / 1e6:.1f} | {rank['reduced_words']} | {rank['collected_bytes'] / 1e6:.1f} "
      f"| {timing['wall_seconds']:.0f} | {summary['digest'][:8]} |")
END
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["digest"])' "$runs/$ranks/summary.json" >>"$runs/digests"
    rm -rf "${runs:?}/$ranks"
done
[ "$(sort -u "$runs/digests" | wc -l)" = 1 ] || { echo "the digests differ" >&2; exit 1; }
