"""The feeding end of a feed."""

from __future__ import annotations

import ctypes
import itertools
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from muster.feed import library
from muster.feed.inbox import END_OF_FEED, END_OF_PARTITION

# Why the encoder stopped: feed/row_encoder.h, Stop.
_END, _FULL, _DIFFERENT, _FOREIGN, _ENOUGH, _HOMELESS = range(6)
_MOST_ROWS = 4096
_MOST_PICKLED = 4096
# Rows that are pickled together hold no more than this, so that they stay in the cache.
_MOST_PICKLED_BYTES = 64 << 10
# Rows that arrive more slowly than this are published as they come.
_PATIENCE_MILLISECONDS = 50
# Blocks of fewer rows than this, this often in a row, cost more than pickling does.
_FEW_ROWS = 8
_MOST_SMALL_BLOCKS = 4


class _Encoder:
    """The library's encoder, and the types it must know."""

    def __init__(self):
        numpy = sys.modules.get("numpy")
        types = sys.modules.get("pyspark.sql.types")
        self._kept = [
            getattr(numpy, "ndarray", None),
            getattr(numpy, "generic", None),
            getattr(types, "Row", None),
        ]
        self.handle = library.PY.mf_encoder_new(
            *[None if kept is None else id(kept) for kept in self._kept]
        )

    def __del__(self):
        library.PY.mf_encoder_free(self.handle)


class Producer:
    """Feeds one ring. For one thread at a time; `reader_gone` is for any."""

    def __init__(self, ring_fd: int, doorbell_fd: int):
        """Takes both descriptors over (Inbox.descriptors, as received over a Unix socket)."""
        handle = ctypes.c_void_p()
        library.check(library.DLL.mf_producer_new(ring_fd, doorbell_fd, handle))
        self._handle = handle
        self._encoder: _Encoder | None = None
        block = library.DLL.mf_producer_block_bytes(handle)
        self._limit = block - block // 8
        self._small_blocks = 0
        self._row_bytes = 1  # The size of a pickled row.
        self._pickle_rows = 0  # How many more rows to feed without trying columns,
        self._next_pickled = 1  # and so many after the next row that has none.

    def __del__(self):
        handle = getattr(self, "_handle", None)
        if handle:
            library.DLL.mf_producer_free(handle)

    @property
    def terminating(self) -> bool:
        """The reader discards rows: feeding may stop."""
        return library.DLL.mf_producer_reader(self._handle) == 1

    def reader_gone(self) -> None:
        """The connection to the reader ended: every wait raises ReaderGoneError."""
        library.DLL.mf_producer_reader_gone(self._handle)

    def put_rows(
        self,
        rows: Iterable,
        timeout: float | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> int:
        """Feeds any rows and returns how many. A wait for room lasts `timeout` seconds at most
        (FeedTimeoutError). `stop` is called between batches: true ends early.
        """
        if self._encoder is None:
            self._encoder = _Encoder()
        library.PY.mf_encoder_start(self._encoder.handle)
        fed = 0
        count = 1
        iterator = iter(rows)
        why = _ENOUGH
        slow = False
        while why != _END and not (stop is not None and stop()):
            started = time.monotonic()
            if self._pickle_rows > 0:
                taken, why = self._take_pickled(iterator, count, timeout)
            else:
                taken, why = self._take(iterator, count)
            fed += taken
            slow |= time.monotonic() - started > _PATIENCE_MILLISECONDS / 1000
            self._make_room(why, timeout)
            if why == _HOMELESS:  # The row has not been taken yet.
                continue
            # A slow source: give the reader what there is, and take fewer rows at once.
            count = max(1, count // 2) if slow else min(count * 2, _MOST_ROWS)
            if slow:
                self._publish(timeout)
            slow = False
        self._publish(timeout)
        return fed

    def put_arrow(self, batch: Any, timeout: float | None = None) -> None:
        """Feeds a pyarrow RecordBatch, copying its buffers once. NoColumnsError, before anything is
        fed, if a block cannot hold a column's type.
        """
        done = ctypes.c_uint64()
        with library.arrow_structures() as (schema, array):
            batch._export_to_c(array, schema)
            self._wait(
                lambda left: library.DLL.mf_producer_put_arrow(
                    self._handle, schema, array, done, left
                ),
                timeout,
            )

    def end_partition(self, timeout: float | None = None) -> None:
        """Marks the end of a partition."""
        self._mark(END_OF_PARTITION, timeout)

    def end_feed(self, timeout: float | None = None) -> None:
        """Marks the end of all data."""
        self._mark(END_OF_FEED, timeout)

    def wait_consumed(self, timeout: float | None = None) -> None:
        """Waits until every row fed so far was handed to the reading program."""
        self._wait(lambda left: library.DLL.mf_producer_wait_consumed(self._handle, left), timeout)

    def close(self) -> None:
        """Nothing more comes."""
        library.DLL.mf_producer_close(self._handle)

    def _take(self, iterator: Iterator, count: int) -> tuple[int, int]:
        """Encodes rows as columns. Returns how many, and why it stopped."""
        why = ctypes.c_int()
        taken = library.PY.mf_encoder_take(
            self._encoder.handle, iterator, count, self._limit, _PATIENCE_MILLISECONDS, why
        )
        return taken, why.value

    def _make_room(self, why: int, timeout: float | None) -> None:
        """Does what the next row needs after the encoder stopped for this reason."""
        encoder = self._encoder.handle
        if why == _HOMELESS:
            self._wait(
                lambda left: library.DLL.mf_producer_reserve(self._handle, encoder, left), timeout
            )
        elif why == _FULL:
            self._small_blocks = 0
            self._next_pickled = 1
            self._publish(timeout)
        elif why == _DIFFERENT:
            small = library.PY.mf_encoder_rows(encoder) < _FEW_ROWS
            self._small_blocks = self._small_blocks + 1 if small else 0
            self._publish(timeout)
            library.PY.mf_encoder_forget(encoder)
            if self._small_blocks >= _MOST_SMALL_BLOCKS:
                self._small_blocks = 0
                self._pickle_rows = _MOST_PICKLED
        elif why == _FOREIGN:
            self._publish(timeout)
            library.PY.mf_encoder_forget(encoder)
            self._pickle_rows = self._next_pickled
            self._next_pickled = min(self._next_pickled * 4, _MOST_PICKLED)

    def _take_pickled(
        self, iterator: Iterator, count: int, timeout: float | None
    ) -> tuple[int, int]:
        """Feeds rows pickled; how many, and whether there may be more."""
        most = max(1, min(count, self._pickle_rows, _MOST_PICKLED_BYTES // self._row_bytes))
        batch = library.PY.mf_encoder_take_kept(self._encoder.handle)
        batch += itertools.islice(iterator, most - len(batch))
        start = 0
        while start < len(batch):
            start = self._pickle(batch, start, timeout)
        return len(batch), _ENOUGH if batch else _END

    def _pickle(self, batch: list, start: int, timeout: float | None) -> int:
        """Feeds some rows pickled and returns the index after them."""
        count = len(batch) - start
        while True:
            data = pickle.dumps(batch[start : start + count], protocol=5)
            if count == 1 or len(data) <= self._limit:
                break
            count = max(1, count * self._limit // len(data) // 2)
        self._pickle_rows -= count
        self._row_bytes = max(1, len(data) // count)
        self._wait(
            lambda left: library.DLL.mf_producer_put_pickled(
                self._handle, data, len(data), count, left
            ),
            timeout,
        )
        return start + count

    def _publish(self, timeout: float | None) -> None:
        handle = self._encoder.handle
        if library.PY.mf_encoder_rows(handle) == 0:
            return
        self._wait(
            lambda left: library.DLL.mf_producer_put_encoded(self._handle, handle, left), timeout
        )
        library.PY.mf_encoder_next_block(handle)

    def _mark(self, kind: int, timeout: float | None) -> None:
        self._wait(lambda left: library.DLL.mf_producer_mark(self._handle, kind, left), timeout)

    def _wait(self, call: Callable[[int], int], timeout: float | None) -> None:
        """Runs a waiting call, again after every signal, until its time is up."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            status = call(library.milliseconds(left))
            if status != library.INTERRUPTED:
                library.check(status)
                return
