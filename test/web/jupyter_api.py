"""A notebook's server as a program sees it: its REST interface, and one kernel's channels."""

import json
import urllib.parse
import urllib.request
import uuid

import harness
import web_socket


def api(port, token, path, method="GET", body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/{urllib.parse.quote(path)}", method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=harness.PATIENCE) as answer:
        text = answer.read()
        return json.loads(text) if text else None


class Channels(web_socket.WebSocket):
    """A kernel's WebSocket, as far as one cell needs it."""

    def __init__(self, port, token, kernel):
        super().__init__(port, f"/api/kernels/{kernel}/channels", f"Authorization: token {token}")

    def run(self, code):
        """Returns what the cell prints."""
        ident = uuid.uuid4().hex
        self.send({
            "header": {"msg_id": ident, "msg_type": "execute_request", "username": "",
                       "session": ident, "version": "5.3", "date": ""},
            "parent_header": {}, "metadata": {}, "channel": "shell", "buffers": [],
            "content": {"code": code, "silent": False, "store_history": False,
                        "user_expressions": {}, "allow_stdin": False}})
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


def run_cell(port, token, kernel, code):
    channels = Channels(port, token, kernel)
    try:
        return channels.run(code)
    finally:
        channels.close()
