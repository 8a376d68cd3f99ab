"""Fits a line with however many Horovod ranks there are: the state survives the loss of one."""

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

    # Do not communicate with other ranks here: those that run already are past this point.
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    optimizer = tf.keras.optimizers.legacy.SGD(0.3)
    # A rank that joins later must have every optimizer variable that the others send it.
    optimizer.apply_gradients([(tf.zeros_like(one), one) for one in model.trainable_variables])

    @hvd.elastic.run
    def train(state):
        # Put your own data here: this rank's share, given the current number of ranks.
        x = tf.reshape(tf.linspace(-1.0, 1.0, 512)[hvd.rank()::hvd.size()], (-1, 1))
        y = 3.0 * x - 1.0
        while state.step < options.steps:
            with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            state.step += 1
            if state.step % 5 == 0:
                state.commit()  # New ranks join here; lost work is redone from here.

    train(hvd.elastic.TensorFlowKerasState(model, optimizer, step=0))
    if hvd.rank() == 0:
        slope, offset = (variable.numpy().item() for variable in model.trainable_variables)
        print(f"{hvd.size()} ranks learned y = {slope:.2f} x + {offset:.2f}", flush=True)


if __name__ == "__main__":
    main()
