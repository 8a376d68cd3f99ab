"""One node of a cluster, for programs that start nodes by themselves.

TFCluster does not come through here: its nodes are tasks of a Muster job.
"""

import json
import logging
import os
import sys
import uuid

from muster.spark.gpus import choose_gpus

from . import TFManager, reservation, util
from .context import TFNodeContext, hold_port

logger = logging.getLogger(__name__)

__all__ = ["TFNodeContext", "TFSparkNode", "run"]


class TFSparkNode:
    """What this Python process knows of the node it runs, or ran last."""

    mgr = None
    cluster_id = None


def _get_manager(cluster_info, host, executor_id):
    """A client of the manager of one node of `cluster_info`."""
    for node in cluster_info:
        if node["host"] == host and node["executor_id"] == executor_id:
            address = node["addr"]
            address = tuple(address) if isinstance(address, list) else address
            return TFManager.connect(address, node["authkey"])
    raise Exception(
        f"No TFManager found on this node ({host}, executor {executor_id}), please ensure that:\n"
        "1. the cluster has a node on every executor\n"
        "2. each executor runs one node at a time\n"
        "3. no executor was added since, by dynamic allocation for example\n"
        "4. the node has not failed: its own message is the first cause"
    )


def _get_cluster_spec(sorted_cluster_info):
    """Job → addresses, from nodes in the order of their numbers."""
    spec = {}
    seen = set()
    for node in sorted_cluster_info:
        if node["executor_id"] in seen:
            raise Exception(f"Duplicate worker/task in cluster_info: {node['executor_id']}")
        seen.add(node["executor_id"])
        spec.setdefault(node["job_name"], []).append(f"{node['host']}:{node['port']}")
    return spec


def _has_spark_resource_api():
    """Whether Spark can tell a task its GPUs."""
    import pyspark

    return int(pyspark.__version__.split(".")[0]) >= 3


def _gpus_of_task():
    if not _has_spark_resource_api():
        return []
    from pyspark import TaskContext

    context = TaskContext.get()
    resources = context.resources() if context is not None else {}
    return list(resources["gpu"].addresses) if "gpu" in resources else []


def run(fn, tf_args, cluster_meta, tensorboard, log_dir, queues, background):
    """The function for foreachPartition that runs a node in the foreground: it registers at
    `cluster_meta['server_addr']` (a reservation.Server), waits for the others and calls
    `fn(tf_args, ctx)`. Nodes in the background, and TensorBoard, are TFCluster.run's.
    """
    if background or tensorboard:
        raise Exception(
            "TFSparkNode.run() runs nodes in the foreground and without TensorBoard; call "
            "TFCluster.run() for the others"
        )

    def run_partition(numbers):
        for executor_id in numbers:
            _run_node(fn, tf_args, cluster_meta, queues, executor_id)

    return run_partition


def _role(template, executor_id):
    for job_name, numbers in template.items():
        if executor_id in numbers:
            return job_name, numbers.index(executor_id)
    return "default", -1


def _start_manager(cluster_meta, queues):
    if TFSparkNode.mgr is not None and str(TFSparkNode.mgr.get("state")) != "'stopped'":
        if TFSparkNode.cluster_id == cluster_meta["id"]:
            raise Exception(f"TFManager already started on process {os.getpid()}")
        TFSparkNode.mgr.shutdown()
    authkey = uuid.uuid4().bytes
    TFSparkNode.mgr = TFManager.start(authkey, queues)
    TFSparkNode.mgr.set("state", "running")
    TFSparkNode.cluster_id = cluster_meta["id"]
    return authkey


def _run_node(fn, tf_args, cluster_meta, queues, executor_id):
    job_name, task_index = _role(cluster_meta["cluster_template"], executor_id)
    host = util.get_ip_address()
    util.write_executor_id(executor_id)
    authkey = _start_manager(cluster_meta, queues)
    port = int(os.environ.get("TENSORFLOW_PORT", "0"))
    held = hold_port(port)
    node = {
        "executor_id": executor_id,
        "host": host,
        "job_name": job_name,
        "task_index": task_index,
        "port": held.getsockname()[1],
        "tb_pid": 0,
        "tb_port": 0,
        "addr": TFSparkNode.mgr.address,
        "authkey": authkey,
    }
    client = reservation.Client(cluster_meta["server_addr"])
    try:
        client.register(node)
        cluster_info = client.await_reservations()
    finally:
        client.close()
    spec = _get_cluster_spec(sorted(cluster_info, key=lambda one: one["executor_id"]))
    _set_environment(tf_args, spec, job_name, task_index)
    context = TFNodeContext(
        executor_id,
        job_name,
        task_index,
        spec,
        cluster_meta["default_fs"],
        cluster_meta["working_dir"],
        TFSparkNode.mgr,
        held,
    )
    if cluster_meta.get("release_port", True):
        context.release_port()
    if isinstance(tf_args, list):
        sys.argv = tf_args
    try:
        fn(tf_args, context)
    finally:
        TFSparkNode.mgr.set("state", "stopped")


def _set_environment(tf_args, spec, job_name, task_index):
    if "chief" in spec or "master" in spec:
        os.environ["TF_CONFIG"] = json.dumps(
            {
                "cluster": spec,
                "task": {"type": job_name, "index": task_index},
                "environment": "cloud",
            }
        )
    devices = choose_gpus(tf_args, _gpus_of_task(), spec[job_name][task_index], spec)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(devices)
    util.expand_hadoop_classpath()
