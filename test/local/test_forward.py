"""muster forward: ports of tasks' hosts, by the master's relay."""

import contextlib
import hashlib
import os
import re
import signal
import socket
import struct
import threading

import harness
import pytest
import siege

# A server in the task: it prints its port, then answers each connection with everything it
# received, reversed, once it has all of it.
SERVER = r"""
import os, socket, sys, threading
family = socket.AF_INET6 if sys.argv[1] == "::1" else socket.AF_INET
server = socket.create_server((sys.argv[1], 0), family=family, backlog=200)
with open("pid", "w") as f: f.write(str(os.getpid()))
with open("port.tmp", "w") as f: f.write(str(server.getsockname()[1]))
os.rename("port.tmp", "port")
def serve(c):
    with c:
        if sys.argv[2] == "first":
            c.sendall(b"hello\n")
        got = b""
        while piece := c.recv(1 << 16):
            got += piece
            if sys.argv[2] == "echo":
                c.sendall(piece)
        if sys.argv[2] != "echo":
            c.sendall(got[::-1])
while True:
    c, _ = server.accept()
    threading.Thread(target=serve, args=(c,), daemon=True).start()
"""


@pytest.fixture
def muster(muster):
    """The program; its jobs are stopped at the end of a test."""
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


@pytest.fixture
def server(muster):
    """Starts a job whose task is the server; returns the job and the port."""
    def start(host="127.0.0.1", kind="reverse", **more):
        muster.write("server.py", SERVER)
        spec = {"command": f"exec python3 server.py {host} {kind}", "tasks": 1,
                "files": ["server.py"], **more}
        muster("submit", muster.spec(spec)).expect(0)
        muster.wait_for_phase("running")
        job = muster.job()
        port = muster("exec", job, "--", "sh", "-c",
                      "until cat port 2>/dev/null; do sleep 0.02; done").expect(0).out
        return job, int(port)
    return start


def local_port(running):
    return int(running.sees(r"127\.0\.0\.1:(\d+) is ").group(1))


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE)


def ask(port, data):
    """Sends everything, closes that half, and returns what comes until the end."""
    with connect(port) as c:
        sender = threading.Thread(target=lambda: (c.sendall(data), c.shutdown(socket.SHUT_WR)))
        sender.start()
        got = b""
        while piece := c.recv(1 << 16):
            got += piece
        sender.join()
        return got


def is_broken(c):
    """Whether the connection ends, in whatever way."""
    try:
        return c.recv(1) == b""
    except ConnectionResetError:
        return True


def test_bytes_go_both_ways_and_each_half_closes_alone(muster, server):
    job, port = server()
    running = muster.start("forward", job, "worker:0", f"0:{port}")
    data = os.urandom(5_000_000)
    got = ask(local_port(running), data)
    assert hashlib.sha256(got).digest() == hashlib.sha256(data[::-1]).digest()
    assert ask(local_port(running), b"") == b""
    running.signal(signal.SIGINT)
    assert running.wait().expect(128 + signal.SIGINT).err == ""


@pytest.mark.parametrize("host", ["::1", "127.0.0.1"])
def test_a_server_that_speaks_first(muster, server, host):
    job, port = server(host=host, kind="first")
    running = muster.start("forward", job, f"0:{port}")
    assert ask(local_port(running), b"abc") == b"hello\ncba"


def test_another_user_of_this_machine_is_not_forwarded(muster, server):
    """A program in a task may not authenticate anybody: a debugger, a dashboard that runs code."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    job, port = server(kind="first")
    hello = b"h".hex()
    running = muster.start("forward", job, f"0:{port}")
    local = local_port(running)
    assert siege.heard_at([local], *siege.AS_ANOTHER_USER) == ["closed"]
    running.sees("another user of this machine .uid 54321. tried to connect")
    assert siege.heard_at([local]) == [hello]
    # A program may use an IPv6 socket, as Java programs do.
    with socket.create_connection(("::ffff:127.0.0.1", local), harness.PATIENCE) as peer:
        assert peer.recv(1) == b"h"
    running.signal(signal.SIGINT)
    running.wait()
    for words, heard in ((["--socks", "0"], "closed"), (["--any-user", f"0:{port}"], hello)):
        running = muster.start("forward", job, *words)
        local = local_port(running)
        assert siege.heard_at([local], *siege.AS_ANOTHER_USER) == [heard]
        running.signal(signal.SIGINT)
        running.wait()


def test_more_connections_than_streams_all_have_their_turn(muster, server):
    job, port = server()
    running = muster.start("forward", job, "worker:0", f"0:{port}")
    here = local_port(running)
    results = {}

    def work(i):
        results[i] = ask(here, str(i).encode() * 1000)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(harness.PATIENCE)
    assert results == {i: (str(i).encode() * 1000)[::-1] for i in range(100)}
    shown = muster("show", job).expect(0).out
    assert len(re.findall(rf"opened forward in worker:0 from 127\.0\.0\.1: port {port}\b",
                          shown)) == 1, shown


def test_one_that_does_not_read_stops_nobody(muster, server):
    job, port = server(kind="echo")
    running = muster.start("forward", job, "worker:0", f"0:{port}")
    here = local_port(running)
    with connect(here) as stuck:
        stuck.setblocking(False)
        sent = 0

        def full():
            nonlocal sent
            before = sent
            try:
                while True:
                    sent += stuck.send(b"x" * 65536)
            except BlockingIOError:
                return sent == before
        harness.eventually(full, pause=0.2)
        assert ask(here, b"through") == b"through"


def test_a_port_nobody_listens_on_is_told_each_time(muster, server):
    job, port = server()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        running = muster.start("forward", job, "worker:0", f"0:{free.getsockname()[1]}")
        here = local_port(running)
        for _ in range(2):
            try:
                with connect(here) as c:
                    assert is_broken(c)
            except ConnectionResetError:
                pass  # Broken before it was seen to be established.
        running.sees(rf"(?s)(no program listens on port {free.getsockname()[1]} of the task's "
                     r"host.*){2}")
    running.signal(signal.SIGTERM)
    running.wait().expect(128 + signal.SIGTERM)


def test_a_killed_master_ends_what_it_relays_and_new_ones_go_on(muster, server):
    job, port = server(kind="echo")
    running = muster.start("forward", "--relay", job, "worker:0", f"0:{port}")
    here = local_port(running)
    with connect(here) as c:
        c.sendall(b"x")
        assert c.recv(1) == b"x"
        os.kill(muster.pids("master")[0], signal.SIGKILL)
        assert is_broken(c)
    assert ask(here, b"again") == b"again"
    running.sees("looking for it again")
    running.sees("connected again")


def test_a_killed_master_is_not_noticed_by_what_goes_there_directly(muster, server):
    job, port = server(kind="echo")
    running = muster.start("forward", job, "worker:0", f"0:{port}")
    here = local_port(running)
    with connect(here) as c:
        c.sendall(b"x")
        assert c.recv(1) == b"x"
        os.kill(muster.pids("master")[0], signal.SIGKILL)
        running.sees("looking for it again")
        c.sendall(b"while there is none")
        assert c.recv(100) == b"while there is none"
        running.sees("connected again")
        assert ask(here, b"new") == b"new"
        c.sendall(b"y")
        assert c.recv(1) == b"y"
    shown = muster("show", job).expect(0).out
    assert "opened forward in worker:0" in shown


def agent_port(muster):
    (pid,) = muster.pids("agent")
    ((_, port),) = harness.listening(pid)
    return port


# A server in the task that sends a gigabyte to whoever connects, without its length, or takes what
# comes and writes down how that ended.
MUCH = r"""
import os, socket, threading
server = socket.create_server(("127.0.0.1", 0))
with open("port.tmp", "w") as f: f.write(str(server.getsockname()[1]))
os.rename("port.tmp", "port")
PIECE = bytes(range(256)) * 4096
def serve(c):
    with c:
        if c.recv(1) == b"g":
            for _ in range(1024): c.sendall(PIECE)
            return
        how = "whole"
        try:
            while c.recv(1 << 20): pass
        except ConnectionResetError:
            how = "broken"
        print(how, flush=True)
while True:
    c, _ = server.accept()
    threading.Thread(target=serve, args=(c,), daemon=True).start()
"""


@pytest.mark.parametrize("options", [["--relay"], []], ids=["relayed", "direct"])
def test_a_transfer_under_a_killed_master_is_whole_or_breaks(muster, options):
    """A download without a length ends with its connection, and so does an upload: one that is cut
    off must not look complete at either end."""
    muster.write("much.py", MUCH)
    muster("submit", muster.spec({"command": "exec python3 much.py", "tasks": 1,
                                  "files": ["much.py"]})).expect(0)
    muster.wait_for_phase("running")
    job = muster.job()
    port = muster("exec", job, "--", "sh", "-c",
                  "until cat port 2>/dev/null; do sleep 0.02; done").expect(0).out
    running = muster.start("forward", *options, job, f"0:{port}")
    here = local_port(running)

    def kill_master():
        os.kill(muster.pids("master")[0], signal.SIGKILL)

    def get(disturbed):
        """How a download ended: the hash of what came, or that it broke."""
        got, size = hashlib.sha256(), 0
        with connect(here) as c:
            c.sendall(b"g")
            try:
                while piece := c.recv(1 << 20):
                    got.update(piece)
                    size += len(piece)
                    if disturbed and size > 50_000_000:
                        disturbed = False
                        kill_master()
            except ConnectionResetError:
                return "broken"
        return got.hexdigest()

    whole = hashlib.sha256(bytes(range(256)) * 4096 * 1024).hexdigest()
    assert get(disturbed=True) == ("broken" if options else whole)
    running.sees("connected again")
    assert get(disturbed=False) == whole
    with connect(here) as c:
        c.sendall(b"p")
        with contextlib.suppress(OSError):
            for number in range(1024):
                c.sendall(bytes(1 << 20))
                if number == 50:
                    kill_master()
            c.shutdown(socket.SHUT_WR)
        ended = "broken\n" if options else "whole\n"
        harness.eventually(lambda: muster.log_text("worker-0") == ended)


def test_direct_or_through_the_master_is_the_users_choice(muster, server):
    job, port = server(kind="echo")
    far = ("127.0.0.1", agent_port(muster))
    (master,) = muster.pids("master")

    def who_goes_there(*options):
        """Whether the client has a connection to the agent's port, and whether its master has."""
        running = muster.start("forward", *options, job, "worker:0", f"0:{port}")
        here = local_port(running)
        with connect(here) as c:
            c.sendall(b"12")
            assert c.recv(2) == b"12"
            found = (far in harness.peers(running.pid), far in harness.peers(master))
        running.signal(signal.SIGINT)
        running.wait().expect(128 + signal.SIGINT)
        return found
    assert who_goes_there("--relay") == (False, True)
    harness.eventually(lambda: far not in harness.peers(master))
    assert who_goes_there() == (True, False)


def test_the_end_of_the_job_ends_it(muster, server):
    job, port = server(kind="echo")
    running = muster.start("forward", job, "worker:0", f"0:{port}")
    with connect(local_port(running)) as c:
        c.sendall(b"x")
        assert c.recv(1) == b"x"
        muster("stop", job).expect(0)
        assert is_broken(c)
    assert "ended" in running.wait().expect(6).err


@pytest.mark.parametrize("options", [[], ["--relay"]])
def test_who_ends_a_forward_breaks_what_it_carries(muster, server, options):
    """A download without a length ends with its connection: one that is cut off must not look
    complete."""
    job, port = server(kind="first")
    running = muster.start("forward", *options, job, f"0:{port}")
    with connect(local_port(running)) as cut:
        assert cut.recv(6) == b"hello\n"
        running.signal(signal.SIGINT)
        running.wait().expect(128 + signal.SIGINT)
        with pytest.raises(ConnectionResetError):
            cut.recv(1)


def test_a_connection_waits_for_the_next_attempt(muster, server):
    job, port = server(kind="echo", restart={"process": 3, "backoff": "10s..10s"})
    running = muster.start("forward", job, "worker:0", f"0:{port}")
    here = local_port(running)
    with connect(here) as c:
        c.sendall(b"x")
        assert c.recv(1) == b"x"
        muster("exec", job, "--", "sh", "-c", "kill -9 $(cat pid)")
        assert is_broken(c)
    harness.eventually(lambda: muster.status()["roles"]["worker"]["tasks"][0]["state"] == "waiting")
    with connect(here) as c:
        running.sees("worker:0 is between two attempts")
        # The next attempt has a port of its own: nobody listens on this one.
        assert is_broken(c)
    running.sees("no program listens")


def test_socks_leads_to_all_hosts_of_the_job_and_to_no_other(muster, server):
    job, port = server(kind="echo")
    host = muster.status(job)["roles"]["worker"]["tasks"][0]["host"]
    running = muster.start("forward", job, "--socks", "0")
    here = local_port(running)

    def through(name):
        with connect(here) as c:
            c.sendall(b"\x05\x01\x00")
            assert c.recv(2) == b"\x05\x00"
            c.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + struct.pack(">H", port))
            reply = c.recv(10)
            if reply[1] == 0:
                c.sendall(b"ping")
                assert c.recv(4) == b"ping"
            return reply[1]
    assert through(host.encode()) == 0
    assert through(b"worker-0") == 0
    assert through(b"example.org") == 4
    running.sees("no task of the job runs on example.org")
    with connect(here) as c:
        c.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert is_broken(c)
    running.sees("does not speak SOCKS 5")


def test_mistakes_are_named(muster, server):
    job, port = server()
    muster("forward", job).expect_error(2, "name the port")
    muster("forward", job, "worker:0", "http").expect_error(2, "http", "not a port")
    muster("forward", job, "worker:0", "0").expect_error(2, "not a port")
    muster("forward", job, "worker:0", "1:70000").expect_error(2, "1:70000")
    muster("forward", job, "worker:7", "0:80").expect_error(2, "worker:7", "1 task")
    muster("forward", job, "worker:0", "80", "--socks", "0").expect_error(2, "--socks")
    muster("forward", "nothing-abc", "80").expect_error(2, "no such job")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        muster("forward", job, f"{number}:80").expect_error(2, f"port {number}", "in use")
    muster("stop", job).expect(0)
    muster("forward", job, "0:80").expect_error(6, "has ended")
