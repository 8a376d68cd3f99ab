"""muster notebook, with the real Jupyter server: a cell runs through the tunnel."""
# timeout: 900

import base64
import contextlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import urllib.request
import uuid

import harness
import pytest

ROOT = pathlib.Path(__file__).parents[2]
LINK = r"http://127\.0\.0\.1:(\d+)/tree\?token=(\S+)"


@pytest.fixture(scope="module")
def python():
    """The interpreter of an environment that has Jupyter's server and a kernel."""
    made = subprocess.run([ROOT / "tools/setup_python", "jupyter"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=600)
    return pathlib.Path(made.stdout.strip()) / "bin" / "python3"


@pytest.fixture
def muster(muster, python):
    muster.environment["PATH"] = f"{python.parent}:{muster.environment['PATH']}"
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


def api(port, token, path, method="GET", body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/{path}", method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=harness.PATIENCE) as answer:
        return json.load(answer)


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


def test_a_cell_runs_through_the_tunnel_which_outlives_the_master(muster):
    running = muster.start("notebook")
    port, token = running.sees(LINK).groups()
    port = int(port)
    kernel = api(port, token, "kernels", "POST", {"name": "python3"})["id"]
    assert run_cell(port, token, kernel, "x = 6 * 7; print(x)") == "42\n"
    # The token is in nobody's command line, environment or log.
    for pid, line in muster.processes().items():
        assert token not in line
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It has ended meanwhile.
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            assert token.encode() not in environment
    job = muster.job()
    assert token not in muster("logs", job).expect(0).text
    assert token not in muster("show", job, "--json").expect(0).text
    # It lives on when the master dies.
    os.kill(muster.pids("master")[0], signal.SIGKILL)
    running.sees("connected again")
    assert run_cell(port, token, kernel, "print(x + 1)") == "43\n"
    # It is left, and come back to.
    running.signal(signal.SIGINT)
    running.wait().expect(128 + signal.SIGINT)
    again = muster.start("notebook", job)
    port, same = again.sees(LINK).groups()
    assert same == token
    assert run_cell(int(port), token, kernel, "print(x)") == "42\n"
    muster("stop", job).expect(0)
    assert "ended" in again.wait().expect(6).err


def test_it_shows_the_persons_folder_and_ends_when_nobody_uses_it(muster):
    muster.write("mine.txt", "hello")
    running = muster.start("notebook", "--idle", "1s", "--name", "short")
    port, token = running.sees(LINK).groups()
    assert "mine.txt" in [each["name"] for each in api(port, token, "contents")["content"]]
    # Jupyter looks once a minute.
    assert "ended" in running.wait(within=300).expect(6).err


def test_an_environment_without_jupyter_is_said_before_anything_is_asked(muster):
    muster.environment["PATH"] = "/usr/bin:/bin"
    muster("notebook").expect_error(2, "no Jupyter", "pip install jupyterlab")
    assert muster.jobs() == []
    muster("notebook", "--idle", "soon").expect_error(2, "--idle")
    muster("notebook", "nothing-abc").expect_error(2, "no such job")
