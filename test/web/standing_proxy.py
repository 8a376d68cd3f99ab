"""A proxy in front of a job's page that outlives the job, as a resource manager's does.

It passes requests on, or answers every one of them itself, including those under way.
"""

import contextlib
import select
import socket
import socketserver
import threading
import urllib.parse

PAGE = (b"<!DOCTYPE html><html><head><title>All Applications</title></head>"
        b"<body>This application has ended.</body></html>")


def _response(status, *headers, body=PAGE):
    head = [f"HTTP/1.1 {status}", "Content-Type: text/html;charset=utf-8",
            f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


# What it answers itself, by the name of the mode. The other modes: "pass" passes requests on,
# "late" only those for the document and what belongs to it.
ANSWERS = {
    "page": _response("200 OK"),
    "redirect": _response("302 Found", "Location: /its-own/page"),
    "not_found": _response("404 Not Found"),
    "bad_gateway": _response("502 Bad Gateway"),
    "broken_json": _response("200 OK", body=b'{"version":').replace(b"text/html",
                                                                    b"application/json"),
}


class StandingProxy:
    """Serves on a port of its own, in front of `site` ("http://host:port"), until it is closed."""

    def __init__(self, site):
        parts = urllib.parse.urlsplit(site)
        self.mode = "pass"
        self._behind = (parts.hostname, parts.port)
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                with contextlib.suppress(OSError):
                    self.request.sendall(outer._answer(_read_request(self.request)))

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.site = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def _own_answer(self, request):
        first = request.split(b"\r\n", 1)[0]
        if b" /its-own/" in first or (self.mode == "late" and b"/api/" in first):
            return ANSWERS["page"]
        return ANSWERS.get(self.mode)

    def _answer(self, request):
        if (own := self._own_answer(request)) is not None:
            return own
        head, _, body = request.partition(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n")
                 if not line.lower().startswith(b"connection:")]
        with socket.create_connection(self._behind) as behind:
            behind.sendall(b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body)
            response = b""
            while (own := self._own_answer(request)) is None:
                if select.select([behind], [], [], 0.02)[0]:
                    piece = behind.recv(1 << 16)
                    if not piece:
                        return response
                    response += piece
        return own

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def _read_request(connection):
    request = b""
    while b"\r\n\r\n" not in request:
        piece = connection.recv(1 << 16)
        if not piece:
            raise ConnectionError("the client left")
        request += piece
    head, _, body = request.partition(b"\r\n\r\n")
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n")
                   if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        piece = connection.recv(1 << 16)
        request, body = request + piece, body + piece
    return request
