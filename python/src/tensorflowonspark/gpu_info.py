"""Which GPUs of this host are free, by nvidia-smi."""

import logging
import subprocess
import time

logger = logging.getLogger(__name__)

MAX_RETRIES = 3
AS_STRING = "string"
AS_LIST = "list"


def is_gpu_available():
    """Whether nvidia-smi runs and lists GPUs on this host."""
    try:
        subprocess.check_output(["nvidia-smi", "--list-gpus"], stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def _all_gpus():
    """(uuid, index) of each, as in "GPU 0: Tesla T4 (UUID: GPU-1234)"."""
    listed = subprocess.check_output(["nvidia-smi", "--list-gpus"]).decode()
    gpus = []
    for line in listed.splitlines():
        head, _, tail = line.partition("(UUID: ")
        if head.startswith("GPU ") and tail:
            gpus.append((tail.rstrip(") "), head[len("GPU ") :].partition(":")[0]))
    return gpus


def _busy_uuids():
    query = ["nvidia-smi", "--format=csv,noheader,nounits", "--query-compute-apps=gpu_uuid"]
    return {line.strip() for line in subprocess.check_output(query).decode().splitlines()}


def _who_is_busy():
    query = "--query-compute-apps=gpu_uuid,pid,process_name,used_gpu_memory"
    return subprocess.check_output(["nvidia-smi", "--format=csv", query]).decode()


def _free_gpus(num_gpu):
    """Indices of GPUs without a compute process; asks again, more and more patiently, while there
    are fewer than `num_gpu`.
    """
    gpus = _all_gpus()
    for attempt in range(1, MAX_RETRIES + 1):
        busy = _busy_uuids()
        free = [index for uuid, index in gpus if uuid not in busy]
        if len(free) >= num_gpu:
            return free
        logger.warning("%d GPUs wanted, %d of %d free", num_gpu, len(free), len(gpus))
        if attempt < MAX_RETRIES:
            # lint: allow(sleep) nobody tells when a GPU comes free.
            time.sleep(30 * attempt)
    raise Exception(f"Unable to find {num_gpu} free GPU(s)\n{_who_is_busy()}")


def get_gpus(num_gpu=1, worker_index=-1, format=AS_STRING):
    """Indices of `num_gpu` free GPUs, as "0,1" or as a list of strings.

    `worker_index` (from 0, among the nodes of this host) spreads nodes over the GPUs in order,
    starting over when they run out; -1 picks at random. Exception if too few are free.
    """
    if format not in (AS_STRING, AS_LIST):
        raise Exception("Unknown GPU format")
    free = _free_gpus(num_gpu)
    if worker_index == -1:
        import random

        chosen = random.sample(free, num_gpu)
    else:
        start = worker_index * num_gpu
        if start + num_gpu > len(free):
            # Starting over may land behind the last that fits: wrap around, never too few.
            start %= len(free)
            free = free + free
        chosen = free[start : start + num_gpu]
    logger.info("GPUs chosen: %s", chosen)
    return ",".join(chosen) if format == AS_STRING else chosen
