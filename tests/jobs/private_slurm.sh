# shellcheck shell=bash disable=SC2154
# Starts a private SLURM for a test with the arguments PROJECT_ROOT PEARLITE, which sources this file. Exit status 77
# (skipped) if SLURM is absent or this user may not start it. The test continues in a new directory; an exit trap stops
# SLURM and removes the directory.
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
        tail -n 40 "$work"/*.log "$work"/slurm/log/*.log 2>/dev/null || true
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

# A run that is not disturbed, of as many steps as take about so many seconds of processor time on one rank: `options`,
# and its digest in `expected`.
run_plain() {
    local aim=$(($1 * 1000)) TIMEFORMAT=%3U milliseconds factor steps=500
    while :; do
        options=(--set algorithm.trajectories=1024 --set run.block=128 --set run.checkpoint_every=0.5
            --set "schedule.steps=$steps")
        milliseconds=$({ time mpirun -n 1 "$PEARLITE" run "$root/jobs/ising.toml" "${options[@]}" -o plain --overwrite \
            >plain.log 2>&1; } 2>&1) || { cat plain.log && fail "the uninterrupted run"; }
        milliseconds=$((10#${milliseconds/./}))
        [ "$milliseconds" -lt $((aim * 2 / 3)) ] || break
        # Launching takes some time, so short runs say little: grow at most tenfold at a time.
        factor=$((aim / milliseconds + 1))
        steps=$((steps * (factor < 10 ? factor : 10)))
    done
    expected=$(summary_value plain digest)
    [[ $expected =~ ^[0-9a-f]{64}$ ]] || fail "no digest in plain/summary.json: '$expected'"
    echo "uninterrupted run: $steps steps in $milliseconds ms"
}

port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
ports_are_free() {
    local port
    for port in "$@"; do
        port_is_free "$port" || return 1
    done
}
# start_slurm NODES: starts SLURM on a block of free ports outside the range of outgoing connections.
start_slurm() {
    local port=$((17000 + RANDOM % 10000))
    # shellcheck disable=SC2046
    until ports_are_free $(seq "$port" $((port + $1))); do
        port=$((17000 + RANDOM % 10000))
    done
    SLURM_LOCAL_PORT=$port SLURM_LOCAL_NODES=$1 bash "$slurm_local" start "$work/slurm"
    export SLURM_CONF=$work/slurm/slurm.conf
}

# job_field NAME: prints a field of the job $job.
job_field() { scontrol show job "$job" | tr ' ' '\n' | sed -n "s/^$1=//p"; }
completed() {
    case $(job_field JobState) in
    COMPLETED) ;;
    FAILED | CANCELLED | TIMEOUT | NODE_FAIL | OUT_OF_MEMORY) fail "the job is $(job_field JobState)" ;;
    *) return 1 ;;
    esac
}

cd "$work" || exit 1
