"""Programs on the executors of a Spark application, and what they return."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

from muster.spark import fitness
from muster.spark.job import Job
from muster.spark.plan import parse_roles


def run(
    function: Callable[[Any, Any], Any],
    roles: Mapping[str, int | Mapping[str, Any]],
    args: Any = None,
    *,
    sc: Any = None,
    framework: str = "generic",
    max_restarts: int = 0,
    start_timeout: float = 600.0,
    name: str = "spark",
    stall: Mapping[str, Any] | None = None,
    notify: Mapping[str, Any] | None = None,
) -> dict[str, list[Any]]:
    """Runs `function(args, ctx)` as a gang of `roles` (name → number of tasks), one Spark slot
    each, and returns what each returned, by role in the order of their indices (parameter servers
    and evaluators serve the others and return nothing).

    A role may also be `{"min": 2, "max": 4}`: the gang forms as soon as two are there. When one is
    lost the others continue, and when an executor arrives one more joins: each time all restart in
    the next generation, with `ctx.generation`, `ctx.task_index` and `ctx.cluster_spec` of their
    own. With `"membership": "elastic"` running tasks are not disturbed: muster.spark.members()
    returns the current members. Only tasks that succeeded have results.

    `framework` decides what the tasks find in their environment (`pytorch`: RANK, MASTER_ADDR and
    so on); up to `max_restarts` failures restart all of them. `stall` says what happens if tasks
    hang, as in `{"after": "5m", "then": "fail"}`, and `notify` who is told, both as in a
    specification. Raises JobError with the message of the task that failed first; Exception that
    names the missing tasks if not all have begun after `start_timeout` seconds.
    """
    fitness.check_function("function", function)
    if sc is None:
        from pyspark import SparkContext

        sc = SparkContext.getOrCreate()
    plan = dataclasses.replace(
        parse_roles(roles),
        name=name,
        framework=framework,
        max_restarts=max_restarts,
        join_seconds=start_timeout,
        working_dir=os.getcwd(),
        results=True,
        watching={
            key: dict(value)
            for key, value in (("stall", stall), ("notify", notify))
            if value is not None
        },
    )
    job = Job(sc, plan, function, args)
    try:
        job.await_nodes(start_timeout)
        job.wait()
        job.raise_failure()
        return job.results()
    finally:
        job.close()
