"""Fits a small network with PyTorch's DistributedDataParallel.

The process group comes from MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE, which Muster sets, as
torchrun does. After a restart every rank continues from the last checkpoint.
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CHECKPOINT = os.path.join(os.environ.get("MUSTER_CHECKPOINT_DIR", "ckpt"), "model.pt")


def rows():
    """Returns points of a curve; put your own data here."""
    x = torch.linspace(-3, 3, 2048).unsqueeze(1)
    return TensorDataset(x, torch.sin(x))


def save(state):
    """Writes a checkpoint that is either complete or absent."""
    os.makedirs(os.path.dirname(CHECKPOINT), exist_ok=True)
    torch.save(state, CHECKPOINT + ".part")
    os.replace(CHECKPOINT + ".part", CHECKPOINT)


def train(epochs, device):
    torch.manual_seed(1)
    network = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 1)).to(device)
    model = DistributedDataParallel(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    start = 0
    if os.path.exists(CHECKPOINT):
        state = torch.load(CHECKPOINT, map_location=device)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"]
        print(f"resumed after epoch {start}", flush=True)

    sampler = DistributedSampler(rows())
    loader = DataLoader(rows(), batch_size=64, sampler=sampler)
    for epoch in range(start, epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            save({"epoch": epoch + 1, "network": network.state_dict(),
                  "optimizer": optimizer.state_dict()})
            print(f"epoch {epoch + 1} of {epochs}, loss {loss.item():.5f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    gpu = torch.cuda.is_available()
    if gpu:
        # A task sees only the GPUs that are its own.
        torch.cuda.set_device(0)
    dist.init_process_group("nccl" if gpu else "gloo")
    train(options.epochs, "cuda" if gpu else "cpu")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
