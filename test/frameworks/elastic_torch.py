"""A program of Horovod's elastic mode with PyTorch, and the job that runs it anywhere."""

import re
import subprocess

import harness

# One of four ranks ends itself once; the others continue without it until they have taken in its
# replacement, which gets their state.
PROGRAM = """
import os, signal
import torch
import horovod.torch as hvd
hvd.init()
torch.manual_seed(1)
model = torch.nn.Linear(1, 1)
optimizer = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.1),
                                     named_parameters=model.named_parameters())
first = os.environ["MUSTER_ATTEMPT"] == "1"
victim = os.environ["MUSTER_INDEX"] == os.environ["VICTIM"]

@hvd.elastic.run
def train(state):
    print("begins at", state.step, "of", hvd.size(), "rank", hvd.rank(), "attempt",
          os.environ["MUSTER_ATTEMPT"], flush=True)
    if state.sizes[-1:] != [hvd.size()]:
        state.sizes = state.sizes + [hvd.size()]
    x = torch.linspace(-1, 1, 600)[hvd.rank()::hvd.size()].reshape(-1, 1)
    while state.step < 60 or state.sizes[-3:] != [4, 3, 4]:
        if first and victim and state.step > 20 and hvd.size() == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), 3 * x - 1).backward()
        optimizer.step()
        state.step += 1
        state.commit()

train(hvd.elastic.TorchState(model=model, optimizer=optimizer, step=0, sizes=[]))
print("rank", hvd.rank(), "of", hvd.size(),
      f"y = {model.weight.item():.2f} x + {model.bias.item():.2f}", flush=True)
"""


def environment():
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "horovod_torch"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def spec_of(muster, victim):
    """The job, whose files are in the folder of `muster`."""
    muster.write("train.py", PROGRAM)
    return muster.spec({
        "framework": "horovod-elastic", "command": "exec python3 train.py", "files": ["train.py"],
        # The ranks notice the loss within Horovod's timeout, and before the replacement comes.
        "env": {"VICTIM": str(victim), "HOROVOD_GLOO_TIMEOUT_SECONDS": "15",
                "PATH": f"{environment()}/bin:/usr/bin:/bin"},
        "restart": {"backoff": "45s..45s"},
        "roles": {"worker": {"min": 3, "max": 4, "membership": "elastic", "memory": "512m"}}})


def expect_learned(done, victim):
    done.expect(0)
    assert len(done.lines(r"rank \d of 4 y = 3\.00 x \+ -1\.00")) == 4, done.text
    # The newcomer took over the state of the others. Three are enough for a first round, so the
    # victim may already have begun twice.
    begins = [int(re.search(r"at (\d+)", line)[1])
              for line in done.lines(rf"worker:{victim} \| begins at .* attempt 2$")]
    assert begins and all(step >= 20 for step in begins), done.text
    rounds = [line.split(": ", 2)[2].split(", ") for line in done.lines(r"round \d+: \d ranks: ")]
    others = {f"worker:{index}" for index in range(4)} - {f"worker:{victim}"}
    assert any(set(one) == others for one in rounds), rounds
    assert len(rounds[-1]) == 4, rounds
