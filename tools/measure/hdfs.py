"""HDFS beside its own Java client: rates, start-up and memory, on real daemons of one machine."""

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from table import Row

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "hadoop"))

import health  # noqa: E402
import layout  # noqa: E402
from artifacts import VERSIONS  # noqa: E402
from bed import Bed  # noqa: E402
from shell import TOOLS  # noqa: E402

MB = 1 << 20
LARGE_MB = 1024
SMALL_FILES = 100  # Hadoop's client needs a fifth of a second for each.
SMALL_BYTES = 4096
LOOK = 0.01  # Seconds between two looks at a client's memory.


@dataclasses.dataclass
class Used:
    """What a command took: seconds of the clock and of processors, its largest memory in MiB."""

    seconds: float
    cpu_seconds: float
    memory: float


class Client:
    """`muster fs` or `hadoop fs`: the words before the verb, and an environment."""

    def __init__(self, name, words, environment):
        self.name = name
        self.words = [str(word) for word in words]
        self.environment = environment

    def run(self, verb, *words):
        """Runs a command to its end; returns what it used."""
        command = [*self.words, self.verb(verb), *map(str, words)]
        with tempfile.TemporaryFile() as said:
            started = time.perf_counter()
            process = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said)
            memory = largest_memory(process.pid)
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                said.seek(0)
                text = said.read().decode(errors="replace").strip()
                raise RuntimeError(f"{self.name} {verb} {' '.join(map(str, words))[:200]}: "
                                   f"status {process.returncode}: {text[-1000:]}")
        cpu_seconds = used.ru_utime + used.ru_stime
        print(f"bench: hdfs: {self.name} {verb} {shown(words)}: {seconds:.2f} s, "
              f"{cpu_seconds:.2f} s of processors, {memory:.1f} MiB", file=sys.stderr, flush=True)
        return Used(seconds, cpu_seconds, memory)

    def first_byte(self, path):
        """Returns the seconds until `cat` of the file gives its first byte."""
        started = time.perf_counter()
        process = subprocess.Popen([*self.words, self.verb("cat"), path],
                                   env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        got = process.stdout.read(1)
        seconds = time.perf_counter() - started
        process.communicate()
        if not got:
            raise RuntimeError(f"{self.name} cat {path} gave nothing")
        return seconds

    def verb(self, name):
        return f"-{name}" if self.name == "hadoop fs" else name


def shown(words):
    """The command's first words, without their folders."""
    names = [pathlib.Path(str(word)).name for word in words]
    return " ".join(names if len(names) < 4 else [*names[:2], "..."])


def largest_memory(pid):
    """Returns the largest resident memory of a child, in MiB, once it has ended; it stays to be
    waited for. The kernel's own figure at the end would count what this process had at the fork.
    """
    ended = os.pidfd_open(pid)
    largest = 0
    try:
        while not select.select([ended], [], [], LOOK)[0]:
            with contextlib.suppress(OSError):
                for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        largest = max(largest, int(line.split()[1]))
    finally:
        os.close(ended)
    return largest / 1024


def hdfs(muster, rounds, folder):
    """1 GB in one file, many small files, `cat`; each client in turn, the figures of both."""
    bed = Bed.start(VERSIONS[-1], "storage")
    try:
        ours = Client("muster fs", [muster.binary, "fs"],
                      {**muster.environment, "HADOOP_CONF_DIR": str(bed.conf)})
        java = Client("hadoop fs",
                      layout.measured_command(bed.version, bed.conf, TOOLS["fs"]), bed.environment)
        ours.run("mkdir", "-p", "/bench")
        large, small = make_files(folder)
        return [*large_rows(bed, ours, java, large, folder, rounds),
                *small_rows(bed, ours, java, small, folder, rounds),
                calls_row(bed, ours, java, small, rounds),
                first_byte_row(ours, java, rounds)]
    finally:
        bed.end()


def make_files(folder):
    """Makes what is carried, of bytes that no file system can guess."""
    large, small = folder / "large", folder / "small"
    small.mkdir()
    with open(large, "wb") as file:
        for _ in range(LARGE_MB // 8):
            file.write(os.urandom(8 * MB))
    for number in range(SMALL_FILES):
        (small / f"{number:04}").write_bytes(os.urandom(SMALL_BYTES))
    return large, small


def large_rows(bed, ours, java, large, folder, rounds):
    told = f"muster fs put {LARGE_MB}-MB-FILE /bench/; muster fs get"
    put = Row("hdfs_put", "HDFS put of 1 GB in one file, whole command", "MB/s", [], told,
              at_least=True, peers={java.name: []})
    get = Row("hdfs_get", "HDFS get of 1 GB in one file, whole command", "MB/s", [], told,
              at_least=True, peers={java.name: []})
    memory = Row("hdfs_memory", "HDFS put and get of 1 GB: the client's largest memory", "MiB", [],
                 told, limit=32, peers={java.name: []})
    wanted = digest(large)
    for client in rounds * (ours, java):
        there, back = f"/bench/{client.name.split()[0]}", folder / "back"
        to, back_again = client.run("put", large, there), client.run("get", there, back)
        samples_of(put, client, ours).append(LARGE_MB * MB / 1e6 / to.seconds)
        samples_of(get, client, ours).append(LARGE_MB * MB / 1e6 / back_again.seconds)
        samples_of(memory, client, ours).append(max(to.memory, back_again.memory))
        if digest(back) != wanted:
            raise RuntimeError(f"{client.name}: what came back is not what was put")
        back.unlink()
        bed.shell("fs", "-rm", "-skipTrash", there).expect()
    for row in (put, get):
        row.limit = statistics.median(row.peers[java.name])
    return [put, get, memory]


def samples_of(row, client, ours):
    return row.samples if client is ours else row.peers[client.name]


def small_rows(bed, ours, java, small, folder, rounds):
    told = f"muster fs put FOLDER-OF-{SMALL_FILES}-FILES /bench/; muster fs get"
    put = Row("hdfs_put_small", f"HDFS put of {SMALL_FILES:,} files of 4 KiB", "s", [], told,
              peers={java.name: []})
    get = Row("hdfs_get_small", f"HDFS get of {SMALL_FILES:,} files of 4 KiB", "s", [], told,
              peers={java.name: []})
    for client in rounds * (ours, java):
        there, back = folder_of(client), folder / "small-back"
        samples_of(put, client, ours).append(client.run("put", small, there).seconds)
        samples_of(get, client, ours).append(client.run("get", there, back).seconds)
        count = sum(1 for _ in back.glob("[0-9]*"))
        if count != SMALL_FILES:
            raise RuntimeError(f"{client.name}: {count} of {SMALL_FILES} files came back")
        shutil.rmtree(back)
        bed.shell("fs", "-rm", "-r", "-skipTrash", there).expect()
    for row in (put, get):
        row.limit = statistics.median(row.peers[java.name])
    return [put, get]


def folder_of(client):
    return f"/bench/small-{client.name.split()[0]}"


def calls_row(bed, ours, java, small, rounds):
    row = Row("hdfs_calls", "HDFS calls per second of one core, start-up included", "calls/s", [],
              f"muster fs stat /bench/small/0000 ... ({SMALL_FILES} files)", at_least=True,
              peers={java.name: []})
    ours.run("put", small, folder_of(ours))
    paths = [f"{folder_of(ours)}/{number:04}" for number in range(SMALL_FILES)]
    for _ in range(rounds):
        for client in (ours, java):
            before = calls_of(bed)
            used = client.run("stat", *paths)
            samples_of(row, client, ours).append((calls_of(bed) - before) / used.cpu_seconds)
    row.limit = statistics.median(row.peers[java.name])
    return row


def calls_of(bed):
    """Returns how many calls the NameNode has answered, to clients and to the DataNode's beats;
    waits until its figure, which is taken once a second, has seen the last one of a client."""
    time.sleep(3)
    activity = health.bean(bed.port("nn1.http"),
                           f"NameNode,name=RpcActivityForPort{bed.port('nn1.rpc')}")
    if "RpcProcessingTimeNumOps" not in activity:
        raise RuntimeError("the NameNode does not tell how many calls it has answered")
    return activity["RpcProcessingTimeNumOps"]


def first_byte_row(ours, java, rounds):
    row = Row("hdfs_first_byte", "HDFS cat: command → first byte", "ms", [],
              "muster fs cat /bench/small/0000 | head -c 1", peers={java.name: []})
    for _ in range(4 * rounds):
        row.samples.append(1000 * ours.first_byte(f"{folder_of(ours)}/0000"))
    for _ in range(rounds):
        row.peers[java.name].append(1000 * java.first_byte(f"{folder_of(ours)}/0000"))
    row.limit = statistics.median(row.peers[java.name]) / 20
    return row


def digest(path):
    with contextlib.closing(open(path, "rb")) as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()
