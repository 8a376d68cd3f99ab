"""Fits a line with MPI: gradients of all ranks are added up."""

import numpy as np
from mpi4py import MPI


def main():
    world = MPI.COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    # Put your own data here: this rank's share of it.
    x = np.linspace(-1, 1, 512)[rank::size]
    a = np.stack([x, np.ones_like(x)])
    y = 3 * x - 1
    weights = np.zeros(2)
    for _ in range(200):
        gradient = a @ (weights @ a - y) / len(x)
        weights -= 0.6 * world.allreduce(gradient) / size
    if rank == 0:
        print(f"{size} ranks learned y = {weights[0]:.2f} x + {weights[1]:.2f}", flush=True)


if __name__ == "__main__":
    main()
