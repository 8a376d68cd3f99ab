"""Drives the real program as a user would: a MUSTER_HOME of its own, limits, a terminal.

Everything a job starts inherits MUSTER_HOME, so a scan of /proc finds whatever it left behind.
"""

import contextlib
import dataclasses
import fcntl
import getpass
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import socket
import subprocess
import tempfile
import termios
import threading
import time

BINARY = pathlib.Path(os.environ.get("MUSTER_BINARY", "build/release/muster")).resolve()
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

# For anything that has to happen: a machine that builds while it runs tests can be very slow. How
# fast things are is measured by `make bench`; tests do not check it.
PATIENCE = 120


def free_range(size=1):
    """Returns the first of that many consecutive ports that are free on two of the loopback
    addresses, for programs that bind them later: below the ports that the kernel assigns, of which
    closed connections may hold thousands."""
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for _ in range(100):
        low = random.randrange(10000, first - size)
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            for port in range(low, low + size):
                for address in ("127.0.0.1", "127.0.0.2"):
                    held.enter_context(socket.socket()).bind((address, port))
            return low
    raise AssertionError("no free range of ports")


def eventually(probe, within=PATIENCE, what=None, pause=0.02):
    """Returns the first true value of `probe()`, or fails after `within` seconds with `what`: a
    text, or a function that returns one. Asks again after `pause` seconds, or later if asking takes
    time or the wait is long, so that what is waited for has the processors."""
    begun = time.monotonic()
    deadline = begun + within
    sleeper = threading.Event()
    while True:
        asked = time.monotonic()
        value = probe()
        if value:
            return value
        now = time.monotonic()
        if now > deadline:
            what = what() if callable(what) else what
            raise AssertionError(f"not within {within} s: {what or probe}")
        sleeper.wait(max(pause, min(2 * (now - asked), 1), min((now - begun) / 20, 0.5)))


def _sockets(pid, state):
    """What the kernel reports about a process's IPv4 sockets in that state, split into fields."""
    inodes = set()
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            inodes.add(entry.readlink().name)
    lines = pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    return [fields for fields in map(str.split, lines)
            if fields[3] == state and f"socket:[{fields[9]}]" in inodes]


def _address(text):
    host, port = text.split(":")
    return ".".join(str(byte) for byte in bytes.fromhex(host)[::-1]), int(port, 16)


def listening(pid):
    """The IPv4 addresses and ports that a process listens on."""
    return [_address(fields[1]) for fields in _sockets(pid, "0A")]


def peers(pid):
    """The IPv4 addresses and ports that a process is connected to."""
    return [_address(fields[2]) for fields in _sockets(pid, "01")]


def timers(pid):
    """For each of a process's connections: which timer is running (2: the one for idle
    connections), and for how many seconds."""
    split = [fields[5].split(":") for fields in _sockets(pid, "01")]
    return [(int(kind, 16), int(left, 16) / os.sysconf("SC_CLK_TCK")) for kind, left in split]


def open_files(pid):
    """[(path, size)] of the files that a process has open now."""
    found = []
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append((os.readlink(entry), entry.stat().st_size))
    return found


def parent_of(pid):
    """The pid of a process's parent; None if the process has ended."""
    with contextlib.suppress(OSError):
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@dataclasses.dataclass
class Finished:
    """A command that ended. `text` is both streams, in no particular order."""

    arguments: list
    code: int
    out: str
    err: str
    seconds: float

    @property
    def text(self):
        return self.out + self.err

    def json(self):
        return json.loads(self.out)

    def lines(self, pattern):
        """Returns the lines of both streams in which the expression matches."""
        return [line for line in self.text.splitlines() if re.search(pattern, line)]

    def expect(self, code):
        assert self.code == code, (
            f"exit status {self.code}, not {code}, of muster {self.arguments}\n"
            f"--- stdout\n{self.out[-6000:]}\n--- stderr\n{self.err[-6000:]}"
        )
        return self

    def expect_error(self, code, *words):
        """Checks the exit status, and that the message is short and contains all the words."""
        self.expect(code)
        for word in words:
            assert word in self.err, f"no {word!r} in:\n{self.err}"
        assert len(self.err.splitlines()) <= 10, self.err
        assert "Traceback" not in self.err
        return self


class Running:
    """A running command; its output is collected as it comes."""

    def __init__(self, arguments, environment, cwd, terminal=False, stdin=subprocess.DEVNULL,
                 program=BINARY):
        self.arguments = arguments
        self.started = time.monotonic()
        self._text = {"out": bytearray(), "err": bytearray()}
        self.terminal = None
        if terminal:
            self._start_on_terminal(environment, cwd, program)
        else:
            self.process = subprocess.Popen(
                [program, *arguments], env=environment, cwd=cwd, stdin=stdin,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            self._collect("out", self.process.stdout.fileno())
            self._collect("err", self.process.stderr.fileno())

    def _start_on_terminal(self, environment, cwd, program):
        self.terminal, child = pty.openpty()

        def take_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [program, *self.arguments], env=environment, cwd=cwd, stdin=child, stdout=child,
            stderr=child, start_new_session=True, preexec_fn=take_terminal)
        os.close(child)
        self._collect("out", self.terminal)

    def _collect(self, name, descriptor):
        def read():
            with contextlib.suppress(OSError):
                while chunk := os.read(descriptor, 65536):
                    self._text[name] += chunk

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        setattr(self, f"_{name}_reader", thread)

    @property
    def pid(self):
        return self.process.pid

    @property
    def text(self):
        return b"".join(self._text.values()).decode(errors="replace").replace("\r\n", "\n")

    def sees(self, pattern, within=PATIENCE):
        """Waits until the expression is found in the output; returns the match."""
        return eventually(
            lambda: re.search(pattern, self.text, re.MULTILINE), within,
            lambda: f"{pattern!r} in the output of muster {self.arguments}; it is:\n{self.text}")

    def type(self, keys):
        os.write(self.terminal, keys)

    def hang_up(self):
        """Closes the terminal, as a closed window does."""
        os.close(self.terminal)
        self.terminal = None

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, within=PATIENCE):
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(
                f"muster {self.arguments} did not end within {within} s; its output:\n{self.text}"
            ) from None
        self._out_reader.join(60)
        if not self.terminal and hasattr(self, "_err_reader"):
            self._err_reader.join(60)
        texts = {name: bytes(text).decode(errors="replace").replace("\r\n", "\n")
                 for name, text in self._text.items()}
        return Finished(self.arguments, code, texts["out"], texts["err"],
                        time.monotonic() - self.started)


class Muster:
    """The program with a home of its own. `folder` is where specs and programs are written."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("MUSTER_", "OMP_", "TF_", "PYTEST"))
        }
        # A HOME of its own, too: shells would run the start-up files of whoever runs the tests, and
        # a shell that is killed while it runs them may leave a lock that the next one waits for.
        self.environment.update(MUSTER_HOME=str(self.home), HOME=str(folder), PATH="/usr/bin:/bin",
                                LC_ALL="C.UTF-8")
        # Set as for everybody who has logged in; without it, each command asks `id` for the name.
        with contextlib.suppress(KeyError, OSError):
            self.environment.setdefault("USER", getpass.getuser())

    # Commands

    def start(self, *arguments, terminal=False, env=None, cwd=None, stdin=subprocess.DEVNULL,
              program=BINARY, mount=None):
        """`mount` names a file or folder and where else the program, and what it starts, finds it:
        for root alone."""
        environment = {**self.environment, **(env or {})}
        if mount:
            script = 'mount --bind "$0" "$1" && shift && exec "$@"'
            arguments = ("-m", "sh", "-c", script, *mount, program, *arguments)
            program = "unshare"
        return Running([str(argument) for argument in arguments], environment,
                       cwd or self.folder, terminal, stdin, program)

    def __call__(self, *arguments, within=PATIENCE, env=None, cwd=None, mount=None):
        return self.start(*arguments, env=env, cwd=cwd, mount=mount).wait(within)

    def run(self, spec, *arguments, within=PATIENCE, env=None):
        """Writes the spec and follows it to its end."""
        return self("run", self.spec(spec), *arguments, within=within, env=env)

    def run_shell(self, command, within=PATIENCE, env=None, **top):
        """Runs one task that is this shell command."""
        return self.run({"command": command, "tasks": 1, **top}, within=within, env=env)

    def submit(self, command, on, within=PATIENCE):
        """Starts a job of one task that is this shell command; returns its id."""
        spec = self.spec({"command": command, "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
        return self("submit", spec, "--on", on, "--json", within=within).expect(0).json()["job"]

    # Files

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def spec(self, spec, name="job.yaml"):
        """Writes a spec, text or a dict, and returns its path."""
        return self.write(name, spec if isinstance(spec, str) else json.dumps(spec, indent=1))

    # What exists

    def jobs(self):
        folder = self.home / "jobs"
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []

    def job(self):
        """Returns the id of the only job."""
        (job,) = self.jobs()
        return job

    def job_folder(self):
        return self.home / "jobs" / self.job()

    def status(self, job="last"):
        return self("status", job, "--json").expect(0).json()

    def wait_for_phase(self, phase, within=PATIENCE):
        def probe():
            done = self("status", "last", "--json")
            status = done.json() if done.code == 0 else {}
            return status.get("phase") == phase and status

        return eventually(probe, within, f"phase {phase}")

    def wait_for_tasks(self, job="last"):
        """Waits until each task of a job is running: the job's phase is `running` as soon as they
        may begin."""
        def probe():
            return all(task.get("attempt_state") == "running"
                       for role in self.status(job)["roles"].values() for task in role["tasks"])

        eventually(probe, what="running tasks")

    def log_text(self, task, attempt=1, stream="stdout"):
        name = f"{task.replace(':', '-')}.{attempt}.{stream}"
        return (self.job_folder() / "logs" / name).read_text(errors="replace")

    def processes(self):
        """Returns pid → command line of every process that belongs to this home."""
        marker = f"MUSTER_HOME={self.home}".encode()
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if marker in (folder / "environ").read_bytes().split(b"\0"):
                    line = (folder / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
                    found[int(folder.name)] = b" ".join(line).decode(errors="replace")
        return found

    def pids(self, verb):
        """Returns the processes of one kind: master, agent, keeper."""
        pattern = re.compile(rf"^\S*muster {verb}\b")
        found = {pid for pid, line in self.processes().items() if pattern.search(line)}
        # What one of them starts looks like its parent until it becomes another program, or for
        # good if it does not.
        return sorted(pid for pid in found
                      if verb == "keeper" or parent_of(pid) not in {*found, None})

    def expect_nothing_left(self, within=PATIENCE):
        try:
            eventually(lambda: not self.processes(), within)
        except AssertionError:
            raise AssertionError(f"left behind: {self.processes()}") from None

    def expect_only(self, pid, within=PATIENCE):
        """Waits until this is the only process left."""
        eventually(lambda: set(self.processes()) <= {pid}, within, lambda: str(self.processes()))

    def end_everything(self):
        """Kills until nothing comes back, because an agent that is still alive starts a new
        master."""
        def kill():
            left = self.processes()
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not left

        eventually(kill)

    def files_with(self, text):
        """Returns the files under the home that contain the text."""
        needle = text.encode()
        return [path for path in self.home.rglob("*")
                if path.is_file() and needle in path.read_bytes()]


@contextlib.contextmanager
def open_folder():
    """A folder that other users may pass through. Not tmp_path: whenever this user starts pytest,
    it closes the common parent folder to others."""
    with tempfile.TemporaryDirectory(prefix="muster-open-") as name:
        folder = pathlib.Path(name)
        while folder.as_posix() not in ("/", "/tmp"):
            folder.chmod(folder.stat().st_mode | 0o055)
            folder = folder.parent
        yield pathlib.Path(name)


class Gate:
    """A file that tasks wait for, so that the test decides when they continue."""

    def __init__(self, path):
        self.path = path

    @property
    def wait(self):
        """Returns the shell command that waits for the gate."""
        return f"while ! [ -e {self.path} ]; do sleep 0.2; done"

    def open(self):
        self.path.touch()


def readable(descriptor, within):
    return bool(select.select([descriptor], [], [], within)[0])


def send(pid, number):
    """Signals a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
