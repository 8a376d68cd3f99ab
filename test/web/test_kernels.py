"""Jupyter kernels in tasks of running jobs: the provisioner, by a real jupyter_client."""
# timeout: 900

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import types

import harness
import pytest
import siege

PACKAGE = pathlib.Path(__file__).parents[2] / "python/src/muster/jupyter"

# Plays a notebook server. Reads commands from standard input, one a line, and answers each with a
# line of JSON.
MANAGER = r"""
import asyncio, json, sys
from jupyter_client.ioloop import AsyncIOLoopKernelManager
from jupyter_client.manager import AsyncKernelManager
from muster.jupyter import TaskKernels

async def run(client, code, begun=None):
    printed, error = [], None
    def hook(message):
        nonlocal error
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])
            if begun is not None:
                begun.set()
        if message["msg_type"] == "error":
            error = message["content"]["ename"]
    await client.execute_interactive(code, timeout=100, output_hook=hook)
    return {"printed": "".join(printed), "error": error}

async def main():
    specs = TaskKernels()
    names = {spec["spec"]["display_name"]: name for name, spec in specs.get_all_specs().items()}
    manager = client = None
    dead = asyncio.Event()
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        verb, argument = json.loads(line)
        answer = None
        try:
            if verb == "names":
                answer = sorted(names)
            elif verb == "start":
                manager = AsyncKernelManager(kernel_name=names[argument],
                                             kernel_spec_manager=specs)
                await manager.start_kernel()
                client = manager.client()
                client.start_channels()
                await client.wait_for_ready(timeout=100)
            elif verb == "start_watched":
                # As a notebook server does: it starts the kernel again where it ends.
                manager = AsyncIOLoopKernelManager(kernel_name=names[argument],
                                                   kernel_spec_manager=specs)
                manager.config.KernelRestarter.time_to_dead = 0.2
                await manager.start_kernel()
                manager.add_restart_callback(dead.set, "dead")
            elif verb == "dead":
                await asyncio.wait_for(dead.wait(), 100)
            elif verb == "run":
                answer = await run(client, argument)
            elif verb == "interrupted":
                begun = asyncio.Event()
                running = asyncio.create_task(run(client, argument, begun))
                await asyncio.wait_for(begun.wait(), 100)
                await manager.interrupt_kernel()
                answer = await running
            elif verb == "restart":
                await manager.restart_kernel()
                await client.wait_for_ready(timeout=100)
            elif verb == "key":
                answer = manager.session.key.decode()
            elif verb == "alive":
                answer = await manager.is_alive()
            elif verb == "wait":
                answer = await manager.provisioner.wait()
            elif verb == "shutdown":
                client.stop_channels()
                await manager.shutdown_kernel(now=argument)
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)

asyncio.run(main())
"""


class Manager:
    """A process that manages one kernel."""

    def __init__(self, python, environment, folder):
        self.process = subprocess.Popen([python, "-c", MANAGER], env=environment, cwd=folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, verb, argument=None):
        self.process.stdin.write(json.dumps([verb, argument]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the manager has ended: {self.process.wait()}"
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait(harness.PATIENCE)
        self.process.stdout.close()


@pytest.fixture
def manager(python, jupyter, digits, tmp_path):
    manager = Manager(python, jupyter, tmp_path)
    yield manager
    manager.close()


def environment_of(pid):
    return pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")


def kernels(muster):
    return [pid for pid, line in muster.processes().items()
            if "IPKernelApp.instance()" in line and "class Warden" not in line]


def test_a_kernel_runs_in_the_task_that_its_name_says(muster, manager, digits):
    assert {f"worker:{index} of {digits}" for index in range(2)} <= set(manager("names"))
    assert manager("start", f"worker:1 of {digits}") is None
    code = "import os; print(os.environ['MUSTER_ROLE'], os.environ['MUSTER_INDEX'], os.getcwd())"
    words = manager("run", code)["printed"].split()
    assert words[:2] == ["worker", "1"]
    assert words[2] == muster("exec", digits, "worker:1", "--", "pwd").expect(0).out.strip()
    (pid,) = kernels(muster)
    # The key is not in any command line or environment.
    key = manager("key")
    assert len(key) >= 32
    assert not any(key.encode() in entry for entry in environment_of(pid))
    assert not any(key in line for line in muster.processes().values())
    sleeper = "print('begun', flush=True); import time; time.sleep(1000)"
    assert manager("interrupted", sleeper)["error"] == "KeyboardInterrupt"
    assert manager("run", "print(1 + 1)")["printed"] == "2\n"
    assert manager("shutdown", False) is None
    harness.eventually(lambda: kernels(muster) == [])


def test_a_kernel_outlives_the_master(muster, manager, digits):
    manager("start", f"worker:0 of {digits}")
    manager("run", "x = 6 * 7")
    os.kill(muster.pids("master")[0], signal.SIGKILL)
    assert manager("run", "print(x)")["printed"] == "42\n"
    assert manager("alive") is True
    assert manager("restart") is None
    assert manager("run", "print('x' in globals())")["printed"] == "False\n"
    assert manager("shutdown", True) is None
    harness.eventually(lambda: kernels(muster) == [])


def test_the_end_of_a_kernel_is_seen(muster, manager, digits):
    manager("start", f"worker:0 of {digits}")
    (pid,) = kernels(muster)
    os.kill(pid, signal.SIGKILL)
    assert manager("wait") == -signal.SIGKILL
    assert manager("alive") is False


def test_a_kernel_ends_with_its_task(muster, manager, digits):
    manager("start", f"worker:0 of {digits}")
    for pid, line in muster.processes().items():
        if line == "sleep 1000" and b"MUSTER_INDEX=0" in environment_of(pid):
            os.kill(pid, signal.SIGKILL)
    harness.eventually(lambda: kernels(muster) == [])
    assert manager("wait") not in (None, 0)


def test_a_kernel_whose_task_has_ended_is_dead_to_its_server(muster, manager, digits):
    """It is not restarted over and over."""
    assert manager("start_watched", f"worker:0 of {digits}") is None
    muster("stop", digits).expect(0)
    assert manager("dead") is None
    assert manager("alive") is False


def test_a_task_without_ipykernel_says_so(muster, python, jupyter):
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1, "name": "bare",
                                  "env": {"PATH": "/usr/bin:/bin"}}, "bare.yaml")).expect(0)
    bare = muster.job()
    muster.wait_for_phase("running")
    with contextlib.closing(Manager(python, jupyter, muster.folder)) as manager:
        failed = manager("start", f"worker:0 of {bare}")["failed"]
    assert f"worker:0 of {bare}" in failed
    assert "ipykernel" in failed
    muster("stop", bare).expect(0)


def test_another_user_reads_nothing_of_a_kernel(muster, manager, digits):
    """Whoever could connect would see the code that it runs, and everything that it prints."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    manager("start", f"worker:0 of {digits}")
    (kernel,) = kernels(muster)
    # It has one port of its own, to which its children send their output; nothing comes out there.
    assert len(harness.listening(kernel)) <= 1
    ports = [port for _, port in harness.listening(harness.parent_of(kernel))]
    assert len(ports) == 6
    assert siege.heard_at(ports, *siege.AS_ANOTHER_USER) == ["closed"] * 6
    # Its own user hears the greeting of each of the kernel's sockets, and the warden waits.
    assert sorted(siege.heard_at(ports)) == ["TimeoutError"] + ["ff"] * 5
    assert manager("run", "print(6 * 7)")["printed"] == "42\n"
    assert manager("shutdown", True) is None


def sent(*names):
    """What is sent into a task, as one module: these files of muster.jupyter, one after another."""
    module = types.ModuleType("sent")
    for name in names:
        exec((PACKAGE / name).read_text(), module.__dict__)
    return module


# Connects to a port of this host, says so, and stays.
STAYS = """
import socket, sys
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
print("here", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def connection_of(*who):
    """The local end of a connection made by that user (a command that runs another), or by this
    one."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        peer = subprocess.Popen(
            [*who, sys.executable, "-c", STAYS, str(server.getsockname()[1])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert peer.stdout.readline() == b"here\n"
            connection, _ = server.accept()
            with connection:
                yield connection
        finally:
            peer.stdin.close()
            peer.wait()
            peer.stdout.close()


@pytest.mark.parametrize("by", ["asking", "the table"])
def test_who_is_at_the_other_end_is_known(monkeypatch, by):
    """Without the table, whose length others control, if the kernel can be asked."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    module = sent("peer_user.py")

    def none(*_):
        raise OSError(95, "not here")

    monkeypatch.setitem(module.__dict__, "look_up" if by == "asking" else "ask_kernel", none)
    # As an unprivileged user, because root counts as everybody.
    monkeypatch.setattr(module.os, "getuid", lambda: 54321)
    with connection_of(*siege.AS_ANOTHER_USER) as connection:
        assert module.is_of_this_user(connection)
        monkeypatch.setattr(module.os, "getuid", lambda: 54322)
        assert not module.is_of_this_user(connection)
    with connection_of() as connection:
        assert module.is_of_this_user(connection), "root's"
    with socket.create_server(("127.0.0.1", 0)) as server:
        gone = socket.create_connection(server.getsockname())
        connection, _ = server.accept()
        with connection:
            gone.close()
            assert not module.is_of_this_user(connection)


@pytest.fixture
def warden():
    """Starts one over a kernel that only sleeps."""
    module = sent("kernel_folder.py", "peer_user.py", "warden.py")
    started = []

    def start(alone):
        one = module.Warden({"key": "k" * 36, "alone": alone})
        one.kernel = subprocess.Popen(["sleep", "1000"])
        watching = threading.Thread(target=one.watch)
        watching.start()
        started.append((one, watching))
        return one, watching

    yield start
    for one, watching in started:
        one.kernel.kill()
        watching.join()
        one.remove()


def test_who_says_no_key_keeps_nobody_from_a_kernel(warden):
    one, _ = warden(1000)
    door = one.server.getsockname()
    with contextlib.ExitStack() as held:
        for number in range(100):
            peer = held.enter_context(socket.create_connection(door, harness.PATIENCE))
            peer.sendall(b"k" * (number % 3))
        owner = held.enter_context(socket.create_connection(door, harness.PATIENCE))
        begun = time.monotonic()
        owner.sendall(b"k" * 36 + b"\n%d\n" % signal.SIGTERM)
        assert owner.recv(3) == b"ok\n"
        assert owner.recv(10) == b"%d\n" % -signal.SIGTERM
        assert time.monotonic() - begun < siege.patience()


def test_who_says_no_key_keeps_no_kernel_alive(warden):
    one, watching = warden(0.5)
    begun = time.monotonic()
    while watching.is_alive() and time.monotonic() - begun < harness.PATIENCE:
        with contextlib.suppress(OSError):
            socket.create_connection(one.server.getsockname(), 1).close()
        watching.join(0.1)
    assert not watching.is_alive()
    assert one.kernel.returncode == -signal.SIGTERM


OWNER = """
import sys
SHORT, ABOVE_MAX = sys.argv[1], 200
print(make_kernel_folder(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def owner(tmp_path, monkeypatch):
    """Starts a process that has a folder for kernels; returns both."""
    code = (PACKAGE / "kernel_folder.py").read_text() + OWNER
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with contextlib.ExitStack() as running:
        def start():
            process = running.enter_context(subprocess.Popen(
                [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True))
            running.callback(process.kill)
            return process, pathlib.Path(process.stdout.readline().strip())

        yield start


@pytest.fixture
def folders(owner, monkeypatch, tmp_path):
    """kernel_folder.py in this process, making its folders where `owner` does."""
    module = sent("kernel_folder.py")
    monkeypatch.setattr(module, "SHORT", str(tmp_path))
    monkeypatch.setattr(module, "ABOVE_MAX", 200)
    monkeypatch.setattr(module.tempfile, "tempdir", None)
    yield module
    module.tempfile.tempdir = None


def test_what_a_killed_warden_leaves_goes_with_the_next_start(owner, folders, tmp_path):
    killed, left = owner()
    _, lives = owner()
    (left / "connection.json").write_text("x")
    killed.kill()
    killed.wait()
    # What others may put there.
    (tmp_path / "muster-kernels-link").symlink_to(tmp_path / "victim")
    (tmp_path / "victim").mkdir()
    (tmp_path / "muster-kernels-file").touch()
    (tmp_path / "muster-kernels-other").mkdir()
    if os.geteuid() == 0:
        os.chown(tmp_path / "muster-kernels-other", 54321, 54321)
    made = pathlib.Path(folders.make_kernel_folder())
    assert made.stat().st_mode & 0o777 == 0o700
    assert lives.is_dir()
    assert not left.exists()
    assert (tmp_path / "victim").is_dir()
    assert (tmp_path / "muster-kernels-link").is_symlink()
    assert (tmp_path / "muster-kernels-file").exists()
    assert (tmp_path / "muster-kernels-other").exists() == (os.geteuid() == 0)


def test_a_folder_that_somebody_removes_before_it_is_locked_is_made_again(folders, monkeypatch):
    """Another start may see it at that moment, and take it for abandoned."""
    lock, first = folders.fcntl.flock, []

    def late(file, how):
        if not first:
            first.append(os.readlink(f"/proc/self/fd/{file}"))
            folders.remove_if_left(first[0])
        lock(file, how)

    monkeypatch.setattr(folders.fcntl, "flock", late)
    made = folders.make_kernel_folder()
    assert made != first[0]
    assert os.path.isdir(made)
    assert not os.path.exists(first[0])


# What another version of muster may print, for `forward` and for everything else.
ANSWERS = {
    "exec": ("echo kernel started", "", "`{program} exec` answered 'kernel started', which this"),
    "exec's words": ('echo \'{"ports": [1]}\'', "", "`{program} exec` answered"),
    "forward": ("cat ports", "echo listening on 5; exec sleep 1000",
                "`{program} forward` answered 'listening on 5', which this package does not know"),
    "a refusal": ("cat ports", "echo 'muster: error: no forward' >&2; exit 2",
                  "cannot be reached: muster: error: no forward"),
    "no refusal": ("cat ports", "exit 2", "`muster forward` has ended"),
}


@pytest.fixture
def answer(python, jupyter, tmp_path):
    """Plays another version of muster, and returns a kernel manager that asks it."""
    managers = []
    (tmp_path / "ports").write_text(json.dumps(
        {name: 1000 + at for at, name in enumerate(("shell_port", "iopub_port", "stdin_port",
                                                    "hb_port", "control_port", "warden_port"))}))

    def play(script, mode=0o755):
        program = tmp_path / "other-muster"
        program.write_text(f"#!/bin/sh\ncd {tmp_path}\n{script}\n")
        program.chmod(mode)
        managers.append(Manager(python, {**jupyter, "MUSTER_BINARY": str(program)}, tmp_path))
        return managers[-1]

    yield play
    for manager in managers:
        manager.close()


PS = """case $1 in
ps) echo '{"jobs": [{"job": "one"}]}' ;;
status) echo '{"roles": {"worker": {"tasks": [{"index": 0, "state": "active"}]}}}' ;;
exec) cat > /dev/null; %s ;;
forward) echo $$ > forward; %s ;;
esac"""


@pytest.mark.parametrize("what", ANSWERS)
def test_another_muster_is_named_when_its_answers_mean_nothing(answer, tmp_path, what):
    to_exec, to_forward, words = ANSWERS[what]
    manager = answer(PS % (to_exec, to_forward))
    failed = manager("start", "worker:0 of one")["failed"]
    assert failed.startswith("KernelError: "), failed
    assert words.format(program=tmp_path / "other-muster") in failed
    if (tmp_path / "forward").exists():
        pid = int((tmp_path / "forward").read_text())
        harness.eventually(lambda: not pathlib.Path(f"/proc/{pid}").exists())


@pytest.mark.parametrize("script", ["echo '{\"jobs\": [{\"id\": 1}]}'", "echo '[]'", "echo no JSON",
                                    "exit 1", "kill -9 $$", None])
def test_another_muster_hides_no_installed_kernel(answer, script):
    manager = answer(script, 0o755) if script else answer("true", 0o644)
    assert any("Python" in name for name in manager("names"))
