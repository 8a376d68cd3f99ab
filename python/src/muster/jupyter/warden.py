"""Starts an IPython kernel in a task, and watches over it. Runs in the task, by `python3 -c`, with
nothing but the standard library and the task's own ipykernel.

Reads one JSON object from standard input: `key`, the kernel's; `alone`, for how many seconds it
lives without anybody connected to the warden. Once the kernel listens, writes one with its ports
and the warden's own, `warden_port`, and leaves: warden and kernel go on, and end with the task.

Who connects to the warden's port of this host sends the key first, a line. From then on each line
is the number of a signal for the kernel, and the last line that comes back is the kernel's exit
status, negative for a signal.
"""

import hmac
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

# In the kernel's own process: says which ports it has, once it has them, and ends with its warden.
KERNEL = """
import json, os, sys, threading
ready = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
lifeline = os.dup(0)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
def follow():
    os.read(lifeline, 1)
    os._exit(1)
threading.Thread(target=follow, daemon=True).start()
from ipykernel.kernelapp import IPKernelApp
app = IPKernelApp.instance()
app.initialize(["-f", sys.argv[1]])
json.dump({name: getattr(app, name) for name in (
    "shell_port", "iopub_port", "stdin_port", "hb_port", "control_port")}, ready)
ready.close()
app.start()
"""
START_MAX = 120  # Seconds for ipykernel to be imported from a slow disk.
FIRST_WORD_MAX = 10
LINE_MAX = 256
CONNECTIONS_MAX = 8


class Warden:
    """One kernel, and those who are connected to it."""

    def __init__(self, order):
        self.key = order["key"].encode()
        self.alone = order["alone"]
        self.folder = tempfile.mkdtemp(prefix="muster-kernel-")  # 0700
        self.server = socket.create_server(("127.0.0.1", 0))
        self.ended, self.wake = os.pipe()
        self.kernel = None
        self.status = None

    def start(self):
        """Returns what is to be said of the kernel: its ports, or `error`."""
        file = os.path.join(self.folder, "connection.json")
        with open(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w") as out:
            json.dump({"ip": "127.0.0.1", "transport": "tcp", "key": self.key.decode(),
                       "signature_scheme": "hmac-sha256", "shell_port": 0, "iopub_port": 0,
                       "stdin_port": 0, "hb_port": 0, "control_port": 0}, out)
        with tempfile.TemporaryFile(dir=self.folder) as errors:
            self.kernel = subprocess.Popen([sys.executable, "-c", KERNEL, file], stderr=errors,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            ready, _, _ = select.select([self.kernel.stdout], [], [], START_MAX)
            said = self.kernel.stdout.read() if ready else b""
            if not said:
                self.kernel.kill()
                self.kernel.wait()
                errors.seek(0)
                lines = errors.read().decode(errors="replace").strip().splitlines()
                return {"error": lines[-1][:500] if lines else "it did not start in time",
                        "python": sys.executable}
        return {**json.loads(said), "warden_port": self.server.getsockname()[1],
                "pid": self.kernel.pid}

    def watch(self):
        """Until the kernel ends. One who goes away may come back, for as long as `alone`."""
        threading.Thread(target=self.reap, daemon=True).start()
        people = {}
        while self.status is None:
            ready, _, _ = select.select([self.ended, self.server, *people], [], [],
                                        None if people else self.alone)
            if not ready:
                self.kernel.terminate()
                self.kernel.wait()
                return
            for each in ready:
                if each is self.server:
                    self.admit(people)
                elif each in people and not self.hear(each, people):
                    people.pop(each)
                    each.close()
        for each in people:
            try:
                each.sendall(b"%d\n" % self.status)
            except OSError:
                pass
            each.close()

    def reap(self):
        self.status = self.kernel.wait()
        os.close(self.wake)

    def admit(self, people):
        connection, _ = self.server.accept()
        connection.settimeout(FIRST_WORD_MAX)
        try:
            said = b""
            while not said.endswith(b"\n") and len(said) < LINE_MAX:
                piece = connection.recv(1)
                if not piece:
                    break
                said += piece
        except OSError:
            said = b""
        if not hmac.compare_digest(said.strip(), self.key) or len(people) >= CONNECTIONS_MAX:
            connection.close()
            return
        connection.sendall(b"ok\n")
        people[connection] = b""

    def hear(self, connection, people):
        try:
            piece = connection.recv(LINE_MAX)
        except OSError:
            piece = b""
        *lines, people[connection] = (people[connection] + piece).split(b"\n")
        for line in lines:
            if line.isdigit() and 0 < int(line) < signal.NSIG:
                self.kernel.send_signal(int(line))
        return bool(piece) and len(people[connection]) < LINE_MAX

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    warden = Warden(json.load(sys.stdin))
    told, tell = os.pipe()
    if os.fork() > 0:
        os.close(tell)
        with open(told, "rb") as pipe:
            said = pipe.read()
        os.write(1, said)
        os._exit(0 if b"_port" in said else 1)
    os.close(told)
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    try:
        said = warden.start()
        os.write(tell, json.dumps(said).encode())
        os.close(tell)
        if "error" not in said:
            warden.watch()
    finally:
        warden.remove()


if __name__ == "__main__":
    main()
