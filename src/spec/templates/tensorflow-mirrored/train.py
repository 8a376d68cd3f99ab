"""Fits a curve with TensorFlow's MultiWorkerMirroredStrategy.

TF_CONFIG, which Muster writes, says who the others are and which of them this process is. Every
task holds a copy of the variables; gradients are summed over all of them before they are applied.
"""

import argparse
import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf  # noqa: E402

BATCH = 128  # of all workers together
POINTS = 2048


def points():
    """Returns points of a curve; put your own data here."""
    x = tf.reshape(tf.linspace(-3.0, 3.0, POINTS), [-1, 1])
    return x, tf.sin(x)


def variable(shape, seed):
    start = tf.random.stateless_normal(shape, [seed, seed]) * (1.0 / shape[0]) ** 0.5
    return tf.Variable(start, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)


class Network(tf.Module):
    """One input, 64 hidden units, one output; trained by gradient descent with momentum."""

    def __init__(self):
        super().__init__()
        self.weights = [variable([1, 64], 1), variable([1, 64], 2), variable([64, 1], 3)]
        self.momenta = [variable(weight.shape, 0) for weight in self.weights]
        for momentum in self.momenta:
            momentum.assign(tf.zeros_like(momentum))

    def __call__(self, x):
        hidden, bias, output = self.weights
        return tf.matmul(tf.tanh(tf.matmul(x, hidden) + bias), output)

    def learn(self, x, y):
        """Takes one step with the gradients of all workers; returns its share of the loss."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(self(x) - y)) / BATCH
        replica = tf.distribute.get_replica_context()
        gradients = replica.all_reduce("sum", tape.gradient(loss, self.weights))
        for weight, momentum, gradient in zip(self.weights, self.momenta, gradients):
            momentum.assign(0.9 * momentum + gradient)
            weight.assign_sub(0.02 * momentum)
        return loss


def train(epochs):
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    chief = strategy.cluster_resolver.task_type == "chief"
    with strategy.scope():
        network = Network()
        first = tf.VariableAggregation.ONLY_FIRST_REPLICA
        epoch = tf.Variable(0, dtype=tf.int64, aggregation=first)
    checkpoint = tf.train.Checkpoint(network=network, epoch=epoch)
    folder = os.environ.get("MUSTER_CHECKPOINT_DIR", "ckpt")
    # Everybody must save, as saving talks to the others; only the chief's copy counts.
    folder = folder if chief else tempfile.mkdtemp()
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    last = tf.train.latest_checkpoint(os.environ.get("MUSTER_CHECKPOINT_DIR", "ckpt"))
    if last is not None:
        checkpoint.restore(last)
        print(f"resumed after epoch {epoch.numpy()}", flush=True)

    rows = tf.data.Dataset.from_tensor_slices(points())
    rows = rows.shuffle(POINTS, seed=1).repeat().batch(BATCH)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    batches = iter(strategy.experimental_distribute_dataset(rows.with_options(options)))

    @tf.function
    def step(iterator):
        share = strategy.run(network.learn, args=next(iterator))
        return strategy.reduce("sum", share, axis=None)

    while (done := int(epoch.numpy()) + 1) <= epochs:
        for _ in range(POINTS // BATCH):
            loss = step(batches)
        epoch.assign(done)
        if done % 5 == 0 or done == epochs:
            manager.save(checkpoint_number=done)
        if chief:
            print(f"epoch {done} of {epochs}, loss {float(loss):.5f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    train(parser.parse_args().epochs)


if __name__ == "__main__":
    main()
