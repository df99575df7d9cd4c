#!/usr/bin/env bash
# jobs/pearlite.sbatch under a private SLURM: a job is told to stop, checkpoints, requeues itself, resumes, and ends
# with the digest of an uninterrupted run. Exit status 77 (skipped) where SLURM is absent or this user may not start it.
#   slurm_test.sh PROJECT_ROOT PEARLITE
set -euo pipefail
root=$(cd "$1" && pwd)
PEARLITE=$2
export PEARLITE
PATH=$PATH:/usr/sbin
. "$root/jobs/mpi-environment.sh"

for command in sbatch srun slurmctld slurmd munged; do
    if ! command -v "$command" >/dev/null; then
        echo "skipped: SLURM is not installed ($command not found)"
        exit 77
    fi
done
if [ "$(id -u)" != 0 ]; then
    echo "skipped: only root can start a private SLURM"
    exit 77
fi

if ! grep -q ' /sys/fs/cgroup' /proc/mounts; then
    echo "skipped: slurmd does not start where /sys/fs/cgroup is not mounted"
    exit 77
fi

work=$(mktemp -d)
chmod 755 "$work"
slurm_local=$root/tests/support/slurm-local/slurm-local.sh
finish() {
    local status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$work"/job.log "$work"/slurm/log/*.log 2>/dev/null || true
    fi
    bash "$slurm_local" stop "$work/slurm" || true
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}
# within SECONDS COMMAND...: waits until the command succeeds; fails if it does not in that time.
within() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$deadline" ] || fail "waited too long for: $*"
        sleep 0.2
    done
}
summary_value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1/summary.json" "$2"; }

# The job must outlive the signal: as many steps as take some six seconds on one rank.
cd "$work"
steps=500
while :; do
    options=(--set algorithm.trajectories=1024 --set run.block=128 --set run.checkpoint_every=0.5 --set "schedule.steps=$steps")
    begin=$(date +%s%N)
    mpirun -n 1 "$PEARLITE" run "$root/jobs/ising.toml" "${options[@]}" -o plain --overwrite >plain.log 2>&1 ||
        { cat plain.log && fail "the uninterrupted run"; }
    milliseconds=$((($(date +%s%N) - begin) / 1000000))
    [ "$milliseconds" -lt 4000 ] || break
    # Launching takes half a second, so short runs say little: grow at most tenfold at a time.
    factor=$((6000 / milliseconds + 1))
    steps=$((steps * (factor < 10 ? factor : 10)))
done
expected=$(summary_value plain digest)
[[ $expected =~ ^[0-9a-f]{64}$ ]] || fail "no digest in plain/summary.json: '$expected'"
echo "uninterrupted run: $steps steps in $milliseconds ms"

# A port block that nobody listens on, outside the range of outgoing connections.
port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
port=$((17000 + RANDOM % 10000))
until port_is_free "$port" && port_is_free $((port + 1)) && port_is_free $((port + 2)); do
    port=$((17000 + RANDOM % 10000))
done
SLURM_LOCAL_PORT=$port bash "$slurm_local" start "$work/slurm"
export SLURM_CONF=$work/slurm/slurm.conf

job=$(sbatch --parsable --nodes=2 --ntasks=2 --time=5 --output=job.log "$root/jobs/pearlite.sbatch" "$root/jobs/ising.toml" \
    "${options[@]}" -o interrupted)
job_field() { scontrol show job "$job" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
has_checkpoint() { compgen -G "interrupted/checkpoint.*.h5" >/dev/null; }
requeued() { [ "$(job_field Restarts)" = 1 ]; }
completed() {
    case $(job_field JobState) in
    COMPLETED) ;;
    FAILED | CANCELLED | TIMEOUT | NODE_FAIL | OUT_OF_MEMORY) fail "the job is $(job_field JobState)" ;;
    *) return 1 ;;
    esac
}

within 60 has_checkpoint
scancel --signal=USR1 --batch "$job"
within 60 requeued
[ "$(summary_value interrupted status)" = stopped ] || fail "the first segment did not stop: it is $(summary_value interrupted status)"
stopped_at=$(cut -d ' ' -f 1 interrupted/segments.txt)
[ -e "interrupted/$stopped_at" ] || fail "no checkpoint $stopped_at"
echo "stopped and requeued at $stopped_at"

within 90 completed
[ "$(job_field Restarts)" = 1 ] || fail "restarted $(job_field Restarts) times"
[ "$(summary_value interrupted status)" = finished ] || fail "the job ended without a finished run"
grep -q "resuming interrupted from $stopped_at" job.log || fail "the second segment did not resume from $stopped_at"
digest=$(summary_value interrupted digest)
[ "$digest" = "$expected" ] || fail "digest $digest, uninterrupted $expected"
echo "resumed and finished with the same digest $digest"
