"""Which of an application's waiting tasks Spark gives the next free slot."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from pyspark import inheritable_thread_target

_LOOK_SECONDS = 0.5


@contextlib.contextmanager
def put_first(sc: Any, group: str) -> Iterator[None]:
    """While this lasts, a task of this job group that finds no slot at once gets the next free one.
    Otherwise Spark gives it to the job that began first: for example to a task with rows for the
    very node that the waiting task is to bring back, which would then wait for that node in its
    slot.
    """
    over = threading.Event()

    def look() -> None:
        with contextlib.suppress(Exception):  # Another Spark may not have this.
            while not over.wait(_LOOK_SECONDS):
                if _raise_priority(sc, group):
                    return

    threading.Thread(
        target=inheritable_thread_target(look), name="muster-first", daemon=True
    ).start()
    try:
        yield
    finally:
        over.set()


def _raise_priority(sc: Any, group: str) -> bool:
    """Gives the tasks of a job group precedence over all others; false if none are known yet.
    Py4JError if jobs are not served in the order in which they began: the queue then holds pools.
    """
    known = sc._jsc.sc().taskScheduler().rootPool().schedulableQueue().iterator()
    while known.hasNext():
        tasks = known.next()
        if tasks.taskSet().properties().getProperty("spark.jobGroup.id") == group:
            getattr(tasks, "priority_$eq")(-1)
            return True
    return False
