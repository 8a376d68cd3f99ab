"""Handwritten digits with PyTorch, by a gang that loses a member half-way and continues.

On its first attempt worker 1 kills itself at --kill-at-step, as a machine out of memory would. The
other worker cannot continue alone, so Muster restarts the gang, and every rank loads the newest
checkpoint: model, optimizer and step.
"""

import argparse
import os
import signal

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

BATCH = 32


def say(text):
    print(text, flush=True)


def digits():
    """Returns 1,797 real scans of 8x8 pixels, a quarter of them kept for the test."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    images = (images / 16.0).astype("float32")
    train_images, test_images, train_labels, test_labels = train_test_split(
        images, labels.astype("int64"), test_size=0.25, random_state=7, stratify=labels
    )
    return (
        TensorDataset(torch.from_numpy(train_images), torch.from_numpy(train_labels)),
        TensorDataset(torch.from_numpy(test_images), torch.from_numpy(test_labels)),
    )


def accuracy(network, rows):
    images, labels = rows.tensors
    with torch.no_grad():
        return (network(images).argmax(dim=1) == labels).float().mean().item()


CHECKPOINT_EVERY = 20


def save(path, state):
    """Writes a checkpoint that is either complete or absent."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)


def batches(rows, rank, world):
    """Yields this rank's batches for ever, the same ones for the same step on every attempt."""
    sampler = DistributedSampler(rows, num_replicas=world, rank=rank, seed=7)
    loader = DataLoader(rows, batch_size=BATCH, sampler=sampler)
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        yield from loader
        epoch += 1


def train(steps, kill_at_step):
    rank, world = dist.get_rank(), dist.get_world_size()
    first_attempt = int(os.environ.get("MUSTER_RESTARTS", "0")) == 0
    torch.manual_seed(7)
    train_rows, test_rows = digits()
    network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)

    path = os.path.join(os.environ.get("MUSTER_CHECKPOINT_DIR", "checkpoint"), "digits.pt")
    step = 0
    if os.path.exists(path):
        state = torch.load(path)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
        say(f"resumed from step {step}")

    source = batches(train_rows, rank, world)
    for _ in range(step):
        next(source)
    while step < steps:
        images, labels = next(source)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        step += 1
        if rank == 0 and (step % CHECKPOINT_EVERY == 0 or step == steps):
            save(
                path,
                {
                    "step": step,
                    "network": network.state_dict(),
                    "optimizer": optimizer.state_dict(),
                },
            )
            say(f"step {step} of {steps}, loss {loss.item():.4f}")
        if rank == 1 and step == kill_at_step and first_attempt:
            say(f"killing this process at step {step}")
            os.kill(os.getpid(), signal.SIGKILL)

    if rank == 0:
        say(f"test accuracy {accuracy(network, test_rows):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--kill-at-step", type=int, default=210)
    options = parser.parse_args()
    if "MASTER_ADDR" not in os.environ:
        parser.error("MASTER_ADDR is not set; start this program with muster run job.yaml")
    dist.init_process_group("gloo")
    train(options.steps, options.kill_at_step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
