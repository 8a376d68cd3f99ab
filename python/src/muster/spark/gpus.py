"""Which GPUs a node may use: what the program asks for, what Spark gave, what is free."""

from __future__ import annotations

import logging
import os
from typing import Any

from tensorflowonspark import gpu_info, util

_log = logging.getLogger(__name__)


def requested(arguments: Any) -> int | None:
    """The program's own `num_gpus`; None if it says nothing."""
    if isinstance(arguments, list):
        return None
    try:
        return arguments.num_gpus if "num_gpus" in arguments else None
    except TypeError:  # Any object may be the arguments.
        return None


def choose_gpus(
    arguments: Any,
    from_spark: list[str],
    address: str = "",
    cluster: dict[str, list[str]] | None = None,
    index: int | None = None,
) -> list[str]:
    """The devices for CUDA_VISIBLE_DEVICES. Nodes of one host, by `address` in `cluster`, share its
    GPUs in their order; `index` gives the place among them if the cluster is not known. Exception
    if the program asks for more than there are.
    """
    wanted = requested(arguments)
    if wanted == 0:
        return []
    if from_spark:
        chosen = list(from_spark)
        if wanted is not None and len(chosen) > wanted:
            _log.warning("Spark gave %d GPUs, %d are used", len(chosen), wanted)
            chosen = chosen[:wanted]
    elif "SPARK_EXECUTOR_POD_IP" not in os.environ and gpu_info.is_gpu_available():
        if index is None:
            peers = [one for role in (cluster or {}).values() for one in role]
            index = util.index_on_host(address, peers)
        chosen = gpu_info.get_gpus(max(1, wanted or 0), index, format=gpu_info.AS_LIST)
    else:
        chosen = []
    if wanted is not None and len(chosen) < wanted:
        raise Exception(f"Unable to allocate {wanted} GPU(s) from available GPUs: {chosen}")
    return chosen
