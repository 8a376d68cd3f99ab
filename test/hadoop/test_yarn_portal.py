"""The portal of a YARN cluster: the jobs of all its users, from HDFS and the resource manager."""
# bed: plain
# hadoop: each
# timeout: 900

import getpass
import json
import signal
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
import siege
from conftest import HadoopMuster
from waiting import until
from yarn_jobs import RUN_LIMIT, job_of

TOKENS = {user: f"{user}-0123456789abcdef" for user in ("alice", "bob", "eve", "root")}
SMALL = {"roles": {"worker": {"tasks": 1, "memory": "128m"}}, "restart": {"process": 0}}


@pytest.fixture
def people(yarn, tmp_path, bed):
    """The program as two users of the cluster, and as HDFS's own."""
    made = {"alice": yarn}
    for user in ("bob", getpass.getuser()):
        folder = tmp_path / user
        folder.mkdir()
        made[user] = HadoopMuster(folder).use(bed)
        made[user].environment["HADOOP_USER_NAME"] = user
    bed.shell("fs", "-mkdir", "-p", "/user/bob").expect()
    bed.shell("fs", "-chown", "bob", "/user/bob").expect()
    yield made
    made["bob"]("stop", "last", "--no-wait")
    for user in ("bob", getpass.getuser()):
        made[user].end_everything()


class Portal:
    """A portal for the whole cluster, and the file of its admins."""

    def __init__(self, program):
        book = program.write("tokens", "".join(f"{u} {t}\n" for u, t in TOKENS.items()), mode=0o600)
        self.admins = program.write("admins", "# nobody yet\n", mode=0o600)
        self.running = program.start("portal", "--serve", "--on", "yarn", "--tokens", book,
                                     "--admins", self.admins)
        self.site = self.running.sees(r"portal: (http://\S+)/").group(1)

    def ask(self, path, user):
        request = urllib.request.Request(self.site + path, headers={
            "Authorization": f"Bearer {TOKENS[user]}"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def list(self, user, **query):
        status, text = self.ask("/api/jobs?" + urllib.parse.urlencode({"limit": 500, **query}),
                                user)
        assert status == 200, text
        return json.loads(text)

    def states(self, user, **query):
        return {job["key"]: job["state"] for job in self.list(user, **query)["jobs"]}

    def end(self):
        self.running.signal(signal.SIGINT)
        assert self.running.wait(60).code == 0


def place_of(key):
    return f"/jobs/{urllib.parse.quote(key, safe='')}/"


def test_a_portal_of_all_users(people, bed, tmp_path):
    alice, bob = people["alice"], people["bob"]
    done = alice("run", alice.spec({"name": "digits", "command": "echo it is fine", **SMALL}),
                 "--on", "yarn", within=RUN_LIMIT).expect(0)
    digits = f"alice:{job_of(done)}"
    failed = bob("run", bob.spec({"name": "secret", "command": "exit 7", **SMALL}),
                 "--on", "yarn", within=RUN_LIMIT).expect(1)
    secret = f"bob:{job_of(failed)}"
    portal = Portal(people[getpass.getuser()])
    until(lambda: portal.states("alice", name="digits").get(digits) == "succeeded", 30, "digits")
    until(lambda: portal.states("bob").get(secret) == "failed", 30, "secret")
    assert secret not in portal.states("alice") and digits not in portal.states("bob")
    assert portal.states("eve") == {} and portal.list("eve")["users"] == []
    assert portal.ask(place_of(secret) + "api/status", "alice")[0] == 404
    # What the page of an ended job shows comes from HDFS.
    code, text = portal.ask(place_of(digits) + "api/status", "alice")
    assert code == 200 and json.loads(text)["outcome"]["result"] == "succeeded", text
    assert portal.ask(place_of(digits) + "logs/worker/0", "alice")[1].strip() == "it is fine"
    code, text = portal.ask(place_of(digits) + "api/job", "alice")
    assert code == 200 and "digits" in text
    code, text = portal.ask(place_of(digits) + "api/metrics/names", "alice")
    assert code == 200, text
    # Whoever has a job there can make its log as long as they like.
    before = siege.resident_kib(portal.running.pid, "VmHWM")
    folder = json.loads((bob.home / "jobs" / job_of(failed) / "application.json").read_text())[
        "folder"]
    with open(tmp_path / "long", "wb") as long:
        long.truncate(65 << 20)
    bob("fs", "put", tmp_path / "long", f"{folder}/events/000009.log").expect(0)
    code, text = portal.ask(place_of(secret) + "api/status", "bob")
    assert code >= 400 and "000009.log has 65 MiB; at most" in text, (code, text)
    assert siege.resident_kib(portal.running.pid, "VmHWM") < 2 * before
    # The file of the admins counts as it is now.
    portal.admins.write_text("root\n")
    assert {digits, secret} <= set(portal.states("root"))
    portal.admins.write_text("# nobody\n\n")
    assert portal.states("root") == {}

    spec = bob.spec({"name": "shared", "command": "echo up; exec sleep 1000",
                     "yarn": {"acl_view": ["alice"]}, **SMALL})
    job = bob("submit", spec, "--on", "yarn", "--json", within=RUN_LIMIT).expect(0).json()["job"]
    submitted = time.monotonic()
    shared = f"bob:{job}"
    until(lambda: shared in portal.states("bob"), 30, "a new job is listed")
    assert time.monotonic() - submitted < 5
    until(lambda: portal.states("alice").get(shared) == "running", RUN_LIMIT, "it runs")
    (row,) = portal.list("alice", name=job)["jobs"]
    assert row["queue"] == "default" and "/proxy/application_" in row["page"], row
    until(lambda: "worker" in portal.ask(place_of(shared) + "api/status", "alice")[1], 60, "shown")
    assert portal.ask(place_of(shared) + "api/status", "eve")[0] == 404
    # It is found under the host that it runs on.
    (host,) = until(lambda: portal.list("alice", name=job)["jobs"][0]["hosts"], 60, "its host")
    seen = portal.list("alice", host=host, state="running")
    assert [one["here"] for one in seen["jobs"] if one["key"] == shared] == [
        {"attempts": 1, "failed": 0}]
    bob("stop", job, within=RUN_LIMIT).expect(0)
    until(lambda: portal.states("alice").get(shared) == "stopped", 60, "its end is noticed")

    # What was known stays, and the list says that it may be old.
    bed.kill("nn1")
    until(lambda: "HDFS" in (portal.list("alice")["notice"] or ""), 60, "a notice")
    begun = time.monotonic()
    assert portal.states("alice")[digits] == "succeeded"
    assert time.monotonic() - begun < 1, "nobody waits for a cluster that is away"
    bed.restore()
    until(lambda: portal.list("alice")["notice"] is None, 60, "the notice goes")
    portal.end()
