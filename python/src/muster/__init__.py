"""Muster's Python side: jobs on Spark, and the rows that Spark feeds to their programs."""
