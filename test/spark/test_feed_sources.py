"""Where rows come from: sources that raise, stop, use their arrays again, or vary in size."""
# also: newest

import random

import numpy as np
import pyarrow as pa
import pytest
from test_feed import DEADLINE, Pair, received_rows, same, through

from muster import feed


def test_a_source_that_raises_is_heard():
    def source():
        yield from range(100)
        raise ValueError("no more of these")

    pair = Pair()
    with pytest.raises(ValueError, match="no more of these"):
        pair.producer.put_rows(source(), DEADLINE)


def test_a_row_left_when_feeding_was_stopped_is_not_fed_later():
    pair = Pair()
    looks = iter([False, False, True])
    # The second row has different columns from the first, so it waits for a block of its own.
    assert pair.producer.put_rows([1.0, "a", "b"], DEADLINE, lambda: next(looks)) == 1
    assert pair.producer.put_rows([2.0], DEADLINE) == 1
    pair.producer.end_feed(DEADLINE)
    assert received_rows(pair.inbox) == [1.0, 2.0]


@pytest.mark.parametrize("size", [10, 200, 30_000, 600_000])
def test_a_source_may_use_its_array_again(size):
    def source():
        buffer = np.zeros(size, dtype="int32")
        for i in range(20):
            buffer[:] = i
            yield (buffer, i)

    pair = Pair(blocks=64)
    pair.producer.put_rows(source(), DEADLINE)
    pair.producer.end_feed(DEADLINE)
    assert [(set(array.tolist()), i) for array, i in received_rows(pair.inbox)] == [
        ({i}, i) for i in range(20)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_values_of_any_sizes_come_out_as_they_went_in(seed):
    rng = random.Random(seed)
    sizes = [0, 1, 50, 900, 5000, 70_000]
    many = [rng.choices(sizes, [3, 9, 9, 9, 1, 0.1])[0] for _ in range(500)]
    ways = {
        0: lambda n, i: bytes([i % 256]) * n,
        1: lambda n, i: (i, bytes([i % 256]) * n, "é" * (n // 3)),
        2: lambda n, i: {"x": [float(i)] * (n // 8), "y": i},
        3: lambda n, i: (np.full((n // 4,), i % 9, dtype="f4") if i % 50 else None, i),
        4: lambda n, i: (np.full((3, 7), i % 9, dtype="f4"), b"x" * n),
    }
    rows = [ways[seed](n, i) for i, n in enumerate(many)]
    for shape in ({}, {"blocks": 4, "block_bytes": 8192}):
        out = through(rows, **shape)
        assert len(out) == len(rows) and all(map(same, rows, out))


@pytest.mark.parametrize("first", [0, 3, 3000, 900_000])
def test_a_first_row_of_another_size_costs_a_block_or_two(first):
    rows = [bytes(first)] + [bytes([i % 256]) * 100 for i in range(2000)]
    pair = Pair()
    pair.producer.put_rows(iter(rows), DEADLINE)
    pair.producer.end_feed(DEADLINE)
    blocks = []
    while (received := pair.inbox.receive(DEADLINE)).kind != feed.END_OF_FEED:
        blocks.append(received.block.rows())
    assert [row for block in blocks for row in block] == rows
    assert len(blocks) <= 3


def test_an_empty_source_needs_no_reader():
    pair = Pair()
    pair.inbox.close()
    assert pair.producer.put_rows([], DEADLINE) == 0
    with pytest.raises(feed.ReaderGoneError):
        pair.producer.put_rows([1], DEADLINE)


def test_what_a_failed_call_left_is_not_fed_later():
    pair = Pair()

    def source():
        yield from [1.0, 2.0]
        raise ValueError("no more of these")

    with pytest.raises(ValueError, match="no more"):
        pair.producer.put_rows(source(), DEADLINE)
    pair.producer.put_arrow(pa.record_batch({"x": [1]}), DEADLINE)
    pair.producer.put_rows([3.0], DEADLINE)
    pair.producer.end_feed(DEADLINE)
    (batch_row, *others) = received_rows(pair.inbox)
    assert (batch_row["x"], others) == (1, [3.0])
