"""A server in the middle: passes bytes on, and can lose or hold back answers."""

import contextlib
import socket
import threading


class Relay:
    """Listens on a port of its own in place of a server on this machine.

    While `losing` is set, the first answer that comes is thrown away and its connection closed, as
    a broken network would do; then `lost` is set, and with `dies` nobody listens here any longer.
    The answer to a request with the bytes `stalls_at` is held back, as is every later one;
    `stalled` is set when that answer has come. Not before: a daemon may skip the request of a
    client that was gone before its turn.
    """

    def __init__(self, port, dies=False, stalls_at=None):
        self.target, self.dies, self.stalls_at = port, dies, stalls_at
        self.losing, self.lost = threading.Event(), threading.Event()
        self.asked, self.stalled = threading.Event(), threading.Event()
        self.stopped = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.stopped.set()
        # Wakes accept(), which close() alone would not.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
                for source, sink, answers in ((client, server, False), (server, client, True)):
                    threading.Thread(target=self.pass_on, args=(source, sink, answers),
                                     daemon=True).start()

    def pass_on(self, source, sink, answers):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if answers and self.losing.is_set():
                    self.losing.clear()
                    if self.dies:
                        self.stop()
                    self.lost.set()
                    break
                if self.stalls_at and not answers and self.stalls_at in data:
                    self.asked.set()
                if answers and self.asked.is_set():
                    self.stalled.set()
                    self.stopped.wait()
                    break
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
