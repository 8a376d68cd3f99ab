"""Jobs on the executors of a Spark application."""
