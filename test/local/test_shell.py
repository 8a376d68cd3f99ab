"""muster shell: shells that outlive their client and the job's master."""

import fcntl
import json
import os
import pathlib
import re
import signal
import struct
import termios

import harness
import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")

SHELL = {"SHELL": "/bin/sh", "TERM": "dumb", "PS1": "$ "}
DETACH = b"\x1dd"


@pytest.fixture
def job(muster):
    """Starts a job of one task that sleeps."""
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_tasks()
    return muster.job()


def shell(muster, *arguments):
    return muster.start("shell", *arguments, terminal=True, env=SHELL)


def shells(muster, job):
    return json.loads(muster("shell", job, "--list", "--json").expect(0).out)["shells"]


def count(running, tmp_path, until):
    """Starts a loop in a shell that counts until a file exists; returns the file."""
    running.type(f"i=0; while [ ! -e {until} ]; do i=$((i+1)); echo n=$i=; sleep 0.05; done; "
                 f"echo all $i\n".encode())
    running.sees("n=3=")


def test_a_shell_is_left_and_joined_again(muster, job, tmp_path):
    first = shell(muster, job)
    first.sees("shell 1 in worker:0; Ctrl-\\] d leaves it running")
    go = tmp_path / "go"
    count(first, tmp_path, go)
    first.type(DETACH)
    left = first.wait().expect(0)
    assert f"shell 1 of worker:0 keeps running; `muster shell {job} worker:0 --join 1`" in left.text
    assert [each["shell"] for each in shells(muster, job)] == [1]
    assert shells(muster, job)[0]["left_ms"] is not None
    assert "left" in muster("shell", job, "--list").expect(0).out
    go.touch()
    again = shell(muster, job, "worker:0", "--join", "1")
    again.sees(r"all \d+")
    again.type(b"exit 3\n")
    again.wait().expect(3)
    assert shells(muster, job) == []
    shown = muster("show", job).expect(0).out
    assert "opened shell in worker:0" in shown
    assert "detached from shell 1 in worker:0" in shown
    assert "joined shell 1 in worker:0" in shown


def test_a_killed_client_leaves_the_shell_with_what_it_missed(muster, job, tmp_path):
    first = shell(muster, job)
    go = tmp_path / "go"
    count(first, tmp_path, go)
    first.signal(signal.SIGKILL)
    first.wait()
    go.touch()
    again = shell(muster, job, "--join", "0")
    again.sees(r"n=3=[\s\S]*all \d+")
    again.type(b"exit\n")
    again.wait().expect(0)


def test_a_shell_goes_on_when_the_master_dies(muster, job, tmp_path):
    """Nothing that the shell writes is lost or shown twice."""
    running = shell(muster, job)
    go = tmp_path / "go"
    count(running, tmp_path, go)
    [master] = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    running.sees("the connection to the master was lost")
    running.sees("connected again")
    go.touch()
    last = int(running.sees(r"all (\d+)").group(1))
    running.type(b"exit 4\n")
    done = running.wait().expect(4)
    assert [int(n) for n in re.findall(r"n=(\d+)=", done.text)] == list(range(1, last + 1))


def test_no_key_is_lost_or_doubled_when_the_master_dies(muster, job, tmp_path):
    """Typed right before and after the death, and while there is no master; nothing typed is echoed
    here."""
    running = shell(muster, job)
    got = tmp_path / "got"
    running.type(f"stty -echo; echo quiet-$((1+1)); cat > {got}; exit 4\n".encode())
    running.sees("quiet-2")
    typed = []

    def type_one():
        typed.append(f"key-{len(typed)}")
        running.type(f"{typed[-1]}\n".encode())

    def is_connected(times):
        type_one()
        return running.text.count("connected again") == times

    for times in (1, 2):
        for n in range(400):
            if n == 200:
                for master in muster.pids("master"):
                    os.kill(master, signal.SIGKILL)
            type_one()
        harness.eventually(lambda times=times: is_connected(times))
    running.type(b"\x04")
    done = running.wait().expect(4)
    assert got.read_text().split() == typed
    assert "key-" not in done.text


def resize(running, rows, columns):
    """As a terminal does when its window changes."""
    fcntl.ioctl(running.terminal, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))


def until(rows, columns):
    """A shell command that waits until its terminal has that size."""
    return f"until [ \"$(stty size)\" = '{rows} {columns}' ]; do sleep 0.05; done; ".encode()


def test_a_shell_has_the_size_of_its_window(muster, job):
    """Even if that changes while there is no master; also the window of whoever joins the shell."""
    running = shell(muster, job)
    running.sees("shell 1")
    resize(running, 41, 101)
    running.type(until(41, 101) + b"echo first-$((1+1))\n")
    running.sees("first-2")
    [master] = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    running.sees("the connection to the master was lost")
    resize(running, 32, 72)
    running.sees("connected again")
    running.type(until(32, 72) + b"echo second-$((1+1))\n")
    running.sees("second-2")
    second = shell(muster, job, "--join", "1")
    second.sees("shell 1")
    running.wait()
    resize(second, 53, 93)
    second.type(until(53, 93) + b"exit 6\n")
    second.wait().expect(6)


@pytest.mark.parametrize("program", [
    pytest.param((harness.BINARY,), id="a-signal-tells"),
    pytest.param(("/usr/bin/setsid", "--wait", harness.BINARY), id="no-signal-tells"),
])
def test_what_is_typed_after_a_change_of_the_window_finds_its_last_size(muster, job, program):
    """Also if the signal of the change comes late, or never: on another session's terminal."""
    running = muster.start(*program[1:], "shell", job, terminal=True, env=SHELL, program=program[0])
    running.type(b"echo on-$((1+1))\n")
    running.sees("on-2")
    for rows in range(21, 81):
        resize(running, rows, 100 + rows)
    running.type(b"stty size; exit 3\n")
    done = running.wait().expect(3)
    assert re.findall(r"^\d+ \d+$", done.text, re.MULTILINE) == ["80 180"], done.text


def test_a_size_that_changes_while_the_task_is_waited_for(muster, tmp_path):
    again = tmp_path / "again"
    muster("submit", muster.spec({
        "command": f"[ -e {again} ] && exec sleep 1000; touch {again}; exit 1",
        "tasks": 1, "restart": {"process": 3, "backoff": "20s..20s"}})).expect(0)
    harness.eventually(again.exists)
    harness.eventually(lambda: muster.status()["roles"]["worker"]["tasks"][0]["state"] == "waiting")
    running = shell(muster, "last")
    running.sees("worker:0 is between two attempts")
    resize(running, 41, 101)
    running.sees("shell 1")
    running.type(until(41, 101) + b"exit 5\n")
    running.wait().expect(5)


def test_a_client_that_was_stopped_has_its_terminal_again(muster, job):
    """As after `fg`: the shell that it was started from has used the terminal meanwhile."""
    running = shell(muster, job)
    running.type(b"echo on-$((1+1))\n")
    running.sees("on-2")
    raw = termios.tcgetattr(running.terminal)
    running.signal(signal.SIGSTOP)
    harness.eventually(lambda: ") T " in pathlib.Path(f"/proc/{running.pid}/stat").read_text())
    others = [*raw[:3], raw[3] | termios.ICANON | termios.ECHO | termios.ISIG, *raw[4:]]
    termios.tcsetattr(running.terminal, termios.TCSANOW, others)
    running.signal(signal.SIGCONT)
    harness.eventually(lambda: termios.tcgetattr(running.terminal) == raw)
    running.type(b"exit 4\n")
    running.wait().expect(4)


def test_a_terminal_that_is_gone_without_a_signal_leaves_the_shell(muster, job, tmp_path):
    """Its end is not typed as Ctrl-D, which would end the shell."""
    running = muster.start("--wait", harness.BINARY, "shell", job, terminal=True, env=SHELL,
                           program="/usr/bin/setsid")  # It is not its session's terminal.
    go = tmp_path / "go"
    running.type(f"echo on-$((1+1)); until [ -e {go} ]; do sleep 0.05; done; echo end\n".encode())
    running.sees("on-2")
    running.hang_up()
    go.touch()  # Whoever reads the terminal is woken, and lets go of it.
    harness.eventually(lambda: muster.pids("shell") == [])
    assert [each["ended"] for each in shells(muster, job)] == [False]
    again = shell(muster, job, "--join", "1")
    again.sees("^end$")
    again.type(b"exit 4\n")
    again.wait().expect(4)


def test_a_client_hears_of_a_connection_that_dies_without_a_word(muster, job):
    """As after a sleep, on another network. Here the system probes idle connections early."""
    running = shell(muster, job)
    running.sees("shell 1")
    harness.eventually(lambda: 0 < idle_timer(running.pid) <= 30)
    [master] = muster.pids("master")
    harness.eventually(lambda: idle_timer(master) > 60)
    running.type(b"exit 4\n")
    running.wait().expect(4)


def idle_timer(pid):
    """In how many seconds one of a process's idle connections is probed; 0: none is. If there are
    several, the one that is probed last."""
    return max((seconds for kind, seconds in harness.timers(pid) if kind == 2), default=0)


def test_ctrl_c_ends_a_flood_over_the_masters_death(muster, job):
    running = shell(muster, job)
    running.type(b"while :; do echo flood; done\n")
    running.sees("flood\nflood\n")
    [master] = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    running.sees("connected again")
    running.type(b"\x03")
    running.type(b"echo calm-$((1+1)); exit 5\n")
    running.sees("calm-2")
    running.wait().expect(5)


def test_a_shell_that_is_taken_over_says_so(muster, job):
    first = shell(muster, job)
    first.sees("shell 1")
    second = shell(muster, job, "--join", "1")
    second.sees("shell 1")
    assert "somebody else has joined the shell" in first.wait().text
    second.type(b"exit 5\n")
    second.wait().expect(5)


def test_a_container_lost_under_a_shell_is_said(muster, job):
    running = shell(muster, job)
    running.sees("shell 1")
    running.type(b"echo agent=$PPID=\n")
    agent = int(running.sees(r"agent=(\d+)=").group(1))
    os.kill(agent, signal.SIGKILL)
    done = running.wait()
    assert done.code in (3, 6)
    assert re.search("has ended|lost|is ending", done.text), done.text


def test_a_shell_that_is_left_ends_with_its_task(muster, job):
    running = shell(muster, job)
    running.type(b"trap '' HUP TERM; echo pid=$$=\n")
    pid = int(running.sees(r"pid=(\d+)=").group(1))
    running.type(DETACH)
    running.wait().expect(0)
    muster("stop", job).expect(0)
    harness.eventually(lambda: not pathlib.Path(f"/proc/{pid}").exists())


def test_other_keys_leave_a_shell(muster, job):
    running = muster.start("shell", job, "--detach-keys", "ctrl-p,ctrl-q", terminal=True, env=SHELL)
    running.sees("Ctrl-P Ctrl-Q leaves it running")
    running.type(b"\x10\x11")
    running.wait().expect(0)
    muster("shell", job, "--detach-keys", "hyper-x").expect_error(2, "hyper-x")


def test_shells_that_are_not_there_are_named(muster, job):
    assert muster("shell", job, "--list").expect(0).out == "no shells\n"
    gone = shell(muster, job, "--join", "7").wait()
    assert gone.code == 6
    assert "no shell 7" in gone.text
