"""Feeding from the driver: Spark jobs whose tasks feed the nodes of their executors."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any

from muster.spark import feeding
from muster.spark.job import Job

_SETTLE_SECONDS = 10
_LOOK_SECONDS = 0.2


class Feeder:
    """Feeds one queue of a job's nodes. `raise_failure(job)` raises why the job failed, in the
    manner of whoever feeds, and returns if it has not.
    """

    def __init__(self, sc: Any, job: Job, settings: feeding.FeedSettings,
                 raise_failure: Callable[[Job], None]):  # fmt: skip
        self._sc = sc
        self._job = job
        self._settings = settings
        self._raise_failure = raise_failure

    def feed_rows(self, rdd: Any) -> None:
        """Feeds the rows of an RDD."""
        self._run(rdd.mapPartitionsWithIndex(feeding.train(self._settings)))

    def feed_columns(self, frame: Any) -> None:
        """Feeds the columns of a DataFrame."""
        feed = feeding.train_arrow(self._settings)
        told = frame.mapInArrow(feed, "partition int, outcome string").rdd
        self._run(told.map(tuple))

    def _run(self, told: Any) -> None:
        """Runs the tasks of an RDD of (partition, outcome). A partition whose executor has no node
        is fed by another one.
        """
        left = list(range(told.getNumPartitions()))
        while left:
            outcomes = self._run_tasks(told, left)
            fed = {index for index, outcome in outcomes if outcome == feeding.FED}
            rest = [index for index in left if index not in fed]
            if rest and not self._job.running:
                raise Exception(f"the cluster has ended: {len(rest)} partitions were not fed")
            if len(rest) == len(left):
                # Every free slot is on an executor without a node: leave it to the others.
                time.sleep(_LOOK_SECONDS)  # lint: allow(sleep) Spark tells nobody of free slots
            left = rest

    def _run_tasks(self, told: Any, partitions: list[int]) -> list[tuple[int, str]]:
        """Runs the feeding tasks in a thread of their own, so that the job's end ends the wait."""
        from pyspark import inheritable_thread_target

        group = f"muster-feed-{random.getrandbits(64):x}"
        outcome: dict[str, Any] = {}

        def work() -> None:
            try:
                self._sc.setJobGroup(group, f"{self._job.id}: feed", True)
                outcome["told"] = self._sc.runJob(told, list, partitions)
            except Exception as failure:
                outcome["failure"] = failure
            outcome["ended"] = True
            self._job.wake()

        thread = threading.Thread(target=inheritable_thread_target(work), daemon=True)
        thread.start()
        try:
            self._job.wait_for_failure(lambda: "ended" in outcome)
        except BaseException:
            self._sc.cancelJobGroup(group)
            raise
        if "ended" not in outcome:
            self._sc.cancelJobGroup(group)
            self._raise_failure(self._job)
        if "failure" in outcome:
            # The node's end, if that is what failed the tasks, is known to the job in a moment.
            self._job.wait(_SETTLE_SECONDS if _says_node(outcome["failure"]) else 0)
            self._raise_failure(self._job)
            raise outcome["failure"]
        return outcome["told"]


def _says_node(failure: Exception) -> bool:
    """Whether a feeding job failed because of the node."""
    return "NodeEndedError" in str(failure)
