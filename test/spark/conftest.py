"""Spark's Python workers run on the interpreter of the tests, and its Java starts quickly."""

import os
import sys

import quick_java

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("SPARK_SUBMIT_OPTS", quick_java.options())
