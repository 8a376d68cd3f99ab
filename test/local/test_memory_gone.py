"""A machine on which something has run out: what could not be obtained is named, once."""

import os
import pathlib
import resource

import harness
import pytest

ONCE = {"process": 0, "container": 0, "host": 0}


def test_a_program_that_gets_no_memory(muster):
    """Under a limit that applies to everything, including Muster's own processes."""
    muster.write("grow.py", "rows = bytearray(4 << 30)\n")
    program = muster.write("limited", f'#!/bin/sh\nulimit -v 2000000\nexec {harness.BINARY} "$@"\n',
                           mode=0o755)
    path = muster.spec({"command": "python3 grow.py", "files": ["grow.py"], "tasks": 1,
                        "restart": ONCE})
    done = muster.start("run", path, program=program).wait().expect(1)
    assert len(done.lines("class  *memory.allocation")) == 1, done.text
    assert muster.status()["outcome"]["class"] == "memory.allocation"


def test_an_agent_that_gets_no_memory(muster, gate):
    """It is neither the program's failure nor a crash of Muster."""
    running = muster.start("run", muster.spec({
        "command": f"echo up; {gate.wait}; seq 300000", "tasks": 1, "restart": ONCE}))
    running.sees("up")
    (agent,) = muster.pids("agent")
    resource.prlimit(agent, resource.RLIMIT_AS, (1, resource.RLIM_INFINITY))
    gate.open()
    done = running.wait()
    assert "muster agent: cannot allocate memory" in done.text, done.text
    assert len(done.lines("class  *memory.allocation")) == 1, done.text


@pytest.fixture
def full_table():
    """A control group in which nothing more can be started."""
    root = pathlib.Path("/sys/fs/cgroup")
    unified = (root / "cgroup.controllers").exists()
    group = (root if unified else root / "pids") / f"muster-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "pids.max").write_text("0")
    except OSError as refusal:
        pytest.skip(f"no control group of processes can be made here: {refusal}")
    yield group
    harness.eventually(lambda: not (group / "cgroup.procs").read_text())
    group.rmdir()


def test_a_task_that_cannot_be_started(muster, full_table, gate):
    """Its agent can start no further process between one attempt and the next."""
    running = muster.start("run", muster.spec({
        "command": f"echo up; {gate.wait}; exit 3", "tasks": 1,
        "restart": {"process": 1, "container": 0, "host": 0}}))
    running.sees("up")
    (agent,) = muster.pids("agent")
    (full_table / "cgroup.procs").write_text(str(agent))
    gate.open()
    done = running.wait().expect(1)
    assert "cannot create a process for /bin/sh: Resource temporarily unavailable" in done.text
    assert len(done.lines("class  *limit.processes")) == 1, done.text
    assert muster.status()["outcome"]["class"] == "limit.processes"
    muster.expect_nothing_left()
