"""Whether a Spark application can run a job, and why not."""

from __future__ import annotations

import functools
import inspect
import operator
from typing import Any

from muster.spark.errors import JobError

_TRUE = "true"


def check(sc: Any, fed: bool) -> None:
    """JobError with the reason and what to do if `sc` cannot run a job; `fed`: its rows come from
    Spark.
    """
    from pyspark import SparkContext

    if not isinstance(sc, SparkContext):
        raise JobError(
            f"a SparkContext is needed, not a {type(sc).__module__}.{type(sc).__name__}: Spark "
            "Connect gives programs neither tasks on chosen executors nor RDDs; run the driver on "
            "the cluster with spark-submit and spark.api.mode=classic"
        )
    conf = sc.getConf()
    _check_speculation(conf, fed)
    if fed and keeps_executors(conf):
        _check_idle_timeout(conf)


def check_function(name: str, function: Any) -> None:
    """TypeError if calling the function given as `name` would run none of its code."""
    if not callable(function):
        raise TypeError(f"{name} must be a function, not {function!r}")
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    if not inspect.isroutine(inner):
        inner = type(inner).__call__
    for kind, what in (
        (inspect.isgeneratorfunction, "a generator function (it has a `yield`)"),
        (inspect.isasyncgenfunction, "an async generator function"),
        (inspect.iscoroutinefunction, "an async function"),
    ):
        if kind(inner):
            raise TypeError(f"{name} is {what}: calling it runs nothing; use a plain function")


def whole_number(name: str, value: Any, least: int) -> int:
    """The value of an argument that must be a whole number, `least` or more."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be a whole number, {least} or more, not {value!r}")
    if number < least:
        raise ValueError(f"{name} must be {least} or more, not {number}")
    return number


def keeps_executors(conf: Any) -> bool:
    """Whether Spark removes idle executors, so that those with a node must not look idle."""
    return conf.get("spark.dynamicAllocation.enabled", "false").lower() == _TRUE


def _check_speculation(conf: Any, fed: bool) -> None:
    if conf.get("spark.speculation", "false").lower() != _TRUE:
        return
    threshold = "spark.speculation.task.duration.threshold"
    if fed:
        raise JobError(
            "spark.speculation starts second copies of the tasks that feed, so that rows would be "
            "read twice: set spark.speculation=false for this application"
        )
    if conf.get(threshold) is not None:
        raise JobError(
            f"{threshold} starts second copies of the tasks that hold nodes: unset it, or set "
            "spark.speculation=false for this application"
        )


def _check_idle_timeout(conf: Any) -> None:
    name = "spark.dynamicAllocation.cachedExecutorIdleTimeout"
    timeout = conf.get(name, "infinity")
    if timeout.lower() != "infinity":
        raise JobError(
            f"{name}={timeout} would take executors away from their nodes, which hold no Spark "
            "task between partitions: unset it, or set spark.dynamicAllocation.enabled=false"
        )
