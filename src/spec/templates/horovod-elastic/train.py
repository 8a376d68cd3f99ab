"""Fits a line with as many Horovod ranks as there are: the state outlives those that are lost."""

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

    # Nothing may be asked of the other ranks out here: those that run are further.
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    optimizer = tf.keras.optimizers.legacy.SGD(0.3)
    # Whoever comes later must have all the optimizer's variables that the others send it.
    optimizer.apply_gradients([(tf.zeros_like(one), one) for one in model.trainable_variables])

    @hvd.elastic.run
    def train(state):
        # Put your own data here: this rank's share of it, among those that there are now.
        x = tf.reshape(tf.linspace(-1.0, 1.0, 512)[hvd.rank()::hvd.size()], (-1, 1))
        y = 3.0 * x - 1.0
        while state.step < options.steps:
            with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
                loss = tf.reduce_mean((model(x) - y) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            state.step += 1
            if state.step % 5 == 0:
                state.commit()  # Where others are taken in, and what is gone back to.

    train(hvd.elastic.TensorFlowKerasState(model, optimizer, step=0))
    if hvd.rank() == 0:
        slope, offset = (variable.numpy().item() for variable in model.trainable_variables)
        print(f"{hvd.size()} ranks learned y = {slope:.2f} x + {offset:.2f}", flush=True)


if __name__ == "__main__":
    main()
