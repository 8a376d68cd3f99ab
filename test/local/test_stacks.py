# timeout: 300
"""muster stacks: what the threads of running tasks do, with and without py-spy; programs that come
and go while they are read."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import harness
import pytest

# Two threads at known lines; the main one reads from a pipe that nobody writes to.
PROGRAM = """
import os, threading, time

def rest():
    time.sleep(10000)

def load():
    reading, writing = os.pipe()
    print("ready", flush=True)
    os.read(reading, 1)

threading.Thread(target=rest, name="resting", daemon=True).start()
load()
"""


@pytest.fixture
def muster(muster):
    """The program; its jobs are stopped at the end of a test."""
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


@pytest.fixture(scope="session")
def py_spy():
    """The folder of the py-spy that the tests' own environment has."""
    folder = pathlib.Path(sys.executable).parent
    assert (folder / "py-spy").exists()
    return folder


# Without one: the PATH of harness.Muster.
PLAIN = "/usr/bin:/bin"


def start(muster, program, tasks=1, path=None, **spec):
    muster.write("program.py", program)
    muster("submit", muster.spec({"command": "exec /usr/bin/python3 program.py", "tasks": tasks,
                                  "files": ["program.py"], **spec}),
           env={"PATH": path or PLAIN}).expect(0)
    for index in range(tasks):
        harness.eventually(lambda index=index: "ready" in text_of(muster, f"worker:{index}"))
    return muster.job()


def text_of(muster, task):
    try:
        return muster.log_text(task)
    except FileNotFoundError:
        return ""


def stacks(muster, job, *words, path=None):
    return muster("stacks", job, *words, env={"PATH": path or PLAIN})


def frames_of(thread):
    return [(frame["function"], frame["line"]) for frame in thread["frames"]]


def test_python_frames_and_what_the_kernel_says(muster, py_spy):
    job = start(muster, PROGRAM, path=f"{py_spy}:{PLAIN}")

    def look():
        document = stacks(muster, job, "--json").expect(0).json()
        assert document["schema"] == "muster.stacks/1"
        (group,) = document["groups"]
        assert group["tasks"] == ["worker:0"]
        (process,) = group["processes"]
        threads = {thread["name"]: thread for thread in process["threads"]}
        return group, threads

    def rests():
        group, threads = look()
        main = threads["MainThread"]
        return main["state"] == "S" and frames_of(main) == [("load", 10), ("<module>", 13)] and (
            frames_of(threads["resting"])[0] == ("rest", 5)) and (group, threads)

    # It says that it is ready before it reads.
    group, threads = harness.eventually(rests, what=look)
    if threads["MainThread"]["system_call"]:
        assert threads["MainThread"]["system_call"] == "read"
        assert group["does"] == "reads from a pipe in load (program.py:10)"
    text = stacks(muster, job).expect(0).out
    assert text.startswith("worker:0 on ")
    assert "      load (program.py:10)\n      <module> (program.py:13)\n" in text


def test_py_spy_comes_from_where_the_command_is_typed(muster, py_spy):
    job = start(muster, PROGRAM)
    found = f"{py_spy}:{PLAIN}"
    harness.eventually(lambda: "load (program.py:10)" in stacks(
        muster, job, path=found).expect(0).out, what=lambda: stacks(muster, job, path=found).out)


def test_without_py_spy_it_says_what_is_missing_and_what_to_do(muster):
    job = start(muster, PROGRAM)
    text = stacks(muster, job).expect(0).out
    assert "there is no py-spy on" in text
    assert "pip install py-spy" in text
    assert "worker:0 on" in text and "python3" in text


def test_ranks_are_grouped_and_the_outlier_comes_first(muster, py_spy):
    program = """
import os, signal, time
def asleep():
    print("ready", flush=True)
    time.sleep(10000)
def waits():
    print("ready", flush=True)
    signal.pause()
asleep() if os.environ["MUSTER_INDEX"] == "2" else waits()
"""
    job = start(muster, program, tasks=5, path=f"{py_spy}:{PLAIN}")
    def groups():
        return stacks(muster, job, "--json").expect(0).json()["groups"]

    # What they print comes before the call in which they stay.
    harness.eventually(lambda: [group["tasks"] for group in groups()] == [
        ["worker:2"], ["worker:0", "worker:1", "worker:3", "worker:4"]])
    groups = groups()
    lines = stacks(muster, job).expect(0).out.splitlines()
    assert lines[0].startswith("worker:2 on ") and "asleep (program.py:5)" in lines[0]
    assert any(line.startswith("4 of 5 tasks ") and line.endswith(": worker:0-1, worker:3-4")
               for line in lines)


# One thread wants what another one has, each program in its own way.
HOLD = """
import fcntl, os, sys, threading, time

def spin():
    while True:
        pass

def gil():
    for _ in range(4):
        threading.Thread(target=spin, name="feature", daemon=True).start()
    print("ready", flush=True)
    while True:
        pass

def lock(take):
    with open("taken", "w") as file:
        take(file, fcntl.LOCK_EX)
        if os.fork() == 0:
            with open("taken", "r+") as file:
                print("ready", flush=True)
                take(file, fcntl.LOCK_EX)
        if take is fcntl.flock:
            time.sleep(10000)  # At a place of its own: each group shows one task.
        time.sleep(10000)

gil() if sys.argv[1] == "gil" else lock(getattr(fcntl, sys.argv[1]))
"""


def test_who_holds_what_others_want_is_named(muster, py_spy):
    muster.write("program.py", HOLD)
    path = f"{py_spy}:{PLAIN}"
    roles = {how: {"tasks": 1, "command": f"exec /usr/bin/python3 program.py {how}"}
             for how in ("gil", "lockf", "flock")}
    muster("submit", muster.spec({"files": ["program.py"], "roles": roles}),
           env={"PATH": path}).expect(0)
    for role in roles:
        harness.eventually(lambda role=role: "ready" in text_of(muster, f"{role}:0"))

    def text():
        return stacks(muster, muster.job(), path=path).expect(0).out

    # The threads have the lock in turn.
    shown = harness.eventually(lambda: re.search(
        r"gil:0 on \S+ waits for Python's lock \(GIL\) in gil \(program.py:\d+\); "
        r"its thread feature \w+ in spin", found := text()) and found, what=text)
    assert re.search(r"feature \(\w, holds the GIL", shown), shown
    for call in ("fcntl", "flock"):
        harness.eventually(lambda call=call: re.search(
            rf"S, {call} \S+/taken, which process \d+ \(python3\) holds", text()), what=text)


# What they wait for never comes: nobody is left to send it, or the other end is silent.
VAIN = """
import multiprocessing, os, queue, signal, socket, subprocess, sys, threading, time

def serve(seconds):
    time.sleep(seconds)

taken, take = os.pipe()

def lose(seconds):
    os.write(take, str(os.getpid()).encode())
    serve(seconds)

def pool():
    with multiprocessing.Pool(2) as workers:
        pending = workers.map_async(lose, [10000], chunksize=1)
        # Only once it has its part is that lost with it.
        os.kill(int(os.read(taken, 20)), signal.SIGKILL)
        print("ready", flush=True)
        pending.get()

def consumer():
    rows = multiprocessing.Queue(maxsize=1)
    child = multiprocessing.Process(target=serve, args=(10000,))
    child.start()
    rows.put(1)
    os.kill(child.pid, signal.SIGKILL)
    print("ready", flush=True)
    rows.put(2)

def feeder():
    rows = queue.Queue()
    threading.Thread(target=print, args=("ready",), kwargs={"flush": True}).start()
    rows.get()

def silent():
    server = socket.create_server(("127.0.0.1", 0))
    with socket.create_connection(server.getsockname()) as client:
        print("ready", client.getpeername()[1], flush=True)
        client.recv(1)

def unread():
    child = subprocess.Popen(["/usr/bin/env", "python3", "-c", "print('x' * 1000000)"],
                             stdout=subprocess.PIPE)
    print("ready", flush=True)
    child.wait()

globals()[sys.argv[1]]()
"""


def test_what_nobody_will_bring_is_named(muster, py_spy):
    muster.write("program.py", VAIN)
    path = f"{py_spy}:{PLAIN}"
    roles = {how: {"tasks": 1, "command": f"exec /usr/bin/python3 program.py {how}"}
             for how in ("pool", "consumer", "feeder", "silent", "unread")}
    muster("submit", muster.spec({"files": ["program.py"], "roles": roles}),
           env={"PATH": path}).expect(0)
    for role in roles:
        harness.eventually(lambda role=role: "ready" in text_of(muster, f"{role}:0"))
    port = re.search(r"ready (\d+)", text_of(muster, "silent:0"))[1]

    def text():
        return stacks(muster, muster.job(), path=path).expect(0).out

    for words in (r"pool:0 on \S+ waits in pool .*; all 2 workers of its pool wait for work: "
                  "the missing result was lost with a worker that was killed",
                  r"consumer:0 on \S+ waits in consumer .*; its child process \d+ was killed by "
                  "signal 9, and it has not noticed; no other thread or child process",
                  r"feeder:0 on \S+ waits in feeder .*; no other thread of its own is left to put "
                  "something there",
                  rf"silent:0 on \S+ receives from 127.0.0.1:{port} in silent",
                  r"unread:0 on \S+ writes to a pipe in .*; process \d+ writes to a pipe that only "
                  r"process \d+ could read, which waits for a child process to end"):
        harness.eventually(lambda words=words: re.search(words, text()), what=text)


def test_two_hundred_processes_and_such_that_end_meanwhile(muster):
    program = """
import os, subprocess, time
children = [subprocess.Popen(["sleep", "10000"]) for _ in range(200)]
print("ready", flush=True)
while True:
    subprocess.run(["true"])
"""
    job = start(muster, program)
    for _ in range(3):
        (group,) = stacks(muster, job, "--json").expect(0).json()["groups"]
        sleeping = [process for process in group["processes"]
                    if process["command"] == "sleep 10000"]
        assert len(sleeping) == 200


def test_hostile_names_do_no_harm(muster):
    program = r'''
import ctypes, sys, time
ctypes.CDLL(None).prctl(15, b"a) R 1\x1b[2J\n", 0, 0, 0)
print("ready", flush=True)
time.sleep(10000)
'''
    job = start(muster, program, command="exec /usr/bin/python3 program.py "
                                         "\"$(printf '\\033]0;x\\007')\" " + "x" * 20000)
    done = stacks(muster, job).expect(0)
    assert "\x1b" not in done.out and "\x07" not in done.out
    assert len(done.out) < 10000
    assert stacks(muster, job, "--json").expect(0).json()["groups"][0]["processes"]


def test_native_frames_where_a_debugger_is(muster):
    if not shutil.which("gdb") and not shutil.which("eu-stack"):
        pytest.skip("this machine has neither gdb nor eu-stack")
    muster("submit", muster.spec({"command": "exec sleep 10000", "tasks": 1})).expect(0)
    muster.wait_for_tasks()

    def frames():
        done = muster("stacks", muster.job(), "--native", "--json").expect(0)
        (process,) = done.json()["groups"][0]["processes"]
        return [frame["function"] for frame in process["threads"][0]["frames"]]

    harness.eventually(lambda: any("nanosleep" in frame for frame in frames()), what=frames)


def test_what_cannot_be_shown_is_said(muster):
    job = start(muster, PROGRAM)
    muster("stacks", job, "worker:7").expect_error(2, "worker:7")
    muster("stop", job).expect(0)
    muster("stacks", job).expect_error(6, "has ended")


def test_only_tasks_that_run_are_read(muster):
    spec = {"roles": {"early": {"tasks": 1, "command": "exec sleep 10000"},
                      "late": {"tasks": 1, "command": "true", "after": ["early"]}}}
    muster("submit", muster.spec(spec)).expect(0)
    harness.eventually(lambda: muster.status()["roles"]["early"]["tasks"][0].get(
        "attempt_state") == "running")
    done = muster("stacks", muster.job()).expect(0)
    assert "early:0 on" in done.out
    assert "muster: late:0" in done.err


# Each reads and prints nothing. The first three receive something every 5 s; the others are only
# woken by clocks, or told that somebody is alive.
READERS = """
import ctypes, os, signal, socket, struct, sys, threading, time

def feed(sender):
    while True:
        time.sleep(5)
        sender.send(b"x")

def receives(receiver):
    print("ready", flush=True)
    while True:
        try:
            receiver.recv(1000)
        except BlockingIOError:
            pass

def trickles():
    sender, receiver = socket.socketpair()
    threading.Thread(target=feed, args=[sender], daemon=True).start()
    receives(receiver)

def downloads():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    threading.Thread(target=feed, args=[server.accept()[0]], daemon=True).start()
    receives(client)

def polls():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname(), timeout=1)
    threading.Thread(target=feed, args=[server.accept()[0]], daemon=True).start()
    receives_in_time(client)

def polls_in_vain():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname(), timeout=1)
    receives_in_time(client)

def is_greeted_and_answers():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname(), timeout=60)
    threading.Thread(target=feed, args=[server.accept()[0]], daemon=True).start()
    receives_in_time(client, lambda: client.send(b"y"))

def receives_in_time(receiver, then=lambda: None):
    print("ready", flush=True)
    while True:
        try:
            receiver.recv(1000)
            then()
        except TimeoutError:
            pass

def tries_for_a_second():
    sender, receiver = socket.socketpair()
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 1, 0))
    receives(receiver)

def is_reminded():
    sender, receiver = socket.socketpair()
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    receives(receiver)

def reads_a_clock():
    libc = ctypes.CDLL(None)
    clock = libc.timerfd_create(1, 0)
    libc.timerfd_settime(clock, 0, struct.pack("llll", 1, 0, 1, 0), None)
    print("ready", flush=True)
    while True:
        os.read(clock, 8)

globals()[sys.argv[1]]()
"""


def test_what_comes_now_and_then_is_seen_and_clocks_are_not_taken_for_it(muster):
    muster.write("program.py", READERS)
    kinds = {"trickles": True, "downloads": True, "polls": True, "polls_in_vain": False,
             "is_greeted_and_answers": False, "tries_for_a_second": False, "is_reminded": False,
             "reads_a_clock": False}
    roles = {how.replace("_", "-"): {"tasks": 1,
                                     "command": f"exec /usr/bin/python3 program.py {how}"}
             for how in kinds}
    muster("submit", muster.spec({"files": ["program.py"], "roles": roles})).expect(0)
    for role in roles:
        harness.eventually(lambda role=role: "ready" in text_of(muster, f"{role}:0"))
    # The way the master looks at quiet tasks.
    looks = {role: muster.start("exec", muster.job(), role, "--", harness.BINARY, "stack-probe",
                                "--watch", "12") for role in roles}
    for (role, look), fed in zip(looks.items(), kinds.values(), strict=True):
        text = look.wait().expect(0).out
        process = json.loads(text.splitlines()[0])["process"]
        assert process["threads"][0]["fed"] == fed, (role, text)


# Holds a process as gdb and py-spy do while they read it, and never ends by itself. A process that
# has stopped before they waited for it keeps its stop signal when they are killed.
HOLDS = """#!/usr/bin/python3
import ctypes, os, pathlib, sys, time
option = "--pid" if "--pid" in sys.argv else "-p"
if "dump" in sys.argv:
    sys.exit(1)
pid = int(sys.argv[sys.argv.index(option) + 1])
libc = ctypes.CDLL(None)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
assert libc.ptrace(16, pid, None, None) == 0
while pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "t":
    pass
note = pathlib.Path(sys.argv[0] + ".pids")
note.with_suffix(".new").write_text(f"{os.getpid()} {os.getppid()}")
note.with_suffix(".new").rename(note)
time.sleep(10000)
"""


@pytest.fixture
def held(muster, tmp_path):
    """A job whose one process is held by a stand-in for a debugger, as when a command has it read:
    yields its pid, and a function that starts that command and returns it with the pids of the tool
    and of the probe that started the tool."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("eu-stack", "gdb", "py-spy"):
        (tools / name).write_text(HOLDS)
        (tools / name).chmod(0o755)
    job = start(muster, "import os, time\nprint('ready', os.getpid(), flush=True)\n"
                        "time.sleep(10000)\n", path=f"{tools}:{PLAIN}")
    pid = int(harness.eventually(
        lambda: re.search(r"ready (\d+)\n", text_of(muster, "worker:0")))[1])

    def hold(*words, terminal=False):
        command = muster.start(words[0], job, *words[1:], terminal=terminal, env={"PATH": PLAIN})
        (note,) = harness.eventually(lambda: list(tools.glob("*.pids")), what=lambda: command.text)
        assert state_of(pid) == "t"
        return command, *map(int, note.read_text().split())

    return pid, hold


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("killed", ["client", "tool", "probe", "master"])
def test_who_is_being_read_goes_on_when_the_reading_is_broken_off(muster, held, killed):
    pid, hold = held
    command, tool, probe = hold("stacks", "--native")
    if killed == "client":
        command.signal(signal.SIGINT)
    else:
        (master,) = muster.pids("master")
        os.kill({"tool": tool, "probe": probe, "master": master}[killed], signal.SIGKILL)
    harness.eventually(lambda: state_of(pid) == "S", what=lambda: state_of(pid))
    if killed != "master":
        command.wait()


def test_who_is_held_by_a_debugger_goes_on_when_that_is_killed(muster, held):
    pid, hold = held
    command, tool, _ = hold("debug", "gdb", terminal=True)
    os.kill(tool, signal.SIGKILL)
    command.wait()
    harness.eventually(lambda: state_of(pid) == "S", what=lambda: state_of(pid))


def test_who_is_profiled_goes_on_when_py_spy_is_killed(muster, held):
    pid, hold = held
    command, tool, _ = hold("debug", "record")
    os.kill(tool, signal.SIGKILL)
    command.wait().expect_error(2, "py-spy could not read process")
    harness.eventually(lambda: state_of(pid) == "S", what=lambda: state_of(pid))


def test_who_stood_before_the_reading_stands(muster, held):
    pid, hold = held
    os.kill(pid, signal.SIGSTOP)
    harness.eventually(lambda: state_of(pid) == "T")
    _, _, probe = hold("stacks", "--native")
    os.kill(probe, signal.SIGKILL)
    harness.eventually(lambda: state_of(pid) == "T", what=lambda: state_of(pid))
    os.kill(pid, signal.SIGCONT)


def test_nothing_is_left_of_a_task_that_is_held_when_its_agent_is_killed(muster, held):
    pid, hold = held
    hold("stacks", "--native")
    (agent,) = muster.pids("agent")
    os.kill(agent, signal.SIGKILL)
    harness.eventually(lambda: not pathlib.Path(f"/proc/{pid}").exists())


def test_the_probe_outside_of_a_task_says_so():
    done = subprocess.run([harness.BINARY, "stack-probe"], capture_output=True, text=True,
                          timeout=harness.PATIENCE)
    assert done.returncode == 2
    assert "muster stacks JOB" in done.stderr
