"""muster.spark.run: gangs on executors, and what they return."""
# timeout: 600

import os

import pytest
from cluster_bed import home, sc  # noqa: F401 (fixtures)

import muster.spark
from muster.spark.errors import JobError


def test_every_task_returns_its_result(sc):  # noqa: F811
    def work(args, ctx):
        rank, world = os.environ["RANK"], os.environ["WORLD_SIZE"]
        return ctx.job_name, ctx.task_index, args * 2, rank, world, "MASTER_ADDR" in os.environ

    results = muster.spark.run(work, {"worker": 2}, 21, sc=sc, framework="pytorch")
    assert results == {
        "worker": [("worker", 0, 42, "0", "2", True), ("worker", 1, 42, "1", "2", True)]
    }


def test_a_failure_is_told_in_its_own_words(sc):  # noqa: F811
    def work(args, ctx):
        if ctx.task_index == 0:
            raise LookupError("no shard 17")

    with pytest.raises(JobError, match="LookupError: no shard 17"):
        muster.spark.run(work, {"worker": 2}, sc=sc)


def test_a_program_that_fails_once_is_started_again_with_all_others(sc, tmp_path):  # noqa: F811
    def work(args, ctx):
        if ctx.task_index == 1 and ctx.generation == 1:
            os._exit(3)
        return ctx.generation

    assert muster.spark.run(work, {"worker": 2}, sc=sc, max_restarts=2) == {"worker": [2, 2]}
