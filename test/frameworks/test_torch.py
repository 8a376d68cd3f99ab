"""What is built on PyTorch, or starts it, inside the tasks of a job: torchrun, Lightning,
Accelerate and DeepSpeed, each with its real package. The packages are large, so this is not part of
`make test`: tools/pytest test/frameworks/test_torch.py"""

import re
import subprocess

import harness
import pytest

LIMIT = 600


@pytest.fixture(scope="module")
def env():
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "torch_libraries"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    folder = done.stdout.strip()
    # Nothing here uses a network. Debian's torchrun fails on Python 3.11 unless it also keeps the
    # output of its children in files (its Std.from_str("0") is None there).
    return {"PATH": f"{folder}/bin:/usr/bin:/bin", "HF_HUB_OFFLINE": "1", "PET_REDIRECTS": "1",
            "PET_TEE": "1"}


def train(muster, env, program, command="exec python3 train.py", **keys):
    muster.write("train.py", program)
    keys = keys or {"tasks": 2}
    return muster.run({"framework": "pytorch", "command": command, "files": ["train.py"], **keys},
                      env=env, within=LIMIT).expect(0)


def texts(done, pattern):
    return sorted(re.search(pattern, line)[0] for line in done.lines(pattern))


SUM = """
import os
import torch, torch.distributed as dist
dist.init_process_group("gloo")
total = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(total)
env = os.environ
print("rank", dist.get_rank(), "of", dist.get_world_size(), "local", env["LOCAL_RANK"], "group",
      env["GROUP_RANK"], "sum", int(total), "run",
      env["TORCHELASTIC_RUN_ID"] == env["MUSTER_JOB_ID"], flush=True)
dist.destroy_process_group()
"""

FOUR = [f"rank {rank} of 4 local {rank % 2} group {rank // 2} sum 10 run" for rank in range(4)]


@pytest.mark.parametrize("options", [
    "--nproc_per_node 2",
    "--nnodes $WORLD_SIZE --node_rank $RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT "
    "--nproc_per_node 2",
    "--nproc_per_node 2 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT",
], ids=["bare", "static", "c10d"])
def test_torchrun_in_each_task_is_a_node_of_all(muster, env, options):
    done = train(muster, env, SUM, f"exec python3 -m torch.distributed.run {options} train.py")
    found = texts(done, r"rank \d of \d local \d group \d sum \d+ run")
    if "c10d" in options:  # It assigns the ranks itself, in the order in which nodes arrive.
        assert [line.split(" local")[0] for line in found] == [f"rank {i} of 4" for i in range(4)]
        assert all("sum 10" in line for line in found)
    else:
        assert found == FOUR
    assert len(done.lines("run True")) == 4


def test_a_torchrun_of_its_own_says_so(muster, env):
    done = train(muster, env, SUM,
                 "exec python3 -m torch.distributed.run --nnodes 1 --nproc_per_node 2 "
                 "--master_addr 127.0.0.1 --master_port $MUSTER_PORT --node_rank 0 train.py")
    assert len(done.lines(r"rank \d of 2 local \d group 0 sum 3")) == 4


LIGHTNING = """
import torch
import lightning as L
from lightning.fabric.plugins.environments import TorchElasticEnvironment

class Line(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(1, 1)

    def _register_sharded_tensor_state_dict_hooks_if_available(self):
        pass  # Debian's torch 1.13 cannot import its sharded tensors on Python 3.11.

    def training_step(self, batch, _):
        x, y = batch
        return torch.nn.functional.mse_loss(self.line(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.2)

x = torch.linspace(-1, 1, 64).reshape(-1, 1)
data = torch.utils.data.TensorDataset(x, 3 * x - 1)
trainer = L.Trainer(accelerator="cpu", devices=DEVICES, num_nodes=NODES, max_epochs=40,
                    logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False)
where = trainer.strategy.cluster_environment
model = Line()
trainer.fit(model, torch.utils.data.DataLoader(data, batch_size=8, shuffle=True))
print("rank", trainer.global_rank, "of", trainer.world_size, "local", trainer.local_rank, "node",
      trainer.node_rank, type(where).__name__,
      f"y = {model.line.weight.item():.2f} x + {model.line.bias.item():.2f}", flush=True)
"""


@pytest.mark.parametrize(("devices", "nodes"), [(1, 2), (2, 1)])
def test_lightning_finds_its_ranks_and_starts_none(muster, env, devices, nodes):
    program = LIGHTNING.replace("DEVICES", str(devices)).replace("NODES", str(nodes))
    done = train(muster, env, program, roles={
        "worker": {"tasks": 2, "tasks_per_container": devices, "memory": "2g"}})
    places = [(0, 0), (1, 0)] if devices == 2 else [(0, 0), (0, 1)]
    assert texts(done, "rank .*") == [
        f"rank {rank} of 2 local {local} node {node} TorchElasticEnvironment y = 3.00 x + -1.00"
        for rank, (local, node) in enumerate(places)]


ACCELERATE = """
import torch
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
torch.manual_seed(accelerator.process_index)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
x = torch.linspace(-1, 1, 64).reshape(-1, 1)
data = torch.utils.data.TensorDataset(x, 3 * x - 1)
loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
steps = 0
for _ in range(40):
    for x, y in loader:
        optimizer.zero_grad()
        accelerator.backward(torch.nn.functional.mse_loss(model(x), y))
        optimizer.step()
        steps += 1
line = accelerator.unwrap_model(model)
print("rank", accelerator.process_index, "of", accelerator.num_processes, "local",
      accelerator.local_process_index, accelerator.distributed_type.name, "steps", steps,
      f"y = {line.weight.item():.2f} x + {line.bias.item():.2f}", flush=True)
"""


def test_accelerate_finds_its_ranks(muster, env):
    done = train(muster, env, ACCELERATE, roles={
        "worker": {"tasks": 2, "tasks_per_container": 2, "memory": "2g"}})
    # 8 batches, shared by two: each has four of an epoch.
    assert texts(done, "rank .*") == [
        f"rank {rank} of 2 local {rank} MULTI_CPU steps 160 y = 3.00 x + -1.00"
        for rank in range(2)]


DEEPSPEED = """
import os
import torch
import deepspeed
deepspeed.init_distributed("gloo", auto_mpi_discovery=True)
total = torch.tensor([float(deepspeed.comm.get_rank() + 1)])
deepspeed.comm.all_reduce(total)
print("rank", deepspeed.comm.get_rank(), "of", deepspeed.comm.get_world_size(), "local",
      deepspeed.comm.get_local_rank(), "sum", int(total), "node", os.environ["CROSS_RANK"], "of",
      os.environ["CROSS_SIZE"], "with", os.environ["LOCAL_SIZE"], flush=True)
"""


def test_deepspeed_finds_its_ranks_without_mpi(muster, env):
    # As if there were GPUs: for processors it compiles an operator, against headers that Debian
    # packages separately from python3-torch.
    done = train(muster, {**env, "DS_ACCELERATOR": "cuda"}, DEEPSPEED, roles={
        "worker": {"tasks": 4, "tasks_per_container": 2, "memory": "1g"}})
    assert texts(done, "rank .*") == [
        f"rank {rank} of 4 local {rank % 2} sum 10 node {rank // 2} of 2 with 2"
        for rank in range(4)]
