# timeout: 300
"""Attacks on the ports of a job: the owner and the agents get through, and nothing grows."""

import os
import pathlib
import re
import signal

import attacks
import harness
import pytest
import siege


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
def test_the_owner_gets_through(muster, gate, kind):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    (master,) = muster.pids("master")
    kept, lost = muster.pids("agent")
    places = [(siege.place_of(master), {}),
              (siege.place_of(kept), {"count": siege.SIZE // 4})]

    def an_agent_comes():
        os.kill(lost, signal.SIGKILL)
        harness.eventually(lambda: attempts_of(muster) == [1, 2]
                           and muster.status()["phase"] == "running")

    siege.hold_out(kind, places, [master, kept], lambda: muster("stop", "last").expect(0),
                   an_agent_comes)
    running.wait()
    assert attempts_of(muster) == [1, 2]
    log = (muster.job_folder() / "master.log").read_text()
    assert len(re.findall("control.unauthenticated", log)) < 20


def attempts_of(muster):
    return sorted(task["attempts"] for task in muster.status()["roles"]["worker"]["tasks"])


def test_a_hostile_task_stops_nobody(muster):
    """It prints without an end, and leaves daemons in sessions of their own."""
    muster.write("hostile.py", siege.HOSTILE)
    muster("submit", muster.spec({"command": "python3 hostile.py", "files": ["hostile.py"],
                                  "logs": {"max": "1m", "keep": 2}, "tasks": 2})).expect(0)
    muster.wait_for_phase("running")
    harness.eventually(lambda: len(list(muster.job_folder().glob("logs/*.stdout*"))) >= 4)
    siege.hold_out("hostile", [], muster.pids("master") + muster.pids("agent"),
                   lambda: muster("stop", "last", "--no-wait").expect(0))
    muster.wait_for_phase("ended")


def test_no_file_and_no_process_shows_another_user_a_key(muster, gate):
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    muster.wait_for_phase("running")
    for folder in [muster.folder, *muster.folder.parents][:-2]:
        folder.chmod(folder.stat().st_mode | 0o055)  # The way there is open.
    secret = bytes.fromhex((muster.job_folder() / "secret").read_text())
    shown = muster("show", "last").expect(0).out
    keys = siege.keys_of(secret, re.findall(r"\bc\d+\b", shown))
    assert any(name.startswith("agent:") for name in keys), shown
    claims = pathlib.Path("/tmp").glob("muster-claims.*")
    # Muster's own: those of the tasks come and go.
    pids = [pid for kind in ("run", "master", "agent", "keeper") for pid in muster.pids(kind)]
    assert len(pids) > 4
    assert siege.seek(siege.AS_ANOTHER_USER, keys.values(), pids, muster.folder, "/dev/shm",
                      *claims) == []
    gate.open()
    running.wait().expect(0)
