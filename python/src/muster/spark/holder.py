"""The process that holds one container on an executor: `python -m muster.spark.holder`.

A Spark task starts it, detached, with its order on stdin. It reports to the driver, starts `muster
keeper` when the driver says so, and ends it when the driver, the executor's JVM or, in the
foreground, the Spark task is gone. It reports to its task on stdout, one word per line: `go` (the
job's gang is complete), then `ended`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from muster.spark import folders
from muster.spark.channel import Channel, connect, mask

# The agent ends its tasks by itself after losing the driver for this long (liveness.orphan).
_ORPHAN_SECONDS = 10.0
_TERM_SECONDS = 2.0
_LAST_WORDS = 2048
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _close_to_others() -> None:
    """Memory, environment and descriptors of this process are its own: the program of its
    container belongs to the same user, and the agent's key passes through here.
    """
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0)


def _adopt_orphans() -> None:
    """What a killed stub leaves behind becomes children of this process, not of init."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _children() -> list[int]:
    """The processes whose parent is this one, including adopted ones."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # A thread that has ended; a kernel without this file.
            found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


def end_descendants() -> None:
    """Kills what is left of the container, and returns when it is gone. Stopped ones (SIGSTOP) go
    as well; those of another user stay.
    """
    while True:
        killable = False
        for pid in _children():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                killable = True
        try:
            # Their children come to us one generation after another.
            pid, _ = os.waitpid(-1, 0 if killable else os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return


def task_port() -> int:
    """The port of this executor's node, from $TENSORFLOW_PORT; 0: any free one."""
    text = os.environ.get("TENSORFLOW_PORT", "0")
    if not text.isdecimal() or int(text) > 65535:
        raise ValueError(f"TENSORFLOW_PORT must be a port from 1 to 65535, not {text!r}")
    return int(text)


class Holder:
    """One container, from its slot to its end."""

    def __init__(self, order: dict[str, Any]):
        """`order`: what slot.py wrote."""
        self._order = order
        self._folder = Path(order["folder"])
        self._stub: subprocess.Popen | None = None
        self._changed = threading.Condition()
        self._release_by: float | None = None
        self._killed = False
        self._loss = ""  # How the container was lost.
        self._over = threading.Event()

    def run(self) -> int:
        """Returns the exit status."""
        key = bytes.fromhex(self._order["key"])
        channel = connect(tuple(self._order["driver"]), self._order["container"], key)
        channel.send(
            {
                "is": "slot",
                "host": self._order["host"],
                "listen": channel.local_host,
                "folder": str(self._folder / "job"),
                "executor": self._order["executor"],
                "pid": os.getpid(),
            }
        )
        for target in (self._watch_executor, self._watch_task):
            threading.Thread(target=target, daemon=True).start()
        threading.Thread(target=self._listen, args=(channel,), daemon=True).start()
        code = self._keep()
        # A stub that was killed may have left a keeper, which gives its agent time, or is stopped.
        end_descendants()
        folders.write(self._folder / "gone", b"")
        channel.send(
            {
                "is": "ended",
                "exit_code": None if self._loss else code,
                "words": self._loss or self._last_words(),
            }
        )
        self._say("ended")
        # What became of the job is left next to the container for tasks that still want to feed it.
        self._over.wait()
        channel.close()
        return 0

    def _keep(self) -> int:
        """Waits for the stub's end, or for a release before there is one."""
        while True:
            with self._changed:
                stub = self._stub
                left = self._seconds_left()
                if stub is None:
                    if left is not None:
                        return 0
                    self._changed.wait()
                    continue
            try:
                return stub.wait(left)
            except subprocess.TimeoutExpired:
                with self._changed:
                    if (left := self._seconds_left()) is not None and left <= 0:
                        stub.kill()
                        self._release_by = None

    def _seconds_left(self) -> float | None:
        if self._release_by is None:
            # Bounded: a release may come during the wait for the stub.
            return 0.2 if self._stub is not None else None
        return max(0.0, self._release_by - time.monotonic())

    def _release(self, seconds: float = _TERM_SECONDS, loss: str = "") -> None:
        with self._changed:
            if self._killed:
                return
            self._killed = True
            self._loss = loss
            self._release_by = time.monotonic() + seconds
            if self._stub is not None:
                self._stub.terminate()
            self._changed.notify_all()

    def _listen(self, channel: Channel) -> None:
        while (message := channel.receive()) is not None:
            what = message.get("do")
            if what == "launch":
                self._launch(message, channel)
            elif what == "release":
                self._release()
            elif what == "go":
                self._say("go")
            elif what == "over":
                folders.write_json(self._folder / "over.json", message)
                self._over.set()
        self._over.set()
        # A driver that is gone never comes back; agents give their tasks a little time.
        time.sleep(0 if self._stub is None else _ORPHAN_SECONDS)  # lint: allow(sleep) a grace time
        self._release()

    def _launch(self, message: dict[str, Any], channel: Channel) -> None:
        pad = bytes.fromhex(self._order["pad"])
        key = mask(bytes.fromhex(message["masked"]), pad).hex()
        text = message["order"].replace("\nkey=\n", f"\nkey={key}\n", 1)
        job = self._folder / "job"
        job.mkdir(mode=0o700, exist_ok=True)
        try:
            text = text.replace("\ntask-port=0\n", f"\ntask-port={task_port()}\n", 1)
            self._start_stub(text.encode(), job)
        except (OSError, ValueError) as failure:
            channel.send({"is": "launch-failed", "reason": f"muster did not start: {failure}"})

    def _start_stub(self, text: bytes, job: Path) -> None:
        read_end, write_end = os.pipe()
        with open(self._folder / "container.log", "ab") as log:
            environment = dict(os.environ, **self._order["environment"])
            environment["SPARK_NODE_FOLDER"] = str(self._folder)
            with self._changed:
                if self._killed:
                    os.close(read_end)
                    os.close(write_end)
                    return
                self._stub = subprocess.Popen(
                    [self._order["program"], "keeper", "--order-fd", str(read_end)],
                    cwd=job,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=[read_end],
                    start_new_session=True,
                    preexec_fn=_die_with_parent,
                )
                pid = self._stub.pid
                stub = {"pid": pid, "ticks": folders.start_ticks(pid)}
                folders.write_json(self._folder / "stub.json", stub)
                self._changed.notify_all()
        os.close(read_end)
        os.write(write_end, text)
        os.close(write_end)

    def _watch_executor(self) -> None:
        """The executor's JVM has ended, and so has its container."""
        process, ticks = self._order["process"], self._order["ticks"]
        folders.wait_end(process, ticks)
        self._over.set()
        self._release(0.5, "its executor is gone")

    def _watch_task(self) -> None:
        """stdin closes when the Spark task ends; `background` arrives first if the task leaves on
        purpose.
        """
        while True:
            line = sys.stdin.readline()
            if line == "background\n":
                return
            if not line:
                self._release(loss="the Python worker that held its slot is gone")
                return

    def _say(self, word: str) -> None:
        try:
            sys.stdout.write(word + "\n")
            sys.stdout.flush()
        except (OSError, ValueError):
            pass

    def _last_words(self) -> str:
        try:
            text = (self._folder / "container.log").read_bytes()[-_LAST_WORDS:]
        except OSError:
            return ""
        return text.decode(errors="replace").strip()


def main() -> int:
    """Reads the order, one line, and holds the container."""
    _close_to_others()
    _adopt_orphans()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    order = json.loads(sys.stdin.readline())
    try:
        return Holder(order).run()
    except OSError as failure:
        print(f"lost: the driver cannot be reached: {failure}", flush=True)
        return 1


if __name__ == "__main__":
    sys.exit(main())
