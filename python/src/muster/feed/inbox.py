"""The reading end of a feed."""

from __future__ import annotations

import ctypes
import logging
import tempfile
import threading
import time
from typing import NamedTuple

from muster.feed import library
from muster.feed.block import Block

END_OF_PARTITION = 3
END_OF_FEED = 4

_log = logging.getLogger(__name__)


class Received(NamedTuple):
    """One received item: a block, or the mark of an end (`block` is None, `kind` says which)."""

    ring: int
    sequence: int
    kind: int
    block: Block | None


class Inbox:
    """All rings that feed one program under one name. One thread receives; the other calls are for
    any thread.
    """

    def __init__(self, *, by_partition: bool = False, folder: str | None = None):
        """`by_partition` reads one ring to the end of its partition before the next one (for
        inference); otherwise whatever arrives first. `folder` holds rings that do not fit in
        memory.
        """
        handle = ctypes.c_void_p()
        folder = folder or tempfile.gettempdir()
        library.check(library.DLL.mf_inbox_new(int(by_partition), folder.encode(), handle))
        self._handle = handle
        self._warned = threading.Event()

    def __del__(self):
        handle = getattr(self, "_handle", None)
        if handle:
            library.DLL.mf_inbox_free(handle)

    def add(self, *, blocks: int = 16, block_bytes: int = 1 << 20) -> int:
        """Makes a ring for one more feeder and returns its number. If memory is short, a smaller
        one or one on disk, with one warning; NoSpaceError if nothing is left.
        """
        ring, on_disk = ctypes.c_uint64(), ctypes.c_int()
        wanted = blocks
        status = library.DLL.mf_inbox_add(self._handle, blocks, block_bytes, ring, on_disk)
        while status == library.NO_SPACE and blocks > 4:
            blocks //= 2
            status = library.DLL.mf_inbox_add(self._handle, blocks, block_bytes, ring, on_disk)
        library.check(status)
        if (on_disk.value or blocks < wanted) and not self._warned.is_set():
            self._warned.set()
            _log.warning(
                "the host has too little memory left for the feed (%d MiB): "
                "it uses %d MiB of %s and is slower; give the executors more memory overhead",
                wanted * block_bytes >> 20,
                blocks * block_bytes >> 20,
                "a file" if on_disk.value else "memory",
            )
        return ring.value

    def descriptors(self, ring: int) -> tuple[int, int]:
        """What the feeder of a ring needs, to be sent over a Unix socket; they stay the inbox's."""
        return (
            library.DLL.mf_inbox_ring_fd(self._handle, ring),
            library.DLL.mf_inbox_doorbell_fd(self._handle),
        )

    def feeder_gone(self, ring: int) -> None:
        """The connection to a ring's feeder ended: its published rows are still read, then it is
        removed.
        """
        library.DLL.mf_inbox_producer_gone(self._handle, ring)

    def receive(self, timeout: float | None = None) -> Received:
        """The next block or mark. FeedTimeoutError after `timeout` seconds (None: never).
        KeyboardInterrupt and other signal handlers run meanwhile.
        """
        received = library.ReceivedStruct()
        # There is no wait for what is already there: the lock is kept.
        status = library.PY.mf_inbox_receive(self._handle, 0, received)
        deadline = None if timeout is None else time.monotonic() + timeout
        while status in (library.TIMED_OUT, library.INTERRUPTED):
            left = None if deadline is None else deadline - time.monotonic()
            status = library.DLL.mf_inbox_receive(
                self._handle, library.milliseconds(left), received
            )
            if status != library.INTERRUPTED:
                break
        library.check(status)
        block = Block(received) if received.lease else None
        return Received(received.ring, received.sequence, received.kind, block)

    def consumed(self, received: Received) -> None:
        """Says that all rows up to and including `received` were handed to the program."""
        library.PY.mf_inbox_consumed(self._handle, received.ring, received.sequence)

    def end(self) -> None:
        """No more rows will come: receive() gives END_OF_FEED once all are read, every time."""
        library.DLL.mf_inbox_end(self._handle)

    def terminate(self) -> None:
        """Discards what is and will be fed, and tells the feeders."""
        library.DLL.mf_inbox_terminate(self._handle)

    @property
    def terminated(self) -> bool:
        """terminate() was called."""
        return bool(library.DLL.mf_inbox_terminated(self._handle))

    def close(self) -> None:
        """Tells the feeders that there is no reader any more."""
        library.DLL.mf_inbox_close(self._handle)
