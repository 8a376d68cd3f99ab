"""The node's ends of the feed: rows from the Spark tasks of its executor, and results back."""

from __future__ import annotations

import collections
import ctypes
import json
import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from muster.feed import (
    END_OF_FEED,
    END_OF_PARTITION,
    FeedTimeoutError,
    Inbox,
    Producer,
    library,
)
from muster.feed.reader import ROWS, RowReader
from muster.spark.manager import NodeManager
from tensorflowonspark.marker import EndPartition

_SOCKET = "feed.sock"
_HELLO_MOST = 4096
_LOOK_SECONDS = 0.05
# mallopt(3) of the GNU C library.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_MOST = 256 << 20
_MAPPED_LEAST = 4 << 20


class FeedQueue:
    """Where fed rows come out: the user's program sees them as the queue of that name, and may put
    its own items in as well.
    """

    def __init__(self, name: str):
        self.name = name
        # Items that come before all others: the program's own, and what empty() has seen.
        self._own: collections.deque[Any] = collections.deque()
        # Most queues other than `input` are not fed, so own items may come during a wait.
        self._looks = name != "input"
        self.inbox = Inbox(by_partition=True)
        # Whose rows were handed out, in order: [ring, rows] each.
        self.origins: collections.deque[list[int]] = collections.deque()
        self.ended = False
        self._reader = RowReader(self.inbox, taken=self._taken)
        self._keep_origins = threading.Event()

    def _taken(self, ring: int, rows: int) -> None:
        if self._keep_origins.is_set():
            self.origins.append([ring, rows])

    def keep_origins(self) -> None:
        """Results will be sent back."""
        self._keep_origins.set()

    def take_rows(self, feed: Any, count: int) -> list:
        """What DataFeed.next_batch returns from this queue."""
        rows: list = []
        while len(rows) < count:
            if self._own:
                item = self._own.popleft()
                mark = _mark_of(item)
                more = [item] if mark == ROWS else []
            else:
                try:
                    more, mark = self._reader.read(
                        count - len(rows), _LOOK_SECONDS if self._looks else None
                    )
                except FeedTimeoutError:
                    continue
            rows = rows + more if rows else more
            if mark == END_OF_FEED:
                self.ended = True
                feed.done_feeding = True
                break
            if mark == END_OF_PARTITION and not feed.train_mode and rows:
                break
        return rows

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """One row, None at the feed's end, and with inference EndPartition() at a partition's.
        queue.Empty if none arrives in time.
        """
        wait = timeout if block else 0.0
        deadline = None if wait is None else time.monotonic() + wait
        while True:
            if self._own:
                return self._own.popleft()
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if self._looks:
                left = _LOOK_SECONDS if left is None else min(left, _LOOK_SECONDS)
            try:
                return self._next(left)
            except FeedTimeoutError:
                if deadline is not None and time.monotonic() >= deadline:
                    raise queue.Empty from None

    def _next(self, timeout: float | None) -> Any:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            rows, mark = self._reader.read(1, left)
            if rows:
                return rows[0]
            if mark == END_OF_FEED:
                return None
            if self._keep_origins.is_set():  # A program that only trains does not expect it.
                return EndPartition()

    def get_nowait(self) -> Any:
        """One row, if there is one."""
        return self.get(block=False)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Adds an item of the program's own, for itself. A get() that already waits for `input`
        does not see it before the next row.
        """
        self._own.append(item)
        self._looks = True

    def put_nowait(self, item: Any) -> None:
        """Same as put(), which never waits."""
        self.put(item)

    def empty(self) -> bool:
        """Whether there is nothing to get now."""
        if not self._own:
            try:
                self._own.append(self._next(0.0))
            except FeedTimeoutError:
                return True
        return False

    def full(self) -> bool:
        """Never: the program's own items wait in its memory."""
        return False

    def qsize(self) -> int:
        """The least number of items there."""
        return 0 if self.empty() else len(self._own)

    def task_done(self) -> None:
        """Rows count as done when they are handed out."""

    def join(self) -> None:
        """Waits until the program's own items have been handed out."""
        while self._own:
            time.sleep(_LOOK_SECONDS)  # lint: allow(sleep) whoever gets them tells nobody

    def terminate(self) -> None:
        """Discards what is and will be fed."""
        self.inbox.terminate()


def _mark_of(item: Any) -> int:
    """The mark that an item represents; ROWS if it is a row."""
    if item is None:
        return END_OF_FEED
    return END_OF_PARTITION if type(item) is EndPartition else ROWS


class ResultQueue:
    """Sends results back to the tasks whose rows they belong to."""

    def __init__(self, source: FeedQueue):
        self._source = source
        self._producers: dict[int, Producer] = {}
        self._lock = threading.Lock()

    def attach(self, ring: int, producer: Producer) -> None:
        """The feeder of `ring` wants results."""
        with self._lock:
            self._producers[ring] = producer
        self._source.keep_origins()

    def detach(self, ring: int) -> None:
        """The feeder has ended; results for it are dropped."""
        with self._lock:
            producer = self._producers.pop(ring, None)
        if producer is not None:
            producer.reader_gone()

    def put_rows(self, results: Iterable) -> None:
        """One result for each row handed out, in that order. Exception for more of them."""
        results = list(results)
        origins = self._source.origins
        due = sum(rows for _, rows in origins)
        if len(results) > due:
            # Before any is sent: a task that gets all it needs would not see the failure.
            raise Exception(
                f"{len(results) - due} more results than rows: inference sends exactly one result "
                "for each row of next_batch()"
            )
        at = 0
        while at < len(results):
            ring, rows = origins[0]
            count = min(rows, len(results) - at)
            self._send(ring, results[at : at + count])
            at += count
            if count == rows:
                origins.popleft()
            else:
                origins[0][1] -= count

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """One result."""
        self.put_rows([item])

    def _send(self, ring: int, results: list) -> None:
        from muster.feed import ReaderGoneError

        with self._lock:
            producer = self._producers.get(ring)
        if producer is None:
            return
        try:
            producer.put_rows(results)
        except ReaderGoneError:
            self.detach(ring)


class Door:
    """The Unix socket at which feeding tasks get their rings."""

    def __init__(self, folder: Path, manager: NodeManager):
        """Listens in the container's private folder."""
        self._manager = manager
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path = folder / _SOCKET
        path.unlink(missing_ok=True)
        with _ShortName(folder) as short:
            self._listener.bind(short)
        path.chmod(0o600)
        self._listener.listen(256)
        threading.Thread(target=self._accept, name="muster-feed", daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(
                target=self._serve, args=(connection,), name="muster-feeder", daemon=True
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            data, descriptors, _, _ = socket.recv_fds(connection, _HELLO_MOST, 2)
            if not data:
                return
            hello = json.loads(data)
            feed = self._manager.get_queue(hello["queue"])
            if not isinstance(feed, FeedQueue):
                known = ", ".join(one.name for one in self._manager.feeds())
                words = (
                    f"Queue '{hello['queue']}' not found on this node, check for exceptions on "
                    f"other nodes. It has: {known}"
                )
                connection.sendall(json.dumps({"error": words}).encode())
                return
            self._feed(connection, feed, descriptors)

    def _feed(self, connection: socket.socket, feed: FeedQueue, descriptors: list[int]) -> None:
        ring = feed.inbox.add()
        results = self._manager.get_queue("output") if descriptors else None
        if results is not None:
            results.attach(ring, Producer(*descriptors))
        answer = json.dumps({"terminating": feed.inbox.terminated}).encode()
        try:
            socket.send_fds(connection, [answer], list(feed.inbox.descriptors(ring)))
            while connection.recv(1024):
                pass
        except OSError:
            pass
        feed.inbox.feeder_gone(ring)
        if results is not None:
            results.detach(ring)


def open_door(
    folder: Path, names: Iterable[str], terminating: Callable[[], None]
) -> NodeManager:
    """The queues of a node that Spark feeds, open to the feeding tasks of its executor."""
    names = list(names)
    queues: dict[str, Any] = {
        name: FeedQueue(name) for name in names if name not in ("output", "error", "control")
    }
    for name in names:
        if name == "output" and "input" in queues:
            queues[name] = ResultQueue(queues["input"])
        elif name not in queues:
            queues[name] = queue.Queue()
    manager = NodeManager(queues, terminating)
    Door(folder, manager)
    return manager


def keep_freed_memory() -> None:
    """Has Python and the C library keep the memory that one batch of rows frees for the next one.
    By default they give it back and take it again page by page, which costs more than all the work
    on the rows. Does nothing if the C library's behaviour was configured already, or for another C
    library.
    """
    chosen = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    library.PY.mf_keep_arenas(_KEPT_MOST)
    if mallopt is not None and not any(name in os.environ for name in chosen):
        mallopt(_M_TRIM_THRESHOLD, _KEPT_MOST)
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_LEAST)


class _ShortName:
    """A short name for a socket in a folder, however long the folder's own is."""

    def __init__(self, folder: Path):
        self._folder = folder

    def __enter__(self) -> str:
        self._descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._descriptor}/{_SOCKET}"

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def knock(folder: Path) -> socket.socket:
    """Connects to the node of a container. OSError if it is not there."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _ShortName(folder) as short:
            connection.connect(short)
    except OSError:
        connection.close()
        raise
    return connection
