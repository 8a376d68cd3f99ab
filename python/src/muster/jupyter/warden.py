"""Starts an IPython kernel in a task, and watches over it. Runs in the task, by `python3 -c` behind
kernel_folder.py and peer_user.py, with nothing but the standard library and the task's own
ipykernel.

Reads one JSON object from standard input: `key`, the kernel's; `alone`, for how many seconds it
lives without anybody connected to the warden. Once the kernel listens, writes one with its ports
and the warden's own, `warden_port`, and exits: warden and kernel keep running, and end with the
task.

Whoever connects to the warden's port on this host first sends the key, as a line. From then on each
line is the number of a signal for the kernel, and the last line that comes back is the kernel's
exit status, negative for a signal.

The kernel itself listens on Unix sockets in a folder of this user's: whoever could connect to it
would read what it prints, and the code that it runs. The warden forwards five ports of this host to
them, only for this user and root.
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
import time

# Runs in the kernel's own process: reports its ports once it has them, and ends with its warden.
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
ready.write("ready")
ready.close()
app.start()
"""
PORTS = ("shell_port", "iopub_port", "stdin_port", "hb_port", "control_port")
START_MAX = 120  # Seconds for ipykernel to be imported from a slow disk.
FIRST_WORD_MAX = 10
LINE_MAX = 256
CONNECTIONS_MAX = 8
# Connections that have not sent the key: the oldest makes room.
UNPROVED_MAX = 64
RELAYS_MAX = 256  # To the kernel; a notebook has about five.


def copy(source, target):
    try:
        while True:
            piece = source.recv(1 << 16)
            if not piece:
                break
            target.sendall(piece)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Warden:
    """One kernel, and those connected to it."""

    def __init__(self, order):
        self.key = order["key"].encode()
        self.alone = order["alone"]
        self.folder = make_kernel_folder()  # noqa: F821: of kernel_folder.py
        self.server = socket.create_server(("127.0.0.1", 0), backlog=1024)
        # Ports that lead to the kernel's sockets, and how many connections do.
        self.doors = {socket.create_server(("127.0.0.1", 0), backlog=1024): self.socket_of(number)
                      for number in range(1, len(PORTS) + 1)}
        self.relays = threading.BoundedSemaphore(RELAYS_MAX)
        self.people = {}  # Connections that have sent the key, and their unfinished line.
        self.unproved = {}  # The others, oldest first: what has arrived, and since when.
        self.ended, self.wake = os.pipe()
        self.kernel = None
        self.status = None

    def socket_of(self, number):
        return os.path.join(self.folder, f"kernel-{number}")

    def start(self):
        """Returns what to report about the kernel: its ports, or `error`."""
        file = os.path.join(self.folder, "connection.json")
        with open(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "w") as out:
            # The kernel makes kernel-1 and so on of `ip`.
            numbers = {name: number for number, name in enumerate(PORTS, 1)}
            json.dump({"ip": os.path.join(self.folder, "kernel"), "transport": "ipc",
                       "key": self.key.decode(), "signature_scheme": "hmac-sha256", **numbers}, out)
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
        ports = {PORTS[at]: door.getsockname()[1] for at, door in enumerate(self.doors)}
        return {**ports, "warden_port": self.server.getsockname()[1], "pid": self.kernel.pid}

    def watch(self):
        """Runs until the kernel ends. A client that disconnects may come back within `alone`
        seconds.
        """
        threading.Thread(target=self.reap, daemon=True).start()
        alone_since = time.monotonic()
        while self.status is None:
            waits = [3600.0, *(since + FIRST_WORD_MAX - time.monotonic()
                               for _, since in self.unproved.values())]
            if not self.people:
                waits.append(alone_since + self.alone - time.monotonic())
            ready, _, _ = select.select(
                [self.ended, self.server, *self.doors, *self.people, *self.unproved], [], [],
                max(0.0, min(waits)))
            if self.people:
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since >= self.alone:
                self.kernel.terminate()
                self.kernel.wait()
                return
            for each in ready:
                self.attend(each)
            for each, (_, since) in list(self.unproved.items()):
                if time.monotonic() - since >= FIRST_WORD_MAX:
                    self.leave(each)
        for each in self.people:
            try:
                each.sendall(b"%d\n" % self.status)
            except OSError:
                pass
            each.close()

    def reap(self):
        self.status = self.kernel.wait()
        os.close(self.wake)

    def attend(self, ready):
        if ready is self.server or ready in self.doors:
            self.admit(ready)
            return
        goes_on = True
        if ready in self.people:
            goes_on = self.hear(ready)
        elif ready in self.unproved:
            goes_on = self.hear_unproved(ready)
        if not goes_on:
            self.leave(ready)

    def leave(self, connection):
        self.people.pop(connection, None)
        self.unproved.pop(connection, None)
        connection.close()

    def admit(self, door):
        try:
            connection, _ = door.accept()
        except OSError:  # The peer has left again.
            return
        if not is_of_this_user(connection):  # noqa: F821: of peer_user.py
            connection.close()
            return
        if door is self.server:
            if len(self.unproved) >= UNPROVED_MAX:
                self.leave(next(iter(self.unproved)))
            connection.settimeout(FIRST_WORD_MAX)
            self.unproved[connection] = (b"", time.monotonic())
        elif self.relays.acquire(blocking=False):
            threading.Thread(target=self.relay, args=(connection, self.doors[door]),
                             daemon=True).start()
        else:
            connection.close()

    def relay(self, connection, path):
        try:
            with connection, socket.socket(socket.AF_UNIX) as kernel:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                kernel.connect(path)
                back = threading.Thread(target=copy, args=(kernel, connection), daemon=True)
                back.start()
                copy(connection, kernel)
                back.join()
        except OSError:  # One of them is gone already.
            pass
        finally:
            self.relays.release()

    def hear_unproved(self, connection):
        """Returns whether it may stay."""
        said, since = self.unproved[connection]
        try:
            piece = connection.recv(LINE_MAX)
        except OSError:
            return False
        key, whole, rest = (said + piece).partition(b"\n")
        if not whole:
            self.unproved[connection] = (key, since)
            return bool(piece) and len(key) < LINE_MAX
        if (not hmac.compare_digest(key.strip(), self.key)
                or len(self.people) >= CONNECTIONS_MAX):
            return False
        try:
            connection.sendall(b"ok\n")
        except OSError:
            return False
        del self.unproved[connection]
        self.people[connection] = b""
        return self.obey(connection, rest)

    def hear(self, connection):
        """Returns whether it goes on."""
        try:
            piece = connection.recv(LINE_MAX)
        except OSError:
            piece = b""
        return bool(piece) and self.obey(connection, piece)

    def obey(self, connection, piece):
        *lines, self.people[connection] = (self.people[connection] + piece).split(b"\n")
        for line in lines:
            if line.isdigit() and 0 < int(line) < signal.NSIG:
                self.kernel.send_signal(int(line))
        return len(self.people[connection]) < LINE_MAX

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
