"""Many people look at one job's page at once: all are served, and all hear of its end."""
# timeout: 300

import concurrent.futures
import json
import time
import urllib.request

import harness

VIEWERS = 100


class Viewer:
    """Sends requests as the page's program does, each on its own connection."""

    def __init__(self, link, number):
        self.base, self.token = link.rstrip("/").split("/#t=")
        self.number, self.version, self.next = number, 0, 0

    def ask(self, path):
        request = urllib.request.Request(f"{self.base}/{path}",
                                         headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=harness.PATIENCE) as answer:
            return json.load(answer)

    def changes(self):
        news = self.ask(f"api/changes?after={self.version}&events={self.next}"
                        f"&viewer=v{self.number}")
        self.version, self.next = news["version"], news["next"]
        return news["status"]

    def follow(self):
        """Returns the outcome, once there is one."""
        while True:
            status = self.changes()
            if status["phase"] == "ended":
                return status["outcome"]["result"]


def test_a_hundred_viewers(muster, gate):
    running = muster.start("run", muster.spec({"command": f"echo hello; {gate.wait}", "tasks": 2}))
    muster.wait_for_phase("running")
    link = muster.status()["page"]
    viewers = [Viewer(link, number) for number in range(VIEWERS)]
    with concurrent.futures.ThreadPoolExecutor(VIEWERS) as pool:
        seen = list(pool.map(Viewer.changes, viewers))
        assert {status["phase"] for status in seen} == {"running"}
        following = [pool.submit(viewer.follow) for viewer in viewers]
        # While they all wait for news, somebody else is answered, and so is the owner.
        late = Viewer(link, "late")
        begun = time.monotonic()
        assert late.ask("api/status")["phase"] == "running"
        assert muster.status()["phase"] == "running"
        print(f"answered beside {VIEWERS} viewers after {time.monotonic() - begun:.2f} s")
        # Beside their requests there are two agents and the client.
        (master,) = muster.pids("master")
        harness.eventually(lambda: len(harness.peers(master)) >= VIEWERS + 3, what="all wait")
        gate.open()
        outcomes = [each.result(harness.PATIENCE) for each in following]
    assert outcomes == ["succeeded"] * VIEWERS
    running.wait().expect(0)
