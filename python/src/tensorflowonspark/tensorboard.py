"""TensorBoard next to one node of a cluster."""

import os
import secrets
import socket
import subprocess
import sys

from . import util


def shown_by(cluster, job_name, task_index):
    """Whether this node is the one that shows it: worker:0 if there is a worker, else the chief."""
    if "worker" in cluster:
        return (job_name, task_index) == ("worker", 0)
    return job_name in ("chief", "master") and task_index == 0


# TensorBoard authenticates nobody, so it answers only below a path that cannot be guessed. The path
# is passed in the environment, because everybody on a host can read command lines.
_PATH_VARIABLE = "MUSTER_TENSORBOARD_PATH"
_PROGRAM = f"""import os, runpy, sys
path = os.environ.pop("{_PATH_VARIABLE}")
sys.argv = [*sys.argv[1:], "--path_prefix", path]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def start(log_dir, executor_id, host):
    """Starts it on $TENSORBOARD_PORT or any free port of `host`, the name by which the node is
    known, and on no other address: (process, port, the path below which it answers). Exception if
    it is not installed.
    """
    searched = os.pathsep.join(
        [os.path.dirname(sys.executable), *sys.path, os.environ.get("PATH", "")]
    )
    program = util.find_in_path(searched, "tensorboard") or util.find_in_path(
        searched, "tensorboard/main.py"
    )
    if not program:
        raise Exception(f"Unable to find 'tensorboard' in: {searched}")
    port = int(os.environ.get("TENSORBOARD_PORT", "0"))
    if port == 0:
        with socket.socket() as probe:
            probe.bind((host, 0))
            port = probe.getsockname()[1]
    log_dir = log_dir or f"tensorboard_{executor_id}"
    path = f"/{secrets.token_hex(32)}"
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, program, f"--logdir={log_dir}", f"--port={port}",
         f"--host={host}"],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", _PATH_VARIABLE: path},
    )  # fmt: skip
    return process, port, path
