"""What Spark's reason for a lost executor says about its exit status."""
# timeout: 60

import pytest

from muster.spark.containers import exit_status_in


@pytest.mark.parametrize(("words", "status"), [
    ("Command exited with code 137", "137"),
    ("Container from a bad node: container_1_0001_01_000002 on host: n1. Exit status: 143. "
     "Diagnostics: [2026-11-21 15:09:19.638]Container killed on request.", "143"),
    ("Container marked as failed: container_1_0001_01_000002 on host: n1. Exit status: -100.",
     "-100"),
    ("Container killed by YARN for exceeding physical memory limits. 1.5 GB of 1.5 GB physical "
     "memory used. Consider boosting spark.executor.memoryOverhead.", "-104"),
    ("Container killed by YARN for exceeding virtual memory limits.", "-103"),
    ("Container container_1_0001_01_000002 on host: n1 was preempted.", "-102"),
    ("Unable to create executor due to exit code 1", "1"),
    ("Remote RPC client disassociated. Likely due to containers exceeding thresholds", ""),
    ("the executor, or the holder of its slot, is gone", ""),
])
def test_the_exit_status_is_found(words, status):
    assert exit_status_in(words) == status
