"""Fits a line with Ray: each task computes the sums of its part of the data."""

import numpy as np
import ray

PARTS = 8


@ray.remote
def sums(part):
    # Put your own data here.
    x = np.linspace(-1, 1, 4096)[part::PARTS]
    y = 3 * x - 1
    a = np.stack([x, np.ones_like(x)])
    return a @ a.T, a @ y


def main():
    ray.init()
    parts = ray.get([sums.remote(part) for part in range(PARTS)])
    slope, offset = np.linalg.solve(sum(left for left, _ in parts),
                                    sum(right for _, right in parts))
    workers = sum(node["Alive"] and node["Resources"].get("CPU", 0) > 0 for node in ray.nodes())
    print(f"{workers} workers learned y = {slope:.2f} x + {offset:.2f}", flush=True)


if __name__ == "__main__":
    main()
