"""Which of the rows that Spark fed the programs have taken: the ledger of a job.

Feeding tasks write it through a Spark accumulator, whose values arrive with the ends of tasks, so
entries survive a later failure of the job. Every feed has its own number.
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pyspark.accumulators import AccumulatorParam

# How many partitions are remembered one by one; a stream never ends.
_REMEMBERED_MOST = 100_000


@dataclass(frozen=True)
class Consumed:
    """A partition that was fed completely."""

    queue: str
    feed: int  # The job's n-th call to feed something, from 0.
    epoch: int
    partition: int
    rows: int | None  # All were taken; None: the program wanted no more rows before the end.
    node: str  # Whose program took them: "worker:1".
    generation: int
    times_fed: int  # How often it was begun at most; above 1 some rows may have been read twice.


@dataclass(frozen=True)
class Entry:
    """What one feeding task reports about its partition."""

    feed: int
    index: int  # Counted over all epochs.
    tries: int  # How often Spark began it in this pass.
    taken: bool
    rows: int | None = None
    node: str = ""
    generation: int = 0


class Ledger:
    """The entries of a job, combined. For any thread."""

    def __init__(self):
        self._lock = threading.Lock()
        self._feeds: dict[int, tuple[str, int]] = {}  # Queue, and partitions in an epoch.
        self._begun: collections.Counter[tuple[int, int]] = collections.Counter()
        self._taken: collections.deque[Consumed] = collections.deque(maxlen=_REMEMBERED_MOST)

    def begin(self, queue: str, partitions: int) -> int:
        """The number of a new feed with this many partitions per epoch."""
        with self._lock:
            self._feeds[len(self._feeds)] = (queue, max(1, partitions))
            return len(self._feeds) - 1

    def extend(self, entries: Iterable[Entry]) -> None:
        """Adds the entries of feeding tasks."""
        with self._lock:
            for entry in entries:
                self._take(entry)

    def consumed(self) -> list[Consumed]:
        """The partitions that were fed completely, in that order."""
        with self._lock:
            return list(self._taken)

    def _take(self, entry: Entry) -> None:
        key = entry.feed, entry.index
        if not entry.taken:
            self._begun[key] += entry.tries
            return
        queue, partitions = self._feeds[entry.feed]
        epoch, partition = divmod(entry.index, partitions)
        self._taken.append(
            Consumed(
                queue=queue,
                feed=entry.feed,
                epoch=epoch,
                partition=partition,
                rows=entry.rows,
                node=entry.node,
                generation=entry.generation,
                times_fed=entry.tries + self._begun.pop(key, 0),
            )
        )


class LedgerParam(AccumulatorParam):
    """The ledger as a Spark accumulator: on executors a list of entries."""

    def zero(self, value: Any) -> list[Entry]:
        """What a task begins with."""
        return []

    def addInPlace(self, value1: Any, value2: Any) -> Any:  # noqa: N802
        """Adds entries to the ledger, or to the list of a task."""
        value1.extend(value2)
        return value1
