# timeout: 300
"""What tasks do with GPUs: samples, views of them and advice. A program named nvidia-smi plays the
GPUs and prints what a real one prints; its figures are exact."""

import csv
import io
import json
import os
import re
import signal
import urllib.request

import pytest
from harness import eventually

# Four GPUs: the first is half busy with a little memory, the last is of a kind that reports
# nothing.
NVIDIA_SMI = """\
#!/usr/bin/env python3
import os, pathlib, sys, time
folder = pathlib.Path(__file__).parent
gpus = [["10, 2048, 81920, 99.50, 41, 0"], ["30, 4096, 81920, 101.50, 43, 7"],
        ["90, 70000, 81920, 400.00, 71, 0"],
        ["[N/A], [Not Supported], [N/A], ERR!, 38, [N/A]"]]
names = [f"{index}, GPU-{index}a0b-77" for index in range(4)]
if "--query-gpu=index,uuid,name,memory.total" in sys.argv:
    for name in names:
        print(f"{name}, NVIDIA A100-SXM4-80GB, 81920")
    sys.exit()
assert "-l" in sys.argv, sys.argv
with open(folder / "starts", "a") as starts:
    starts.write(f"{os.getpid()}\\n")
print("warning: infoROM is corrupted at gpu 0000:3B:00.0", "x" * 200_000, flush=True)
for _ in range(int((folder / "rounds").read_text())):
    for name, values in zip(names, gpus):
        line = f"{name}, {values[0]}\\n"
        os.write(1, line[:20].encode())
        os.write(1, line[20:].encode())
    time.sleep(0.2)
os.write(1, b"0, GPU-0a0b")
sys.exit(15)
"""

# Keeps its core busy until the gate opens.
BURN = """\
import os, sys
while not os.path.exists(sys.argv[1]):
    sum(range(100_000))
"""


class Gpus:
    """A machine with GPUs: its PATH, and how often nvidia-smi was started."""

    def __init__(self, muster):
        self.folder = muster.folder / "gpus"
        muster.write("gpus/nvidia-smi", NVIDIA_SMI, 0o755)
        self.rounds(100_000)
        muster.environment["PATH"] = f"{self.folder}:{muster.environment['PATH']}"

    def rounds(self, count):
        """Makes a started program die after this many rounds."""
        (self.folder / "rounds").write_text(str(count))

    def starts(self):
        path = self.folder / "starts"
        return [int(pid) for pid in path.read_text().split()] if path.exists() else []


@pytest.fixture
def gpus(muster):
    return Gpus(muster)


def rows_of(muster, *arguments):
    text = muster("metrics", "last", *arguments, "--csv").expect(0).out
    return list(csv.DictReader(io.StringIO(text)))


def values_of(muster, *arguments):
    """The distinct values of each GPU metric."""
    values = {}
    for row in rows_of(muster, *arguments, "--name", "hw.gpu."):
        values.setdefault(row["name"].removeprefix("hw.gpu."), set()).add(float(row["value"]))
    return values


def ask_page(muster, target):
    base, token = muster.status()["page"].split("#t=")
    request = urllib.request.Request(base.rstrip("/") + target,
                                     headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_task_is_measured_by_its_own_gpus(muster, gate, gpus):
    running = muster.start("run", muster.spec({
        "command": gate.wait,
        "roles": {"worker": {"tasks": 2, "gpus": 1}, "ps": {"tasks": 1, "gpus": 0},
                  "chief": {"tasks": 1, "gpus": 2}}}))
    muster.wait_for_phase("running")
    eventually(lambda: all(values_of(muster, task) for task in ("worker:0", "worker:1", "chief")),
               what="samples of GPUs")
    found = {}
    for task in ("worker:0", "worker:1"):
        values = values_of(muster, task)
        assert all(len(each) == 1 for each in values.values()), values
        found[task] = {name: each.pop() for name, each in values.items()}
    known = {0: {"utilization": 0.1, "memory.usage": 2048 << 20, "memory.limit": 80 << 30,
                 "power": 99.5, "temperature": 41, "errors": 0},
             1: {"utilization": 0.3, "memory.usage": 4096 << 20, "memory.limit": 80 << 30,
                 "power": 101.5, "temperature": 43, "errors": 0},
             2: {"utilization": 0.9, "memory.usage": 70000 << 20, "memory.limit": 80 << 30,
                 "power": 400, "temperature": 71, "errors": 0},
             3: {"temperature": 38}}
    assert all(values in known.values() for values in found.values()), found
    chief = values_of(muster, "chief")
    assert len([name for name in chief if name.startswith("temperature")]) == 1
    assert values_of(muster, "ps") == {}

    # What people and programs are shown.
    (top,) = muster("top", "last", "--json").expect(0).json()["jobs"]
    shown = [task["gpu"] for task in top["roles"]["worker"]["tasks"]]
    assert shown == [found[task].get("utilization") for task in ("worker:0", "worker:1")]
    assert top["roles"]["ps"]["tasks"][0]["gpu"] is None
    assert re.search(r"\bGPU\b", muster("top", "last", "--once").expect(0).out)
    series = json.loads(ask_page(muster, "/api/metrics?name=hw.gpu.temperature"))["series"]
    assert {each["task"] for each in series} == {"worker:0", "worker:1", "chief:0"}
    assert {value for each in series if each["task"] == "worker:0"
            for _, value in each["points"]} == {found["worker:0"]["temperature"]}
    text = ask_page(muster, "/metrics")
    assert re.search(r'^muster_task_hw_gpu_temperature\{job="[^"]+",role="worker",index="0",'
                     rf'host="[^"]+"\}} {found["worker:0"]["temperature"]:g}$', text, re.M)
    gate.open()
    running.wait().expect(0)


def test_a_quick_run_sees_all_gpus_of_the_machine(muster, gate, gpus):
    running = muster.start("run", "-n", "1", "--", "sh", "-c", gate.wait)
    muster.wait_for_phase("running")
    # The first sample may come between two lines of the program.
    values = eventually(lambda: (seen := values_of(muster, "worker")) and
                        0.433 in seen["utilization"] and seen, what="samples of all GPUs")
    assert values["utilization.2"] == {0.9} and "utilization.3" not in values
    assert (2048 + 4096 + 70000) << 20 in values["memory.usage"]
    assert 71 in values["temperature"]
    gate.open()
    running.wait().expect(0)


def test_who_hides_gpus_without_a_word_is_told(muster, gpus):
    """A specification that mentions none on a machine that has some; the quick form shares them."""
    path = muster.spec({"command": "env", "tasks": 1})
    done = muster("run", path).expect(0)
    assert done.lines("warning: this machine has 4 GPUs, and no role asks for any")
    assert done.lines("CUDA_VISIBLE_DEVICES=-1$")
    quick = muster("run", "-n", "2", "--", "env").expect(0)
    assert quick.lines("assumed: .*4 GPUs, shared") and not quick.lines("warning|CUDA_VISIBLE")


def test_tasks_without_gpus_start_no_program(muster, gpus):
    muster.run({"command": "sleep 1.5", "roles": {"worker": {"tasks": 1, "gpus": 0}}}).expect(0)
    assert rows_of(muster, "worker", "--name", "process.thread.count")
    assert gpus.starts() == []


def test_a_program_that_dies_is_started_again(muster, gate, gpus):
    gpus.rounds(2)  # Each is 0.2 s.
    running = muster.start("run", muster.spec({
        "command": gate.wait, "roles": {"worker": {"tasks": 1, "gpus": 1}}}))
    eventually(lambda: len(gpus.starts()) >= 3, what="the third start")
    assert values_of(muster, "worker")["utilization"] == {0.1}
    gate.open()
    running.wait().expect(0)


def test_the_program_dies_with_its_agent(muster, gate, gpus):
    running = muster.start("run", muster.spec({
        "command": gate.wait, "roles": {"worker": {"tasks": 1, "gpus": 1}}}))
    first = eventually(lambda: gpus.starts(), what="a start")[0]
    assert alive(first)
    [agent] = muster.pids("agent")
    os.kill(agent, signal.SIGKILL)
    eventually(lambda: not alive(first), what="the end of nvidia-smi")
    gate.open()
    running.wait().expect(0)


def test_input_that_does_not_keep_up_is_advised_on(muster, gate, gpus):
    program = muster.write("burn.py", BURN)
    running = muster.start("run", muster.spec({
        "command": f"python3 {program} {gate.path}",
        "roles": {"worker": {"tasks": 1, "gpus": 1, "vcores": 1}}}))
    muster.wait_for_phase("running")

    def busy():
        """Also if others have the processor."""
        runs = [float(row["value"])
                for row in rows_of(muster, "worker", "--name", "process.main_thread.running")]
        return len(runs) >= 8 and sum(runs) / len(runs) > 0.9 and values_of(muster, "worker")

    eventually(busy, what="a busy processor")
    gate.open()
    running.wait().expect(0)
    account = muster("eff", "last", "--json").expect(0).json()
    used = account["roles"]["worker"]["used"]
    assert used["gpu"] == pytest.approx(0.1)
    assert used["gpu_memory_bytes"] == 2048 << 20
    assert used["gpu_memory_limit_bytes"] == 80 << 30
    advice = {each["rule"]: each for each in account["advice"]}
    assert advice["gpu.input_bound"]["numbers"]["wanted"] >= 0.85
    assert advice["gpu.input_bound"]["numbers"]["gpu"] == pytest.approx(0.1)
    assert advice["gpu.input_bound"]["set"] == ["roles.worker.vcores=4"]
    assert "gpu.memory_far_from_use" in advice
    text = muster("eff", "last").expect(0).out
    assert re.search(r"GPUs 1 at 10 %, GPU memory 2 GiB of 80 GiB", text)
    assert "the GPUs of worker were busy 10 % of the working time" in text
