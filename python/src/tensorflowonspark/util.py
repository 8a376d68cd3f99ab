"""The host and the process's environment."""

import errno
import logging
import os
import socket
import subprocess

from . import gpu_info

logger = logging.getLogger(__name__)

_EXECUTOR_ID_FILE = "executor_id"


def expand_hadoop_classpath():
    """Puts Hadoop's jars, one by one, onto CLASSPATH: libhdfs cannot expand wildcards. Once per
    process, and only if HADOOP_PREFIX or HADOOP_HOME says where Hadoop is.
    """
    home = os.environ.get("HADOOP_PREFIX") or os.environ.get("HADOOP_HOME")
    if not home or "TFOS_CLASSPATH_UPDATED" in os.environ:
        return
    hadoop = os.path.join(home, "bin", "hadoop")
    if not os.path.isfile(hadoop):
        logger.warning("no %s: CLASSPATH stays as it is", hadoop)
        return
    jars = subprocess.check_output([hadoop, "classpath", "--glob"]).decode().strip()
    present = os.environ.get("CLASSPATH")
    os.environ["CLASSPATH"] = os.pathsep.join(part for part in (present, jars) if part)
    os.environ["TFOS_CLASSPATH_UPDATED"] = "1"


def same_host(address, other):
    """Whether two "host:port" name the same host."""
    return address.rpartition(":")[0] == other.rpartition(":")[0]


def index_on_host(address, addresses):
    """The place of `address` among those of `addresses` on its host."""
    return [peer for peer in addresses if same_host(peer, address)].index(address)


def single_node_env(num_gpus=1, worker_index=-1, nodes=()):
    """Prepares the environment of a node that trains alone: Hadoop's class path and
    CUDA_VISIBLE_DEVICES. `nodes` are all nodes' addresses; those on this one's host share its GPUs
    in their order.
    """
    expand_hadoop_classpath()
    devices = ""
    if num_gpus > 0 and gpu_info.is_gpu_available():
        index = worker_index
        if nodes and worker_index >= 0:
            index = _index_among(nodes, worker_index)
        devices = gpu_info.get_gpus(num_gpus, index)
    logger.info("CUDA_VISIBLE_DEVICES=%s", devices)
    os.environ["CUDA_VISIBLE_DEVICES"] = devices


def _index_among(nodes, worker_index):
    """Barrier tasks may have one address each or share one: count those before this one."""
    host = nodes[worker_index].partition(":")[0]
    return sum(node.partition(":")[0] == host for node in nodes[:worker_index])


def get_ip_address():
    """The address by which other hosts reach this one: that of the default route, or that of the
    host's name if there is no route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("8.8.8.8", 80))  # Sends nothing.
            return probe.getsockname()[0]
        except OSError as failure:
            if failure.errno not in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EPERM):
                raise
    return socket.gethostbyname(socket.getfqdn())


def find_in_path(path, file):
    """The first regular file of that name in a PATH-like text, else False."""
    for folder in path.split(os.pathsep):
        candidate = os.path.join(folder, file)
        if os.path.isfile(candidate):
            return candidate
    return False


def write_executor_id(num):
    """Leaves the node's number in the executor's working folder."""
    with open(_EXECUTOR_ID_FILE, "w") as file:
        file.write(str(num))


def read_executor_id():
    """The number that write_executor_id left. Exception, saying what to check, if there is none."""
    try:
        with open(_EXECUTOR_ID_FILE) as file:
            return int(file.read())
    except FileNotFoundError:
        raise Exception(
            "No executor_id file found on this node, please ensure that:\n"
            "1. the cluster was started on as many executors as it has nodes\n"
            "2. each executor runs one node\n"
            "3. no executor was added since, by dynamic allocation for example\n"
            "4. no other node failed: its own message is the first cause\n"
        ) from None
