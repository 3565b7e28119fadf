"""What a job can ask of Headgate and tell it, from inside; without it, HEADGATE_* variables say the same.

    import headgate

    if headgate.resuming():
        load(headgate.checkpoint_dir() / "model.pt")
    headgate.on_preempt(lambda: save(headgate.checkpoint_dir() / "model.pt"))

One file without dependencies, for Python 3.9 and later: put it beside your program or into your image.
"""

import os
import pathlib
import signal
import stat
import sys
import traceback

__all__ = ["attempt", "checkpoint_dir", "in_job", "on_preempt", "resuming"]

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


def _replace(path, text, mode):
    """Writes beside the old file and renames, so that nobody sees half of one."""
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(path + ".new", mode)
    os.replace(path + ".new", path)
