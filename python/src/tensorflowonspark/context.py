"""What a map_fun knows about its node: `ctx`."""

import socket

from . import TFNode


class TFNodeContext:
    """Who this node is, who its peers are, and where its feed is."""

    def __init__(self, executor_id=0, job_name="", task_index=0, cluster_spec=None,
                 defaultFS="file://", working_dir=".", mgr=None, tmp_socket=None):  # fmt: skip
        """Attributes of the same names; `worker_num` is `executor_id`, as older programs call it,
        and `num_workers` counts the nodes that train.
        """
        self.worker_num = executor_id
        self.executor_id = executor_id
        self.job_name = job_name
        self.task_index = task_index
        self.cluster_spec = {} if cluster_spec is None else cluster_spec
        self.num_workers = sum(
            len(nodes)
            for job, nodes in self.cluster_spec.items()
            if job in ("master", "chief", "worker")
        )
        self.defaultFS = defaultFS
        self.working_dir = working_dir
        self.mgr = mgr
        self.tmp_socket = tmp_socket

    def absolute_path(self, path):
        """`path` on the cluster's default file system."""
        return TFNode.hdfs_path(self, path)

    def start_cluster_server(self, num_gpus=1, rdma=False):
        """TFNode.start_cluster_server of this node."""
        return TFNode.start_cluster_server(self, num_gpus, rdma)

    def export_saved_model(self, sess, export_dir, tag_set, signatures):
        """TensorFlow 1 only."""
        TFNode.export_saved_model(sess, export_dir, tag_set, signatures)

    def get_data_feed(self, train_mode=True, qname_in="input", qname_out="output",
                      input_mapping=None):  # fmt: skip
        """The rows that Spark feeds to this node."""
        return TFNode.DataFeed(self.mgr, train_mode, qname_in, qname_out, input_mapping)

    def release_port(self):
        """Closes the socket that held this node's port until now."""
        return TFNode.release_port(self)


def hold_port(port=0):
    """A socket bound to `port` on every interface, even if another process of this node holds it in
    the same way.
    """
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    held.bind(("", port))
    return held
