"""A real Prometheus, Debian's, scrapes the page of a job and a team's portal."""
# timeout: 600

import json
import os
import signal
import subprocess
import urllib.parse
import urllib.request

import harness
import pytest

CONFIG = """\
global: {{scrape_interval: 3s, scrape_timeout: 3s}}
scrape_configs:
- job_name: job
  metrics_path: /metrics
  authorization: {{credentials: {job_token}}}
  static_configs: [{{targets: ["{job}"]}}]
- job_name: portal
  authorization: {{credentials: {portal_token}}}
  static_configs: [{{targets: ["{portal}"]}}]
- job_name: refused
  authorization: {{credentials: wrong-wrong-wrong-wrong}}
  static_configs: [{{targets: ["{portal}"]}}]
"""
# Names that have to be escaped, or that look alike once they are.
TELL = r"""
import json, os, socket, sys, time
report = socket.socket(socket.AF_UNIX)
report.connect(os.environ["MUSTER_REPORT"])
while not os.path.exists(sys.argv[1]):
    for line in ({"step": 7, "loss": 0.5}, {'a\\b "c"': 3, "a/b": 1, "a.b": 2},
                 {"nan": float("nan")}):
        report.sendall(json.dumps(line).encode() + b"\n")
    time.sleep(0.5)
"""
TOKEN = "prometheus-0123456789abcdef"


class Prometheus:
    def __init__(self, folder, **places):
        config = folder / "prometheus.yml"
        config.write_text(CONFIG.format(**places))
        port = harness.free_range()
        self.site = f"http://127.0.0.1:{port}/api/v1/"
        self.log = folder / "prometheus.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["/usr/bin/prometheus", f"--config.file={config}", f"--web.listen-address="
                 f"127.0.0.1:{port}", f"--storage.tsdb.path={folder}/tsdb"],
                stdout=log, stderr=log, cwd=folder, env={"PATH": os.environ["PATH"]})

    def ask(self, path, **query):
        address = self.site + path + "?" + urllib.parse.urlencode(query)
        with urllib.request.urlopen(address, timeout=60) as answer:
            return json.load(answer)["data"]

    def targets(self):
        """How each target is: its health and its last error."""
        try:
            found = self.ask("targets")["activeTargets"]
        except OSError:
            return {}
        return {one["labels"]["job"]: (one["health"], one["lastError"]) for one in found}

    def values(self, query):
        return [(one["metric"], float(one["value"][1]))
                for one in self.ask("query", query=query)["result"]]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(harness.PATIENCE)


@pytest.fixture
def scraped(muster, gate, tmp_path):
    """A running job with a name and labels that must be escaped, a portal, and a Prometheus that
    scrapes both."""
    home = tmp_path / "homes" / "alice" / ".muster"
    home.parent.mkdir(parents=True)
    muster.environment["MUSTER_HOME"] = str(home)
    muster.home = home
    muster.run_shell("exit 3").expect(1)
    (muster.folder / "tell.py").write_text(TELL)
    running = muster.start("run", muster.spec({
        "name": "digits", "command": f"python3 tell.py {gate.path}", "files": ["tell.py"],
        "roles": {"worker": {"tasks": 2, "memory": "128m"}}}))
    muster.wait_for_phase("running")
    job, token = muster.status()["page"].removeprefix("http://").split("/#t=")
    tokens = muster.write("tokens", f"root {TOKEN}\n", mode=0o600)
    portal = muster.start("portal", "--serve", "--homes", tmp_path / "homes/{user}/.muster",
                          "--tokens", tokens, "--admin", "root")
    place = portal.sees(r"portal: http://(\S+)/").group(1)
    prometheus = Prometheus(tmp_path, job=job, job_token=token, portal=place, portal_token=TOKEN)
    yield prometheus
    prometheus.end()
    gate.open()
    running.wait().expect(0)
    portal.signal(signal.SIGINT)
    assert portal.wait(harness.PATIENCE).code == 0


def test_job_and_portal_are_scraped(scraped):
    def healths():
        return {name: health for name, (health, _) in scraped.targets().items()}

    # Each is first scraped at its own moment, up to an interval later.
    harness.eventually(lambda: healths() == {"job": "up", "portal": "up", "refused": "down"},
                       pause=0.3, what=lambda: f"{scraped.targets()}\n{scraped.log.read_text()}")
    harness.eventually(lambda: "401" in scraped.targets()["refused"][1], pause=0.3,
                       what=scraped.targets)

    def memory():
        return scraped.values("muster_task_container_memory_usage")

    def of_programs():
        """The first values may be those of the shells that start the programs."""
        found = memory()
        return len(found) == 2 and all(value > 1 << 20 for _, value in found) and found

    found = harness.eventually(of_programs, pause=0.3, what="the memory of two tasks")
    assert {one["index"] for one, _ in found} == {"0", "1"}
    assert all(one["role"] == "worker" and one["host"] for one, _ in found)
    told = harness.eventually(lambda: scraped.values("muster_task_user_loss"), pause=0.3,
                              what="what the program tells")
    assert all(value == 0.5 for _, value in told)
    # A rate over time: what a board shows.
    rate = "rate(muster_task_container_cpu_time_user_total[30s])"
    harness.eventually(lambda: scraped.values(rate), pause=0.3, what="a rate of a counter")
    harness.eventually(lambda: scraped.values("muster_job_system_memory_limit"), pause=0.3,
                       what="the memory of the host")

    def jobs():
        return {(one["user"], one["state"]): value
                for one, value in scraped.values("muster_portal_jobs")}

    harness.eventually(lambda: jobs() == {("alice", "running"): 1, ("alice", "failed"): 1},
                       pause=0.3, what=jobs)
    assert scraped.values('muster_portal_failures{user="alice"}')
