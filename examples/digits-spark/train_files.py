"""Handwritten digits from TFRecord files, which the nodes read themselves: InputMode.TENSORFLOW.

Spark writes the files (dfutil); two nodes train one model together, each from its share of them;
then two programs that know nothing of each other (TFParallel) guess for the test files.
"""

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from pyspark import SparkConf, SparkContext  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from tensorflowonspark import TFCluster, TFParallel, dfutil  # noqa: E402


def write_files(sc, folder):
    """1,797 real scans of 8x8 pixels as TFRecord files; returns how many are for training."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    pixels = (images / 16.0).tolist()
    rows = list(zip(pixels, labels.tolist()))  # noqa: B905
    for name, part in (("train", rows[450:]), ("test", rows[:450])):
        frame = SparkSession(sc).createDataFrame(sc.parallelize(part, 4), ["image", "label"])
        dfutil.saveAsTFRecords(frame, os.path.join(folder, name))
    return len(rows) - 450


def read_files(folder, share, shares):
    """This node's share of a folder's files, as a Dataset of (image, label)."""
    import tensorflow as tf

    files = sorted(tf.io.gfile.glob(folder + "/part-*"))[share::shares]
    kinds = {
        "image": tf.io.FixedLenFeature([64], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }

    def parse(record):
        example = tf.io.parse_single_example(record, kinds)
        return example["image"], example["label"]

    return tf.data.TFRecordDataset(files).map(parse)


def train_fun(args, ctx):
    """One node: trains in step with the others."""
    import tensorflow as tf

    from tensorflowonspark import compat

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
    share = ctx.executor_id  # The chief is 0, the workers follow.
    data = read_files(ctx.absolute_path(args.data + "/train"), share, ctx.num_workers)
    options = tf.data.Options()
    compat.disable_auto_shard(options)  # Each node reads its own files.
    data = data.shuffle(2000, seed=1).repeat().batch(args.batch_size).with_options(options)
    steps = args.rows // ctx.num_workers // args.batch_size
    model.fit(data, epochs=args.epochs, steps_per_epoch=steps, verbose=2)
    compat.export_saved_model(model, args.model, ctx.job_name == "chief")


def guess_fun(args, ctx):
    """An independent program: guesses for its share of the test files."""
    import tensorflow as tf

    model = tf.saved_model.load(args.model)
    guess = model.signatures["serving_default"]
    folder = ctx.absolute_path(args.data + "/test")
    with tf.io.gfile.GFile(f"{args.data}/guesses-{ctx.worker_num}", "w") as file:
        for images, labels in read_files(folder, ctx.worker_num, ctx.num_workers).batch(64):
            (scores,) = guess(images).values()
            for found, label in zip(tf.argmax(scores, 1).numpy(), labels.numpy()):  # noqa: B905
                file.write(f"{found} {label}\n")


def run(sc, args):
    """Writes the files, trains, guesses, and returns the share of right guesses, from 0 to 1."""
    args.rows = write_files(sc, args.data)
    TFCluster.run(sc, train_fun, args, args.nodes, 0, master_node="chief").shutdown()
    TFParallel.run(sc, guess_fun, args, args.nodes)
    guesses = sc.textFile(args.data + "/guesses-*").map(str.split).collect()
    return sum(guess == label for guess, label in guesses) / len(guesses)


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--data", default=os.path.abspath("digits-data"), help="a new folder")
    parser.add_argument("--model", default=os.path.abspath("digits-files-model"))
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
