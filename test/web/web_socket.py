"""The client's end of a WebSocket, as far as small JSON messages need it."""

import base64
import json
import os
import socket
import struct

import harness


class WebSocket:
    """To a server of this machine; `headers` are further lines of the request."""

    def __init__(self, port, path, *headers):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE)
        self._file = self._socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: Upgrade",
                 "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}",
                 *headers]
        self._socket.sendall("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
        assert b" 101 " in self._file.readline()
        while self._file.readline() != b"\r\n":
            pass

    def send(self, message):
        data = json.dumps(message).encode()
        mask = os.urandom(4)
        self._socket.sendall(struct.pack(">BBH", 0x81, 0x80 | 126, len(data)) + mask
                             + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        """Returns the next message; None for a frame that is not one."""
        first, size = struct.unpack(">BB", self._file.read(2))
        if size >= 126:
            form = ">H" if size == 126 else ">Q"
            size = struct.unpack(form, self._file.read(struct.calcsize(form)))[0]
        data = self._file.read(size)
        return json.loads(data) if first & 15 == 1 else None

    def close(self):
        self._file.close()
        self._socket.close()
