# timeout: 300
"""Attacks on the ports of a job: the owner and the agents get through, and nothing grows.

Small here; `make soak` sets MUSTER_ATTACK_SIZE and repeats them with as many connections as the
host gives.
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import time

import attacks
import pytest
from test_secrets import listeners

SIZE = int(os.environ.get("MUSTER_ATTACK_SIZE", "1500"))
ANSWER_MAX = 2.0


@pytest.fixture
def attack():
    """Starts attacks, which last until the test ends."""
    running = []
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)

    def start(kind, port, count=SIZE):
        attacker = subprocess.Popen(
            [sys.executable, attacks.__file__, kind, str(port), str(min(count, most - 100))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
        running.append(attacker)
        assert attacker.stdout.readline() == "attacking\n"

    yield start
    for attacker in running:
        attacker.stdin.close()
        attacker.wait()


def resident_kib(pid, row="VmRSS"):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{row}:\s+(\d+) kB", status)[1])


def patience():
    """What an answer may take: more where others use the processors, too."""
    return ANSWER_MAX * max(1.0, os.getloadavg()[0] / os.cpu_count())


def test_every_attack_is_carried_out():
    """A new kind of attack needs a test; each is named in the threat model."""
    model = (pathlib.Path(__file__).parents[2] / "docs" / "threat-model.md").read_text()
    assert [kind for kind in attacks.KINDS if f"`{kind}`" not in model] == []


def test_every_attack_of_the_threat_model_has_its_test():
    """Each row of its tables names one, and each that it names is there."""
    root = pathlib.Path(__file__).parents[2]
    model = (root / "docs" / "threat-model.md").read_text()
    sources = [*root.glob("src/**/*_test.cc"), *root.glob("test/**/test_*.py")]
    text = "\n".join(path.read_text() for path in sources)
    there = {f"{suite}.{name}" for suite, name in
             re.findall(r"^TEST(?:_F)?\((\w+),\s*(\w+)\)", text, re.MULTILINE)}
    there |= set(re.findall(r"^def (test_\w+)", text, re.MULTILINE))
    named = set(re.findall(r"`(test_\w+|[A-Z]\w+\.[A-Z]\w+)`", model))
    assert named - there == set()
    rows = [row for table in re.findall(r"\| an attacker \|.*\n\|.*\n((?:\|.*\n)+)", model)
            for row in table.splitlines()]
    assert len(rows) > 20
    assert [row for row in rows if not re.search(r"`[\w.]+`(, `[\w.]+`)* \|$", row)] == []


@pytest.mark.parametrize("kind", attacks.KINDS)
def test_the_owner_gets_through(muster, gate, attack, kind):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    (master,) = muster.pids("master")
    agents = muster.pids("agent")
    idle = {pid: resident_kib(pid) for pid in [master, *agents]}
    for pid in idle:
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")  # VmHWM counts from here.
    (_, port), *_ = listeners([master])
    attack(kind, port)
    (_, agent_port), *_ = listeners(agents[:1])
    attack(kind, agent_port, SIZE // 4)
    assert muster.status()["phase"] == "running"
    peaks = {pid: resident_kib(pid, "VmHWM") for pid in idle}
    begun = time.monotonic()
    muster("stop", "last").expect(0)
    took = time.monotonic() - begun
    assert took < patience(), f"muster stop took {took:.1f} s"
    for pid, peak in peaks.items():
        assert peak < 2 * idle[pid], f"{idle[pid]} KiB grew to {peak} KiB"
    running.wait()
    status = muster.status()
    assert [task["attempts"] for task in status["roles"]["worker"]["tasks"]] == [1, 1]
    log = (muster.job_folder() / "master.log").read_text()
    assert len(re.findall("control.unauthenticated", log)) < 20
