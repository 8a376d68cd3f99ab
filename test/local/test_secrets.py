"""Secrets: no artefact contains them, and nobody is let in without one."""

import contextlib
import os
import pathlib
import re
import signal
import socket
import stat

import harness

SECRET = "hunter2-correct-horse-battery"


def listeners(pids):
    """Returns the TCP ports on which these processes listen, with their addresses."""
    inodes = set()
    for pid in pids:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):  # It may be closed meanwhile.
                if match := re.match(r"socket:\[(\d+)\]", os.readlink(entry.path)):
                    inodes.add(match.group(1))
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                address, port = words[1].split(":")
                found.append((address, int(port, 16)))
    return found


def test_a_secret_of_the_environment_reaches_the_task_and_nothing_else(muster):
    command = 'test "$TOKEN" = "$EXPECTED_BY_TEST" && echo equal; sleep 0.2'
    path = muster.spec({"command": command, "tasks": 1, "env": {
        "TOKEN": {"from_env": "SOURCE_TOKEN"}}})
    muster("run", path, env={"SOURCE_TOKEN": SECRET, "EXPECTED_BY_TEST": SECRET}).expect(0)
    assert "equal" in muster.log_text("worker:0")
    assert muster.files_with(SECRET) == []


def test_a_secret_from_a_file(muster):
    muster.write("token", SECRET + "\n", mode=0o600)
    done = muster.run({"command": "echo length ${#TOKEN}", "tasks": 1,
                       "env": {"TOKEN": {"from_file": "token"}}}).expect(0)
    assert done.lines(rf"length {len(SECRET)}$")
    assert muster.files_with(SECRET) == []


def test_a_secret_that_a_task_prints_is_redacted_from_evidence(muster):
    path = muster.spec({
        "command": 'echo "ValueError: token $TOKEN" >&2; exit 3', "tasks": 1,
        "env": {"TOKEN": {"from_env": "SOURCE_TOKEN"}},
        "restart": {"process": 0, "container": 0, "host": 0}})
    muster("run", path, env={"SOURCE_TOKEN": SECRET}).expect(1)
    assert SECRET not in muster("status", "last", "--json").out
    assert SECRET not in muster("show", "last").out


def test_no_command_line_carries_a_secret(muster, gate):
    path = muster.spec({"command": gate.wait, "tasks": 1,
                        "env": {"TOKEN": {"from_env": "SOURCE_TOKEN"}}})
    running = muster.start("run", path, env={"SOURCE_TOKEN": SECRET})
    muster.wait_for_phase("running")
    assert not [line for line in muster.processes().values() if SECRET in line]
    gate.open()
    running.wait().expect(0)


def test_secret_files_are_for_the_owner_alone(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}))
    muster.wait_for_phase("running")
    for path in muster.home.rglob("*"):
        if path.is_file() and re.search("secret|key|token", path.name):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    gate.open()
    running.wait().expect(0)


def test_every_listener_is_on_the_loopback(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    found = listeners(muster.pids("master") + muster.pids("agent"))
    assert len(found) >= 3
    assert {address for address, _ in found} == {"0100007F"}
    gate.open()
    running.wait().expect(0)


def test_unauthenticated_peers_do_not_harm_the_job(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    ports = [port for _, port in listeners(muster.pids("master") + muster.pids("agent"))]
    for port in ports:
        for data in (b"", b"\0" * 5000, os.urandom(5000), b"\x16\x03\x01\xff\xff" + b"a" * 70000,
                     b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET /" + b"a" * 100000):
            with socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE) as peer:
                try:
                    peer.sendall(data)
                    peer.shutdown(socket.SHUT_WR)
                    answer = peer.recv(65536)
                except OSError:
                    answer = b""
            assert muster.job().encode() not in answer
            if data.startswith(b"GET /api/"):
                assert b" 401 " in answer.split(b"\r\n")[0]
    gate.open()
    running.wait().expect(0)
    assert muster.status()["roles"]["worker"]["tasks"][0]["attempts"] == 1


def ask(port, host, path="/"):
    """Returns the status of a request that names `host`."""
    with socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE) as peer:
        peer.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
                     f"X-Forwarded-Host: localhost\r\n\r\n".encode())
        answer = b""
        while piece := peer.recv(65536):
            answer += piece
    return int(answer.split()[1])


def test_names_of_others_do_not_open_a_page(muster, gate):
    """DNS rebinding: pointing a name here does not let its owner read a page of ours."""
    muster.run_shell("echo fine").expect(0)
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}))
    muster.wait_for_phase("running")
    portal = muster.start("portal")
    site = portal.sees(r"page: http://127\.0\.0\.1:(\d+)/")
    ports = [port for _, port in listeners(muster.pids("master"))]
    for port in [*ports, int(site.group(1))]:
        own = ["localhost", f"localhost:{port}", "127.0.0.1", f"[::1]:{port}", "10.11.12.13:80",
               socket.gethostname(), socket.gethostname().upper() + f":{port}"]
        assert {host: ask(port, host) for host in own} == dict.fromkeys(own, 200)
        for host in ("rebound.example", "127.0.0.1.rebound.example", "localhost.rebound.example:80",
                     f"rebound.{socket.gethostname()}"):
            assert ask(port, host) == 421, host
            assert ask(port, host, "/app.js") == 421, host
    portal.signal(signal.SIGINT)
    assert portal.wait().code == 0
    gate.open()
    running.wait().expect(0)


def test_a_thousand_half_open_connections(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}))
    muster.wait_for_phase("running")
    ports = [port for _, port in listeners(muster.pids("master"))]
    held = []
    for index in range(1000):
        peer = socket.socket()
        peer.setblocking(False)
        peer.connect_ex(("127.0.0.1", ports[index % len(ports)]))
        held.append(peer)
    assert muster.status()["phase"] == "running"
    gate.open()
    running.wait().expect(0)
    for peer in held:
        peer.close()
    log = (muster.job_folder() / "master.log").read_text()
    assert len(re.findall("unauthenticated", log)) < 20


def test_a_viewer_key_of_another_job_is_refused(muster, gate):
    """The owner's key of one job does not open another."""
    def runs(name):
        told = muster("status", name, "--json")
        return told.code == 0 and told.json()["phase"] == "running"

    first = muster.start("run", muster.spec({"name": "one", "command": gate.wait, "tasks": 1}))
    harness.eventually(lambda: runs("one"))
    second = muster.start("run", muster.spec({"name": "two", "command": gate.wait, "tasks": 1}))
    harness.eventually(lambda: runs("two"))
    one, two = (muster.home / "jobs" / job for job in muster.jobs())
    secrets = [path for path in one.rglob("*")
               if path.is_file() and re.search("secret|key", path.name)]
    assert secrets
    for path in secrets:
        other = two / path.relative_to(one)
        path.write_bytes(other.read_bytes())
    done = muster("stop", one.name)
    assert done.code == 6, done.text
    gate.open()
    first.wait()
    second.wait().expect(0)
