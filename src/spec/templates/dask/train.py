"""Fits a line with Dask: each task computes the sums of its part of the data."""

import json
import os

import numpy as np
from distributed import Client

PARTS = 8


def sums(part):
    # Put your own data here.
    x = np.linspace(-1, 1, 4096)[part::PARTS]
    y = 3 * x - 1
    a = np.stack([x, np.ones_like(x)])
    return a @ a.T, a @ y


def main():
    client = Client()
    workers = len(json.loads(os.environ["MUSTER_VIEW"])["worker"])
    client.wait_for_workers(workers)
    parts = client.gather(client.map(sums, range(PARTS)))
    slope, offset = np.linalg.solve(sum(left for left, _ in parts),
                                    sum(right for _, right in parts))
    print(f"{workers} workers learned y = {slope:.2f} x + {offset:.2f}", flush=True)


if __name__ == "__main__":
    main()
