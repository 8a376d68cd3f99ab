"""muster exec and muster shell: commands inside running tasks, by the master's relay."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import termios
import time

import harness
import pytest
import siege

pytestmark = pytest.mark.usefixtures("stopped_jobs")

SLEEP = {"command": "exec sleep 1000", "tasks": 1}


@pytest.fixture
def job(muster):
    """Starts a job of one task that sleeps."""
    return start(muster, SLEEP)


def start(muster, spec):
    muster("submit", muster.spec(spec)).expect(0)
    muster.wait_for_phase("running")
    return muster.job()


@contextlib.contextmanager
def piped(muster, *arguments, stderr=subprocess.DEVNULL):
    """muster exec whose standard output is a pipe that nobody reads but the test."""
    running = subprocess.Popen([harness.BINARY, "exec", *arguments], env=muster.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr)
    try:
        yield running
    finally:
        running.kill()
        running.wait()
        running.stdout.close()


def test_a_command_has_the_tasks_environment_folder_and_python(muster):
    job = start(muster, {"command": "touch mine; exec sleep 1000", "tasks": 1,
                         "env": {"COLOUR": "green"}})
    muster.wait_for_tasks(job)
    done = muster("exec", job, "worker:0", "--", "sh", "-c",
                  "until ls mine 2>/dev/null; do sleep 0.02; done; "
                  "echo $COLOUR $MUSTER_ROLE:$MUSTER_INDEX#$MUSTER_ATTEMPT; id -u").expect(0)
    assert done.out == f"mine\ngreen worker:0#1\n{os.getuid()}\n"
    assert done.err == ""


def test_streams_are_apart_and_binary_clean(muster, job, tmp_path):
    data = os.urandom(3_000_000)
    (tmp_path / "data").write_bytes(data)
    with open(tmp_path / "data", "rb") as stdin:
        done = subprocess.run(
            [harness.BINARY, "exec", job, "worker:0", "--", "sh", "-c", "tee /dev/stderr"],
            env=muster.environment, stdin=stdin, capture_output=True, timeout=harness.PATIENCE)
    assert done.returncode == 0
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(data).digest()
    assert hashlib.sha256(done.stderr).digest() == hashlib.sha256(data).digest()


def test_standard_input_can_be_left_to_a_loop(muster, job, tmp_path):
    words = tmp_path / "words"
    words.write_text("one\ntwo\n")
    loop = 'while read -r word; do "$0" exec "$1" -n -- echo $word; done'
    with words.open() as stdin:
        done = subprocess.run(["sh", "-c", loop, harness.BINARY, job], env=muster.environment,
                              stdin=stdin, capture_output=True, timeout=harness.PATIENCE)
    assert done.stdout == b"one\ntwo\n", done.stderr


def test_a_full_disk_is_said(muster, job):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([harness.BINARY, "exec", job, "--", "echo", "x"], stdout=full,
                              env=muster.environment, stdin=subprocess.DEVNULL, check=False,
                              stderr=subprocess.PIPE, text=True, timeout=harness.PATIENCE)
    assert done.returncode == 141
    assert "muster: cannot write to standard output: No space left on device" in done.stderr


def test_the_exit_status_is_the_commands(muster, job):
    assert muster("exec", job, "worker:0", "--", "sh", "-c", "exit 7").code == 7
    assert muster("exec", job, "--", "sh", "-c", "kill -9 $$").code == 128 + signal.SIGKILL
    muster("exec", job, "--", "no-such-program").expect_error(127, "no-such-program")
    muster("exec", job, "--", "/etc/passwd").expect_error(126, "/etc/passwd")


def test_words_stay_words(muster, job):
    done = muster("exec", job, "--", "printf", "<%s>", "a b", "", "$HOME", "-x", "--")
    assert done.expect(0).out == "<a b><><$HOME><-x><-->"


def test_ctrl_c_reaches_the_command(muster, job):
    running = muster.start("exec", job, "--", "sh", "-c",
                           "trap 'echo caught; exit 9' INT; echo up; while :; do sleep 0.05; done")
    running.sees("up")
    running.signal(signal.SIGINT)
    assert running.wait().expect(9).out == "up\ncaught\n"


def test_one_who_leaves_takes_the_command_along(muster, job, tmp_path):
    running = muster.start("exec", job, "--", "sh", "-c", "echo $$; exec sleep 1000")
    pid = int(running.sees(r"^(\d+)$").group(1))
    running.signal(signal.SIGHUP)
    running.wait().expect(128 + signal.SIGHUP)
    harness.eventually(lambda: not pathlib.Path(f"/proc/{pid}").exists())


def test_a_command_ends_with_its_task(muster, job):
    running = muster.start("exec", job, "--", "sh", "-c",
                           "trap '' HUP TERM; echo up; while :; do sleep 1; done")
    running.sees("up")
    muster("stop", job).expect(0)
    assert running.wait().code in (3, 128 + signal.SIGKILL)


def test_many_tasks_have_prefixes_and_each_its_status(muster):
    job = start(muster, {"command": "exec sleep 1000", "tasks": 3})
    done = muster("exec", job, "worker", "--parallel", "2", "--", "sh", "-c",
                  "echo I am $MUSTER_INDEX; exit $MUSTER_INDEX")
    assert done.code == 1
    for index in range(3):
        assert done.lines(rf"worker:{index}.*I am {index}")
    assert done.lines("worker:1: exited with 1")
    assert done.lines("worker:2: exited with 2")


def test_mistakes_are_named(muster, job):
    muster("exec", job, "worker:5", "--", "true").expect_error(2, "worker:5", "1 task")
    muster("exec", job, "wroker", "--", "true").expect_error(2, "did you mean worker")
    muster("exec", job, "worker:0").expect_error(2, "--")
    muster("exec", job, "-t", "--", "true").expect_error(2, "terminal")
    muster("shell", job).expect_error(2, "terminal")
    muster("exec", job, "--wait", "soon", "--", "true").expect_error(2, "--wait", "soon")
    muster("exec", "nothing-abc", "--", "true").expect_error(2, "no such job")


# Task arguments that a program might expand, count up to, or take for something else.
NO_TASKS = ["worker:0..999999999", "worker:", "worker:-1", "worker:18446744073709551616",
            "worker:0" + ",worker:0" * 5000, "," * 10000, ":" * 10000, "worker:[0-9]*", "(a+)+$",
            "(" * 5000 + ")" * 5000, "../../x", "\x1b]0;mine\x07", "w" * 100000, "worker:0\n", "*",
            "worker:*", "%s%n", "{0:9999999}", "worker:0x0", "worker:+0", " worker:0", "\u202e:0"]


def test_a_name_that_is_none_is_refused_at_once(muster, job):
    for name in NO_TASKS:
        begun = time.monotonic()
        done = muster("exec", job, name, "--", "true")
        assert time.monotonic() - begun < siege.patience(), name
        done.expect_error(2)
        assert "\x1b" not in done.text and "\u202e" not in done.text
    # And many that name only a few tasks count those once.
    muster("exec", job, *["worker"] * 10_000, "--", "true").expect(0)


def test_an_ended_task_and_an_ended_job(muster):
    start(muster, {"roles": {
        "quick": {"tasks": 1, "command": "true"}, "slow": {"tasks": 1, "command": "sleep 1000"}}})
    harness.eventually(
        lambda: muster.status()["roles"]["quick"]["tasks"][0]["state"] == "succeeded")
    muster("exec", "last", "quick:0", "--", "true").expect_error(6, "quick:0 has ended")
    muster("stop", "last").expect(0)
    muster("exec", "last", "slow:0", "--", "true").expect_error(6, "ended")


def test_a_task_between_two_attempts_is_waited_for(muster, tmp_path):
    """The first attempt fails at once; the second starts ten seconds later, so that even a busy
    machine asks before it."""
    again = tmp_path / "again"
    spec = {"command": f"[ -e {again} ] && exec sleep 1000; touch {again}; exit 1",
            "tasks": 1, "restart": {"process": 3, "backoff": "10s..10s"}}
    muster("submit", muster.spec(spec)).expect(0)
    harness.eventually(again.exists)
    harness.eventually(lambda: muster.status()["roles"]["worker"]["tasks"][0]["state"] == "waiting")
    done = muster("exec", "last", "worker:0", "--", "sh", "-c", "echo $MUSTER_ATTEMPT")
    assert done.expect(0).out == "2\n"
    assert "worker:0 is between two attempts" in done.err


def test_nobody_waits_longer_than_asked(muster, tmp_path):
    ran = tmp_path / "ran"  # Else the task may be waiting for its first attempt, which comes soon.
    spec = {"command": f"touch {ran}; exit 1", "tasks": 1,
            "restart": {"process": 3, "backoff": "100s..100s"}}
    muster("submit", muster.spec(spec)).expect(0)
    harness.eventually(ran.exists)
    harness.eventually(lambda: muster.status()["roles"]["worker"]["tasks"][0]["state"] == "waiting")
    muster("exec", "last", "--wait", "1s", "--", "true").expect_error(5, "gave up after 1.0 s")


def test_a_terminal_has_its_size_and_its_keys(muster, job):
    running = muster.start("exec", job, "-t", "--", "sh", "-c",
                           "echo $TERM; stty size; trap 'echo caught; exit 4' INT; echo up; "
                           "while :; do sleep 0.05; done",
                           terminal=True, env={"TERM": "xterm-256color"})
    running.sees("xterm-256color\n24 80|xterm-256color\n0 0")
    running.sees("up")
    running.type(b"\x03")
    assert "caught" in running.wait().expect(4).out


def test_a_shell_is_left_by_exit(muster, job):
    running = muster.start("shell", job, terminal=True, env={"SHELL": "/bin/sh", "TERM": "dumb"})
    running.type(b"echo role=$MUSTER_ROLE; exit 3\n")
    running.sees("role=worker")
    running.wait().expect(3)


def test_a_flood_does_not_stop_ctrl_c(muster, job):
    running = muster.start("exec", job, "-t", "--", "yes", terminal=True)
    running.sees("y\ny\n")
    running.type(b"\x03")
    running.wait().expect(128 + signal.SIGINT)


def test_one_that_is_not_read_stops_nobody(muster, job):
    with piped(muster, job, "--", "cat", "/dev/zero") as slow:
        assert slow.stdout.read(1) == b"\0"
        assert muster("exec", job, "--", "echo", "through").expect(0).out == "through\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("tasks", [1, 2])
def test_whoever_is_asked_to_end_does_though_nobody_reads(muster, tasks, number):
    start(muster, {"command": "exec sleep 1000", "tasks": tasks})
    with piped(muster, "last", "worker", "--", "yes") as running:
        harness.eventually(lambda: unread(running.stdout) >= 1 << 15)
        running.send_signal(number)
        assert running.wait(harness.PATIENCE) != 0


@pytest.mark.parametrize("tasks", [1, 2])
def test_what_a_command_writes_after_a_signal_needs_no_reader(muster, tasks):
    start(muster, {"command": "exec sleep 1000", "tasks": tasks})
    command = ("trap heard=1 TERM; echo up $MUSTER_INDEX; "  # Equal lines would be one.
               "until [ $heard ]; do sleep 0.05; done; exec yes")
    with piped(muster, "last", "worker", "--", "sh", "-c", command) as running:
        for _ in range(tasks):
            assert b"up" in running.stdout.readline()
        running.send_signal(signal.SIGTERM)
        assert running.wait(harness.PATIENCE) != 0
        assert unread(running.stdout) >= 1 << 15


def test_a_task_that_is_waited_for_is_not_begun_after_an_interrupt(muster, tmp_path):
    ran = tmp_path / "ran"
    start(muster, {"command": f"[ $MUSTER_INDEX = 0 ] && exec sleep 1000; touch {ran}; exit 1",
                   "tasks": 2, "restart": {"process": 3, "backoff": "100s..100s"}})
    harness.eventually(ran.exists)
    harness.eventually(lambda: muster.status()["roles"]["worker"]["tasks"][1]["state"] == "waiting")
    running = muster.start("exec", "last", "worker", "--", "sh", "-c", "echo up; exec sleep 1000")
    running.sees(r"worker:0 \| up")
    running.sees("waiting: worker:1 is between two attempts")
    running.signal(signal.SIGINT)
    done = running.wait().expect(128 + signal.SIGINT)
    assert "worker:1: interrupted before it began" in done.err


def test_an_interrupt_ends_commands_that_run_one_after_the_other(muster):
    start(muster, {"command": "exec sleep 1000", "tasks": 3})
    running = muster.start("exec", "last", "worker", "--parallel", "1", "--", "sh", "-c",
                           "echo up; exec sleep 1000")
    running.sees(r"worker:0 \| up")
    running.signal(signal.SIGINT)
    assert "worker:1" not in running.wait().expect(128 + signal.SIGINT).text


@pytest.mark.parametrize("tasks", [1, 2])
def test_a_reader_that_has_seen_enough_ends_it(muster, tasks):
    start(muster, {"command": "exec sleep 1000", "tasks": tasks})
    with piped(muster, "last", "worker", "--", "yes", stderr=subprocess.PIPE) as running:
        assert running.stdout.read(1)
        running.stdout.close()
        assert running.wait(harness.PATIENCE) == 128 + signal.SIGPIPE
        with running.stderr:
            assert running.stderr.read() == b""


def unread(pipe):
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_sessions_are_in_the_jobs_log_without_their_bytes(muster, job):
    muster("exec", job, "--", "sh", "-c", "echo se''cret").expect(0)
    shown = muster("show", job).expect(0).out
    assert re.search(r"opened exec in worker:0 from 127\.0\.0\.1: sh -c 'echo se'", shown), shown
    assert "secret" not in shown
    assert "session-opened" in muster("show", job, "--json").expect(0).out


def test_a_session_counts_for_its_tasks_memory(muster):
    job = start(muster, {"command": "exec sleep 1000", "roles": {
        "worker": {"tasks": 1, "memory": "64m"}}})
    running = muster.start("exec", job, "--", "python3", "-c",
                           "x = b'x' * (200 << 20); import time; print('has it'); time.sleep(1000)")
    assert running.wait().code in (3, 128 + signal.SIGKILL)
    muster.wait_for_phase("ended")
    assert muster.status()["outcome"]["class"].startswith("memory"), muster.status()["outcome"]


def test_a_killed_agent_ends_the_session_and_says_so(muster, job):
    running = muster.start("exec", job, "--", "sh", "-c", "echo $PPID; exec sleep 1000")
    agent = int(running.sees(r"^(\d+)$").group(1))
    os.kill(agent, signal.SIGKILL)
    done = running.wait().expect(3)
    assert "lost" in done.err or "ended" in done.err
    muster("stop", job)
