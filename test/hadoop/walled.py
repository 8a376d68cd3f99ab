"""A host behind a firewall: a network namespace whose only ways out are some ports of this machine.

Only root can make one.
"""

import contextlib
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading

import harness

# In the namespace there are as many addresses as outside. Arguments: the socket of the way out, the
# addresses, the ports that lead out, and those whose packets are dropped; all others are refused.
INSIDE = r"""
import socket, subprocess, sys, threading
way_out, addresses, open_ports, dropped = (word.split(",") for word in sys.argv[1:])
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for address in filter(None, addresses):
    subprocess.run(["ip", "address", "add", address + "/32", "dev", "lo"], check=True)

def pump(source, target):
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, target):
            each.close()

def lead_out(server):
    while True:
        here, _ = server.accept()
        out = socket.socket(socket.AF_UNIX)
        out.connect(way_out[0])
        out.sendall(b"%s %d\n" % (here.getsockname()[0].encode(), here.getsockname()[1]))
        threading.Thread(target=pump, args=(here, out), daemon=True).start()
        threading.Thread(target=pump, args=(out, here), daemon=True).start()

for port in filter(None, open_ports):
    server = socket.create_server(("0.0.0.0", int(port)), backlog=100)
    threading.Thread(target=lead_out, args=(server,), daemon=True).start()
kept = []
for port in filter(None, dropped):
    # Whose queue is full drops what else comes without a word.
    server = socket.create_server(("0.0.0.0", int(port)), backlog=0)
    kept.append(server)
    for _ in range(3):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", int(port)))
        kept.append(one)
print("up", flush=True)
sys.stdin.read()
"""


def listening_ports():
    """The ports on which this machine listens."""
    found = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                found.add(int(fields[1].rsplit(":", 1)[1], 16))
    return found


def addresses():
    told = subprocess.run(["ip", "-4", "-o", "address"], check=True, capture_output=True, text=True)
    return [found for found in re.findall(r"inet (\S+?)/", told.stdout)
            if not found.startswith("127.")]


class Wall:
    """`used` holds the ports that were reached through it."""

    def __init__(self, refused=(), dropped=()):
        self.used = []
        self._stack = contextlib.ExitStack()
        folder = pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self._server = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        self._server.bind(str(folder / "out"))
        self._server.listen(100)
        threading.Thread(target=self._serve, daemon=True).start()
        through = listening_ports() - {*refused, *dropped}
        words = [str(folder / "out"), ",".join(addresses()), ",".join(map(str, sorted(through))),
                 ",".join(map(str, dropped))]
        self._inside = subprocess.Popen(
            ["unshare", "-n", sys.executable, "-c", INSIDE, *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self._stack.callback(self._end)
        assert self._inside.stdout.readline() == "up\n"

    def _end(self):
        self._inside.stdin.close()
        self._inside.wait(harness.PATIENCE)
        self._inside.stdout.close()
        self._server.shutdown(socket.SHUT_RDWR)

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                inside, _ = self._server.accept()
                threading.Thread(target=self._lead, args=(inside,), daemon=True).start()

    def _lead(self, inside):
        with inside, contextlib.suppress(OSError):
            host, port = inside.makefile("rb", 0).readline().decode().split()
            self.used.append(int(port))
            with socket.create_connection((host, int(port)), timeout=harness.PATIENCE) as out:
                out.settimeout(None)
                back = threading.Thread(target=pump, args=(out, inside))
                back.start()
                pump(inside, out)
                back.join()

    def words(self, *command):
        """The program and arguments that run a command behind the wall."""
        return "/usr/bin/nsenter", ["-t", str(self._inside.pid), "-n", *map(str, command)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()


def pump(source, target):
    with contextlib.suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
