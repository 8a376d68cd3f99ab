"""The portal of a YARN cluster: the jobs of all its users, from HDFS and the resource manager."""
# bed: plain
# hadoop: each
# timeout: 900

import getpass
import json
import shutil
import signal
import struct
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

import pytest
import siege
from conftest import HadoopMuster
from waiting import until
from yarn_jobs import RUN_LIMIT, job_of

TOKENS = {user: f"{user}-0123456789abcdef" for user in ("alice", "bob", "eve", "root")}
SMALL = {"roles": {"worker": {"tasks": 1, "memory": "128m"}}, "restart": {"process": 0}}


@pytest.fixture
def people(yarn, tmp_path, bed):
    """The program as two users of the cluster, and as HDFS's own user."""
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
    """A portal for the whole cluster, and the file that lists its admins."""

    def __init__(self, program):
        book = program.write("tokens", "".join(f"{u} {t}\n" for u, t in TOKENS.items()), mode=0o600)
        self.admins = program.write("admins", "# nobody yet\n", mode=0o600)
        self.scratch = program.folder / "scratch"
        self.scratch.mkdir()
        program.environment["TMPDIR"] = str(self.scratch)
        self.running = program.start("portal", "--serve", "--on", "yarn", "--tokens", book,
                                     "--admins", self.admins, "--disk", "16m")
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

    def copied(self):
        """How much task output the portal holds here, and of which jobs."""
        files = list(self.scratch.glob("*/*/*/logs/*"))
        return sum(file.stat().st_size for file in files), {file.parts[-3] for file in files}

    def end(self):
        self.running.signal(signal.SIGINT)
        assert self.running.wait(60).code == 0


def folder_of(program, job):
    """The folder of a job in HDFS."""
    told = json.loads((program.home / "jobs" / job / "application.json").read_text())
    return told["folder"], told["application_id"]


def bomb(size):
    """A node's file of aggregated logs whose index of a few KiB expands to this size."""
    def number(value):
        return b"\x87" + struct.pack(">q", value)

    def text(word):
        return number(len(word)) + word

    index = zlib.compress(b"\0" * size)
    parts = number(1) + text(b"data:BCFile.index") + text(b"gz") + \
        number(0) + number(len(index)) + number(size)
    magic = bytes.fromhex("d111d36891b5d7b639df414092bae150")
    return index + parts + struct.pack(">q", len(index)) + b"\0\0\0\1" + magic


def place_of(key):
    return f"/jobs/{urllib.parse.quote(key, safe='')}/"


def hold_out_against_much(portal, bob, job):
    """Whoever has a job there can make its log and its tasks' output as long as they like."""
    secret = f"bob:{job}"
    before = siege.resident_kib(portal.running.pid, "VmHWM")
    folder, _ = folder_of(bob, job)
    with open(bob.folder / "long", "wb") as long:
        long.truncate(65 << 20)
    bob("fs", "put", bob.folder / "long", f"{folder}/events/000009.log").expect(0)
    code, text = portal.ask(place_of(secret) + "api/status", "bob")
    assert code >= 400 and "000009.log has 65 MiB; at most" in text, (code, text)
    assert siege.resident_kib(portal.running.pid, "VmHWM") < 2 * before
    bob("fs", "rm", f"{folder}/events/000009.log").expect(0)
    # A sixteenth of its disk is for the output of one job's tasks.
    for _ in range(2):
        code, text = portal.ask(place_of(secret) + "logs/worker/0", "bob")
        assert code >= 400 and "wrote more than 1 MiB" in text, (code, text)
    assert portal.copied()[0] < 1 << 20


def hold_out_against_a_member(portal, people, mine, others):
    """Alice puts whatever she likes into her folder in HDFS: jobs with much output, and jobs that
    claim to have had the containers of one of bob's jobs."""
    alice = people["alice"]
    folder, application = folder_of(alice, mine)
    alice("fs", "get", folder, alice.folder / "got").expect(0)
    mines, forged = [f"{mine}-{number}" for number in range(12)], f"forged-{others}"
    for name in mines:
        shutil.copytree(alice.folder / "got", alice.folder / name)
    theirs, _ = folder_of(people["bob"], others)
    people[getpass.getuser()]("fs", "get", theirs, alice.folder / forged).expect(0)
    shutil.copy(alice.folder / "got" / "summary.json", alice.folder / forged)
    alice("fs", "put", *(alice.folder / name for name in (*mines, forged)),
          folder.rpartition("/")[0] + "/").expect(0)
    keys = [f"alice:{name}" for name in (*mines, forged)]
    until(lambda: set(keys) <= portal.states("alice").keys(), 60, "they are listed")
    # She gets none of what bob's tasks write, although he does.
    until(lambda: portal.ask(place_of(f"bob:{others}") + "logs/worker/0", "bob") == (200, "up\n"),
          60, "he sees what his running task writes")
    code, text = portal.ask(place_of(keys.pop()) + "logs/worker/0", "alice")
    assert code >= 400 and "not of an application of alice" in text, (code, text)
    # All cached output together may use half of the disk; what was viewed last stays.
    for key in keys[:-1]:
        code, text = portal.ask(place_of(key) + "logs/worker/0?stream=stderr", "alice")
        assert code == 200 and text.startswith("xxx"), (key, code, text[:200])
        assert portal.ask(place_of(keys[0]) + "logs/worker/0", "alice")[1].strip() == "it is fine"
        used, kept = portal.copied()
        assert used <= 8 << 20, (used, kept)
        assert mines[0] in kept, kept
    assert mines[1] not in portal.copied()[1]
    # What looks like her logs may be a bomb.
    before = siege.resident_kib(portal.running.pid, "VmHWM")
    number = int(application.rpartition("_")[2])
    (alice.folder / "zz").write_bytes(bomb(256 << 20))
    people[getpass.getuser()](
        "fs", "put", alice.folder / "zz",
        f"/tmp/logs/alice/bucket-logs-tfile/{number % 10000:04}/{application}/zz_1").expect(0)
    code, text = portal.ask(place_of(keys[-1]) + "logs/worker/0", "alice")
    assert code >= 400 and "index" in text, (code, text[:200])
    assert siege.resident_kib(portal.running.pid, "VmHWM") < 2 * before


def test_a_portal_of_all_users(people, bed):
    alice, bob = people["alice"], people["bob"]
    much = "head -c %d /dev/zero | tr '\\0' x >&2"
    done = alice("run", alice.spec({"name": "digits", **SMALL,
                                    "command": f"echo it is fine; {much % 900_000}"}),
                 "--on", "yarn", within=RUN_LIMIT).expect(0)
    digits = f"alice:{job_of(done)}"
    failed = bob("run", bob.spec({"name": "secret", "command": f"{much % 2_000_000}; exit 7",
                                  **SMALL}),
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
    hold_out_against_much(portal, bob, job_of(failed))
    # Changes to the file of admins take effect.
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
    # It is found by the host that it runs on.
    (host,) = until(lambda: portal.list("alice", name=job)["jobs"][0]["hosts"], 60, "its host")
    seen = portal.list("alice", host=host, state="running")
    assert [one["here"] for one in seen["jobs"] if one["key"] == shared] == [
        {"attempts": 1, "failed": 0}]
    hold_out_against_a_member(portal, people, job_of(done), job)
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
