"""Muster's Python side: jobs on Spark, rows that Spark feeds to programs, reports, pages."""

from muster.endpoints import PublishError, publish
from muster.reporting import report

__all__ = ["PublishError", "publish", "report"]
