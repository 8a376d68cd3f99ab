"""Training speed under Muster, beside the same processes started by hand and by torchrun."""

import json
import os
import socket
import subprocess

import peers
from table import Row

# What both programs begin and end with: rank 0 leaves the steps per second of its last $BENCH_STEPS
# steps. All ranks take equally many, so that none waits in vain for another.
FRAME = '''
import os, time


def measure(step, rank):
    for _ in range(10):
        step()
    steps, started = int(os.environ["BENCH_STEPS"]), time.perf_counter()
    for _ in range(steps):
        step()
    if rank == 0:
        with open(os.environ["BENCH_RESULT"], "w") as file:
            file.write(str(steps / (time.perf_counter() - started)))
'''

PYTORCH = FRAME + '''
import torch
import torch.distributed as dist
torch.set_num_threads(1)
torch.manual_seed(1)
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(
    torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
rows, labels = torch.randn(128, 256), torch.randint(10, (128,))


def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(rows), labels).backward()
    optimizer.step()


measure(step, dist.get_rank())
dist.destroy_process_group()
'''

TENSORFLOW = FRAME + '''
import json
import tensorflow as tf
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    weights = [tf.Variable(tf.random.normal(shape, seed=1)) for shape in ([256, 512], [512, 10])]
rows, labels = tf.random.normal([128, 256]), tf.zeros([128], tf.int32)


def replica():
    with tf.GradientTape() as tape:
        logits = tf.nn.relu(rows @ weights[0]) @ weights[1]
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    gradients = tape.gradient(loss, weights)
    all_reduce = tf.distribute.get_replica_context().all_reduce
    gradients = all_reduce(tf.distribute.ReduceOp.MEAN, gradients)
    for weight, gradient in zip(weights, gradients):
        weight.assign_sub(0.01 * gradient)


step = tf.function(lambda: strategy.run(replica))
measure(step, json.loads(os.environ["TF_CONFIG"])["task"]["index"])
'''

PROGRAMS = {"pytorch": PYTORCH, "tensorflow": TENSORFLOW}


def free_ports(count):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in listeners]
    for one in listeners:
        one.close()
    return ports


def by_hand(words, tasks, environment):
    """Starts the processes with the variables that both frameworks read, and waits for them."""
    ports = free_ports(tasks)
    cluster = {"worker": [f"127.0.0.1:{port}" for port in ports]}
    started = []
    for rank in range(tasks):
        own = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": tasks, "MASTER_ADDR": "127.0.0.1",
               "MASTER_PORT": ports[0],
               "TF_CONFIG": json.dumps({"cluster": cluster,
                                        "task": {"type": "worker", "index": rank}})}
        started.append(subprocess.Popen(
            words, env={**environment, **{name: str(value) for name, value in own.items()}},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    for process in started:
        _, told = process.communicate(timeout=300)
        if process.returncode != 0:
            raise RuntimeError(f"{words[-1]} by hand: status {process.returncode}: "
                               f"{told.strip()[-2000:]}")


class Program:
    """A training program of one framework, and how to run it in each way."""

    def __init__(self, framework, muster, folder):
        self.framework = framework
        self.muster = muster
        self.file = folder / f"train_{framework}.py"
        self.file.write_text(PROGRAMS[framework])
        self.result = folder / "steps"
        self.words = [str(peers.python("torch" if framework == "pytorch" else framework)),
                      str(self.file)]

    def speed(self, way, tasks, steps):
        extra = {"BENCH_STEPS": str(steps), "BENCH_RESULT": str(self.result),
                 "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": ""}
        self.result.unlink(missing_ok=True)
        if way == "by hand":
            by_hand(self.words, tasks, dict(os.environ, **extra))
        elif way == "torchrun":
            peers.seconds_for(peers.torchrun(tasks, "exec " + " ".join(self.words)),
                              dict(os.environ, **extra))
        else:
            peers.seconds_for([self.muster.binary, "run", "-q", "-n", str(tasks), "--framework",
                               self.framework, "--", *self.words],
                              dict(self.muster.environment, **extra))
        return float(self.result.read_text())


def training(muster, rounds, folder, seconds=5.0, counts=(1, 2, 4)):
    """Rounds alternate between the ways, so that a change of the machine's mood meets all."""
    rows = []
    for framework in PROGRAMS:
        program = Program(framework, muster, folder)
        for tasks in counts:
            # The first steps of a process are its slowest: twice, so that a round is long enough.
            steps = 100
            for _ in range(2):
                steps = max(100, int(seconds * program.speed("by hand", tasks, steps)))
            ways = ["by hand", "muster", *(["torchrun"] if framework == "pytorch" else [])]
            speeds = {way: [] for way in ways}
            for turn in range(rounds):
                for way in ways if turn % 2 == 0 else reversed(ways):
                    speeds[way].append(program.speed(way, tasks, steps))
            rows += rows_of(framework, tasks, speeds)
    return rows


def rows_of(framework, tasks, speeds):
    name = {"pytorch": "PyTorch DDP", "tensorflow": "TensorFlow, MultiWorkerMirrored"}[framework]
    counted = "1 task" if tasks == 1 else f"{tasks} tasks"
    hand = speeds["by hand"]
    shares = [100 * ours / theirs for ours, theirs in zip(speeds["muster"], hand, strict=True)]
    noise = 100 * (max(hand) - min(hand)) / max(hand)
    told = f"muster run -q -n {tasks} --framework {framework} -- python3 train.py"
    others = {way: speeds[way] for way in speeds if way != "muster"}
    return [Row(f"training_{framework}_{tasks}", f"training, {name}, {counted}", "steps/s",
                speeds["muster"], told, peers=others),
            Row(f"training_{framework}_share_{tasks}", "the same, in percent of by hand in the "
                f"same round: {name}, {counted}", "%", shares, told, limit=99, at_least=True,
                note=f"by hand the rounds differ by {noise:.1f} %")]
