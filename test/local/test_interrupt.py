"""Ctrl-C, a closed terminal, TERM and HUP, to the client and to each process of a job."""

import os
import re
import signal
import subprocess

import harness
import pytest

SPEC = {"command": "echo up $MUSTER_INDEX; exec sleep 1000", "tasks": 2}


def start(muster, *arguments, terminal=False, **top):
    running = muster.start("run", muster.spec({**SPEC, **top}), *arguments, terminal=terminal)
    muster.wait_for_phase("running")
    if "command" not in top:
        running.sees("worker:0.*up 0")
    return running


def test_ctrl_c_detaches_and_says_how_to_come_back_and_to_stop(muster):
    running = start(muster, terminal=True)
    running.type(b"\x03")
    done = running.wait().expect(130)
    job = muster.job()
    assert f"muster logs {job}" in done.text or f"muster logs -f {job}" in done.text
    assert f"muster stop {job}" in done.text
    assert muster.status()["phase"] == "running"
    muster("stop", job).expect(0)


def test_ctrl_c_while_the_job_is_submitted_still_tells_of_it(muster):
    running = muster.start("run", muster.spec(SPEC), terminal=True)
    harness.eventually(muster.jobs)
    running.type(b"\x03")
    done = running.wait().expect(130)
    assert f"muster stop {muster.job()}" in done.text
    muster("stop", "last").expect(0)


def test_what_happens_is_not_told_to_one_who_left(muster):
    running = start(muster, terminal=True)
    running.type(b"\x03")
    done = running.wait().expect(130)
    assert done.text.rstrip().endswith(f"muster stop {muster.job()}")
    muster("stop", "last").expect(0)


def test_a_third_ctrl_c_leaves_a_job_that_is_being_stopped(muster, gate):
    running = start(muster, terminal=True, deadlines={"stop": "1000s"},
                    command=f"trap '' TERM; echo up; {gate.wait}")
    running.sees(r"(?m)(^|\| )up\b")
    running.type(b"\x03")
    running.sees("left")
    running.type(b"\x03")
    running.sees("stopping")
    running.type(b"\x03")
    done = running.wait().expect(130)
    assert f"detached from {muster.job()}, which is being stopped" in done.text
    gate.open()


def test_a_second_ctrl_c_stops(muster):
    running = start(muster, terminal=True)
    running.type(b"\x03")
    running.sees("Ctrl-C|again|stop")
    running.type(b"\x03")
    running.wait().expect(4)
    assert muster.status()["outcome"]["result"] == "stopped"


def test_a_closed_terminal_detaches(muster):
    running = start(muster, terminal=True)
    running.hang_up()
    running.wait()
    assert muster.status()["phase"] == "running"
    muster("stop", "last").expect(0)


def test_sigint_without_a_terminal_stops(muster):
    running = start(muster)
    running.signal(signal.SIGINT)
    running.wait().expect(4)


@pytest.mark.parametrize("terminal", [False, True])
def test_sigterm_always_stops(muster, terminal):
    running = start(muster, terminal=terminal)
    running.signal(signal.SIGTERM)
    running.wait().expect(4)
    assert muster.status()["outcome"]["result"] == "stopped"


def test_sigterm_ends_a_client_whose_output_nobody_reads(muster):
    path = muster.spec({"command": "trap heard=1 TERM; echo up; until [ $heard ]; do sleep 0.05; "
                                   "done; exec yes", "tasks": 1})
    client = subprocess.Popen([harness.BINARY, "run", path], env=muster.environment,
                              cwd=muster.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert b"up" in client.stdout.readline()
        client.send_signal(signal.SIGTERM)
        assert client.wait(harness.PATIENCE) != 0
    finally:
        client.kill()
        client.wait()
        client.stdout.close()
    muster.end_everything()


def test_sighup_detaches(muster):
    running = start(muster)
    running.signal(signal.SIGHUP)
    running.wait().expect(130)
    assert muster.status()["phase"] == "running"
    muster("stop", "last").expect(0)


def test_a_client_that_nohup_has_started_goes_on(muster):
    running = muster.start("-c", 'trap "" HUP; exec "$0" "$@"', harness.BINARY, "run",
                           muster.spec(SPEC), program="/bin/sh")
    assert running.sees("up 0")
    running.signal(signal.SIGHUP)
    running.signal(signal.SIGTERM)
    running.wait().expect(4)
    assert muster.status()["outcome"]["result"] == "stopped", "the second signal was heard"


def test_a_killed_client_leaves_the_job_running(muster):
    running = start(muster)
    running.signal(signal.SIGKILL)
    running.wait()
    assert muster.status()["phase"] == "running"
    muster("stop", "last").expect(0)


@pytest.mark.parametrize(("how", "code", "phase"), [
    ("stop", 4, "ended"), ("detach", 130, "running")])
def test_on_interrupt_overrides(muster, how, code, phase):
    running = start(muster, "--on-interrupt", how, terminal=how == "stop")
    if how == "stop":
        running.type(b"\x03")
    else:
        running.signal(signal.SIGINT)
    running.wait().expect(code)
    assert muster.status()["phase"] == phase
    if phase == "running":
        muster("stop", "last").expect(0)


def test_interrupt_while_the_job_waits(muster):
    """A job that waits for memory has no tasks yet; it can be stopped all the same."""
    running = muster.start("run", muster.spec(
        {"command": "true", "roles": {"a": {"command": "sleep 1000"}, "b": {"after": ["a"]}}}))
    muster.wait_for_phase("running")
    running.signal(signal.SIGTERM)
    running.wait().expect(4)


def test_sigterm_to_the_master_stops_the_job_in_order(muster):
    running = start(muster)
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGTERM)
    running.wait().expect(4)
    muster.expect_nothing_left()


def test_sigterm_to_an_agent_is_a_lost_container_and_the_task_comes_back(muster):
    running = start(muster, tasks=1, command="echo attempt $MUSTER_ATTEMPT up; exec sleep 1000")
    (agent,) = muster.pids("agent")
    os.kill(agent, signal.SIGTERM)
    running.sees("attempt 2 up")
    muster("stop", "last").expect(0)
    running.wait().expect(4)


@pytest.mark.parametrize("which", ["stub", "keeper"])
def test_sigterm_to_a_keeper_leaves_nothing_of_its_container(muster, which):
    running = start(muster, tasks=1, command="echo attempt $MUSTER_ATTEMPT up; exec sleep 1000")
    stub, keeper = muster.pids("keeper")
    os.kill(stub if which == "stub" else keeper, signal.SIGTERM)
    running.sees("attempt 2 up")
    harness.eventually(
        lambda: sum("sleep 1000" in line for line in muster.processes().values()) == 1)
    muster("stop", "last").expect(0)
    running.wait().expect(4)


def test_a_detached_job_ends_by_itself(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1}), terminal=True)
    muster.wait_for_phase("running")
    running.type(b"\x03")
    running.wait().expect(130)
    gate.open()
    assert muster.wait_for_phase("ended")["outcome"]["result"] == "succeeded"


TYPED = """
import signal, sys, time
try:
    print("up", flush=True)
    time.sleep(1000)
except KeyboardInterrupt:
    print("saving", flush=True)
    %s
    print("saved", flush=True)
    raise
"""


def held_by(gate):
    """Python that waits for the gate, and ignores the signals from its terminal."""
    return f"import subprocess; subprocess.call({gate.wait!r}, shell=True, start_new_session=True)"


def typed(muster, program, *arguments, **more):
    command = [*arguments, "--", "/usr/bin/python3", "-c", program]
    running = muster.start("run", *command, **more)
    running.sees(r"(?m)(^|\| )up\b")
    return running


@pytest.mark.parametrize("terminal", [False, True])
def test_an_interrupt_reaches_a_typed_command_as_by_hand(muster, gate, terminal):
    running = typed(muster, TYPED % held_by(gate), "-n", "2", terminal=terminal)
    if terminal:
        running.type(b"\x03")
    else:
        running.signal(signal.SIGINT)
    running.sees("saving")
    running.sees("interrupting .*SIGINT")
    assert muster.status()["phase"] == "stopping"
    gate.open()
    done = running.wait().expect(130)
    assert "saved" in done.text and "KeyboardInterrupt" in done.text
    status = muster.status()
    assert status["outcome"]["result"] == "stopped"
    assert status["outcome"]["class"] == "stop.user"
    muster.expect_nothing_left()


def test_what_a_script_has_in_the_background_does_not_hear_an_interrupt_and_is_not_waited_for(
        muster):
    program = muster.write("train.py", TYPED % "")
    script = f"sleep 1001 & cd . && /usr/bin/python3 {program}; true"
    running = muster.start("run", "--set", "deadlines.stop=1000s", "--", "sh", "-c", script,
                           terminal=True)
    running.sees(r"(?m)(^|\| )up\b")
    running.type(b"\x03")
    assert "saved" in running.wait().expect(130).text
    muster.expect_nothing_left()


def test_a_second_ctrl_c_does_not_wait_and_a_third_leaves(muster, gate):
    script = f"trap 'echo deaf' INT; trap 'echo asked' TERM; echo up; {gate.wait}; {gate.wait}"
    running = muster.start("run", "--", "sh", "-c", script, terminal=True)
    running.sees(r"(?m)(^|\| )up\b")
    running.type(b"\x03")
    running.sees("interrupting")
    running.type(b"\x03")
    running.sees("stopping .* with SIGTERM")
    running.type(b"\x03")
    done = running.wait().expect(130)
    assert f"detached from {muster.job()}, which is being stopped" in done.text
    # The last request has been passed on, although the client left at once.
    harness.eventually(lambda: re.findall("deaf|asked", muster("logs", "last").out) ==
                       ["deaf", "asked"])
    gate.open()
    assert muster.wait_for_phase("ended")["outcome"]["result"] == "stopped"


def test_what_does_not_heed_an_interrupt_gets_sigterm(muster):
    command = "trap '' INT; trap 'echo asked; exit 3' TERM; echo up; while :; do sleep 0.05; done"
    running = muster.start("run", "--set", "deadlines.stop=4s", "--", "sh", "-c", command)
    running.sees(r"(?m)(^|\| )up\b")
    running.signal(signal.SIGINT)
    assert "asked" in running.wait().expect(130).out


def test_a_typed_command_can_be_left(muster):
    running = typed(muster, TYPED % "", "--on-interrupt", "detach", terminal=True)
    running.type(b"\x03")
    running.wait().expect(130)
    assert muster.status()["phase"] == "running"
    done = muster("stop", "last", "--interrupt").expect(0)
    assert "stopped" in done.out
    log = muster("logs", "last").expect(0).out
    assert "saved" in log and "KeyboardInterrupt" in log
    events = muster("show", "last").expect(0).out
    assert "interrupt" in events, events


def test_a_job_from_a_file_is_interrupted_where_that_is_asked_for(muster):
    program = muster.write("train.py", TYPED % "")
    running = muster.start("run", muster.spec({**SPEC, "command": f"/usr/bin/python3 {program}"}),
                           "--on-interrupt", "interrupt", terminal=True)
    running.sees(r"(?m)(^|\| )up\b")
    running.type(b"\x03")
    assert "saved" in running.wait().expect(130).text


def test_a_new_master_goes_on_with_an_interrupt(muster, gate):
    """Its predecessor is killed while the program saves; there is neither a SIGTERM nor a second
    SIGINT."""
    running = typed(muster, TYPED % held_by(gate))
    running.signal(signal.SIGINT)
    running.sees("saving")
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    harness.eventually(lambda: muster.status()["epoch"] == 2)
    gate.open()
    assert "saved" in running.wait().expect(130).text
