"""Handwritten digits from a Spark RDD, in the style of TensorFlowOnSpark.

Spark feeds the rows; two nodes train one model together (MultiWorkerMirroredStrategy), the chief
writes it, and a second cluster makes one guess for each test image.
"""

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from pyspark import SparkConf, SparkContext  # noqa: E402

from tensorflowonspark import TFCluster  # noqa: E402


def digits():
    """1,797 real scans of 8x8 pixels as rows of 64 numbers and their digit."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    pixels = (images / 16.0).tolist()
    return list(zip(pixels, labels.tolist()))  # noqa: B905


def train_fun(args, ctx):
    """One node: takes its rows from Spark and trains in step with the others."""
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(64, activation="relu", input_shape=(64,)),
            tf.keras.layers.Dense(10),
        ])
        model.compile(
            optimizer=tf.keras.optimizers.Adam(0.005),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        )

    feed = ctx.get_data_feed()

    def rows():
        while not feed.should_stop():
            yield from feed.next_batch(args.batch_size)

    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    signature = (tf.TensorSpec([64], tf.float32), tf.TensorSpec([], tf.int64))
    data = tf.data.Dataset.from_generator(rows, output_signature=signature)
    data = data.batch(args.batch_size).with_options(options)
    # Partitions are uneven: all nodes stop at the same step, before the first runs dry.
    steps = int(0.9 * args.rows * args.epochs / ctx.num_workers / args.batch_size)
    model.fit(data, steps_per_epoch=steps, verbose=2)
    model.save(args.model if ctx.job_name == "chief" else args.model + ".other", save_format="tf")
    feed.terminate()


def guess_fun(args, ctx):
    """One node: a guess for each row that Spark feeds."""
    import tensorflow as tf

    model = tf.keras.models.load_model(args.model, compile=False)
    feed = ctx.get_data_feed(train_mode=False)
    while not feed.should_stop():
        images = feed.next_batch(256)
        if images:
            scores = model(tf.constant(images, tf.float32)).numpy()
            feed.batch_results(scores.argmax(axis=1).tolist())


def run(sc, args):
    """Trains, guesses, and returns the share of right guesses, from 0 to 1."""
    rows = digits()
    training, test = rows[450:], rows[:450]
    args.rows = len(training)

    cluster = TFCluster.run(
        sc, train_fun, args, args.nodes, 0,
        input_mode=TFCluster.InputMode.SPARK, master_node="chief",
    )  # fmt: skip
    cluster.train(sc.parallelize(training, 2 * args.nodes), args.epochs)
    cluster.shutdown()

    cluster = TFCluster.run(
        sc, guess_fun, args, args.nodes, 0, input_mode=TFCluster.InputMode.SPARK
    )
    images = sc.parallelize([image for image, _ in test], args.nodes)
    guesses = cluster.inference(images).collect()
    cluster.shutdown()
    right = sum(guess == label for guess, (_, label) in zip(guesses, test))  # noqa: B905
    return right / len(test)


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--model", default=os.path.abspath("digits-model"))
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
