"""Code of Spark tasks that feed the nodes of their executor and return results."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from muster.spark import folders, nodes

# How often a waiting task looks for news that no descriptor signals: a file, a forked child that
# keeps a dead node's socket open.
_LOOK_SECONDS = 0.25
_LAST_WORDS_SECONDS = 60.0
FED = "fed"
ELSEWHERE = "elsewhere"  # This executor has no node.
AGAIN = "again"  # The node was lost on the way, or is restarting.


@dataclass(frozen=True)
class FeedSettings:
    """What the driver tells a feeding task."""

    job: str
    library: str  # A name for SparkFiles.get().
    queue: str
    timeout: float
    feed: int = 0  # The ledger's number of this feed.
    first: int = 0  # The index of its first partition there.
    entries: Any = None  # The ledger, as an accumulator; None: none is kept.


# Feeds by a producer until it is asked to stop, and returns how many rows.
_Put = Callable[[Any, Callable[[], bool]], int]


def train(settings: FeedSettings) -> Callable[[int, Iterable], Iterator[tuple[int, str]]]:
    """The function for mapPartitionsWithIndex that feeds a partition: (index, FED), ELSEWHERE or
    AGAIN.
    """

    def feed(index: int, rows: Iterable) -> Iterator[tuple[int, str]]:
        def put(producer: Any, stop: Callable[[], bool]) -> int:
            return producer.put_rows(rows, settings.timeout, stop)

        yield from _feed_partition(index, settings, put)

    return feed


def train_arrow(settings: FeedSettings) -> Callable[[Iterator], Iterator]:
    """The function for mapInArrow that feeds the columns of a partition: one row as train()'s."""

    def feed(batches: Iterator) -> Iterator:
        import pyarrow
        from pyspark import TaskContext

        def put(producer: Any, stop: Callable[[], bool]) -> int:
            rows = 0
            for batch in batches:
                if stop():
                    break
                producer.put_arrow(batch, settings.timeout)
                rows += batch.num_rows
            return rows

        [(index, outcome)] = _feed_partition(TaskContext.get().partitionId(), settings, put)
        names = ["partition", "outcome"]
        columns = [pyarrow.array([index], pyarrow.int32()), pyarrow.array([outcome])]
        yield pyarrow.RecordBatch.from_arrays(columns, names)

    return feed


def _feed_partition(index: int, settings: FeedSettings, put: _Put) -> list[tuple[int, str]]:
    """Feeds one partition and returns the outcome."""
    process = _prepare(settings)
    node = None
    try:
        node = nodes.find_node(process, settings.job, settings.timeout, only_here=True)
        if node is None:
            return [(index, ELSEWHERE)]
        _feed_to(node, index, settings, put)
    except nodes.NoMoreWantedError:
        _enter(settings, index, node)
    except nodes.NodeRestartsError:
        _enter(settings, index, node, taken=False)
        return [(index, AGAIN)]
    return [(index, FED)]


def _feed_to(node: Path, index: int, settings: FeedSettings, put: _Put) -> None:
    from muster.feed import FeedError

    line = _Line(node, settings)
    if line.terminating:
        line.close()
        _enter(settings, index, node, opened=line.opened)
        return
    rows = None
    with line:
        put_rows = put(line.producer, line.look)
        if not line.look():
            # A program need not read on, or even be alive, once it has taken every row.
            line.producer.wait_consumed(settings.timeout)
            rows = None if line.producer.terminating else put_rows
            with contextlib.suppress(FeedError):
                line.producer.end_partition(settings.timeout)
    _enter(settings, index, node, rows=rows, opened=line.opened)


def _enter(
    settings: FeedSettings,
    index: int,
    node: Path | None,
    taken: bool = True,
    rows: int | None = None,
    opened: dict[str, Any] | None = None,
) -> None:
    """Records the outcome of a partition in the ledger. `opened`: what the node said about itself
    when its feed began.
    """
    if settings.entries is None:
        return
    from pyspark import TaskContext

    from muster.spark.ledger import Entry

    if opened is None and node is not None:
        opened = folders.read_json(node / "open.json")
    settings.entries.add(
        [
            Entry(
                feed=settings.feed,
                index=settings.first + index,
                tries=TaskContext.get().attemptNumber() + 1,
                taken=taken,
                rows=rows,
                node=f"{opened['role']}:{opened['index']}" if opened else "",
                generation=opened["generation"] if opened else 0,
            )
        ]
    )


def inference(settings: FeedSettings) -> Callable[[Iterable], Iterator]:
    """The function for mapPartitions that feeds a partition and gives one result a row."""

    def feed_and_collect(rows: Iterable) -> Iterator:
        process = _prepare(settings)
        rows = iter(rows)
        first = next(rows, _NOTHING)
        if first is _NOTHING:
            return
        node = nodes.find_node(process, settings.job, settings.timeout, only_here=False)
        if node is None:
            raise Exception(
                "No TFManager found on this node, please ensure that the cluster has a node on "
                f"every host: the host of this executor (process {process}) has none; Spark tries "
                "the partition again elsewhere"
            )
        refused = node / _name_of_task()
        if refused.exists():
            # Spark retries a failed task; there is no need to wait again for what was found out.
            raise nodes.InferenceError(refused.read_text())
        try:
            yield from _Exchange(node, settings, first, rows).results()
        except nodes.InferenceError as failure:
            folders.write(refused, str(failure).encode())
            raise

    return feed_and_collect


_NOTHING = object()


def _name_of_task() -> str:
    """A file name for this Spark task, the same for all its attempts."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return f"refused-{task.stageId()}-{task.partitionId()}"


class _Exchange:
    """Sends rows and receives results at the same time."""

    def __init__(self, node: Path, settings: FeedSettings, first: Any, rows: Iterator):
        from muster.feed import Inbox
        from muster.feed.reader import RowReader

        self._settings = settings
        self._rows = _chained(first, rows)
        self._inbox = Inbox()
        ring = self._inbox.add()
        self._reader = RowReader(self._inbox)
        self._line = _Line(node, settings, self._inbox.descriptors(ring))
        self._fed = 0
        self._all_fed = threading.Event()
        self._failure: BaseException | None = None

    def results(self) -> Iterator:
        from muster.feed import FeedTimeoutError

        feeder = threading.Thread(target=self._feed, name="muster-feeder", daemon=True)
        feeder.start()
        given = 0
        quiet_since = time.monotonic()
        with self._line:
            while not (self._all_fed.is_set() and given >= self._fed):
                if self._failure is not None:
                    raise self._failure
                try:
                    batch, _ = self._reader.read_block(_LOOK_SECONDS)
                except FeedTimeoutError:
                    self._line.look()
                    if time.monotonic() - quiet_since > self._settings.timeout:
                        raise self._too_few(given) from None
                    continue
                given += len(batch)
                quiet_since = time.monotonic()
                yield from batch
            feeder.join()

    def _feed(self) -> None:
        producer = self._line.producer
        try:
            self._fed = producer.put_rows(
                self._rows, self._settings.timeout, stop=self._line.look
            )
            producer.end_partition(self._settings.timeout)
            self._all_fed.set()
        except BaseException as failure:
            self._failure = self._line.explain(failure)

    def _too_few(self, given: int) -> Exception:
        of = f"of {self._fed} rows" if self._all_fed.is_set() else "while it still takes rows"
        return nodes.InferenceError(
            f"Timeout while feeding partition: the node gave {given} results {of}, and none for "
            f"{self._settings.timeout:g} s; inference needs one result for each row"
        )


def _chained(first: Any, rows: Iterator) -> Iterator:
    yield first
    yield from rows


class _Line:
    """A task's connection to a node, with the ring for its rows."""

    def __init__(self, node: Path, settings: FeedSettings, results: tuple[int, ...] = ()):
        from muster.feed import Producer
        from muster.spark.inlets import knock

        self._node = node
        self._timeout = settings.timeout
        self.opened = folders.read_json(node / "open.json")
        if self.opened is None:
            raise nodes.NodeRestartsError(f"{node.name} starts again")
        try:
            self._connection = knock(node)
            hello = json.dumps({"queue": settings.queue}).encode()
            socket.send_fds(self._connection, [hello], list(results))
            answer, descriptors, _, _ = socket.recv_fds(self._connection, 1 << 16, 2)
        except OSError as failure:
            raise self._ended() from failure
        if not answer:
            raise self._ended()
        told = json.loads(answer)
        if "error" in told:
            raise Exception(told["error"])
        self.terminating = told["terminating"]
        self.producer = Producer(*descriptors)
        self._closing = threading.Event()
        self._gone = threading.Event()
        threading.Thread(target=self._watch, name="muster-node", daemon=True).start()

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, kind: Any, failure: BaseException | None, _: Any) -> None:
        self.close()
        if failure is not None and isinstance(failure, Exception):
            explained = self.explain(failure)
            if explained is not failure:
                raise explained from failure

    def look(self) -> bool:
        """Whether feeding may stop because the program wants no more. Raises when it has ended."""
        if self._gone.is_set():
            raise self._ended()
        return self.producer.terminating

    def explain(self, failure: BaseException) -> BaseException:
        """The error to show the user instead of a failed wait."""
        from muster.feed import FeedTimeoutError, ReaderGoneError

        if isinstance(failure, FeedTimeoutError):
            return nodes.InferenceError(
                f"Timeout while feeding partition: the node took no row for {self._timeout:g} s"
            )
        if isinstance(failure, ReaderGoneError):
            return self._ended()
        return failure

    def close(self) -> None:
        """Ends the connection; the node reads what was fed."""
        self._closing.set()
        self.producer.close()
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _watch(self) -> None:
        """Notices the node's end: its socket closes, or its parent leaves a message."""
        self._connection.settimeout(_LOOK_SECONDS)
        while not self._closing.is_set():
            try:
                if not self._connection.recv(1024):
                    break
            except TimeoutError:
                if self._has_ended():
                    break
            except OSError:
                break
        self._connection.close()
        if not self._closing.is_set():
            self._gone.set()
            self.producer.reader_gone()

    def _has_ended(self) -> bool:
        return (self._node / "ended.json").exists() or (self._node / "over.json").exists()

    def _ended(self) -> Exception:
        """Waits for the node's last words, which follow its end at once, and, if it failed, for the
        job's reaction: its end, or a restart of the node.
        """
        deadline = time.monotonic() + _LAST_WORDS_SECONDS
        ended = None
        while time.monotonic() < deadline:
            told = folders.read_json(self._node / "ended.json")
            if told is not None and told["attempt"] == self.opened["attempt"]:
                ended = told
            if ended is not None and (nodes.is_final(ended) or (self._node / "over.json").exists()):
                return nodes.ending(ended, self._node)
            if ended is not None and told != ended:
                name, words = f"{ended['role']}:{ended['index']}", ended["words"]
                return nodes.NodeRestartsError(f"{name} starts again, after:\n{words}")
            if ended is None and folders.read_json(self._node / "open.json") != self.opened:
                # Its last words were removed when it restarted, before they were read here.
                return nodes.NodeRestartsError(f"{self._node.name} starts again")
            if nodes.is_left_behind(self._node):
                return nodes.NodeRestartsError(f"{self._node.name} has ended: the others continue")
            time.sleep(0.02)  # lint: allow(sleep) its parent writes the file within moments
        if ended is not None:
            return nodes.ending(ended, self._node)
        return nodes.NodeEndedError("Exception in worker:\nthe node ended without an error message")


def _prepare(settings: FeedSettings) -> int:
    """Lets muster.feed find its library, and returns the executor's process."""
    if "MUSTER_FEED_LIBRARY" not in os.environ:
        from pyspark import SparkFiles

        os.environ["MUSTER_FEED_LIBRARY"] = SparkFiles.get(settings.library)
    return folders.executor_process()
