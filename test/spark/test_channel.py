"""The channel between driver and containers: who gets in, and what is believed."""

import queue
import socket
import threading
import time

import pytest

from muster.spark.channel import Channel, Server, connect, container_key, mask, new_secret
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
