"""Lets another program of the same user end a stream: on the driver's machine, or wherever
$MUSTER_HOME is.

The key is in the job's folder, where no other user can read it.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from muster.spark import folders
from muster.spark.channel import connect, container_key
from muster.spark.errors import ChannelError

NAME = "stream"  # The channel's name for whoever ends a stream.
_WAIT_SECONDS = 30.0


def _jobs() -> Path:
    return Path(os.environ.get("MUSTER_HOME") or Path.home() / ".muster") / "jobs"


def leave(job: str, port: int, secret: bytes) -> Path:
    """Leaves the key for the driver of `job` that listens on `port`; returns its file."""
    path = _jobs() / job / f"stream-{port}.key"
    folders.write(path, container_key(secret, NAME))
    return path


def stop_stream(address: tuple[str, int]) -> bool:
    """Ends the stream of the job whose driver listens at `address`; false if no job of this user
    does.
    """
    for path in _jobs().glob(f"*/stream-{address[1]}.key"):
        # A key left behind by a killed driver fits no other.
        with contextlib.suppress(OSError, ChannelError):
            channel = connect(address, NAME, path.read_bytes())
            channel.send({"is": "stop-stream"})
            told = channel.receive(_WAIT_SECONDS) is not None
            channel.close()
            if told:
                return True
    return False
