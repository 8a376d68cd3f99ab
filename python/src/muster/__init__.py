"""Muster's Python side: jobs on Spark, and the rows that Spark feeds to their programs."""

from muster.endpoints import PublishError, publish

__all__ = ["PublishError", "publish"]
