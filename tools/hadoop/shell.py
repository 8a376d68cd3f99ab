"""Hadoop's own command-line tools: many of them in one Java process (ShellServer.java)."""

import dataclasses
import select
import struct
import subprocess
import time

import layout

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
# The application commands take their own group as first word.
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
    """One Java process that runs commands, one at a time; started with the first of them."""

    def __init__(self, version, conf, environment, flags=()):
        self.command = layout.java_command(version, conf, "ShellServer", flags=flags)
        self.environment = environment
        self.process = None
        self.deadline = 0

    def __call__(self, *words, stdin=b"", within=300):
        """Runs one of TOOLS, or any class that is a Tool, as its script would."""
        self.deadline = time.monotonic() + within
        words = [str(word) for word in words]
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, bufsize=0)
        name, arguments = main_class(words)
        texts = [text.encode() for text in (name, *arguments)]
        request = struct.pack(">i", len(texts))
        for text in (*texts, stdin):
            request += struct.pack(">i", len(text)) + text
        self.write(request)
        try:
            (code,) = struct.unpack(">i", self.read(4))
            out = self.read(struct.unpack(">i", self.read(4))[0])
            err = self.read(struct.unpack(">i", self.read(4))[0])
        except TimeoutError:
            self.process.kill()
            self.close()
            raise AssertionError(f"Hadoop's {words} did not end within {within} s") from None
        return Finished(words, code, out, err.decode(errors="replace"))

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def read(self, count):
        data = b""
        while len(data) < count:
            pipe, left = self.process.stdout, self.deadline - time.monotonic()
            if not select.select([pipe], [], [], max(left, 0))[0]:
                raise TimeoutError
            more = pipe.read(count - len(data))
            if not more:
                raise AssertionError(f"Hadoop's shell died (status {self.process.wait()}): "
                                     f"{' '.join(self.command)}")
            data += more
        return data

    def close(self):
        """Ends the process: its standard input ends, and so does it."""
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            self.process = None
