"""A job on Spark Standalone: a master and two workers, as people set them up, not in one JVM."""
# timeout: 300

import os
import signal
import sys
from pathlib import Path

import pytest
from cluster_bed import home, until  # noqa: F401 (fixtures)
from pyspark import SparkConf, SparkContext

import muster.spark
from tensorflowonspark import TFCluster

sys.path.insert(0, str(Path(__file__).parents[2] / "tools" / "spark"))

import standalone  # noqa: E402

SPARK = TFCluster.InputMode.SPARK


@pytest.fixture(scope="module")
def sc(home, tmp_path_factory):  # noqa: F811
    with standalone.cluster(tmp_path_factory.mktemp("standalone")) as address:
        conf = SparkConf().set("spark.ui.enabled", "false")
        context = SparkContext(address, "standalone", conf=conf)
        context.setLogLevel("OFF")
        try:
            yield context
        finally:
            context.stop()


def test_each_program_runs_on_a_worker_of_its_own(sc):
    def where(args, ctx):
        return os.environ["MUSTER_INDEX"], os.getcwd()

    told = muster.spark.run(where, {"worker": 2}, sc=sc)["worker"]
    assert [index for index, _ in told] == ["0", "1"]
    folders = {folder for _, folder in told}
    assert len(folders) == 2
    assert all("/worker-" in folder for folder in folders), folders


def test_rows_are_fed_and_results_come_back(sc):
    def double(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            feed.batch_results([2 * row for row in feed.next_batch(10)])

    cluster = TFCluster.run(sc, double, {}, 2, 0, input_mode=SPARK)
    assert cluster.inference(sc.parallelize(range(1000), 4)).collect() == list(range(0, 2000, 2))
    cluster.shutdown()


def test_a_lost_executor_costs_a_restart_and_not_the_job(sc, tmp_path):
    def wait_or_end(args, ctx):
        if ctx.generation > 1:
            return
        with open(os.path.join(args, f"{ctx.task_index}.part"), "w") as file:
            file.write(str(os.getppid()))
        os.rename(os.path.join(args, f"{ctx.task_index}.part"),
                  os.path.join(args, str(ctx.task_index)))
        signal.pause()

    cluster = TFCluster.run(sc, wait_or_end, str(tmp_path), 2, 0)
    victim = until(lambda: executor_above(tmp_path / "1"), "the second program runs")
    os.kill(victim, signal.SIGKILL)
    cluster.shutdown()


def executor_above(told):
    """The JVM of the executor whose program wrote its parent's pid into a file."""
    if not told.exists():
        return None
    pid = int(told.read_text())
    while pid > 1:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"CoarseGrainedExecutorBackend" in words:
            return pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    raise AssertionError(f"the program that wrote {told} is below no executor")
