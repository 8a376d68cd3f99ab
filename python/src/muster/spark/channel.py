"""Messages between the driver and the containers of its job, over TCP.

JSON texts, each with a code that only holders of the container's key can make, so nothing sent by
anybody else is accepted, let alone unpickled. They are not secret; what must be secret is masked
(`Mask`). Both ends prove that they have the key before anything else is exchanged.
"""

from __future__ import annotations

import collections
import hashlib
import hmac
import json
import os
import random
import resource
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from muster.spark.errors import ChannelError

_MAGIC = b"muster-spark-1\n"
_NONCE = 32
_CODE = 32
_NAME_MOST = 64
_MESSAGE_MOST = 16 << 20
# To the driver, from a container, whose program has its key: last words and what comes with them.
_MESSAGE_UP_MOST = 1 << 20
# How long a container tries to get in, and how long one of its attempts may take.
_CONNECT_SECONDS = 60.0
_HANDSHAKE_SECONDS = 30.0
# How long the driver gives a connection to show its key.
_PROOF_SECONDS = 10.0
# Connections that have not yet shown their key. If there are more, the oldest of the address that
# has the most makes room, once it has had its time.
_UNPROVED_MOST = 256
_UNPROVED_SECONDS = 0.2
# Connections of one name, which have shown their key: a container has a holder and a node, and the
# final message of a node.
_PROVED_MOST = 8
# If descriptors, memory or threads have run out, some may be free after this pause.
_PAUSE_SECONDS = 0.05


def _unproved_most() -> int:
    """At most a quarter of the descriptors that this process may have: the rest is Spark's."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _UNPROVED_MOST if soft == resource.RLIM_INFINITY else min(_UNPROVED_MOST, soft // 4)


def _code(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def container_key(secret: bytes, container: str) -> bytes:
    """The key of one container, from the job's secret."""
    return _code(secret, b"container:", container.encode())


def new_secret() -> bytes:
    """A job's secret."""
    return os.urandom(32)


def mask(data: bytes, pad: bytes) -> bytes:
    """Hides `data`, or shows it again. A pad is random, as long as the data, and used once."""
    if len(data) != len(pad):
        raise ValueError(f"a pad of {len(pad)} bytes for {len(data)}")
    return bytes(a ^ b for a, b in zip(data, pad, strict=True))


class Channel:
    """One connection. Any thread may send; one receives."""

    def __init__(self, connection: socket.socket, name: str, keys: tuple[bytes, bytes],
                 from_container: bool = False):  # fmt: skip
        """For connect() and Server. `name` is the container's; `keys` are for sending and
        receiving. Messages that come `from_container` must be short, and objects of plain values:
        lists of lists would take fifty times the memory of their text.
        """
        self.name = name
        self._flat = from_container
        self._message_most = _MESSAGE_UP_MOST if from_container else _MESSAGE_MOST
        self._connection = connection
        self._send_key, self._receive_key = keys
        self._sent = 0
        self._received = 0
        self._lock = threading.Lock()

    @property
    def local_host(self) -> str:
        """This end's address."""
        return self._connection.getsockname()[0]

    def send(self, message: dict[str, Any]) -> bool:
        """Sends a message; false if the other side has gone."""
        data = json.dumps(message).encode()
        with self._lock:
            number = struct.pack(">Q", self._sent)
            self._sent += 1
            code = _code(self._send_key, number, data)
            try:
                self._connection.sendall(struct.pack(">I", len(data)) + code + data)
            except OSError:
                return False
        return True

    def receive(self, timeout: float | None = None) -> dict[str, Any] | None:
        """The next message, None at the end or after `timeout` seconds. ChannelError for a message
        that is not of this job.
        """
        try:
            self._connection.settimeout(timeout)
            head = _exactly(self._connection, 4 + _CODE)
            size = struct.unpack(">I", head[:4])[0]
            if size > self._message_most:
                raise ChannelError(f"a message of {size} bytes")
            data = _exactly(self._connection, size)
        except OSError:
            return None
        except EOFError:
            return None
        number = struct.pack(">Q", self._received)
        self._received += 1
        if not hmac.compare_digest(head[4:], _code(self._receive_key, number, data)):
            raise ChannelError("a message with a wrong authentication code")
        try:
            message = json.loads(data)
        except (ValueError, RecursionError) as failure:
            raise ChannelError("a message that is not JSON, or too deep") from failure
        if self._flat and not _is_flat(message):
            raise ChannelError("a message that is not an object of plain values")
        return message

    def close(self) -> None:
        """Ends the connection; a receive() in another thread returns."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._connection.close()


def _is_flat(message: Any) -> bool:
    return isinstance(message, dict) and not any(
        isinstance(value, dict | list) for value in message.values()
    )


def _exactly(connection: socket.socket, size: int, until: float | None = None) -> bytes:
    """Reads `size` bytes by `until` (monotonic), however slowly they come."""
    data = bytearray()
    while len(data) < size:
        if until is not None:
            connection.settimeout(max(0.001, until - time.monotonic()))
        piece = connection.recv(min(size - len(data), 1 << 16))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


def connect(address: tuple[str, int], name: str, key: bytes) -> Channel:
    """Connects to a driver's Server as container `name`. OSError if nothing listens there;
    ChannelError if it belongs to another job. An overloaded driver closes the connection before it
    has sent anything: it is tried again for a minute.
    """
    until = time.monotonic() + _CONNECT_SECONDS
    pause = 0.05
    while True:
        try:
            return _connect_once(address, name, key)
        except _TurnedAwayError:
            if time.monotonic() + pause > until:
                raise
        time.sleep(pause * random.uniform(0.5, 1.5))
        pause = min(2 * pause, 2.0)


class _TurnedAwayError(ChannelError):
    """The driver closed the connection before it proved who it is."""


def _connect_once(address: tuple[str, int], name: str, key: bytes) -> Channel:
    connection = socket.create_connection(tuple(address), timeout=_HANDSHAKE_SECONDS)
    try:
        nonce = os.urandom(_NONCE)
        title = name.encode()
        connection.sendall(_MAGIC + struct.pack(">B", len(title)) + title + nonce)
        theirs = _exactly(connection, _NONCE)
        both = nonce + theirs
        if not hmac.compare_digest(_exactly(connection, _CODE), _code(key, b"driver", both)):
            raise ChannelError(f"{address[0]}:{address[1]} is not this job's driver")
        connection.sendall(_code(key, b"peer", both))
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    except (EOFError, ConnectionResetError, BrokenPipeError) as failure:
        connection.close()
        raise _TurnedAwayError(f"{address[0]}:{address[1]} closed the connection") from failure
    except BaseException:
        connection.close()
        raise
    return Channel(connection, name, (_code(key, b"up", both), _code(key, b"down", both)))


class Server:
    """The driver's end: accepts every container that proves its key."""

    def __init__(self, secret: bytes, host: str, ports: list[int],
                 serve: Callable[[Channel], None]):  # fmt: skip
        """Listens on the first free of `ports` (0: any). `serve` runs in a thread of its own for
        each channel, which is closed when it returns.
        """
        self._secret = secret
        self._serve = serve
        # Those that have not shown their key, oldest first: their address and since when.
        self._unproved: dict[socket.socket, tuple[str, float]] = {}
        self._unproved_most = _unproved_most()
        self._open: set[Channel] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._listener = _listen(host, ports)
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        threading.Thread(target=self._accept, name="muster-accept", daemon=True).start()

    def close(self) -> None:
        """Ends every connection and stops listening."""
        with self._lock:
            self._closed = True
            channels = list(self._open)
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        for channel in channels:
            channel.close()

    def _accept(self) -> None:
        """Runs until the end: nothing that peers do, and no lack of resources, ends it sooner."""
        while True:
            try:
                connection, (source, *_) = self._listener.accept()
            except OSError:  # The end; else no descriptor is left, or the peer has left again.
                with self._lock:
                    if self._closed:
                        return
                    self._evict()
                time.sleep(_PAUSE_SECONDS)
                continue
            self._make_room()
            with self._lock:
                self._unproved[connection] = (source, time.monotonic())
            try:
                threading.Thread(
                    target=self._take, args=(connection,), name="muster-channel", daemon=True
                ).start()
            except RuntimeError:  # No more threads can be started.
                with self._lock:
                    self._unproved.pop(connection, None)
                connection.close()
                time.sleep(_PAUSE_SECONDS)

    def _make_room(self) -> None:
        """Waits until one more may come in."""
        while True:
            with self._lock:
                if len(self._unproved) < self._unproved_most or self._evict():
                    return
            time.sleep(0.01)

    def _evict(self) -> bool:
        """Ends the oldest connection of the address that holds the most places, if it has had its
        time. Requires the lock.
        """
        if not self._unproved:
            return False
        counts = collections.Counter(source for source, _ in self._unproved.values())
        greediest = max(counts, key=counts.__getitem__)
        oldest, (_, since) = next(
            item for item in self._unproved.items() if item[1][0] == greediest)
        if time.monotonic() - since < _UNPROVED_SECONDS:
            return False
        del self._unproved[oldest]
        _end(oldest)
        return True

    def _take(self, connection: socket.socket) -> None:
        try:
            channel = self._handshake(connection)
        except (OSError, EOFError, ChannelError, UnicodeDecodeError):
            with self._lock:
                self._unproved.pop(connection, None)
                connection.close()
            return
        with self._lock:
            self._unproved.pop(connection, None)
            of_its_name = sum(other.name == channel.name for other in self._open)
            welcome = not self._closed and of_its_name < _PROVED_MOST
            if welcome:
                self._open.add(channel)
        if not welcome:
            channel.close()
            return
        try:
            self._serve(channel)
        finally:
            with self._lock:
                self._open.discard(channel)
            channel.close()

    def _handshake(self, connection: socket.socket) -> Channel:
        until = time.monotonic() + _PROOF_SECONDS
        if _exactly(connection, len(_MAGIC), until) != _MAGIC:
            raise ChannelError("not one of ours")
        size = _exactly(connection, 1, until)[0]
        if size > _NAME_MOST:
            raise ChannelError("a name too long")
        name = _exactly(connection, size, until).decode()
        theirs = _exactly(connection, _NONCE, until)
        nonce = os.urandom(_NONCE)
        both = theirs + nonce
        key = container_key(self._secret, name)
        connection.sendall(nonce + _code(key, b"driver", both))
        if not hmac.compare_digest(_exactly(connection, _CODE, until), _code(key, b"peer", both)):
            raise ChannelError("a wrong key")
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        keys = _code(key, b"down", both), _code(key, b"up", both)
        return Channel(connection, name, keys, from_container=True)


def _end(connection: socket.socket) -> None:
    """Ends a connection that another thread reads; that thread closes it."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _listen(host: str, ports: list[int]) -> socket.socket:
    failure: OSError | None = None
    for port in ports:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(1024)
        except OSError as error:
            listener.close()
            failure = error
            continue
        return listener
    raise OSError(f"unable to bind to any ports: {ports} on {host}: {failure}") from failure
