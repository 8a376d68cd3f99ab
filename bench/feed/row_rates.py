"""Rows per second of processor time, through the library that MUSTER_FEED_LIBRARY names.

usage: row_rates.py ROUNDS      Prints JSON: kind → [[encoding, decoding] of each round].

One thread puts a few blocks full of rows into a ring, then takes them out again. Making the rows
and dropping them is not counted.
"""

import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "spark"))

import rows as kinds  # noqa: E402

from muster.feed.inbox import Inbox  # noqa: E402
from muster.feed.producer import Producer  # noqa: E402

PORTION_BYTES = 4 << 20  # Of what the ring has room for.
SECONDS = 0.5  # Of each way, in a round.


def measure(kind, feed):
    _, size, _ = kinds.KINDS[kind]
    count = max(2, PORTION_BYTES // size)
    fed = taken = 0.0
    total = 0
    while min(fed, taken) < SECONDS:
        source = list(kinds.make(kind, count, seed=total))
        fed += seconds_of(feed.put, source)
        taken += seconds_of(feed.take, count)
        total += count
    return total / fed, total / taken


class Feed:
    """A ring whose two ends are in this process."""

    def __init__(self):
        self.inbox = Inbox()
        # The producer takes over what the inbox only lends.
        ring, doorbell = self.inbox.descriptors(self.inbox.add(blocks=64))
        self.producer = Producer(os.dup(ring), os.dup(doorbell))

    def put(self, rows):
        self.producer.put_rows(rows, timeout=10)

    def take(self, count):
        while count > 0:
            received = self.inbox.receive(timeout=10)
            count -= len(received.block.rows())
            self.inbox.consumed(received)


def seconds_of(call, argument):
    started = time.process_time()
    call(argument)
    return time.process_time() - started


def main():
    feed = Feed()
    found = {kind: [measure(kind, feed) for _ in range(int(sys.argv[1]))] for kind in kinds.KINDS}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
