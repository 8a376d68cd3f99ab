"""The gangs of make.py: several processes, one of which is killed. Data only.

A gang has `class` and `name`, the `script` that every member runs, `members` (the environment of
each; PORT0, PORT1, ... become free ports), `culprit` (the member killed once all are at step 3) and
`victim` (the one whose last words are kept).
"""

TORCH_LOOP = """
import os, time, torch, torch.distributed as dist
dist.init_process_group('gloo')
for step in range(10000):
    x = torch.ones(1000)
    dist.all_reduce(x)
    print('step', step, flush=True)
    time.sleep(0.02)
"""

TORCH_DDP = """
import time, torch, torch.distributed as dist
dist.init_process_group('gloo')
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(100, 10))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(10000):
    optimizer.zero_grad()
    net(torch.randn(8, 100)).sum().backward()
    optimizer.step()
    print('step', step, flush=True)
"""

TORCH_STORE = """
import os, time, torch.distributed as dist
rank = int(os.environ['RANK'])
store = dist.TCPStore('127.0.0.1', int(os.environ['MASTER_PORT']), 2, rank == 0)
for step in range(10000):
    store.add('step', 1)
    print('step', step, flush=True)
    time.sleep(0.02)
"""

TF_MIRRORED = """
import numpy as np, tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    w = tf.Variable(tf.zeros([100]))
@tf.function
def train():
    def one():
        return tf.distribute.get_replica_context().all_reduce('sum', tf.ones([100]))
    return strategy.run(one)
for step in range(100000):
    train()
    print('step', step, flush=True)
"""

TF_PS = """
import json, os, tensorflow as tf
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ('worker', 'ps'):
    tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type,
                         task_index=resolver.task_id, protocol='grpc').join()
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    v = tf.Variable(tf.zeros([10]))
@tf.function
def one():
    v.assign_add(tf.ones([10]))
    return v.read_value()
for step in range(100000):
    coordinator.schedule(one)
    coordinator.join()
    print('step', step, flush=True)
"""


def torch_members(count):
    return [{"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "PORT0", "RANK": str(rank),
             "WORLD_SIZE": str(count)} for rank in range(count)]


def tf_members(roles):
    cluster, port = {}, 0
    for role, count in roles:
        cluster[role] = [f"127.0.0.1:PORT{port + i}" for i in range(count)]
        port += count
    text = str(cluster).replace("'", '"')
    return [{"TF_CONFIG": f'{{"cluster": {text}, "task": {{"type": "{role}", "index": {i}}}}}'}
            for role, count in roles for i in range(count)]


GANGS = [
    {"class": "peer.lost", "name": "gloo_all_reduce", "script": TORCH_LOOP, "python": "torch",
     "members": torch_members(2), "victim": 0, "culprit": 1,
     "about": "torch gloo all_reduce, rank 1 of 2 killed"},
    {"class": "peer.lost", "name": "gloo_rank0_killed", "script": TORCH_LOOP, "python": "torch",
     "members": torch_members(2), "victim": 1, "culprit": 0,
     "about": "torch gloo all_reduce, rank 0 of 2 killed"},
    {"class": "peer.lost", "name": "gloo_ddp", "script": TORCH_DDP, "python": "torch",
     "members": torch_members(3), "victim": 2, "culprit": 1,
     "about": "torch DDP on gloo, rank 1 of 3 killed"},
    {"class": "peer.lost", "name": "torch_store", "script": TORCH_STORE, "python": "torch",
     "members": torch_members(2), "victim": 1, "culprit": 0,
     "about": "torch TCPStore, its server killed"},
    {"class": "peer.lost", "name": "tf_mirrored", "script": TF_MIRRORED, "python": "tensorflow",
     "members": tf_members([("worker", 2)]), "victim": 0, "culprit": 1,
     "about": "MultiWorkerMirrored all_reduce, worker 1 of 2 killed"},
    {"class": "peer.lost", "name": "tf_mirrored_leader", "script": TF_MIRRORED,
     "python": "tensorflow", "members": tf_members([("worker", 2)]), "victim": 1, "culprit": 0,
     "about": "MultiWorkerMirrored all_reduce, worker 0 of 2 killed"},
    {"class": "peer.lost", "name": "tf_ps", "script": TF_PS, "python": "tensorflow",
     "members": tf_members([("chief", 1), ("worker", 1), ("ps", 1)]), "victim": 0, "culprit": 2,
     "about": "ParameterServerStrategy, ps 0 killed, the chief's output"},
]
