# timeout: 300
"""Attacks on the ports of a job: the owner and the agents get through, and nothing grows."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request

import attacks
import harness
import pytest
import siege

ROOT = pathlib.Path(__file__).parents[2]
MODEL = (ROOT / "docs" / "threat-model.md").read_text()
SIEGES = ("test/local/test_strangers.py", "test/hadoop/test_yarn_strangers.py",
          "test/spark/test_strangers.py")


def test_every_attack_is_carried_out_everywhere():
    """A new kind of attack must be named in the threat model, and no siege picks only some of
    them."""
    assert [kind for kind in attacks.KINDS if f"`{kind}`" not in MODEL] == []
    for siege_file in SIEGES:
        text = (ROOT / siege_file).read_text()
        assert re.search(r'parametrize\("kind", attacks.KINDS\)|in attacks.KINDS\)|'
                         r"list\(attacks.KINDS\)", text), siege_file


def names_of_tests():
    """The names of all tests: functions, SUITE.NAME, SUITE.*, and files."""
    unit, scripts = [*ROOT.glob("src/**/*_test.cc")], [*ROOT.glob("test/**/test_*.py")]
    text = "\n".join(path.read_text() for path in [*unit, *scripts])
    cases = re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text, re.MULTILINE)
    return {*(f"{suite}.{name}" for suite, name in cases), *(f"{suite}.*" for suite, _ in cases),
            *re.findall(r"^def (test_\w+)", text, re.MULTILINE), *(path.name for path in scripts),
            *(f"fuzz/{path.name}" for path in ROOT.glob("fuzz/*_fuzz.cc"))}


def test_the_threat_model_and_the_tests_name_each_other():
    """Each row of its tables ends with tests, each test that it names exists, and it names each
    test of the sieges."""
    named = set(re.findall(r"`(test_\w+(?:\.py)?|[A-Z]\w+\.(?:[A-Z]\w+|\*)|fuzz/\w+\.cc)`", MODEL))
    assert named - names_of_tests() == set()
    tables = re.findall(r"\|[^\n]*\| test \|\n\|[-|]+\|\n((?:\|.*\n)+)", MODEL)
    rows = [row for table in tables for row in table.splitlines()]
    assert len(tables) > 10 and len(rows) > 80
    assert MODEL.count("\n|--") - MODEL.count("| key |") == len(tables), "a table without tests"
    one = r"`[\w./*]+`"
    assert [row for row in rows if not re.search(rf"\| {one}(, {one})* \|$", row)] == []
    own = {name for path in SIEGES
           for name in re.findall(r"^def (test_\w+)", (ROOT / path).read_text(), re.MULTILINE)}
    assert len(own) > 10
    assert own - named == set()


@pytest.mark.parametrize("kind", attacks.KINDS)
def test_the_owner_gets_through(muster, gate, kind):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    (master,) = muster.pids("master")
    kept, lost = muster.pids("agent")
    places = [(siege.place_of(master), {}),
              (siege.place_of(kept), {"count": siege.SIZE // 4})]

    def an_agent_comes():
        os.kill(lost, signal.SIGKILL)
        harness.eventually(lambda: attempts_of(muster) == [1, 2]
                           and muster.status()["phase"] == "running")

    siege.hold_out(kind, places, [master, kept], lambda: muster("stop", "last").expect(0),
                   an_agent_comes)
    running.wait()
    assert attempts_of(muster) == [1, 2]
    log = (muster.job_folder() / "master.log").read_text()
    assert len(re.findall("control.unauthenticated", log)) < 20


# What is not HTTP, or not yet.
BEFORE_HTTP = ("silent", "half_hello", "half_handshake", "garbage", "wrong_key", "drip")


@pytest.mark.parametrize(("kind", "door"), [*((kind, "in clear") for kind in attacks.KINDS),
                                            *((kind, "tls") for kind in BEFORE_HTTP)])
def test_whoever_may_look_gets_through_to_a_portal(muster, tmp_path, kind, door):
    tokens = muster.write("tokens", "alice 0123456789abcdef\n", mode=0o600)
    (tmp_path / "homes").mkdir()
    chain, key = siege.certificate(tmp_path)
    by_tls = ["--certificate", chain, "--key", key] if door == "tls" else []
    portal = muster.start("portal", "--serve", "--homes", tmp_path / "homes/{user}", "--tokens",
                          tokens, *by_tls)
    site = portal.sees(r"portal: (https?://\S+)/").group(1)
    context = ssl.create_default_context(cafile=chain) if by_tls else None

    def look():
        request = urllib.request.Request(
            f"{site}/api/jobs", headers={"Authorization": "Bearer 0123456789abcdef"})
        with urllib.request.urlopen(request, context=context, timeout=harness.PATIENCE) as answer:
            assert answer.status == 200

    look()
    # At full size: a certificate costs a portal memory for each handshake.
    siege.hold_out(kind, [(siege.place_of(portal.pid), {})], [portal.pid], look, look)
    portal.signal(signal.SIGINT)
    assert portal.wait().code == 0


def answers_to(place, head, body):
    """The status of each answer to a request followed by another one, and whether the connection is
    then closed."""
    text = f"{head}\r\n\r\n{body}GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(place, timeout=harness.PATIENCE) as peer:
        answer = b""
        with contextlib.suppress(OSError):  # Closed before all of it was read.
            peer.sendall(text.encode("latin-1"))
            peer.shutdown(socket.SHUT_WR)
            while piece := peer.recv(1 << 16):
                answer += piece
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+)", answer)]


def test_requests_that_can_be_read_twice_are_refused(muster, gate):
    """And what follows them is not read at all, unless the request was refused for its host."""
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}))
    muster.wait_for_phase("running")
    (master,), (agent,) = muster.pids("master"), muster.pids("agent")
    for name, (head, body) in attacks.SMUGGLED.items():
        codes = answers_to(siege.place_of(master), head, body)
        assert codes in ([400], [421, 401]), (name, codes)
        assert set(answers_to(siege.place_of(agent), head, body)) <= {400, 401}, name
    gate.open()
    running.wait().expect(0)


def test_no_request_of_a_stranger_leaves_http(muster, gate):
    """Whatever follows it is read as requests, or not at all."""
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}))
    muster.wait_for_phase("running")
    (master,), (agent,) = muster.pids("master"), muster.pids("agent")
    for place in map(siege.place_of, (master, agent)):
        for name, head in attacks.UPGRADES.items():
            codes = answers_to(place, head, "")
            assert set(codes) <= {200, 400, 401}, (place, name, codes)
            for frame in attacks.FRAMES.values():
                codes = answers_to(place, head, frame.decode("latin-1"))
                assert len(codes) <= 2, (place, name, codes)
                assert set(codes) <= {200, 400, 401, 405}, (place, name, codes)
    gate.open()
    running.wait().expect(0)


def attempts_of(muster):
    return sorted(task["attempts"] for task in muster.status()["roles"]["worker"]["tasks"])


def test_a_hostile_task_stops_nobody(muster):
    """It prints endlessly, and leaves daemons in sessions of their own."""
    muster.write("hostile.py", siege.HOSTILE)
    muster("submit", muster.spec({"command": "python3 hostile.py", "files": ["hostile.py"],
                                  "logs": {"max": "1m", "keep": 2}, "tasks": 2})).expect(0)
    muster.wait_for_phase("running")
    harness.eventually(lambda: len(list(muster.job_folder().glob("logs/*.stdout*"))) >= 4)
    siege.hold_out("hostile", [], muster.pids("master") + muster.pids("agent"),
                   lambda: muster("stop", "last", "--no-wait").expect(0))
    muster.wait_for_phase("ended")


# A client's frames, each preceded by its length: a hello, and a request for the job's status.
HELLO, ASKED = b"\x02\0\0\0\x0a\0", b"\x02\0\0\0\x1a\0"


def test_who_may_look_does_not_ask_a_master_to_death(muster, tmp_path, gate):
    """With a viewer's key: half a million requests, and none of the responses is read."""
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    (master,) = muster.pids("master")
    secret = bytes.fromhex((muster.job_folder() / "secret").read_text())
    host, port = siege.place_of(master)
    (tmp_path / "questions").write_bytes(HELLO + ASKED * 500_000)
    log = muster.job_folder() / "master.log"

    def they_ask():
        harness.eventually(lambda: "as=viewer" in log.read_text())
        for _ in range(10):
            assert muster.status()["phase"] == "running"

    with open(tmp_path / "questions", "rb") as questions, subprocess.Popen(
            ["openssl", "s_client", "-connect", f"{host}:{port}", "-tls1_3", "-quiet", "-alpn",
             "muster/1", "-ciphersuites", "TLS_AES_128_GCM_SHA256", "-psk_identity", "viewer",
             "-psk", siege.keys_of(secret)["viewer"].hex()],
            stdin=questions, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as client:
        siege.hold_out("questions", [], [master], lambda: muster("stop", "last").expect(0),
                       they_ask)
        client.kill()
    running.wait()


def test_no_file_and_no_process_shows_another_user_a_key(muster_for_all, gate):
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    muster = muster_for_all
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    secret = bytes.fromhex((muster.job_folder() / "secret").read_text())
    shown = muster("show", "last").expect(0).out
    keys = siege.keys_of(secret, re.findall(r"\bc\d+\b", shown))
    assert any(name.startswith("agent:") for name in keys), shown
    claims = pathlib.Path("/tmp").glob("muster-claims.*")
    # Muster's own: those of the tasks come and go.
    pids = [pid for kind in ("run", "master", "agent", "keeper") for pid in muster.pids(kind)]
    assert len(pids) > 4
    assert siege.seek(siege.AS_ANOTHER_USER, keys.values(), pids, muster.folder, "/dev/shm",
                      *claims) == []
    gate.open()
    running.wait().expect(0)


def test_who_may_look_does_not_search_a_master_to_death(muster, gate):
    """Many long words that the output almost contains, on as many connections as the page
    accepts."""
    running = muster.start("run", muster.spec(
        {"command": f"head -c 8M /dev/zero | tr '\\0' a; {gate.wait}", "tasks": 1}))
    muster.wait_for_phase("running")
    (master,) = muster.pids("master")
    host, port, token = re.fullmatch(r"http://([0-9.]+):(\d+)/#t=(\S+)",
                                     muster.status()["page"]).groups()
    words = "".join(f"&word={'a' * (254 - each)}b{'a' * each}" for each in range(16))
    question = (f"GET /api/find?s=worker:0/1/stdout{words} HTTP/1.1\r\nHost: {host}\r\n"
                f"Authorization: Bearer {token}\r\n\r\n").encode()
    harness.eventually(lambda: (muster.job_folder() / "logs/worker-0.1.stdout").stat().st_size
                       >= 8 << 20)
    over = threading.Event()

    def search():
        while not over.is_set():
            with contextlib.suppress(OSError), \
                    socket.create_connection((host, int(port)), harness.PATIENCE) as peer:
                peer.sendall(question)
                while not over.is_set() and peer.recv(4096):
                    peer.sendall(question)

    searches = [threading.Thread(target=search, daemon=True) for _ in range(100)]
    for each in searches:
        each.start()
    try:
        siege.hold_out("searches", [], [master], lambda: muster("stop", "last").expect(0),
                       lambda: [muster.status() for _ in range(3)])
    finally:
        over.set()
    running.wait()


# Prints which files and folders below the first argument somebody else may use, and how.
TRIES = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    print("looked into", folder)
    if os.access(folder, os.W_OK):
        print("may write into", folder)
    for path in (os.path.join(folder, name) for name in names):
        for mode in ("rb", "r+b"):
            try:
                open(path, mode).close()
                print("opened", mode, path)
            except OSError:
                pass
"""


@pytest.mark.parametrize("mask", [0, 0o022])
def test_no_file_of_a_job_lets_another_user_in(muster_for_all, mask):
    """Whatever the umask says: specifications, events, samples, output, recordings, ssh's keys."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    muster = muster_for_all
    muster.home.mkdir()
    muster.home.chmod(0o755)
    before = os.umask(mask)
    try:
        muster("submit", muster.spec({
            "command": "echo hello; echo x > out; exec sleep 1000", "tasks": 1,
            "recording": {"terminals": True}, "checkpoint": {"dir": "ckpt"}})).expect(0)
        muster.wait_for_phase("running")
        job = muster.job()
        muster.start("exec", "-t", job, "--", "true", terminal=True).wait().expect(0)
        muster("ssh-config", job, "--write").expect(0)
        harness.eventually(lambda: any((muster.job_folder() / "metrics").glob("*")))
        os.kill(muster.pids("master")[0], signal.SIGKILL)
        muster.wait_for_phase("running")
        muster("stop", job).expect(0)
        muster("show", job).expect(0)
    finally:
        os.umask(before)
    kinds = {path.suffix or path.name for path in muster.job_folder().rglob("*") if path.is_file()}
    assert kinds >= {".log", ".json", ".yaml", ".stdout", ".cast"}, kinds
    # The host's folders may be shared with others' jobs; what this job has there is named by its
    # id.
    left = [path for place in ("/tmp", "/dev/shm") for path in pathlib.Path(place).glob(f"*{job}*")]
    for folder in (muster.home, *left):
        done = subprocess.run([*siege.AS_ANOTHER_USER, sys.executable, "-c", TRIES, folder],
                              check=True, capture_output=True, text=True)
        assert done.stdout.splitlines() in ([], [f"looked into {folder}"])


def moved_by(pids):
    """How many bytes these processes have read and written so far."""
    return sum(int(count) for pid in pids for count in re.findall(
        r"[rw]char: (\d+)", pathlib.Path(f"/proc/{pid}/io").read_text()))


@pytest.mark.parametrize("way", ["out", "in"])
def test_streams_that_nobody_reads_take_little_memory(muster, way):
    """With the owner's own key, and more of them than a container may have."""
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_phase("running")
    pids = muster.pids("master") + muster.pids("agent")
    idle = {pid: siege.resident_kib(pid, "VmHWM") for pid in pids}
    command = {"out": ["cat", "/dev/zero"], "in": ["sleep", "1000"]}[way]
    moved = 0
    with contextlib.ExitStack() as clients, open("/dev/zero") as zero:
        running = []
        for _ in range(60):
            client = clients.enter_context(subprocess.Popen(
                [harness.BINARY, "exec", muster.job(), "--", *command], env=muster.environment,
                stdin=zero if way == "in" else subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL))
            clients.callback(client.kill)
            running.append(client)

        def are_full():
            nonlocal moved
            before, moved = moved, moved_by(pids)
            return [client.poll() for client in running].count(None) == 52 \
                and moved - before < 1 << 20

        harness.eventually(are_full, pause=0.5)
        for pid in pids:
            assert siege.resident_kib(pid, "VmHWM") < idle[pid] + (20 << 10)
        begun = time.monotonic()
        muster("stop", "last").expect(0)
        assert time.monotonic() - begun < siege.patience()
