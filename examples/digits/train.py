"""Handwritten digits with a parameter server.

The same file runs as every role; TF_CONFIG, which Muster writes, says which one. Workers and the
parameter server only serve TensorFlow's graph executor. The chief is the coordinator: it places
the variables on the parameter server, sends training steps to the workers, saves checkpoints and
measures the accuracy on images that were never trained on.
"""

import argparse
import json
import os

# Before TensorFlow is imported: only its errors, not how it was built.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import tensorflow as tf  # noqa: E402

BATCH = 64
LEARNING_RATE = 0.005


def say(text):
    print(text, flush=True)


def serve(cluster):
    """Serves one worker or parameter server until Muster ends it."""
    server = tf.distribute.Server(
        cluster.cluster_spec(),
        job_name=cluster.task_type,
        task_index=cluster.task_id,
        protocol="grpc",
        start=True,
    )
    say(f"serving on {cluster.cluster_spec().task_address(cluster.task_type, cluster.task_id)}")
    server.join()


def digits():
    """Returns 1,797 real scans of 8x8 pixels, a quarter of them kept for the test."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    images = (images / 16.0).astype("float32")
    return train_test_split(
        images, labels.astype("int64"), test_size=0.25, random_state=7, stratify=labels
    )


class Network(tf.Module):
    """64 pixels, one hidden layer of 64, ten digits; trained with Adam."""

    def __init__(self):
        super().__init__()
        start = tf.random.stateless_normal
        self.hidden = tf.Variable(start([64, 64], [1, 1]) * (2.0 / 64) ** 0.5)
        self.hidden_bias = tf.Variable(tf.zeros([64]))
        self.output = tf.Variable(start([64, 10], [2, 2]) * (1.0 / 64) ** 0.5)
        self.output_bias = tf.Variable(tf.zeros([10]))
        self.weights = [self.hidden, self.hidden_bias, self.output, self.output_bias]
        self.means = [tf.Variable(tf.zeros(weight.shape)) for weight in self.weights]
        self.squares = [tf.Variable(tf.zeros(weight.shape)) for weight in self.weights]

    def logits(self, images):
        hidden = tf.nn.relu(tf.matmul(images, self.hidden) + self.hidden_bias)
        return tf.matmul(hidden, self.output) + self.output_bias

    def learn(self, images, labels):
        """Takes one step of Adam and returns the loss before it."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.logits(images))
            )
        gradients = tape.gradient(loss, self.weights)
        for weight, mean, square, gradient in zip(
            self.weights, self.means, self.squares, gradients, strict=True
        ):
            mean.assign_add(0.1 * (gradient - mean))
            square.assign_add(0.01 * (tf.square(gradient) - square))
            weight.assign_sub(LEARNING_RATE * mean / (tf.sqrt(square) + 1e-6))
        return loss


def coordinate(cluster, epochs):
    strategy = tf.distribute.ParameterServerStrategy(cluster)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    workers = cluster.cluster_spec().num_tasks("worker")
    say(f"coordinating {workers} workers and {cluster.cluster_spec().num_tasks('ps')} "
        "parameter server")

    train_images, test_images, train_labels, test_labels = digits()
    with strategy.scope():
        network = Network()
        epoch = tf.Variable(0, dtype=tf.int64)

    checkpoints = tf.train.CheckpointManager(
        tf.train.Checkpoint(network=network, epoch=epoch),
        os.environ.get("MUSTER_CHECKPOINT_DIR", "checkpoint"),
        max_to_keep=2,
    )
    if checkpoints.restore_or_initialize():
        say(f"resumed from epoch {int(epoch)}")

    def batches():
        rows = tf.data.Dataset.from_tensor_slices((train_images, train_labels))
        return rows.shuffle(len(train_images)).repeat().batch(BATCH)

    @tf.function
    def train(iterator, steps):
        total = 0.0
        for _ in tf.range(steps):
            total += network.learn(*next(iterator))
        return total / tf.cast(steps, tf.float32)

    iterator = iter(coordinator.create_per_worker_dataset(batches))
    # One call trains several batches on a worker: fewer round trips for a model this small.
    calls = 2 * workers
    steps = max(1, len(train_images) // BATCH // calls)
    while (done := int(epoch)) < epochs:
        losses = [coordinator.schedule(train, args=(iterator, steps)) for _ in range(calls)]
        coordinator.join()
        done += 1
        epoch.assign(done)
        loss = sum(float(loss.fetch()) for loss in losses) / calls
        if done % 5 == 0 or done == epochs:
            checkpoints.save(checkpoint_number=done)
            say(f"epoch {done} of {epochs}, loss {loss:.4f}")

    guesses = tf.argmax(network.logits(test_images), axis=1).numpy()
    say(f"checkpoint {checkpoints.latest_checkpoint}")
    say(f"test accuracy {(guesses == test_labels).mean():.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    if "TF_CONFIG" not in os.environ:
        parser.error("TF_CONFIG is not set; start this program with muster run job.yaml")
    cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    role = json.loads(os.environ["TF_CONFIG"])["task"]["type"]
    if role in ("worker", "ps"):
        serve(cluster)
    else:
        coordinate(cluster, options.epochs)


if __name__ == "__main__":
    main()
