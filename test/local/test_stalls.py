# timeout: 600
# together: 4
"""Tasks that hang: which one is named, what follows, and which are left alone."""

import os
import pathlib
import re
import subprocess
import sys

import harness
import pytest

# Rank 1 sleeps in its first attempt; all others wait for a byte that comes only when the gate
# opens.
HANGS = """
import os, pathlib, sys, time
gate = pathlib.Path(sys.argv[1]) / "gate"

def wait_for_all():
    with open(gate, "rb") as fifo:
        fifo.read(1)
    for _ in range(100):
        print("on", flush=True)
        time.sleep(0.5)

def load():
    time.sleep(10000)

print("attempt", os.environ["MUSTER_ATTEMPT"], flush=True)
if os.environ["MUSTER_ATTEMPT"] == "1":
    load() if os.environ["MUSTER_INDEX"] == "1" else wait_for_all()
"""

# For ten seconds one works, each in its own way, and the others wait for it.
WORKS = """
import os, pathlib, sys, time
folder, how = pathlib.Path(sys.argv[1]), sys.argv[2]
until = time.monotonic() + 10
if os.environ["MUSTER_INDEX"] != "0":
    while not (folder / "done").exists():
        time.sleep(0.5)
elif how == "evaluates":
    while time.monotonic() < until:
        sum(range(100000))
elif how == "saves":
    with open(folder / "model", "wb", buffering=0) as file:
        while time.monotonic() < until:
            file.seek(0)
            file.write(b"x" * 500000)
            time.sleep(0.2)
elif how == "sleeps":
    time.sleep(10)
elif how == "tells":
    while time.monotonic() < until:
        print("loading", flush=True)
        time.sleep(1)
(folder / "done").touch()
"""

SERVES = """
import asyncio

async def serve():
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    print("serving", flush=True)
    await server.serve_forever()

asyncio.run(serve())
"""

# Each serves in its own way; all print a word once they do.
SERVERS = {
    "loop": """
import selectors, socket, threading

def serve():
    server, chosen = socket.create_server(("127.0.0.1", 0)), selectors.DefaultSelector()
    chosen.register(server, selectors.EVENT_READ)
    print("serving", flush=True)
    while True:
        for key, _ in chosen.select():
            key.fileobj.accept()[0].close()

thread = threading.Thread(target=serve)
thread.start()
thread.join()
""",
    "datagrams": """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 0))
print("serving", flush=True)
while True:
    server.recvfrom(1000)
""",
    "children": """
import os, socket

def serve():
    while True:
        server.accept()[0].close()

server = socket.create_server(("127.0.0.1", 0))
print("serving", flush=True)
for _ in range(2):
    if os.fork() == 0:
        serve()
while True:
    os.wait()
""",
    "stopped": """
import http.server, queue, signal, threading
work, stop = queue.Queue(), threading.Event()

def handle():
    while True:
        work.get()

signal.signal(signal.SIGTERM, lambda *_: stop.set())
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
for work_of in (server.serve_forever, handle):
    threading.Thread(target=work_of, daemon=True).start()
print("serving", flush=True)
stop.wait()
""",
    "signals": """
import signal
print("serving", flush=True)
while True:
    signal.pause()
""",
}
SMALL_JAVA = "-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
SERVES_IN_JAVA = """
import java.net.ServerSocket;

public class Serves {
  public static void main(String[] words) throws Exception {
    ServerSocket server = new ServerSocket(0);
    System.out.println("serving");
    while (true) {
      server.accept().close();
    }
  }
}
"""

# Two threads, each of which holds what the other wants; main() waits for them.
LOCKS_IN_JAVA = """
import java.util.concurrent.CyclicBarrier;

public class Locks {
  static final Object first = new Object(), second = new Object();
  static final CyclicBarrier both = new CyclicBarrier(2);

  static void take(Object one, Object other) {
    synchronized (one) {
      try {
        both.await();
      } catch (Exception e) {
        throw new RuntimeException(e);
      }
      synchronized (other) {
        System.out.println("never");
      }
    }
  }

  public static void main(String[] words) throws Exception {
    Thread writer = new Thread(() -> take(first, second), "writer");
    Thread reader = new Thread(() -> take(second, first), "reader");
    writer.start();
    reader.start();
    writer.join();
    reader.join();
  }
}
"""

# Programs that have nothing to do now: it is not time yet, or they wait for instructions.
IDLE = {
    "timer": "import time\nwhile True:\n    time.sleep(300)\n",
    "told": "import threading\nthreading.Event().wait()\n",
    "greets": "import time\nprint('the next run is in 1 h', flush=True)\ntime.sleep(3600)\n",
}

# And some that wait for something that is not part of the job.
OUTSIDE = {
    "told": "print(input('what now? '), flush=True)\n",
    "folder": """
import pathlib, sys, time
print("waiting for files", flush=True)
while not list(pathlib.Path(sys.argv[1]).glob("*.csv")):
    time.sleep(5)
""",
    "client": """
import socket, sys, time
free = socket.socket()
free.bind(("127.0.0.1", 0))  # Nobody listens there, and nobody else gets it.
address = free.getsockname()
while True:
    try:
        socket.create_connection(address, timeout=3)
        break
    except OSError:
        time.sleep(2)
""",
    "loop": """
import asyncio

async def connect():
    while True:
        try:
            return await asyncio.open_unix_connection("broker")
        except OSError:
            await asyncio.sleep(2)

asyncio.run(connect())
""",
}

# An event loop that nothing can wake: it waits for a result that nobody will deliver.
AWAITS = """
import asyncio

async def wait():
    await asyncio.get_running_loop().create_future()

asyncio.run(wait())
"""

# The second pause is longer than `after`, and less than twice the first.
PAUSES = """
import time
for pause in (6, 10):
    time.sleep(pause)
    print("on", flush=True)
"""

TORCH = """
import os, time
import torch, torch.distributed as dist

def load():
    time.sleep(10000)

dist.init_process_group("gloo")
tensor = torch.ones(2)
dist.all_reduce(tensor)
print("met", flush=True)
if os.environ["RANK"] == "2":
    %s
else:
    dist.all_reduce(tensor)
"""

# Three ranks with steps; then rank 1 does as it is told, and the others wait for it in all_reduce.
STEPS = """
import json, os, socket, sys, threading, time
import torch, torch.distributed as dist

telling = socket.socket(socket.AF_UNIX)
telling.connect(os.environ["MUSTER_REPORT"])
torch.set_num_threads(1)
dist.init_process_group("gloo")
tensor = torch.ones(100)
never = threading.Event()

def sleeps():
    time.sleep(10000)

def spins():
    while not never.is_set():
        pass

def polls():
    if dist.get_rank() == 1:
        sleeps()
    request = dist.all_reduce(tensor, async_op=True)
    while not request.is_completed():
        pass

def retries():
    while True:
        print("connection refused, trying again", flush=True)
        time.sleep(0.5)

def evaluates():
    matrix = torch.rand(400, 400)
    while not os.path.exists(sys.argv[2]):
        torch.tanh(matrix @ matrix).sum()

for step in range(8):
    dist.all_reduce(tensor)
    telling.sendall(json.dumps({"step": step}).encode() + b"\\n")
    time.sleep(1.1)
if os.environ["RANK"] == "1" or sys.argv[1] == "polls":
    globals()[sys.argv[1]]()
dist.all_reduce(tensor)
"""

# A thread holds one lock and wants the other, as does the second.
LOCKS = """
import threading
first, second, both = threading.Lock(), threading.Lock(), threading.Barrier(2)

def writes():
    with first:
        both.wait()
        with second:
            pass

def reads():
    with second:
        both.wait()
        with first:
            pass

threads = [threading.Thread(target=work, name=work.__name__) for work in (writes, reads)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

# A child of the data loader is stuck in one rank.
LOADER = """
import os, time
import torch, torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        if index == 20 and os.environ["RANK"] == "1":
            self.fetch()
        return torch.ones(4)

    def fetch(self):
        time.sleep(10000)

def main():
    dist.init_process_group("gloo")
    for batch in DataLoader(Rows(), batch_size=4, num_workers=2):
        dist.all_reduce(batch)

main()
"""

# Each hangs in its own way, alone or while the others wait in all_reduce.
MORE = """
import json, logging, multiprocessing, os, signal, socket, subprocess, sys, threading, time
import torch, torch.distributed as dist

def fills_a_pipe():
    subprocess.Popen(["head", "-c", "1000000", "/dev/zero"], stdout=subprocess.PIPE).wait()

def tries_again():
    for attempt in range(10 ** 9):
        logging.warning("attempt %d failed: connection refused, retrying", attempt)
        time.sleep(0.5)

def is_killed(row):
    os.kill(os.getpid(), signal.SIGKILL)

def loses_a_worker():
    with multiprocessing.Pool(2) as workers:
        workers.map(is_killed, [1])

def beats():
    while True:
        print("alive", flush=True)
        time.sleep(0.5)

def waits_beside_a_heartbeat():
    threading.Event().wait()

def gets_rows():
    here, there = socket.socketpair()
    if os.fork() == 0:
        for _ in range(15):
            there.send(b"row")
            time.sleep(1)
        os._exit(0)
    there.close()
    while here.recv(10):
        pass

def counts():
    until, words = time.monotonic() + 15, 0
    while time.monotonic() < until:
        words += len("one two three".split())

if sys.argv[1] == "waits_beside_a_heartbeat":
    threading.Thread(target=beats, daemon=True).start()
logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
torch.set_num_threads(1)
dist.init_process_group("gloo")
tensor = torch.ones(100)
for step in range(8):
    dist.all_reduce(tensor)
    logging.info("step %d", step)
    time.sleep(1.1)
if os.environ["RANK"] == "1":
    globals()[sys.argv[1]]()
dist.all_reduce(tensor)
"""

# According to their stacks all three are at the same place; what torch would have written shows
# which one is missing.
FLIGHT = """
import os, pickle, time
rank = int(os.environ["RANK"])
last = 41 if rank == 2 else 42
entries = [{"process_group": ("0", "default_pg"), "collective_seq_id": call, "is_p2p": False,
            "profiling_name": "nccl:all_reduce", "duration_ms": 0.25, "input_sizes": [[10, 2]],
            "state": "completed" if call < last or rank == 2 else "started",
            "frames": [{"name": "step", "filename": "/home/ada/train.py", "line": 31}]}
           for call in range(30, last + 1)]
with open(os.environ["TORCH_FR_DUMP_TEMP_FILE"] + str(rank), "wb") as file:
    pickle.dump({"version": "2.5", "entries": entries}, file, protocol=2)

def all_reduce():
    time.sleep(10000)

all_reduce()
"""
# A dump that would leave a trace behind if anybody ran it.
PLANTED = """
import os, pickle, threading

class Runs:
    def __reduce__(self):
        return os.system, (f"touch {os.environ['TORCH_FR_DUMP_TEMP_FILE']}ran",)

with open(os.environ["TORCH_FR_DUMP_TEMP_FILE"] + os.environ["RANK"], "wb") as file:
    pickle.dump({"entries": [Runs()]}, file)
lock = threading.Lock()
lock.acquire()
lock.acquire()
"""

QUICK = {"liveness": {"beat": "200ms", "suspect": "3s", "lost": "10s"}, "framework": "pytorch"}


@pytest.fixture
def muster(muster):
    """Its jobs are stopped at the end of a test."""
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


@pytest.fixture(autouse=True)
def tools(muster):
    """Lets tasks find the py-spy of the tests' own environment."""
    muster.environment["PATH"] = (
        f"{pathlib.Path(sys.executable).parent}:{muster.environment['PATH']}")


def spec(muster, program, *words, tasks=3, **more):
    muster.write("program.py", program)
    arguments = " ".join([str(muster.folder), *words])
    return muster.spec({"command": f"exec /usr/bin/python3 program.py {arguments}", "tasks": tasks,
                        "files": ["program.py"], **QUICK, **more})


def gate_of(muster):
    os.mkfifo(muster.folder / "gate")


def stall_of(muster, index):
    return muster.status()["roles"]["worker"]["tasks"][index].get("stall")


def facts_of(muster):
    return [fact["fact"] for fact in muster("show", "last", "--json").expect(0).json()["facts"]]


def test_the_sleeper_is_named_with_its_line_and_no_more_when_all_move(muster):
    gate_of(muster)
    running = muster.start("run", spec(muster, HANGS, stall={"after": "2s"}))
    running.sees(r"worker:1 on \S+ hangs: no progress for .* \(likely\): "
                 r"worker:1 (sleeps|waits) in load \(program.py:13\)", within=60)
    stall = stall_of(muster, 1)
    assert stall["sure"] == "likely"
    assert stall["place"] == "load (program.py:13)"
    assert stall["silent_s"] >= 2
    assert "worker:0, worker:2" in stall["evidence"]
    assert stall_of(muster, 0) is None
    assert "worker:1 on" in muster("status", "last").expect(0).out
    assert "hangs" in muster("why", "last").expect(0).out
    assert "worker:1 on" in muster("show", "last").expect(0).out
    with open(muster.folder / "gate", "wb") as fifo:
        fifo.write(b"xx")
    running.sees("worker:1 is making progress again", within=60)
    muster("stop", "last").expect(0)
    running.wait()


def test_restart_moves_the_sleeper_to_another_host(muster):
    gate_of(muster)
    muster("run", spec(muster, HANGS, stall={"after": "2s", "then": "restart"},
                       local={"hosts": 4}), within=120).expect(0)
    facts = muster("show", "last", "--json").expect(0).json()["facts"]
    assert sum(fact["fact"] == "attempt-stalled" for fact in facts) == 1
    words = " ".join(fact["text"] or "" for fact in facts)
    assert "worker:1 restarts in a new container, on another host" in words
    tasks = muster.status()["roles"]["worker"]["tasks"]
    assert [task["attempts"] for task in tasks] == [2, 2, 2]


def test_fail_ends_the_job_with_the_sleeper_as_first_cause(muster):
    gate_of(muster)
    done = muster("run", spec(muster, HANGS, stall={"after": "2s", "then": "fail"}), within=120)
    done.expect(1)
    outcome = muster.status()["outcome"]
    assert outcome["class"] == "program.stalled"
    assert outcome["first_cause"]["task"] == "worker:1"
    assert "load (program.py:13)" in outcome["first_cause"]["evidence"]
    assert "worker:1 hangs (program.stalled)" in done.text


def test_a_role_has_its_own(muster):
    gate_of(muster)
    muster.write("program.py", HANGS)
    path = muster.spec({
        "command": f"exec /usr/bin/python3 program.py {muster.folder}", "files": ["program.py"],
        **QUICK, "stall": {"after": "1h"},
        "roles": {"worker": {"tasks": 3, "stall": {"after": "2s", "then": "fail"}}}})
    muster("run", path, within=120).expect(1)
    assert muster.status()["outcome"]["class"] == "program.stalled"


@pytest.mark.parametrize("how", ["evaluates", "saves", "tells"])
def test_nobody_is_suspected_while_somebody_works(muster, how):
    muster("run", spec(muster, WORKS, how, stall={"after": "3s", "then": "fail"}),
               within=120).expect(0)
    assert "attempt-stalled" not in facts_of(muster)


def test_with_none_nobody_is_suspected(muster):
    muster("run", spec(muster, WORKS, "sleeps", tasks=2, stall={"after": "none", "then": "fail"}),
               within=120).expect(0)
    assert "attempt-stalled" not in facts_of(muster)


def test_who_is_not_waited_for_is_not_named(muster):
    gate_of(muster)
    muster.write("program.py", HANGS)
    path = muster.spec({
        "files": ["program.py"], **QUICK, "stall": {"after": "2s", "then": "fail"},
        "roles": {"server": {"tasks": 1, "command": "exec sleep 10000", "success": "ignored"},
                  "worker": {"tasks": 3, "command":
                             f"exec /usr/bin/python3 program.py {muster.folder}"}}})
    muster("run", path, within=120).expect(1)
    assert muster.status()["outcome"]["first_cause"]["task"] == "worker:1"


def test_a_server_without_requests_is_left_in_peace(muster):
    muster("submit", spec(muster, SERVES, tasks=1, stall={"after": "2s", "then": "fail"})).expect(0)
    log = muster.job_folder() / "master.log"
    harness.eventually(lambda: "stall.idle" in log.read_text())
    assert "attempt-stalled" not in facts_of(muster)
    assert muster.status()["phase"] == "running"


def test_servers_of_any_making_are_left_in_peace(muster):
    commands = {"java": f"exec java {SMALL_JAVA} Serves.java",
                "place": "while true; do sleep 300; done"}
    muster.write("Serves.java", SERVES_IN_JAVA)
    for name, program in SERVERS.items():
        muster.write(f"{name}.py", program)
        commands[name] = f"exec /usr/bin/python3 {name}.py"
    muster("submit", muster.spec({
        "liveness": QUICK["liveness"], "stall": {"after": "4s", "then": "fail"},
        "files": ["Serves.java", *[f"{name}.py" for name in SERVERS]],
        "roles": {name: {"tasks": 1, "command": command} for name, command in commands.items()},
    })).expect(0)
    log = muster.job_folder() / "master.log"
    harness.eventually(lambda: set(re.findall(r"stall\.idle task=(\w+):0", log.read_text())) ==
                       set(commands), what=log.read_text)
    assert "attempt-stalled" not in facts_of(muster)
    assert muster.status()["phase"] == "running"


def test_programs_that_have_nothing_to_do_are_idle(muster):
    """They are reported as such, and nothing follows, whatever is to follow a hang."""
    for name, program in IDLE.items():
        muster.write(f"{name}.py", program)
    prompt = muster.folder / "prompt"
    os.mkfifo(prompt)
    commands = {name: f"exec /usr/bin/python3 {name}.py" for name in IDLE}
    commands["prompt"] = f"exec /usr/bin/python3 -i 3<>{prompt} <{prompt}"
    muster("submit", muster.spec({
        "liveness": QUICK["liveness"], "stall": {"after": "4s", "then": "fail"},
        "files": [f"{name}.py" for name in IDLE],
        "roles": {name: {"tasks": 1, "command": command} for name, command in commands.items()},
    })).expect(0)

    def stalls():
        roles = muster.status()["roles"]
        found = {name: role["tasks"][0].get("stall") for name, role in roles.items()}
        return found if all(found.values()) else None

    found = harness.eventually(stalls)
    assert {name: stall["sure"] for name, stall in found.items()} == dict.fromkeys(commands, "sign")
    assert re.search("timer:0 sleeps in <module> .*, for [1-4] min", found["timer"]["evidence"])
    assert muster.status()["phase"] == "running"
    assert "timer:0 on" in muster("status", "last").expect(0).out
    assert "is idle: it has done nothing for" in muster("why", "last").expect(0).out


def test_programs_that_wait_for_something_outside_are_idle(muster):
    """Nothing follows, whatever is to follow a hang, and they continue when it comes."""
    for name, program in OUTSIDE.items():
        muster.write(f"{name}.py", program)
    for fifo in ("held", "alone"):
        os.mkfifo(muster.folder / fifo)
    commands = {name: f"exec /usr/bin/python3 {name}.py {muster.folder}" for name in OUTSIDE}
    commands["told"] += f" 3<>{muster.folder}/held <{muster.folder}/held"
    commands["opens"] = f"exec /usr/bin/python3 told.py <{muster.folder}/alone"
    running = muster.start("run", muster.spec({
        "liveness": QUICK["liveness"], "stall": {"after": "5s", "then": "fail"},
        "files": [f"{name}.py" for name in OUTSIDE],
        "roles": {name: {"tasks": 1, "command": command} for name, command in commands.items()},
    }))

    def stalls():
        roles = muster.status()["roles"]
        found = {name: role["tasks"][0].get("stall") for name, role in roles.items()}
        return found if all(found.values()) else None

    muster.wait_for_phase("running")
    found = harness.eventually(stalls)
    assert {name: stall["sure"] for name, stall in found.items()} == dict.fromkeys(commands, "sign")
    assert re.match(r"told:0 waits for input from \S+/held in <module> \(told.py:1\); "
                    "nobody has written there yet", found["told"]["evidence"])
    asks = "; it keeps asking for something outside the job"
    assert re.match(rf"folder:0 sleeps in <module> \(folder.py:5\){asks}",
                    found["folder"]["evidence"])
    for name in ("client", "loop"):
        assert asks in found[name]["evidence"]
    assert muster.status()["phase"] == "running"
    for fifo in ("held", "alone"):
        (muster.folder / fifo).write_text("proceed\n")
    (muster.folder / "new.csv").touch()
    for task in ("told:0", "opens:0"):
        running.sees(f"{task} *[|] what now[?] proceed")
    harness.eventually(lambda: muster.status()["roles"]["folder"]["tasks"][0]["state"] ==
                       "succeeded")
    muster("stop", "last").expect(0)
    running.wait()


@pytest.mark.parametrize("pause", [0.3, 0])
def test_a_program_that_sleeps_after_it_had_got_on_hangs(muster, pause):
    """Step by step, or all at once."""
    muster.write("train.py", "import time\nfor step in range(30):\n    print(step, flush=True)\n"
                             f"    time.sleep({pause})\ntime.sleep(10000)\n")
    muster.run({"command": "exec /usr/bin/python3 train.py", "files": ["train.py"], "tasks": 1,
                "liveness": QUICK["liveness"], "stall": {"after": "4s", "then": "fail"}},
               within=60).expect(1)
    stall = stall_of(muster, 0)
    assert (stall["place"], stall["sure"]) == ("<module> (train.py:5)", "unsure"), stall


def test_locks_in_java_are_both_named(muster):
    muster.write("Locks.java", LOCKS_IN_JAVA)
    muster("run", muster.spec({
        "command": f"exec java {SMALL_JAVA} Locks.java", "tasks": 1,
        "files": ["Locks.java"], "liveness": QUICK["liveness"],
        "stall": {"after": "4s", "then": "fail"}}), within=120).expect(1)
    stall = stall_of(muster, 0)
    assert stall["place"] == "Locks.take (Locks.java:16)", stall["evidence"]
    assert "worker:0 waits in Locks.main" in stall["evidence"]
    assert "its thread writer waits in Locks.take (Locks.java:16)" in stall["evidence"]
    assert "its thread reader waits in Locks.take (Locks.java:16)" in stall["evidence"]


def test_an_event_loop_that_nobody_can_reach_is_named(muster):
    muster("run", spec(muster, AWAITS, tasks=1, stall={"after": "2s", "then": "fail"}),
           within=120).expect(1)
    stall = stall_of(muster, 0)
    assert stall["sure"] == "likely"
    assert re.fullmatch(r"<module> \(program.py:\d+\)", stall["place"])


def test_a_program_that_has_paused_before_is_believed(muster):
    muster("run", spec(muster, PAUSES, tasks=2, stall={"after": "8s", "then": "fail"}),
           within=120).expect(0)
    assert "attempt-stalled" not in facts_of(muster)


def flown(muster, program):
    prefix = muster.folder / "trace_rank_"
    muster("run", spec(muster, program, stall={"after": "3s", "then": "fail"},
                       env={"TORCH_FR_DUMP_TEMP_FILE": str(prefix)}), within=120).expect(1)
    status = muster.status()
    cause = status["outcome"]["first_cause"]
    index = int(cause["task"].rsplit(":", 1)[1])
    return cause["task"], status["roles"]["worker"]["tasks"][index]["stall"]["evidence"]


def test_the_flight_recorder_tells_who_never_entered_the_call(muster):
    task, evidence = flown(muster, FLIGHT)
    assert task == "worker:2"
    assert ("flight recorder: worker:0-1 are in all_reduce (call 42 of process group 0, "
            "step (train.py:31)); worker:2 never entered it") in evidence


def test_nothing_in_a_flight_recorders_dump_is_run(muster):
    _, evidence = flown(muster, PLANTED)
    assert "flight recorder" not in evidence
    assert len(list(muster.folder.glob("trace_rank_[0-2]"))) == 3
    assert not (muster.folder / "trace_rank_ran").exists()


@pytest.fixture(scope="module")
def torch():
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "torch"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return f"{done.stdout.strip()}/bin/python3"


@pytest.mark.parametrize("other, sure, place", [
    ("load()", "certain", "load (program.py:6)"),
    ("dist.recv(tensor, src=0)", "likely", "<module> (program.py:13)")])
def test_a_rank_that_the_others_wait_for_in_gloo(muster, torch, other, sure, place):
    """One is asleep, or waits for a message that nobody sends."""
    muster.write("program.py", TORCH % other)
    path = muster.spec({"command": f"exec {torch} program.py", "tasks": 3,
                        "files": ["program.py"], **QUICK,
                        "stall": {"after": "5s", "then": "fail"}})
    muster("run", path, within=240).expect(1)
    status = muster.status()
    stall, cause = status["roles"]["worker"]["tasks"][2]["stall"], status["outcome"]["first_cause"]
    assert stall, cause
    assert (stall["sure"], stall["place"]) == (sure, place), stall["evidence"]
    assert cause["task"] == "worker:2"
    assert "worker:0-1 wait in all_reduce" in cause["evidence"]


def torch_spec(muster, torch, program, *words, after="5s"):
    muster.write("program.py", program)
    # For what a killed rank would leave in /tmp; the path is short enough for its sockets.
    temporary = muster.folder / "t"
    temporary.mkdir()
    return muster.spec({"command": f"exec {torch} program.py {' '.join(words)}", "tasks": 3,
                        "files": ["program.py"], "env": {"TMPDIR": str(temporary)}, **QUICK,
                        "stall": {"after": after, "then": "fail"}})


def run_torch(muster, *words, status, **more):
    return muster("run", torch_spec(muster, *words, **more), within=240).expect(status)


@pytest.mark.parametrize("how, sure, place", [
    ("sleeps", "certain", r"sleeps \(program.py:13\)"),
    ("spins", "likely", r"(spins|Event.is_set) \((program|threading).py:\d+\)"),
    ("retries", "certain", r"retries \(program.py:\d+\)")])
def test_one_that_has_reported_steps_and_takes_none_is_named(muster, torch, how, sure, place):
    """Asleep, at full speed in a loop, or logging for ever."""
    run_torch(muster, torch, STEPS, how, status=1)
    status = muster.status()
    stall = status["roles"]["worker"]["tasks"][1]["stall"]
    assert re.fullmatch(place, stall["place"])
    assert stall["sure"] == sure or how == "retries", stall["evidence"]
    assert status["outcome"]["first_cause"]["task"] == "worker:1"
    assert "worker:0, worker:2 wait in all_reduce" in stall["evidence"]


def test_the_sleeper_is_named_though_the_others_wait_at_full_speed(muster, torch):
    run_torch(muster, torch, STEPS, "polls", status=1)
    assert muster.status()["outcome"]["first_cause"]["task"] == "worker:1"
    stall = stall_of(muster, 1)
    assert stall["place"] == "sleeps (program.py:13)"
    assert "worker:0, worker:2 compute in polls" in stall["evidence"]


def test_one_that_computes_without_a_step_is_left_in_peace(muster, torch):
    done = muster.folder / "done"
    running = muster.start("run", torch_spec(muster, torch, STEPS, "evaluates", str(done)))
    muster.wait_for_phase("running")
    log = muster.job_folder() / "master.log"
    harness.eventually(lambda: "stall.busy" in log.read_text(), within=120,
                       what="it was not looked at")
    done.touch()
    running.wait().expect(0)
    assert "attempt-stalled" not in facts_of(muster)


def test_a_data_loader_is_named_with_its_child(muster, torch):
    run_torch(muster, torch, LOADER, status=1)
    stall = stall_of(muster, 1)
    assert stall["sure"] == "certain"
    assert stall["place"] == "Rows.fetch (program.py:16)"
    assert re.search(r"worker:1 waits in main .*; its child process \d+ sleeps in Rows.fetch",
                     stall["evidence"])


def test_two_locks_are_both_named(muster):
    muster("run", spec(muster, LOCKS, tasks=1, stall={"after": "2s", "then": "fail"}),
               within=120).expect(1)
    evidence = stall_of(muster, 0)["evidence"]
    assert "its thread writes waits in writes (program.py:8)" in evidence
    assert "its thread reads waits in reads (program.py:14)" in evidence


HELD = """
import fcntl, multiprocessing, os, sys
index = int(os.environ["MUSTER_INDEX"])
with open(sys.argv[1] + "/cache", "w") as file:
    if index == 2:
        fcntl.lockf(file, fcntl.LOCK_EX)
        os.mkfifo(sys.argv[1] + "/taken")
        multiprocessing.Event().wait()
    while not os.path.exists(sys.argv[1] + "/taken"):
        pass
    fcntl.lockf(file, fcntl.LOCK_EX)
"""


def test_the_task_that_holds_the_file_lock_is_named(muster):
    muster("run", spec(muster, HELD, stall={"after": "3s", "then": "fail"}), within=120).expect(1)
    first = muster.status()["outcome"]["first_cause"]
    assert first["task"] == "worker:2"
    assert re.search(r"worker:2 waits in <module> \(program.py:8\); worker:2 holds the lock that "
                     r"worker:0-1 wait for\n.*worker:0-1 wait for the lock of \S+/cache, which "
                     r"process \d+ \(python3\) holds", stall_of(muster, 2)["evidence"], re.DOTALL)


@pytest.mark.parametrize("how, place, says", [
    ("fills_a_pipe", r"fills_a_pipe \(program.py:6\)", "its child process .* writes to a pipe"),
    ("tries_again", r"tries_again \(program.py:\d+\)", "sleeps in tries_again"),
    ("loses_a_worker", r"loses_a_worker \(program.py:\d+\)",
     "worker:1 waits in loses_a_worker .*; all 2 workers of its pool wait for work"),
    ("waits_beside_a_heartbeat", r"waits_beside_a_heartbeat \(program.py:\d+\)", "waits in")])
def test_one_that_hangs_behind_signs_of_life_is_named(muster, torch, how, place, says):
    """A child that cannot write, the same failure for ever, a thread that calls itself alive."""
    run_torch(muster, torch, MORE, how, status=1)
    assert muster.status()["outcome"]["first_cause"]["task"] == "worker:1"
    stall = stall_of(muster, 1)
    assert re.fullmatch(place, stall["place"])
    assert re.search(says, stall["evidence"])
    assert "worker:0, worker:2 wait in all_reduce" in stall["evidence"]


@pytest.mark.parametrize("how", ["gets_rows", "counts"])
def test_one_to_which_something_comes_or_that_counts_is_left_in_peace(muster, torch, how):
    run_torch(muster, torch, MORE, how, status=0)
    log = (muster.job_folder() / "master.log").read_text()
    assert "stall.suspected" in log, "it was looked at"
    assert "attempt-stalled" not in facts_of(muster)


def test_a_shell_that_asks_again_and_again_is_named(muster):
    path = muster.spec({"command": "until test -e /nowhere/ready; do sleep 0.3; done", "tasks": 1,
                        "liveness": QUICK["liveness"], "stall": {"after": "10s", "then": "fail"}})
    muster("run", path, within=120).expect(1)
    assert "sleeps in `sleep 0.3`" in stall_of(muster, 0)["evidence"]


def test_a_parameter_server_that_is_stopped_is_named(muster):
    gate_of(muster)
    muster.write("program.py", HANGS)
    path = muster.spec({
        "files": ["program.py"], **QUICK, "framework": "tensorflow",
        "stall": {"after": "2s", "then": "fail"},
        "roles": {"ps": {"tasks": 1, "command": "kill -STOP $$"},
                  "worker": {"tasks": 2, "command":
                             f"exec /usr/bin/python3 program.py {muster.folder}"}}})
    muster("run", path, within=120).expect(1)
    stall = muster.status()["roles"]["ps"]["tasks"][0]["stall"]
    assert stall["sure"] == "certain"
    assert "ps:0 is stopped by a signal" in stall["evidence"]
