"""Rows per second from Spark to a program on an executor, beside what Spark alone delivers.

usage: feed_rates.py --rounds N --seconds S --out FILE [--original] [--only STEP]... [--kind TEXT]

Runs in an environment with pyspark and numpy, on a Standalone cluster of two workers of its own;
the package under test is on PYTHONPATH: Muster's `tensorflowonspark`, or with --original the one of
TensorFlowOnSpark itself, by what both have.

A rate goes from the moment at which the first task asks for its first row to the last row: taken
by the program that is fed; where nobody is fed, come out in the task. Both ways run the same Spark
jobs, over as many epochs as fill S seconds.
"""

import argparse
import collections
import contextlib
import json
import math
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "tools" / "spark")]

import pyspark  # noqa: E402
import rows  # noqa: E402
import standalone  # noqa: E402
from pyspark.accumulators import AccumulatorParam  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from tensorflowonspark import TFCluster  # noqa: E402

SPARK = TFCluster.InputMode.SPARK
WORKERS = 2
PARTITIONS = 2
BATCH = 1000
TAKEN_SECONDS = 60


class Span(AccumulatorParam):
    """(rows, the earliest first moment, the latest last one, seconds of the processor)."""

    def zero(self, value):
        return (0, math.inf, 0.0, 0.0)

    def addInPlace(self, left, right):  # noqa: N802 (pyspark's name)
        return (left[0] + right[0], min(left[1], right[1]), max(left[2], right[2]),
                left[3] + right[3])


class Clock:
    """Counts and times what goes through the tasks of Spark jobs."""

    def __init__(self, sc):
        self.span = sc.accumulator((0, math.inf, 0.0, 0.0), Span())

    def rows(self):
        return lambda source: self._through(source, lambda row: 1)

    def batches(self, then):
        """The same for a function of mapInArrow."""
        return lambda source: then(self._through(source, lambda batch: batch.num_rows))

    def _through(self, source, rows_of):
        count, asked, processor = 0, time.time(), time.process_time()
        for item in source:
            count += rows_of(item)
            yield item
        if count:
            self.span.add((count, asked, time.time(), time.process_time() - processor))

    def __getstate__(self):
        return {"span": self.span}

    @property
    def count(self):
        return self.span.value[0]

    def rate(self, taken=None):
        """Rows per second until the last one came out, or until the moment `taken`."""
        count, asked, last, _ = self.span.value
        return count / ((taken or last) - asked)

    @property
    def rate_of_processor(self):
        """Rows per second of the processor's time that the feeding processes took."""
        return self.count / max(self.span.value[3], 1e-3)


class Taken:
    """What the programs have taken, in files that they append to: each batch's moment and rows."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.before = 0

    def until(self, count):
        """Waits until so many more rows were taken; returns the moment of the last batch."""
        deadline = time.monotonic() + TAKEN_SECONDS
        while True:
            batches = [line.split() for file in self.folder.glob("taken-*")
                       for line in file.read_text().splitlines()]
            total = sum(int(rows) for _, rows in batches)
            if total >= self.before + count:
                self.before = total
                return max(float(moment) for moment, _ in batches)
            if time.monotonic() > deadline:
                raise RuntimeError(f"{total - self.before} of {count} rows were taken")
            time.sleep(0.01)


class Note:
    """A program's side of Taken."""

    def __init__(self, args, ctx):
        name = f"taken-{ctx.job_name}-{ctx.task_index}-{os.getpid()}"
        self.file = Path(args["folder"], name)

    def took(self, count):
        with self.file.open("a") as file:
            file.write(f"{time.time()} {count}\n")


def read_lists(args, ctx):
    feed, note = ctx.get_data_feed(train_mode=True), Note(args, ctx)
    while not feed.should_stop():
        batch = feed.next_batch(args["batch"])
        if batch:
            note.took(len(batch))


def read_columns(args, ctx):
    from muster.spark import batches

    note = Note(args, ctx)
    for batch in batches(ctx):
        column = next(iter(batch.values())) if isinstance(batch, dict) else batch
        note.took(len(column[0] if isinstance(column, list) else column))


def answer(args, ctx):
    feed = ctx.get_data_feed(train_mode=False)
    while not feed.should_stop():
        batch = feed.next_batch(args["batch"])
        if batch:
            feed.batch_results([0] * len(batch))


def read_slowly(args, ctx):
    if ctx.job_name == "chief":
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

    def __init__(self, options, sc, folder):
        self.options = options
        self.sc = sc
        self.found = []
        self.folder = folder
        self.kinds = {kind: of for kind, of in rows.KINDS.items() if options.kind in kind}

    def add(self, what, kind, value):
        print(f"feed_rates: {what}: {kind}: {value:.4g}", file=sys.stderr, flush=True)
        self.found.append({"what": what, "kind": kind, "value": value})

    def add_rates(self, what, kind, clock, taken=None):
        self.add(what, kind, clock.rate(taken))
        self.add(f"{what}, processor", kind, clock.rate_of_processor)

    def rdd(self, kind):
        """Rows of a kind, in Spark's memory as it keeps them."""
        count = rows.KINDS[kind][0] // PARTITIONS
        made = self.sc.parallelize(range(PARTITIONS), PARTITIONS).flatMap(
            lambda seed: rows.make(kind, count, seed)
        )
        made.cache()
        made.count()
        return made

    def run(self, function, batch=BATCH):
        args = {"batch": batch, "folder": self.folder}
        for old in Path(self.folder).glob("taken-*"):
            old.unlink()
        return TFCluster.run(self.sc, function, args, WORKERS, 0, input_mode=SPARK,
                             master_node="chief")

    def epochs(self, alone):
        """How many make the round long enough: `alone(clock, epochs)` runs some without a feed."""
        clock = Clock(self.sc)
        alone(clock, 1)
        return max(1, math.ceil(self.options.seconds * clock.rate() / clock.count))

    def rdds(self):
        """Every kind by RDD: Spark alone, read as lists, read as columns."""
        readers = {"rdd lists": read_lists}
        if not self.options.original:
            readers["rdd columns"] = read_columns
        for way, reader in readers.items():
            for kind in self.kinds:
                self.rdd_rounds(way, reader, kind)

    def rdd_rounds(self, way, reader, kind):
        rdd = self.rdd(kind)

        def alone(clock, epochs):
            counted = rdd.mapPartitions(clock.rows())
            self.sc.union([counted] * epochs).foreachPartition(exhaust)

        epochs = 1 if self.options.original else self.epochs(alone)
        # next_batch waits until its batch is full, and every worker is fed whole partitions: a
        # batch that did not divide them would leave rows in the feed, and the round without end.
        batch = math.gcd(BATCH, rows.KINDS[kind][0] // PARTITIONS)
        cluster = self.run(reader, batch)
        taken = Taken(self.folder)
        for _ in range(self.options.rounds):
            if not self.options.original:
                clock = Clock(self.sc)
                alone(clock, epochs)
                self.add_rates(f"spark for {way}", kind, clock)
            clock = Clock(self.sc)
            called = time.perf_counter()
            cluster.train(rdd.mapPartitions(clock.rows()), epochs)
            called = time.perf_counter() - called
            self.add_rates(way, kind, clock, taken.until(clock.count))
            self.add(f"{way}, call", kind, clock.count / called)
        rdd.unpersist()
        cluster.shutdown()

    def frames(self):
        """Every kind that has columns by DataFrame: Spark alone, read as columns."""
        from muster.spark import feeding

        session = SparkSession(self.sc)
        cluster = self.run(read_columns)
        taken = Taken(self.folder)
        for kind, (_, _, columns) in self.kinds.items():
            if columns is None:
                continue
            made = self.rdd(kind)
            data = made.map(lambda row, columns=columns: rows.as_frame_row(row, columns))
            frame = session.createDataFrame(data, columns)
            frame.cache()
            frame.count()
            made.unpersist()

            def alone(clock, epochs, frame=frame):
                for _ in range(epochs):
                    frame.mapInArrow(clock.batches(count_batches), "n long").collect()

            epochs = self.epochs(alone)
            for _ in range(self.options.rounds):
                clock = Clock(self.sc)
                alone(clock, epochs)
                self.add_rates("spark for frame", kind, clock)
                clock = Clock(self.sc)
                feed = feeding.train_arrow(cluster._job.feed_settings("input", 600))
                outcomes = "partition int, outcome string"
                for _ in range(epochs):
                    told = frame.mapInArrow(clock.batches(feed), outcomes).collect()
                    assert all(row.outcome == feeding.FED for row in told), told
                self.add_rates("frame", kind, clock, taken.until(clock.count))
            frame.unpersist()
        cluster.shutdown()

    def inference(self):
        cluster = self.run(answer)
        kind = "13 floats"
        rdd = self.rdd(kind)

        def infer(epochs):
            started = time.perf_counter()
            count = cluster.inference(self.sc.union([rdd] * epochs)).count()
            return count, time.perf_counter() - started

        _, seconds = infer(1)
        for _ in range(self.options.rounds):
            count, took = infer(math.ceil(self.options.seconds / seconds))
            self.add("inference", kind, count / took)
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


def ring_bytes(process):
    """Shared memory of the feeds that a process reads."""
    segments = {}
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        if "muster-feed" in str(descriptor.readlink()):
            found = descriptor.stat()
            segments[found.st_ino] = found.st_blocks * 512
    return sum(segments.values())


@contextlib.contextmanager
def application(folder):
    """The SparkContext of an application on a Standalone cluster."""
    with standalone.cluster(folder, WORKERS, memory="3g") as address:
        conf = pyspark.SparkConf().set("spark.ui.enabled", "false")
        conf.set("spark.task.maxFailures", "1").set("spark.python.worker.reuse", "true")
        conf.set("spark.executor.memory", "2g")
        sc = pyspark.SparkContext(address, "feed", conf=conf)
        try:
            sc.setLogLevel("OFF")
            sc.addPyFile(str(Path(rows.__file__)))
            yield sc
        finally:
            sc.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each round, at least")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--original", action="store_true")
    parser.add_argument("--only", action="append", metavar="STEP", help="rdds, frames, ...")
    parser.add_argument("--kind", default="", metavar="TEXT", help="rows whose kind has this in it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="feed-rates-") as folder, application(folder) as sc:
        measure(options, Bench(options, sc, folder))


def measure(options, bench):
    steps = [bench.rdds, bench.inference]
    if not options.original:
        steps += [bench.frames, bench.lives, bench.death]
    for step in steps:
        if options.only and step.__name__ not in options.only:
            continue
        started = time.monotonic()
        step()
        print(f"feed_rates: {step.__name__}: {time.monotonic() - started:.0f} s", file=sys.stderr)
        # What is there survives a step that fails.
        options.out.write_text(json.dumps(bench.found))


if __name__ == "__main__":
    main()
