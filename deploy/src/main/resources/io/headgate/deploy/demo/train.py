#!/usr/bin/env python3
"""A small training program: fits y = a*x + b to a data set by gradient descent.

It saves its progress when asked to, and goes on from there when it is started again:

  train.py run --data FILE --epochs N --epoch-seconds S   trains
  train.py checkpoint                                     asks the training of this job to save, and waits until it has

Headgate runs the second form as the abort callback: in the job's own environment, while the job still runs.
"""

import argparse
import csv
import json
import os
import signal
import sys
import time


def paths():
    checkpoints = os.environ["HEADGATE_CHECKPOINT_DIR"]
    scratch = os.environ.get("TMPDIR", checkpoints)
    return os.path.join(checkpoints, "model.json"), os.path.join(scratch, "train.pid")


def save(path, value):
    """Writes beside the old file and renames, so that a reader never sees half of one."""
    fresh = path + ".new"
    with open(fresh, "w", encoding="utf-8") as out:
        json.dump(value, out)
        out.flush()
        os.fsync(out.fileno())
    os.replace(fresh, path)


def tell(variable, text=""):
    """Tells Headgate, if it wants to know; sdk/python/headgate.py does that for programs that can import it."""
    if variable in os.environ:
        with open(os.environ[variable], "w", encoding="utf-8") as out:
            out.write(text)


def run(options):
    checkpoint, pid_file = paths()
    with open(options.data, encoding="utf-8", newline="") as source:
        rows = [(float(x), float(y)) for x, y in csv.reader(source)]
    model = {"epoch": 0, "a": 0.0, "b": 0.0}
    if os.environ.get("HEADGATE_RESUME") == "1" and os.path.exists(checkpoint):
        with open(checkpoint, encoding="utf-8") as saved:
            model = json.load(saved)
        print(f"resumed from epoch {model['epoch']}", flush=True)
    else:
        print(f"training on {len(rows)} rows", flush=True)

    asked = []
    signal.signal(signal.SIGUSR1, lambda *_: asked.append(True))
    save(pid_file, os.getpid())

    while model["epoch"] < options.epochs:
        began = time.monotonic()
        error = train_epoch(model, rows)
        model["epoch"] += 1
        print(f"epoch {model['epoch']}/{options.epochs} error {error:.6f}", flush=True)
        tell("HEADGATE_PROGRESS", f"{model['epoch']}/{options.epochs} error {error:.6f}")
        # The rest of the epoch, during which a request to save is answered at once.
        while (left := began + options.epoch_seconds - time.monotonic()) > 0 and not asked:
            time.sleep(min(left, 0.02))
        if asked:
            asked.clear()
            save(checkpoint, model)
            tell("HEADGATE_CHECKPOINTED")
            print(f"saved at epoch {model['epoch']}", flush=True)
    save(checkpoint, model)
    print(f"done: y = {model['a']:.3f} x + {model['b']:.3f}", flush=True)


def train_epoch(model, rows, rate=0.2):
    slope = offset = error = 0.0
    for x, y in rows:
        miss = model["a"] * x + model["b"] - y
        slope += miss * x
        offset += miss
        error += miss * miss
    model["a"] -= rate * 2 * slope / len(rows)
    model["b"] -= rate * 2 * offset / len(rows)
    return error / len(rows)


def request_checkpoint(options):
    checkpoint, pid_file = paths()
    before = os.stat(checkpoint).st_mtime_ns if os.path.exists(checkpoint) else None
    deadline = time.monotonic() + options.timeout
    # A training that has just been started may not listen yet.
    while not os.path.exists(pid_file) and time.monotonic() < deadline:
        time.sleep(0.02)
    with open(pid_file, encoding="utf-8") as source:
        os.kill(json.load(source), signal.SIGUSR1)
    while time.monotonic() < deadline:
        if os.path.exists(checkpoint) and os.stat(checkpoint).st_mtime_ns != before:
            return
        time.sleep(0.02)
    sys.exit("the training did not save in time")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("run")
    training.add_argument("--data", required=True)
    training.add_argument("--epochs", type=int, default=20)
    training.add_argument("--epoch-seconds", type=float, default=0.3)
    training.set_defaults(action=run)
    saving = commands.add_parser("checkpoint")
    saving.add_argument("--timeout", type=float, default=30)
    saving.set_defaults(action=request_checkpoint)
    options = parser.parse_args()
    options.action(options)


if __name__ == "__main__":
    main()
