"""Nodes, and what feeds and ends them, for programs that do on their own what TFCluster does.

TFCluster does not come through here: its nodes are tasks of a Muster job. `train` and `inference`
feed those, too.
"""

import logging
import os
import sys
import uuid

from muster.spark.environment import set_environment

from . import TFManager, background, manager_feed, reservation, tensorboard, util
from .context import TFNodeContext, hold_port
from .TFNode import TF_VERSION

logger = logging.getLogger(__name__)

__all__ = ["TF_VERSION", "TFNodeContext", "TFSparkNode", "inference", "run", "shutdown", "train"]

_SERVING = ("ps", "evaluator")


class TFSparkNode:
    """What this Python process knows about the node it runs, or ran last."""

    mgr = None
    cluster_id = None


def _get_manager(cluster_info, host, executor_id):
    """A client of the manager of one node of `cluster_info`."""
    for node in cluster_info:
        if node["host"] == host and node["executor_id"] == executor_id:
            address = node["addr"]
            address = tuple(address) if isinstance(address, list) else address
            TFSparkNode.mgr = TFManager.connect(address, node["authkey"])
            break
    if TFSparkNode.mgr is not None:
        return TFSparkNode.mgr
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
    """The function for foreachPartition that runs a node: it registers at
    `cluster_meta['server_addr']` (a reservation.Server), waits for the others and calls
    `fn(tf_args, ctx)`: here or, with `background`, in a process that stays. A ps or an evaluator
    has such a process and holds the task until its manager's queue `control` says None.
    """

    def run_partition(numbers):
        for executor_id in numbers:
            _Node(cluster_meta, executor_id, tf_args).run(
                fn, queues, background, log_dir, tensorboard
            )

    return run_partition


def train(cluster_info, cluster_meta, feed_timeout=600, qname="input"):
    """The function for mapPartitions that feeds the node of this executor and waits until it has
    read all; returns [whether its program wants no more].
    """
    settings = _settings_of_job(cluster_info, qname, feed_timeout)
    if settings is not None:
        return lambda rows: _train_job(settings, rows)

    def feed(rows):
        manager = _get_manager(cluster_info, util.get_ip_address(), util.read_executor_id())
        before = manager_feed.is_terminating(manager)
        terminating = manager_feed.feed(manager, qname, rows, feed_timeout)
        if terminating and not before:
            _request_stop(cluster_meta["server_addr"])
        return [terminating]

    return feed


def inference(cluster_info, feed_timeout=600, qname="input"):
    """The function for mapPartitions that feeds the node of this executor and returns one result
    for each row.
    """
    settings = _settings_of_job(cluster_info, qname, feed_timeout)
    if settings is not None:
        from muster.spark import feeding

        return feeding.inference(settings)

    def feed(rows):
        manager = _get_manager(cluster_info, util.get_ip_address(), util.read_executor_id())
        return manager_feed.infer(manager, qname, rows, feed_timeout)

    return feed


def shutdown(cluster_info, grace_secs=0, queues=("input",)):
    """The function for mapPartitions that ends the node of this executor: TensorBoard, the feed,
    and after `grace_secs` the manager; returns [True]. Exception if its program has failed.
    """
    if _settings_of_job(cluster_info, "input", 0) is not None:
        raise Exception("nodes of TFCluster.run() are ended by the cluster's shutdown()")

    def end(numbers):
        host, executor_id = util.get_ip_address(), util.read_executor_id()
        manager = _get_manager(cluster_info, host, executor_id)
        for node in cluster_info:
            if (node["host"], node["executor_id"]) == (host, executor_id) and node["tb_pid"]:
                background.end(node["tb_pid"])
        for qname in queues:
            if qname != "error":
                manager_feed.open_queue(manager, qname).put(None, block=True)
        background.grace(grace_secs)
        manager_feed.raise_error(manager)
        manager.set("state", "stopped")
        return [True]

    return end


def _settings_of_job(cluster_info, qname, timeout):
    """How to feed a cluster that TFCluster.run() made; None for others."""
    job = next((node["job"] for node in cluster_info if "job" in node), None)
    if job is None:
        return None
    from muster.spark.feeding import FeedSettings

    return FeedSettings(job["id"], job["library"], qname, timeout)


def _train_job(settings, rows):
    from muster.spark import feeding

    for _, outcome in feeding.train(settings)(0, rows):
        if outcome == feeding.ELSEWHERE:
            # Spark retries a failed task, on another executor if it has one.
            raise Exception("No TFManager found on this node: this executor has no node to feed")
        if outcome == feeding.AGAIN:
            raise Exception("the node of this executor starts again: so must this partition")
    return [False]


def _request_stop(server_addr):
    """Tells the driver, if it listens, that a program wants no more rows."""
    try:
        client = reservation.Client(server_addr)
        client.request_stop()
        client.close()
    except Exception as failure:
        logger.debug("could not notify the driver: %s", failure)


class _Node:
    """One node, from its Spark task to its map_fun."""

    def __init__(self, cluster_meta, executor_id, tf_args):
        self._meta = cluster_meta
        self._executor_id = executor_id
        self._tf_args = tf_args
        self._job_name, self._task_index = "default", -1
        for job_name, numbers in cluster_meta["cluster_template"].items():
            if executor_id in numbers:
                self._job_name, self._task_index = job_name, numbers.index(executor_id)
        self._host = util.get_ip_address()

    def run(self, fn, queues, in_background, log_dir, with_tensorboard):
        """Everything that the function of run() does."""
        if in_background:
            background.check()
        util.write_executor_id(self._executor_id)
        authkey = self._start_manager(queues)
        shown, port, path = None, 0, ""
        if with_tensorboard and tensorboard.shown_by(
            self._meta["cluster_template"], self._job_name, self._task_index
        ):
            shown, port, path = tensorboard.start(log_dir, self._executor_id, self._host)
        held, cluster_info = self._register(
            authkey, {"tb_pid": shown.pid if shown else 0, "tb_port": port, "tb_path": path}
        )
        spec = _get_cluster_spec(sorted(cluster_info, key=lambda one: one["executor_id"]))
        set_environment(self._job_name, self._task_index, spec, self._tf_args, _gpus_of_task())
        context = TFNodeContext(
            self._executor_id,
            self._job_name,
            self._task_index,
            spec,
            self._meta["default_fs"],
            self._meta["working_dir"],
            TFSparkNode.mgr,
            held,
        )
        if self._meta.get("release_port", True):
            context.release_port()
        self._run_function(_with_argv(fn), context, in_background)

    def _run_function(self, fn, context, in_background):
        if not in_background and self._job_name not in _SERVING:
            try:
                fn(self._tf_args, context)
            finally:
                TFSparkNode.mgr.set("state", "stopped")  # So that Spark may retry it.
            return
        serves = self._job_name in _SERVING
        name = f"{self._job_name}:{self._task_index}"
        process = background.start(fn, self._tf_args, context, name, daemon=serves)
        if context.tmp_socket is not None:
            context.tmp_socket.close()  # The process has it now, and will close it.
        if serves:
            background.serve(process, TFSparkNode.mgr, self._job_name)

    def _start_manager(self, queues):
        if TFSparkNode.mgr is not None and str(TFSparkNode.mgr.get("state")) != "'stopped'":
            if TFSparkNode.cluster_id == self._meta["id"]:
                raise Exception(
                    f"TFManager already started on {self._host}, executor={self._executor_id}, "
                    f"process {os.getpid()}"
                )
            logger.warning("the TFManager of cluster %s is left behind", TFSparkNode.cluster_id)
        authkey = uuid.uuid4().bytes
        if self._job_name in _SERVING:
            TFSparkNode.mgr = TFManager.start(authkey, ["control", "error"], "remote")
        else:
            TFSparkNode.mgr = TFManager.start(authkey, queues)
        TFSparkNode.mgr.set("state", "running")
        TFSparkNode.cluster_id = self._meta["id"]
        return authkey

    def _register(self, authkey, shown):
        """Holds a port, tells the driver, and waits for the others: (socket, cluster_info). A node
        that registers again, as a retried Spark task does, takes its old place and port.
        """
        client = reservation.Client(self._meta["server_addr"])
        try:
            mine = (self._host, self._executor_id)
            known = client.get_reservations()
            old = [one["port"] for one in known if (one["host"], one["executor_id"]) == mine]
            port = old[0] if old else int(os.environ.get("TENSORFLOW_PORT", "0"))
            held = hold_port(port)
            client.register(
                {
                    "executor_id": self._executor_id,
                    "host": self._host,
                    "job_name": self._job_name,
                    "task_index": self._task_index,
                    "port": held.getsockname()[1],
                    **shown,
                    "addr": TFSparkNode.mgr.address,
                    "authkey": authkey,
                }
            )
            return held, client.await_reservations()
        finally:
            client.close()


def _with_argv(fn):
    """`fn` with its arguments as sys.argv, if they are a list."""

    def call(tf_args, context):
        if isinstance(tf_args, list):
            sys.argv = tf_args
        fn(tf_args, context)

    return call
