"""Independent single-node programs on the executors, side by side."""

import logging

from muster.spark import packing

from .context import TFNodeContext

logger = logging.getLogger(__name__)


def run(sc, map_fn, tf_args, num_executors, use_barrier=True):
    """Runs `map_fn(tf_args, ctx)` in `num_executors` Spark tasks, which all run at the same time
    with `use_barrier`, and waits. An exception in a program fails its task and, as usual in
    Spark, the job.
    """
    packing.ship_packages(sc)
    default_fs = sc._jsc.hadoopConfiguration().get("fs.defaultFS")
    if default_fs.startswith("file://"):
        default_fs = "file://" + default_fs[len("file://") :].rstrip("/")

    def run_node(numbers):
        for number in numbers:
            _run_node(map_fn, tf_args, number, num_executors, use_barrier, default_fs)

    tasks = sc.parallelize(range(num_executors), num_executors)
    if use_barrier:
        tasks.barrier().mapPartitions(lambda numbers: run_node(numbers) or iter(())).collect()
    else:
        tasks.foreachPartition(run_node)


def _run_node(map_fn, tf_args, number, num_executors, use_barrier, default_fs):
    from . import util

    nodes = []
    if use_barrier:
        from pyspark import BarrierTaskContext

        nodes = [task.address for task in BarrierTaskContext.get().getTaskInfos()]
    num_gpus = 1
    if hasattr(tf_args, "num_gpus"):
        num_gpus = tf_args.num_gpus
    util.single_node_env(num_gpus=num_gpus, worker_index=number, nodes=nodes)
    context = TFNodeContext(executor_id=number, defaultFS=default_fs)
    context.num_workers = len(nodes) if use_barrier else num_executors
    map_fn(tf_args, context)
