"""Rows as numpy columns in batches of one size, independent of the blocks they came in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from muster.feed.errors import NoColumnsError
from muster.feed.inbox import END_OF_FEED, Inbox


class ColumnReader:
    """Reads an inbox to the end of its feed. One thread."""

    def __init__(self, inbox: Inbox):
        self._inbox = inbox

    def batches(self, size: int | None = None) -> Iterator[Any]:
        """Batches of `size` rows, the last one with what is left; None: each block as it is. They
        have the form that Block.columns() returns. NoColumnsError if the rows have none.
        """
        if size is not None and size < 1:
            raise ValueError(f"batches of {size} rows")
        parts: list[Any] = []  # Not yet enough for a batch.
        missing = size
        while (received := self._inbox.receive()).kind != END_OF_FEED:
            if received.block is not None:
                rows = len(received.block)
                columns = self._columns(received.block)
                start = 0
                while missing is not None and rows - start >= missing:
                    parts.append(_slice(columns, start, start + missing))
                    start += missing
                    yield _joined(parts)
                    parts, missing = [], size
                if missing is None:
                    yield columns
                elif start < rows:
                    parts.append(_slice(columns, start, rows))
                    missing -= rows - start
            self._inbox.consumed(received)
        if parts:
            yield _joined(parts)

    @staticmethod
    def _columns(block: Any) -> Any:
        columns = block.columns()
        if columns is None:
            raise NoColumnsError(
                "these rows have no columns: their values have types or nesting that only "
                "pickling preserves; read them with next_batch()"
            )
        return columns


def _mapped(columns: list[Any], function: Callable[[list[np.ndarray]], np.ndarray]) -> Any:
    """One value with the structure of each of `columns`, made by a function of their arrays."""
    first = columns[0]
    if isinstance(first, dict):
        return {name: _mapped([one[name] for one in columns], function) for name in first}
    if isinstance(first, list):
        return [_mapped([one[i] for one in columns], function) for i in range(len(first))]
    return function(columns)


def _slice(columns: Any, start: int, stop: int) -> Any:
    return _mapped([columns], lambda arrays: arrays[0][start:stop])


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else _mapped(parts, _concatenated)


def _concatenated(arrays: list[np.ndarray]) -> np.ndarray:
    if any(isinstance(array, np.ma.MaskedArray) for array in arrays):
        return np.ma.concatenate(arrays)
    if len({array.shape[1:] for array in arrays}) == 1:
        return np.concatenate(arrays)
    # Lists of one length in one block and of several in the next: an object for each row.
    rows = np.empty(sum(map(len, arrays)), dtype=object)
    rows[:] = [row for array in arrays for row in array]
    return rows
