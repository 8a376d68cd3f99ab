"""A job's page with a made-up job, for sizes that no test can run."""

import contextlib
import http.server
import json
import math
import re
import threading
import time
import urllib.parse

import harness

WEB = harness.REPOSITORY / "portal" / "web"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript"}
BEGIN_S = 1_800_000_000


def status_of(roles, phase="running", outcome=None):
    """The status of a job with `roles`: name to a list of states."""
    def task(index, state):
        return {"index": index, "state": state, "attempts": 0 if state == "waiting" else 1,
                "host": f"h{index % 97}", "exit_code": 1 if state == "failed" else None,
                "signal": None}

    return {"schema": "muster.status/1", "job": "big-abc123", "name": "big", "on": "local",
            "application_id": None, "phase": phase, "generation": 1, "outcome": outcome,
            "roles": {name: {"tasks": [task(i, state) for i, state in enumerate(states)]}
                      for name, states in roles.items()},
            "endpoints": {}, "timeline": [], "waits_for": None, "log_trouble": None,
            "started": "2027-01-15T08:00:00.000Z", "ended": None}


class Held:
    """An answer that is not given before `go` is set; `came`: somebody waits for it."""

    def __init__(self, place):
        self.place, self.came, self.go = place, threading.Event(), threading.Event()


class FakeSite:
    """Serves the page as its attributes say, on a port of its own, until it is closed."""

    def __init__(self, status, events=(), size=0, line=None, series=(), held=False,
                 looks=math.inf):
        """`looks`: so often the bare status is told; after that the master has left."""
        self.status, self.events, self.size, self.series = status, list(events), size, list(series)
        self.line = line or (lambda number: f"line {number}")
        self.width = 64  # Bytes of each line of output.
        self.piece = 4096  # Lines of an answer.
        self.asked = []
        self.looks = looks
        self.measures = []  # What was asked of measurements.
        self.measured = threading.Event()  # Until it is set, no measurements are served.
        if not held:
            self.measured.set()
        self._over = threading.Event()
        self._held = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # noqa: N802: the library calls it so
                site.answer(self)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.link = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def hold(self, place):
        """Holds answers of output that is asked for from places that match; returns the Held."""
        self._held.append(Held(place))
        return self._held[-1]

    def close(self):
        self._over.set()
        for held in self._held:
            held.go.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request):
        parts = urllib.parse.urlsplit(request.path)
        query = urllib.parse.parse_qs(parts.query)
        name = parts.path.lstrip("/") or "index.html"
        self.asked.append(name)
        found = next((path for path in (WEB / name, WEB / "built" / name) if path.is_file()), None)
        if found is not None and "/" not in name:
            return self._send(request, found.read_bytes(), TYPES[found.suffix])
        document = {"api/changes": self._changes, "api/job": self._job, "api/find": self._find,
                    "api/output": self._output, "api/metrics": self._metrics,
                    "api/metrics/names": self._names, "api/status": lambda _: self.status}
        if name not in document or self.asked.count("api/status") > self.looks:
            return self._send(request, b"404 Not Found\n", "text/plain", 404)
        made = json.dumps(document[name](query)).encode()
        return self._send(request, made, "application/json")

    @staticmethod
    def _send(request, body, kind, status=200):
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        policy = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                  "img-src 'self' data:")
        request.send_header("Content-Security-Policy", policy)
        request.end_headers()
        with contextlib.suppress(OSError):  # The client has gone.
            request.wfile.write(body)

    def _changes(self, query):
        start = int(query["events"][0])
        if int(query["after"][0]) == 1 and start >= len(self.events):
            self._over.wait(20)
        some = self.events[start:start + 2000]
        return {"version": 1, "events": some, "next": start + len(some),
                "whole": start + len(some) >= len(self.events), "status": self.status}

    def _job(self, _):
        return {"job": "big-abc123", "name": "big", "user": "ada", "on": "local",
                "submitted": "2027-01-15T08:00:00.000Z", "queue": "default",
                "command": "python3 train.py", "working_folder": "/home/ada",
                "framework": "generic", "spec": {"name": "big"},
                "plan": {"framework": "generic", "barrier": "gang", "chief": None, "roles": []}}

    def _text(self, number):
        return self.line(number)[:self.width - 1].ljust(self.width - 1)

    def _output(self, query):
        """Every stream is `size` bytes of lines of equal width."""
        streams = []
        for asked in query["s"]:
            task, attempt, stream, *place = asked.split("/")
            if len(place) > 1:
                self._over.wait(20)
            for held in self._held:
                if re.fullmatch(held.place, "/".join(place)):
                    held.came.set()
                    held.go.wait(harness.PATIENCE)
            if place and not place[0].startswith("-"):
                begin = -(-int(place[0]) // self.width)
                end = min(self.size // self.width, begin + self.piece)
            else:
                end = (int(place[0][1:]) if place else self.size) // self.width
                begin = max(0, end - self.piece)
            lines = [[number * self.width, 1000 * BEGIN_S + number, self._text(number).rstrip()]
                     for number in range(begin, end)]
            streams.append({"task": task, "attempt": int(attempt), "stream": stream, "runs": True,
                            "begin": 0, "end": self.size, "from": begin * self.width,
                            "next": end * self.width, "open": False, "lines": lines})
        return {"streams": streams}

    def _find(self, query):
        *_, place = query["s"][0].split("/")
        words = [word.lower() for word in query["word"]]
        number = int(place.lstrip("-")) // self.width
        numbers = range(number - 1, -1, -1) if place.startswith("-") else \
            range(number, self.size // self.width)
        for at in getattr(self, "places", numbers):
            if at in numbers and any(word in self._text(at).lower() for word in words):
                return {"at": at * self.width, "next": 0, "over": False, "begin": 0,
                        "end": self.size}
        return {"at": None, "next": 0, "over": True, "begin": 0, "end": self.size}

    def _names(self, _):
        names = {name: unit for _, name, unit, _ in self.series}
        return {"names": [{"name": name, "unit": unit, "kind": "gauge"}
                          for name, unit in names.items()]}

    def _metrics(self, query):
        """Each series is a task, a name, a unit and a function of seconds; 10 min, then live."""
        self.measures.append(query)
        self.measured.wait(harness.PATIENCE)
        now = time.time()
        step = int(query["step"][0])
        begin = max(int(query["from"][0]), int(now) - 600)
        return {"now": now, "series": [
            {"task": task, "attempt": 1, "name": name, "unit": unit, "kind": "gauge",
             "points": [[at, value(at)] for at in range(begin, int(now), step)]}
            for task, name, unit, value in self.series if name in query["name"]]}
