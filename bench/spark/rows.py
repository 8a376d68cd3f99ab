"""The rows whose way from Spark to a program is measured."""

import os
import random

# Kind → (rows of a round, bytes of a row's values, columns of its DataFrame).
KINDS = {
    "13 floats": (400_000, 104, "x array<double>"),
    "40 floats": (200_000, 320, "x array<double>"),
    "784 numbers and a label, lists": (12_000, 6280, "x array<double>, y long"),
    "784 numbers and a label, arrays": (100_000, 792, None),
    "3 KB of bytes": (60_000, 3072, "x binary"),
    "100 KB of bytes": (3_000, 100_000, "x binary"),
    "588 KB images": (400, 602_112, "x binary"),
}


def make(kind, count, seed):
    """`count` rows, each a new object: equal ones would travel once."""
    import numpy as np

    rng = random.Random(seed)
    for i in range(count):
        start = rng.random()
        if kind == "13 floats":
            yield [start + j for j in range(13)]
        elif kind == "40 floats":
            yield [start + j for j in range(40)]
        elif kind.endswith("lists"):
            yield ([start + j for j in range(784)], i)
        elif kind.endswith("arrays"):
            yield (np.full(784, i % 256, dtype="uint8"), i)
        elif kind.endswith("bytes"):
            yield os.urandom(64) * (48 if kind.startswith("3") else 1562) + bytes(i % 3)
        else:
            yield np.full((224, 224, 3), start, dtype="float32")


def as_frame_row(row, columns):
    """The same row for a DataFrame."""
    if columns.startswith("x binary"):
        return (bytearray(row),)
    return row if "," in columns else (row,)
