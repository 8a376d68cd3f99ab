"""The application that the page's programs take for granted: two executors of one core."""

import os
import sys

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

os.environ["PYSPARK_PYTHON"] = sys.executable
settings = SparkConf().set("spark.ui.enabled", "false")
sc = SparkContext("local-cluster[2,1,1024]", "docs", conf=settings)
sc.setLogLevel("OFF")
spark = SparkSession(sc)
