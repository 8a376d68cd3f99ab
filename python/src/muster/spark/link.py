"""The driver's end of the master's connection to Spark: requests, and their outcomes.

One JSON object a line over a socket that only the master and this process hold; the messages are
those of src/cluster/spark/messages.h.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from typing import Any


class MasterLink:
    """The line. `on_message` runs in the link's own thread, one message at a time."""

    def __init__(self, connection: socket.socket, on_message: Callable[[dict[str, Any]], None],
                 on_closed: Callable[[], None]):  # fmt: skip
        self._connection = connection
        self._on_message = on_message
        self._on_closed = on_closed
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts reading."""
        threading.Thread(target=self._read, name="muster-link", daemon=True).start()

    def send(self, message: dict[str, Any]) -> None:
        """Sends a message to the master; lost if it has ended."""
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            try:
                self._connection.sendall(data)
            except OSError:
                pass

    def close(self) -> None:
        """The master then stops the job."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _read(self) -> None:
        with self._connection.makefile("rb") as lines:
            try:
                for line in lines:
                    self._on_message(json.loads(line))
            except OSError:
                pass
        self._on_closed()
        self._connection.close()
