# timeout: 300
"""Answers of TensorBoard behind a job's page: large, late, and never ending."""

import http.client
import json
import pathlib
import re
import threading

import harness
from siege import resident_kib

MEGABYTES = 60
# Stands for the package: the agent runs its `program`.
PROGRAM = '''
import http.server, threading

class TensorBoard:
    def configure(self, argv):
        self.told = {name: argv[argv.index(name) + 1] for name in ("--host", "--port")}

    def launch(self):
        server = http.server.ThreadingHTTPServer(
            (self.told["--host"], int(self.told["--port"])), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = self.path.rsplit("/", 1)[1]
        if name == "never":
            threading.Event().wait()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        piece = b"%x\\r\\n" % 1000 + b"x" * 1000 + b"\\r\\n"
        if name == "stalls":
            self.wfile.write(piece)
            threading.Event().wait()
        for _ in range(MEGABYTES):
            self.wfile.write(piece * 1000)
        self.wfile.write(b"0\\r\\n\\r\\n")
'''.replace("MEGABYTES", str(MEGABYTES))


class Viewer:
    """Somebody who has the link."""

    def __init__(self, link):
        host, self.token = re.match(r"http://([^/]+)/#t=(\w+)", link).groups()
        self.host = host
        status, headers, body = self.ask("POST", "/api/session", self.token, {})
        assert status == 200
        self.cookie = headers["Set-Cookie"].split(";")[0]
        self.base = "/" + json.loads(body)["base"]

    def ask(self, method, path, body, headers):
        connection = http.client.HTTPConnection(self.host, timeout=90)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def get(self, name):
        return self.ask("GET", self.base + "tensorboard/" + name, None, {"Cookie": self.cookie})


def start(muster, gate):
    package = muster.folder / "packages" / "tensorboard"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "program.py").write_text(PROGRAM)
    running = muster.start("run", muster.spec({
        "command": f"/usr/bin/python3 -c pass; {gate.wait}", "tasks": 1,
        "env": {"PYTHONPATH": str(package.parent)}, "tensorboard": {"logdir": "logs"}}))
    link = running.sees(r"page:\s+(http://\S+/#t=\w+)").group(1)
    harness.eventually(lambda: muster.status()["endpoints"].get("tensorboard"))
    return running, Viewer(link)


def test_a_large_answer_in_chunks_passes_in_pieces(muster, gate):
    running, viewer = start(muster, gate)
    (master,) = muster.pids("master")
    idle = resident_kib(master, "VmHWM")
    pathlib.Path(f"/proc/{master}/clear_refs").write_text("5")  # Resets VmHWM.
    answers = []
    asking = threading.Thread(target=lambda: answers.append(viewer.get("large")))
    asking.start()
    assert muster.status()["phase"] == "running"
    asking.join()
    (status, _, body), = answers
    assert (status, len(body)) == (200, MEGABYTES * 1_000_000)
    assert resident_kib(master, "VmHWM") < 2 * idle
    gate.open()
    running.wait().expect(0)


def test_an_answer_that_does_not_come_holds_up_nobody(muster, gate):
    """The program has minutes; meanwhile everybody else is served, and the job can end during the
    wait."""
    running, viewer = start(muster, gate)
    ended = {}

    def ask(name):
        try:
            ended[name] = viewer.get(name)[0]
        except http.client.IncompleteRead as cut:
            ended[name] = len(cut.partial)
        except (http.client.HTTPException, OSError) as cut:
            ended[name] = cut

    asking = [threading.Thread(target=ask, args=(name,)) for name in ("never", "stalls")]
    for thread in asking:
        thread.start()
    assert viewer.ask("GET", viewer.base + "api/status", None, {"Cookie": viewer.cookie})[0] == 200
    assert not ended
    gate.open()
    running.wait().expect(0)
    for thread in asking:
        thread.join()
    assert set(ended) == {"never", "stalls"}
    assert ended["never"] != 200


def board_that_holds(muster, mebibytes, until, seconds, *options):
    """What a job says whose TensorBoard holds so much; its task runs for so long after `until`."""
    package = muster.folder / "packages" / "tensorboard"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").touch()
    (package / "program.py").write_text(HOLDS.format(mebibytes=mebibytes))
    gate = harness.Gate(muster.folder / "gate")
    gate.path.unlink(missing_ok=True)
    spec = muster.spec({"command": f"/usr/bin/python3 -c pass; {gate.wait}; sleep {seconds}",
                        "tasks": 1, "env": {"PYTHONPATH": str(package.parent)},
                        "tensorboard": {"logdir": "logs"}})
    running = muster.start("run", spec, *options)
    running.sees(until)
    gate.open()
    return running.wait().expect(0).text


HOLDS = """
class TensorBoard:
    def configure(self, argv):
        pass

    def launch(self):
        self.held = b"x" * ({mebibytes} << 20)
"""


def test_a_board_that_is_large_ends_only_beside_a_task_with_a_limit(muster):
    """With TensorFlow it needs 600 MiB for a few curves, and what the machine has is for all."""
    limited = ("--set", "roles.worker.memory=64m")
    there, ended = "tensorboard: on the job's page", "muster: TensorBoard has ended"
    assert ended not in board_that_holds(muster, 700, there, 3, *limited)
    assert ended not in board_that_holds(muster, 1200, there, 3)
    text = board_that_holds(muster, 1200, ended, 0, *limited)
    assert re.search(f"{ended} .it used .* its limit is 1 GiB.*; the job continues", text), text
