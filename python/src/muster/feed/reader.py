"""Rows one by one, independent of the blocks they came in."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
from collections.abc import Callable, Iterator

from muster.feed.block import Block
from muster.feed.errors import FeedTimeoutError
from muster.feed.inbox import END_OF_FEED, END_OF_PARTITION, Inbox, Received

ROWS = 0
_NO_RING = -1


class RowReader:
    """Reads an inbox in batches of any size. One thread."""

    def __init__(self, inbox: Inbox, taken: Callable[[int, int], None] | None = None):
        """`taken(ring, rows)` is called with the ring of the rows that are handed out, in order."""
        self._inbox = inbox
        self._taken = taken
        self._received: Received | None = None
        self._next = 0
        self._mark: int | None = None

    def read(self, most: int, timeout: float | None = None) -> tuple[list, int]:
        """Up to `most` rows, and why there are not more: ROWS (there are `most`), or the mark that
        comes after them, END_OF_PARTITION or END_OF_FEED. Waits for rows; FeedTimeoutError after
        `timeout` seconds loses none, they come with the next call.

        A block counts as consumed, for those who feed it, when its last row was handed out.
        """
        rows: list = []
        deadline = None if timeout is None else time.monotonic() + timeout
        with _Uncollected() as uncollected:
            while len(rows) < most:
                if self._received is None and self._mark is None:
                    try:
                        self._receive(deadline, uncollected)
                    except FeedTimeoutError:
                        if rows:
                            self._unread(rows)
                        raise
                    continue
                if self._mark is not None:
                    mark, self._mark = self._mark, None
                    return rows, mark
                rows = self._take(rows, most)
            return rows, ROWS

    def read_block(self, timeout: float | None = None) -> tuple[list, int]:
        """The rows of one block as it arrived, or what is left of it, with ROWS; or none and a
        mark. Waits and fails as read().
        """
        with _Uncollected() as uncollected:
            while self._received is None and self._mark is None:
                deadline = None if timeout is None else time.monotonic() + timeout
                self._receive(deadline, uncollected)
            if self._mark is not None:
                mark, self._mark = self._mark, None
                return [], mark
            return self._take([], len(self._received.block)), ROWS

    def _receive(self, deadline: float | None, uncollected: _Uncollected) -> None:
        try:
            received = self._inbox.receive(0)
        except FeedTimeoutError:
            with uncollected.paused():
                left = None if deadline is None else deadline - time.monotonic()
                received = self._inbox.receive(left)
        if received.block is None:
            self._inbox.consumed(received)
            self._mark = received.kind
            if received.kind not in (END_OF_PARTITION, END_OF_FEED):
                self._mark = None
            return
        self._received, self._next = received, 0

    def _take(self, rows: list, most: int) -> list:
        received = self._received
        block: Block = received.block
        count = min(most - len(rows), len(block) - self._next)
        piece = block.rows(self._next, count)
        self._next += count
        if self._taken is not None and received.ring != _NO_RING:
            self._taken(received.ring, count)
        if self._next == len(block):
            self._received = None
            self._inbox.consumed(received)
        return rows + piece if rows else piece

    def _unread(self, rows: list) -> None:
        """Keeps rows that were taken before a timeout for the next call."""
        self._received = Received(_NO_RING, 0, ROWS, _Held(rows))
        self._next = 0


class _Held:
    """Rows that are Python objects already, where a Block is expected."""

    def __init__(self, rows: list):
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, start: int, count: int) -> list:
        return self._rows[start : start + count]


class _Uncollected:
    """While rows are made the garbage collector does not run. It counts containers that come less
    those that go, and a batch comes before the last one goes: it would look at each member of each
    new list, to find that none refers back, and again with the next batch.

    There is one collector and there may be several threads that read: it runs again when the last
    one is done, if it ran before the first; also in a child that another thread forks meanwhile.
    """

    _lock = threading.Lock()
    _making = 0
    _was_on = False

    def __enter__(self) -> _Uncollected:
        with _Uncollected._lock:
            if _Uncollected._making == 0:
                _Uncollected._was_on = gc.isenabled()
                gc.disable()
            _Uncollected._making += 1
        return self

    def __exit__(self, *_: object) -> None:
        with _Uncollected._lock:
            _Uncollected._making -= 1
            if _Uncollected._making == 0 and _Uncollected._was_on:
                gc.enable()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """It may run: nothing is made meanwhile."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()

    @staticmethod
    def after_fork_in_child() -> None:
        """The threads that read are the parent's."""
        _Uncollected._lock = threading.Lock()
        if _Uncollected._making > 0 and _Uncollected._was_on:
            gc.enable()
        _Uncollected._making = 0


os.register_at_fork(after_in_child=_Uncollected.after_fork_in_child)
