"""The examples that TonY ships, with the flags and settings from their READMEs: small programs of
our own with the same interface, on data that they generate. The packages are large, so this is not
part of `make test`: tools/pytest test/frameworks/test_tony_examples.py"""

import zipfile

import pytest
import ray_example
from tony_example import environment_of, write_settings

LIMIT = 600


@pytest.fixture
def tony(muster):
    """Returns a function that runs TonY's flags with a conf file and an environment in a zip."""
    def run(package, path_in_zip, settings, program, *flags):
        with zipfile.ZipFile(muster.folder / "venv.zip", "w") as archive:
            python = zipfile.ZipInfo(path_in_zip)
            python.external_attr = 0o755 << 16
            archive.writestr(python,
                             f'#!/bin/sh\nexec {environment_of(package)}/bin/python "$@"\n')
        muster.write(f"example/{program[0]}", program[1])
        write_settings(muster, settings)
        return muster("tony", "--on", "local", "--python_venv=venv.zip", "--src_dir=example",
                      f"--executes={program[0]}", "--conf_file=tony-test.xml",
                      f"--python_binary_path={path_in_zip}", *flags, within=LIMIT).expect(0)
    return run


MIRRORED = """
import argparse, os
import numpy as np
import tensorflow as tf
parser = argparse.ArgumentParser()
parser.add_argument("--working-dir", required=True)
options = parser.parse_args()
strategy = tf.distribute.MultiWorkerMirroredStrategy()
x = np.linspace(-1, 1, 48, dtype="float32").reshape(-1, 1)
with strategy.scope():
    weight, bias = (tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM) for _ in range(2))
rows = tf.data.Dataset.from_tensor_slices((x, 3 * x - 1)).shuffle(48, seed=1).batch(24).repeat()
batches = iter(strategy.experimental_distribute_dataset(rows))

@tf.function
def step(x, y):
    def learn(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((weight * x + bias - y) ** 2) / 24
        for variable, slope in zip((weight, bias), tape.gradient(loss, (weight, bias))):
            variable.assign_add(-0.3 * slope)
    strategy.run(learn, args=(x, y))

for _ in range(80):
    step(*next(batches))
weight, bias = weight.numpy(), bias.numpy()
assert os.path.isdir(os.path.dirname(options.working_dir))
print("task", os.environ["JOB_NAME"], os.environ["TASK_INDEX"], "of",
      strategy.num_replicas_in_sync, f"y = {weight:.2f} x + {bias:.2f}", flush=True)
"""


def test_tensorflow(tony, tmp_path):
    done = tony("tensorflow", "venv/bin/python",
                {"tony.worker.instances": 3, "tony.worker.memory": "4g",
                 "tony.application.security.enabled": "false"},
                ("mnist_keras_distributed.py", MIRRORED),
                f"--task_params=--working-dir {tmp_path}/m")
    assert len(done.lines(r"task worker \d of 3 y = 3\.00 x \+ -1\.00")) == 3


TORCH = """
import os
import torch, torch.distributed as dist
dist.init_process_group("gloo", init_method=os.environ["INIT_METHOD"],
                        rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD"]))
torch.manual_seed(1)
model = torch.nn.Linear(1, 1)
x = torch.linspace(-1, 1, 64).reshape(-1, 1)[dist.get_rank()::dist.get_world_size()]
for _ in range(300):
    loss = torch.nn.functional.mse_loss(model(x), 3 * x - 1)
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for part in model.parameters():
            dist.all_reduce(part.grad)
            part -= 0.2 * part.grad / dist.get_world_size()
print("task", os.environ["JOB_NAME"], os.environ["TASK_INDEX"], "of", dist.get_world_size(),
      f"y = {model.weight.item():.2f} x + {model.bias.item():.2f}", flush=True)
"""


def test_pytorch(tony):
    done = tony("torch", "bin/python",
                {"tony.application.security.enabled": "false", "tony.ps.instances": 0,
                 "tony.worker.instances": 2, "tony.application.framework": "pytorch"},
                ("mnist_distributed.py", TORCH))
    assert len(done.lines(r"task worker \d of 2 y = 3\.00 x \+ -1\.00")) == 2


HOROVOD = """
import os
import numpy as np
import horovod.tensorflow as hvd
import tensorflow as tf
hvd.init()
assert os.environ["HOROVOD_CONTROLLER"] == "gloo" and os.environ["JOB_NAME"] == "worker"
x = np.linspace(-1, 1, 64, dtype="float32").reshape(-1, 1)[hvd.rank()::hvd.size()]
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
optimizer = tf.keras.optimizers.legacy.SGD(0.1 * hvd.size())
for step in range(200):
    with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
        loss = tf.reduce_mean((model(x) - (3 * x - 1)) ** 2)
    slopes = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    if step == 0:
        hvd.broadcast_variables(model.variables, root_rank=0)
        hvd.broadcast_variables(optimizer.variables(), root_rank=0)
slope, offset = (one.numpy().item() for one in model.trainable_variables)
print("task", os.environ["TASK_INDEX"], "rank", hvd.rank(), "of", hvd.size(),
      f"y = {slope:.2f} x + {offset:.2f}", flush=True)
"""


def test_horovod(tony):
    """The README asks for four workers of 3g; its image brings the interpreter, here a zip does."""
    done = tony("horovod", "bin/python3",
                {"tony.worker.instances": 4, "tony.worker.memory": "3g",
                 "tony.application.framework": "horovod"}, ("tensorflow2_mnist.py", HOROVOD))
    assert len(done.lines(r"task \d rank \d of 4 y = 3\.00 x \+ -1\.00")) == 4


DRIVER = """
import json, os, sys, time
from horovod.runner.common.util.hosts import get_host_assignments, parse_hosts
from horovod.runner.http.http_server import RendezvousServer
plan = get_host_assignments(parse_hosts(os.environ["CLUSTER_WORKER_LIST"]), 1)
server = RendezvousServer()
port = server.start()
server.init(plan)
print("driver deals", len(plan), "slots", sys.argv[1:], flush=True)
names = {"hostname": "hostname", "rank": "rank", "localRank": "local_rank",
         "crossRank": "cross_rank", "size": "size", "localSize": "local_size",
         "crossSize": "cross_size"}
place = os.environ["DRIVER_OUTPUT_PATH"]
with open(f"{place}/{port}____HOROVOD_RENDEZVOUS_SERVER____", "w") as file:
    json.dump([{key: getattr(slot, name) for key, name in names.items()} for slot in plan], file)
time.sleep(1000)
"""


def test_horovod_with_a_driver_of_the_users(tony, muster):
    """TonY's debug mode: Horovod's own rendezvous, started by the user's driver."""
    muster.write("example/driver.py", DRIVER)
    done = tony("horovod", "bin/python3",
                {"tony.worker.instances": 2, "tony.worker.memory": "3g",
                 "tony.application.framework": "horovod", "tony.driver.instances": 1,
                 "tony.horovod.driver.mode.debug": "true", "tony.driver.vcores": 1,
                 "tony.application.untracked.jobtypes": "driver",
                 "tony.driver.command": "venv/bin/python3 driver.py --verbose"},
                ("tensorflow2_mnist.py", HOROVOD))
    assert done.lines(r"driver:0 \| driver deals 2 slots \['--verbose'\]")
    assert len(done.lines(r"task \d rank \d of 2 y = 3\.00 x \+ -1\.00")) == 2


MXNET = """
import os, sys
import mxnet as mx
assert sys.argv[1:] == ["--param1", "--param2"], sys.argv
assert os.environ["PS_VERBOSE"] == "0" and os.environ["DMLC_USE_KUBERNETES"] == "1"
store = mx.kv.create("dist_async")  # A scheduler or a server stays in here.
mx.random.seed(7)
x = mx.nd.random.uniform(-1, 1, shape=(128, 2))
y = x[:, 0] * 3 + x[:, 1] * 2 - 1
share = slice(store.rank, None, store.num_workers)
data = mx.io.NDArrayIter(x.asnumpy()[share], y.asnumpy()[share], batch_size=16, shuffle=True,
                         label_name="lin_label")
inputs, label = mx.sym.Variable("data"), mx.sym.Variable("lin_label")
out = mx.sym.LinearRegressionOutput(mx.sym.FullyConnected(inputs, name="fc", num_hidden=1), label)
model = mx.mod.Module(out, data_names=["data"], label_names=["lin_label"])
model.fit(data, num_epoch=60, kvstore=store, optimizer_params={"learning_rate": 0.1})
weights, _ = model.get_params()
found = [round(float(one), 1) for one in weights["fc_weight"].asnumpy()[0]]
print("worker", store.rank, "of", store.num_workers, "weights", found, "bias",
      round(float(weights["fc_bias"].asnumpy()[0]), 1), flush=True)
"""


def test_mxnet(tony):
    done = tony("mxnet", "Python3.5/bin/python3",
                {"tony.application.security.enabled": "false", "tony.scheduler.instances": 1,
                 "tony.server.instances": 2, "tony.ps.instances": 0, "tony.worker.instances": 2,
                 "tony.worker.vcores": 2, "tony.worker.memory": "4G",
                 "tony.application.framework": "mxnet",
                 "tony.application.name": "mxnet - linearregression"},
                ("mxnet_dist_ex.py", MXNET), "--shell_env=DMLC_USE_KUBERNETES=1",
                "--shell_env=PS_VERBOSE=0", "--task_params=--param1 --param2")
    assert len(done.lines(r"worker \d of 2 weights \[3\.0, 2\.0\] bias -1\.0")) == 2


def test_ray(muster):
    """A head and two workers, all on this host."""
    ray_example.write(muster)
    ray_example.expect_learned(muster("tony", "--on", "local", *ray_example.FLAGS, within=LIMIT))
