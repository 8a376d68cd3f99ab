"""Rows per second from Spark to a program on an executor, beside what Spark alone delivers.

usage: feed_rates.py --rounds N --scale X --out FILE [--original] [--only STEP]...

Runs in an environment with pyspark and numpy; the package under test is on PYTHONPATH: Muster's
`tensorflowonspark`, or with --original the one of TensorFlowOnSpark itself, by what both have. A
rate is taken in the task that feeds, from its first row to its last one, in the same way where
nobody is fed.
"""

import argparse
import collections
import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pyspark  # noqa: E402
import rows  # noqa: E402
from pyspark.accumulators import AccumulatorParam  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from tensorflowonspark import TFCluster  # noqa: E402

SPARK = TFCluster.InputMode.SPARK
PARTITIONS = 2
BATCH = 1000


class Sum(AccumulatorParam):
    """Of (rows, seconds, seconds of the processor)."""

    def zero(self, value):
        return (0, 0.0, 0.0)

    def addInPlace(self, left, right):  # noqa: N802 (pyspark's name)
        return tuple(map(sum, zip(left, right, strict=True)))


class Watch:
    """Since when, by both clocks."""

    def __init__(self):
        self.seconds, self.processor = time.perf_counter(), time.process_time()

    def since(self, count):
        return count, time.perf_counter() - self.seconds, time.process_time() - self.processor


class Clock:
    """Counts and times what goes through the tasks of one Spark job."""

    def __init__(self, sc):
        self.sum = sc.accumulator((0, 0.0, 0.0), Sum())

    def rows(self):
        total = self.sum

        def through(source):
            count, started = 0, None
            for row in source:
                if started is None:
                    started = Watch()
                count += 1
                yield row
            if count:
                total.add(started.since(count))

        return through

    def batches(self, then):
        """The same for a function of mapInArrow."""
        total = self.sum

        def through(source):
            def timed():
                count, started = 0, Watch()  # A partition may be one batch.
                for batch in source:
                    count += batch.num_rows
                    yield batch
                if count:
                    total.add(started.since(count))

            yield from then(timed())

        return through

    @property
    def rate(self):
        count, seconds, _ = self.sum.value
        return count / seconds

    @property
    def rate_of_processor(self):
        """Rows per second of the processor's time that the feeding process took."""
        count, _, seconds = self.sum.value
        return count / max(seconds, 1e-3)


def read_lists(args, ctx):
    feed = ctx.get_data_feed(train_mode=True)
    while not feed.should_stop():
        feed.next_batch(args["batch"])


def read_columns(args, ctx):
    from muster.spark import batches

    for _ in batches(ctx):
        pass


def answer(args, ctx):
    feed = ctx.get_data_feed(train_mode=False)
    while not feed.should_stop():
        batch = feed.next_batch(args["batch"])
        if batch:
            feed.batch_results([0] * len(batch))


def read_slowly(args, ctx):
    Path(args["folder"], "pid").write_text(str(os.getpid()))
    feed = ctx.get_data_feed(train_mode=True)
    while not feed.should_stop():
        feed.next_batch(1)
        time.sleep(0.01)


def note_and_end(args, ctx):
    Path(args["folder"], f"{args['run']}").write_text(repr(time.time()))


def exhaust(source):
    collections.deque(source, maxlen=0)


def count_batches(source):
    import pyarrow

    total = sum(batch.num_rows for batch in source)
    yield pyarrow.RecordBatch.from_arrays([pyarrow.array([total])], ["n"])


class Bench:
    """One application, and what was measured in it."""

    def __init__(self, options):
        self.options = options
        self.sc = context()
        self.found = []
        self.folder = tempfile.mkdtemp(prefix="feed-rates-")

    def add(self, what, kind, value):
        print(f"feed_rates: {what}: {kind}: {value:.4g}", file=sys.stderr, flush=True)
        self.found.append({"what": what, "kind": kind, "value": value})

    def add_rates(self, what, kind, clock):
        self.add(what, kind, clock.rate)
        self.add(f"{what}, processor", kind, clock.rate_of_processor)

    def rdd(self, kind):
        """Rows of a kind, in Spark's memory as it keeps them."""
        count = max(PARTITIONS, int(rows.KINDS[kind][0] * self.options.scale)) // PARTITIONS
        made = self.sc.parallelize(range(PARTITIONS), PARTITIONS).flatMap(
            lambda seed: rows.make(kind, count, seed)
        )
        made.cache()
        made.count()
        return made

    def run(self, function):
        args = {"batch": BATCH, "folder": self.folder}
        return TFCluster.run(self.sc, function, args, 1, 0, input_mode=SPARK, master_node="chief")

    def rdds(self):
        """Every kind by RDD: Spark alone, read as lists, read as columns."""
        readers = {"rdd lists": read_lists}
        if not self.options.original:
            readers["rdd columns"] = read_columns
        for way, reader in readers.items():
            cluster = self.run(reader)
            for kind in rows.KINDS:
                rdd = self.rdd(kind)
                for _ in range(self.options.rounds):
                    if not self.options.original:
                        clock = Clock(self.sc)
                        rdd.mapPartitions(clock.rows()).foreachPartition(exhaust)
                        self.add_rates(f"spark for {way}", kind, clock)
                    clock = Clock(self.sc)
                    called = time.perf_counter()
                    cluster.train(rdd.mapPartitions(clock.rows()), 1)
                    called = time.perf_counter() - called
                    self.add_rates(way, kind, clock)
                    self.add(f"{way}, call", kind, clock.sum.value[0] / called)
                rdd.unpersist()
            cluster.shutdown()

    def frames(self):
        """Every kind that has columns by DataFrame: Spark alone, read as columns."""
        from muster.spark import feeding

        session = SparkSession(self.sc)
        cluster = self.run(read_columns)
        for kind, (_, _, columns) in rows.KINDS.items():
            if columns is None:
                continue
            made = self.rdd(kind)
            data = made.map(lambda row, columns=columns: rows.as_frame_row(row, columns))
            frame = session.createDataFrame(data, columns)
            frame.cache()
            frame.count()
            made.unpersist()
            for _ in range(self.options.rounds):
                clock = Clock(self.sc)
                frame.mapInArrow(clock.batches(count_batches), "n long").collect()
                self.add_rates("spark for frame", kind, clock)
                clock = Clock(self.sc)
                feed = feeding.train_arrow(cluster._job.feed_settings("input", 600))
                outcomes = "partition int, outcome string"
                told = frame.mapInArrow(clock.batches(feed), outcomes).collect()
                assert all(row.outcome == feeding.FED for row in told), told
                self.add_rates("frame", kind, clock)
            frame.unpersist()
        cluster.shutdown()

    def inference(self):
        cluster = self.run(answer)
        kind = "13 floats"
        rdd = self.rdd(kind)
        for _ in range(self.options.rounds):
            started = time.perf_counter()
            count = cluster.inference(rdd).count()
            self.add("inference", kind, count / (time.perf_counter() - started))
        rdd.unpersist()
        cluster.shutdown()

    def lives(self):
        """How long starting and ending take in a warm application."""
        mode = TFCluster.InputMode.TENSORFLOW
        for run in range(self.options.rounds):
            started = time.time()
            args = {"folder": self.folder, "run": run}
            cluster = TFCluster.run(self.sc, note_and_end, args, 1, 0, input_mode=mode)
            cluster.shutdown()
            ended = time.time()
            entered = float(Path(self.folder, f"{run}").read_text())
            self.add("entered", "", 1000 * (entered - started))
            self.add("shutdown", "", 1000 * (ended - entered))

    def death(self):
        """A killed program: when the call that feeds it raises, and what the feed held."""
        rdd = self.rdd("3 KB of bytes")
        for _ in range(self.options.rounds):
            pid = Path(self.folder, "pid")
            pid.unlink(missing_ok=True)
            cluster = self.run(read_slowly)
            while not pid.exists() or not pid.read_text():
                time.sleep(0.01)
            process = int(pid.read_text())
            killed = []

            def kill(process=process, killed=killed):
                time.sleep(3)
                self.add("ring", "", ring_bytes(process) / 2**20)
                killed.append(time.perf_counter())
                os.kill(process, signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            try:
                cluster.train(rdd, 10)
            except Exception as failure:
                self.add("death", "", 1000 * (time.perf_counter() - killed[0]))
                assert "SIGKILL" in str(failure), failure
            killer.join()
            try:
                cluster.shutdown()
            except Exception as failure:
                print(f"feed_rates: as it should: {str(failure)[:80]!r}", file=sys.stderr)

    def ring_to_numpy(self):
        """Bytes per second out of a ring into an array, and of a bare copy as large."""
        import numpy as np

        from muster import feed

        block = 1 << 20
        for _ in range(3 * self.options.rounds):
            inbox = feed.Inbox()
            ring = inbox.add(blocks=16, block_bytes=block + (1 << 16))
            producer = feed.Producer(*[os.dup(fd) for fd in inbox.descriptors(ring)])
            source = [np.full(block // 8, i, dtype="float64") for i in range(8)]
            target = np.zeros(block // 8)
            seconds = {"ring": 0.0, "copy": 0.0}
            for turn in range(9):
                producer.put_rows(source)
                started = time.perf_counter()
                for _ in source:
                    received = inbox.receive(60)
                    np.copyto(target, received.block.columns()[0])
                    inbox.consumed(received)
                    del received
                seconds["ring"] += (time.perf_counter() - started) * (turn > 0)
                started = time.perf_counter()
                for array in source:
                    np.copyto(target, array)
                seconds["copy"] += (time.perf_counter() - started) * (turn > 0)
            for what, spent in seconds.items():
                self.add(f"numpy {what}", "", 64 * block / spent / 1e6)


def ring_bytes(process):
    """Shared memory of the feeds that a process reads."""
    segments = {}
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        if "muster-feed" in str(descriptor.readlink()):
            found = descriptor.stat()
            segments[found.st_ino] = found.st_blocks * 512
    return sum(segments.values())


def context():
    conf = pyspark.SparkConf().set("spark.ui.enabled", "false")
    conf.set("spark.task.maxFailures", "1").set("spark.python.worker.reuse", "true")
    sc = pyspark.SparkContext("local-cluster[1,1,2048]", "feed", conf=conf)
    sc.setLogLevel("OFF")
    sc.addPyFile(str(Path(rows.__file__)))
    return sc


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of rows")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--original", action="store_true")
    parser.add_argument("--only", action="append", metavar="STEP", help="rdds, frames, ...")
    options = parser.parse_args()
    bench = Bench(options)
    steps = [bench.rdds, bench.inference]
    if not options.original:
        steps += [bench.ring_to_numpy, bench.frames, bench.lives, bench.death]
    for step in steps:
        if options.only and step.__name__ not in options.only:
            continue
        started = time.monotonic()
        step()
        print(f"feed_rates: {step.__name__}: {time.monotonic() - started:.0f} s", file=sys.stderr)
        # What is there survives a step that fails.
        options.out.write_text(json.dumps(bench.found))
    bench.sc.stop()


if __name__ == "__main__":
    main()
