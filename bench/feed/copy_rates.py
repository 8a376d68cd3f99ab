"""Bytes per second out of a ring into an array, and of a bare copy as large.

usage: copy_rates.py ROUNDS     Prints JSON: [[MB/s out of the ring, MB/s of the bare copy], ...].

The bare copy reads from as many blocks as the ring has, which were written as recently as the
ring's: memory that the processor's nearest cache still holds would be no measure for it.
"""

import json
import os
import sys
import time

import numpy as np

from muster import feed

BLOCK_BYTES = 1 << 20
BLOCKS = 16
AT_ONCE = 8
TURNS = 33


def main():
    print(json.dumps([measure() for _ in range(int(sys.argv[1]))]))


def measure():
    inbox = feed.Inbox()
    ring = inbox.add(blocks=BLOCKS, block_bytes=BLOCK_BYTES + (1 << 16))
    # The producer takes over what the inbox only lends.
    producer = feed.Producer(*[os.dup(fd) for fd in inbox.descriptors(ring)])
    source = [np.full(BLOCK_BYTES // 8, i, dtype="float64") for i in range(AT_ONCE)]
    blocks = [np.zeros(BLOCK_BYTES // 8) for _ in range(BLOCKS)]
    target = np.zeros(BLOCK_BYTES // 8)
    from_ring = bare = 0.0
    for turn in range(TURNS):
        producer.put_rows(source)
        started = time.perf_counter()
        for _ in source:
            received = inbox.receive(60)
            np.copyto(target, received.block.columns()[0])
            inbox.consumed(received)
            del received
        from_ring += (time.perf_counter() - started) * (turn > 0)  # The first one warms up.
        written = blocks[AT_ONCE * (turn % 2):][:AT_ONCE]
        for block, values in zip(written, source, strict=True):
            np.copyto(block, values)
        started = time.perf_counter()
        for block in written:
            np.copyto(target, block)
        bare += (time.perf_counter() - started) * (turn > 0)
    megabytes = (TURNS - 1) * AT_ONCE * BLOCK_BYTES / 1e6
    return megabytes / from_ring, megabytes / bare


if __name__ == "__main__":
    main()
