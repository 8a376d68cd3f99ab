"""Jobs as runs of a real MLflow server: parameters, curves, outcome; and servers that are away."""
# timeout: 900

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

import harness
import pytest

TRAIN = """\
import json, os, socket, sys, time
report = socket.socket(socket.AF_UNIX)
report.connect(os.environ["MUSTER_REPORT"])
step = 0
while step < 3 or not os.path.exists(sys.argv[1]):
    step += 1
    line = {"step": step, "max_steps": 1000, "loss": 1 / step, "<b>odd</b>//../name": step}
    report.sendall(json.dumps(line).encode() + b"\\n")
    if step == 2:
        report.sendall(b'{"step": 2, "bad": NaN}\\n')
    time.sleep(0.4)
print("trained", flush=True)
sys.exit(int(os.environ.get("ENDS", "0")))
"""
ONCE = {"process": 0, "container": 0, "host": 0}


class Nobody:
    """Answers every connection with the same bytes, or never."""

    def __init__(self, reply):
        self.reply, self.asked, self._open = reply, [], []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self._open.append(connection)
                self.asked.append(connection.recv(65536))
                if self.reply:
                    connection.sendall(self.reply)
                    connection.close()

    def close(self):
        self._socket.close()
        for connection in self._open:
            connection.close()


class Server:
    """MLflow's own, on SQLite. It can be stopped and started again on its port."""

    def __init__(self, folder):
        made = subprocess.run([harness.REPOSITORY / "tools/setup_python", "mlflow"], check=True,
                              stdout=subprocess.PIPE, text=True, timeout=600)
        self.program = pathlib.Path(made.stdout.strip()) / "bin" / "mlflow"
        self.folder = folder
        self.port = harness.free_range()
        self.uri = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        log = (self.folder / "mlflow.log").open("ab")
        with log:
            self.process = subprocess.Popen(
                [self.program, "server", "--host", "127.0.0.1", "--port", str(self.port),
                 "--workers", "1", "--backend-store-uri", f"sqlite:///{self.folder}/mlflow.db"],
                cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, "PATH": f"{self.program.parent}:{os.environ['PATH']}"})
        harness.eventually(self.answers, what=lambda: (self.folder / "mlflow.log").read_text(),
                           pause=0.2)

    def end(self):
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(harness.PATIENCE)
            self.process = None

    def answers(self):
        with contextlib.suppress(OSError):
            return self.ask("experiments/search?max_results=5")
        return None

    def ask(self, path, body=None):
        request = urllib.request.Request(
            f"{self.uri}/api/2.0/mlflow/{path}", headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def runs(self, experiment="0"):
        return self.ask("runs/search", {"experiment_ids": [experiment]}).get("runs", [])

    def history(self, run, key):
        path = f"metrics/get-history?run_id={run['info']['run_id']}&metric_key={key}"
        return self.ask(path)["metrics"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("mlflow"))
    server.start()
    yield server
    server.end()


def items(pairs):
    return {pair["key"]: pair["value"] for pair in pairs}


def train(muster, gate, server, name, **more):
    (muster.folder / "train.py").write_text(TRAIN)
    return {"name": name, "command": f"python3 train.py {gate.path} --epochs 5 --api-key hush-hush",
            "files": ["train.py"], "tasks": 2, "restart": ONCE,
            "env": {"MLFLOW_TRACKING_URI": server.uri, "MLFLOW_EXPERIMENT_NAME": name}, **more}


def run_of(server, name, what=bool):
    """The only run of the experiment, once it is as `what` says."""
    def look():
        with contextlib.suppress(urllib.error.HTTPError):
            found = server.ask(f"experiments/get-by-name?experiment_name={name}")["experiment"]
            runs = server.runs(found["experiment_id"])
            assert len(runs) <= 1, runs
            return runs[0] if runs and what(runs[0]) else None
        return None

    return harness.eventually(look, what=f"the run of {name}", pause=0.3)


def ended(run):
    """The client ends a moment before its master has reported everything."""
    return run["info"]["status"] != "RUNNING"


def test_a_job_is_a_run(muster, gate, server):
    running = muster.start("run", muster.spec(train(muster, gate, server, "digits")))
    # Curves come while the job runs.
    run = run_of(server, "digits", lambda run: run["data"].get("metrics"))
    assert run["info"]["status"] == "RUNNING"
    job = muster.job()
    gate.open()
    running.wait().expect(0)
    run = run_of(server, "digits", ended)
    assert run["info"]["status"] == "FINISHED" and run["info"]["end_time"] > 0
    assert run["info"]["run_name"] == job
    params, tags = items(run["data"]["params"]), items(run["data"]["tags"])
    assert params["epochs"] == "5" and params["roles.worker.tasks"] == "2"
    assert "hush-hush" not in json.dumps(run["data"]["params"])
    assert (tags["muster.job"], tags["muster.result"]) == (job, "succeeded")
    loss = server.history(run, "loss")
    steps = [point["step"] for point in loss]
    assert len(loss) >= 2 and steps == sorted(steps) and steps[-1] >= 3
    assert all(abs(point["value"] - 1 / point["step"]) < 1e-9 for point in loss)
    metrics = items(run["data"]["metrics"])
    assert {"worker.1/loss", "steps_per_second", "_b_odd_/b_/_/name", "bad"} <= set(metrics)


def test_a_failed_job_says_why(muster, server, gate):
    gate.open()
    spec = train(muster, gate, server, "fails")
    spec["env"]["ENDS"] = "3"
    muster.run(spec).expect(1)
    run = run_of(server, "fails", ended)
    tags = items(run["data"]["tags"])
    assert run["info"]["status"] == "FAILED" and tags["muster.result"] == "failed"
    assert "exit code 3" in tags["muster.message"]
    assert tags["muster.first_cause"].startswith("worker:")


def test_the_next_master_goes_on_with_the_run(muster, gate, server):
    running = muster.start("run", muster.spec(train(muster, gate, server, "survives")))
    before = run_of(server, "survives", lambda run: run["data"].get("metrics"))
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    more = run_of(server, "survives", lambda run: items(run["data"]["tags"])[
        "muster.logged_until"] > items(before["data"]["tags"])["muster.logged_until"])
    assert more["info"]["run_id"] == before["info"]["run_id"]
    gate.open()
    running.wait().expect(0)
    run = run_of(server, "survives", ended)
    assert run["info"]["status"] == "FINISHED"
    times = [point["timestamp"] for point in server.history(run, "loss")]
    assert len(set(times)) == len(times), "nothing was told twice"


def test_the_submitters_variables_go_with_the_job(muster, server):
    muster.environment |= {"MLFLOW_TRACKING_URI": server.uri + "/",
                           "MLFLOW_EXPERIMENT_NAME": "from-outside"}
    muster.run_shell("true").expect(0)
    assert run_of(server, "from-outside", ended)["info"]["status"] == "FINISHED"


def test_a_server_that_is_away_costs_nothing_and_hears_all_later(muster, gate, tmp_path):
    server = Server(tmp_path)
    running = muster.start("run", muster.spec(train(muster, gate, server, "late")))
    running.sees("2 tasks")
    muster.wait_for_phase("running")
    try:
        # What is measured bears the time of the first report, to the second.
        harness.eventually(lambda: "user.loss" in muster(
            "metrics", "last", "worker:0", "--name", "user.loss", "--csv").out, what="a loss")
        came = 1000 * time.time()
        server.start()
        run = run_of(server, "late", lambda run: run["data"].get("metrics"))
        assert min(point["timestamp"] for point in server.history(run, "loss")) < came, \
            "what was measured before the server came is there"
        server.end()
        gate.open()
        # The client has its result at once; only the master tries a while longer.
        done = running.wait().expect(0)
        assert done.lines("trained")
        muster.wait_for_phase("ended")
    finally:
        server.end()


@pytest.mark.parametrize("answer", ["refuses", "silent", "junk"])
def test_a_server_that_is_none_costs_nothing(muster, answer):
    replies = {"refuses": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "silent": b"",
               "junk": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<html>\x1b[7"}
    with contextlib.closing(Nobody(replies[answer])) as nobody:
        muster.environment["MLFLOW_TRACKING_URI"] = f"http://127.0.0.1:{nobody.port}"
        assert muster.run_shell("echo fine").expect(0).lines("fine")
        harness.eventually(lambda: nobody.asked, what="a request")


def test_what_a_server_answers_shows_no_secret(muster):
    token = "0123-such-a-secret"
    said = f"nobody is {token}, not even Bearer {token}".encode()
    answer = b"HTTP/1.1 403 Forbidden\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said)
    with contextlib.closing(Nobody(answer)) as nobody:
        muster.environment |= {"MLFLOW_TRACKING_URI": f"http://127.0.0.1:{nobody.port}",
                               "MLFLOW_TRACKING_TOKEN": token}
        muster.run_shell("true").expect(0)
        log = muster.job_folder() / "master.log"
        harness.eventually(lambda: "mlflow.refused" in log.read_text())
    assert "nobody is ***, not even Bearer ***" in log.read_text()
    assert token not in log.read_text()
