"""TFRecord files and tensorflow.Example, natively: without TensorFlow and without a jar.

A record is bytes. An Example is a list of (name, kind, values), kind one of BYTES, FLOAT, INT64.
"""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterable, Iterator

from muster.feed import library

BYTES, FLOAT, INT64 = 1, 2, 3

Feature = tuple[str, int, list]

_PIECE = 1 << 20
_BATCH = 256


def write(file: io.RawIOBase, records: Iterable[bytes]) -> int:
    """Writes records to an open file and returns how many."""
    count = 0
    batch: list[bytes] = []
    for record in records:
        batch.append(record)
        count += 1
        if len(batch) >= _BATCH:
            file.write(frame(batch))
            batch = []
    file.write(frame(batch))
    return count


def read(file: io.RawIOBase) -> Iterator[bytes]:
    """The records of an open file. ValueError, with the place, if it is damaged or cut short."""
    rest = b""
    offset = 0
    while True:
        piece = file.read(max(_PIECE, len(rest)))  # Larger and larger if a record is huge.
        if not piece:
            break
        try:
            records, used = split(rest + piece)
        except ValueError as failure:
            raise ValueError(f"{failure} after byte {offset} of the file") from None
        rest = (rest + piece)[used:]
        offset += used
        yield from records
    if rest:
        raise ValueError(f"the file ends in the middle of a record that begins at byte {offset}")


def frame(records: list[bytes]) -> bytes:
    """Records in the format of a file, with their lengths and checksums."""
    return library.owned(library.PY.mf_tfrecord_frame(records))


def split(data: bytes) -> tuple[list[bytes], int]:
    """The whole records at the start of a file's piece, and how many bytes they take. ValueError if
    a checksum does not match.
    """
    used = ctypes.c_uint64()
    return library.owned(library.PY.mf_tfrecord_split(data, len(data), used)), used.value


def encode(features: list[Feature]) -> bytes:
    """One Example's message. ValueError names the value that is not of its feature's kind."""
    return library.owned(library.PY.mf_example_encode(features))


def decode(message: bytes) -> list[Feature]:
    """The features of an Example's message; ValueError if it is not one. A feature without values
    may have kind 0.
    """
    return library.owned(library.PY.mf_example_decode(message, len(message)))
