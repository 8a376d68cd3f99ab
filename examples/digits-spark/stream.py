"""Handwritten digits from a stream: files that appear in a folder, until there are no more.

One node learns from whatever comes. When it has seen enough it says so (DataFeed.terminate), and
the stream ends; `python3 -m tensorflowonspark.reservation_client HOST PORT`, with the address in
the driver's log, ends it, too.
"""

import argparse
import os
import threading

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from pyspark import SparkConf, SparkContext  # noqa: E402
from pyspark.streaming import StreamingContext  # noqa: E402

from tensorflowonspark import TFCluster  # noqa: E402


def digits():
    """1,797 real scans of 8x8 pixels as lines of 65 numbers, the digit last."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return [
        " ".join(str(number) for number in [*image, label])
        for image, label in zip((images / 16.0).tolist(), labels.tolist())  # noqa: B905
    ]


def drop(lines, folder, name):
    """Puts a complete file into the folder, as a stream requires."""
    with open(os.path.join(folder, f".{name}"), "w") as file:
        file.write("\n".join(lines) + "\n")
    os.rename(os.path.join(folder, f".{name}"), os.path.join(folder, name))


def train_fun(args, ctx):
    """The node: learns until it has seen `--rows` rows, then prints its accuracy."""
    import numpy as np
    import tensorflow as tf

    model = tf.keras.Sequential([
        tf.keras.layers.Dense(64, activation="relu", input_shape=(64,)),
        tf.keras.layers.Dense(10),
    ])
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.005),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    feed = ctx.get_data_feed()
    taken = 0
    while taken < args.rows and not feed.should_stop():
        rows = np.array(feed.next_batch(args.batch_size), "float32")
        if len(rows):
            model.train_on_batch(rows[:, :64], rows[:, 64])
            taken += len(rows)
    feed.terminate()
    test = np.array([line.split() for line in digits()[:450]], "float32")
    _, accuracy = model.evaluate(test[:, :64], test[:, 64], verbose=0)
    with open(args.told, "w") as file:
        file.write(f"{accuracy}")


def run(sc, args):
    """Trains from a stream and returns the accuracy on the test images, from 0 to 1."""
    os.makedirs(args.folder, exist_ok=True)
    ssc = StreamingContext(sc, 1)
    stream = ssc.textFileStream("file://" + args.folder).map(
        lambda line: [float(number) for number in line.split()]
    )
    cluster = TFCluster.run(sc, train_fun, args, 1, 0, input_mode=TFCluster.InputMode.SPARK)
    cluster.train(stream, feed_timeout=86400)
    ssc.start()
    ended = threading.Event()

    def others():
        """The source of the stream: here a file every second."""
        lines, number = digits()[450:], 0
        while not ended.wait(1):
            drop(lines, args.folder, f"lines-{number}")
            number += 1

    threading.Thread(target=others, daemon=True).start()
    cluster.shutdown(ssc)
    ended.set()
    with open(args.told) as file:
        return float(file.read())


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=12000)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--folder", default=os.path.abspath("digits-stream"), help="a new folder")
    parser.add_argument("--told", default=os.path.abspath("digits-accuracy"))
    return parser.parse_args(argv)


def main():
    args = arguments()
    conf = SparkConf().setAppName("digits")
    if "MASTER" in os.environ:
        conf.setMaster(os.environ["MASTER"])
    sc = SparkContext(conf=conf)
    print(f"test accuracy {run(sc, args):.3f}", flush=True)
    sc.stop()


if __name__ == "__main__":
    main()
