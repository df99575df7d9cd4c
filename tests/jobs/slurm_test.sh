#!/usr/bin/env bash
# jobs/pearlite.sbatch under a private SLURM: a job gets a stop signal, writes a checkpoint, requeues itself, resumes
# and ends with the digest of an uninterrupted run. Exit status 77 (skipped) where SLURM is absent or this user may not
# start it.
#   slurm_test.sh PROJECT_ROOT PEARLITE
set -euo pipefail
. "$1/tests/jobs/private_slurm.sh"

# The job must outlive the signal.
run_plain 6
start_slurm 2
job=$(sbatch --parsable --nodes=2 --ntasks=2 --time=5 --output=job.log "$root/jobs/pearlite.sbatch" "$root/jobs/ising.toml" \
    "${options[@]}" -o interrupted)
has_checkpoint() { compgen -G "interrupted/checkpoint.*.h5" >/dev/null; }
requeued() { [ "$(job_field Restarts)" = 1 ]; }

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
