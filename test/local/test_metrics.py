# timeout: 300
"""What tasks used: `muster metrics`, the page's JSON, Prometheus' text, and what a master's death
costs. Programs report themselves what they use, so no figure here depends on the machine's
speed."""

import csv
import datetime
import io
import json
import os
import re
import signal
import urllib.error
import urllib.request

import pytest
from harness import eventually

# Burns processor time and holds memory until the gate opens, and says how much it used.
BURN = """\
import os, pathlib, sys, threading, time
held = bytearray(os.urandom(1) * (96 << 20))
threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
pathlib.Path("written").write_bytes(b"x" * (1 << 20))
while not os.path.exists(sys.argv[1]):
    sum(range(100_000))
times = os.times()
print("USED", times.user + times.system, flush=True)
"""


# Each waits in its own way until the gate opens: for Python's lock, in one of three threads; for a
# child process that computes; for an answer that does not come; for a time to pass.
WAITS = """\
import multiprocessing, os, socket, sys, threading, time
gate, how = sys.argv[1:]

def is_open():
    return os.path.exists(gate)

def spin(queue=None):
    while not is_open():
        for _ in range(100):
            sum(range(20_000))
        if queue:
            queue.put(1)
    if queue:
        queue.put(1)

if how == "lock":
    for _ in range(2):
        threading.Thread(target=spin).start()
    spin()
elif how == "child":
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=spin, args=(queue,), daemon=True)
    child.start()
    while not is_open():
        queue.get()
elif how == "socket":
    here, there = socket.socketpair()
    here.settimeout(0.3)
    while not is_open():
        try:
            here.recv(1)
        except TimeoutError:
            pass
elif how == "sleep":
    while not is_open():
        time.sleep(0.3)
"""


def rows_of(muster, *arguments):
    text = muster("metrics", "last", *arguments, "--csv").expect(0).out
    return list(csv.DictReader(io.StringIO(text)))


def burn(muster, gate, **more):
    (muster.folder / "burn.py").write_text(BURN)
    command = f"exec python3 burn.py {gate.path}"
    spec = {"command": command, "files": ["burn.py"], "roles": {"worker": {"tasks": 1, **more}}}
    return muster.start("run", muster.spec(spec))


def ask_page(muster, target, token=None):
    link = muster.status()["page"]
    base, fragment = link.split("#t=")
    headers = {"Authorization": f"Bearer {token or fragment}"}
    request = urllib.request.Request(base.rstrip("/") + target, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_a_program_that_burns_is_seen_to_burn(muster, gate):
    running = burn(muster, gate)
    muster.wait_for_phase("running")
    names = ("--name", "container.cpu.time.user")
    eventually(lambda: [row for row in rows_of(muster, *names) if float(row["value"]) >= 2],
               what="two seconds of processor time")
    gate.open()
    finished = running.wait().expect(0)
    used = float(re.search(r"USED ([\d.]+)", finished.text).group(1))
    after = {}
    for row in rows_of(muster, "worker:0"):
        after.setdefault(row["name"], []).append(float(row["value"]))
    burnt = after["container.cpu.time.user"][-1] + after["container.cpu.time.system"][-1]
    # The last sample is a second or so before the end; the program's times do not include Python's
    # own start.
    assert 1.5 <= burnt <= used + 1
    assert after["container.cpu.time.user"] == sorted(after["container.cpu.time.user"])
    assert 0 < max(after["container.cpu.usage"]) <= (os.cpu_count() or 1) + 0.5
    assert 96 << 20 <= max(after["container.memory.usage"]) < 400 << 20
    assert max(after["container.memory.peak"]) >= max(after["container.memory.usage"])
    assert max(after["process.thread.count"]) >= 2
    assert max(after["process.open_file_descriptor.count"]) >= 3
    assert max(after["container.memory.paging.faults"]) > 1000


def test_what_main_threads_wait_for_is_seen(muster, gate):
    program = muster.write("waits.py", WAITS)
    share = "process.main_thread."
    wanted = {"lock": ("process.python.lock_waiting", 1), "child": (share + "child_waiting", 0.5),
              "socket": (share + "socket_waiting", 0.5), "sleep": (share + "sleeping", 0.5)}
    running = muster.start("run", muster.spec({"roles": {
        how: {"tasks": 1, "command": f"exec /usr/bin/python3 {program} {gate.path} {how}"}
        for how in wanted}}))
    muster.wait_for_phase("running")

    def mean(role, name):
        values = [float(row["value"]) for row in rows_of(muster, role, "--name", name)]
        return sum(values) / len(values) if len(values) >= 3 else 0

    for how, (name, least) in wanted.items():
        eventually(lambda how=how, name=name, least=least: mean(how, name) >= least,
                   what=f"{how} is seen to wait")
    gate.open()
    running.wait().expect(0)
    for how, (own, _) in wanted.items():
        for name in {name for name, _ in wanted.values() if name != wanted["lock"][0]} - {own}:
            assert mean(how, name) < 0.5, (how, name)


def test_columns_and_lines(muster, gate):
    running = burn(muster, gate, memory="1g")
    muster.wait_for_phase("running")
    # The first sample may be that of the shell.
    eventually(lambda: [row for row in rows_of(muster, "worker:0", "--name",
                                               "container.memory.usage")
                        if float(row["value"]) > 1 << 20], what="a sample of the program")
    gate.open()
    running.wait().expect(0)
    rows = rows_of(muster)
    assert list(rows[0]) == ["time", "task", "attempt", "name", "unit", "value"]
    assert {row["value"] for row in rows if row["name"] == "container.memory.limit"} == {
        str(1 << 30)}
    moments = [datetime.datetime.fromisoformat(row["time"].replace("Z", "+00:00")) for row in rows]
    assert moments == sorted(moments)
    assert {row["task"] for row in rows} == {"worker:0", "@h1"} or any(
        row["task"].startswith("@") for row in rows)
    lines = [json.loads(line) for line in
             muster("metrics", "last", "worker", "--json").expect(0).out.splitlines()]
    assert set(lines[0]) == {"time", "task", "attempt", "name", "unit", "value"}
    assert {line["task"] for line in lines} == {"worker:0"}
    table = muster("metrics", "last", "worker:0", "--name", "container.memory.").expect(0).out
    assert re.search(r"^worker:0 +container\.memory\.usage +\d+(\.\d+)? MiB ", table, re.M)
    minutes = rows_of(muster, "--step", "60", "--name", "process.thread.count")
    assert minutes and all(row["time"].endswith(":00Z") for row in minutes)


def test_bad_requests(muster):
    muster.run_shell("true").expect(0)
    refused = muster("metrics", "last", "wroker").expect(2)
    assert 'the job has no role "wroker"; did you mean worker?' in refused.err
    refused = muster("metrics", "last", "--csv", "--json").expect(2)
    assert "give --json or --csv, not both" in refused.err
    assert "NO-SUCH" in muster("metrics", "NO-SUCH").expect(2).err
    assert "nothing was measured" in muster("metrics", "last", "--name", "user.x").expect(0).out


def test_the_page_tells_programs(muster, gate):
    running = burn(muster, gate)
    muster.wait_for_phase("running")

    def series():
        _, text = ask_page(muster, "/api/metrics?task=worker:0&name=container.memory.usage")
        return json.loads(text)["series"]

    # The first look may have found a shell that was just starting.
    eventually(lambda: any(value > 1 << 20 for each in series() for _, value in each["points"]),
               what="a series")
    (usage,) = series()
    assert (usage["task"], usage["attempt"], usage["unit"], usage["kind"]) == (
        "worker:0", 1, "By", "gauge")
    assert all(value > 1 << 20 for _, value in usage["points"][1:])

    def names():
        return {name["name"] for name in
                json.loads(ask_page(muster, "/api/metrics/names")[1])["names"]}

    # A rate takes two samples.
    eventually(lambda: "container.cpu.usage" in names(), what="a rate")

    def scraped():
        kind, text = ask_page(muster, "/metrics")
        assert kind == "text/plain; version=0.0.4; charset=utf-8"
        return re.search(r'^muster_task_container_memory_usage\{job="[^"]+",role="worker",'
                         r'index="0",host="[^"]+"\} (\d+)$', text, re.M)

    assert int(eventually(scraped, what="a scrape").group(1)) > 1 << 20
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask_page(muster, "/metrics", token="0" * 64)
    assert refused.value.code == 401
    gate.open()
    running.wait().expect(0)


def test_the_next_master_goes_on(muster, gate):
    running = burn(muster, gate)
    muster.wait_for_phase("running")
    names = ("--name", "container.memory.usage")
    folder = muster.home / "jobs" / muster.job() / "metrics"
    eventually(lambda: folder.is_dir() and list(folder.glob("seconds-000001-*")),
               what="samples in a file")
    before = rows_of(muster, *names)
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    eventually(lambda: list(folder.glob("seconds-000002-*")), what="samples of the next master")
    gate.open()
    running.wait().expect(0)
    after = rows_of(muster, *names)
    moments = [row["time"] for row in after]
    assert len(set(moments)) == len(moments)
    kept = [row for row in before if row["time"] in moments]
    lost = len(before) - len(kept)
    assert lost <= 10
    assert moments[-1] > before[-1]["time"]


def test_damaged_files_are_named_and_passed_over(muster, gate):
    running = burn(muster, gate)
    muster.wait_for_phase("running")
    eventually(lambda: rows_of(muster, "worker:0"), what="a sample")
    gate.open()
    running.wait().expect(0)
    folder = muster.home / "jobs" / muster.job() / "metrics"
    (folder / "seconds-000001-000099.samples").write_bytes(b"\x89MSB\x07\0\0\0junk and more of it")
    (folder / "notes.txt").write_text("not a sample file")
    shown = muster("metrics", "last", "worker:0").expect(0)
    assert "container.cpu.time.user" in shown.out
    assert "seconds-000001-000099.samples: a block of samples is cut off (at byte 0)" in shown.err
