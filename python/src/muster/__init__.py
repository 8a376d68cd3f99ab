"""Muster's Python side: rows from Spark to the training processes, and the jobs that hold both."""
