"""Fits a line with MXNet: workers push gradients to the server and pull the sum.

In the scheduler and the server, importing mxnet does all the work and does not return.
"""

import mxnet as mx


def main():
    store = mx.kv.create("dist_sync")
    rank, size = store.rank, store.num_workers
    # Put your own data here: this worker's share of it.
    x = mx.nd.array([-1 + 2 * i / 511 for i in range(rank, 512, size)])
    y = 3 * x - 1
    weights, gradient = mx.nd.zeros(2), mx.nd.zeros(2)
    store.init("gradient", mx.nd.zeros(2))
    for _ in range(200):
        wrong = weights[0] * x + weights[1] - y
        gradient[0] = (wrong * x).mean()
        gradient[1] = wrong.mean()
        store.push("gradient", gradient)
        store.pull("gradient", out=gradient)
        weights -= 0.6 / size * gradient
    if rank == 0:
        slope, offset = weights.asnumpy()
        print(f"{size} workers learned y = {slope:.2f} x + {offset:.2f}", flush=True)


if __name__ == "__main__":
    main()
