"""Jobs on the executors of a Spark application: `run`, and `train_df` for programs that are fed the
columns of a DataFrame. `tensorflowonspark.TFCluster` is the same under the names of
TensorFlowOnSpark.
"""

import json
import os
from collections.abc import Iterator
from typing import Any

__all__ = ["batches", "members", "run", "train_df"]


def run(*arguments: Any, **settings: Any) -> dict[str, list[Any]]:
    """Runs a function as each task of a gang; see muster.spark.api.run."""
    # Holders and nodes are part of this package too, and do not need Spark.
    from muster.spark import api

    return api.run(*arguments, **settings)


def train_df(*arguments: Any, **settings: Any) -> list[Any]:
    """Feeds programs the columns of a DataFrame; see muster.spark.training.train_df."""
    from muster.spark import training

    return training.train_df(*arguments, **settings)


def members() -> dict[str, list[str | None]]:
    """The current members as this node knows them: role → addresses by index, None for an index
    whose task is missing. In a role with `"membership": "elastic"` tasks come and go while others
    run.
    """
    with open(os.environ["MUSTER_VIEW_FILE"], encoding="utf-8") as file:
        return json.load(file)


def batches(ctx: Any, size: int | None = None, queue: str = "input") -> Iterator[Any]:
    """The rows that Spark feeds to this node as numpy columns, `size` rows at a time (the last may
    be fewer; None: as they come): a dict by name for the rows of a DataFrame, dicts and Rows, a
    list for tuples and lists, one array for plain values. If possible a batch is a view of shared
    memory. You may keep any number of batches: the feed then continues with copies.
    """
    from muster.feed.columns import ColumnReader

    feed = ctx.mgr.get_queue(queue)
    if not hasattr(feed, "inbox"):
        raise ValueError(f"Spark feeds no queue {queue!r} to this node")
    return ColumnReader(feed.inbox).batches(size)
