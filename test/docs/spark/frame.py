from spark_application import sc, spark

import muster.spark

rows = [([float(number)] * 784, number % 10) for number in range(600)]
frame = spark.createDataFrame(rows[:512], ["features", "label"])
held_out = spark.createDataFrame(rows[512:], ["features", "label"])


def step(features, label):
    assert features.shape == (len(label), 784)


# THE BLOCK OF THE PAGE

assert len(by_rank) == 2
