#!/usr/bin/env bash
# Decisions of jobs/pearlite.sbatch, with scripts in place of SLURM's commands and of pearlite.
#   sbatch_decisions_test.sh PROJECT_ROOT
set -euo pipefail
root=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

mkdir "$work/bin"
cat >"$work/bin/scontrol" <<STAND_IN
#!/bin/bash
[ "\$1 \$2" != "show job" ] || echo "   Command=$root/jobs/pearlite.sbatch a.toml"
[ "\$1 \$2" != "show hostnames" ] || echo "\${3//,/\$'\n'}"
[ "\$1" != requeue ] || echo "\$2" >>"$work/requeued"
STAND_IN
cat >"$work/bin/squeue" <<'STAND_IN'
#!/bin/bash
[[ " $* " != *" %N "* ]] || { echo "${SLURM_JOB_NODELIST:-here}" && exit; }
echo "${TIME_LEFT:-1-00:10:00}"
STAND_IN
# Asked whether a node answers, or to start the ranks.
cat >"$work/bin/srun" <<STAND_IN
#!/bin/bash
for argument in "\$@"; do
    case \$argument in --nodelist=*) node=\${argument#*=} ;; esac
done
if [ "\${*: -1}" = true ]; then
    ! grep -qx "\$node" "$work/dead" 2>/dev/null
    exit
fi
while [[ \$1 = -* ]]; do
    [[ \$1 = --mpi=* ]] || echo -n "\$1 " >>calls
    shift
done
exec "\$@"
STAND_IN
# Acts as the environment says: OUTCOME is the status written to summary.json in DIRECTORY, CHECKPOINT the step reached,
# EXIT the exit status, AWAIT a signal to wait for first, ROWS how many runs of a sweep have ended, KILL nodes that die
# before it ends. EXIT, CHECKPOINT and KILL may have several values, one for each start.
cat >"$work/bin/pearlite" <<'STAND_IN'
#!/bin/bash
received=
[ -z "${AWAIT:-}" ] || trap 'received=yes' "$AWAIT"
echo "$*" >>calls
for ((i = 0; i < 100; ++i)); do
    [ -n "${AWAIT:-}" ] && [ -z "$received" ] || break
    sleep 0.1
done
[ $i -lt 100 ] || exit 9
mapfile -t starts <calls
of_this_start() { [ $# -eq 0 ] || echo "${@:${#starts[@]} < $# ? ${#starts[@]} : $#:1}"; }
# shellcheck disable=SC2086
CHECKPOINT=$(of_this_start ${CHECKPOINT:-}) EXIT=$(of_this_start ${EXIT:-}) KILL=$(of_this_start ${KILL:-})
directory=${DIRECTORY:-runs/a}
[ -d "$directory" ] || mkdir -p "$directory"
[ -z "${KILL:-}" ] || [ "$KILL" = none ] || echo "${KILL//,/$'\n'}" >>dead
[ -z "${CHECKPOINT:-}" ] || : >"$directory/checkpoint.$(printf %012d "$CHECKPOINT").h5"
[ -z "${ROWS:-}" ] || { echo "{}" >"$directory/configuration.json" && seq "$ROWS" >"$directory/rows.0.jsonl"; }
[ -z "${OUTCOME:-}" ] || echo "{\"schema\": 1, \"status\": \"$OUTCOME\"}" >"$directory/summary.json"
exit "${EXIT:-0}"
STAND_IN
chmod +x "$work"/bin/*
touch "$work/a.toml"

# submit RESTARTS ARGUMENTS...: one segment of the job, sent the signal AWAIT if that is set; leaves its exit status in
# `status`.
submit() {
    local restarts=$1 job
    shift
    rm -f "$work/requeued" "$work/calls" "$work/dead"
    (cd / && PATH=$work/bin:$PATH PEARLITE=$work/bin/pearlite PEARLITE_LAUNCHER=${LAUNCHER:-env} SLURM_JOB_ID=7 \
        SLURM_RESTART_COUNT=$restarts SLURM_SUBMIT_DIR=$work exec bash "$root/jobs/pearlite.sbatch" "$@") \
        >"$work/log" 2>&1 &
    job=$!
    if [ -n "${AWAIT:-}" ]; then
        until [ -s "$work/calls" ]; do sleep 0.1; done
        kill "-$AWAIT" "$job"
    fi
    status=0
    wait "$job" || status=$?
}

# expect NAME STATUS CALL REQUEUES: compares with the last segment.
expect() {
    local call="" requeued=()
    [ ! -e "$work/calls" ] || call=$(<"$work/calls")
    [ ! -e "$work/requeued" ] || mapfile -t requeued <"$work/requeued"
    if [ "$status|$call|${#requeued[@]}" != "$2|$3|$4" ]; then
        echo "$1: got '$status|$call|${#requeued[@]}', expected '$2|$3|$4'"
        sed 's/^/    /' "$work/log"
        failures=$((failures + 1))
    fi
}

clear_run() { rm -rf "$work/runs" "$work/d"; }

OUTCOME=finished submit 0 a.toml --seed 7
expect "a first run that finishes" 0 "run a.toml --seed 7 --time-limit 86880" 0

clear_run
OUTCOME=stopped CHECKPOINT=10 EXIT=3 TIME_LEFT=09:58 submit 0 a.toml --data-dir data
expect "a first run that stops" 0 "run a.toml --data-dir data --time-limit 478" 1
OUTCOME=stopped CHECKPOINT=20 EXIT=1 TIME_LEFT=1:40 submit 1 a.toml --data-dir data
expect "resuming; mpirun turned 3 into 1" 0 "resume runs/a --data-dir data --time-limit 50" 1
OUTCOME=finished TIME_LEFT=UNLIMITED submit 2 a.toml
expect "resuming to the end" 0 "resume runs/a" 0

clear_run
for restart in 0 1; do
    OUTCOME=stopped CHECKPOINT=10 EXIT=3 submit $restart a.toml --time-limit 60
    expect "segment $restart without progress" 0 \
        "$([ $restart = 0 ] && echo run a.toml || echo resume runs/a) --time-limit 60" 1
done
OUTCOME=stopped CHECKPOINT=10 EXIT=3 submit 2 a.toml --time-limit 60
expect "the third segment without progress fails" 4 "resume runs/a --time-limit 60" 0
OUTCOME=stopped CHECKPOINT=10 EXIT=3 submit 0 a.toml --time-limit 60
expect "submitted again it gets three more" 0 "resume runs/a --time-limit 60" 1
OUTCOME=stopped CHECKPOINT=12 EXIT=3 submit 0 a.toml --overwrite --time-limit 60
expect "--overwrite starts afresh" 0 "run a.toml --overwrite --time-limit 60" 1
OUTCOME=stopped CHECKPOINT=14 EXIT=3 submit 1 a.toml --overwrite --time-limit 60
expect "but only once" 0 "resume runs/a --time-limit 60" 1

clear_run
OUTCOME=stopped ROWS=3 EXIT=3 submit 0 a.toml --time-limit 60
expect "a sweep that stops" 0 "run a.toml --time-limit 60" 1
for rows in 4 5 6; do
    OUTCOME=stopped ROWS=$rows EXIT=3 submit 1 a.toml --time-limit 60
    expect "a sweep with $rows runs" 0 "resume runs/a --time-limit 60" 1
done
mkdir -p "$work/runs/a/runs/000007" && touch "$work/runs/a/runs/000007/checkpoint.000000000002.h5"
OUTCOME=stopped ROWS=6 EXIT=3 submit 1 a.toml --time-limit 60
expect "a sweep whose next run has got on" 0 "resume runs/a --time-limit 60" 1
OUTCOME=stopped ROWS=6 EXIT=3 submit 1 a.toml --time-limit 60
OUTCOME=stopped ROWS=6 EXIT=3 submit 1 a.toml --time-limit 60
expect "a sweep without progress" 4 "resume runs/a --time-limit 60" 0
rm "$work/runs/a/summary.json"
EXIT=139 submit 0 a.toml --time-limit 60
expect "a sweep that was killed is resumed, not begun again" 139 "resume runs/a --time-limit 60" 0

clear_run
mkdir -p "$work/runs/a" && touch "$work/runs/a/checkpoint.000000000000.h5"
CHECKPOINT=10 EXIT=3 submit 1 a.toml --time-limit 60 --patience 20
expect "a step that did not end" 0 "resume runs/a --patience 20 --time-limit 60" 1
clear_run
EXIT=3 submit 0 a.toml --time-limit 60
expect "a start that did not end" 3 "run a.toml --time-limit 60" 0

clear_run
AWAIT=USR1 OUTCOME=stopped CHECKPOINT=10 EXIT=3 submit 0 a.toml --time-limit 60
expect "after a stop signal, it requeues" 0 "run a.toml --time-limit 60" 1
AWAIT=TERM OUTCOME=stopped CHECKPOINT=20 EXIT=3 submit 1 a.toml --time-limit 60
expect "cancelled, it does not" 3 "resume runs/a --time-limit 60" 0

clear_run
EXIT=2 submit 0 a.toml --time-limit 60
expect "bad input" 2 "run a.toml --time-limit 60" 0
EXIT=139 submit 0 a.toml --time-limit 60
expect "a crash without a checkpoint" 139 "run a.toml --time-limit 60" 0
OUTCOME=finished submit 1 a.toml --time-limit 60
expect "a restart after dying before the first checkpoint" 0 "run a.toml --time-limit 60 --overwrite" 0
clear_run

for given in "-o d" -od "-o c -od"; do
    clear_run
    read -r -a options <<<"$given"
    DIRECTORY=d OUTCOME=stopped CHECKPOINT=10 EXIT=3 submit 0 a.toml "${options[@]}" --time-limit 60
    expect "a first run into $given" 0 "run a.toml $given --time-limit 60" 1
    DIRECTORY=d OUTCOME=finished submit 1 a.toml "${options[@]}" --time-limit 60
    expect "resuming $given" 0 "resume d --time-limit 60" 0
done

# Starts after failures within one segment.
clear_run
OUTCOME="" CHECKPOINT="10 20 20" EXIT=139 submit 0 a.toml --time-limit 60
expect "a run that fails again and again, with and without a new checkpoint" 139 "run a.toml --time-limit 60
resume runs/a --time-limit 60
resume runs/a --time-limit 60" 0
clear_run
EXIT=2 CHECKPOINT=10 submit 0 a.toml --time-limit 60
expect "bad input is not tried again, whatever it has written" 2 "run a.toml --time-limit 60" 0
clear_run
AWAIT=TERM EXIT=143 CHECKPOINT=10 submit 0 a.toml --time-limit 60
expect "nor is a run that was cancelled" 143 "run a.toml --time-limit 60" 0
clear_run
OUTCOME=stopped CHECKPOINT=10 EXIT=3 submit 0 a.toml --time-limit 60
CHECKPOINT=10 EXIT=1 submit 1 a.toml --time-limit 60
expect "a failure is not taken for the stop before it" 1 "resume runs/a --time-limit 60" 0

export SLURM_JOB_NODELIST=n1,n2,n3 SLURM_TASKS_PER_NODE="2(x2),4" LAUNCHER="srun --mpi=pmix"
clear_run
OUTCOME=finished EXIT=0 submit 0 a.toml --time-limit 60
expect "on three nodes" 0 "run a.toml --time-limit 60" 0
clear_run
KILL="n2 none" CHECKPOINT="10 20" EXIT="137 3" submit 0 a.toml --time-limit 60
expect "a node is lost" 0 "run a.toml --time-limit 60
--nodes=2 --ntasks=6 --nodelist=n1,n3 resume runs/a --time-limit 60" 1
clear_run
KILL="n2 none" EXIT="137 3" submit 0 a.toml --time-limit 60
expect "a node is lost before the first checkpoint" 3 "run a.toml --time-limit 60
--nodes=2 --ntasks=6 --nodelist=n1,n3 run a.toml --time-limit 60 --overwrite" 0
clear_run
KILL="n3 none" CHECKPOINT=10 EXIT=137 submit 0 a.toml --time-limit 60
expect "the nodes left do not suffice" 0 "run a.toml --time-limit 60
--nodes=2 --ntasks=4 --nodelist=n1,n2 resume runs/a --time-limit 60" 1
clear_run
KILL="n3 n2 n1" CHECKPOINT=10 EXIT=137 submit 0 a.toml --time-limit 60
expect "three nodes lost at the same checkpoint" 4 "run a.toml --time-limit 60
--nodes=2 --ntasks=4 --nodelist=n1,n2 resume runs/a --time-limit 60
--nodes=1 --ntasks=2 --nodelist=n1 resume runs/a --time-limit 60" 0
clear_run
LAUNCHER="env" KILL="n1,n2,n3" CHECKPOINT=10 EXIT=137 submit 0 a.toml --time-limit 60
expect "no node answers" 0 "run a.toml --time-limit 60" 1

export PEARLITE_RANKS_PER_NODE=5
clear_run
KILL="n1 none" CHECKPOINT="10 20" EXIT="137 3" submit 0 a.toml --time-limit 60
expect "ranks per node" 0 "--nodes=3 --ntasks=15 --nodelist=n1,n2,n3 run a.toml --time-limit 60
--nodes=2 --ntasks=10 --nodelist=n2,n3 resume runs/a --time-limit 60" 1
unset PEARLITE_RANKS_PER_NODE

# Segments whose node died together with the script: no message names them.
clear_run
mkdir -p "$work/runs/a" && touch "$work/runs/a/checkpoint.000000000010.h5"
OUTCOME=finished submit 1 a.toml --time-limit 60
expect "the node of the script was lost" 0 "resume runs/a --time-limit 60" 0
clear_run
mkdir -p "$work/runs/a" && touch "$work/runs/a/checkpoint.000000000010.h5"
for restart in 0 1; do
    echo "checkpoint.000000000010.h5 restart=$restart exit=lost nodes=3" >>"$work/runs/a/segments.txt"
done
submit 3 a.toml --time-limit 60
expect "three times at the same checkpoint" 4 "" 0
unset SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE LAUNCHER

# Tasks of arrays.
export SLURM_ARRAY_TASK_ID=2
clear_run
printf '%s\n' "a.toml --seed 1" "a.toml --set 'x=[1, %a]' -o 'd e' # the second" >"$work/list.txt"
OUTCOME=finished DIRECTORY="d e" submit 0 list.txt --time-limit 60
expect "the second line of a list" 0 "run a.toml --set x=[1, 2] -o d e --time-limit 60" 0
OUTCOME=finished DIRECTORY="runs/a-2" submit 0 a.toml --set run.seed=%a --time-limit 60
expect "a task of one configuration" 0 "run a.toml --set run.seed=2 --time-limit 60 -o runs/a-2" 0
SLURM_ARRAY_TASK_ID=3 submit 0 list.txt --time-limit 60
expect "a list without that line" 2 "" 0
unset SLURM_ARRAY_TASK_ID
rm -rf "$work/d e"

clear_run
EXIT=0 submit 0 a.toml --time-limit 60
expect "success without a summary is no success" 1 "run a.toml --time-limit 60" 0
submit 0
expect "no arguments" 2 "" 0

# submit.sh asks for the memory of each of four ranks: 1.25 (23 + 100 / 4) + 100 MiB.
cat >"$work/bin/checked" <<'STAND_IN'
#!/bin/bash
[ "$*" = "check a.toml --set x=1" ] || exit 9
echo "# memory: about 123 MiB a rank: 23 MiB of program and data, which every rank holds, and 100 MiB that ranks share out"
STAND_IN
chmod +x "$work/bin/checked"
call=$(cd "$work" && PEARLITE=$work/bin/checked PEARLITE_DRY_RUN=yes bash "$root/jobs/submit.sh" -n 4 a.toml --set x=1 \
    --time-limit 60)
if [[ $call != "sbatch -n 4 --mem-per-cpu=160M "*"/jobs/pearlite.sbatch a.toml --set x=1 --time-limit 60 " ]]; then
    echo "submit.sh: got '$call'"
    failures=$((failures + 1))
fi

echo "$failures failures"
[ "$failures" -eq 0 ]
