"""The feed without Spark: rows into a ring and out of it, also by a call for each value."""

import json
import os
import pathlib
import statistics
import subprocess
import sys

import spark_feed
from table import Row

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "bench" / "feed"
COPY_SHARE = 0.8  # Of a bare copy.


def feed_layout(programs, rounds):
    """`programs` is the folder of the build, which has the library in both forms."""
    python = spark_feed.environment()
    direct = rates(python, programs / "libmuster_feed.so", rounds)
    calls = rates(python, programs / "libmuster_feed_by_calls.so", rounds)
    table = [Row(f"feed_{way}_{at}", f"feed: {way} {kind}, per second of a core", "rows/s",
                 [sample[turn] for sample in direct[kind]], "tools/bench --only feed",
                 peers={"a call for each value": [sample[turn] for sample in calls[kind]]})
             for at, kind in enumerate(direct) for turn, way in enumerate(("encode", "decode"))]
    return [*table, copy_row(found(python, "copy_rates.py", programs / "libmuster_feed.so",
                                   rounds))]


def copy_row(samples):
    ring, bare = zip(*samples, strict=True)
    return Row("spark_numpy", "feed: out of the ring into an array", "MB/s", list(ring),
               "tools/bench --only feed", limit=COPY_SHARE * statistics.median(bare),
               at_least=True, peers={"bare copy": list(bare)})


def rates(python, library, rounds):
    """Kind of row → [encoded, decoded] rows per second, for each round."""
    return found(python, "row_rates.py", library, rounds)


def found(python, program, library, rounds):
    """What a program of bench/feed prints with a library."""
    done = subprocess.run(
        [python, "-B", PROGRAMS / program, str(rounds)], check=True, text=True,
        stdout=subprocess.PIPE, stderr=sys.stderr,
        env=dict(os.environ, MUSTER_FEED_LIBRARY=str(library),
                 PYTHONPATH=str(ROOT / "python" / "src")))
    return json.loads(done.stdout)
