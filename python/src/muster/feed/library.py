"""The feed library through ctypes: one binding per call of src/feed/c_api.h, nothing else.

`DLL` releases the interpreter's lock during a call, `PY` keeps it: the calls that touch Python
objects are in `PY` only, short ones in both.
"""

import contextlib
import ctypes
import os
import pathlib
from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_int, c_int64, c_uint8, c_uint32, c_uint64, c_void_p

from muster.feed import errors

_VERSION = 2
OK, FAILED, TIMED_OUT, INTERRUPTED, GONE, NO_SPACE, CORRUPT, UNSUPPORTED, INVALID = range(9)


class NodeStruct(ctypes.Structure):
    """mf_node."""

    _fields_ = [
        ("look", c_uint8),
        ("item", c_uint8),
        ("variable", c_uint8),
        ("dimensions", c_uint8),
        ("children", c_uint32),
        ("subtree", c_uint32),
        ("name_bytes", c_uint32),
        ("name", c_void_p),
        ("width", c_uint64),
        ("values", c_void_p),
        ("values_bytes", c_uint64),
        ("offsets", c_void_p),
        ("validity", c_void_p),
        ("shape", c_uint64 * 8),
    ]


class ReceivedStruct(ctypes.Structure):
    """mf_received."""

    _fields_ = [
        ("ring", c_uint64),
        ("sequence", c_uint64),
        ("rows", c_uint64),
        ("first_row", c_uint64),
        ("kind", c_uint32),
        ("nodes", c_uint32),
        ("lease", c_void_p),
        ("root", NodeStruct),
    ]


class _ArrowSchema(ctypes.Structure):
    """ArrowSchema of Arrow's C data interface."""

    _fields_ = [
        *[(name, c_void_p) for name in ("format", "name", "metadata")],
        *[(name, c_int64) for name in ("flags", "n_children")],
        *[(name, c_void_p) for name in ("children", "dictionary", "release", "private_data")],
    ]


class _ArrowArray(ctypes.Structure):
    """ArrowArray of the same."""

    _fields_ = [
        *[(name, c_int64) for name in ("length", "null_count", "offset", "n_buffers")],
        ("n_children", c_int64),
        *[(name, c_void_p) for name in ("buffers", "children", "dictionary", "release")],
        ("private_data", c_void_p),
    ]


@contextlib.contextmanager
def arrow_structures() -> Iterator[tuple[int, int]]:
    """The addresses of an ArrowSchema and an ArrowArray, both empty. Whatever they hold at the end
    is released.
    """
    both = _ArrowSchema(), _ArrowArray()
    try:
        yield tuple(map(ctypes.addressof, both))
    finally:
        for one in both:
            if one.release:
                ctypes.CFUNCTYPE(None, c_void_p)(one.release)(ctypes.addressof(one))


_OBJECT = ctypes.py_object
_SIGNATURES = {
    "mf_error": (c_char_p, []),
    "mf_version": (c_uint32, []),
    "mf_inbox_new": (c_int, [c_int, c_char_p, POINTER(c_void_p)]),
    "mf_inbox_free": (None, [c_void_p]),
    "mf_inbox_add": (c_int, [c_void_p, c_uint32, c_uint64, POINTER(c_uint64), POINTER(c_int)]),
    "mf_inbox_ring_fd": (c_int, [c_void_p, c_uint64]),
    "mf_inbox_doorbell_fd": (c_int, [c_void_p]),
    "mf_inbox_producer_gone": (None, [c_void_p, c_uint64]),
    "mf_inbox_receive": (c_int, [c_void_p, c_int64, POINTER(ReceivedStruct)]),
    "mf_inbox_consumed": (None, [c_void_p, c_uint64, c_uint64]),
    "mf_inbox_end": (None, [c_void_p]),
    "mf_inbox_terminate": (None, [c_void_p]),
    "mf_inbox_terminated": (c_int, [c_void_p]),
    "mf_inbox_close": (None, [c_void_p]),
    "mf_lease_nodes": (None, [c_void_p, c_void_p]),
    "mf_lease_is_copy": (c_int, [c_void_p]),
    "mf_lease_arrow": (c_int, [c_void_p, c_void_p, c_void_p]),
    "mf_lease_free": (None, [c_void_p]),
    "mf_producer_new": (c_int, [c_int, c_int, POINTER(c_void_p)]),
    "mf_producer_free": (None, [c_void_p]),
    "mf_producer_block_bytes": (c_uint64, [c_void_p]),
    "mf_producer_reader": (c_int, [c_void_p]),
    "mf_producer_reader_gone": (None, [c_void_p]),
    "mf_producer_reserve": (c_int, [c_void_p, c_void_p, c_int64]),
    "mf_producer_put_encoded": (c_int, [c_void_p, c_void_p, c_int64]),
    "mf_producer_put_pickled": (c_int, [c_void_p, c_void_p, c_uint64, c_uint64, c_int64]),
    "mf_producer_put_arrow": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(c_uint64), c_int64]),
    "mf_producer_mark": (c_int, [c_void_p, c_uint32, c_int64]),
    "mf_producer_wait_consumed": (c_int, [c_void_p, c_int64]),
    "mf_producer_close": (None, [c_void_p]),
}
_PYTHON_SIGNATURES = {
    "mf_encoder_new": (c_void_p, [c_void_p, c_void_p, c_void_p]),
    "mf_encoder_free": (None, [c_void_p]),
    "mf_encoder_start": (None, [c_void_p]),
    "mf_encoder_take": (
        c_uint64,
        [c_void_p, _OBJECT, c_uint64, c_uint64, c_int64, POINTER(c_int)],
    ),
    "mf_encoder_take_kept": (_OBJECT, [c_void_p]),
    "mf_encoder_rows": (c_uint64, [c_void_p]),
    "mf_encoder_next_block": (None, [c_void_p]),
    "mf_encoder_forget": (None, [c_void_p]),
    "mf_keep_arenas": (None, [c_uint64]),
    "mf_tfrecord_frame": (c_void_p, [_OBJECT]),
    "mf_tfrecord_split": (c_void_p, [c_char_p, c_uint64, POINTER(c_uint64)]),
    "mf_example_encode": (c_void_p, [_OBJECT]),
    "mf_example_decode": (c_void_p, [c_char_p, c_uint64]),
    "mf_lease_to_rows": (_OBJECT, [c_void_p, c_uint64, c_uint64, _OBJECT, c_void_p]),
}


def _path() -> str:
    """Where the library is: in the package, or where MUSTER_FEED_LIBRARY says."""
    override = os.environ.get("MUSTER_FEED_LIBRARY")
    if override:
        return override
    return str(pathlib.Path(__file__).parent.parent / "native" / "libmuster_feed.so")


def _bind(library, signatures):
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


def _load():
    path = _path()
    try:
        free = _bind(ctypes.CDLL(path), _SIGNATURES)
        locked = _bind(ctypes.PyDLL(path), _SIGNATURES | _PYTHON_SIGNATURES)
    except (OSError, AttributeError) as failure:
        raise ImportError(f"cannot load Muster's feed library {path}: {failure}") from failure
    if free.mf_version() != _VERSION:
        raise ImportError(
            f"Muster's feed library {path} has interface {free.mf_version()}, "
            f"this package needs {_VERSION}: they are from different releases"
        )
    return free, locked


DLL, PY = _load()


def owned(address: int | None) -> object:
    """The Python object that a call of `PY` returned; ValueError with its message if there is none.
    """
    if not address:
        raise ValueError(DLL.mf_error().decode(errors="replace"))
    thing = ctypes.cast(address, _OBJECT).value
    _release(thing)  # The cast added a reference of its own.
    return thing


_release = ctypes.pythonapi.Py_DecRef
_release.argtypes = [_OBJECT]
_release.restype = None

_EXCEPTIONS = {
    TIMED_OUT: errors.FeedTimeoutError,
    GONE: errors.ReaderGoneError,
    NO_SPACE: errors.NoSpaceError,
    UNSUPPORTED: errors.NoColumnsError,
}


def check(status: int) -> None:
    """Raises what `status` means, with the library's own message; nothing for OK."""
    if status != OK:
        raise _EXCEPTIONS.get(status, errors.FeedError)(DLL.mf_error().decode(errors="replace"))


def milliseconds(timeout: float | None) -> int:
    """A timeout in seconds (None: no timeout) in the library's unit."""
    return -1 if timeout is None else max(0, round(timeout * 1000))
