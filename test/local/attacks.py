"""What an unauthenticated peer can do to a port: `attacks.py KIND PORT COUNT [HOST]`.

Writes "attacking" once the attack is under way, and goes on until its standard input ends. Needs
nothing of the job: no key, no name, no file. Used by test_strangers.py here and on clusters.
"""

import os
import select
import socket
import sys
import threading

HELLO_BEGUN = b"\x16\x03\x01\x01\x00"


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


def in_threads(work, count):
    for _ in range(count):
        threading.Thread(target=work, daemon=True).start()
    yield


KINDS = {attack.__name__: attack
         for attack in (silent, half_hello, half_request, pipelined, unread, garbage)}


def main(kind, port, count, host="127.0.0.1"):
    def ends_with_input():
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=ends_with_input, daemon=True).start()
    for _ in KINDS[kind]((host, int(port)), int(count)):
        print("attacking", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
