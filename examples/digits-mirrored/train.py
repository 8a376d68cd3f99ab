"""Handwritten digits with synchronous training: every worker holds a copy of the model.

The same file runs as every task; TF_CONFIG, which Muster writes, says which one and who the others
are. Each worker trains on its share of every batch, and the gradients are summed over all of them
before they are applied, so the copies stay equal. The chief saves the checkpoints.
"""

import argparse
import os
import time

# Before TensorFlow is imported: only its errors, not how it was built.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import tensorflow as tf  # noqa: E402

GLOBAL_BATCH = 96
LEARNING_RATE = 0.005
LINGER_SECONDS = 2


def say(text):
    print(text, flush=True)


def digits():
    """Returns 1,797 real scans of 8x8 pixels, a quarter of them kept for the test."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    images = (images / 16.0).astype("float32")
    return train_test_split(
        images, labels.astype("int64"), test_size=0.25, random_state=7, stratify=labels
    )


def replicated(value):
    """Returns a variable that every worker updates with the same value."""
    return tf.Variable(value, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)


class Network(tf.Module):
    """64 pixels, one hidden layer of 64, ten digits; trained with Adam."""

    def __init__(self):
        super().__init__()
        start = tf.random.stateless_normal
        self.hidden = replicated(start([64, 64], [1, 1]) * (2.0 / 64) ** 0.5)
        self.hidden_bias = replicated(tf.zeros([64]))
        self.output = replicated(start([64, 10], [2, 2]) * (1.0 / 64) ** 0.5)
        self.output_bias = replicated(tf.zeros([10]))
        self.weights = [self.hidden, self.hidden_bias, self.output, self.output_bias]
        self.means = [replicated(tf.zeros(weight.shape)) for weight in self.weights]
        self.squares = [replicated(tf.zeros(weight.shape)) for weight in self.weights]

    def logits(self, images):
        hidden = tf.nn.relu(tf.matmul(images, self.hidden) + self.hidden_bias)
        return tf.matmul(hidden, self.output) + self.output_bias

    def learn(self, images, labels):
        """Takes one step of Adam with the gradients of all workers; returns this worker's loss."""
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.logits(images))
            loss = tf.reduce_sum(losses) / GLOBAL_BATCH
        replica = tf.distribute.get_replica_context()
        gradients = replica.all_reduce("sum", tape.gradient(loss, self.weights))
        for weight, mean, square, gradient in zip(
            self.weights, self.means, self.squares, gradients, strict=True
        ):
            mean.assign_add(0.1 * (gradient - mean))
            square.assign_add(0.01 * (tf.square(gradient) - square))
            weight.assign_sub(LEARNING_RATE * mean / (tf.sqrt(square) + 1e-6))
        return loss


def train(epochs):
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    cluster = strategy.cluster_resolver
    chief = cluster.task_type == "chief"
    workers = strategy.num_replicas_in_sync
    say(f"{cluster.task_type} {cluster.task_id} of a gang of {workers}")

    train_images, test_images, train_labels, test_labels = digits()

    def batches(context):
        rows = tf.data.Dataset.from_tensor_slices((train_images, train_labels))
        rows = rows.shard(context.num_input_pipelines, context.input_pipeline_id)
        rows = rows.shuffle(len(train_images)).repeat()
        return rows.batch(context.get_per_replica_batch_size(GLOBAL_BATCH), drop_remainder=True)

    with strategy.scope():
        network = Network()
        epoch = replicated(tf.constant(0, tf.int64))

    # Every worker takes part in saving; only what the chief writes is kept.
    folder = os.environ.get("MUSTER_CHECKPOINT_DIR", "checkpoint")
    saver = tf.train.Checkpoint(network=network, epoch=epoch)
    checkpoints = tf.train.CheckpointManager(
        saver,
        folder if chief else os.path.join(os.getcwd(), "scratch-checkpoint"),
        max_to_keep=2,
    )
    newest = tf.train.latest_checkpoint(folder)
    if newest:
        saver.restore(newest)
        say(f"resumed from epoch {epoch.numpy()}")

    iterator = iter(strategy.distribute_datasets_from_function(batches))
    steps = len(train_images) // GLOBAL_BATCH

    @tf.function
    def train_epoch():
        total = 0.0
        for _ in tf.range(steps):
            loss = strategy.run(network.learn, args=next(iterator))
            total += strategy.reduce("sum", loss, axis=None)
        epoch.assign_add(1)
        return total / steps

    while (done := int(epoch.numpy())) < epochs:
        loss = float(train_epoch())
        done += 1
        if done % 5 == 0 or done == epochs:
            checkpoints.save(checkpoint_number=done)
            say(f"epoch {done} of {epochs}, loss {loss:.4f}")

    if chief:
        guesses = tf.argmax(network.logits(test_images), axis=1).numpy()
        say(f"checkpoint {checkpoints.latest_checkpoint}")
        say(f"test accuracy {(guesses == test_labels).mean():.3f}")
    # The others may still be fetching this one's part of the last sum, which breaks off when it
    # leaves; they would have to start over.
    time.sleep(LINGER_SECONDS)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=25)
    options = parser.parse_args()
    if "TF_CONFIG" not in os.environ:
        parser.error("TF_CONFIG is not set; start this program with muster run job.yaml")
    train(options.epochs)


if __name__ == "__main__":
    main()
