#!/usr/bin/env bash
# jobs/python.sbatch, with a script in place of scontrol: a signal before the end of the time limit stops the script
# with a checkpoint and requeues the job, which then ends with the digest of a run that was not disturbed.
#   job_test.sh PROJECT_ROOT PYTHON
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { cat job.log; echo "FAILED: $*"; exit 1; }

# The script of docs/python.md, with other settings: the whole run has no checkpoints.
python3 - "$1/docs/python.md" <<'END'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
script, = (block for block in re.findall("```python\n(.*?)```", page, re.DOTALL) if "resume=True" in block)
few = 'seed=1, schedule={"kind": "linear", "steps": STEPS}, kernel__moves=2, run={"checkpoint_every": 0.05}'
changed = re.sub(r"particles=\w+, seed=1", "particles=256, " + few, script).replace("runs/valley", '" + sys.argv[1] + "')
assert few in changed and "argv[1]" in changed, "the page's script has other settings"
open("script.py", "w", encoding="utf-8").write(changed.replace("STEPS", "int(sys.argv[2])"))
END
mkdir bin
printf '#!/bin/sh\necho "$@" >>%s/requeued\n' "$work" >bin/scontrol
chmod +x bin/scontrol
export PATH=$work/bin:$PATH PEARLITE_PYTHON=$2 PEARLITE_LAUNCHER="env --" SLURM_JOB_ID=7
steps=150
digest() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1] + "/summary.json"))["digest"])' "$1"; }
has_checkpoint() { compgen -G "$1/checkpoint.*.h5" >/dev/null; }

bash "$1/jobs/python.sbatch" script.py stopped "$steps" >job.log 2>&1 &
job=$!
until has_checkpoint stopped; do
    kill -0 "$job" || fail "the script has ended without a checkpoint"
    sleep 0.05
done
kill -USR1 "$job"
wait "$job" || fail "exit status $? instead of 0"
[ "$(cat requeued)" = "requeue 7" ] || fail "the job was not requeued"
SLURM_RESTART_COUNT=1 bash "$1/jobs/python.sbatch" script.py stopped "$steps" >job.log 2>&1 || fail "exit status $?"
grep -q "resum" job.log || fail "the second start did not resume"
PEARLITE_LAUNCHER="mpirun -n 2" bash "$1/jobs/python.sbatch" script.py whole "$steps" >whole.log 2>&1 || fail "exit status $?"
[ "$(digest stopped)" = "$(digest whole)" ] || fail "the digests differ"
[ "$(wc -l <requeued)" = 1 ] || fail "a finished job was requeued"

echo 'import sys; sys.exit(5)' >failing.py
status=0
bash "$1/jobs/python.sbatch" failing.py >job.log 2>&1 || status=$?
[ "$status" = 5 ] || fail "exit status $status instead of the script's, 5"
