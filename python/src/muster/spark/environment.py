"""The environment of programs written for TensorFlowOnSpark."""

from __future__ import annotations

import json
import os
from typing import Any

from muster.spark.gpus import choose_gpus
from tensorflowonspark import util


def set_environment(
    role: str,
    index: int,
    cluster: dict[str, list[str]],
    arguments: Any,
    gpus: list[str],
    address: str | None = None,
) -> None:
    """Sets, in this process, TF_CONFIG if the cluster has a chief or a master,
    CUDA_VISIBLE_DEVICES, and the CLASSPATH of a host with Hadoop. `gpus`: those that Spark gave the
    task; `address`: this node's, else the one at `index`. Exception if the program asks for more
    GPUs than there are.
    """
    if "chief" in cluster or "master" in cluster:
        os.environ["TF_CONFIG"] = json.dumps(
            {
                "cluster": cluster,
                "task": {"type": role, "index": index},
                "environment": "cloud",
            }
        )
    address = cluster[role][index] if address is None else address
    devices = choose_gpus(arguments, gpus, address, cluster)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(devices)
    util.expand_hadoop_classpath()
