"""Spark on YARN, whose nodes watch the memory of their containers: the rings of the feed, keeper,
agent and program are an executor's memory.
"""
# bed: plain
# timeout: 900

import json
import os
import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]
DRIVER_LIMIT = 500

# Without cgroups, memory limits are enforced by polling, as long as nothing else is configured to
# enforce them.
WATCHED = {"yarn-site": {"yarn.nodemanager.pmem-check-enabled": "true",
                         "yarn.nodemanager.resource.memory.enforced": "false",
                         "yarn.nodemanager.container-monitor.interval-ms": "500"}}


def test_executors_live_within_their_memory_and_are_named_when_they_do_not(yarn, bed):
    found = subprocess.run([REPOSITORY / "tools" / "setup_python", "spark"], check=True,
                           capture_output=True, text=True)
    python = pathlib.Path(found.stdout.strip()) / "bin" / "python"
    environment = {**bed.environment, **yarn.environment, "SPARK_LOCAL_IP": "127.0.0.1",
                   "PYSPARK_PYTHON": str(python), "PYTHONPATH": str(REPOSITORY / "python" / "src")}
    environment.setdefault("MUSTER_FEED_LIBRARY", str(
        pathlib.Path(os.environ["MUSTER_BINARY"]).with_name("libmuster_feed.so")))
    with bed.configured(WATCHED, restart=["nm1", "nm2"]):
        done = subprocess.run([python, FOLDER / "spark_driver.py"], env=environment, text=True,
                              capture_output=True, timeout=DRIVER_LIMIT, cwd=yarn.home)
    assert done.returncode == 0, done.stderr[-8000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["fed"] == [[number, 500, 1] for number in range(4)]
    assert "exceeding physical memory limits" in told["words"], told["words"]
    assert "Consider boosting spark.executor.memoryOverhead" in told["words"]
