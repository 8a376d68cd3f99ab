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
