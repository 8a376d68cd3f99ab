"""Fits a line with Horovod: each rank sees its own part of the data; gradients are averaged."""

import argparse

import horovod.tensorflow as hvd
import tensorflow as tf


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    hvd.init()
    gpus = tf.config.list_physical_devices("GPU")
    if gpus:
        tf.config.set_visible_devices(gpus[hvd.local_rank()], "GPU")

    # Put your own data here: this rank's share of it.
    x = tf.linspace(-1.0, 1.0, 512)[hvd.rank()::hvd.size()]
    y = 3.0 * x - 1.0
    slope, offset = tf.Variable(0.0), tf.Variable(0.0)
    hvd.broadcast_variables([slope, offset], root_rank=0)
    optimizer = tf.keras.optimizers.legacy.SGD(0.3)
    for _ in range(options.steps):
        with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
            loss = tf.reduce_mean((slope * x + offset - y) ** 2)
        gradients = tape.gradient(loss, [slope, offset])
        optimizer.apply_gradients(zip(gradients, [slope, offset], strict=True))
    if hvd.rank() == 0:
        print(f"{hvd.size()} ranks learned y = {slope.numpy():.2f} x + {offset.numpy():.2f}",
              flush=True)


if __name__ == "__main__":
    main()
