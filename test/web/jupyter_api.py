"""A notebook's server as a program sees it: its REST interface, and one kernel's channels."""

import base64
import json
import os
import socket
import struct
import urllib.parse
import urllib.request
import uuid

import harness


def api(port, token, path, method="GET", body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/{urllib.parse.quote(path)}", method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=harness.PATIENCE) as answer:
        text = answer.read()
        return json.loads(text) if text else None


class Channels:
    """A kernel's WebSocket, as far as one cell needs it."""

    def __init__(self, port, token, kernel):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET /api/kernels/{kernel}/channels HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\nAuthorization: token {token}\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline() != b"\r\n":
            pass

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        self.socket.sendall(struct.pack(">BBH", 0x81, 0x80 | 126, len(data)) + mask
                            + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        first, size = struct.unpack(">BB", self.file.read(2))
        if size >= 126:
            form = ">H" if size == 126 else ">Q"
            size = struct.unpack(form, self.file.read(struct.calcsize(form)))[0]
        data = self.file.read(size)
        return json.loads(data) if first & 15 == 1 else None

    def run(self, code):
        """Returns what the cell prints."""
        ident = uuid.uuid4().hex
        self.send(json.dumps({
            "header": {"msg_id": ident, "msg_type": "execute_request", "username": "",
                       "session": ident, "version": "5.3", "date": ""},
            "parent_header": {}, "metadata": {}, "channel": "shell", "buffers": [],
            "content": {"code": code, "silent": False, "store_history": False,
                        "user_expressions": {}, "allow_stdin": False}}))
        printed = ""
        while True:
            message = self.receive()
            if message is None or message["parent_header"].get("msg_id") != ident:
                continue
            if message["msg_type"] == "stream":
                printed += message["content"]["text"]
            if message["msg_type"] == "status" and \
                    message["content"]["execution_state"] == "idle":
                return printed

    def close(self):
        self.file.close()
        self.socket.close()


def run_cell(port, token, kernel, code):
    channels = Channels(port, token, kernel)
    try:
        return channels.run(code)
    finally:
        channels.close()
