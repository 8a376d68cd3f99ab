"""What reading Python's objects in memory brings the feed, against a call for each value."""

import json
import os
import pathlib
import subprocess
import sys

import spark_feed
from table import Row

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bench" / "feed" / "row_rates.py"


def feed_layout(programs, rounds):
    """`programs` is the folder of the build, which has the library in both forms."""
    python = spark_feed.environment()
    direct = rates(python, programs / "libmuster_feed.so", rounds)
    calls = rates(python, programs / "libmuster_feed_by_calls.so", rounds)
    return [Row(f"feed_{way}_{at}", f"feed: {way} {kind}, per second of a core", "rows/s",
                [sample[turn] for sample in direct[kind]], "tools/bench --only feed",
                peers={"a call for each value": [sample[turn] for sample in calls[kind]]})
            for at, kind in enumerate(direct) for turn, way in enumerate(("encode", "decode"))]


def rates(python, library, rounds):
    """Kind of row → [encoded, decoded] rows per second, for each round."""
    done = subprocess.run(
        [python, "-B", PROGRAM, str(rounds)], check=True, text=True, stdout=subprocess.PIPE,
        stderr=sys.stderr,
        env=dict(os.environ, MUSTER_FEED_LIBRARY=str(library),
                 PYTHONPATH=str(ROOT / "python" / "src")))
    return json.loads(done.stdout)
