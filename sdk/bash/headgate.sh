# What a job's bash script can tell Headgate. Source it; one file, put beside your script or into your image.
#
#   . headgate.sh
#   headgate_on_preempt 'touch "$HEADGATE_CHECKPOINT_DIR/stop"; tail --pid="$HEADGATE_JOB_PID" -f /dev/null'
#
# HEADGATE_RESUME is 1 when an earlier attempt was stopped, so that there may be a checkpoint.

# headgate_on_preempt COMMANDS: bash runs them when this job must stop, before it gets SIGTERM: in the job's own
# surroundings, beside the job, which goes on meanwhile and is HEADGATE_JOB_PID. They may take as long as the job's abort
# timeout. A job that was submitted with --on-abort runs that instead. Outside a job it does nothing.
headgate_on_preempt() {
  if [[ $# -ne 1 ]]; then
    echo 'usage: headgate_on_preempt COMMANDS (one word; quote it)' >&2
    return 2
  fi
  [[ -n ${HEADGATE_ON_ABORT-} ]] || return 0
  printf '#!/usr/bin/env bash\n%s\n' "$1" > "$HEADGATE_ON_ABORT.new" &&
    chmod 700 "$HEADGATE_ON_ABORT.new" &&
    mv -f "$HEADGATE_ON_ABORT.new" "$HEADGATE_ON_ABORT"
}
