"""A team's portal whose people come with Kerberos tickets: curl and Chromium by SPNEGO."""
# bed: kerberos
# timeout: 900

import base64
import contextlib
import json
import os
import re
import signal
import subprocess
import urllib.parse

import browser as browsers
import layout
import pytest
from harness import BINARY, PATIENCE
from waiting import until
from yarn_jobs import RUN_LIMIT, job_of

SMALL = {"roles": {"worker": {"tasks": 1, "memory": "128m"}}, "restart": {"process": 0}}


class Portal:
    """A portal on localhost, for which the realm has a key, and clients with a ticket each."""

    def __init__(self, muster, bed, folder, *arguments, keytab=None):
        self.muster, self.kdc, self.folder = muster, bed.kdc, folder
        self.running = muster.start("portal", "--serve", "--keytab", keytab or self.kdc.services,
                                    *arguments)
        port = self.running.sees(r"portal: http://127\.0\.0\.1:(\d+)/").group(1)
        self.site = f"http://localhost:{port}"

    def cache(self, user):
        return self.kdc.kinit(user, f"FILE:{self.folder}/{user}.tickets")

    def environment(self, user):
        """The environment of a person's own programs."""
        return {**os.environ, "KRB5_CONFIG": str(self.kdc.conf),
                "KRB5CCNAME": self.cache(user) if user else f"FILE:{self.folder}/none"}

    def curl(self, user, path, *options):
        """Returns the status, the head and the body of what curl got with the user's ticket."""
        done = subprocess.run(
            ["/usr/bin/curl", "--silent", "--include", "--negotiate", "--user", ":", *options,
             self.site + path], env=self.environment(user), capture_output=True, text=True,
            timeout=PATIENCE, check=True)
        head, _, body = done.stdout.replace("\r\n", "\n").rpartition("\n\n")
        head = head.split("\n\n")[-1]
        return int(head.split()[1]), head, body

    def list(self, user):
        status, head, body = self.curl(user, "/api/jobs")
        assert status == 200, head + body
        return json.loads(body)

    def end(self):
        self.running.signal(signal.SIGINT)
        assert self.running.wait(PATIENCE).code == 0


@pytest.fixture
def team(muster, kerberos_bed, tmp_path):
    """Two people's jobs on this machine; `start()` starts a portal for them."""
    muster.environment["KRB5_CONFIG"] = str(kerberos_bed.kdc.conf)
    keys, portals = {}, []
    for user in ("alice", "bob"):
        home = tmp_path / "homes" / user / ".muster"
        home.parent.mkdir(parents=True)
        muster("run", muster.spec({"name": f"of-{user}", "command": "echo fine", "tasks": 1}),
               env={"MUSTER_HOME": str(home)}).expect(0)
        (job,) = (home / "jobs").iterdir()
        keys[user] = f"{user}:{job.name}"

    def start(*arguments, **options):
        portals.append(Portal(muster, kerberos_bed, tmp_path, "--homes",
                              tmp_path / "homes/{user}/.muster", *arguments, **options))
        return portals[-1]

    yield start, keys
    for portal in portals:
        portal.end()


def test_curl_is_who_its_ticket_says(team):
    start, keys = team
    portal = start("--admin", "bob")
    seen = portal.list("alice")
    assert seen["viewer"] == "alice" and [job["key"] for job in seen["jobs"]] == [keys["alice"]]
    assert {job["key"] for job in portal.list("bob")["jobs"]} == set(keys.values())
    # The portal authenticates itself, too, and a request with a ticket gets no session unasked.
    _, head, _ = portal.curl("alice", "/api/jobs")
    assert re.search(r"^WWW-Authenticate: Negotiate \S{40,}$", head, re.M)
    assert "Set-Cookie" not in head
    page = f"/jobs/{urllib.parse.quote(keys['bob'], safe='')}/api/status"
    assert portal.curl("alice", page)[0] == 404
    assert portal.curl("bob", page)[0] == 200


def test_without_a_ticket_one_is_asked_for_it(team):
    start, _ = team
    portal = start()
    status, head, body = portal.curl(None, "/api/jobs")
    assert status == 401 and "WWW-Authenticate: Negotiate" in head and body == "401 Unauthorized\n"
    for token in (b"junk", b"NTLMSSP\0\1\0\0\0" + bytes(24), bytes(12000)):
        status, headers, body = browsers.fetch(portal.site + "/api/jobs", headers={
            "Authorization": "Negotiate " + base64.b64encode(token).decode()})
        assert status in (400, 401), body
    # The front is the same for everybody.
    assert portal.curl(None, "/")[0] == 200


def test_a_ticket_shown_twice_or_made_for_another_service_counts_for_nothing(team, kerberos_bed):
    start, _ = team
    portal = start()
    done = subprocess.run(
        ["/usr/bin/curl", "--silent", "--verbose", "--negotiate", "--user", ":",
         portal.site + "/api/jobs"], env=portal.environment("alice"), capture_output=True,
        text=True, timeout=PATIENCE, check=True)
    assert json.loads(done.stdout)["viewer"] == "alice"
    token = re.search(r"> Authorization: (Negotiate \S+)", done.stderr)
    status, _, body = browsers.fetch(portal.site + "/api/jobs",
                                     headers={"Authorization": token.group(1)})
    assert status == 401 and "replay" in body
    # The keytab has keys of other services, too: a ticket for HDFS opens nothing here.
    helper = subprocess.Popen(
        [BINARY.parent / "muster-krb5", "nn@localhost"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=portal.environment("alice"))
    with helper:
        helper.stdin.write(b"\0\0\0\1s")
        helper.stdin.flush()
        size = int.from_bytes(helper.stdout.read(4), "big")
        foreign = helper.stdout.read(size)[1:]
        helper.stdin.close()
    status, _, body = browsers.fetch(portal.site + "/api/jobs", headers={
        "Authorization": "Negotiate " + base64.b64encode(foreign).decode()})
    assert status == 401 and "nn/localhost" in body


def test_a_session_is_kept_for_a_ticket_on_request(team):
    start, keys = team
    portal = start()
    status, head, _ = portal.curl("alice", "/api/session", "--request", "POST")
    cookie = re.search(r"^Set-Cookie: (muster-portal=[0-9a-f]{64}); .*HttpOnly", head, re.M)
    assert status == 200 and cookie
    status, _, body = browsers.fetch(portal.site + "/api/jobs",
                                     headers={"Cookie": cookie.group(1)})
    assert status == 200 and json.loads(body)["viewer"] == "alice"
    assert portal.curl(None, "/api/session", "--request", "POST")[0] == 401


@contextlib.contextmanager
def window_of(portal, user):
    window = browsers.Browser(arguments=["--auth-server-allowlist=localhost"],
                              environment=portal.environment(user))
    try:
        yield window
    finally:
        window.close()


def test_chromium_signs_in_by_itself(team, tmp_path):
    start, keys = team
    portal = start()
    with window_of(portal, "alice") as window:
        window.open(portal.site + "/")
        window.sees("#facts", "signed in as alice")
        window.sees(f'tr[data-job="{keys["alice"]}"]', "succeeded")
        assert "of-bob" not in window.run("return document.body.innerText")
        assert window.text("#sign-in") is None
        window.picture(tmp_path / "alice.png")
    # A link to a job opens it, even in a browser that has no session yet.
    with window_of(portal, "bob") as window:
        window.open(f"{portal.site}/jobs/{urllib.parse.quote(keys['bob'], safe='')}/")
        window.sees("#outcome-title", "succeeded")
        window.open(f"{portal.site}/jobs/{urllib.parse.quote(keys['alice'], safe='')}/")
        window.sees("body", "no such job")
    with window_of(portal, None) as window:
        window.open(portal.site + "/")
        window.sees("#no-ticket", "kinit")
        assert window.text("main") is None


def test_the_portal_of_a_secure_cluster(muster, kerberos_bed, tmp_path):
    bed = kerberos_bed
    bed.shell("fs", "-mkdir", "-p", "/user/alice").expect()
    bed.shell("fs", "-chmod", "755", "/user").expect()
    bed.shell("fs", "-chown", "alice", "/user/alice").expect()
    muster.use(bed)
    muster.environment["KRB5CCNAME"] = bed.kdc.kinit("alice", f"FILE:{tmp_path}/alice.tickets")
    done = muster("run", muster.spec({"name": "digits", "command": "echo by token", **SMALL}),
                  "--on", "yarn", within=RUN_LIMIT).expect(0)
    key = f"alice:{job_of(done)}"
    tickets = bed.kdc.kinit(layout.user(), f"FILE:{tmp_path}/super", "60s")
    muster.environment["KRB5CCNAME"] = tickets
    portal = Portal(muster, bed, tmp_path, "--on", "yarn")

    def state(user):
        return {job["key"]: job["state"] for job in portal.list(user)["jobs"]}.get(key)

    page = f"/jobs/{urllib.parse.quote(key, safe='')}/api/status"
    answers = []

    def is_known():
        answers.append(portal.curl("alice", page))
        return answers[-1][0] != 404

    # The resource manager reports it before HDFS has been read.
    until(is_known, 60, lambda: answers[-1])
    status, _, body = answers[-1]
    assert status == 200, body
    assert state("alice") == "succeeded"
    assert state("bob") is None
    assert json.loads(body)["outcome"]["result"] == "succeeded"
    assert portal.curl("bob", page)[0] == 404
    # The portal's own ticket expires, and HDFS comes back without knowing it: what was known is
    # still shown.
    expired = ["klist", "-s", "-c", tickets]
    until(lambda: subprocess.run(expired, env=portal.environment(None), check=False).returncode,
          120, "the portal's ticket ends")
    bed.restart("nn1")
    # The resource manager may be the first to report it.
    until(lambda: "HDFS" in (portal.list("alice")["notice"] or ""), 120, "a notice")
    assert state("alice") == "succeeded"
    assert portal.list("bob")["jobs"] == [], "nobody sees more than before"
    portal.end()


@pytest.mark.parametrize(("keytab", "words"), [
    ("/nowhere", ["/nowhere", "not found"]), ("alice", ["HTTP"])])
def test_a_keytab_without_keys_is_refused(muster, kerberos_bed, tmp_path, keytab, words):
    muster.environment["KRB5_CONFIG"] = str(kerberos_bed.kdc.conf)
    path = kerberos_bed.kdc.keytab("alice") if keytab == "alice" else keytab
    muster("portal", "--serve", "--homes", tmp_path / "{user}", "--keytab",
           path).expect_error(2, "--keytab", *words)
