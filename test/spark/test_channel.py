"""The channel between driver and containers: who gets in, and what is believed."""

import contextlib
import queue
import socket
import struct
import subprocess
import sys
import threading
import time

import pytest

from muster.spark.channel import (
    Channel,
    Server,
    _code,
    connect,
    container_key,
    mask,
    new_secret,
)
from muster.spark.errors import ChannelError

WAIT_SECONDS = 60


@pytest.fixture
def heard():
    return queue.Queue()


@pytest.fixture
def secret():
    return new_secret()


@pytest.fixture
def server(secret, heard):
    def serve(channel):
        with contextlib.suppress(ChannelError):
            while (message := channel.receive()) is not None:
                heard.put((channel.name, message))
                channel.send({"heard": message})

    one = Server(secret, "127.0.0.1", [0], serve)
    yield one
    one.close()


def test_both_ends_prove_that_they_have_the_key(server, secret, heard):
    channel = connect(server.address, "c1", container_key(secret, "c1"))
    assert channel.send({"is": "here", "number": 7})
    assert heard.get(timeout=WAIT_SECONDS) == ("c1", {"is": "here", "number": 7})
    assert channel.receive() == {"heard": {"is": "here", "number": 7}}
    channel.close()


@pytest.mark.parametrize("name", ["c1", "c2"])
def test_the_key_of_another_container_or_job_opens_nothing(server, secret, name):
    wrong = container_key(new_secret(), name) if name == "c1" else container_key(secret, "c1")
    with pytest.raises(ChannelError, match="not this job's driver"):
        connect(server.address, name, wrong)


def test_who_speaks_something_else_is_cut_off(server, heard):
    with socket.create_connection(server.address, timeout=WAIT_SECONDS) as peer:
        peer.sendall(b"GET / HTTP/1.1\n")
        assert peer.recv(100) == b""
    assert heard.empty()


def test_a_driver_without_the_key_is_not_believed():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        backlog = []

        def pretend():
            connection, _ = listener.accept()
            backlog.append(connection)
            connection.sendall(b"x" * 64)

        thread = threading.Thread(target=pretend)
        thread.start()
        with pytest.raises(ChannelError, match="not this job's driver"):
            connect(address, "c1", container_key(new_secret(), "c1"))
        thread.join()
        backlog[0].close()


def test_a_changed_or_repeated_message_is_not_believed():
    ours, theirs = socket.socketpair()
    sender = Channel(ours, "c1", (b"up" * 16, b"down" * 8))
    sender.send({"do": "release"})
    whole = theirs.recv(1000)
    for data in (whole.replace(b"release", b"launch!"), whole + whole):
        first, second = socket.socketpair()
        receiver = Channel(second, "c1", (b"down" * 8, b"up" * 16))
        first.sendall(data)
        with pytest.raises(ChannelError, match="wrong authentication code"):
            receiver.receive()
            receiver.receive()
        receiver.close()
        first.close()
    sender.close()
    theirs.close()


def test_a_closed_server_ends_every_connection(server, secret):
    channel = connect(server.address, "c1", container_key(secret, "c1"))
    server.close()
    assert channel.receive() is None


def test_a_mask_hides_and_shows():
    pad, key = new_secret(), new_secret()
    assert mask(key, pad) != key
    assert mask(mask(key, pad), pad) == key
    with pytest.raises(ValueError, match="a pad of 31 bytes for 32"):
        mask(key, pad[1:])


def test_ports_that_are_taken_are_told(secret):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="unable to bind to any ports"):
            Server(secret, "127.0.0.1", [port], lambda channel: None)


def test_a_thousand_idle_connections_keep_no_container_out(server, secret, heard):
    idle = []
    for _ in range(1000):
        peer = socket.socket()
        peer.setblocking(False)
        peer.connect_ex(server.address)
        idle.append(peer)
    begun = time.monotonic()
    channel = connect(server.address, "c1", container_key(secret, "c1"))
    assert time.monotonic() - begun < WAIT_SECONDS / 4
    assert channel.send({"is": "here"})
    assert heard.get(timeout=WAIT_SECONDS) == ("c1", {"is": "here"})
    channel.close()
    for peer in idle:
        peer.close()


def test_a_container_has_few_connections(server, secret):
    """A program has its container's key, and could flood the driver with connections."""
    key = container_key(secret, "c1")
    opened = [connect(server.address, "c1", key) for _ in range(20)]
    alive = []
    for channel in opened:
        if channel.send({"is": "here"}) and channel.receive(WAIT_SECONDS) is not None:
            alive.append(channel)
    assert len(alive) == 8
    other = connect(server.address, "c2", container_key(secret, "c2"))
    assert other.send({"is": "here"}) and other.receive(WAIT_SECONDS) is not None
    for channel in [*opened, other]:
        channel.close()


def test_what_is_too_deep_ends_a_connection(server, secret):
    channel = connect(server.address, "c1", container_key(secret, "c1"))
    data = b"[" * 100_000
    code = _code(channel._send_key, struct.pack(">Q", 0), data)
    channel._connection.sendall(struct.pack(">I", len(data)) + code + data)
    assert channel.receive(WAIT_SECONDS) is None
    channel.close()


@pytest.mark.parametrize(("data", "size"), [
    (b"", 2 << 20), (b'{"is": "node", "rows": [[], []]}', 32), (b'{"is": {}}', 10), (b"7", 1)])
def test_a_container_says_nothing_long_to_the_driver(server, secret, heard, data, size):
    """A program has its container's key: the driver reserves no memory for what it begins to send,
    and accepts no nested lists."""
    channel = connect(server.address, "c1", container_key(secret, "c1"))
    code = _code(channel._send_key, struct.pack(">Q", 0), data)
    channel._connection.sendall(struct.pack(">I", size) + code + data)
    channel._connection.settimeout(WAIT_SECONDS)
    assert channel._connection.recv(1) == b""
    assert heard.empty()
    channel.close()


def test_last_words_are_heard_whole(server, secret, heard):
    channel = connect(server.address, "c1", container_key(secret, "c1"))
    words = "\N{OWL}" * (64 << 10)  # Twelve bytes each, as JSON.
    assert channel.send({"is": "exit", "words": words, "failed": True})
    assert heard.get(timeout=WAIT_SECONDS)[1]["words"] == words
    channel.close()


# A driver whose process may have few descriptors. Prints where it listens, and ends with its input.
POOR_DRIVER = """
import resource, sys
from muster.spark.channel import Server
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
held = [open("/dev/null") for _ in range(int(sys.argv[2]))]
server = Server(bytes.fromhex(sys.argv[1]), "127.0.0.1", [0], lambda channel: channel.receive())
print(server.address[1], flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("files", [0, 28])
def test_a_driver_without_descriptors_goes_on_listening(secret, files):
    """Whether idle connections hold them all, or its own files do."""
    driver = subprocess.Popen([sys.executable, "-c", POOR_DRIVER, secret.hex(), str(files)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    address = ("127.0.0.1", int(driver.stdout.readline()))
    idle = [socket.create_connection(address) for _ in range(100)]
    channel = connect(address, "c1", container_key(secret, "c1"))
    assert channel.send({"is": "here"})
    channel.close()
    for peer in idle:
        peer.close()
    driver.stdin.close()
    assert driver.wait(WAIT_SECONDS) == 0
    driver.stdout.close()


def test_a_container_that_is_turned_away_comes_again(secret):
    """A crowded driver closes a connection before it has said anything."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    servers = []

    def turn_away_twice():
        for _ in range(2):
            listener.accept()[0].close()
        listener.close()
        servers.append(Server(secret, address[0], [address[1]], lambda channel: channel.receive()))

    thread = threading.Thread(target=turn_away_twice)
    thread.start()
    try:
        channel = connect(address, "c1", container_key(secret, "c1"))
    except ConnectionRefusedError:  # Between the two listeners.
        thread.join()
        channel = connect(address, "c1", container_key(secret, "c1"))
    thread.join()
    assert channel.name == "c1"
    channel.close()
    servers[0].close()
