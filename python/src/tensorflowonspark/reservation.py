"""Nodes register with the driver and wait until all of them have.

One JSON text per message, with its length before it: nothing that comes over the network is
unpickled. Bytes in a node's data travel as base64.
"""

import base64
import json
import logging
import os
import socket
import struct
import threading
import time

from . import util

logger = logging.getLogger(__name__)

TFOS_SERVER_PORT = "TFOS_SERVER_PORT"
TFOS_SERVER_HOST = "TFOS_SERVER_HOST"
BUFSIZE = 1024
MAX_RETRIES = 3
_MOST_BYTES = 16 << 20
_BACKLOG = 1024
_BYTES_KEY = "__bytes__"
_TUPLE_KEY = "__tuple__"


def _to_json(value):
    if isinstance(value, bytes | bytearray):
        return {_BYTES_KEY: base64.b64encode(value).decode()}
    if isinstance(value, tuple):
        return {_TUPLE_KEY: [_to_json(item) for item in value]}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _to_json(item) for key, item in value.items()}
    return value


def _from_json(value):
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {_BYTES_KEY}:
            return base64.b64decode(value[_BYTES_KEY])
        if value.keys() == {_TUPLE_KEY}:
            return tuple(_from_json(item) for item in value[_TUPLE_KEY])
        return {key: _from_json(item) for key, item in value.items()}
    return value


def ports_of(spec):
    """The ports that a text like "9999" or "9997-9999" means; [0], any free one, for none."""
    if not spec:
        return [0]
    first, dash, last = spec.partition("-")
    try:
        ports = list(range(int(first), int(last if dash else first) + 1))
    except ValueError:
        ports = []
    if not ports or ports[0] < 1 or ports[-1] > 65535:
        raise Exception(f"Invalid {TFOS_SERVER_PORT}: {spec}")
    return ports


def _is_same_node(meta, other):
    number = meta.get("executor_id") if isinstance(meta, dict) else None
    return number is not None and number == other.get("executor_id")


class Reservations:
    """Which nodes have registered, and whether those are all. For any thread."""

    def __init__(self, required):
        self.required = required
        self.reservations = []
        self.changed = threading.Condition(threading.RLock())

    def add(self, meta):
        """Takes one node's data, replacing what the same node registered before."""
        with self.changed:
            for index, other in enumerate(self.reservations):
                if _is_same_node(meta, other):
                    self.reservations[index] = meta
                    return
            self.reservations.append(meta)
            self.changed.notify_all()

    def done(self):
        """Whether as many registered as are required."""
        with self.changed:
            return len(self.reservations) >= self.required

    def get(self):
        """The live list."""
        with self.changed:
            return self.reservations

    def remaining(self):
        """How many are missing."""
        with self.changed:
            return self.required - len(self.reservations)

    def wait(self, timeout):
        """Waits until done; false if that took longer than `timeout` seconds (None: for ever)."""
        with self.changed:
            return self.changed.wait_for(self.done, timeout)


class MessageSocket:
    """Complete messages over a stream."""

    def receive(self, sock):
        """The next message. Exception if the other side has closed or sends something else."""
        size = struct.unpack(">I", self._exactly(sock, 4))[0]
        if size > _MOST_BYTES:
            raise Exception(f"a message of {size} bytes: the other side is not TensorFlowOnSpark")
        return _from_json(json.loads(self._exactly(sock, size)))

    def send(self, sock, msg):
        """Sends one message."""
        data = json.dumps(_to_json(msg)).encode()
        sock.sendall(struct.pack(">I", len(data)) + data)

    @staticmethod
    def _exactly(sock, size):
        data = bytearray()
        while len(data) < size:
            piece = sock.recv(min(size - len(data), 1 << 16))
            if not piece:
                raise Exception("socket closed")
            data += piece
        return bytes(data)


class Server(MessageSocket):
    """The driver's side."""

    reservations = None
    done = False

    def __init__(self, count):
        """Waits for `count` nodes."""
        assert count > 0, "Expected reservations must be positive"
        self.reservations = Reservations(count)
        self.done = False
        self._listener = None
        self._stopped = threading.Event()

    def get_server_ip(self):
        """What nodes connect to: $TFOS_SERVER_HOST, else this host's address."""
        return os.environ.get(TFOS_SERVER_HOST) or util.get_ip_address()

    def get_server_ports(self):
        """Ports to try, from $TFOS_SERVER_PORT ("9999" or "9997-9999"); [0]: any free one."""
        return ports_of(os.environ.get(TFOS_SERVER_PORT))

    def start_listening_socket(self):
        """A listening socket on the first free port; Exception if all are taken."""
        for port in self.get_server_ports():
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("", port))
                listener.listen(_BACKLOG)
            except OSError as failure:
                listener.close()
                logger.warning("port %d cannot be used: %s", port, failure)
                continue
            self._listener = listener
            return listener
        raise Exception(f"unable to bind to any ports: {self.get_server_ports()}")

    def start(self):
        """Listens in the background and returns (host, port)."""
        listener = self.start_listening_socket()
        address = (self.get_server_ip(), listener.getsockname()[1])
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        logger.info("listening for reservations at %s", address)
        return address

    def await_reservations(self, sc=None, status=None, timeout=600):
        """Waits until all nodes registered and returns the list. Exits with 1, with `sc` stopped,
        if `status` gets an 'error' meanwhile; Exception after `timeout` seconds.
        """
        status = {} if status is None else status
        deadline = time.monotonic() + timeout
        while not self.reservations.wait(1.0):
            logger.info("waiting for %d reservations", self.reservations.remaining())
            if "error" in status:
                logger.error("a node failed: %s", status["error"])
                if sc is not None:
                    sc.cancelAllJobs()
                    sc.stop()
                raise SystemExit(1)
            if time.monotonic() > deadline:
                raise Exception(
                    f"timed out waiting for reservations: {self.reservations.remaining()} of "
                    f"{self.reservations.required} nodes missing after {timeout} s"
                )
        return self.reservations.get()

    def stop(self):
        """Closes the port."""
        self.done = True
        self._stopped.set()
        if self._listener is not None:
            # Closing alone would leave a thread in accept.
            try:
                self._listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self._listener.close()

    def _accept(self, listener):
        while not self._stopped.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            while True:
                try:
                    message = self.receive(connection)
                    self._answer(connection, message)
                except Exception as failure:
                    logger.debug("a client disconnected: %s", failure)
                    return

    def _answer(self, connection, message):
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == "REG":
            self.reservations.add(message["data"])
            self.send(connection, "OK")
        elif kind == "QUERY":
            self.send(connection, self.reservations.done())
        elif kind == "AWAIT":
            # At most this long each, so that a client's own deadline holds.
            self.send(connection, self.reservations.wait(10.0))
        elif kind == "QINFO":
            self.send(connection, list(self.reservations.get()))
        elif kind == "STOP":
            self.done = True
            self.send(connection, "OK")
        else:
            self.send(connection, "ERR")


class Client(MessageSocket):
    """A node's side."""

    sock = None
    server_addr = None

    def __init__(self, server_addr):
        """Connects to a Server's (host, port)."""
        self.server_addr = tuple(server_addr)
        self.sock = socket.create_connection(self.server_addr)

    def _request(self, kind, data=None):
        for attempt in range(1, MAX_RETRIES + 1):
            try:
                self.send(self.sock, {"type": kind, "data": data})
                break
            except OSError as failure:
                if attempt == MAX_RETRIES:
                    raise
                logger.warning("lost the connection to the driver, retrying: %s", failure)
                self.sock.close()
                self.sock = socket.create_connection(self.server_addr)
        # Not sent again from here on: the server may have taken it.
        return self.receive(self.sock)

    def register(self, reservation):
        """Registers this node; returns 'OK'."""
        return self._request("REG", reservation)

    def get_reservations(self):
        """All nodes that have registered so far."""
        return self._request("QINFO")

    def await_reservations(self):
        """Waits until all have registered and returns the list."""
        while not self._request("AWAIT"):
            pass
        return self.get_reservations()

    def request_stop(self):
        """Sets the server's `done` flag: used to end a stream. A cluster of TFCluster.run() accepts
        this only from programs of the user who runs it.
        """
        from muster.spark import stop_key

        if stop_key.stop_stream(self.server_addr):
            return "OK"
        return self._request("STOP")

    def close(self):
        """Closes the connection."""
        self.sock.close()
