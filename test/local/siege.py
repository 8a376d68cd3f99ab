"""A job under attack, wherever it runs: what must hold meanwhile, and what nobody may find.

attacks.py has the attacks. test_strangers.py here, test/hadoop/test_yarn_strangers.py and
test/spark/test_strangers.py carry out all of them on a small scale; `make soak` sets
MUSTER_ATTACK_SIZE and repeats them with as many connections as the host allows.
"""

import contextlib
import hashlib
import hmac
import http.client
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

import attacks
import harness

SIZE = int(os.environ.get("MUSTER_ATTACK_SIZE", "1500"))
ANSWER_MAX = 2.0


@contextlib.contextmanager
def attack(kind, place, count=SIZE, path=None):
    """Attacks a port, (host, number), for a while."""
    host, port = place
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    words = [kind, str(port), str(min(count, most - 100)), host]
    attacker = subprocess.Popen(
        [sys.executable, attacks.__file__, *words, *([path] if path else [])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
    try:
        assert attacker.stdout.readline() == "attacking\n"
        yield
    finally:
        attacker.stdin.close()
        attacker.wait()
        attacker.stdout.close()


def resident_kib(pid, row="VmRSS"):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{row}:\s+(\d+) kB", status)[1])


def patience():
    """How long an answer may take: longer if others use the processors, too."""
    return ANSWER_MAX * max(1.0, os.getloadavg()[0] / os.cpu_count())


def hold_out(kind, places, pids, stop, meanwhile=lambda: None):
    """Attacks the places of a job, and `stop`s it under that attack; for a portal, `stop` sends it
    a request instead.

    `places` are pairs of a place and the arguments that `attack` takes for it. `meanwhile` is done
    before the stop, and everybody whom it concerns must be let in; `pids` are those of the job's
    processes that live to the end of the attack.
    """
    # The peak so far, not what is resident now: kernels take pages away from idle processes, and an
    # attack makes them be read again.
    idle = {pid: resident_kib(pid, "VmHWM") for pid in pids}
    for pid in pids:
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")  # Resets VmHWM.
    with contextlib.ExitStack() as attackers:
        for place, options in places:
            attackers.enter_context(attack(kind, place, **options))
        meanwhile()
        peaks = {pid: resident_kib(pid, "VmHWM") for pid in pids}
        begun = time.monotonic()
        stop()
        took = time.monotonic() - begun
    # `make soak` keeps these figures; a test asserts only what must hold even on a busy machine.
    growth = max(peak / idle[pid] for pid, peak in peaks.items())
    print(f"siege: {kind}: stop {took:.2f} s, memory {growth:.2f} x idle, "
          f"load {os.getloadavg()[0]:.1f}")
    assert took < patience(), f"under {kind}, muster stop took {took:.1f} s"
    for pid, peak in peaks.items():
        assert peak < 2 * idle[pid], f"under {kind}, {idle[pid]} KiB grew to {peak} KiB"


def place_of(pid):
    """A port of a process, as others on this machine reach it."""
    host, port = harness.listening(pid)[0]
    return ("127.0.0.1" if host == "0.0.0.0" else host, port)


def ask(place, method, target, headers=None, body=None):
    """Returns status and body of one request, without following anything."""
    connection = http.client.HTTPConnection(*place, timeout=harness.PATIENCE)
    try:
        connection.request(method, target, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def certificate(folder):
    """Makes a certificate of 127.0.0.1; returns its file, which is its own authority, and that of
    its key.
    """
    chain, key = folder / "chain.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=here",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain],
                   check=True, capture_output=True)
    return chain, key


def keys_of(secret, containers=()):
    """Every key that opens something of a job, derived from its secret (src/control/keys.h)."""
    labels = ["owner", "viewer", "page token", "page path", "page owner", "task key"]
    keys = {label: expand(secret, label) for label in labels}
    for name in containers:
        keys[f"agent:{name}"] = expand(secret, f"agent:{name}")
        for label in ("master", "side path"):
            keys[f"{label} of {name}"] = expand(keys[f"agent:{name}"], label)
    return {"secret": secret, **keys}


def expand(key, label):
    """HKDF-SHA256 without salt."""
    extracted = hmac.digest(bytes(32), key, hashlib.sha256)
    return hmac.digest(extracted, f"muster/1 {label}".encode() + b"\x01", hashlib.sha256)


SEEKS = r"""
import os, sys
keys = [bytes.fromhex(line) for line in sys.stdin.read().split()]
pids, folders = sys.argv[1].split(), sys.argv[2:]
sought = [form for key in keys for form in (key, key.hex().encode())]
print("seeks", flush=True)

def look(path, what="found a key in"):
    try:
        with open(path, "rb") as file:
            data = file.read(4 << 20)
    except OSError:
        return
    if any(one in data for one in sought):
        print(what, path, flush=True)

for folder in folders:
    for place, _, names in os.walk(folder):
        for name in names:
            look(os.path.join(place, name))
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    look(f"/proc/{pid}/environ")
    look(f"/proc/{pid}/cmdline")
for pid in pids:
    for name in ("environ", "mem", "maps", "fd/0"):
        try:
            with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
                # Kernels differ: what may not be seen cannot be opened, or is empty.
                if name in ("environ", "maps") and not file.read(1):
                    continue
            words = open(f"/proc/{pid}/cmdline").read().split("\0")
            print(f"opened {name} of", os.path.basename(words[0]), *words[1:3], flush=True)
        except OSError:
            pass
"""

# Root like the tests, but with no more power over other processes than any other user.
AS_THE_SAME_USER = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
AS_ANOTHER_USER = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]

# Connects to places on this host, ports and paths of Unix sockets, and reports for each what comes
# unasked within five seconds: its first byte, that it was closed, or the name of an error.
LISTENS = """
import socket, sys
for place in sys.argv[1:]:
    try:
        with socket.socket(socket.AF_UNIX if "/" in place else socket.AF_INET) as peer:
            peer.settimeout(10)
            peer.connect(place if "/" in place else ("127.0.0.1", int(place)))
            peer.settimeout(5)
            print(peer.recv(1).hex() or "closed")
    except ConnectionResetError:
        print("closed")
    except OSError as error:
        print(type(error).__name__)
"""


def heard_at(places, *who):
    """Returns what `who` (a command that runs another), or else this user, hears at each of the
    places."""
    done = subprocess.run([*who, sys.executable, "-c", LISTENS, *map(str, places)], check=True,
                          capture_output=True, text=True, timeout=harness.PATIENCE)
    return done.stdout.split()


def seek(who, keys, pids, *folders):
    """Returns what somebody on this machine finds who searches these folders and all processes for
    the keys, and tries to open some of Muster's own processes. The keys are passed through a pipe.
    """
    assert keys and pids and all(pathlib.Path(f"/proc/{pid}").exists() for pid in pids)
    told = "\n".join(key.hex() for key in keys)
    done = subprocess.run([*who, sys.executable, "-c", SEEKS, " ".join(map(str, pids)),
                           *map(str, folders)], text=True, input=told, capture_output=True,
                          timeout=harness.PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    first, *told = done.stdout.splitlines()
    assert first == "seeks"
    return told


# Prints endlessly without a line end, and leaves daemons behind: the worst a program does to its
# agent.
HOSTILE = """
import os, subprocess, sys
for _ in range(3):
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
print("up", flush=True)
while True:
    os.write(1, b"\\x1b]0;mine\\x07" + b"x" * 65536)
"""
