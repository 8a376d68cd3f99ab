"""What a map_fun calls: paths, the TensorFlow server, and the feed of rows."""

import getpass
import logging
from queue import Empty

from . import marker

logger = logging.getLogger(__name__)

_DISTRIBUTIONS = ("tensorflow", "tensorflow-cpu", "tf-nightly", "tensorflow-macos",
                  "tensorflow-rocm", "intel-tensorflow")  # fmt: skip


def _tensorflow_version():
    """The installed TensorFlow's version, without importing it; None if there is none."""
    from importlib import metadata

    for name in _DISTRIBUTIONS:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return None


def __getattr__(name):
    """TF_VERSION, only when it is asked for: looking it up takes as long as starting the node,
    because every archive that Spark puts on the path is searched.
    """
    if name != "TF_VERSION":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = version = _tensorflow_version()
    return version


_SCHEMES = ("abfs", "abfss", "adl", "file", "gs", "hdfs", "http", "https", "oss", "s3", "s3a",
            "s3n", "swift", "viewfs", "wasb", "wasbs")  # fmt: skip
_TERMINATE_QUIET_SECONDS = 5


def hdfs_path(ctx, path):
    """`path` with its file system: as it is if it names one, else on the cluster's default one.
    Relative paths start at the user's home there, or at the driver's folder on file://.
    """
    if path.partition("://")[0] in _SCHEMES and "://" in path:
        return path
    if path.startswith("/"):
        return ctx.defaultFS + path
    if ctx.defaultFS.startswith(("hdfs://", "viewfs://")):
        return f"{ctx.defaultFS}/user/{getpass.getuser()}/{path}"
    if ctx.defaultFS.startswith("file://"):
        return f"{ctx.defaultFS}/{ctx.working_dir[1:]}/{path}"
    logger.warning("relative path %s on a file system without homes: %s", path, ctx.defaultFS)
    return f"{ctx.defaultFS}/{path}"


def start_cluster_server(ctx, num_gpus=1, rdma=False):
    """Starts this node's TensorFlow server; returns (ClusterSpec, Server).

    It uses the GPUs that the node was given: at most `num_gpus` of them, none for a ps.
    """
    import tensorflow as tf

    if rdma:
        logger.warning("rdma: TensorFlow 2 has no such protocol, using grpc")
    spec = tf.train.ClusterSpec(ctx.cluster_spec)
    wanted = 0 if ctx.job_name == "ps" else num_gpus
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) > wanted:
        tf.config.set_visible_devices(gpus[:wanted], "GPU")
    release_port(ctx, quiet=True)
    server = tf.distribute.Server(
        spec, job_name=ctx.job_name, task_index=ctx.task_index, protocol="grpc"
    )
    return spec, server


def export_saved_model(sess, export_dir, tag_set, signatures):
    """TensorFlow 1 only."""
    raise Exception("DEPRECATED: Use TF provided APIs instead.")


def release_port(ctx, quiet=False):
    """Closes the socket that held this node's port until now."""
    if ctx.tmp_socket is None:
        if not quiet:
            logger.warning("release_port() invoked with no bound socket.")
        return
    logger.info("releasing port %s", ctx.tmp_socket.getsockname())
    ctx.tmp_socket.close()
    ctx.tmp_socket = None


def next_batch(mgr, batch_size, qname="input"):
    """Gone since 1.1."""
    raise Exception("DEPRECATED: Use TFNode.DataFeed class instead")


def batch_results(mgr, results, qname="output"):
    """Gone since 1.1."""
    raise Exception("DEPRECATED: Use TFNode.DataFeed class instead")


def terminate(mgr, qname="input"):
    """Gone since 1.1."""
    raise Exception("DEPRECATED: Use TFNode.DataFeed class instead")


class DataFeed:
    """The rows that Spark feeds to this node, and the way back for results."""

    def __init__(self, mgr, train_mode=True, qname_in="input", qname_out="output",
                 input_mapping=None):  # fmt: skip
        """`train_mode=False` ends a batch with its partition, so that its results can go back.
        `input_mapping` (column → tensor) makes batches dicts of lists by tensor.
        """
        self.mgr = mgr
        self.train_mode = train_mode
        self.qname_in = qname_in
        self.qname_out = qname_out
        self.done_feeding = False
        self.input_tensors = (
            [tensor for _, tensor in sorted(input_mapping.items())]
            if input_mapping is not None
            else None
        )
        self.queue_in = mgr.get_queue(qname_in)
        self.queue_out = mgr.get_queue(qname_out)

    def next_batch(self, batch_size):
        """The next `batch_size` rows: fewer, or none, at the end of the feed, and at the end of a
        partition if not in train mode. A list, or a dict of lists by tensor.
        """
        take = getattr(self.queue_in, "take_rows", None)
        rows = take(self, batch_size) if take is not None else self._items(batch_size)
        if self.input_tensors is None:
            return rows
        return {
            tensor: [row[index] for row in rows] for index, tensor in enumerate(self.input_tensors)
        }

    def _items(self, batch_size):
        """From a queue of items, as filled by programs themselves."""
        items = []
        while len(items) < batch_size:
            item = self.queue_in.get(block=True)
            self.queue_in.task_done()
            if item is None:
                self.done_feeding = True
                break
            if type(item) is marker.EndPartition:
                if not self.train_mode and items:
                    break
                continue
            items.append(item)
        return items

    def should_stop(self):
        """Whether the end of the feed was read."""
        return self.done_feeding

    def batch_results(self, results):
        """Sends back one result for each row of the last batches, in order."""
        put = getattr(self.queue_out, "put_rows", None)
        if put is not None:
            put(results)
            return
        for item in results:
            self.queue_out.put(item, block=True)

    def terminate(self):
        """Discards what is and will be fed."""
        self.mgr.set("state", "terminating")
        queue = self.mgr.get_queue(self.qname_in)
        end = getattr(queue, "terminate", None)
        if end is not None:
            end()
            return
        dropped = 0
        try:
            while True:
                queue.get(block=True, timeout=_TERMINATE_QUIET_SECONDS)
                queue.task_done()
                dropped += 1
        except Empty:
            logger.info("%d items dropped", dropped)
