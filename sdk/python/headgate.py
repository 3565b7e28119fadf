"""What a job can ask of Headgate and tell it, from inside; without it, HEADGATE_* variables say the same.

    import headgate

    if headgate.resuming():
        load(headgate.checkpoint_dir() / "model.pt")
    headgate.on_preempt(lambda: save(headgate.checkpoint_dir() / "model.pt"))
    for step in range(1000):
        train(step)
        headgate.progress(step + 1, 1000)
        if step % 100 == 99:
            save(headgate.checkpoint_dir() / "model.pt")
            headgate.checkpointed()

One file without dependencies, for Python 3.9 and later: put it beside your program or into your image.
"""

import os
import pathlib
import signal
import stat
import sys
import traceback

__all__ = ["attempt", "checkpoint_dir", "checkpointed", "in_job", "on_preempt", "progress", "resuming"]

# Runs beside the job, in its surroundings; what it returns is what the job's function came to.
_CALLBACK = """#!{python}
import os, sys, time
os.path.exists({answer!r}) and os.remove({answer!r})
try:
    os.kill({pid}, {number})
    while not os.path.exists({answer!r}):
        os.kill({pid}, 0)
        time.sleep(0.02)
except ProcessLookupError:
    sys.exit("the process that called on_preempt has ended")
with open({answer!r}, encoding="utf-8") as said:
    sys.exit(int(said.read()))
"""


def in_job():
    """Whether this process is part of a job of Headgate."""
    return "HEADGATE_JOB" in os.environ


def attempt():
    """Which attempt of the job this is, from 1; 0 outside a job."""
    return int(os.environ.get("HEADGATE_ATTEMPT", "0"))


def resuming():
    """Whether an earlier attempt of this job was stopped, so that there may be a checkpoint."""
    return os.environ.get("HEADGATE_RESUME") == "1"


def checkpoint_dir():
    """The job's directory for checkpoints, the same for each attempt; the working directory outside a job."""
    return pathlib.Path(os.environ.get("HEADGATE_CHECKPOINT_DIR", "."))


def progress(done, total=1, message=""):
    """Tells how far the job is: progress(0.4), or progress(400, 1000), with one line about it if there is more to say.

    `headgate jobs JOB` and `headgate explain JOB` show it, some seconds later; it decides nothing. Call it as often as
    you like: the last word counts. It never fails the job: what makes no sense, or cannot be written, is not shown.
    Of a gang, worker 0 speaks. Outside a job it does nothing.

    message: at most 100 characters.
    """
    _tell("HEADGATE_PROGRESS", lambda: f"{done:f}/{total:f} {message}\n")


def checkpointed():
    """Tells that the job has just saved its work, so that little is lost by stopping it now.

    Of the jobs that may have to go for others, those go first that lose the least since their last checkpoint; one that
    never tells of any loses all it has done. Call it when the checkpoint is complete. Of a gang, worker 0 speaks.
    Outside a job it does nothing.
    """
    _tell("HEADGATE_CHECKPOINTED", lambda: "")


def on_preempt(function, signum=signal.SIGUSR1):
    """Has function() called when this job must stop, before it gets SIGTERM.

    It is called in the main thread, between two steps of the interpreter: while it runs, nothing else does there. It
    may take as long as the job's abort timeout; what it raises is printed and makes the callback fail. A job that was
    submitted with --on-abort runs that instead. Call it from the main thread, once or again; the last function counts.
    Outside a job it does nothing.

    signum: a signal that the program does not use otherwise.
    """
    if "HEADGATE_ON_ABORT" not in os.environ:
        return
    program = os.environ["HEADGATE_ON_ABORT"]
    answer = program + ".answer"

    def called(_signum, _frame):
        try:
            function()
            status = 0
        except Exception:
            traceback.print_exc()
            status = 1
        _replace(answer, str(status), stat.S_IRUSR)

    signal.signal(signum, called)
    text = _CALLBACK.format(python=sys.executable, pid=os.getpid(), number=int(signum), answer=answer)
    _replace(program, text, stat.S_IRWXU)


def _tell(variable, text):
    if variable not in os.environ:
        return
    try:
        _replace(os.environ[variable], text(), stat.S_IRUSR | stat.S_IWUSR)
    except (OSError, TypeError, ValueError) as problem:
        print(f"headgate: not told: {problem}", file=sys.stderr)


def _replace(path, text, mode):
    """Writes beside the old file and renames, so that nobody sees half of one."""
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(path + ".new", mode)
    os.replace(path + ".new", path)
