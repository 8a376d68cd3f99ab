"""The feed of a cluster on bad days: programs and rows that misbehave."""
# timeout: 600
# application: clusters

import json
import os

import pytest
from cluster_bed import home, sc  # noqa: F401 (fixtures)

from muster.spark import folders
from muster.spark.feeding import FeedSettings, _Line
from muster.spark.nodes import NodeRestartsError
from tensorflowonspark import TFCluster

SPARK = TFCluster.InputMode.SPARK


def test_rows_of_every_kind_and_empty_partitions_come_back(sc):  # noqa: F811
    def echo(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            feed.batch_results(feed.next_batch(10))

    rows = [1, None, "a", 2.5, None, (1, "b"), {"x": [1.0]}, {3, 4}, b"", [None, 1], [1, 2.0]]
    huge = [bytes([7]) * (20 << 20), "after it"]  # More than the ring has.
    fed = sc.union([sc.parallelize(rows, 3), sc.parallelize([], 2), sc.parallelize(huge, 1)])
    cluster = TFCluster.run(sc, echo, {}, 2, 0, input_mode=SPARK)
    assert cluster.inference(fed).collect() == rows + huge
    assert cluster.inference(sc.emptyRDD()).collect() == []
    cluster.train(sc.parallelize([], 3))
    cluster.shutdown()


def test_a_program_that_keeps_every_batch_gets_all_of_them(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        from muster.spark import batches

        kept = list(batches(ctx))
        told = [sum(float(part[0].sum()) for part in kept), sum(len(part[0]) for part in kept)]
        with open(os.path.join(args, f"{ctx.task_index}.json"), "w") as file:
            json.dump(told, file)

    def made(seed):
        import numpy as np

        return ((np.full(50_000, seed, dtype="float64"),) for _ in range(60))  # 24 MB.

    cluster = TFCluster.run(sc, map_fun, str(tmp_path), 1, 0, input_mode=SPARK)
    cluster.train(sc.parallelize([1, 2], 2).flatMap(made), 1)
    cluster.shutdown()
    [told] = [json.loads(path.read_text()) for path in tmp_path.iterdir()]
    assert told == [50_000.0 * 60 * 3, 120]


def test_a_feeding_task_that_is_tried_again_leaves_whole_rows(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        feed, labels = ctx.get_data_feed(), []
        while not feed.should_stop():
            for numbers, label in feed.next_batch(7):
                assert numbers == [float(label)] * 1000
                labels.append(label)
        with open(os.path.join(args, f"{ctx.task_index}.json"), "w") as file:
            json.dump(labels, file)

    def made(part):
        from pyspark import TaskContext

        for i in range(part, 1000, 2):
            if i > 800 and TaskContext.get().attemptNumber() == 0:
                raise OSError("the first attempt of this partition fails")
            yield [float(i)] * 1000, i

    cluster = TFCluster.run(sc, map_fun, str(tmp_path), 2, 0, input_mode=SPARK)
    cluster.train(sc.parallelize([0, 1], 2).flatMap(made), 1)
    cluster.shutdown()
    labels = [one for path in tmp_path.iterdir() for one in json.loads(path.read_text())]
    assert set(labels) == set(range(1000))


def test_a_program_that_stops_reading_is_named(sc):  # noqa: F811
    def map_fun(args, ctx):
        import time

        ctx.get_data_feed().next_batch(1)
        time.sleep(1000)  # lint: allow(sleep) until it is stopped

    cluster = TFCluster.run(sc, map_fun, {}, 1, 0, input_mode=SPARK)
    with pytest.raises(Exception, match="the node took no row for 2 s"):
        cluster.train(sc.parallelize([bytes(1000)] * 10, 1).flatMap(lambda row: [row] * 10_000), 1,
                      feed_timeout=2)  # fmt: skip
    with pytest.raises(Exception, match="had not ended 1 s after shutdown"):
        cluster.shutdown(timeout=1)


def test_a_loader_that_lives_on_hides_no_death(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        import signal
        import time

        ctx.get_data_feed().next_batch(1)
        loader = os.fork()
        if loader == 0:  # It keeps all of the node's descriptors open.
            while not os.path.exists(args):
                time.sleep(0.1)  # lint: allow(sleep) until the test is over
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)

    over = str(tmp_path / "over")
    cluster = TFCluster.run(sc, map_fun, over, 1, 0, input_mode=SPARK)
    try:
        with pytest.raises(Exception, match=r"worker:0 was killed by SIGKILL \(9\)"):
            cluster.train(sc.parallelize([0], 1).flatMap(lambda _: iter(int, 1)), 1)
        with pytest.raises(Exception, match="SIGKILL"):
            cluster.shutdown()
    finally:
        (tmp_path / "over").write_text("")


@pytest.mark.parametrize("again", [None, {"attempt": 2}])
def test_a_node_that_starts_again_unseen_is_no_lost_one(monkeypatch, tmp_path, again):
    settings = FeedSettings("a-job", "library", "input", 5.0)
    folders.write_json(tmp_path / "open.json", {"attempt": 1})

    def start_again():
        # A feeder that had no time to read them misses the last output of the first attempt.
        (tmp_path / "open.json").unlink()
        if again is not None:
            folders.write_json(tmp_path / "open.json", again)  # As nodes do: whole or not.

    def knock(_):
        start_again()
        raise ConnectionRefusedError

    monkeypatch.setattr("muster.spark.inlets.knock", knock)
    with pytest.raises(NodeRestartsError):
        _Line(tmp_path, settings)
