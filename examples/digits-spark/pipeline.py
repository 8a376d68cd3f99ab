"""Handwritten digits as a stage of a Spark ML pipeline: TFEstimator and TFModel."""

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from pyspark import SparkConf, SparkContext  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from tensorflowonspark.pipeline import TFEstimator  # noqa: E402


def digits(sc):
    """1,797 real scans of 8x8 pixels as two DataFrames, for training and for the test."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    pixels = (images / 16.0).tolist()
    rows = list(zip(pixels, labels.tolist()))  # noqa: B905
    spark = SparkSession(sc)
    return [
        spark.createDataFrame(sc.parallelize(part, 4), ["image", "label"])
        for part in (rows[450:], rows[:450])
    ]


def train_fun(args, ctx):
    """One node: takes its rows from Spark and trains in step with the others."""
    import tensorflow as tf

    from tensorflowonspark import compat

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(64, activation="relu", input_shape=(64,)),
            tf.keras.layers.Dense(10, name="scores"),
        ])
        model.compile(
            optimizer=tf.keras.optimizers.Adam(0.005),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        )
    feed = ctx.get_data_feed(input_mapping=args.input_mapping)

    def rows():
        while not feed.should_stop():
            batch = feed.next_batch(args.batch_size)
            yield from zip(batch["image"], batch["label"])  # noqa: B905

    options = tf.data.Options()
    compat.disable_auto_shard(options)
    signature = (tf.TensorSpec([64], tf.float32), tf.TensorSpec([], tf.int64))
    data = tf.data.Dataset.from_generator(rows, output_signature=signature)
    data = data.batch(args.batch_size).with_options(options)
    # Partitions are uneven: all nodes stop at the same step, before the first runs dry.
    steps = int(0.9 * args.rows * args.epochs / ctx.num_workers / args.batch_size)
    model.fit(data, steps_per_epoch=steps, verbose=2)
    compat.export_saved_model(model, args.export_dir, ctx.job_name == "chief")
    feed.terminate()


def run(sc, args):
    """Fits, transforms, and returns the share of right guesses, from 0 to 1."""
    training, test = digits(sc)
    estimator = (
        TFEstimator(train_fun, {"rows": training.count()})
        .setInputMapping({"image": "image", "label": "label"})
        .setExportDir(args.model)
        .setClusterSize(args.nodes)
        .setMasterNode("chief")
        .setEpochs(args.epochs)
        .setBatchSize(args.batch_size)
    )
    model = estimator.fit(training)
    # A TFModel returns the mapped columns, with the rows in their original order.
    model.setInputMapping({"image": args.input_name}).setOutputMapping({args.output_name: "scores"})
    scores = [row.scores for row in model.transform(test).collect()]
    labels = [row.label for row in test.collect()]
    guesses = [max(range(10), key=one.__getitem__) for one in scores]
    return sum(a == b for a, b in zip(guesses, labels)) / len(labels)  # noqa: B905


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--model", default=os.path.abspath("digits-pipeline-model"))
    # The tensor names that `saved_model_cli show --all` lists for the model.
    parser.add_argument("--input_name", default="dense_input")
    parser.add_argument("--output_name", default="scores")
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
