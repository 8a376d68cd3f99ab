"""Fits a curve with TensorFlow's ParameterServerStrategy.

The same file runs as every role; TF_CONFIG, which Muster writes, says which one. Workers and the
parameter server serve; the chief places the variables and hands out the steps.
"""

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf  # noqa: E402

BATCH = 64
POINTS = 2048


def points():
    """Returns points of a curve; put your own data here."""
    x = tf.reshape(tf.linspace(-3.0, 3.0, POINTS), [-1, 1])
    return x, tf.sin(x)


def serve(cluster):
    """Serves one worker or parameter server until Muster ends it."""
    server = tf.distribute.Server(
        cluster.cluster_spec(), job_name=cluster.task_type, task_index=cluster.task_id,
        protocol="grpc", start=True)
    server.join()


class Network(tf.Module):
    """One input, 64 hidden units, one output; trained by gradient descent."""

    def __init__(self):
        super().__init__()
        start = tf.random.stateless_normal
        self.hidden = tf.Variable(start([1, 64], [1, 1]))
        self.bias = tf.Variable(start([1, 64], [2, 2]))
        self.output = tf.Variable(start([64, 1], [3, 3]) / 8)
        self.weights = [self.hidden, self.bias, self.output]

    def __call__(self, x):
        return tf.matmul(tf.tanh(tf.matmul(x, self.hidden) + self.bias), self.output)

    def learn(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x) - y))
        for weight, gradient in zip(self.weights, tape.gradient(loss, self.weights)):
            weight.assign_sub(0.02 * gradient)
        return loss


def coordinate(cluster, epochs):
    strategy = tf.distribute.ParameterServerStrategy(cluster)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        network = Network()
        epoch = tf.Variable(0, dtype=tf.int64)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(network=network, epoch=epoch),
        os.environ.get("MUSTER_CHECKPOINT_DIR", "ckpt"), max_to_keep=2)
    if manager.restore_or_initialize():
        print(f"resumed after epoch {int(epoch)}", flush=True)

    def batches():
        return tf.data.Dataset.from_tensor_slices(points()).shuffle(POINTS).repeat().batch(BATCH)

    @tf.function
    def step(iterator):
        return network.learn(*next(iterator))

    iterator = iter(coordinator.create_per_worker_dataset(batches))
    while (done := int(epoch) + 1) <= epochs:
        losses = [coordinator.schedule(step, args=(iterator,)) for _ in range(POINTS // BATCH)]
        coordinator.join()
        epoch.assign(done)
        if done % 5 == 0 or done == epochs:
            manager.save(checkpoint_number=done)
        print(f"epoch {done} of {epochs}, loss {float(losses[-1].fetch()):.5f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if cluster.task_type in ("worker", "ps"):
        serve(cluster)
    else:
        coordinate(cluster, options.epochs)


if __name__ == "__main__":
    main()
