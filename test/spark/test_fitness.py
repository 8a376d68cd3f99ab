"""Applications that cannot carry a job are refused with the reason; all others carry one and
whatever it needs.
"""
# timeout: 600

import json
import os
import signal
import sys
import tempfile
import time
import types
from pathlib import Path

import pytest
from cluster_bed import (  # noqa: F401 (fixtures)
    WAIT_SECONDS,
    counting,
    home,
    processes_with,
    spark_context,
    told_by_nodes,
    until,
)
from pyspark import SparkConf, SparkContext

from muster.spark import fitness, folders, holder, packing
from muster.spark.errors import JobError
from tensorflowonspark import TFCluster, TFSparkNode

sys.path.insert(0, str(Path(__file__).parents[1] / "local"))

import harness  # noqa: E402

SPARK = TFCluster.InputMode.SPARK


class _Application(SparkContext):
    """An application reduced to its configuration."""

    def __init__(self, settings):
        self._conf = SparkConf(loadDefaults=False, _jvm=None)
        for name, value in settings.items():
            self._conf.set(name, value)

    def getConf(self):  # noqa: N802 (Spark calls it so)
        return self._conf


SPECULATION = {"spark.speculation": "true"}
THRESHOLD = dict(SPECULATION, **{"spark.speculation.task.duration.threshold": "10s"})
DYNAMIC = {"spark.dynamicAllocation.enabled": "true"}
IDLE = dict(DYNAMIC, **{"spark.dynamicAllocation.cachedExecutorIdleTimeout": "60s"})


@pytest.mark.parametrize(
    ("settings", "fed", "words"),
    [
        (SPECULATION, True, r"rows would be read twice: set spark\.speculation=false"),
        (THRESHOLD, False, "second copies of the tasks that hold nodes"),
        (IDLE, True, "would take executors away from their nodes"),
    ],
)
def test_what_would_harm_a_job_is_refused_with_the_reason(settings, fed, words):
    with pytest.raises(JobError, match=words):
        fitness.check(_Application(settings), fed)


@pytest.mark.parametrize(
    ("settings", "fed"), [({}, True), (SPECULATION, False), (DYNAMIC, True), (IDLE, False)]
)
def test_what_does_no_harm_is_left_alone(settings, fed):
    fitness.check(_Application(settings), fed)


def test_spark_connect_is_refused_with_the_reason():
    class SparkSession:
        """Like that of Spark Connect: neither RDDs nor a JVM."""

    with pytest.raises(JobError, match=r"Spark Connect(?s:.)*spark\.api\.mode=classic"):
        TFCluster.run(SparkSession(), print, {}, 2, 0)


def test_what_a_failed_try_has_sent_is_in_no_ones_way():
    def broken(path):
        raise OSError(f"no room for {path}")

    with spark_context(executors=1) as sc:
        sc.addPyFile = broken
        with pytest.raises(OSError, match="no room"):
            packing.ship(sc)
        del sc.addPyFile
        shipped = packing.ship(sc)
        names = {Path(str(file)).name for file in sc.listFiles}
        assert {shipped.program, shipped.library, shipped.packages} <= names


def test_an_application_that_has_the_id_of_one_before_is_sent_everything(monkeypatch):
    """As those that begin within one second, each on a master of its own."""

    class Context:
        applicationId = "app-20261129120556-0000"  # noqa: N815 (Spark calls it so)

        def __init__(self):
            self.files = []
            self.addFile = self.addPyFile = lambda path: self.files.append(Path(path).name)

    monkeypatch.setattr(packing, "_folders", {})
    for context in (Context(), Context()):
        shipped = packing.ship(context)
        assert packing.ship(context) == shipped
        assert sorted(context.files) == sorted([shipped.program, shipped.library,
                                                shipped.packages])


def meeting(folder):
    """For two tasks that end once both have begun, so that each is on an executor of its own."""

    def meet(numbers):
        for number in numbers:
            (folder / str(number)).touch()
        while len(os.listdir(folder)) < 2:
            time.sleep(0.1)  # lint: allow(sleep) until the other has begun

    return meet


def test_a_name_that_another_user_took_keeps_nobody_out(tmp_path, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("only root can play another user")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    taken = [tmp_path / f"muster-spark-0{end}" for end in ("", ".aaa", ".link")]
    for folder in taken[:2]:
        folder.mkdir()
        os.chown(folder, 54321, 54321)
    taken[2].symlink_to(tmp_path)
    made = [folders.make_container(os.getpid(), "job-1", name) for name in ("c1", "c2")]
    assert folders.containers(os.getpid(), "job-1") == made
    assert folders.neighbours(1, "job-1") == made
    root = made[0].parents[2]
    assert root.parent == tmp_path and root not in taken
    assert root.stat().st_uid == 0 and root.stat().st_mode & 0o777 == 0o700
    assert not any(any(folder.iterdir()) for folder in taken[:2])


def test_folders_of_drivers_that_were_killed_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(packing.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(packing, "_folders", {})
    left, not_ours = tmp_path / "muster-ship-left", tmp_path / "muster-ship-other"
    for folder in (left, not_ours):
        folder.mkdir()
        (folder / "muster-0123").touch()
    (left / "owned").touch()
    (tmp_path / "muster-ship-link").symlink_to(not_ours)
    one, two = (packing._folder(types.SimpleNamespace(applicationId=id)) for id in ("1", "2"))
    assert one.parent == tmp_path and one.is_dir() and two.is_dir()
    assert not left.exists()
    assert (not_ours / "muster-0123").exists()


def test_dynamic_allocation_leaves_executors_with_nodes_alone(home, tmp_path):  # noqa: F811
    def sums(args, ctx):
        feed = ctx.get_data_feed()
        total = 0
        while not feed.should_stop():
            total += sum(feed.next_batch(100))
        with open(os.path.join(args, f"{ctx.generation}-{total}"), "w"):
            pass

    out, here = tmp_path / "out", tmp_path / "here"
    out.mkdir()
    here.mkdir()
    settings = {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.executorIdleTimeout": "2s",
    }
    with spark_context(settings) as sc:

        def executors():
            return sc._jsc.sc().getExecutorMemoryStatus().size() - 1  # One is the driver.

        cluster = TFCluster.run(sc, sums, str(out), 1, 0, input_mode=SPARK)
        sc.parallelize(range(2), 2).foreachPartition(meeting(here))
        assert executors() == 2
        # It holds nothing and is taken away; the one with the node looks just as idle, but stays.
        until(lambda: executors() == 1, "the idle executor gone")
        cluster.train(sc.parallelize(range(100), 4), num_epochs=1)
        # The old functions feed it, too.
        feed = TFSparkNode.train(cluster.cluster_info, cluster.cluster_meta, WAIT_SECONDS)
        assert sc.parallelize([1, 2], 1).mapPartitions(feed).collect() == [False]
        cluster.shutdown()
        assert os.listdir(out) == [f"1-{sum(range(100)) + 3}"]


def test_an_executor_of_several_cores_has_several_nodes(home, tmp_path):  # noqa: F811
    with spark_context(cores=3, executors=1) as sc:
        cluster = TFCluster.run(sc, counting(str(tmp_path)), {}, 3, 0, input_mode=SPARK)
        cluster.train(sc.parallelize(range(300), 6), num_epochs=2)
        cluster.shutdown()
    told = told_by_nodes(tmp_path)
    assert sorted(told) == ["1-0", "1-1", "1-2"]
    assert sum(told.values()) == 2 * sum(range(300))


@pytest.mark.parametrize("mode", [SPARK, TFCluster.InputMode.TENSORFLOW])
def test_the_end_of_the_application_is_told_at_once(mode, home):  # noqa: F811
    def map_fun(args, ctx):
        if args == SPARK:
            ctx.get_data_feed().next_batch(1)
        signal.pause()

    with spark_context() as context:
        cluster = TFCluster.run(context, map_fun, mode, 2, 0, input_mode=mode)
        context.stop()
        with pytest.raises(TFCluster.ClusterFailedError, match="the Spark application has ended"):
            cluster.shutdown(timeout=WAIT_SECONDS)
    until(lambda: not processes_with(cluster.cluster_id), "every process of the cluster gone")


def test_tensorflow_port_is_the_nodes(home, tmp_path):  # noqa: F811
    port = harness.free_range()

    def map_fun(args, ctx):
        with open(os.path.join(args["out"], "spec.json"), "w") as file:
            json.dump(ctx.cluster_spec, file)

    settings = {"spark.executorEnv.TENSORFLOW_PORT": str(port)}
    with spark_context(settings, executors=1) as context:
        TFCluster.run(context, map_fun, {"out": str(tmp_path)}, 1, 0).shutdown()
    (address,) = json.loads((tmp_path / "spec.json").read_text())["worker"]
    assert address.endswith(f":{port}")


@pytest.mark.parametrize("value", ["x", "70000", "-1", ""])
def test_a_tensorflow_port_that_is_none_is_refused_with_its_value(monkeypatch, value):
    monkeypatch.setenv("TENSORFLOW_PORT", value)
    with pytest.raises(ValueError, match=f"from 1 to 65535, not '{value}'"):
        holder.task_port()
