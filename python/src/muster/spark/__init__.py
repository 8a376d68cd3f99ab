"""Jobs on the executors of a Spark application: `run`. `tensorflowonspark.TFCluster` is the same
with the names of TensorFlowOnSpark, and feeds them rows.
"""

from typing import Any

__all__ = ["run"]


def run(*arguments: Any, **settings: Any) -> dict[str, list[Any]]:
    """muster.spark.api.run: what a function returns as each task of a gang."""
    # Holders and nodes are of this package too, and have no use for Spark.
    from muster.spark import api

    return api.run(*arguments, **settings)
