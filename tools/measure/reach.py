"""Figures of reaching into tasks on this machine, beside ssh to it and TCP without anything."""

import contextlib
import os
import pathlib
import shutil
import socket
import statistics
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
PUMP, PUMPS = "socat with TLS", "socat with TLS twice"
LINK_1G, LINK_10G = 125, 1250  # MB/s


def reach(muster, rounds, folder):
    with muster.job(1, "exec sleep 3600") as job, ssh_server(folder) as ssh:
        job.wait_for("attempt-started")
        return [exec_row(muster, job, ssh, rounds), copy_row(muster, job, ssh, rounds, folder),
                *forward_rows(muster, job, ssh, rounds, folder)]


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


def forward_rows(muster, job, ssh, rounds, folder):
    """A gibibyte from a program on the task's host to one here, all ways in turn. Each way but the
    bare one encrypts, and the bytes cross the loopback three times, relayed four times."""
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(source_of(SENT))
        direct, client = stack.enter_context(forwarded(muster, job, port, []))
        relayed, relay_client = stack.enter_context(forwarded(muster, job, port, ["--relay"]))
        (agent, _), = job.agents()
        ways = {"TCP alone": (port, {}),
                "direct": (direct, {"client": client, "agent": agent}),
                "relayed": (relayed, {"client": relay_client, "master": job.master_pid(),
                                      "agent": agent}),
                "ssh -L": (stack.enter_context(by_ssh(ssh, port, [])), {}),
                "ssh -L, AES-GCM": (stack.enter_context(
                    by_ssh(ssh, port, ["-c", "aes128-gcm@openssh.com"])), {})}
        if shutil.which("socat"):
            pump = stack.enter_context(TlsPumps(folder))
            ways[PUMP] = (pump.once(port), {})
            ways[PUMPS] = (pump.twice(port), {})
        rates = {name: [] for name in ways}
        used = {name: [] for name in ways}
        for _ in range(rounds):
            for name, (here, processes) in ways.items():
                before = {who: processor_seconds(pid) for who, pid in processes.items()}
                rates[name].append(SENT / seconds_to_take(here) / 1e6)
                used[name].append({who: (processor_seconds(pid) - before[who]) / SENT * 1e9
                                   for who, pid in processes.items()})
    ssh_ways = ["TCP alone", "ssh -L", "ssh -L, AES-GCM"]
    return [forward_row("forward", "forwarded TCP", "muster forward JOB 0:PORT", rates, used,
                        "direct", [*ssh_ways, PUMP], 0.8),
            forward_row("forward_relayed", "forwarded TCP, relayed by the master",
                        "muster forward --relay JOB 0:PORT", rates, used, "relayed",
                        [*ssh_ways, PUMP, PUMPS], 0.6)]


def forward_row(key, what, command, rates, used, way, others, share):
    """The limit is a share of what a pump with the same cipher does on these cores (ADR 0029)."""
    pump = rates.get(PUMP)
    row = Row(key, what, "MB/s", rates[way], command,
              limit=share * statistics.median(pump) if pump else None, at_least=True)
    row.peers = {name: rates[name] for name in others if name in rates}
    alone = statistics.median(rates["TCP alone"])
    seconds = ", ".join(f"{who} {statistics.median(each[who] for each in used[way]):.2f}"
                        for who in used[way][0])
    row.note = (f"{100 * row.median / alone:.0f} % of TCP alone; fills "
                f"{min(100, 100 * row.median / LINK_1G):.0f} % of a link of 1 Gbit/s and "
                f"{min(100, 100 * row.median / LINK_10G):.0f} % of one of 10 Gbit/s; processor "
                f"seconds for a GB: {seconds}")
    return row


def processor_seconds(pid):
    """What a process has used so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
import socket, sys, time
buffer, taken = bytearray(1 << 20), 0
began = time.perf_counter()
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    while got := connection.recv_into(buffer):
        taken += got
print(time.perf_counter() - began)
sys.exit(taken != int(sys.argv[2]))
"""


def seconds_to_take(port):
    done = subprocess.run([sys.executable, "-c", TAKER, str(port), str(SENT)], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=120)
    return float(done.stdout)


@contextlib.contextmanager
def forwarded(muster, job, port, options):
    """The port here that leads there, and the client's process."""
    with subprocess.Popen([muster.binary, "forward", *options, job.name, f"0:{port}"],
                          env=muster.environment, stdout=subprocess.PIPE, text=True) as running:
        try:
            here = int(running.stdout.readline().split()[0].rpartition(":")[2])
            yield here, running.pid
        finally:
            running.terminate()


@contextlib.contextmanager
def by_ssh(ssh, port, options):
    """The port here that leads there by ssh."""
    here = free_port()
    with subprocess.Popen([*ssh[:-1], *options, "-N", "-L", f"127.0.0.1:{here}:127.0.0.1:{port}",
                           ssh[-1]]) as running:
        try:
            wait_until(lambda: is_listened_on(here), "ssh -L", step=0.1)
            yield here
        finally:
            running.terminate()


class TlsPumps:
    """Pairs of socat with TLS between them: no frames, no credit, no keys of a job's own, but the
    same cipher. They are gone at the end of the block."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []
        key = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
               "-nodes", "-subj", "/CN=localhost", "-days", "1", "-keyout", folder / "pump.key",
               "-out", folder / "pump.crt"]
        subprocess.run(key, check=True, stderr=subprocess.DEVNULL)
        settings = folder / "pump.cnf"
        settings.write_text("openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\n"
                            "system_default = tls\n[tls]\nMinProtocol = TLSv1.3\n"
                            "Ciphersuites = TLS_AES_128_GCM_SHA256\n")
        self.environment = dict(os.environ, OPENSSL_CONF=str(settings))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.terminate()
            process.wait()

    def once(self, port):
        """A port that leads to that one, over TLS."""
        return self.plain_to(self.tls_to(f"TCP4:127.0.0.1:{port}"))

    def twice(self, port):
        """The same, decrypted and encrypted again on the way."""
        last = self.tls_to(f"TCP4:127.0.0.1:{port}")
        return self.plain_to(self.tls_to(self.to_tls(last)))

    def tls_to(self, target):
        here = free_port()
        return self.start(here, f"OPENSSL-LISTEN:{here},bind=127.0.0.1,reuseaddr,fork,verify=0,"
                                f"key={self.folder / 'pump.key'},cert={self.folder / 'pump.crt'}",
                          target)

    def plain_to(self, tls):
        here = free_port()
        return self.start(here, f"TCP4-LISTEN:{here},bind=127.0.0.1,reuseaddr,fork",
                          self.to_tls(tls))

    @staticmethod
    def to_tls(port):
        return f"OPENSSL:127.0.0.1:{port},verify=0"

    def start(self, here, listens, target):
        self.running.append(subprocess.Popen(["socat", "-b", str(PIECE), listens, target],
                                             env=self.environment))
        wait_until(lambda: is_listened_on(here), "socat", step=0.1)
        return here


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def is_listened_on(port):
    """Without a connection, which would be passed on."""
    wanted = f"0100007F:{port:04X}"
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    return any(line.split()[1] == wanted and line.split()[3] == "0A" for line in lines)


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
        port = free_port()
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
