"""Figures of reaching into tasks on this machine, beside ssh to it and TCP without anything."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading

import peers
from table import Row

from muster import wait_until

COPIED = 256 << 20
SENT = 1 << 30
PIECE = 1 << 20


def reach(muster, rounds, folder):
    with muster.job(1, "exec sleep 3600") as job, ssh_server(folder) as ssh:
        job.wait_for("attempt-started")
        return [exec_row(muster, job, ssh, rounds), copy_row(muster, job, ssh, rounds, folder),
                *forward_rows(muster, job, rounds)]


def exec_row(muster, job, ssh, rounds):
    """The whole command, from the shell's fork to its wait, connection and all."""
    row = Row("exec_true", "`exec JOB -- true`, whole command", "ms", [],
              "muster exec JOB -- true", limit=60)
    row.peers = {"ssh": []}
    for _ in range(4 * rounds):
        row.samples.append(1000 * peers.seconds_for(
            [muster.binary, "exec", job.name, "--", "true"], muster.environment))
        row.peers["ssh"].append(1000 * peers.seconds_for([*ssh, "true"]))
    return row


def copy_row(muster, job, ssh, rounds, folder):
    """From a task to a file here: what the disk does with it is the same for both."""
    source, target = folder / "copied", folder / "arrived"
    source.write_bytes(os.urandom(PIECE) * (COPIED // PIECE))
    row = Row("cp", "`cp` of 256 MiB from a task", "s", [], f"muster cp JOB:worker:0:{source} .")
    row.peers = {"ssh cat": []}
    for _ in range(rounds):
        row.samples.append(peers.seconds_for(
            [muster.binary, "cp", f"{job.name}:worker:0:{source}", str(target)],
            muster.environment))
        expect_same(source, target)
        row.peers["ssh cat"].append(peers.seconds_for(
            ["sh", "-c", 'exec "$@" > "$0"', str(target), *ssh, f"cat {source}"]))
        expect_same(source, target)
    source.unlink()
    return row


def expect_same(source, target):
    """The copy is whole; it is removed."""
    if source.stat().st_size != target.stat().st_size:
        raise RuntimeError(f"{target} is not a copy of {source}")
    target.unlink()


def forward_rows(muster, job, rounds):
    """A gibibyte from a program on the task's host to one here, in percent of what TCP alone
    does between the two."""
    direct = Row("forward", "forwarded TCP, beside TCP alone", "%", [],
                 "muster forward JOB 0:PORT", limit=80, at_least=True)
    relayed = Row("forward_relayed", "the same, relayed by the master", "%", [],
                  "muster forward --relay JOB 0:PORT", limit=60, at_least=True)
    with source_of(SENT) as port:
        alone = [seconds_to_take(port) for _ in range(rounds)]
        for row, options in ((direct, []), (relayed, ["--relay"])):
            with forwarded(muster, job, port, options) as here:
                row.samples = [100 * min(alone) / seconds_to_take(here) for _ in range(rounds)]
            row.note = f"TCP alone: {SENT / min(alone) / 1e9:.1f} GB/s"
    return [direct, relayed]


@contextlib.contextmanager
def source_of(size):
    """A port of this machine that gives so many bytes to each who connects."""
    data = bytes(PIECE)
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        for _ in range(size // PIECE):
                            connection.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


# In a process of its own: the one that sends has another.
TAKER = """
import socket, sys
buffer, taken = bytearray(1 << 20), 0
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    while got := connection.recv_into(buffer):
        taken += got
sys.exit(taken != int(sys.argv[2]))
"""


def seconds_to_take(port):
    return peers.seconds_for([sys.executable, "-c", TAKER, str(port), str(SENT)])


@contextlib.contextmanager
def forwarded(muster, job, port, options):
    """The port here that leads there."""
    with subprocess.Popen([muster.binary, "forward", *options, job.name, f"0:{port}"],
                          env=muster.environment, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield int(running.stdout.readline().split()[0].rpartition(":")[2])
        finally:
            running.terminate()


@contextlib.contextmanager
def ssh_server(folder):
    """An sshd of this measurement's own; yields the words that run a command by it."""
    # Its folder and those above must be nobody else's to write.
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place = pathlib.Path(name)
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / key],
                           check=True)
        (place / "authorized").write_text((place / "user.pub").read_text())
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        words = ["/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-p", str(port),
                 "-h", str(place / "host"), "-o", "ListenAddress=127.0.0.1", "-o", "UsePAM=no",
                 "-o", f"AuthorizedKeysFile={place / 'authorized'}", "-o", "StrictModes=no",
                 "-o", f"PidFile={place / 'pid'}", "-o", "MaxStartups=100"]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as server:
            ssh = ["ssh", "-q", "-F", "/dev/null", "-p", str(port), "-i", str(place / "user"),
                   "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                   "-o", "BatchMode=yes", "127.0.0.1"]
            try:
                wait_until(lambda: subprocess.run([*ssh, "true"], check=False).returncode == 0,
                           "sshd", step=0.1)
                yield ssh
            finally:
                server.terminate()
