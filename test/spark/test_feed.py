"""The feed between real processes: every kind of row comes out as what it was."""
# also: newest

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import Row

from muster import feed

DEADLINE = 30


class Pair:
    """An inbox with one ring and its producer, in one process."""

    def __init__(self, **shape):
        self.inbox = feed.Inbox()
        self.ring = self.inbox.add(**shape)
        self.producer = feed.Producer(*[os.dup(fd) for fd in self.inbox.descriptors(self.ring)])


def received_rows(inbox):
    """All rows up to the end of the feed."""
    rows = []
    while True:
        received = inbox.receive(DEADLINE)
        if received.kind == feed.END_OF_FEED:
            return rows
        if received.block is not None:
            rows += received.block.rows()
        inbox.consumed(received)


def through(rows, **shape):
    """What comes out when `rows` go in."""
    pair = Pair(**shape)
    out = []
    reader = threading.Thread(target=lambda: out.extend(received_rows(pair.inbox)))
    reader.start()
    assert pair.producer.put_rows(iter(rows), DEADLINE) == len(rows)
    pair.producer.end_feed(DEADLINE)
    reader.join(DEADLINE)
    return out


def same(left, right):
    """Equal, of the same types, arrays of the same dtype and shape."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and left.shape == right.shape and (left == right).all()
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple):
        names = getattr(left, "__fields__", None)
        return (
            len(left) == len(right)
            and names == getattr(right, "__fields__", None)
            and all(map(same, left, right))
        )
    return left == right or (left != left and right != right)


ROWS = {
    "ints": [1, -5, 2**62, 0],
    "floats": [1.5, -0.0, float("inf"), float("nan")],
    "bools": [True, False, True],
    "text": ["", "a", "ü€𝄞", "x" * 5000],
    "bytes": [b"", b"\x00\xff", bytes(100_000)],
    "lists of floats": [[float(i + j) for j in range(784)] for i in range(50)],
    "a list and a label": [([float(i)] * 784, i) for i in range(50)],
    "tuples of numbers": [tuple(float(i + j) for j in range(13)) for i in range(100)],
    "mixed tuples": [(i, i / 2, str(i), bytes([i]), i % 2 == 0) for i in range(100)],
    "ragged lists": [[1.0] * i for i in range(1, 40)],
    "empty lists": [[], [], []],
    "dicts": [{"x": i, "y": [1.0, float(i)]} for i in range(20)],
    "spark rows": [Row(label=i, features=[1.0, float(i)]) for i in range(20)],
    "arrays": [np.full((3, 4), i, dtype="float32") for i in range(30)],
    "arrays and labels": [(np.arange(784, dtype="uint8"), np.int64(i)) for i in range(30)],
    "numpy scalars": [np.float32(i) for i in range(10)],
    "half precision": [np.full(3, i / 4, dtype="float16") for i in range(10)],
    "big integers": [1, 2**70, -(2**80), 3],
    "bytes of all sizes": [bytes([i % 256]) * (i * 37 % 3000) for i in range(500)],
    "arrays of changing kinds": [
        np.full(i % 3 + 500, i, dtype="f4f8"[i % 2 * 2 :][:2]) for i in range(60)
    ],  # fmt: skip
    "missing values": [1.0, None, 2.0, None],
    "missing members": [(1, "a"), (None, "b"), (3, None)],
    "changing types": [1, "a", 2.0, b"x", [1], (1,), {"a": 1}, None, {1, 2}, 7],
    "integers among floats": [[0.0, 1.0], [0, 1.0], [1.0, 0], [2.0, 2.0]],
    "sets": [{i, i + 1} for i in range(10)],
    "objects": [complex(i, 1) for i in range(5)],
    "lone surrogates": ["ok", "\ud800", "ok"],
    "big-endian arrays": [np.arange(3, dtype=">f4"), np.arange(3, dtype=">f4")],
    "arrays of objects": [np.array(["a", None], dtype=object)],
    "views that are not contiguous": [np.arange(10)[::2], np.arange(10)[::2]],
    "dates": [np.datetime64("2020-01-01")],
    "nothing": [],
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_come_out_as_they_went_in(kind):
    out = through(ROWS[kind])
    assert len(out) == len(ROWS[kind])
    for before, after in zip(ROWS[kind], out, strict=True):
        assert same(before, after), f"{before!r} became {after!r}"


@pytest.mark.parametrize("kind", [k for k in ROWS if k != "bytes"])
def test_rows_survive_the_smallest_ring(kind):
    out = through(ROWS[kind], blocks=2, block_bytes=4096)
    assert all(map(same, ROWS[kind], out))
    assert len(out) == len(ROWS[kind])


def test_rows_larger_than_the_ring():
    rows = [np.random.default_rng(i).random(300_000) for i in range(5)]
    out = through(rows, blocks=4, block_bytes=65_536)
    assert all(map(same, rows, out))


def test_columns_are_views_of_the_ring():
    pair = Pair()
    pair.producer.put_rows([([1.0, 2.0], 3), ([4.0, 5.0], 6)], DEADLINE)
    block = pair.inbox.receive(DEADLINE).block
    features, labels = block.columns()
    assert features.tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert labels.tolist() == [3, 6]
    assert not features.flags.owndata
    features /= 2.0  # The block belongs to the reader until the views are gone.
    assert block.rows() == [([0.5, 1.0], 3), ([2.0, 2.5], 6)]


def test_columns_have_names_and_gaps():
    pair = Pair()
    schema = pa.schema([("x", pa.float32()), ("s", pa.string()), ("l", pa.list_(pa.int32()))])
    batch = pa.RecordBatch.from_pylist(
        [{"x": 1.0, "s": "a", "l": [1]}, {"x": None, "s": "bc", "l": []}], schema=schema
    )
    pair.producer.put_arrow(batch, DEADLINE)
    block = pair.inbox.receive(DEADLINE).block
    columns = block.columns()
    assert columns["x"].tolist() == [1.0, None]
    assert columns["s"].tolist() == ["a", "bc"]
    assert [list(row) for row in columns["l"]] == [[1], []]
    assert block.rows() == [Row(x=1.0, s="a", l=[1]), Row(x=None, s="bc", l=[])]
    assert block.arrow().to_pylist() == batch.to_pylist()


def test_arrow_batches_of_every_type_and_slice():
    rows = [
        {
            "i8": i % 100,
            "f64": i / 3,
            "b": i % 3 == 0 if i % 5 else None,
            "s": "ü" * (i % 7),
            "z": bytes([i % 256]) * (i % 3),
            "fixed": [float(i), 1.0],
            "var": list(range(i % 4)),
        }
        for i in range(5000)
    ]
    schema = pa.schema(
        [
            ("i8", pa.int8()),
            ("f64", pa.float64()),
            ("b", pa.bool_()),
            ("s", pa.string()),
            ("z", pa.large_binary()),
            ("fixed", pa.list_(pa.float32(), 2)),
            ("var", pa.list_(pa.int64())),
        ]
    )
    batch = pa.RecordBatch.from_pylist(rows, schema=schema).slice(17, 4900)
    pair = Pair(blocks=4, block_bytes=65_536)
    out = []

    def read():
        out.extend(row.asDict() for row in received_rows(pair.inbox))

    reader = threading.Thread(target=read)
    reader.start()
    pair.producer.put_arrow(batch, DEADLINE)
    pair.producer.end_feed(DEADLINE)
    reader.join(DEADLINE)
    assert out == rows[17:4917]


def test_a_column_that_cannot_be_fed_is_named():
    pair = Pair()
    batch = pa.RecordBatch.from_pydict({"when": pa.array([1], pa.timestamp("us"))})
    with pytest.raises(feed.FeedError, match='column "when".*tsu'):
        pair.producer.put_arrow(batch, DEADLINE)
    with pytest.raises(feed.FeedTimeoutError):
        pair.inbox.receive(0)


def test_a_program_that_keeps_every_batch_cannot_stop_the_feed():
    pair = Pair(blocks=4, block_bytes=4096)
    kept = []
    for i in range(50):
        pair.producer.put_rows([np.full(100, i)], DEADLINE)
        kept.append(pair.inbox.receive(DEADLINE).block)
    assert any(block.is_copy for block in kept)
    assert not all(block.is_copy for block in kept)
    for i, block in enumerate(kept):
        assert (block.rows()[0] == i).all()


def test_a_full_ring_times_out_and_says_for_what():
    pair = Pair(blocks=2, block_bytes=4096)
    with pytest.raises(feed.FeedTimeoutError, match="read what it was fed"):
        pair.producer.put_rows((float(i) for i in range(100_000)), timeout=0.05)


def test_a_signal_runs_its_handler_during_a_wait():
    pair = Pair()
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: (seen.append(1), pair.inbox.end()))
    try:
        main = threading.main_thread().ident
        threading.Timer(0.05, lambda: signal.pthread_kill(main, signal.SIGUSR1)).start()
        assert pair.inbox.receive(DEADLINE).kind == feed.END_OF_FEED
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [1]


FEEDER = """
import array, socket, sys
from muster import feed
connection = socket.socket(fileno=int(sys.argv[1]))
_, fds, _, _ = socket.recv_fds(connection, 1, 2)
producer = feed.Producer(*fds)
producer.put_rows(([float(i)] * 100, i) for i in range(int(sys.argv[2])))
producer.wait_consumed()
"""


def start_feeder(inbox, ring, rows):
    """Another process that feeds `rows` rows; returns it and our end of its connection."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-c", FEEDER, str(theirs.fileno()), str(rows)], pass_fds=[theirs.fileno()]
    )
    theirs.close()
    socket.send_fds(ours, [b"r"], list(inbox.descriptors(ring)))
    return process, ours


def test_two_processes_feed_one():
    inbox = feed.Inbox()
    feeders = [start_feeder(inbox, inbox.add(), 20_000) for _ in range(2)]
    count = 0
    while count < 40_000:
        received = inbox.receive(DEADLINE)
        features, labels = received.block.columns()
        assert (features[:, 0] == labels).all()
        count += len(received.block)
        inbox.consumed(received)
    for process, connection in feeders:
        assert process.wait(DEADLINE) == 0
        connection.close()


def test_a_killed_feeder_leaves_whole_rows():
    inbox = feed.Inbox()
    ring = inbox.add(blocks=4, block_bytes=65_536)
    process, connection = start_feeder(inbox, ring, 100_000_000)
    for _ in range(20):
        inbox.consumed(inbox.receive(DEADLINE))
    process.kill()
    process.wait()
    assert connection.recv(1) == b""  # How the reader's process learns of it.
    inbox.feeder_gone(ring)
    inbox.end()
    for features, label in received_rows(inbox):
        assert features == [float(label)] * 100


def test_rows_that_come_slowly_are_read_as_they_come():
    pair = Pair()
    go_on = threading.Event()

    def slow():
        for row in (1, 2):
            # lint: allow(sleep) the source is what is slow, for longer than the feeder's patience.
            time.sleep(0.1)
            yield row
        assert go_on.wait(DEADLINE)
        yield 3

    feeder = threading.Thread(target=lambda: pair.producer.put_rows(slow(), DEADLINE))
    feeder.start()
    got = []
    while len(got) < 2:
        got += pair.inbox.receive(DEADLINE).block.rows()
    go_on.set()
    feeder.join(DEADLINE)
    assert got == [1, 2]
    assert pair.inbox.receive(DEADLINE).block.rows() == [3]


def test_a_feeder_killed_in_the_middle_of_a_row_leaves_none_of_it():
    inbox = feed.Inbox()
    ring = inbox.add(blocks=2, block_bytes=4096)
    process, connection = start_feeder(inbox, ring, 100_000)
    inbox.consumed(inbox.receive(DEADLINE))
    process.kill()
    process.wait()
    inbox.feeder_gone(ring)
    with pytest.raises(feed.FeedTimeoutError):
        while True:
            received = inbox.receive(0)
            assert all(row == ([float(row[1])] * 100, row[1]) for row in received.block.rows())
            inbox.consumed(received)
    connection.close()
    # The task is tried again, with a ring of its own.
    process, connection = start_feeder(inbox, inbox.add(), 500)
    rows = []
    while len(rows) < 500:
        received = inbox.receive(DEADLINE)
        rows += received.block.rows()
        inbox.consumed(received)
    assert [label for _, label in rows] == list(range(500))
    assert process.wait(DEADLINE) == 0
    connection.close()


@pytest.mark.parametrize("size", [1, 7, 64, 1000, None])
def test_columns_come_in_batches_of_one_size(size):
    from muster.feed.columns import ColumnReader

    pair = Pair(blocks=4, block_bytes=4096)
    rows = [([float(i), -float(i)], i) for i in range(900)]

    def work():
        pair.producer.put_rows(iter(rows), DEADLINE)
        pair.producer.end_feed(DEADLINE)

    feeder = threading.Thread(target=work)
    feeder.start()
    labels = []
    for numbers, label in ColumnReader(pair.inbox).batches(size):
        assert (numbers[:, 0] == label).all() and (numbers[:, 1] == -label).all()
        assert size is None or len(label) == size or len(labels) + len(label) == len(rows)
        labels += label.tolist()
    feeder.join(DEADLINE)
    assert labels == list(range(900))


def test_rows_without_columns_say_so():
    from muster.feed.columns import ColumnReader

    pair = Pair()
    pair.producer.put_rows([{1, 2}], DEADLINE)
    with pytest.raises(feed.FeedError, match="have no columns.*next_batch"):
        next(ColumnReader(pair.inbox).batches(10))
