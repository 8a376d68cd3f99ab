# timeout: 600
# together: 3
"""The account of jobs, advice on them, and sums over them: real programs with known behaviour."""

import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import harness
import pytest
from harness import eventually
from test_gpus import BURN

CLASSES = {"gathering", "starting", "productive", "repeated", "stalled", "waiting", "saving",
           "ending"}
MEBIBYTE = 1 << 20
SMALL_JAVA = "-Xmx64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"

# Holds this much memory, beside what Python itself takes, until it has been looked at.
HOLDS = """
import sys, time
block = bytearray(int(sys.argv[1]) << 20)
for at in range(0, len(block), 4096):
    block[at] = 1
print("holds", flush=True)
deadline = time.monotonic() + float(sys.argv[2])
while time.monotonic() < deadline:
    time.sleep(0.05)
"""

# Takes more of everything in each step, and gives nothing back.
LEAKS = """
import json, os, socket, subprocess, threading, time
telling = socket.socket(socket.AF_UNIX)
telling.connect(os.environ["MUSTER_REPORT"])
never, kept = threading.Event(), []
for step in range(180):
    kept.append(os.urandom(1 << 20) * 2)
    kept.append([open("/dev/null") for _ in range(4)])
    for _ in range(2):
        threading.Thread(target=never.wait, daemon=True).start()
    telling.sendall(json.dumps({"step": step}).encode() + b"\\n")
    time.sleep(0.25)
print("leaked", len(kept), flush=True)
os._exit(0)
"""

# The kernel blocks its main thread, as it does for a disk, until somebody writes to the pipe: a
# process being started blocks the one that starts it. Notes for what share of its time. Pages of a
# file that it has mapped are also taken from it and read again one by one.
HELD = """
import mmap, os, pathlib, sys, time
gate, notes = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
begun, held = time.monotonic(), 0.0
table = open("table", "w+b")
table.write(bytes(1 << 20))
os.fsync(table.fileno())
def look_up():
    with mmap.mmap(table.fileno(), 0, access=mmap.ACCESS_READ) as rows:
        rows.madvise(mmap.MADV_RANDOM)
        for at in range(0, len(rows), 16384):
            rows[at]
    os.posix_fadvise(table.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
while not gate.exists():
    look_up()
    before = time.monotonic()
    opens = [(os.POSIX_SPAWN_OPEN, 0, "pipe", os.O_RDONLY, 0)]
    child = os.posix_spawn("/bin/true", ["true"], {}, file_actions=opens)
    held += time.monotonic() - before
    os.waitpid(child, 0)
    time.sleep(0.17)  # Out of step with looks a second apart.
    notes.with_suffix(".new").write_text(str(held / (time.monotonic() - begun)))
    os.replace(notes.with_suffix(".new"), notes)
"""

# Spends a seventh of its time on nothing but collecting garbage.
COLLECTS = """
public class Collects {
  public static void main(String[] words) throws Exception {
    long[][] kept = new long[1000][2000];
    while (!new java.io.File(words[0]).exists()) {
      long before = System.nanoTime();
      System.gc();
      Thread.sleep(1 + 6 * (System.nanoTime() - before) / 1000000);
    }
    System.out.println(kept.length);
  }
}
"""

# Saves now and then, and waits for its disk.
SAVES = """
import os, pathlib, sys, time
gate = pathlib.Path(sys.argv[1])
with open("model", "wb", buffering=0) as file:
    for step in range(10 ** 9):
        if gate.exists():
            break
        if step % 300 == 299:
            file.seek(0)
            file.write(b"x" * (16 << 20))
            os.fsync(file.fileno())
        time.sleep(0.033)
"""

# Workers push to the server and pull from it in turns; it serves one request at a time.
PARAMETER_SERVER = """
import json, os, pathlib, select, socket, sys, time
gate = pathlib.Path(sys.argv[1])
cluster = json.loads(os.environ["TF_CONFIG"])["cluster"]
host, port = cluster["ps"][0].rsplit(":", 1)
if os.environ["MUSTER_ROLE"] == "ps":
    server = socket.create_server((host, int(port)), reuse_port=True)
    clients = [server]
    while True:
        for each in select.select(clients, [], [])[0]:
            if each is server:
                clients.append(server.accept()[0])
            elif not each.recv(1000):
                clients.remove(each)
            else:
                until = time.thread_time() + 0.01
                while time.thread_time() < until:
                    pass
                each.sendall(b"weights")
while True:
    try:
        line = socket.create_connection((host, int(port)))
        break
    except ConnectionRefusedError:
        time.sleep(0.2)
while not gate.exists():
    for _ in range(10):
        line.sendall(b"gradients")
        line.recv(1000)
"""

# The server receives what workers send: over loopback as fast as it goes, or as a network allows.
STREAMS = """
import os, pathlib, socket, sys, threading, time
gate, place = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
if os.environ["MUSTER_ROLE"] == "ps":
    server = socket.create_server((sys.argv[3], 0))
    temporary = place.with_suffix(".new")
    temporary.write_text(str(server.getsockname()[1]))
    temporary.rename(place)
    def take(line):
        while line.recv(1 << 20):
            pass
    while True:
        threading.Thread(target=take, args=(server.accept()[0],), daemon=True).start()
while not place.exists():
    time.sleep(0.1)
line = socket.create_connection((sys.argv[3], int(place.read_text())))
while not gate.exists():
    line.sendall(bytes(1 << 18))
    time.sleep(0.02)
"""

# A host whose network carries 40 Mbit/s and says so, for the command that follows: another host
# echoes whatever arrives there.
NETWORK = """
/sbin/ip link set lo up
unshare --net sleep 600 &
other=$!
trap 'kill $other' EXIT
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
/sbin/ip link add net0 type veth peer name net1
/sbin/ip link set net1 netns $other
/sbin/ip address add 10.99.0.1/24 dev net0
/sbin/ip link set net0 up
nsenter --net --target $other sh -ec '
  PATH=$PATH:/sbin
  ip link set lo up; ip address add 10.99.0.2/24 dev net1; ip link set net1 up
  exec /usr/bin/python3 "$0"' "$PWD/gives_back.py" &
trap "kill $! $other" EXIT
/sbin/tc qdisc add dev net0 root tbf rate 40mbit burst 64k latency 50ms
mkdir -p sys/net0
touch sys/net0/device
echo up > sys/net0/operstate
echo 40 > sys/net0/speed
mount --bind sys /sys/class/net
"$@"
"""
GIVES_BACK = """
import socket, threading
server = socket.create_server(("10.99.0.2", 7000))
def give(line):
    while data := line.recv(1 << 16):
        line.sendall(data)
while True:
    threading.Thread(target=give, args=(server.accept()[0],), daemon=True).start()
"""
SENDS = """
import os, pathlib, socket, sys, threading, time
gate = pathlib.Path(sys.argv[1])
if os.environ["MUSTER_ROLE"] == "ps":
    time.sleep(600)
while True:
    try:
        line = socket.create_connection(("10.99.0.2", 7000))
        break
    except OSError:
        time.sleep(0.1)
def take():
    while line.recv(1 << 20):
        pass
threading.Thread(target=take, daemon=True).start()
print("sends", flush=True)
while not gate.exists():
    line.sendall(bytes(1 << 16))
os._exit(0)
"""

# Keeps its position in a file that only it knows of, fails once, and continues from there.
RESUMES = """
import json, os, pathlib, socket, sys, time
place, tells = pathlib.Path(sys.argv[1]), sys.argv[2] == "tells"
telling = socket.socket(socket.AF_UNIX)
telling.connect(os.environ["MUSTER_REPORT"])
first = int(place.read_text()) if place.exists() else 0
for step in range(first, 40):
    if tells:
        telling.sendall(json.dumps({"step": step}).encode() + b"\\n")
    time.sleep(0.2)
    place.write_text(str(step))
    if step == 25 and os.environ["MUSTER_ATTEMPT"] == "1":
        sys.exit(9)
"""

# Writes down when it begins, prints its first word, and ends.
STAMPS = """
import os, pathlib, sys, time
name = f"stamps-{os.environ['MUSTER_INDEX']}-{os.environ['MUSTER_ATTEMPT']}"
begun = time.time()
time.sleep(1)
print("first", flush=True)
first = time.time()
time.sleep(6)
pathlib.Path(sys.argv[1], name).write_text(f"{begun} {first} {time.time()}")
sys.exit(9 if os.environ["MUSTER_ATTEMPT"] == "1" and os.environ["MUSTER_INDEX"] == "1" else 0)
"""


def eff(muster, job="last"):
    return muster("eff", job, "--json").expect(0).json()


def expect_whole(account):
    """The classes are disjoint and cover the time: their sum is what was granted, within 1 %."""
    assert account["schema"] == "muster.eff/1"
    assert set(account["classes"]) == CLASSES
    assert all(spent >= 0 for spent in account["classes"].values())
    assert sum(account["classes"].values()) == pytest.approx(account["granted_s"], rel=0.01,
                                                             abs=0.01)
    return account


def test_an_ended_job_is_accounted_for(muster):
    muster.run({"command": "echo go; sleep 2", "tasks": 2}).expect(0)
    account = expect_whole(eff(muster))
    assert account["phase"] == "succeeded" and not account["running"]
    assert account["containers"] == 2
    assert 3 <= account["classes"]["productive"] <= account["granted_s"]
    assert account["goodput"] == pytest.approx(
        account["classes"]["productive"] / account["granted_s"], abs=0.001)
    assert account["queued_s"] >= 0
    assert account["starts"]["by_output"] == 2
    worker = account["roles"]["worker"]
    assert (worker["tasks"], worker["containers"]) == (2, 2)
    assert worker["granted_s"] == pytest.approx(account["granted_s"], rel=0.01)
    text = muster("eff", "last").expect(0).out
    assert "goodput" in text and "productive" in text and "first line of output" in text


def test_a_running_job_is_accounted_for_up_to_now(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    muster.wait_for_tasks()
    first = expect_whole(eff(muster))
    assert first["running"] and first["phase"] == "running"
    later = eventually(lambda: (now := eff(muster))["granted_s"] > first["granted_s"] + 0.5 and now)
    expect_whole(later)
    assert later["classes"]["productive"] > first["classes"]["productive"]
    gate.open()
    running.wait().expect(0)
    assert not expect_whole(eff(muster))["running"]


def test_work_that_is_done_again_is_repeated(muster):
    # The account begins when the master hears of the start, which may be late.
    command = "sleep 2; [ $MUSTER_ATTEMPT = 2 ] || exit 9"
    muster.run({"command": command, "tasks": 1,
                "restart": {"process": 1, "backoff": "100ms..100ms"}}).expect(0)
    account = expect_whole(eff(muster))
    assert account["classes"]["repeated"] >= 1.5
    assert account["classes"]["productive"] >= 1.5
    assert account["goodput"] < 0.6


@pytest.mark.parametrize("how", ["tells", "is_silent"])
def test_work_that_the_program_itself_has_kept_is_not_called_lost(muster, how):
    program = muster.write("resumes.py", RESUMES)
    muster.run({"command": f"exec python3 {program} {muster.folder}/place {how}", "tasks": 1,
                "restart": {"process": 1, "backoff": "10ms..10ms"}}).expect(0)
    account = expect_whole(eff(muster))
    if how == "tells":
        assert account["classes"]["repeated"] <= 2, account["classes"]
        assert account["classes"]["productive"] >= 5
        assert account["repeated_unknown_s"] == 0
    else:
        assert account["repeated_unknown_s"] == account["classes"]["repeated"] >= 4
        assert any("of the repeated time was really lost" in note
                   for note in account["notes"])


def test_who_is_done_waits_for_the_others(muster):
    command = "[ $MUSTER_INDEX = 0 ] || sleep 4"
    muster.run({"command": command, "tasks": 2, "framework": "pytorch"}).expect(0)
    account = expect_whole(eff(muster))
    assert account["classes"]["waiting"] >= 1.5


def test_the_gap_of_a_dead_master_is_accounted_for(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    before = eff(muster)
    [master] = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    eventually(lambda: [pid for pid in muster.pids("master") if pid != master])
    gate.open()
    running.wait().expect(0)
    after = expect_whole(eff(muster))
    assert after["granted_s"] > before["granted_s"]
    assert after["containers"] == 2
    assert after["classes"]["repeated"] == 0


def test_an_account_agrees_with_what_programs_wrote_down(muster):
    """Through a restart and the deaths of two masters."""
    program = muster.write("stamps.py", STAMPS)
    running = muster.start("run", muster.spec({
        "command": f"exec python3 {program} {muster.folder}", "tasks": 3,
        "restart": {"process": 1, "backoff": "100ms..100ms"}}))
    muster.wait_for_phase("running")
    for stamped in (0, 3):
        eventually(lambda n=stamped: len(list(muster.folder.glob("stamps-*"))) >= n, within=60)
        [master] = eventually(lambda: len(pids := muster.pids("master")) == 1 and pids)
        os.kill(master, signal.SIGKILL)
        eventually(lambda dead=master: [pid for pid in muster.pids("master") if pid != dead])
    running.wait().expect(0)
    account = expect_whole(eff(muster))
    stamps = {path.name: [float(word) for word in path.read_text().split()]
              for path in muster.folder.glob("stamps-*")}
    assert len(stamps) == 4
    lost = stamps["stamps-1-1"]
    classes = account["classes"]
    assert classes["repeated"] == pytest.approx(lost[2] - lost[1], abs=0.5)
    assert classes["productive"] == pytest.approx(
        sum(end - first for _, first, end in stamps.values()) - (lost[2] - lost[1]), abs=1)
    assert classes["starting"] >= sum(first - begun for begun, first, _ in stamps.values())
    assert account["granted_s"] >= sum(end - begun for begun, _, end in stamps.values())


def test_a_failed_job_lost_its_work(muster):
    muster.run({"command": "sleep 2; exit 3", "tasks": 1,
                "restart": {"process": 0, "container": 0, "host": 0}}).expect(1)
    account = expect_whole(eff(muster))
    assert account["classes"]["repeated"] >= 1.5 and account["goodput"] < 0.1


def advice(muster, job="last"):
    document = muster("advise", job, "--json").expect(0).json()
    assert document["schema"] == "muster.advice/1"
    return {each["rule"]: each for each in document["advice"]}


def test_memory_that_is_never_used_is_named(muster):
    program = muster.write("holds.py", HOLDS)
    muster.run({"command": f"python3 {program} 100 2.5",
                "roles": {"worker": {"tasks": 2, "memory": "2g"}}}).expect(0)
    account = eff(muster)
    worker = account["roles"]["worker"]
    assert worker["requested"]["memory_bytes"] == 2048 * MEBIBYTE
    # The interpreter itself takes about 10 MiB.
    assert worker["used"]["memory_bytes"] == pytest.approx(110 * MEBIBYTE, rel=0.1)
    said = advice(muster)
    assert set(said) == {"memory.far_from_use"}
    numbers = said["memory.far_from_use"]["numbers"]
    assert numbers["used"] == pytest.approx(110 * MEBIBYTE, rel=0.1)
    assert said["memory.far_from_use"]["set"] == ["roles.worker.memory=160m"]
    text = muster("advise", "last").expect(0).out
    assert "--set roles.worker.memory=160m" in text
    assert "of the 2 GiB" in muster("eff", "last").expect(0).out


def test_the_patched_specification_is_valid_and_runs(muster):
    program = muster.write("holds.py", HOLDS)
    muster.run({"command": f"python3 {program} 60 2.5",
                "roles": {"worker": {"tasks": 1, "memory": "2g"}}}).expect(0)
    spec = muster("advise", "last", "--spec").expect(0).out
    assert "# changed: roles.worker.memory=96m" in spec
    path = muster.write("better.yaml", spec)
    muster("validate", path).expect(0)
    muster("run", path).expect(0)
    assert advice(muster) == {}


def test_memory_that_was_not_enough_is_named(muster):
    program = muster.write("holds.py", HOLDS)
    muster.run({"command": f"python3 {program} 300 30",
                "roles": {"worker": {"tasks": 1, "memory": "100m"}}}).expect(1)
    said = advice(muster)["memory.near_limit"]
    assert said["numbers"]["proposed"] > 100 * MEBIBYTE
    assert said["set"][0].startswith("roles.worker.memory=")


def test_what_leaks_is_named(muster):
    program = muster.write("leaks.py", LEAKS)
    muster.run({"command": f"exec python3 {program}",
                "roles": {"worker": {"tasks": 1, "memory": "2g"}}}, within=180).expect(0)
    said = advice(muster)
    assert set(said) == {"memory.leak", "files.leak", "threads.leak"}
    # A step is 2 MiB, 4 files and 2 threads in 0.25 s plus the time it takes to fill the memory;
    # the files show how many steps there were per second.
    steps = said["files.leak"]["numbers"]["files_per_s"] / 4
    assert 1 < steps < 4.1
    assert said["memory.leak"]["numbers"]["bytes_per_s"] == pytest.approx(
        2 * MEBIBYTE * steps, rel=0.15)
    assert said["threads.leak"]["numbers"]["per_s"] == pytest.approx(2 * steps, rel=0.1)
    assert "worker:0 grew steadily from" in muster("advise", "last").expect(0).out


@pytest.fixture
def tight_group():
    """A control group that may use a tenth of a processor; None if none can be made."""
    for controller, name, limit in (("cpu", "cpu.cfs_quota_us", "10000"),
                                    ("", "cpu.max", "10000 100000")):
        group = pathlib.Path("/sys/fs/cgroup", controller, f"muster-test-{os.getpid()}")
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / name).write_text(limit)
        except OSError:
            group.rmdir()
            continue
        yield group
        eventually(lambda g=group: not (g / "cgroup.procs").read_text())
        group.rmdir()
        return
    yield None


def test_what_holds_a_task_up_is_named(muster, gate, tight_group):
    """A disk, if it happens again and again, but not for a task that saves now and then; a limit;
    Java's garbage."""
    held, saves = muster.write("held.py", HELD), muster.write("saves.py", SAVES)
    notes = muster.folder / "notes"
    spins = muster.write("spins.py", "import os, sys\nwhile not os.path.exists(sys.argv[1]):\n"
                                     "    sum(range(10_000))\n")
    collects = muster.write("Collects.java", COLLECTS)
    limited = {} if tight_group is None else {"limited": {"tasks": 1, "vcores": 1, "command":
        f"echo $$ > {tight_group}/cgroup.procs; exec /usr/bin/python3 {spins} {gate.path}"}}
    wanted = {("held", "steps.disk_bound"), ("collects", "java.garbage"),
              *((role, "cores.held_back") for role in limited)}
    # It is woken to the end, because it may look at the gate just before that opens; even if the
    # process that was woken has closed the pipe before anything was written.
    wakes = "trap '' PIPE; while :; do sleep 0.53; echo > pipe; done 2> /dev/null"
    running = muster.start("run", muster.spec({"roles": {
        "held": {"tasks": 1, "command":
                 f"mkfifo pipe; ({wakes}) & exec /usr/bin/python3 {held} {gate.path} {notes}"},
        "saves": {"tasks": 1, "command": f"exec /usr/bin/python3 {saves} {gate.path}"},
        "collects": {"tasks": 1, "memory": "512m", "command":
                     f"exec java {SMALL_JAVA} {collects} {gate.path}"},
        **limited}}))
    muster.wait_for_phase("running")

    rules = {rule for _, rule in wanted}

    def found():
        said = {(each["role"], each["rule"]): each for each in eff(muster)["advice"]
                if each["rule"] in rules}
        return said if set(said) >= wanted else None

    said = eventually(found, what=lambda: str(eff(muster)["advice"]), within=120)
    truth = float(notes.read_text())
    gate.open()
    running.wait().expect(0)
    assert {role for role, _ in said} == {role for role, _ in wanted}, said
    assert 0.5 < truth < 0.9
    disk = said["held", "steps.disk_bound"]
    # It is sampled once a second, for half a minute.
    assert disk["numbers"]["disk_waiting"] == pytest.approx(truth, abs=0.2)
    assert re.search(r"while it read .* for \d+ page faults", disk["evidence"]), disk
    assert "its memory is short" in disk["what"]
    assert said["collects", "java.garbage"]["numbers"]["collecting"] > 0.5
    if limited:
        limit = said["limited", "cores.held_back"]
        assert "processor limit of its control group held it back in" in limit["evidence"]
        assert "`cpu.cfs_quota_us`" in limit["what"]


def test_restarts_that_never_help_are_named(muster):
    muster.run({"command": "sleep 0.3; exit 9", "tasks": 1,
                "restart": {"process": 3, "container": 0, "host": 0,
                            "backoff": "10ms..10ms"}}).expect(1)
    said = advice(muster)
    assert "restarts.never_help" in said
    assert "restart.process=1" in said["restarts.never_help"]["set"]


def test_small_tasks_are_named(muster):
    muster.run({"command": "true", "tasks": 8}).expect(0)
    said = advice(muster)
    assert said["tasks.too_small"]["set"] == ["roles.worker.tasks_per_container=8"]
    assert said["tasks.too_small"]["numbers"]["overhead"] >= 0.5


def test_a_job_that_uses_what_it_asks_for_is_left_alone(muster):
    muster.run_shell("sleep 1").expect(0)
    assert advice(muster) == {}
    assert "no advice for" in muster("advise", "last").expect(0).out


def test_usage_sums_up_jobs(muster):
    muster.run_shell("sleep 1", name="alpha").expect(0)
    muster.run_shell("exit 3", name="alpha", restart={"process": 0, "container": 0,
                                                      "host": 0}).expect(1)
    muster.run_shell("sleep 1", name="beta").expect(0)
    document = muster("usage", "--by", "name", "--json").expect(0).json()
    assert document["schema"] == "muster.usage/1" and document["by"] == "name"
    rows = {row["key"]: row for row in document["rows"]}
    assert set(rows) == {"alpha", "beta"}
    assert (rows["alpha"]["jobs"], rows["alpha"]["failed"]) == (2, 1)
    assert rows["beta"]["granted_s"] >= 1
    accounts = [eff(muster, job)["granted_s"] for job in muster.jobs()]
    assert sum(row["granted_s"] for row in rows.values()) == pytest.approx(sum(accounts), abs=0.01)
    table = list(csv.DictReader(io.StringIO(
        muster("usage", "--by", "day", "--csv").expect(0).out)))
    assert sum(int(row["jobs"]) for row in table) >= 3
    assert sum(float(row["granted_s"]) for row in table) == pytest.approx(sum(accounts), abs=0.01)
    for by in ("user", "queue", "host"):
        [row] = muster("usage", "--by", by, "--json").expect(0).json()["rows"]
        assert row["jobs"] == 3
    text = muster("usage").expect(0).out
    assert "goodput" in text


def test_usage_leaves_out_what_came_before(muster):
    muster.run_shell("true").expect(0)
    assert muster("usage", "--since", "1h", "--json").expect(0).json()["rows"]
    assert not muster("usage", "--since", "2200-01-01T00:00:00Z", "--json").expect(0).json()["rows"]
    assert muster("usage", "--since", "2200-01-01T00:00:00Z").expect(0).out == "no jobs\n"


def test_bad_input_is_refused(muster):
    muster("eff", "nothing").expect_error(2, "no such job")
    muster("usage", "--by", "moon").expect_error(2, "moon", "user")
    muster("usage", "--since", "yesterday").expect_error(2, "yesterday")
    muster("usage", "--json", "--csv").expect_error(2, "not both")


def test_hosts_that_harm_jobs_are_named(muster):
    # The program blames the place where it runs first, which is h1, and succeeds on another host.
    spec = {"command": "[ $MUSTER_ATTEMPT != 1 ] || exit 9", "tasks": 1,
            "rules": [{"match": {"exit_code": 9}, "class": "place.broken", "retry": "elsewhere"}],
            "restart": {"host": 2, "backoff": "10ms..10ms"}, "local": {"hosts": 4}}
    assert muster("hosts").expect(0).out.startswith("no hosts")
    for _ in range(2):
        muster.run(spec).expect(0)
    muster.run({"command": "true", "tasks": 4, "local": {"hosts": 4}}).expect(0)
    # A master remembers hosts after it has told its clients the end.
    document = eventually(lambda: (found := muster("hosts", "--json").expect(0).json())["harmful"]
                          and found, what="what the last job found")
    assert document["schema"] == "muster.hosts/1"
    hosts = {row["host"]: row for row in document["hosts"]}
    assert hosts["h1"]["failures"] == pytest.approx(2, abs=0.01)
    assert hosts["h1"]["class"] == "place.broken"
    assert all(row["failures"] == 0 for name, row in hosts.items() if name != "h1")
    [harmful] = document["harmful"]
    assert harmful["host"] == "h1" and "2 failures (place.broken" in harmful["reason"]
    assert "jobs avoid h1: 2 failures" in muster("hosts").expect(0).out


def runs_of(muster, role):
    """How many main threads of a role ran or waited for a processor, on average; 0: not known."""
    rows = muster("metrics", "last", role, "--name", "process.main_thread.running", "--csv").out
    runs = [float(row["value"]) for row in csv.DictReader(io.StringIO(rows))]
    return sum(runs) / len(runs) if len(runs) >= 10 else 0


def test_a_parameter_server_of_one_thread_is_advised_on(muster, gate):
    """A real one: each request costs it a hundredth of a second, and its two cores do not help."""
    program = muster.write("ps.py", PARAMETER_SERVER)
    running = muster.start("run", muster.spec({"command": f"exec python3 {program} {gate.path}",
                                               "framework": "tensorflow", "roles": {
        "ps": {"tasks": 1, "vcores": 2}, "worker": {"tasks": 2, "vcores": 1}}}))
    muster.wait_for_phase("running")
    eventually(lambda: runs_of(muster, "ps") > 0.92, what="a busy parameter server", within=90)
    gate.open()
    running.wait().expect(0)
    [advice] = [each for each in eff(muster)["advice"] if each["rule"] == "ps.saturated"]
    assert "with one thread" in advice["evidence"], advice
    assert advice["numbers"]["ps_load"] >= 0.85 and advice["numbers"]["worker_load"] < 0.4


def test_parameter_servers_at_their_limit_are_advised_on(muster, gate):
    burn = muster.write("burn.py", BURN)
    running = muster.start("run", muster.spec({"roles": {
        "ps": {"tasks": 1, "vcores": 1, "command": f"python3 {burn} {gate.path}"},
        "worker": {"tasks": 2, "vcores": 1,
                   "command": f"until [ -e {gate.path} ]; do sleep 1; done"}}}))
    muster.wait_for_phase("running")

    eventually(lambda: runs_of(muster, "ps") > 0.92, what="a busy parameter server", within=60)
    gate.open()
    running.wait().expect(0)
    [advice] = [each for each in eff(muster)["advice"] if each["rule"] == "ps.saturated"]
    assert advice["numbers"]["ps_load"] >= 0.85 and advice["numbers"]["worker_load"] < 0.4
    assert advice["set"] == ["roles.ps.tasks=4"]


def series(muster, name):
    rows = muster("metrics", "last", "--name", name, "--csv").expect(0).out
    return [float(row["value"]) for row in csv.DictReader(io.StringIO(rows))]


def test_loopback_is_no_network(muster, gate):
    """However much servers receive over it, it reports no speed, and no advice about a network
    follows."""
    program = muster.write("streams.py", STREAMS)
    place = muster.folder / "port"
    running = muster.start("run", muster.spec({"roles": {
        "ps": {"tasks": 1, "vcores": 2, "success": "ignored"}, "worker": {"tasks": 2, "vcores": 2}},
        "command": f"exec python3 {program} {gate.path} {place} 127.0.0.1"}))
    muster.wait_for_phase("running")
    eventually(lambda: len(series(muster, "container.cpu.usage")) > 60, within=120)
    gate.open()
    running.wait().expect(0)
    # Virtual machines and containers report no device; the test's own host may have an idle one.
    sent = series(muster, "system.network.io.transmit")
    assert sent and (sent[-1] - min(sent)) < 5_000_000 * len(sent)
    assert not [each for each in eff(muster)["advice"] if "network" in each["evidence"]]


def test_a_network_that_is_full_is_advised_on(muster, gate):
    """Real traffic over a saturated network, counted by the kernel; only the speed that its device
    reports is made up."""
    muster.write("gives_back.py", GIVES_BACK)
    program = muster.write("sends.py", SENDS)
    path = muster.spec({"local": {"hosts": 2}, "roles": {
        "ps": {"tasks": 1, "vcores": 2, "success": "ignored"},
        "worker": {"tasks": 1, "vcores": 2}},
        "command": f"exec python3 {program} {gate.path}"})
    done = []
    inside = threading.Thread(target=lambda: done.append(subprocess.run(
        ["unshare", "--net", "--mount", "bash", "-ec", NETWORK, "inside", harness.BINARY, "run",
         path], cwd=muster.folder, env=muster.environment, capture_output=True, text=True,
        check=False, timeout=200)))
    inside.start()
    try:
        eventually(lambda: muster("status", "last").code == 0 and
                   len(series(muster, "system.network.io.transmit")) > 80, within=150,
                   what=lambda: str(done))
    finally:
        gate.open()
        inside.join()
    assert done[0].returncode == 0, done[0].stderr + done[0].stdout
    assert set(series(muster, "hw.network.bandwidth.limit")) == {5_000_000}
    [advice] = [each for each in eff(muster)["advice"] if each["rule"] == "ps.saturated"]
    assert "of what their network carries" in advice["evidence"]
    assert advice["numbers"]["network"] == pytest.approx(1, abs=0.15)


ACCUSED = '{"host":"h2","failures":2,"class":"host.disk"}'


def remember(muster, *hosts, at=None):
    """Writes what an earlier job would have written about its hosts."""
    line = {"job": "earlier-abc123", "at_us": int((at or time.time()) * 1e6),
            "hosts": [json.loads(host) for host in hosts]}
    with open(muster.home / "hosts.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")


def hosts_of(muster):
    """Where the tasks of the last job were."""
    return {task["host"] for role in muster.status()["roles"].values() for task in role["tasks"]}


def test_a_host_that_harmed_jobs_is_avoided_by_the_next(muster):
    muster.home.mkdir(exist_ok=True)
    remember(muster, '{"host":"h1"}', ACCUSED, '{"host":"h3"}')
    job = {"command": "true", "tasks": 4, "local": {"hosts": 3}}
    why = ("assumed: hosts: avoiding h2, which caused trouble for earlier jobs: 2 failures "
           "(host.disk, ")
    assert why in muster("plan", muster.spec(job)).expect(0).out
    ended = muster.run(job).expect(0)
    assert why in ended.err and hosts_of(muster) == {"h1", "h3"}
    muster.run({**job, "hosts": {"remembered": False}}).expect(0)
    assert "h2" in hosts_of(muster)


def test_hosts_of_the_specification_are_avoided(muster):
    muster.run({"command": "true", "tasks": 4, "local": {"hosts": 3},
                "hosts": {"avoid": ["h3"]}}).expect(0)
    assert hosts_of(muster) == {"h1", "h2"}


def test_a_damaged_memory_of_hosts_is_survived_and_told(muster):
    muster.home.mkdir(exist_ok=True)
    (muster.home / "hosts.jsonl").write_bytes(b'{"job":"torn\n\xff\xfe\x00\n[]\n')
    told = "the record of hosts from earlier jobs is damaged: 3 lines skipped"
    assert told in muster.run_shell("true").expect(0).err
    # The master writes it after it has told of the end.
    ended = eventually(lambda: "h1" in (done := muster("hosts").expect(0)).out and done)
    assert "is damaged: 3 lines skipped" in ended.err
    (muster.home / "hosts.jsonl").unlink()
    (muster.home / "hosts.jsonl").mkdir()
    assert "cannot be read" in muster.run_shell("true").expect(0).err


def test_hosts_tell_what_runs_there(muster, gate):
    running = muster.start("run", muster.spec(
        {"command": gate.wait, "tasks": 3, "local": {"hosts": 2}}))
    muster.wait_for_phase("running")
    job = muster.job()
    assert f"h1 runs 2 tasks of {job}\n" in muster("hosts").expect(0).out
    rows = muster("hosts", "--json").expect(0).json()["running"]
    assert {(row["host"], row["job"], row["tasks"]) for row in rows} == {
        ("h1", job, 2), ("h2", job, 1)}
    gate.open()
    running.wait().expect(0)
    assert muster("hosts", "--json").expect(0).json()["running"] == []
