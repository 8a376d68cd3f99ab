"""Rows out of a feed as Python objects: the collector and the memory of the program that reads."""
# also: newest

import gc
import os
import subprocess
import sys
import threading

import pytest
from test_feed import DEADLINE, Pair

from muster import feed
from muster.feed.reader import ROWS, RowReader


@pytest.mark.parametrize("was_on", [True, False])
def test_the_garbage_collector_is_left_as_it_was(was_on):
    pair = Pair()
    reader = RowReader(pair.inbox)
    pair.producer.put_rows(([float(i)], i) for i in range(10))
    if not was_on:
        gc.disable()
    try:
        assert reader.read(4) == ([([float(i)], i) for i in range(4)], ROWS)
        assert gc.isenabled() == was_on
        with pytest.raises(feed.FeedTimeoutError):
            reader.read(7, 0.01)
        assert gc.isenabled() == was_on
        assert reader.read_block(DEADLINE)[0] == [([float(i)], i) for i in range(4, 10)]
        assert gc.isenabled() == was_on
    finally:
        gc.enable()


def test_the_garbage_collector_runs_while_rows_are_waited_for():
    pair = Pair()
    pair.producer.put_rows([1, 2])
    seen = []

    def feed_one_more(timeout):
        if timeout:
            seen.append(gc.isenabled())
            pair.producer.put_rows([3])

    inbox = Asked(pair.inbox, feed_one_more)
    assert RowReader(inbox).read(3, DEADLINE) == ([1, 2, 3], ROWS)
    assert seen == [True]


def test_two_readers_at_once_leave_the_garbage_collector_on():
    """The second begins after the first, and waits and makes its rows after the first is done."""
    first, second = Pair(), Pair()
    first.producer.put_rows([1])
    second.producer.put_rows([2])
    begun, first_done = threading.Event(), threading.Event()

    def second_waits(timeout):
        if timeout == 0:
            begun.set()
            assert first_done.wait(DEADLINE)
            raise feed.FeedTimeoutError("nothing yet")

    other = threading.Thread(target=RowReader(Asked(second.inbox, second_waits)).read, args=[1])

    def first_waits(_):
        other.start()
        assert begun.wait(DEADLINE)

    assert RowReader(Asked(first.inbox, first_waits)).read(1, DEADLINE) == ([1], ROWS)
    first_done.set()
    other.join(DEADLINE)
    assert not other.is_alive()
    assert gc.isenabled()


def test_a_child_that_is_forked_meanwhile_has_its_collector():
    pair = Pair()
    pair.producer.put_rows([1])

    def fork(_):
        child = os.fork()
        if child == 0:
            os._exit(0 if gc.isenabled() else 1)
        assert os.waitpid(child, 0)[1] == 0

    assert RowReader(Asked(pair.inbox, fork)).read(1, DEADLINE) == ([1], ROWS)


class Asked:
    """An inbox that calls a function with the timeout when it is asked for something."""

    def __init__(self, inbox, function):
        self._inbox = inbox
        self._function = function
        self.consumed = inbox.consumed

    def receive(self, timeout):
        self._function(timeout)
        return self._inbox.receive(timeout)


REUSE = """
import resource
from muster.spark.inlets import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

keep_freed_memory()
costs = []
for _ in range(3):
    before = faults()
    rows = [[i + j / 64 for j in range(64)] for i in range(10_000)]
    del rows
    costs.append(faults() - before)
print(*costs)
"""


def test_memory_of_a_batch_serves_the_next_one():
    costs = subprocess.run([sys.executable, "-c", REUSE], check=True, stdout=subprocess.PIPE).stdout
    first, *later = map(int, costs.split())
    assert first > 3000, "10,000 rows of 64 floats take some 20 MB"
    assert max(later) < first / 4
