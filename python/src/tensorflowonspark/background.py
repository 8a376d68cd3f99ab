"""A map_fun in a process of its own, next to the Python worker that started it."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from queue import Empty

from . import manager_feed

_LOOK_SECONDS = 0.2


def check():
    """Exception if a Python worker cannot leave a process behind."""
    if os.name == "nt":
        raise Exception("Background mode is not supported on Windows.")
    if not os.environ.get("SPARK_REUSE_WORKER"):
        raise Exception(
            "Background mode relies on Spark's Python workers being reused: set "
            "spark.python.worker.reuse to true"
        )


def start(function, arguments, context, name, daemon):
    """Starts `function(arguments, context)`. If it fails, the exception, exit code or signal goes
    to the manager's queue `error`.
    """
    process = multiprocessing.get_context("fork").Process(
        target=_run, args=(function, arguments, context), daemon=daemon
    )
    process.start()
    threading.Thread(target=_watch, args=(process, context.mgr, name), daemon=True).start()
    return process


def _run(function, arguments, context):
    try:
        function(arguments, context)
    except Exception:
        words = traceback.format_exc()
        sys.stderr.write(words)
        context.mgr.get_queue("error").put(words)


def _watch(process, manager, name):
    process.join()
    if process.exitcode == 0:
        return
    how = f"ended with exit code {process.exitcode}"
    if process.exitcode < 0:
        how = f"was killed by {signal.Signals(-process.exitcode).name} ({-process.exitcode})"
    with contextlib.suppress(OSError, EOFError):  # The manager has ended: nobody is left to ask.
        if str(manager.get("state")) != "'stopped'":
            manager.get_queue("error").put(f"{name} {how}")


def serve(process, manager, job_name):
    """Holds the Spark task of a node that serves the others, until its queue `control` says None.
    Exception with the words of its map_fun if that fails.
    """
    control = manager.get_queue("control")
    while True:
        try:
            message = control.get(block=True, timeout=_LOOK_SECONDS)
        except Empty:
            words = manager_feed.peek_error(manager)
            if words is not None:
                raise Exception(f"Exception in {job_name}:\n{words}") from None
            continue
        control.task_done()
        if message is None:
            manager.set("state", "stopped")
            process.terminate()
            return


def end(process_id):
    """Asks a process of this node to end, if it is still there."""
    try:
        os.kill(process_id, signal.SIGTERM)
    except ProcessLookupError:
        return


def grace(seconds):
    """Leaves programs that much time for what they do after the feed."""
    if seconds > 0:
        time.sleep(seconds)  # lint: allow(sleep) the caller asked for it
