"""Stands in for the reader's own training program."""

import os

print(os.environ["JOB_NAME"], os.environ["TASK_INDEX"], "of", os.environ["CLUSTER_SPEC"])
