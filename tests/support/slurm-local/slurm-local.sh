#!/usr/bin/env bash
# A private one-host SLURM for tests: own munge, own ports, own directory, no systemd, no cgroups. Run as root.
#   slurm-local.sh start DIR | stop DIR | kill-node DIR NODE
# Callers then use `export SLURM_CONF=DIR/slurm.conf`.
# Settings: SLURM_LOCAL_NODES (2), SLURM_LOCAL_CPUS (4 per node), SLURM_LOCAL_PORT (17817; one more per node),
# SLURM_LOCAL_NODE_TIMEOUT (60 s until a node that does not answer is down).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command=${1:?start, stop or kill-node}
dir=${2:?directory}
nodes=${SLURM_LOCAL_NODES:-2}
cpus=${SLURM_LOCAL_CPUS:-4}
port=${SLURM_LOCAL_PORT:-17817}
export SLURM_CONF=$dir/slurm.conf

# stop_daemon PIDFILE NAME: ends the daemon of that pid, if it still is one of that name.
stop_daemon() {
    [ -s "$1" ] || return 0
    local pid
    pid=$(cat "$1")
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ]; then
        kill "$pid" 2>/dev/null || true
        for _ in $(seq 50); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null || true
    fi
    rm -f "$1"
}

write_configuration() {
    local host i lines="" template
    host=$(hostname -s)
    for i in $(seq "$nodes"); do
        lines+="NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=$cpus Boards=1 SocketsPerBoard=1"
        lines+=" CoresPerSocket=$cpus ThreadsPerCore=1 RealMemory=4000 State=UNKNOWN"$'\n'
    done
    lines+="PartitionName=main Nodes=n[1-$nodes] Default=YES MaxTime=60 DefaultTime=5 State=UP OverSubscribe=NO"
    template=$(cat "$here/slurm.conf.in")
    template=${template//@DIR@/$dir}
    template=${template//@HOST@/$host}
    template=${template//@CTLPORT@/$port}
    template=${template//@NODE_TIMEOUT@/${SLURM_LOCAL_NODE_TIMEOUT:-60}}
    printf '%s\n' "${template//@NODES@/$lines}" >"$SLURM_CONF"
    install -m 755 "$here/task-prolog.sh" "$dir/task-prolog.sh"
}

start() {
    local i up
    mkdir -p "$dir"/{munge,state,log}
    chmod 755 "$dir" "$dir"/{state,log}
    chmod 711 "$dir/munge"
    for i in $(seq "$nodes"); do
        mkdir -p "$dir"/{spool,tmp}.n"$i"
        chmod 1777 "$dir/tmp.n$i"
    done
    write_configuration
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/munge.key")
    # --force: the parent directory may be a sticky world-writable one.
    munged --force --num-threads=2 --key-file="$dir/munge/munge.key" --socket="$dir/munge/munged.sock" \
        --pid-file="$dir/munge/munged.pid" --log-file="$dir/munge/munged.log" --seed-file="$dir/munge/seed" \
        2>>"$dir/log/start.log"
    slurmctld -c -f "$SLURM_CONF"
    for i in $(seq "$nodes"); do
        slurmd -c -N "n$i" -f "$SLURM_CONF"
    done
    for _ in $(seq 100); do
        up=$(sinfo -h -N -o '%N %T' 2>/dev/null | awk '$2 == "idle"' | wc -l)
        [ "$up" != "$nodes" ] || return 0
        sleep 0.2
    done
    echo "slurm-local: the nodes did not come up; see $dir/log" >&2
    return 1
}

stop() {
    if [ -s "$dir/slurmctld.pid" ]; then
        timeout 10 scancel -u root 2>/dev/null || true
        sleep 1
    fi
    local file
    for file in "$dir"/slurmd.*.pid; do
        stop_daemon "$file" slurmd
    done
    stop_daemon "$dir/slurmctld.pid" slurmctld
    stop_daemon "$dir/munge/munged.pid" munged
}

# Kills all processes of a node without warning, as a loss of power would: its daemon and those of its job steps, then
# their descendants, children before parents, so that none has time to report to SLURM.
kill_node() {
    local node=$1 pid parent daemons others=()
    daemons=("$(cat "$dir/slurmd.$node.pid")")
    for pid in $(pgrep . | sort -rn); do
        grep -qzx "SLURMD_NODENAME=$node" "/proc/$pid/environ" || continue
        grep -qzx "SLURM_CONF=$SLURM_CONF" "/proc/$pid/environ" || continue
        others+=("$pid")
        parent=$(ps -o ppid= -p "$pid" | tr -d ' ')
        [ "$(cat "/proc/$parent/comm" 2>/dev/null)" != slurmstepd ] || daemons+=("$parent")
    done 2>/dev/null
    kill -KILL "${daemons[@]}" "${others[@]}" 2>/dev/null || true
    rm -f "$dir/slurmd.$node.pid"
}

case $command in
start) start ;;
stop) stop ;;
kill-node) kill_node "${3:?node}" ;;
*)
    echo "usage: slurm-local.sh start|stop DIR, slurm-local.sh kill-node DIR NODE" >&2
    exit 2
    ;;
esac
