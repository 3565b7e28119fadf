# What a job's bash script can tell Headgate. Source it; one file, put beside your script or into your image.
#
#   . headgate.sh
#   headgate_on_preempt 'touch "$HEADGATE_CHECKPOINT_DIR/stop"; tail --pid="$HEADGATE_JOB_PID" -f /dev/null'
#   headgate_progress 400/1000 'epoch 3'
#   cp model.pt "$HEADGATE_CHECKPOINT_DIR" && headgate_checkpointed
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

# headgate_progress DONE[/TOTAL] [MESSAGE]: tells how far the job is, as 0.4 or as 400/1000, with one line of at most 100
# characters. `headgate jobs JOB` shows it, some seconds later; it decides nothing. The last word counts. Of a gang, worker
# 0 speaks. Outside a job it does nothing.
headgate_progress() {
  if [[ $# -lt 1 || $# -gt 2 ]]; then
    echo 'usage: headgate_progress DONE[/TOTAL] [MESSAGE]' >&2
    return 2
  fi
  [[ -n ${HEADGATE_PROGRESS-} ]] || return 0
  printf '%s %s\n' "$1" "${2-}" > "$HEADGATE_PROGRESS.new" && mv -f "$HEADGATE_PROGRESS.new" "$HEADGATE_PROGRESS"
}

# headgate_checkpointed: tells that the job has just saved its work, so that little is lost by stopping it now. Of the jobs
# that may have to go for others, those go first that lose the least since then. Of a gang, worker 0 speaks. Outside a job
# it does nothing.
headgate_checkpointed() {
  [[ -n ${HEADGATE_CHECKPOINTED-} ]] || return 0
  : > "$HEADGATE_CHECKPOINTED"
}
