from spark_application import sc, spark

import muster.spark
from tensorflowonspark import TFCluster

args = {}
frame = spark.createDataFrame([(1.0,), (2.0,)], ["value"])


def work(args, ctx):
    return ctx.num_workers


def fit(args, ctx):
    return sum(len(batch["value"]) for batch in muster.spark.batches(ctx, 256))


def map_fun(args, ctx):
    feed = ctx.get_data_feed()
    while not feed.should_stop():
        feed.next_batch(100)


# THE BLOCK OF THE PAGE

cluster.train(sc.parallelize(range(100), 2))
cluster.shutdown()
