"""Feeding from the driver: Spark jobs whose tasks feed the nodes of their executors."""

from __future__ import annotations

import collections
import dataclasses
import random
import threading
import time
from typing import Any

from pyspark import inheritable_thread_target

from muster.spark import feeding
from muster.spark.errors import JobError
from muster.spark.job import Job

_LOOK_SECONDS = 0.2
_OVER_SECONDS = 60.0


class Feeder:
    """Feeds one queue of a job's nodes. Its methods return when the rows have been read, or nobody
    wants them; JobError says why the job failed, or what its node said.
    """

    def __init__(self, sc: Any, job: Job, settings: feeding.FeedSettings):
        self._sc = sc
        self._job = job
        self._settings = settings

    def feed_rows(self, rdd: Any, epochs: int = 1) -> None:
        """Feeds the rows of an RDD this many times."""
        partitions = rdd.getNumPartitions()
        all_epochs = rdd if epochs == 1 else self._sc.union([rdd] * epochs)
        if all_epochs.getNumPartitions() != partitions * epochs:
            partitions = all_epochs.getNumPartitions()  # Spark has merged those of equal keys.
        settings = self._begin(partitions)
        self._run(all_epochs.mapPartitionsWithIndex(feeding.train(settings)))

    def feed_columns(self, frame: Any, epochs: int = 1) -> None:
        """Feeds the columns of a DataFrame this many times, as long as programs want rows."""
        settings = self._begin(frame.rdd.getNumPartitions())
        for epoch in range(epochs):
            if self._job.terminating.is_set():
                break
            first = epoch * frame.rdd.getNumPartitions()
            feed = feeding.train_arrow(dataclasses.replace(settings, first=first))
            told = frame.mapInArrow(feed, "partition int, outcome string").rdd
            self._run(told.map(tuple))

    def _begin(self, partitions: int) -> feeding.FeedSettings:
        number = self._job.ledger.begin(self._settings.queue, partitions)
        return dataclasses.replace(self._settings, feed=number, entries=self._job.entries)

    def _run(self, told: Any) -> None:
        """Runs the tasks of an RDD of (partition, outcome). What was not fed, because the executor
        has no node or lost it, is fed again: partition by partition, so that in between the next
        nodes can get the slots they wait for.
        """
        outcomes = self._run_tasks(told, list(range(told.getNumPartitions())))
        left = collections.deque(index for index, outcome in outcomes if outcome != feeding.FED)
        if not left:
            return
        fed = threading.Condition()
        failures: list[BaseException] = []
        busy: set[int] = set()

        def serve() -> None:
            while True:
                with fed:
                    fed.wait_for(lambda: left or not busy or failures)
                    if failures or not left:
                        return
                    index = left.popleft()
                    busy.add(index)
                try:
                    outcome = self._feed_one(told, index)
                except BaseException as failure:
                    with fed:
                        failures.append(failure)
                        fed.notify_all()
                    return
                with fed:
                    busy.discard(index)
                    if outcome != feeding.FED:
                        left.append(index)
                    fed.notify_all()

        count = min(len(left), max(1, self._sc.defaultParallelism))
        servers = [
            threading.Thread(target=inheritable_thread_target(serve), daemon=True)
            for _ in range(count)
        ]
        for server in servers:
            server.start()
        for server in servers:
            server.join()
        if failures:
            raise failures[0]

    def _feed_one(self, told: Any, index: int) -> str:
        """Has any executor feed one partition, and returns the outcome."""
        if not self._job.running:
            self._job.explain(None)
            if self._job.terminating.is_set():
                return feeding.FED  # The programs wanted no more rows before its turn came.
            raise JobError(f"the cluster has ended: partition {index} was not fed")
        [(_, outcome)] = self._run_tasks(told, [index])
        if outcome == feeding.ELSEWHERE:
            # That slot is on an executor without a node: leave it to the others.
            time.sleep(_LOOK_SECONDS)  # lint: allow(sleep) Spark tells nobody of free slots
        return outcome

    def _run_tasks(self, told: Any, partitions: list[int]) -> list[tuple[int, str]]:
        """Runs the feeding tasks in a thread of their own, so that the job's end ends the wait."""
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
            self._job.wait_for_failure(lambda: "ended" in outcome or not self._job.running)
            if self._job.failure is None:
                # Tasks see the job's end, too. But Spark 4 learns of theirs only after it has
                # pushed all rows of their partitions to them, which may go on forever.
                thread.join(_OVER_SECONDS)
        except BaseException:
            self._sc.cancelJobGroup(group)
            raise
        if "ended" not in outcome:
            self._sc.cancelJobGroup(group)
            self._job.explain(None)
            if self._job.terminating.is_set():
                return [(index, feeding.FED) for index in partitions]  # Nobody wants them.
            raise JobError("every map_fun returned before the end of the feed")
        if "failure" in outcome:
            self._job.explain(outcome["failure"])
            raise outcome["failure"]
        return outcome["told"]
