"""Handwritten digits with PyTorch's DistributedDataParallel, on processors (gloo).

An ordinary program for torchrun: the process group comes from MASTER_ADDR, MASTER_PORT, RANK and
WORLD_SIZE, which Muster sets. Rank 0 saves the checkpoints and measures the accuracy on images
that were never trained on.
"""

import argparse
import os

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


def save(folder, state):
    """Writes a checkpoint that is either complete or absent."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "digits.pt")
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)
    return path


def train(epochs):
    rank, world = dist.get_rank(), dist.get_world_size()
    say(f"rank {rank} of {world}")
    torch.manual_seed(7)
    train_rows, test_rows = digits()
    network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    sampler = DistributedSampler(train_rows, seed=7)
    loader = DataLoader(train_rows, batch_size=BATCH, sampler=sampler)
    folder = os.environ.get("MUSTER_CHECKPOINT_DIR", "checkpoint")

    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
        if rank == 0 and ((epoch + 1) % 5 == 0 or epoch + 1 == epochs):
            path = save(folder, {"epoch": epoch + 1, "network": network.state_dict()})
            say(f"epoch {epoch + 1} of {epochs}, loss {loss.item():.4f}")

    if rank == 0:
        say(f"checkpoint {path}")
        say(f"test accuracy {accuracy(network, test_rows):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    if "MASTER_ADDR" not in os.environ:
        parser.error("MASTER_ADDR is not set; start this program with muster run job.yaml")
    dist.init_process_group("gloo")
    train(options.epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
