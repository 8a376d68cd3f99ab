"""muster forward to containers of YARN, and what tasks publish behind the resource manager."""
# bed: plain
# timeout: 900

import json
import os
import re
import signal
import socket
import stat
import threading

import browser as browsers
import harness
import pytest
from waiting import until
from walled import Wall
from yarn_jobs import (
    RUN_LIMIT,
    application_of,
    processes_in,
    running_job,
    status_of,
    wait_until_kept,
)

# In a task: a page that shows the address under which it is seen, published from plain Python.
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


# Tells nobody about its page, because the specification has already done so.
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


# Echoes what it receives, on a port that it writes into a file.
ECHO = r"""
import os, socket, threading
server = socket.create_server(("127.0.0.1", 0))
with open("port.new", "w") as file:
    file.write(str(server.getsockname()[1]))
os.rename("port.new", "port")
def serve(connection):
    while piece := connection.recv(1 << 16):
        connection.sendall(piece)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"""


def echoed(connection, text):
    connection.sendall(text)
    got = b""
    while len(got) < len(text):
        piece = connection.recv(len(text))
        assert piece, "the connection has ended"
        got += piece
    return got == text


def agent_port(bed):
    (agent,) = processes_in(bed, "muster agent")
    ((_, port),) = harness.listening(agent)
    return port


def port_here(forward):
    return int(forward.sees(r"127\.0\.0\.1:(\d+) is port", RUN_LIMIT).group(1))


def forward_to_echo(yarn, *options):
    """A job that echoes, the forward to it, the local port, and the task's."""
    yarn.write("echo.py", ECHO)
    yarn("submit", yarn.spec({"command": "exec python3 echo.py", "files": ["echo.py"],
                              "roles": {"worker": {"tasks": 1, "memory": "128m"}}}),
         "--on", "yarn", within=RUN_LIMIT).expect(0)
    job = until(lambda: status_of(yarn).get("phase") == "running" and status_of(yarn), RUN_LIMIT,
                "the job runs")["job"]
    port = yarn("exec", job, "--", "sh", "-c", "until cat port 2>/dev/null; do sleep 0.02; done",
                within=RUN_LIMIT).expect(0).out
    forward = yarn.start("forward", *options, job, "worker:0", f"0:{port}")
    return job, forward, port_here(forward), port


def connected(here):
    return socket.create_connection(("127.0.0.1", here), timeout=RUN_LIMIT)


def test_streams_go_to_the_agent_itself_and_outlive_the_master(yarn, bed):
    job, forward, here, there = forward_to_echo(yarn)
    wait_until_kept(yarn, bed, 2)

    def goes_to_the_agent(connection):
        assert echoed(connection, b"through")
        return agent_port(bed) in {port for _, port in harness.peers(forward.pid)}

    connection = connected(here)
    for _ in range(5):
        if goes_to_the_agent(connection):
            break
        # To a client that it kept waiting for half a second, an agent is out of reach.
        connection.close()
        forward.signal(signal.SIGINT)
        forward.wait(RUN_LIMIT)
        forward = yarn.start("forward", job, "worker:0", f"0:{there}")
        connection = connected(port_here(forward))
    with connection:
        assert goes_to_the_agent(connection)
        (master,) = processes_in(bed, "muster master")
        os.kill(master, signal.SIGKILL)
        forward.sees("looking for it again", RUN_LIMIT)
        assert echoed(connection, b"while there is no master")
        forward.sees("connected again", RUN_LIMIT)
        assert echoed(connection, b"and afterwards")
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    assert "ended" in forward.wait(RUN_LIMIT).expect(6).err


def end_of(connection):
    """Reads to the end; returns how it ends, "reset" or "end"."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionResetError:
        return "reset"
    return "end"


def send_until_its_end(connection, ends):
    """A socket reports its break only once: either to the sender or to the reader."""
    try:
        while True:
            connection.sendall(bytes(1 << 16))
    except ConnectionResetError:
        ends.append("reset")
    except BrokenPipeError:
        ends.append("end")


def test_what_the_master_relays_breaks_with_it_and_is_dialled_again(yarn, bed):
    job, forward, here, _ = forward_to_echo(yarn, "--relay")
    shell = yarn.start("shell", job, terminal=True, env={"SHELL": "/bin/sh", "TERM": "dumb"})
    shell.sees("shell 1 in worker:0", RUN_LIMIT)
    shell.type(b"i=0; while [ ! -e go ]; do i=$((i+1)); echo n=$i=; sleep 0.05; done; "
               b"echo all $i\n")
    shell.sees("n=3=", RUN_LIMIT)
    wait_until_kept(yarn, bed, 2)
    with connected(here) as quiet, connected(here) as busy:
        assert echoed(quiet, b"through")
        assert agent_port(bed) not in {port for _, port in harness.peers(forward.pid)}
        ends = []
        sender = threading.Thread(target=send_until_its_end, args=(busy, ends), daemon=True)
        sender.start()
        assert busy.recv(1)
        (master,) = processes_in(bed, "muster master")
        os.kill(master, signal.SIGKILL)
        assert end_of(quiet) == "reset", "what is cut off must not look whole"
        ends.append(end_of(busy))
        sender.join(RUN_LIMIT)
        assert "reset" in ends
        # Asked for while there is no master: it waits for the next one.
        with connected(here) as waiting:
            assert echoed(waiting, b"again")
    forward.sees("looking for it again[\\s\\S]*connected again", RUN_LIMIT)
    shell.sees("the connection to the master was lost[\\s\\S]*connected again", RUN_LIMIT)
    yarn("exec", job, "--", "touch", "go", within=RUN_LIMIT).expect(0)
    last = int(shell.sees(r"all (\d+)", RUN_LIMIT).group(1))
    shell.type(b"exit 4\n")
    done = shell.wait(RUN_LIMIT).expect(4)
    assert [int(n) for n in re.findall(r"n=(\d+)=", done.text)] == list(range(1, last + 1))
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    assert "ended" in forward.wait(RUN_LIMIT).expect(6).err


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for a network namespace")
def test_behind_a_firewall_the_master_relays(yarn, bed):
    job = running_job(yarn, tasks=1)["job"]
    far = agent_port(bed)
    data = os.urandom(3_000_000)
    (yarn.folder / "data").write_bytes(data)

    def copy_both_ways(wall):
        for words in (["data", f"{job}:worker:0:there"], [f"{job}:worker:0:there", "back"]):
            program, arguments = wall.words(harness.BINARY, "cp", *words)
            yarn.start(*arguments, program=program).wait(RUN_LIMIT).expect(0)
        assert (yarn.folder / "back").read_bytes() == data
        (yarn.folder / "back").unlink()

    with Wall() as wall:
        copy_both_ways(wall)
        assert far in wall.used
    for closed in ({"refused": [far]}, {"dropped": [far]}):
        with Wall(**closed) as wall:
            copy_both_ways(wall)
            assert wall.used and far not in wall.used
    yarn("stop", job, within=RUN_LIMIT).expect(0)


def test_recordings_are_with_the_containers_logs(yarn, bed):
    job = running_job(yarn, tasks=1, recording={"terminals": True})["job"]
    shell = yarn.start("shell", job, terminal=True, env={"SHELL": "/bin/sh", "TERM": "dumb"})
    shell.sees("everything this terminal shows is recorded", RUN_LIMIT)
    shell.type(b"echo $((6 * 7))-shown\nexit 0\n")
    shell.wait(RUN_LIMIT).expect(0)
    name = "worker-0.1.terminal-1.cast"
    (path,) = bed.folder.glob(f"nm*/userlogs/*/*/{name}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = "".join(text for _, kind, text in map(json.loads, path.read_text().splitlines()[1:])
                   if kind == "o")
    assert "42-shown" in kept
    # While the container runs, whoever may see its logs sees it.
    node = next(part for part in path.relative_to(bed.folder).parts if part.startswith("nm"))
    code, _, page = browsers.fetch(f"http://localhost:{bed.port(f'{node}.http')}/ws/v1/node/"
                                   f"containers/{path.parent.name}/logs/{name}")
    assert code == 200 and "42-shown" in page, page
    application = application_of(yarn, bed, job)["id"]
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    # Afterwards the cluster keeps it, for its user and those who collect logs.
    collected = f"/tmp/logs/alice/*/*/{application}/*"
    # A node writes them under another name first.
    kept = until(lambda: (text := bed.shell("fs", "-cat", collected).out) and "42-shown" in text
                 and text, RUN_LIMIT, "the cluster has collected the recording")
    assert name in kept
    assert all(line.startswith("-rw-r-----") and " alice " in line
               for line in bed.shell("fs", "-ls", collected).out.splitlines() if line[0] == "-")
