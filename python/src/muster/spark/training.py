"""Training programs that Spark feeds: columns of a DataFrame straight to numpy."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

from muster.spark.feeder import Feeder
from muster.spark.job import Job
from muster.spark.ledger import Consumed
from muster.spark.plan import parse_roles

_INPUT, _VALIDATION = "input", "validation"


def train_df(
    function: Callable[[Any, Any], Any],
    frame: Any,
    args: Any = None,
    *,
    nodes: int | Mapping[str, Any],
    epochs: int = 1,
    validation: Any = None,
    framework: str = "generic",
    max_restarts: int = 0,
    start_timeout: float = 600.0,
    feed_timeout: float = 600.0,
    name: str = "spark",
    consumed: list[Consumed] | None = None,
) -> list[Any]:
    """Runs `function(args, ctx)` on `nodes` executors, feeds them the columns of the DataFrame
    `frame`, `epochs` times, and returns what each returned, by rank.

    In the function `muster.spark.batches(ctx, size)` returns the rows as numpy columns. Once all
    rows have been read, those of `validation` come from `batches(ctx, size, "validation")`. Columns
    are numbers, booleans, text, bytes and lists of numbers; others cause an error that names them.
    `nodes` may be `{"min": 1, "max": 4}`; for that and the rest see muster.spark.run. `consumed` is
    filled with what became of each partition, even if the call fails. JobError with the message of
    the node that failed first. Exception if a node takes no row for `feed_timeout` seconds, or,
    naming the missing nodes, if not all have begun after `start_timeout` seconds.
    """
    sc = frame.sparkSession.sparkContext
    plan = dataclasses.replace(
        parse_roles({"worker": nodes}),
        name=name,
        framework=framework,
        fed=True,
        queues=[_INPUT, _VALIDATION],
        max_restarts=max_restarts,
        join_seconds=start_timeout,
        working_dir=os.getcwd(),
        results=True,
    )
    job = Job(sc, plan, function, args)
    try:
        job.await_nodes(start_timeout)
        _feed(sc, job, _INPUT, frame, epochs, feed_timeout)
        if validation is not None:
            _feed(sc, job, _VALIDATION, validation, 1, feed_timeout)
        else:
            job.end_of_feed(_VALIDATION)
        job.wait()
        job.raise_failure()
        return job.results()["worker"]
    finally:
        if consumed is not None:
            consumed.extend(job.ledger.consumed())
        job.close()


def _feed(sc: Any, job: Job, queue: str, frame: Any, epochs: int, timeout: float) -> None:
    feeder = Feeder(sc, job, job.feed_settings(queue, timeout))
    feeder.feed_columns(frame, epochs)
    job.end_of_feed(queue)
