"""Hadoop's own command-line tools: many of them in one Java process (ShellServer.java)."""

import contextlib
import dataclasses
import signal
import socket
import struct
import time

import layout
from control import BedError, ask
from waiting import until

# The name by which the keeper knows its process.
NAME = "shell"

# The commands by the names that the `hadoop`, `hdfs` and `yarn` scripts give them.
TOOLS = {
    "fs": "org.apache.hadoop.fs.FsShell",
    "dfsadmin": "org.apache.hadoop.hdfs.tools.DFSAdmin",
    "haadmin": "org.apache.hadoop.hdfs.tools.DFSHAAdmin",
    "fsck": "org.apache.hadoop.hdfs.tools.DFSck",
    "rmadmin": "org.apache.hadoop.yarn.client.cli.RMAdminCLI",
    "application": "org.apache.hadoop.yarn.client.cli.ApplicationCLI",
    "node": "org.apache.hadoop.yarn.client.cli.NodeCLI",
    "queue": "org.apache.hadoop.yarn.client.cli.QueueCLI",
    "logs": "org.apache.hadoop.yarn.client.cli.LogsCLI",
    "dtutil": "org.apache.hadoop.security.token.DtUtilShell",
}
# The application commands take their own group as the first argument.
GROUPS = ("application",)


@dataclasses.dataclass
class Finished:
    """A command that ended."""

    words: list
    code: int
    raw: bytes
    err: str

    @property
    def out(self):
        return self.raw.decode(errors="replace")

    def expect(self, code=0):
        if self.code != code:
            raise AssertionError(f"exit status {self.code}, not {code}, of Hadoop's {self.words}\n"
                                 f"--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-6000:]}")
        return self


def main_class(words):
    name = words[0]
    rest = [*words] if name in GROUPS else words[1:]
    return TOOLS.get(name, name), rest


class Shell:
    """A Java process of the bed that runs commands, one at a time, for all users of the bed,
    because starting Java takes longer than most commands. The keeper starts it at the first
    command."""

    def __init__(self, folder, version, environment, flags=()):
        self.folder = folder
        self.socket = folder / "shell"
        self.version = version
        self.environment = environment
        self.flags = flags

    def __call__(self, *words, stdin=b"", within=300):
        """Runs one of TOOLS, or any class that is a Tool, as its script would."""
        deadline = time.monotonic() + within
        words = [str(word) for word in words]
        name, arguments = main_class(words)
        texts = [text.encode() for text in (name, *arguments)]
        request = struct.pack(">i", len(texts))
        for text in (*texts, stdin):
            request += struct.pack(">i", len(text)) + text
        try:
            with self.connected() as connection:
                connection.settimeout(within)
                connection.sendall(request)
                (code,) = struct.unpack(">i", read(connection, 4, deadline))
                out, err = (read(connection, struct.unpack(">i", read(connection, 4, deadline))[0],
                                 deadline) for _ in range(2))
        except TimeoutError:
            self.end()
            raise AssertionError(f"Hadoop's {words} did not end within {within} s") from None
        return Finished(words, code, out, err.decode(errors="replace"))

    def connected(self):
        """Returns a connection for one command."""
        connection = self.connect()
        if connection is not None:
            return connection
        # If two find nobody listening, one of them comes too late.
        with contextlib.suppress(BedError):
            ask(self.folder, do="start", name=NAME, environment=self.environment,
                command=layout.java_command(self.version, self.folder / "conf", "ShellServer",
                                            [str(self.socket)], flags=self.flags),
                log=str(self.folder / "logs" / f"{NAME}.log"))
        return until(self.connect, 60, "Hadoop's shell listens")

    def connect(self):
        """Returns None when nobody listens."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(self.socket))
        except OSError:
            connection.close()
            return None
        return connection

    def end(self):
        """Ends the process, if there is one, so that the next command sees what has changed
        meanwhile."""
        if NAME in ask(self.folder, do="status"):
            ask(self.folder, do="signal", name=NAME, number=int(signal.SIGKILL))
            until(lambda: ask(self.folder, do="status")[NAME]["ended"] is not None, 60,
                  "Hadoop's shell ends")


def read(connection, count, deadline):
    data = b""
    while len(data) < count:
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        more = connection.recv(count - len(data))
        if not more:
            raise AssertionError("Hadoop's shell died in the middle of a command")
        data += more
    return data
