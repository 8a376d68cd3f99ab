"""What a task's program tells Muster about itself: lines on the socket $MUSTER_REPORT."""

import atexit
import json
import math
import os
import socket
import threading
import time
import warnings

_SECONDS_BETWEEN_LINES = 0.05
_SECONDS_BETWEEN_TRIES = 5.0


def report(*, step=None, max_steps=None, **values):
    """Tells Muster how far the program has got: its step, how many there will be, and numbers of
    its own.

    `muster.report(step=120, loss=0.25)` becomes the series `user.step` and `user.loss` of this
    task. Names that are not identifiers are passed as `**{"train/loss": 0.25}`. Values are numbers,
    or anything that `item()` or `float()` turns into one; NaN and infinities are kept.

    Never blocks and never raises: outside a Muster job it does nothing, and what cannot be sent at
    once is dropped. Call it as often as you like: at most 20 lines a second are sent, with the last
    value of each name. Safe in threads and after a fork.
    """
    path = os.environ.get("MUSTER_REPORT")
    if path:
        _reporter.tell(path, {"step": step, "max_steps": max_steps, **values})


class _Reporter:
    def __init__(self):
        self._forget()
        atexit.register(self._at_exit)
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self):
        """Starts afresh: a child of a fork must not share its parent's socket or lock."""
        self._lock = threading.Lock()
        self._socket = None
        self._rest = b""  # The rest of a line that was sent in part.
        self._waiting = {}
        self._next_line = 0.0
        self._next_try = 0.0
        self._warned = set()

    def tell(self, path, values):
        numbers = {}
        for name, value in values.items():
            number = self._number(name, value)
            if number is not None:
                numbers[name] = number
        now = time.monotonic()
        with self._lock:
            self._waiting.update(numbers)
            if now >= self._next_line:
                self._send(path, now)

    def _number(self, name, value):
        if value is None:
            return None
        try:
            number = value if type(value) in (int, float) else float(
                value.item() if hasattr(value, "item") else value)
        except (TypeError, ValueError, RuntimeError, OverflowError):
            if name not in self._warned:
                self._warned.add(name)
                warnings.warn(f"muster.report: {name} must be a number, not "
                              f"{type(value).__name__}; left out", stacklevel=4)
            return None
        if isinstance(number, float) and not math.isfinite(number):
            return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
        return number

    def _send(self, path, now):
        if not self._waiting and not self._rest:
            return
        self._next_line = now + _SECONDS_BETWEEN_LINES
        if self._socket is None and not self._connect(path, now):
            return
        line = b""
        if self._waiting:
            line = json.dumps({"time": time.time(), **self._waiting}).encode() + b"\n"
        try:
            self._drop_answers()
            data = self._rest + line
            sent = self._socket.send(data)
            self._rest = data[sent:]
            self._waiting = {}
            if self._rest == line:  # Nothing of it was sent: newer values may replace it.
                self._rest = b""
        except BlockingIOError:
            pass  # Nobody is reading at the moment: what waits is sent with the next values.
        except OSError:
            self._close()

    def _drop_answers(self):
        """Muster answers a line that it cannot use; the program's author is told once."""
        try:
            answer = self._socket.recv(4096)
        except BlockingIOError:
            return
        if answer and "answer" not in self._warned:
            self._warned.add("answer")
            warnings.warn("muster.report: " + answer.decode(errors="replace").strip(),
                          stacklevel=5)

    def _connect(self, path, now):
        if now < self._next_try:
            return False
        self._next_try = now + _SECONDS_BETWEEN_TRIES
        try:
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            made.setblocking(False)
            made.connect(path)
        except OSError:
            made.close()
            return False
        self._socket = made
        return True

    def _close(self):
        self._socket.close()
        self._socket = None
        self._rest = b""

    def _at_exit(self):
        path = os.environ.get("MUSTER_REPORT")
        if path and self._lock.acquire(timeout=0.1):
            self._next_try = 0.0
            self._send(path, time.monotonic())


_reporter = _Reporter()
