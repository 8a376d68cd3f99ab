"""Pages that tasks publish: behind the job's link, with everything a dashboard needs."""

import base64
import contextlib
import hashlib
import http.client
import os
import pathlib
import re
import signal
import socket
import threading
import time

import harness
import pytest
import siege

SOURCES = pathlib.Path(__file__).parents[2] / "python" / "src"

# A dashboard: pages, posts, redirects, cookies, events, and a WebSocket that echoes.
DASHBOARD = r"""
import base64, hashlib, http.server, json, os, sys, threading
sys.path.insert(0, os.environ["SOURCES"])
import muster.endpoints


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            for one in value if isinstance(value, list) else [value]:
                self.send_header(name.replace("_", "-"), one)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/redirect":
            self.reply(302, Location="/there?x=1")
        elif self.path == "/cookie":
            self.reply(200, Set_Cookie=["mine=1; Path=/; HttpOnly", "muster-page=stolen; Path=/"])
        elif self.path == "/worker.js":
            self.reply(200, b"// takes requests over", Content_Type="text/javascript",
                       Service_Worker_Allowed="/", Access_Control_Allow_Origin="*",
                       Access_Control_Allow_Credentials="true", Clear_Site_Data='"cookies"',
                       Cross_Origin_Opener_Policy="unsafe-none", Refresh="0; url=/",
                       Link="</>; rel=preload", Strict_Transport_Security="max-age=99999999")
        elif self.path == "/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for i in range(3):
                self.wfile.write(f"data: {i}\n\n".encode())
                self.wfile.flush()
            gate.wait()
            self.wfile.write(b"data: last\n\n")
            self.close_connection = True
        elif self.headers.get("Upgrade") == "websocket":
            key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
            self.wfile.write((f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                              f"Connection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n")
                             .encode())
            while piece := self.connection.recv(1 << 16):
                self.connection.sendall(piece[::-1])
            self.close_connection = True
        else:
            self.reply(200, json.dumps({"path": self.path, "headers": dict(self.headers)}).encode(),
                       Content_Type="application/json")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/open":
            gate.set()
        self.reply(200, self.command.encode() + b" " + body)

    do_PUT = do_DELETE = do_POST


gate = threading.Event()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
assert muster.endpoints.publish("dashboard", server.server_port, "/start")
for name, port in (("Bad", 1), ("ok", 0), ("tensorboard", 80)):
    try:
        muster.endpoints.publish(name, port)
        print("not refused:", name, port)
    except muster.endpoints.PublishError as error:
        print("refused:", error)
print("ready", flush=True)
threading.Event().wait()
"""


@pytest.fixture
def muster(muster):
    """The program; its jobs are stopped at the end of a test."""
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


@pytest.fixture
def page(muster):
    """The page of a job whose task has published its dashboard."""
    muster.write("dashboard.py", DASHBOARD)
    muster("submit", muster.spec({
        "command": "exec python3 dashboard.py", "tasks": 1, "files": ["dashboard.py"],
        "env": {"SOURCES": str(SOURCES)}})).expect(0)
    harness.eventually(lambda: "dashboard" in muster.status()["endpoints"])
    return Page(muster.status()["page"])


class Page:
    """A browser that has opened the job's link."""

    def __init__(self, link):
        self.host, self.port, token = re.fullmatch(
            r"http://([0-9.]+):(\d+)/#t=(\S+)", link).groups()
        status, headers, body = self.ask("POST", "/api/session", token.encode(), cookie="")
        assert status == 200, body
        self.cookie = headers["Set-Cookie"].split(";")[0]
        self.base = re.search(rb'"base":"([^"]+)"', body).group(1).decode()

    def connect(self):
        return http.client.HTTPConnection(self.host, int(self.port), timeout=harness.PATIENCE)

    def ask(self, method, path, body=None, cookie=None, **headers):
        connection = self.connect()
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            sent["Cookie"] = self.cookie if cookie is None else cookie
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def below(self, path):
        return f"/{self.base}endpoints/dashboard{path}"


def test_it_is_in_the_status_with_its_first_page(muster, page):
    assert muster.status()["endpoints"] == {"dashboard": "endpoints/dashboard/start"}
    assert muster("status", "last").expect(0).lines("dashboard: on the job's page")
    refused = harness.eventually(lambda: muster.log_text("worker-0").count("refused: ") == 3
                                 and muster.log_text("worker-0"))
    assert "`Bad` is not a name" in refused
    assert "`0` is not a port" in refused
    assert "Muster's own" in refused
    assert "not refused" not in refused


def test_requests_of_every_method_are_passed_on(page):
    status, headers, body = page.ask("GET", page.below("/a/b?c=d"))
    assert status == 200
    assert headers["Content-Type"] == "application/json"
    assert b'"path": "/a/b?c=d"' in body
    assert f'"X-Forwarded-Prefix": "/{page.base}endpoints/dashboard"'.encode() in body
    for method in ("POST", "PUT", "DELETE"):
        status, _, body = page.ask(method, page.below("/x"), b"some data")
        assert (status, body) == (200, method.encode() + b" some data")


def test_redirects_and_cookies_stay_below_the_link(page):
    status, headers, _ = page.ask("GET", page.below("/redirect"))
    assert (status, headers["Location"]) == (302, page.below("/there?x=1"))
    status, headers, _ = page.ask("GET", page.below(""))
    assert (status, headers["Location"]) == (302, "dashboard/")
    _, headers, _ = page.ask("GET", page.below("/cookie"))
    assert headers.get_all("Set-Cookie") == [f"mine=1; HttpOnly; Path={page.below('/')}"]
    _, _, body = page.ask("GET", page.below("/"), cookie=page.cookie + "; mine=1; proxy-user=eve")
    assert b'"Cookie": "mine=1"' in body


def test_a_published_page_speaks_for_no_other_address(page):
    """A service worker controls its script's folder; cookies and storage belong to the job's
    page."""
    status, headers, body = page.ask("GET", page.below("/worker.js"), Service_Worker="script")
    assert (status, body) == (200, b"// takes requests over")
    kept = {"content-type", "content-length", "transfer-encoding", "connection", "cache-control",
            "referrer-policy", "x-content-type-options", "content-security-policy", "date"}
    assert {name.lower() for name in headers} <= kept
    # A cookie that its script sets for a folder is sent before the page's own, and locks nobody
    # out.
    path = f"/{page.base}api/status"
    assert page.ask("GET", path, cookie=f"muster-page=x; {page.cookie}")[0] == 200
    assert page.ask("GET", path, cookie="muster-page=x")[0] == 401
    # The job's page cannot see the windows that it opens or that opened it, nor they its own.
    for address in ("/", f"/{page.base}"):
        assert page.ask("GET", address)[1]["Cross-Origin-Opener-Policy"] == "same-origin"


def test_events_come_as_they_happen(page):
    connection = page.connect()
    connection.request("GET", page.below("/events"), headers={"Cookie": page.cookie})
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "text/event-stream"
    got = b""
    while got.count(b"\n\n") < 3:
        got += answer.read1()
    assert got == b"data: 0\n\ndata: 1\n\ndata: 2\n\n"
    page.ask("POST", page.below("/open"), b"")
    assert answer.read() == b"data: last\n\n"
    connection.close()


def open_socket(page, **headers):
    connection = socket.create_connection((page.host, int(page.port)), timeout=harness.PATIENCE)
    lines = {"Host": f"{page.host}:{page.port}", "Connection": "Upgrade", "Upgrade": "websocket",
             "Sec-WebSocket-Version": "13", "Cookie": page.cookie,
             "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(), **headers}
    connection.sendall((f"GET {page.below('/socket')} HTTP/1.1\r\n"
                        + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
                        + "\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(1)
        if not piece:
            break
        head += piece
    return connection, head.decode()


def test_a_websocket_goes_through(page):
    connection, head = open_socket(page, Origin=f"http://{page.host}:{page.port}")
    with connection:
        assert head.startswith("HTTP/1.1 101 ")
        key = b"MDEyMzQ1Njc4OWFiY2RlZg==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        assert base64.b64encode(hashlib.sha1(key).digest()).decode() in head
        connection.sendall(b"abc")
        assert connection.recv(3) == b"cba"


def test_who_waits_at_the_door_ends_no_websocket(page):
    """There are more of them than the page has room for, and none has the link."""
    connection, head = open_socket(page)
    assert head.startswith("HTTP/1.1 101 ")
    with connection, contextlib.ExitStack() as peers:
        for _ in range(200):
            peer = peers.enter_context(socket.create_connection(
                (page.host, int(page.port)), timeout=harness.PATIENCE))
            peer.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert page.ask("GET", f"/{page.base}api/status")[0] == 200
        connection.sendall(b"abc")
        assert connection.recv(3) == b"cba"


def test_other_sites_and_those_without_the_link_are_refused(page):
    for origin in ("http://evil.example", "null", f"http://{page.host}:1"):
        assert page.ask("GET", page.below("/"), Origin=origin)[0] == 403
        assert page.ask("POST", page.below("/"), b"", Origin=origin)[0] == 403
        connection, head = open_socket(page, Origin=origin)
        connection.close()
        assert head.startswith("HTTP/1.1 403 ")
    assert page.ask("GET", page.below("/"), cookie="")[0] == 401
    assert page.ask("POST", page.below("/"), b"", cookie="")[0] in (401, 405)
    assert page.ask("GET", f"/{page.base}endpoints/other/")[0] == 404
    assert page.ask("GET", f"/{page.base}endpoints/")[0] == 404


def test_it_is_there_again_after_the_master_died(muster, page):
    os.kill(muster.pids("master")[0], signal.SIGKILL)

    def works():
        try:
            again = Page(muster.status()["page"])
            return again.ask("GET", again.below("/"))[0] == 200
        except (OSError, AssertionError, AttributeError, TypeError):
            return False
    harness.eventually(works)


def test_a_session_ends_with_its_master(muster, page):
    """Whoever takes over its port is sent the cookie and the path by a page that is still open."""
    status = f"/{page.base}api/status"
    assert page.ask("GET", status)[0] == 200
    os.kill(muster.pids("master")[0], signal.SIGKILL)

    def again():
        with contextlib.suppress(OSError, AssertionError, AttributeError, TypeError):
            return Page(muster.status()["page"])

    of_next = harness.eventually(again)
    assert of_next.base == page.base
    assert of_next.ask("GET", status)[0] == 200
    assert of_next.ask("GET", status, cookie=page.cookie)[0] == 401


def test_it_goes_with_its_attempt(muster, page):
    muster("stop", "last").expect(0)
    assert muster.status()["endpoints"] == {}


# Upgrades every request; then reads nothing, or writes endlessly.
SINK = r"""
import http.server, os, sys, threading
sys.path.insert(0, os.environ["SOURCES"])
import muster.endpoints


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                         b"Connection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")
        while self.headers["Cookie"] == "way=out":
            self.wfile.write(b"\x82\x7f" + b"\xff" * 65536)
        threading.Event().wait()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
muster.endpoints.publish("dashboard", server.server_port)
server.serve_forever()
"""


@pytest.mark.parametrize("way", ["in", "out"])
def test_frames_longer_than_memory_pass_as_bytes_and_wait(muster, way):
    """As many as the page accepts, from a viewer, and nobody reads at the other end."""
    muster.write("sink.py", SINK)
    muster("submit", muster.spec({
        "command": "exec python3 sink.py", "tasks": 1, "files": ["sink.py"],
        "env": {"SOURCES": str(SOURCES)}})).expect(0)
    harness.eventually(lambda: "dashboard" in muster.status()["endpoints"])
    page = Page(muster.status()["page"])
    pids = muster.pids("master") + muster.pids("agent")
    idle = {pid: siege.resident_kib(pid, "VmHWM") for pid in pids}
    longest = b"\x82\xff\x7f" + b"\xff" * 7 + b"abcd" + b"x" * 65536

    def fill(connection):
        """Writes as much as is accepted within a second."""
        connection.settimeout(1)
        with contextlib.suppress(OSError):
            while way == "in":
                connection.sendall(longest)

    with contextlib.ExitStack() as sockets:
        fills = []
        for _ in range(60):
            connection, head = open_socket(page, Cookie=f"{page.cookie}; way={way}")
            sockets.enter_context(connection)
            if head.startswith("HTTP/1.1 101 "):
                fills.append(threading.Thread(target=fill, args=(connection,)))
                fills[-1].start()
        for each in fills:
            each.join()
        assert len(fills) > 40
        assert page.ask("GET", f"/{page.base}api/status")[0] == 200
        for pid in pids:
            assert siege.resident_kib(pid, "VmHWM") < idle[pid] + (40 << 10)
        begun = time.monotonic()
        muster("stop", "last").expect(0)
        assert time.monotonic() - begun < siege.patience()


# Tries everything that could lead elsewhere, then publishes what the test asks for: ports of this
# host, and a page that redirects.
ELSEWHERE = r"""
import http.server, os, socket, sys, threading

address = os.environ["MUSTER_PUBLISH"]
address = "\0" + address[1:] if address.startswith("@") else address

for line in (b"a 169.254.169.254:80", b"a http://169.254.169.254/", b"a 80@169.254.169.254",
             b"a 169.254.169.254", b"a 80 http://169.254.169.254/latest", b"a 80 @169.254.169.254/",
             b"a 80 /../../api/status", b"a 80 /x/%2e%2E/%2e%2e/y", b"a -1", b"a 65536", b"a 080x",
             b"a 80 /x#y", b"a 80 /x\ty", b"a 80 /x\r", b"a 80 /x HTTP/1.1", b"a.b 80", b"../a 80"):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(address)
        client.sendall(line + b"\n")
        answer = client.makefile().readline().strip()
        print("refused" if answer.startswith("error: ") else "TAKEN", line, answer, flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(302)
        self.send_header("Location", self.path.partition("?")[2])
        self.send_header("Content-Length", "0")
        self.end_headers()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with socket.socket(socket.AF_UNIX) as client:
    client.connect(address)
    answers = client.makefile()
    ports = dict(zip(("master", "agent", "elsewhere"), sys.stdin.readline().split()))
    for name, port in {**ports, "away": server.server_port}.items():
        client.sendall(f"{name} {port}\n".encode())
        assert answers.readline() == "ok\n"
print("ready", flush=True)
threading.Event().wait()
"""


def test_a_published_page_leads_to_no_other_host(muster, tmp_path):
    """Neither the master nor an agent connects to an address that a program names: an agent
    connects to its own host, and what listens there asks for its own keys."""
    os.mkfifo(tmp_path / "ports")
    muster.write("elsewhere.py", ELSEWHERE)
    muster("submit", muster.spec({
        "command": f"exec python3 elsewhere.py < {tmp_path}/ports", "tasks": 1,
        "files": ["elsewhere.py"]})).expect(0)
    muster.wait_for_phase("running")
    ((_, master_port),) = harness.listening(muster.pids("master")[0])
    ((_, agent_port),) = harness.listening(muster.pids("agent")[0])
    # This host has it, but it is not among the addresses that an agent tries.
    with socket.create_server(("127.0.0.2", 0)) as elsewhere:
        elsewhere.setblocking(False)
        other_port = elsewhere.getsockname()[1]
        (tmp_path / "ports").write_text(f"{master_port} {agent_port} {other_port}\n")
        harness.eventually(lambda: "ready" in muster.log_text("worker-0"))
        log = muster.log_text("worker-0")
        assert "TAKEN" not in log and log.count("refused ") == 17, log
        names = ["agent", "away", "elsewhere", "master"]
        harness.eventually(lambda: sorted(muster.status()["endpoints"]) == names)
        page = Page(muster.status()["page"])

        def ask(path):
            return page.ask("GET", f"/{page.base}endpoints{path}", Authorization="Bearer guess")

        assert ask("/elsewhere/latest/meta-data/")[0] == 502
        assert ask("/master/api/status")[0] == 401
        assert ask("/agent/")[0] == 401
        for place in (f"http://127.0.0.2:{other_port}/x", "http://169.254.169.254/latest",
                      "//169.254.169.254/latest"):
            status, headers, _ = ask("/away/?" + place)
            assert (status, headers["Location"]) == (302, place), "the browser's to follow or not"
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


SERVER = r"""
import http.server, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{os.environ['MUSTER_ROLE']}:{os.environ['MUSTER_INDEX']} {self.path}"
                         .encode())

port = int(sys.argv[1])
if os.environ["MUSTER_INDEX"] == "0":
    http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
else:
    import threading
    threading.Event().wait()
"""


def test_pages_of_the_specification_are_published(muster):
    port = harness.free_range()
    muster.write("server.py", SERVER)
    muster("submit", muster.spec({
        "files": ["server.py"],
        "roles": {"ui": {"tasks": 2, "command": f"exec python3 server.py {port}"},
                  "lab": {"tasks": 1, "ports": ["http"],
                          "command": "exec python3 server.py $MUSTER_PORT_HTTP"}},
        "endpoints": {"dashboard": {"role": "ui", "port": port},
                      "notes": {"role": "lab", "port": "http", "path": "/tree?x=1"}}})).expect(0)
    listed = {"dashboard": "endpoints/dashboard/", "notes": "endpoints/notes/tree?x=1"}
    harness.eventually(lambda: muster.status()["endpoints"] == listed)
    page = Page(muster.status()["page"])

    def shown(path):
        status, _, body = page.ask("GET", f"/{page.base}{path}")
        return (status, body.decode())

    # At first nothing is listening.
    harness.eventually(lambda: shown("endpoints/dashboard/a") == (200, "ui:0 /a"))
    harness.eventually(lambda: shown(listed["notes"]) == (200, "lab:0 /tree?x=1"))
    assert muster("status", "last").expect(0).lines("notes: on the job's page")
    muster("stop", "last").expect(0)
    assert muster.status()["endpoints"] == {}


def test_pages_of_the_specification_that_cannot_be_are_refused(muster):
    muster.write("job.yaml", "command: sleep 9\ntasks: 1\n"
                             "endpoints: {ui: {role: chief, port: 80}}\n")
    muster("run", "job.yaml").expect_error(2, "job.yaml:3:24: error: endpoints.ui: the job has no "
                                              "role chief")
    assert muster.jobs() == []
