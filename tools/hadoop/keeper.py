"""Keeps the processes and ports of one bed: `keeper.py FOLDER OWNER`, started by Bed.start().

It is the parent of every daemon and the heir of whatever a daemon leaves behind, so that nothing
outlives it: when it is told to end, or when the process OWNER (0: nobody) has ended, however that
happened, it kills all its descendants and removes FOLDER. It is two processes, so that killing
either one has the same effect.

FOLDER/control is a Unix socket that takes one request, a line of JSON, and gives one reply. The
keeper knows nothing about Hadoop.
"""

import contextlib
import ctypes
import json
import os
import pathlib
import selectors
import shutil
import signal
import socket
import subprocess
import sys

import ports

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
LIBC = ctypes.CDLL(None, use_errno=True)


class Keeper:
    def __init__(self, folder, owner):
        self.folder = pathlib.Path(folder)
        self.owner = owner
        self.processes = {}
        self.log_starts = {}
        self.ports = []
        self.ended = False

    def serve(self):
        """Returns when the bed has ended."""
        selector = selectors.DefaultSelector()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self.end())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        woken, wakes = socket.socketpair()
        woken.setblocking(False)
        wakes.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        selector.register(woken, selectors.EVENT_READ, lambda: self.reap(woken))
        try:
            if self.owner:
                selector.register(os.pidfd_open(self.owner), selectors.EVENT_READ, self.end)
        except ProcessLookupError:
            self.ended = True
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            # It gets its name only once it can be connected to.
            listener.bind(str(self.folder / "control.new"))
            listener.listen(16)
            (self.folder / "control.new").rename(self.folder / "control")
            selector.register(listener, selectors.EVENT_READ, lambda: self.answer(listener))
            while not self.ended:
                for key, _ in selector.select():
                    key.data()

    def reap(self, woken):
        with contextlib.suppress(BlockingIOError):
            woken.recv(4096)
        for process in self.processes.values():
            process.poll()
        known = {process.pid for process in self.processes.values()}
        for pid in set(children().get(os.getpid(), [])) - known:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def answer(self, listener):
        connection, _ = listener.accept()
        with connection, contextlib.suppress(BrokenPipeError):
            request = json.loads(connection.makefile().readline() or "{}")
            try:
                reply = getattr(self, "do_" + request.pop("do", "nothing"))(**request)
            except (OSError, KeyError, TypeError, AttributeError) as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            connection.sendall(json.dumps(reply).encode() + b"\n")

    # Requests

    def do_hold(self, count):
        """Reserves that many ports until the end."""
        taken = ports.held(count)
        self.ports += taken
        return {"ports": [holder.getsockname()[1] for holder in taken]}

    def do_start(self, name, command, environment, log):
        if name in self.processes and self.processes[name].poll() is None:
            return {"error": f"{name} runs already"}
        with open(log, "ab") as output:
            self.log_starts[name] = output.tell()
            self.processes[name] = subprocess.Popen(
                command, env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGKILL))
        return {"pid": self.processes[name].pid}

    def do_signal(self, name, number):
        self.processes[name].send_signal(number)
        return {}

    def do_status(self):
        """For each daemon: its pid, how it ended, if it has, and where its log begins in the
        file."""
        return {name: {"pid": process.pid, "ended": process.poll(),
                       "log_start": self.log_starts[name]}
                for name, process in self.processes.items()}

    def do_end(self):
        self.end()
        return {}

    def do_who(self):
        return {"keeper": os.getpid(), "guard": os.getppid()}

    def end(self):
        self.ended = True


def children():
    """Returns parent → its children, for all processes."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            found.setdefault(parent, []).append(int(folder.name))
    return found


def descendants(pid):
    tree, found = children(), []
    waiting = [pid]
    while waiting:
        born = tree.get(waiting.pop(), [])
        found += born
        waiting += born
    return found


def kill_descendants():
    """Kills repeatedly: a process that is just being born has a parent that we know."""
    while found := descendants(os.getpid()):
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)


def die_with_parent(number):
    LIBC.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def main(folder, owner):
    """Runs the guard outside and the keeper inside; each inherits orphans and ends them."""
    guard = os.getpid()
    keeper = os.fork()
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if keeper == 0:
        die_with_parent(signal.SIGTERM)
        if os.getppid() == guard:
            Keeper(folder, owner).serve()
    else:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: os.kill(keeper, number))
        # Orphans arrive here only once the keeper is dead or no longer their parent.
        while os.waitpid(-1, 0)[0] != keeper:
            pass
    kill_descendants()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
