"""The portal of a team: who sees which jobs, over HTTP and TLS, by token and by proxy."""

import concurrent.futures
import contextlib
import json
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import harness
import pytest
import siege

ALICE, BOB, ROOT = "alice-0123456789abcdef", "bob-0123456789abcdef", "root-0123456789abcdef"


class Portal:
    def __init__(self, muster, folder, *arguments, tokens=True, program=harness.BINARY):
        self.muster, self.folder = muster, folder
        book = folder / "tokens"
        book.write_text(f"# who looks\nalice {ALICE}\n\nbob {BOB}\nroot {ROOT}\n")
        book.chmod(0o600)
        self.book = book
        self.running = muster.start(
            "portal", "--serve", "--homes", str(folder / "homes/{user}/.muster"),
            "--admin", "root", *(["--tokens", str(book)] if tokens else []), *arguments,
            program=program)
        self.site = self.running.sees(r"portal: (https?://\S+)/").group(1)

    def ask(self, path, token=None, headers=None, context=None, method="GET", body=None):
        """Returns status, headers and text."""
        headers = {**(headers or {}), **({"Authorization": f"Bearer {token}"} if token else {})}
        request = urllib.request.Request(self.site + path, headers=headers, method=method,
                                         data=body)
        opener = urllib.request.build_opener(
            NoRedirect, urllib.request.HTTPSHandler(context=context))
        try:
            with opener.open(request, timeout=harness.PATIENCE) as response:
                return response.status, dict(response.headers), response.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, dict(refused.headers), refused.read().decode()

    def jobs(self, token, **query):
        status, _, text = self.ask("/api/jobs?" + urllib.parse.urlencode(query), token)
        assert status == 200, text
        return json.loads(text)

    def keys(self, token, **query):
        return [job["key"].rsplit("-", 1)[0] for job in self.jobs(token, **query)["jobs"]]

    def end(self):
        self.running.signal(signal.SIGINT)
        assert self.running.wait(harness.PATIENCE).code == 0


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.fixture
def team(muster, tmp_path):
    """Runs jobs as several people, each with their own home."""
    def run(user, name, command="echo fine", **spec):
        home = tmp_path / "homes" / user / ".muster"
        home.parent.mkdir(parents=True, exist_ok=True)
        path = muster.spec({"name": name, "command": command, "tasks": 1,
                            "restart": {"process": 0, "container": 0, "host": 0}, **spec})
        muster("run", path, env={"MUSTER_HOME": str(home)})
        (job,) = [one for one in os.listdir(home / "jobs") if one.startswith(name)]
        return f"{user}:{job}"

    (tmp_path / "homes").mkdir()
    return run


def quoted(key):
    return urllib.parse.quote(key, safe="")


def test_everybody_sees_what_they_may_and_nothing_else(muster, team, tmp_path):
    mine = team("alice", "digits")
    team("alice", "shared", yarn={"acl_view": ["bob"]})
    team("bob", "secret-project", "echo 'ValueError: x' >&2; exit 1")
    portal = Portal(muster, tmp_path)
    assert portal.keys(ALICE) == ["alice:shared", "alice:digits"]
    assert portal.keys(BOB) == ["bob:secret-project", "alice:shared"]
    assert len(portal.keys(ROOT)) == 3
    seen = portal.jobs(ALICE)
    assert "secret" not in json.dumps(seen) and "bob" not in json.dumps(seen)
    assert (seen["total"], seen["users"], seen["states"]) == (2, ["alice"], ["succeeded"])
    page = f"/jobs/{quoted(mine)}"
    status, _, text = portal.ask(f"{page}/api/status", ALICE)
    assert (status, json.loads(text)["outcome"]["result"]) == (200, "succeeded")
    assert portal.ask(f"{page}/logs/worker/0", ALICE)[2].strip() == "fine"
    # Jobs that exist and jobs that do not look the same to somebody who may see neither.
    for path in (f"{page}/api/status", f"{page}/logs/worker/0", f"{page}/api/job"):
        other = path.replace(quoted(mine), quoted("alice:nothing-000000"))
        assert portal.ask(path, BOB)[::2] == portal.ask(other, BOB)[::2] == (
            404, "404 no such job\n")
        assert portal.ask(path)[0] == 401
    portal.end()


def test_filters(muster, team, tmp_path):
    team("alice", "digits")
    team("bob", "bad", "echo 'ValueError: x' >&2; exit 1", yarn={"queue": "gpu"})
    portal = Portal(muster, tmp_path)
    assert portal.keys(ROOT, user="alice") == ["alice:digits"]
    assert portal.keys(ROOT, state="failed") == ["bob:bad"]
    assert portal.keys(ROOT, name="DIG") == ["alice:digits"]
    assert portal.keys(ROOT, **{"class": "user.traceback"}) in (["bob:bad"], [])
    failed = portal.jobs(ROOT, state="failed")["jobs"][0]["class"]
    assert portal.keys(ROOT, **{"class": failed}) == ["bob:bad"]
    assert portal.keys(ROOT, to="1000") == []
    assert portal.keys(ROOT, **{"from": "1000"}) == ["bob:bad", "alice:digits"]
    assert portal.keys(ROOT, limit=1, offset=1) == ["alice:digits"]
    assert portal.jobs(ROOT, limit=1)["total"] == 2
    portal.end()


def test_a_running_job_is_shown_and_its_end_noticed(muster, team, tmp_path, gate):
    home = tmp_path / "homes" / "alice" / ".muster"
    home.parent.mkdir()
    portal = Portal(muster, tmp_path)
    assert portal.keys(ALICE) == []
    running = muster.start("run", muster.spec({"name": "long", "command": gate.wait, "tasks": 1}),
                           env={"MUSTER_HOME": str(home)})
    harness.eventually(lambda: portal.keys(ALICE, state="running") == ["alice:long"])
    key = portal.jobs(ALICE)["jobs"][0]["key"]
    assert portal.ask(f"/jobs/{quoted(key)}/api/status", ALICE)[0] == 200
    gate.open()
    running.wait().expect(0)
    harness.eventually(lambda: portal.keys(ALICE, state="succeeded") == ["alice:long"])
    assert json.loads(portal.ask(f"/jobs/{quoted(key)}/api/status", ALICE)[2])["phase"] == "ended"
    portal.end()


def test_a_job_between_two_masters_is_queued_and_not_lost(muster, team, tmp_path, gate):
    home = tmp_path / "homes" / "alice" / ".muster"
    home.parent.mkdir()
    portal = Portal(muster, tmp_path)
    running = muster.start("run", muster.spec({"name": "long", "command": gate.wait, "tasks": 1}),
                           env={"MUSTER_HOME": str(home)})
    harness.eventually(lambda: portal.keys(ALICE, state="running") == ["alice:long"])
    # Agents that get no processor time start no other master.
    hers = harness.Muster(tmp_path)
    hers.home = home
    stopped = hers.pids("agent") + hers.pids("keeper")
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    (master,) = hers.pids("master")
    os.kill(master, signal.SIGKILL)

    def state():
        return portal.jobs(ALICE)["jobs"][0]["state"]

    try:
        seen = harness.eventually(lambda: state() != "running" and state())
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
    assert seen == "queued"
    harness.eventually(lambda: portal.keys(ALICE, state="running") == ["alice:long"])
    gate.open()
    running.wait().expect(0)
    harness.eventually(lambda: portal.keys(ALICE, state="succeeded") == ["alice:long"])
    portal.end()


def test_a_running_job_is_found_under_its_hosts(muster, team, tmp_path, gate):
    home = tmp_path / "homes" / "alice" / ".muster"
    home.parent.mkdir()
    portal = Portal(muster, tmp_path)
    running = muster.start("run", muster.spec({
        "name": "long", "command": f"[ $MUSTER_ATTEMPT = 2 ] || exit 3; {gate.wait}", "tasks": 1,
        "restart": {"backoff": "10ms..10ms"}}), env={"MUSTER_HOME": str(home)})

    def here(**query):
        rows = portal.jobs(ALICE, state="running", **query)["jobs"]
        return [(job["hosts"], job["here"]) for job in rows]

    harness.eventually(lambda: here(host="h1") == [(["h1"], {"attempts": 2, "failed": 1})])
    assert portal.jobs(ALICE, host="h1")["sums"]["attempts_failed"] == 1
    assert here() == [(["h1"], None)]
    assert here(host="h2") == [] and portal.jobs(BOB, host="h1")["total"] == 0
    gate.open()
    running.wait().expect(0)
    harness.eventually(lambda: portal.keys(ALICE, state="succeeded", host="h1") == ["alice:long"])
    portal.end()


def test_a_session_and_a_link_to_a_job(muster, team, tmp_path):
    key = team("alice", "digits")
    portal = Portal(muster, tmp_path)
    status, headers, _ = portal.ask(f"/jobs/{quoted(key)}/")
    assert (status, headers["Location"]) == (302, f"../../?next=jobs/{quoted(quoted(key))}/")
    assert portal.ask("/api/session", method="POST", body=b"wrong")[0] == 401
    status, headers, _ = portal.ask("/api/session", method="POST", body=ALICE.encode())
    cookie = headers["Set-Cookie"]
    assert status == 200 and "HttpOnly" in cookie and "SameSite=Lax" in cookie
    signed = {"Cookie": cookie.split(";")[0]}
    assert portal.ask("/api/jobs", headers=signed)[0] == 200
    assert portal.ask(f"/jobs/{quoted(key)}/", headers=signed)[0] == 200
    # Revoking the token ends its sessions at once.
    portal.book.write_text(f"bob {BOB}\n")
    assert portal.ask("/api/jobs", headers=signed)[0] == 401
    portal.end()


def test_a_proxy_says_who_looks(muster, team, tmp_path):
    team("alice", "digits")
    portal = Portal(muster, tmp_path, "--proxy", "127.0.0.1", "--user-header", "X-User",
                    tokens=False)
    assert portal.ask("/api/jobs")[0] == 401
    status, _, text = portal.ask("/api/jobs", headers={"X-User": "alice"})
    assert (status, json.loads(text)["viewer"], json.loads(text)["total"]) == (200, "alice", 1)
    assert json.loads(portal.ask("/api/jobs", headers={"X-User": "eve"})[2])["total"] == 0
    portal.end()


def test_a_header_of_nobodys_proxy_does_not_count(muster, team, tmp_path):
    team("alice", "digits")
    portal = Portal(muster, tmp_path, "--proxy", "127.9.9.9")
    assert portal.ask("/api/jobs", headers={"X-Forwarded-User": "alice"})[0] == 401
    portal.end()


def test_tls_by_certificate(muster, team, tmp_path):
    team("alice", "digits")
    chain, key = siege.certificate(tmp_path)
    portal = Portal(muster, tmp_path, "--certificate", chain, "--key", key)
    context = ssl.create_default_context(cafile=chain)
    status, _, text = portal.ask("/api/jobs", ALICE, context=context)
    assert (status, json.loads(text)["total"]) == (200, 1)
    cookie = portal.ask("/api/session", method="POST", body=ALICE.encode(),
                        context=context)[1]["Set-Cookie"]
    assert cookie.endswith("; Secure")
    with socket.create_connection(("127.0.0.1", int(portal.site.rsplit(":", 1)[1]))) as plain:
        plain.sendall(b"GET /api/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        said = b""
        with contextlib.suppress(ConnectionResetError):
            said = plain.recv(1000)
        assert b"200" not in said
    assert portal.ask("/api/jobs", ALICE, context=context)[0] == 200
    portal.end()


def test_the_site_file_names_admins(muster, team, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to mount")
    team("alice", "digits")
    etc = tmp_path / "etc"
    subprocess.run(["cp", "-a", "/etc", etc], check=True)
    (etc / "muster").mkdir()
    (etc / "muster" / "site.yaml").write_text("portal: {admins: [bob]}\n")
    program = tmp_path / "muster-with-site"
    program.write_text("#!/bin/sh\nexec unshare -m sh -c '"
                       f'mount --bind {etc} /etc && exec "$@"\' sh {harness.BINARY} "$@"\n')
    program.chmod(0o755)
    portal = Portal(muster, tmp_path, program=program)
    assert portal.keys(BOB) == ["alice:digits"]
    assert portal.keys(ROOT) == ["alice:digits"]
    (etc / "muster" / "site.yaml").write_text("portal: {admin: bob}\n")
    refused = subprocess.run([program, "portal", "--serve", "--homes", "/x", "--tokens",
                              portal.book], env=muster.environment, capture_output=True, text=True,
                             timeout=harness.PATIENCE, check=False)
    assert refused.returncode == 2 and "/etc/muster/site.yaml:1:10" in refused.stderr
    portal.end()


def test_what_a_killed_portal_had_copied_goes_with_the_next_start(muster, tmp_path):
    place = tmp_path / "tmp"
    place.mkdir()
    muster.environment["TMPDIR"] = str(place)
    (tmp_path / "homes").mkdir()
    killed, lives = Portal(muster, tmp_path), Portal(muster, tmp_path)
    assert len(list(place.iterdir())) == 2
    (place / "muster-portal-begun").mkdir()
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "lock").touch()
    (place / "muster-portal-link").symlink_to(tmp_path / "victim")
    killed.running.signal(signal.SIGKILL)
    killed.running.wait()
    new = Portal(muster, tmp_path)
    assert len(list(place.iterdir())) == 4, "two portals, and what is none's"
    assert (tmp_path / "victim" / "lock").exists()
    new.end()
    lives.end()
    assert {path.name for path in place.iterdir()} == {"muster-portal-begun", "muster-portal-link"}


def test_counts_for_prometheus(muster, team, tmp_path):
    team("alice", "digits")
    team("bob", "secret", "exit 3")
    portal = Portal(muster, tmp_path)
    assert portal.ask("/metrics")[0] == 401
    status, headers, text = portal.ask("/metrics", ALICE)
    assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert 'muster_portal_jobs{user="alice",queue="",state="succeeded"} 1\n' in text
    assert "bob" not in text
    assert 'muster_portal_failures{user="bob"' in portal.ask("/metrics", ROOT)[2]
    portal.end()


def test_a_home_that_is_too_much_holds_up_its_owner_alone(muster, team, tmp_path):
    """Thousands of jobs whose plans are long but invalid, and one whose log is longer than
    memory."""
    team("alice", "fine")
    big = team("bob", "big").split(":")[1]
    home = tmp_path / "homes" / "bob" / ".muster" / "jobs"
    (log,) = (home / big / "events").iterdir()
    os.truncate(log, 3 << 30)
    # Hard links take no room on the disk.
    plan = muster.write("plan.json", '"' + "a" * (3 << 20) + '"')
    for number in range(2000):
        folder = home / f"none-{number:04}"
        folder.mkdir()
        os.link(plan, folder / "plan.json")
    portal = Portal(muster, tmp_path)
    idle = siege.resident_kib(portal.running.pid, "VmHWM")
    slowest = 0.0
    for _ in range(2):
        time.sleep(2.1)  # lint: allow(sleep) then homes are looked into again
        begun = time.monotonic()
        assert portal.keys(ALICE) == ["alice:fine"]
        status, _, text = portal.ask(f"/jobs/bob:{big}/api/status", BOB)
        assert status == 503 and "cannot be shown here" in text, text
        slowest = max(slowest, time.monotonic() - begun)
    assert slowest < siege.patience()
    assert portal.keys(BOB) == ["bob:big"]
    assert siege.resident_kib(portal.running.pid, "VmHWM") < 2 * idle
    portal.end()


def crc32c(data, table=[]):  # noqa: B006: it is filled once
    if not table:
        for value in range(256):
            for _ in range(8):
                value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
            table.append(value)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def lengthen(log, count):
    """Makes a job's log repeat its first entry that often, as no master does."""
    data = log.read_bytes()
    (header,) = struct.unpack_from("<I", data, 8)
    begin = 16 + header
    (first,) = struct.unpack_from("<I", data, begin)
    record = data[begin + 8:begin + 8 + first]
    frames = [data[:begin + 8 + first]]
    for index in range(1, count):
        number = b"\x08"  # The record's index, which the first one lacks.
        while index > 127:
            number, index = number + bytes([index & 127 | 128]), index >> 7
        payload = number + bytes([index]) + record
        frames.append(struct.pack("<II", len(payload), crc32c(payload)) + payload)
    log.write_bytes(b"".join(frames))


def test_a_long_log_holds_up_nobody(muster, team, tmp_path):
    mine = team("alice", "long")
    (log,) = tmp_path.glob("homes/alice/.muster/jobs/*/events/*.log")
    lengthen(log, 300_000)
    portal = Portal(muster, tmp_path)
    answers = [portal.jobs(BOB)]
    with concurrent.futures.ThreadPoolExecutor(1) as looking:
        opened = looking.submit(portal.ask, f"/jobs/{quoted(mine)}/api/status", ALICE)
        while not opened.done():
            answers.append(portal.jobs(BOB))
    status, _, text = opened.result()
    assert (status, json.loads(text)["outcome"]["result"]) == (200, "succeeded"), text
    assert len(answers) > 5
    portal.end()


def test_links_in_a_home_lead_nowhere(muster, team, tmp_path):
    key = team("alice", "digits")
    other = team("bob", "secret", "echo hidden")
    folder = tmp_path / "homes/alice/.muster/jobs" / key.split(":")[1]
    theirs = tmp_path / "homes/bob/.muster/jobs" / other.split(":")[1]
    log = folder / "logs/worker-0.1.stdout"
    log.unlink()
    log.symlink_to(theirs / "logs/worker-0.1.stdout")
    os.symlink(theirs, folder.parent / "stolen-000000")
    os.symlink(tmp_path / "homes/bob", tmp_path / "homes/eve")
    shutil.copytree(folder, folder.parent / "copied-111111", symlinks=True)
    portal = Portal(muster, tmp_path)
    assert "hidden" not in portal.ask(f"/jobs/{quoted(key)}/logs/worker/0", ALICE)[2]
    assert portal.keys(ALICE) == ["alice:digits", "alice:copied"] or \
        portal.keys(ALICE) == ["alice:copied", "alice:digits"]
    assert sorted(portal.keys(ROOT)) == ["alice:copied", "alice:digits", "bob:secret"]
    portal.end()


@pytest.mark.parametrize(("arguments", "words"), [
    ((), ["--homes"]), (("--homes", "/x"), ["--tokens", "--proxy"]),
    (("--homes", "/x", "--tokens", "none"), ["none"]),
    (("--homes", "/x", "--proxy", "proxy.example.com"), ["IP address"]),
    (("--homes", "/x", "--proxy", "127.0.0.1", "--key", "k"), ["--certificate"]),
    (("--homes", "/x", "--proxy", "127.0.0.1", "--disk", "1m"), ["--disk", "16 MiB"]),
    (("--homes", "/x", "--proxy", "127.0.0.1", "--disk", "much"), ["--disk", "much"]),
    (("--homes", "/x", "--proxy", "127.0.0.1", "--certificate", "no", "--key", "no"), ["no"])])
def test_what_is_missing_is_named(muster, arguments, words):
    muster("portal", "--serve", *arguments).expect_error(2, *words)


def test_tokens_are_kept_from_others_and_do_not_cross_a_network_in_clear(muster, tmp_path):
    book = muster.write("tokens", f"alice {ALICE}\n", mode=0o644)
    serve = ("portal", "--serve", "--homes", "/x", "--tokens", book)
    muster(*serve).expect_error(2, "chmod 600")
    book.chmod(0o600)
    muster(*serve, "--listen", "0.0.0.0").expect_error(2, "in the clear", "--certificate")
    muster.write("tokens", "alice short\n", mode=0o600)
    muster(*serve).expect_error(2, "tokens:1", "16 characters")
