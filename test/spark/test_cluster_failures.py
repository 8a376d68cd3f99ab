"""What becomes of a cluster when programs fail."""
# timeout: 900

import functools
import itertools
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from cluster_bed import (  # noqa: F401 (fixtures)
    counting,
    home,
    processes_with,
    sc,
    told_by_nodes,
    until,
)
from pyspark.streaming import StreamingContext

from tensorflowonspark import TFCluster

SPARK = TFCluster.InputMode.SPARK


def endless(sc, partitions=4):  # noqa: F811
    """More rows than anybody will read, each so large that few of them fill a feed."""
    def rows(_):
        return map(bytes, itertools.repeat(16384))

    return sc.parallelize(range(partitions), partitions).flatMap(rows)


def test_an_exception_reaches_the_driver_in_its_own_words(sc):  # noqa: F811
    def map_fun(args, ctx):
        if ctx.task_index == 1:
            raise ValueError("no such column: age")

    with pytest.raises(Exception, match="no such column: age") as raised:
        TFCluster.run(sc, map_fun, {}, 2, 0).shutdown()
    assert "Traceback" in str(raised.value) and "map_fun" in str(raised.value)
    assert isinstance(raised.value, SystemExit) and raised.value.code == 1
    assert "no such column" in TFCluster.tf_status["error"]


def test_an_exception_while_feeding_ends_the_feeding_at_once(sc):  # noqa: F811
    def map_fun(args, ctx):
        ctx.get_data_feed().next_batch(10)
        raise RuntimeError("FAKE exception during feeding")

    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    with pytest.raises(Exception, match="FAKE exception during feeding"):
        cluster.train(endless(sc))
    # The failure stays: whoever comes later hears the same words.
    with pytest.raises(Exception, match="FAKE exception during feeding"):
        cluster.inference(sc.parallelize(range(10), 2)).count()
    with pytest.raises(Exception, match="FAKE exception during feeding"):
        cluster.shutdown()


def test_an_exception_after_the_feed_fails_the_shutdown(sc):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            feed.batch_results(feed.next_batch(10))
        raise RuntimeError("FAKE exception after feeding")

    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    assert cluster.inference(sc.parallelize(range(100), 4)).count() == 100
    with pytest.raises(Exception, match="FAKE exception after feeding"):
        cluster.shutdown()


def test_a_killed_program_is_named_with_its_signal(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):

        ctx.get_data_feed().next_batch(1)
        # Both programs may get here.
        part = os.path.join(args["out"], f"pid-{os.getpid()}.part")
        with open(part, "w") as file:
            file.write(str(os.getpid()))
        os.rename(part, os.path.join(args["out"], "pid"))
        time.sleep(1000)  # lint: allow(sleep) until it is killed

    cluster = TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 2, 0, input_mode=SPARK)
    killer = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(f"""
            import os, time
            while not os.path.exists({str(tmp_path / "pid")!r}):
                time.sleep(0.02)
            os.kill(int(open({str(tmp_path / "pid")!r}).read()), 9)
        """)]
    )  # fmt: skip
    with pytest.raises(Exception, match=r"worker:[01] was killed by SIGKILL \(9\)"):
        cluster.train(endless(sc), num_epochs=1)
    killer.wait()
    with pytest.raises(Exception, match="SIGKILL"):
        cluster.shutdown()


def test_an_exit_code_is_a_failure(sc):  # noqa: F811
    def map_fun(args, ctx):
        os._exit(7)

    with pytest.raises(Exception, match="ended with exit code 7"):
        TFCluster.run(sc, map_fun, {}, 2, 0).shutdown()


@pytest.mark.parametrize("way", ["returns", "exits"])
def test_a_program_that_leaves_before_the_feeds_end_fails_the_feeding(sc, way):  # noqa: F811
    def map_fun(args, ctx):
        ctx.get_data_feed().next_batch(1)
        if args == "exits":
            sys.exit(0)

    cluster = TFCluster.run(sc, map_fun, way, 2, 0, input_mode=SPARK)
    with pytest.raises(TFCluster.ClusterFailedError, match="returned before the end of the feed"):
        cluster.train(endless(sc), num_epochs=1)
    cluster.shutdown()


def test_too_few_and_too_many_results_are_told_with_numbers(sc):  # noqa: F811
    def too_few(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            feed.batch_results(feed.next_batch(10)[1:])

    def too_many(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            feed.batch_results(2 * feed.next_batch(10))

    ways = ((too_few, r"gave \d results (of 10 rows|while)"), (too_many, "more results than rows"))
    for map_fun, words in ways:
        cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
        # The excess can come after the last row has its result; then shutdown reports it.
        with pytest.raises(Exception, match=words):
            # The first is told by this time alone, which must not overtake the other.
            cluster.inference(sc.parallelize(range(10), 1),
                              feed_timeout=5 if map_fun is too_few else 600).collect()
            cluster.shutdown()
        try:
            cluster.shutdown()
        except Exception as failure:
            assert re.search(words, str(failure))


def test_an_unknown_queue_is_refused(sc):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed()
        while not feed.should_stop():
            feed.next_batch(100)

    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    with pytest.raises(AssertionError, match="Unknown queue: other"):
        cluster.train(sc.parallelize([1]), qname="other")
    cluster.shutdown()


def test_who_is_missing_is_named(sc):  # noqa: F811
    with pytest.raises(Exception, match=r"timed out waiting for reservations: .*worker:") as raised:
        TFCluster.run(sc, lambda args, ctx: None, {}, 3, 0, reservation_timeout=4)
    assert "of 3 nodes missing" in str(raised.value)
    # The application goes on: its slots are free again.
    assert sc.parallelize(range(10), 2).sum() == 45


def test_an_import_that_fails_on_one_node_is_told_by_it(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        if ctx.task_index == 1:
            while not os.path.exists(args):
                time.sleep(0.02)  # lint: allow(sleep) until `run` has returned: else it may tell
            import no_such_module  # noqa: F401
        feed = ctx.get_data_feed()
        while not feed.should_stop():
            feed.next_batch(10)

    returned = tmp_path / "returned"
    cluster = TFCluster.run(sc, map_fun, str(returned), 2, 0, input_mode=SPARK)
    returned.touch()
    with pytest.raises(Exception, match="No module named 'no_such_module'"):
        cluster.train(endless(sc), num_epochs=1)
    with pytest.raises(Exception, match="no_such_module"):
        cluster.shutdown()


def test_a_program_that_stops_reading_and_never_returns_is_given_up(sc):  # noqa: F811
    def map_fun(args, ctx):

        ctx.get_data_feed().next_batch(1)
        if os.fork() == 0:  # A loader, which nobody will wait for.
            signal.pause()
        signal.pause()

    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    assert processes_with(cluster.cluster_id)
    with pytest.raises(Exception, match="Timeout while feeding partition: the node took no row"):
        cluster.train(endless(sc), num_epochs=1, feed_timeout=1)
    with pytest.raises(Exception, match="had not ended 1 s after shutdown"):
        cluster.shutdown(timeout=1)
    until(lambda: not processes_with(cluster.cluster_id), "every process of the cluster gone")


def test_an_executor_without_a_node_hands_its_rows_on(sc, tmp_path):  # noqa: F811
    cluster = TFCluster.run(sc, counting(str(tmp_path)), {}, 1, 0, input_mode=SPARK)
    cluster.train(sc.parallelize(range(200), 8), num_epochs=2)
    cluster.train(sc.emptyRDD(), num_epochs=1)
    cluster.train(sc.parallelize([1000], 5), num_epochs=1)  # Four partitions are empty.
    cluster.shutdown()
    assert told_by_nodes(tmp_path) == {"1-0": 2 * sum(range(200)) + 1000}


def test_inference_on_an_executor_without_a_node(sc, tmp_path):  # noqa: F811
    cluster = TFCluster.run(sc, counting(str(tmp_path), True), {}, 1, 0, input_mode=SPARK)
    assert cluster.inference(sc.parallelize(range(200), 8)).collect() == [-x for x in range(200)]
    assert cluster.inference(sc.emptyRDD()).collect() == []
    assert cluster.inference(sc.parallelize([], 3)).collect() == []
    cluster.shutdown()


def test_a_feeding_task_that_fails_half_way_is_tried_again(sc, tmp_path):  # noqa: F811
    def fails_once(rows):
        from pyspark import TaskContext

        for number, row in enumerate(rows):
            if number == 50 and TaskContext.get().attemptNumber() == 0:
                raise OSError("a bad disk")
            yield row

    cluster = TFCluster.run(sc, counting(str(tmp_path)), {}, 2, 0, input_mode=SPARK)
    cluster.train(sc.parallelize(range(200), 2).mapPartitions(fails_once), num_epochs=1)
    cluster.shutdown()
    # At least once: what was read before the failure is read again.
    assert sum(told_by_nodes(tmp_path).values()) >= sum(range(200))


def test_a_stream_whose_program_fails_ends_with_its_words(sc):  # noqa: F811
    def map_fun(args, ctx):
        ctx.get_data_feed().next_batch(1)
        raise RuntimeError("FAKE exception in a stream")

    ssc = StreamingContext(sc, 1)
    stream = ssc.queueStream([sc.parallelize(range(10), 2) for _ in range(20)])
    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    cluster.train(stream)
    ssc.start()
    with pytest.raises(Exception, match="FAKE exception in a stream"):
        cluster.shutdown(ssc)
    assert sc.parallelize(range(4), 2).sum() == 6


def test_a_stream_is_ended_from_outside(sc, tmp_path):  # noqa: F811
    ssc = StreamingContext(sc, 1)
    stream = ssc.queueStream([sc.parallelize(range(10), 2), sc.emptyRDD()])
    cluster = TFCluster.run(sc, counting(str(tmp_path)), {}, 2, 0, input_mode=SPARK)
    cluster.train(stream)
    ssc.start()
    host, port = cluster.cluster_meta["server_addr"]
    command = [sys.executable, "-m", "tensorflowonspark.reservation_client", host, str(port)]
    # Only the user may: whoever cannot read the job's folder has no key.
    elsewhere = dict(os.environ, MUSTER_HOME=str(tmp_path / "elsewhere"))
    assert subprocess.run(command, env=elsewhere).returncode == 1
    assert not cluster.server.done
    assert subprocess.run(command).returncode == 0
    assert cluster.server.done
    cluster.shutdown(ssc)
    assert sum(told_by_nodes(tmp_path).values()) in (0, sum(range(10)))


def test_a_failure_has_one_error_everywhere(sc):  # noqa: F811
    """The user's message first, Spark's as the cause, also from what is computed from the
    results."""

    def map_fun(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        feed.next_batch(1)
        raise RuntimeError("FAKE exception in inference")

    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    results = cluster.inference(sc.parallelize(range(10), 2))
    for action in (results.collect, results.map(str).filter(len).count,
                   lambda: list(results.toLocalIterator())):  # fmt: skip
        with pytest.raises(TFCluster.ClusterFailedError) as raised:
            action()
        assert "FAKE exception in inference" in str(raised.value)
        assert "at org.apache.spark" not in str(raised.value)
        assert "Py4J" in type(raised.value.__cause__).__name__
    with pytest.raises(TFCluster.ClusterFailedError, match="FAKE exception in inference"):
        cluster.shutdown()


def test_an_error_of_the_users_own_function_stays_theirs(sc, tmp_path):  # noqa: F811
    cluster = TFCluster.run(sc, counting(str(tmp_path), True), {}, 2, 0, input_mode=SPARK)

    def bad(row):
        raise KeyError("their own")

    with pytest.raises(Exception, match="their own") as raised:
        cluster.inference(sc.parallelize(range(10), 2)).map(bad).collect()
    assert not isinstance(raised.value, TFCluster.ClusterFailedError)
    cluster.shutdown()


def test_too_few_results_are_waited_for_once(sc, tmp_path):  # noqa: F811
    """Spark tries a failed task four times; only the first attempt feeds its rows and waits."""

    def map_fun(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        open(args + ".begun", "w").close()
        while not feed.should_stop():
            rows = feed.next_batch(10)
            with open(args, "a") as file:
                file.write("".join(f"{row}\n" for row in rows))
            feed.batch_results(rows[1:])

    fed = tmp_path / "fed"
    cluster = TFCluster.run(sc, map_fun, str(fed), 1, 0, input_mode=SPARK)
    until((tmp_path / "fed.begun").exists, "the program")
    with pytest.raises(TFCluster.ClusterFailedError, match="gave 9 results of 10 rows"):
        cluster.inference(sc.parallelize(range(10), 1), feed_timeout=5).collect()
    cluster.shutdown()
    assert fed.read_text().split() == [str(row) for row in range(10)]


async def _asynchronous(args, ctx):
    pass


def _generator(args, ctx):
    yield ctx


@pytest.mark.parametrize("arguments, words", [
    ((_generator, {}, 2, 0), "map_fun is a generator function"),
    ((_asynchronous, {}, 2, 0), "map_fun is an async function"),
    ((functools.partial(_generator, {}), {}, 2, 0), "map_fun is a generator function"),
    (("map_fun", {}, 2, 0), "map_fun must be a function, not 'map_fun'"),
    ((print, {}, "2", 0), "num_executors must be a whole number, 1 or more, not '2'"),
    ((print, {}, True, 0), "num_executors must be a whole number, 1 or more, not True"),
    ((print, {}, 2, 0.5), "num_ps must be a whole number, 0 or more, not 0.5"),
])  # fmt: skip
def test_wrong_arguments_are_refused_before_anything_starts(sc, arguments, words):  # noqa: F811
    with pytest.raises(TypeError, match=re.escape(words)):
        TFCluster.run(sc, *arguments)


def test_what_no_node_can_be_is_refused(sc):  # noqa: F811
    with pytest.raises(ValueError, match="num_executors must be 1 or more, not 0"):
        TFCluster.run(sc, print, {}, 0, 0)
