"""What becomes of a cluster when programs, executors or the driver fail."""
# timeout: 900

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from cluster_bed import home, processes_with, sc, until  # noqa: F401 (fixtures)

from tensorflowonspark import TFCluster

SPARK = TFCluster.InputMode.SPARK


def endless(sc, partitions=4):  # noqa: F811
    """More rows than anybody will read."""
    return sc.parallelize(range(partitions), partitions).flatMap(lambda _: iter(int, 1))


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
        import time

        ctx.get_data_feed().next_batch(1)
        with open(os.path.join(args["out"], "pid.part"), "w") as file:
            file.write(str(os.getpid()))
        os.rename(os.path.join(args["out"], "pid.part"), os.path.join(args["out"], "pid"))
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
        cluster.train(endless(sc))
    killer.wait()
    with pytest.raises(Exception, match="SIGKILL"):
        cluster.shutdown()


def test_an_exit_code_is_a_failure(sc):  # noqa: F811
    def map_fun(args, ctx):
        os._exit(7)

    with pytest.raises(Exception, match="ended with exit code 7"):
        TFCluster.run(sc, map_fun, {}, 2, 0).shutdown()


def test_a_program_that_returns_before_the_feeds_end_fails_the_feeding(sc):  # noqa: F811
    def map_fun(args, ctx):
        ctx.get_data_feed().next_batch(1)

    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    with pytest.raises(Exception, match="returned before the end of the feed"):
        cluster.train(endless(sc))
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
        # What is too much can come after the last row has its result: shutdown tells it then.
        with pytest.raises(Exception, match=words):
            cluster.inference(sc.parallelize(range(10), 1), feed_timeout=5).collect()
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


def test_a_lost_executor_is_replaced_and_training_goes_on(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed()
        import time

        name = f"{ctx.generation}-{ctx.task_index}"
        with open(os.path.join(args["out"], name + ".begun"), "w") as file:
            file.write(str(os.getpid()))
        total = 0
        while not feed.should_stop():
            total += sum(feed.next_batch(100))
            # The first generation never gets further than to its executor's end.
            while ctx.generation == 1:
                time.sleep(0.1)  # lint: allow(sleep) until it is killed
        with open(os.path.join(args["out"], name + ".json"), "w") as file:
            json.dump(total, file)

    cluster = TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 2, 0, input_mode=SPARK)
    begun = until(lambda: list(tmp_path.glob("1-*.begun")), "a program of generation 1")
    executor = _executor_of(int(until(begun[0].read_text, "its pid")))
    killer = threading.Timer(1.0, os.kill, (executor, signal.SIGKILL))
    killer.start()
    cluster.train(sc.parallelize(range(1000), 4), num_epochs=1)
    killer.join()
    cluster.shutdown()
    totals = [json.loads(path.read_text()) for path in tmp_path.glob("[2-9]-*.json")]
    assert len(totals) == 2
    # At least once: rows that the lost programs had read are fed again.
    assert sum(totals) >= sum(range(1000))


def _executor_of(pid):
    """The JVM among whose folders a task's process lives: its container's folder names it."""
    environment = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    folder = dict(one.split("=", 1) for one in environment if "=" in one)["SPARK_NODE_FOLDER"]
    return int(Path(folder).parent.parent.name.split("-")[0])


def test_a_killed_driver_leaves_no_process(tmp_path):
    program = tmp_path / "driver.py"
    program.write_text(textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from cluster_bed import spark_context
        from tensorflowonspark import TFCluster

        def map_fun(args, ctx):
            time.sleep(1000)

        with spark_context() as sc:
            cluster = TFCluster.run(sc, map_fun, {{}}, 2, 0, input_mode=1)
            print("running", flush=True)
            time.sleep(1000)
    """))  # fmt: skip
    mark = f"driver-{os.getpid()}-{time.time_ns()}"
    environment = dict(os.environ, TEST_MARK=mark, MUSTER_HOME=str(tmp_path / "home"))
    driver = subprocess.Popen(
        [sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert driver.stdout.readline() == "running\n"
    assert len(processes_with(mark)) > 5
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    until(lambda: not processes_with(mark), "all processes of the killed driver gone")
