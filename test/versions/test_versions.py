"""Whatever a client does with a job of another version works, or says at once why it does not."""

import hashlib
import os
import signal
import socket
import subprocess
import threading

import harness
import pytest

TEN_MIB = os.urandom(1 << 20) * 10


@pytest.fixture
def client(muster, programs):
    """Runs a command of the client's version."""
    def run(*arguments, stdin=subprocess.DEVNULL):
        return muster.start(*arguments, program=programs[1], stdin=stdin).wait()
    return run


@pytest.mark.parametrize("command", ["status", "ps", "show", "logs", "why"])
def test_what_a_job_tells(client, command):
    client(command, *([] if command == "ps" else ["last"])).expect(0)


def test_exec(client, tmp_path):
    done = client("exec", "last", "worker:0", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.code, done.out, done.err) == (3, "out\n", "err\n")
    (tmp_path / "data").write_bytes(TEN_MIB)
    with open(tmp_path / "data", "rb") as stdin:
        done = client("exec", "last", "worker:1", "--", "sha256sum", stdin=stdin).expect(0)
    assert done.out.split()[0] == hashlib.sha256(TEN_MIB).hexdigest()
    assert client("exec", "last", "worker", "--", "echo", "x").expect(0).out.count("x\n") == 2


def test_cp(client, tmp_path):
    (tmp_path / "data").write_bytes(TEN_MIB)
    (tmp_path / "tree/sub").mkdir(parents=True)
    (tmp_path / "tree/sub/file").write_text("in a folder")
    (tmp_path / "there").mkdir()
    client("cp", "data", f"last:worker:0:{tmp_path}/there/").expect(0)
    client("cp", f"last:worker:0:{tmp_path}/there/data", "back").expect(0)
    assert (tmp_path / "back").read_bytes() == TEN_MIB
    client("cp", "-r", "tree", f"last:worker:0:{tmp_path}/there/").expect(0)
    assert (tmp_path / "there/tree/sub/file").read_text() == "in a folder"


@pytest.mark.parametrize("options", [[], ["--relay"]])
def test_forward(muster, programs, options):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        running = muster.start("forward", *options, "last", f"0:{port}", program=programs[1])
        here = int(running.sees(r"127\.0\.0\.1:(\d+) is ").group(1))
        with socket.create_connection(("127.0.0.1", here), timeout=harness.PATIENCE) as near:
            server.settimeout(harness.PATIENCE)
            far, _ = server.accept()
            with far:
                far.settimeout(harness.PATIENCE)
                pump(near, far)
                pump(far, near)
        running.signal(signal.SIGINT)
        running.wait().expect(128 + signal.SIGINT)


def pump(source, target):
    """Sends everything from one to the other, several windows' worth."""
    sender = threading.Thread(target=source.sendall, args=(TEN_MIB,))
    sender.start()
    got = bytearray()
    while len(got) < len(TEN_MIB):
        piece = target.recv(1 << 16)
        assert piece, f"ended after {len(got)} bytes"
        got += piece
    sender.join()
    assert bytes(got) == TEN_MIB


def test_a_shell_outlives_its_master(muster, programs):
    shell = muster.start("shell", "last", "worker:0", terminal=True, program=programs[1])
    shell.type(b"PS1='> '; KEPT=mine\n")
    shell.type(b"echo first-$((20 + 1))\n")
    shell.sees("first-21")
    for master in muster.pids("master"):
        os.kill(master, signal.SIGKILL)
    shell.sees("connected again")
    shell.type(b"echo $KEPT-$((20 + 2))\n")
    shell.sees("mine-22")
    shell.type(b"exit 7\n")
    assert shell.wait().code == 7


def test_a_shell_is_joined_by_the_other_version(muster, programs):
    """Left by one and joined by the other, also while the first has it again, and resized."""
    first = muster.start("shell", "last", "worker:0", terminal=True, program=programs[0])
    first.type(b"PS1='> '; KEPT=mine\n")
    first.type(b"echo first-$((20 + 1))\n")
    first.sees("first-21")
    listed = muster.start("shell", "last", "--list", program=programs[1]).wait().expect(0)
    assert listed.lines("worker:0"), listed.text
    second = muster.start("shell", "last", "worker:0", "--join", "1", terminal=True,
                          program=programs[1])
    assert "somebody else has joined" in first.wait().text
    second.type(b"echo $KEPT-$((20 + 2)); stty rows 31 columns 97; stty size\n")
    second.sees("mine-22")
    second.sees("31 97")
    second.type(b"\x1dd")
    second.wait().expect(0)
    third = muster.start("shell", "last", "worker:0", "--join", "0", terminal=True,
                         program=programs[0])
    third.type(b"echo again-$((20 + 3))\n")
    third.sees("again-23")
    third.type(b"exit 7\n")
    assert third.wait().code == 7


def test_ctrl_c_ends_a_flood(muster, programs):
    running = muster.start("exec", "last", "worker:0", "-t", "--", "yes", terminal=True,
                           program=programs[1])
    running.sees("y\ny\n")
    running.type(b"\x03")
    assert running.wait().code == 128 + signal.SIGINT


def test_stacks_and_stop(client):
    client("stacks", "last").expect(0)
    client("stop", "last").expect(0)
    client("history").expect(0)
