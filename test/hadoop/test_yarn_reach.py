"""muster forward to containers of YARN, and what tasks publish behind the resource manager."""
# bed: plain
# timeout: 900

import re
import socket

import browser as browsers
from waiting import until
from yarn_jobs import RUN_LIMIT, running_job, status_of

# In a task: a page that says where it is seen, published from plain Python.
SERVE = r"""
import http.server, os, socket, threading

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"{self.path} below {self.headers['X-Forwarded-Prefix']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with socket.socket(socket.AF_UNIX) as agent:
    agent.connect("\0" + os.environ["MUSTER_PUBLISH"][1:])
    agent.sendall(b"dashboard %d /start\n" % server.server_port)
    assert agent.recv(100) == b"ok\n"
print(f"port {server.server_port}", flush=True)
server.serve_forever()
"""


def test_ports_and_pages_of_containers_are_reached(yarn, bed):
    job = running_job(yarn, tasks=1)["job"]
    yarn.write("serve.py", SERVE)
    yarn("cp", "./serve.py", f"{job}:worker:0:serve.py", within=RUN_LIMIT).expect(0)
    serving = yarn.start("exec", job, "--", "python3", "serve.py")
    port = serving.sees(r"port (\d+)", RUN_LIMIT).group(1)
    forward = yarn.start("forward", job, "worker:0", f"0:{port}")
    here = int(forward.sees(r"127\.0\.0\.1:(\d+) is port", RUN_LIMIT).group(1))
    with socket.create_connection(("127.0.0.1", here), timeout=RUN_LIMIT) as connection:
        connection.sendall(b"GET /direct HTTP/1.0\r\n\r\n")
        got = b""
        while piece := connection.recv(4096):
            got += piece
    assert got.endswith(b"/direct below None"), got

    status = until(lambda: "dashboard" in status_of(yarn).get("endpoints", {}) and status_of(yarn),
                   RUN_LIMIT, "the page is published")
    page = status["page"] + status["endpoints"]["dashboard"]
    assert page.endswith(f"/proxy/{status['application_id']}/endpoints/dashboard/start")
    code, _, text = browsers.fetch(page + "?x=1")
    assert (code, text) == (
        200, f"/start?x=1 below /proxy/{status['application_id']}/endpoints/dashboard")
    shown = yarn("show", job, within=RUN_LIMIT).expect(0).out
    assert re.search(rf"opened forward in worker:0 from \S+: port {port}\b", shown), shown
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    assert "ended" in forward.wait(RUN_LIMIT).expect(6).err


# Without a word about it to anybody: the specification has said it.
SILENT = r"""
import http.server, os

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{os.environ['MUSTER_INDEX']} {self.path}".encode())

    def log_message(self, *words):
        pass

http.server.HTTPServer(("127.0.0.1", int(os.environ["MUSTER_PORT_HTTP"])), Handler).serve_forever()
"""


def test_pages_of_the_specification_and_folders_of_containers(yarn):
    yarn.write("silent.py", SILENT)
    yarn("submit", yarn.spec({
        "files": ["silent.py"], "command": "exec python3 silent.py",
        "roles": {"worker": {"tasks": 2, "memory": "256m", "ports": ["http"]}},
        "endpoints": {"ui": {"role": "worker", "port": "http", "path": "/tree"}}}),
        "--on", "yarn", within=RUN_LIMIT).expect(0)
    status = until(lambda: "ui" in status_of(yarn).get("endpoints", {}) and status_of(yarn),
                   RUN_LIMIT, "the page is listed")
    page = status["page"] + status["endpoints"]["ui"]
    until(lambda: browsers.fetch(page)[0] == 200, RUN_LIMIT, "the program answers")
    assert browsers.fetch(page)[2] == "0 /tree"

    job = status["job"]
    folder = yarn.folder / "some data"
    folder.mkdir()
    (folder / "run.sh").write_text("x")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("run.sh")
    yarn("cp", "-r", "some data", f"{job}:worker:copy", within=RUN_LIMIT).expect(0)
    yarn("cp", "-r", f"{job}:worker:copy", "out", within=RUN_LIMIT).expect(0)
    for index in range(2):
        back = yarn.folder / "out" / f"worker-{index}" / "copy"
        assert (back / "run.sh").read_text() == "x"
        assert (back / "run.sh").stat().st_mode & 0o777 == 0o755
        assert (back / "link").readlink().name == "run.sh"
    yarn("stop", job, within=RUN_LIMIT).expect(0)
