"""Programs that hang on Spark's executors: which are named, and who is told."""
# timeout: 300

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cluster_bed import home, spark_context  # noqa: F401 (fixtures)
from pyspark import SparkConf, SparkContext

import muster.spark
from muster.spark.errors import JobError

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY / "tools" / "spark"))

import standalone  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def py_spy():
    """Lets executors find the py-spy of the tests with the label `local`."""
    made = subprocess.run([REPOSITORY / "tools" / "setup_python", "test"], check=True,
                          stdout=subprocess.PIPE, text=True)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{made.stdout.strip()}/bin:{before}"
    yield
    os.environ["PATH"] = before


@pytest.fixture(params=["local-cluster", "standalone"])
def context(request, home, tmp_path):  # noqa: F811
    if request.param == "local-cluster":
        with spark_context() as made:
            yield made
        return
    with standalone.cluster(tmp_path / "standalone") as address:
        made = SparkContext(address, "stalls", conf=SparkConf().set("spark.ui.enabled", "false"))
        made.setLogLevel("OFF")
        try:
            yield made
        finally:
            made.stop()


def test_a_task_that_hangs_is_named_and_told_of(context, home, tmp_path):  # noqa: F811
    def work(args, ctx):
        import socket
        import threading

        def waits_for_its_peer():
            here, there = socket.socketpair()
            here.recv(1)

        def loads():
            lock = threading.Lock()
            lock.acquire()
            lock.acquire()

        loads() if ctx.task_index == 1 else waits_for_its_peer()

    told = tmp_path / "told"
    with pytest.raises(JobError, match="hangs"):
        muster.spark.run(work, {"worker": 2}, sc=context, framework="pytorch",
                         stall={"after": "5s", "then": "fail"},
                         notify={"on": ["stall", "end"], "command": f"{{ cat; echo; }} >> {told}"})
    notices = [json.loads(line) for line in told.read_text().splitlines() if line]
    assert [notice["on"] for notice in notices] == ["stall", "end"]
    assert notices[0]["task"].startswith("worker:")
    summary = json.loads(max((home / "jobs").glob("*/summary.json"),
                             key=lambda path: path.stat().st_mtime).read_text())
    assert summary["outcome"]["class"] == "program.stalled"
    evidence = summary["outcome"]["first_cause"]["evidence"]
    assert "waits_for_its_peer" in evidence and "loads" in evidence, evidence
