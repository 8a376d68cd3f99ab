"""muster logs: whole, followed, by role and index, since a time, by a pattern."""

import datetime
import re
import subprocess
import time

import harness


def finished(muster):
    muster.run({"command": "me=\"$MUSTER_ROLE $MUSTER_INDEX\"; echo out of $me; echo err $me >&2",
                "roles": {"worker": {"tasks": 2}, "ps": {"tasks": 1}}}).expect(0)


def test_all_of_a_finished_job(muster):
    finished(muster)
    text = muster("logs", "last").expect(0).out
    for role, index in (("worker", 0), ("worker", 1), ("ps", 0)):
        assert re.search(rf"^{role}:{index}\W.*out of {role} {index}$", text, re.MULTILINE)
    assert text.count("err") == 3


def test_by_role_and_by_index(muster):
    finished(muster)
    workers = muster("logs", "last", "worker").expect(0).out
    assert "out of worker 0" in workers and "out of worker 1" in workers
    assert "out of ps" not in workers
    one = muster("logs", "last", "worker:1").expect(0).out
    assert "out of worker 1" in one and "out of worker 0" not in one


def test_of_a_role_or_index_that_is_not_there(muster):
    finished(muster)
    muster("logs", "last", "wroker").expect_error(2, "wroker", "worker")
    muster("logs", "last", "worker:7").expect_error(2, "worker:7")


def test_grep(muster):
    muster.run_shell("seq 1 50").expect(0)
    lines = muster("logs", "last", "--grep", "^4[0-4]$").expect(0).out.splitlines()
    assert [line.split()[-1] for line in lines] == ["40", "41", "42", "43", "44"]
    muster("logs", "last", "--grep", "(").expect_error(2, "(")


def test_since(muster):
    muster.run_shell("echo early; echo late").expect(0)
    assert "late" in muster("logs", "last", "--since", "10m").expect(0).out
    muster("logs", "last", "--since", "yesterday-ish").expect_error(2, "yesterday-ish")


def test_since_within_a_job(muster, gate):
    running = muster.start("run", muster.spec(
        {"command": f"echo early; {gate.wait}; echo late", "tasks": 1}))
    running.sees("early")
    seen = time.time()
    harness.eventually(lambda: time.time() > seen + 0.2)
    since = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    gate.open()
    running.wait().expect(0)
    text = muster("logs", "last", "--since", since.replace("+00:00", "Z")).expect(0).out
    assert "late" in text and "early" not in text


def test_follow_sees_lines_as_they_come_and_ends_with_the_job(muster, gate):
    running = muster.start("run", muster.spec(
        {"command": f"echo first; {gate.wait}; echo second", "tasks": 1}))
    running.sees("first")
    follower = muster.start("logs", "-f", "last")
    follower.sees("first")
    assert "second" not in follower.text
    gate.open()
    follower.sees("second")
    follower.wait().expect(0)
    running.wait().expect(0)


def test_follow_over_a_restart(muster, gate):
    running = muster.start("run", muster.spec({
        "command": f"echo attempt $MUSTER_ATTEMPT; {gate.wait}; [ $MUSTER_ATTEMPT = 3 ]",
        "tasks": 1, "restart": {"backoff": "300ms..300ms"}}))
    running.sees("attempt 1")
    follower = muster.start("logs", "-f", "last")
    follower.sees("attempt 1")
    gate.open()
    follower.sees("attempt 3")
    done = follower.wait().expect(0)
    running.wait().expect(0)
    assert "attempt 2" in done.text


def test_rotated_files_are_read_in_order(muster):
    muster.run_shell("seq 1 400000", logs={"max": "1m", "keep": 3}).expect(0)
    kept = sum(path.stat().st_size for path in (muster.job_folder() / "logs").iterdir())
    assert kept <= 2 << 20
    numbers = [int(line.split()[-1]) for line in muster("logs", "last").expect(0).out.splitlines()
               if line.split()[-1].isdigit()]
    assert numbers[-1] == 400000
    assert numbers == sorted(numbers)


def test_a_closed_pipe_ends_quietly(muster):
    muster.run_shell("seq 1 100000").expect(0)
    script = f"'{harness.BINARY}' logs last | head -n 1"
    done = subprocess.run(["sh", "-c", script], env=muster.environment, cwd=muster.folder,
                          capture_output=True, timeout=harness.PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


BOTH_STREAMS = ("for i in 1 2 3; do echo out $i; while ! grep -q \"out $i\" "
                "$MUSTER_HOME/jobs/*/logs/worker-0.1.stdout; do :; done; echo err $i >&2; "
                "while ! grep -q \"err $i\" $MUSTER_HOME/jobs/*/logs/worker-0.1.stderr; "
                "do :; done; sleep 0.005; done")


def test_both_streams_of_a_task_come_in_the_order_of_their_times(muster):
    muster.run_shell(BOTH_STREAMS).expect(0)
    lines = [line.split(" | ")[1] for line in muster("logs", "last").expect(0).out.splitlines()]
    assert lines == ["out 1", "err 1", "out 2", "err 2", "out 3", "err 3"]


def test_the_tail_counts_lines_of_both_streams_together(muster):
    muster.run_shell(BOTH_STREAMS + "; printf unfinished").expect(0)
    tail = muster("logs", "last", "--tail", "3").expect(0).out.splitlines()
    assert [line.split(" | ")[1] for line in tail] == ["out 3", "err 3", "unfinished"]


def test_times_are_shown(muster):
    muster.run_shell("echo hello").expect(0)
    line = muster("logs", "last", "--timestamps").expect(0).out
    stamp = re.match(r"^(\S+)Z worker:0 \| hello$", line).group(1)
    age = datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(stamp + "+00:00")
    assert datetime.timedelta(0) <= age < datetime.timedelta(seconds=harness.PATIENCE)
    assert muster("logs", "last", "--json").expect(0).json()["time"] == stamp + "Z"


def test_several_roles_and_tasks(muster):
    finished(muster)
    text = muster("logs", "last", "worker:1", "ps").expect(0).out
    assert "out of worker 1" in text and "out of ps 0" in text
    assert "out of worker 0" not in text


def test_an_attempt_that_is_not_there(muster):
    muster.run_shell("echo hello").expect(0)
    assert "hello" in muster("logs", "last", "--attempt", "1").expect(0).out
    muster("logs", "last", "--attempt", "2").expect_error(2, "--attempt 2", "1 attempt")
