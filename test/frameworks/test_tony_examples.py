"""TonY's shipped examples, by the flags and the settings of their READMEs: small programs of our
own with the same interface, on data that they make themselves. The packages are large, so this is
no part of `make test`: tools/pytest test/frameworks/test_tony_examples.py"""

import subprocess
import zipfile

import harness
import pytest

LIMIT = 600


def interpreter_of(name):
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", name],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip() + "/bin/python"


@pytest.fixture
def tony(muster):
    """Returns a function that runs TonY's flags with a conf file and an environment in a zip."""
    def run(package, path_in_zip, settings, program, *flags):
        with zipfile.ZipFile(muster.folder / "venv.zip", "w") as archive:
            python = zipfile.ZipInfo(path_in_zip)
            python.external_attr = 0o755 << 16
            archive.writestr(python, f'#!/bin/sh\nexec {interpreter_of(package)} "$@"\n')
        muster.write(f"example/{program[0]}", program[1])
        rows = "".join(f"<property><name>{name}</name><value>{value}</value></property>"
                       for name, value in settings.items())
        muster.write("tony-test.xml", f"<configuration>{rows}</configuration>")
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
