#!/usr/bin/env bash
# jobs/pearlite.sbatch under a private SLURM of three nodes, of which it loses two: first a node with nothing but ranks,
# and the job goes on on those left in its allocation; then one of the other two, that of its script, and SLURM starts
# it again on the one that is left. Both end by themselves with the digest of a run that was not disturbed. Exit status
# 77 (skipped) as slurm_test.sh.
#   slurm_nodes_test.sh PROJECT_ROOT PEARLITE
set -euo pipefail
. "$1/tests/jobs/private_slurm.sh"

# The job must outlive its node, which dies soon after the first half second.
run_plain 14
export SLURM_LOCAL_NODE_TIMEOUT=6 PEARLITE_GUARD_SECONDS=2 PEARLITE_RANKS_PER_NODE=2
start_slurm 3

# submit DIRECTORY NODES: starts the job and waits until it has got on. The directory is attached to its option.
submit() {
    job=$(sbatch --parsable --nodes="$2" --mincpus=2 --time=10 --output="$1.log" "$root/jobs/pearlite.sbatch" \
        "$root/jobs/ising.toml" "${options[@]}" "-o$1")
    within 60 has_got_on "$1"
    nodes=$(scontrol show hostnames "$(job_field NodeList)")
    script_node=$(job_field BatchHost)
    echo "job $job runs on $(xargs <<<"$nodes"), its script on $script_node"
}
has_got_on() { [ "$(compgen -G "$1/checkpoint.*.h5" | wc -l)" -ge 2 ]; }

# lose DIRECTORY NODE: kills the node and waits for the end of the run.
lose() {
    local begin=$SECONDS
    bash "$slurm_local" kill-node "$work/slurm" "$2"
    [ ! -e "$1/summary.json" ] || fail "the run had ended before the node did"
    within 300 completed
    [ "$(summary_value "$1" status)" = finished ] || fail "the job ended without a finished run"
    [ "$(summary_value "$1" digest)" = "$expected" ] ||
        fail "digest $(summary_value "$1" digest), undisturbed $expected"
    grep '^pearlite.sbatch: ' "$1.log"
    cat "$1/segments.txt"
    echo "node $2 lost: finished $((SECONDS - begin)) s later with the same digest"
}

submit ranks 3
lose ranks "$(grep -vxF "$script_node" <<<"$nodes" | tail -n 1)"
[ "$(job_field Restarts)" = 0 ] || fail "the job was started again $(job_field Restarts) times"
grep -q "resumed from checkpoint" ranks/run.log || fail "nothing was resumed"
grep -q "starting again on 2 of 3 nodes" ranks.log || fail "the job did not go on on the nodes left"
grep -q "on 4 rank(s), seed 1; resumed" ranks/run.log || fail "not two ranks on each of the nodes left"

submit script 1-2
[ "$(wc -w <<<"$nodes")" -eq 2 ] || fail "the second job has not got both nodes"
lose script "$script_node"
[ "$(job_field Restarts)" = 1 ] || fail "the job was started again $(job_field Restarts) times"
[ "$(job_field NumNodes)" = 1 ] || fail "the job ended on $(job_field NumNodes) nodes"
grep -q "resumed from checkpoint" script/run.log || fail "nothing was resumed"
