"""Rows that came through a feed: as they were, as numpy columns, or as an Arrow batch."""

from __future__ import annotations

import ctypes
import functools
import itertools
import pickle
from typing import TYPE_CHECKING, Any

from muster.feed import library
from muster.feed.errors import FeedError

if TYPE_CHECKING:  # Programs whose rows have no arrays need no numpy.
    import numpy as np

# How a value looked in Python: feed/block.h, Look.
_INT, _FLOAT, _BOOL, _BYTES, _TEXT, _LIST, _TUPLE, _DICT, _ROW, _ARRAY, _SCALAR, _PICKLED = range(
    1, 13
)
# How a number is stored: feed/block.h, Item.
_DTYPES = {
    1: "int8",
    2: "int16",
    3: "int32",
    4: "int64",
    5: "uint8",
    6: "uint16",
    7: "uint32",
    8: "uint64",
    9: "float16",
    10: "float32",
    11: "float64",
    12: "bool",
}


def _make_row(names: tuple[str, ...], values: tuple) -> Any:
    """A pyspark Row; only called for blocks whose rows were pyspark Rows."""
    from pyspark.sql.types import _create_row

    return _create_row(list(names), values)  # A list, as everywhere in pyspark.


class _Lease:
    """The block's memory; arrays that view it keep it alive, and the last one returns it."""

    def __init__(self, handle: int):
        self.handle = handle

    def __del__(self):
        library.PY.mf_lease_free(self.handle)

    def memory(self, address: int, size: int) -> ctypes.Array:
        """`size` bytes of the block as a buffer that keeps the lease."""
        memory = _bytes_type(size).from_address(address)
        memory.lease = self
        return memory


@functools.lru_cache(maxsize=64)  # ctypes itself forgets a type with its last object.
def _bytes_type(size: int) -> type[ctypes.Array]:
    return ctypes.c_char * size


@functools.lru_cache(maxsize=64)
def _nodes_type(count: int) -> type[ctypes.Array]:
    return library.NodeStruct * count


@functools.cache
def _dtype(item: int) -> np.dtype:
    import numpy as np

    return np.dtype(_DTYPES[item])


class Block:
    """Some rows in the order they were fed. Lives as long as any array that views it."""

    def __init__(self, received: library.ReceivedStruct):
        """Takes over the library's handle, and the structure."""
        handle = received.lease
        self._lease = _Lease(handle)
        self._rows: int = received.rows
        if received.nodes == 1:
            self._nodes = [received.root]
        else:
            nodes = _nodes_type(received.nodes)()
            library.PY.mf_lease_nodes(handle, nodes)
            self._nodes = list(nodes)
        self._arrays: list[np.ndarray] | None = None
        self._unpickled: list | None = None

    def __len__(self) -> int:
        return self._rows

    @property
    def is_copy(self) -> bool:
        """The reader kept too many blocks, so this one was copied out of the ring."""
        return bool(library.DLL.mf_lease_is_copy(self._lease.handle))

    def rows(self, start: int = 0, count: int | None = None) -> list:
        """Rows [start, start + count) with the types and values they had. Arrays among them are
        views of the block.
        """
        count = self._rows - start if count is None else count
        if start < 0 or count < 0 or start + count > self._rows:
            raise IndexError(f"rows {start} to {start + count} of a block of {self._rows}")
        if self._pickled():
            return self._all_unpickled()[start : start + count]
        if self._arrays is None:
            self._arrays = [
                self._array(node) for node in self._nodes if node.look in (_ARRAY, _SCALAR)
            ]
        needs_rows = any(node.look == _ROW for node in self._nodes)
        return library.PY.mf_lease_to_rows(
            self._lease.handle, start, count, self._arrays, id(_make_row) if needs_rows else None
        )

    def columns(self) -> Any:
        """The rows as numpy arrays, one per column, without copying: a dict for named columns, a
        list for a tuple or list of columns, one array for plain values. Text and bytes become
        object arrays. Missing values make a masked array. None for rows that have no columns.
        """
        if self._pickled():
            return None
        value, _ = self._column(0)
        return value

    def arrow(self) -> Any:
        """The rows as a pyarrow RecordBatch of named columns, without copying. NoColumnsError if
        the rows have none.
        """
        import pyarrow

        with library.arrow_structures() as (schema, array):
            library.check(library.DLL.mf_lease_arrow(self._lease.handle, schema, array))
            if self._nodes[0].children == 0:
                column = pyarrow.Array._import_from_c(array, schema)
                return pyarrow.RecordBatch.from_arrays([column], names=["value"])
            return pyarrow.RecordBatch._import_from_c(array, schema)

    def _pickled(self) -> bool:
        return self._nodes[0].look == _PICKLED

    def _all_unpickled(self) -> list:
        if self._unpickled is None:
            node = self._nodes[0]
            # From the same user's process on this host, through memory only the two share.
            self._unpickled = pickle.loads(self._memory(node.values, node.values_bytes))
            if len(self._unpickled) != self._rows:
                raise FeedError(
                    f"a pickled block holds {len(self._unpickled)} rows instead of {self._rows}"
                )
        return self._unpickled

    def _memory(self, address: int | None, size: int) -> ctypes.Array | bytes:
        return self._lease.memory(address, size) if address and size else b""

    def _name(self, node: library.NodeStruct) -> str:
        return ctypes.string_at(node.name, node.name_bytes).decode()

    def _array(self, node: library.NodeStruct) -> np.ndarray:
        import numpy as np

        shape = [self._rows]
        if node.look == _ARRAY:
            shape += node.shape[: node.dimensions]
        elif node.look in (_LIST, _TUPLE):
            shape.append(node.width)
        size = node.values_bytes
        memory = self._lease.memory(node.values, size) if size else None
        return np.ndarray(shape, _dtype(node.item), memory)

    def _column(self, index: int) -> tuple[Any, int]:
        """The value of node `index` and the index after its subtree."""
        node = self._nodes[index]
        after = index + node.subtree
        if node.children:
            names, values = [], []
            at = index + 1
            while at < after:
                names.append(self._name(self._nodes[at]))
                value, at = self._column(at)
                values.append(value)
            named = node.look in (_DICT, _ROW)
            return (dict(zip(names, values, strict=True)) if named else values), after
        if node.look in (_BYTES, _TEXT) or node.variable:
            return self._masked(self._ragged(node), node), after
        if not node.item:  # Empty lists.
            import numpy as np

            return np.empty((self._rows, 0)), after
        return self._masked(self._array(node), node), after

    def _ragged(self, node: library.NodeStruct) -> np.ndarray:
        """Values of different lengths: one object per row."""
        import numpy as np

        offsets = np.frombuffer(self._memory(node.offsets, (self._rows + 1) * 8), dtype="int64")
        result = np.empty(self._rows, dtype=object)
        memory = self._memory(node.values, node.values_bytes)
        if node.look in (_BYTES, _TEXT):
            whole = memoryview(memory)
            pieces = [whole[a:b].tobytes() for a, b in itertools.pairwise(offsets.tolist())]
            result[:] = pieces if node.look == _BYTES else [one.decode() for one in pieces]
        else:
            numbers = np.frombuffer(memory, dtype=_dtype(node.item))
            for row in range(self._rows):
                result[row] = numbers[offsets[row] : offsets[row + 1]]
        return result

    def _masked(self, values: np.ndarray, node: library.NodeStruct) -> np.ndarray:
        if not node.validity:
            return values
        import numpy as np

        valid = np.frombuffer(self._memory(node.validity, self._rows), dtype="bool")
        mask = np.broadcast_to(~valid.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
        return np.ma.masked_array(values, mask=mask)
