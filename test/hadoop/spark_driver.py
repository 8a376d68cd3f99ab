"""A Spark application on YARN, run with the interpreter of the environment `spark`: feeds a cluster
whose programs fit into their executors, then starts one that does not. Prints what it saw as JSON.
"""

import json
import sys
from pathlib import Path

import pyspark
from pyspark import SparkConf, SparkContext

from muster.spark.errors import JobError
from muster.spark.job import Job
from muster.spark.plan import JobPlan
from tensorflowonspark import TFCluster

ROWS = 2000
FITS_MB, TOO_MUCH_MB = 64, 1200


def hold(megabytes):
    """Memory that is really in use."""
    return bytearray(b"1") * (megabytes << 20)


def add_up(args, ctx):
    """Reads rows while holding some memory, and has them counted in the driver's ledger."""
    held = hold(args)
    feed = ctx.get_data_feed()
    while not feed.should_stop():
        assert all(len(row) == 100 for row in feed.next_batch(100))
    assert held


def take_too_much(args, ctx):
    """Lives until it is ended."""
    import time

    held = hold(args)
    while held:
        time.sleep(1)  # lint: allow(sleep) until it is killed


def main():
    conf = SparkConf().setMaster("yarn").setAppName("spark on yarn")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.yarn.jars": f"local:{Path(pyspark.__file__).parent}/jars/*",
        "spark.yarn.am.memory": "512m",
        "spark.executor.instances": "2",
        "spark.executor.memory": "512m",
        # What docs/spark.md says about a program of 200 MB, on one core.
        "spark.executor.memoryOverhead": f"{384 + 64 + 200 + 32}m",
    }.items():
        conf.set(name, value)
    sc = SparkContext(conf=conf)
    sc.setLogLevel("ERROR")
    cluster = TFCluster.run(
        sc, add_up, FITS_MB, 2, 0, input_mode=TFCluster.InputMode.SPARK, reservation_timeout=200
    )
    rows = sc.parallelize(range(ROWS), 4).map(lambda number: [float(number)] * 100)
    cluster.train(rows, num_epochs=1)
    consumed = cluster.consumed()
    cluster.shutdown()
    lost = Job(sc, JobPlan(template={"worker": [0]}, lost_executors=0), take_too_much, TOO_MUCH_MB)
    words = ""
    try:
        lost.wait(200)
        lost.raise_failure()
    except JobError as failure:
        words = str(failure)
    finally:
        lost.close()
    sc.stop()
    fed = [[one.partition, one.rows, one.generation] for one in consumed]
    print(json.dumps({"fed": sorted(fed), "words": words}))


if __name__ == "__main__":
    sys.exit(main())
