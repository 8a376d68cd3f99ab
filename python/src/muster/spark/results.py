"""The RDD that inference() returns: its actions fail with the job's message, not just Spark's."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

# RDD's methods that run a Spark job.
_ACTIONS = (
    "aggregate collect collectAsMap count countApprox countApproxDistinct countByKey countByValue "
    "first fold foreach foreachPartition histogram isEmpty lookup max mean meanApprox min reduce "
    "reduceByKeyLocally sampleStdev sampleVariance saveAsHadoopDataset saveAsHadoopFile "
    "saveAsNewAPIHadoopDataset saveAsNewAPIHadoopFile saveAsPickleFile saveAsSequenceFile "
    "saveAsTextFile stats stdev sum sumApprox take takeOrdered takeSample top treeAggregate "
    "treeReduce variance"
).split()

# How Spark quotes an exception of this package: the class, its message, Java's frames.
_QUOTED = re.compile(
    r"muster\.spark\.\w+\.(?:NodeEndedError|InferenceError): (.*?)(?:\n\s*at (?=[\w.$/]+\()|\Z)",
    re.DOTALL,
)


def words_in(failure: BaseException) -> str | None:
    """What a task of this package said, taken from the text of Spark's exception; None if none did.
    """
    quoted = _QUOTED.search(str(failure))
    return quoted.group(1).strip() if quoted else None


def telling(rdd: Any, explain: Callable[[Exception], None]) -> Any:
    """Returns `rdd`, and makes its actions, and those of RDDs derived from it by map, filter and
    the like, call `explain` with the exception if they fail: it raises a better exception or
    returns.
    """
    for name in _ACTIONS:
        setattr(rdd, name, _guarded(getattr(rdd, name), explain))
    rdd.toLocalIterator = _guarded_iterator(rdd.toLocalIterator, explain)
    transform = rdd.mapPartitionsWithIndex

    @functools.wraps(transform)
    def transformed(*arguments: Any, **named: Any) -> Any:
        return telling(transform(*arguments, **named), explain)

    rdd.mapPartitionsWithIndex = transformed
    return rdd


@contextlib.contextmanager
def _explained(explain: Callable[[Exception], None]) -> Iterator[None]:
    try:
        yield
    except Exception as failure:
        explain(failure)
        raise


def _guarded(action: Callable, explain: Callable[[Exception], None]) -> Callable:
    @functools.wraps(action)
    def guarded(*arguments: Any, **named: Any) -> Any:
        with _explained(explain):
            return action(*arguments, **named)

    return guarded


def _guarded_iterator(action: Callable, explain: Callable[[Exception], None]) -> Callable:
    @functools.wraps(action)
    def guarded(*arguments: Any, **named: Any) -> Iterator:
        with _explained(explain):
            yield from action(*arguments, **named)

    return guarded
