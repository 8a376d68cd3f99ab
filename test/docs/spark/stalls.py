from spark_application import sc, spark  # noqa: F401

import muster.spark

args = {}


def work(args, ctx):
    return ctx.num_workers


# THE BLOCK OF THE PAGE
