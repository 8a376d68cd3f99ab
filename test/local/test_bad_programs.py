# timeout: 900
"""Programs that misbehave: each ends with its class, its culprit and its last words."""

import os
import pathlib
import re
import signal
import subprocess

import harness
import pytest

ONCE = {"process": 0, "container": 0, "host": 0}


def cause_of(muster, spec, within=harness.PATIENCE):
    """Runs a spec that must fail by its program; returns (first cause, outcome, run)."""
    done = muster.run({"restart": ONCE, **spec}, within=within).expect(1)
    outcome = muster.status()["outcome"]
    tail = done.text.splitlines()[-20:]
    assert any(outcome["first_cause"]["task"] in line for line in tail), tail
    return outcome["first_cause"], outcome, done


def test_an_import_that_fails_names_the_module(muster):
    muster.write("train.py", "import tensorflow_that_is_not_there\n")
    cause, outcome, done = cause_of(
        muster, {"command": "python3 train.py", "files": ["train.py"], "tasks": 1,
                 "restart": {"process": 3}})
    assert "tensorflow_that_is_not_there" in cause["evidence"]
    assert "import" in outcome["class"]
    assert muster.status()["roles"]["worker"]["tasks"][0]["attempts"] == 1
    assert "tensorflow_that_is_not_there" in "\n".join(done.text.splitlines()[-20:])


def test_a_framework_that_python_lacks(muster):
    muster.write("train.py", "import tensorflow\n")
    _, _, done = cause_of(muster, {
        "framework": "tensorflow", "command": "/usr/bin/python3 train.py", "files": ["train.py"],
        "tasks": 1})
    words = " ".join(done.text.split())
    assert "python3 of the task (/usr/bin/python3) has no tensorflow" in words, done.text


def test_a_framework_that_the_other_python_lacks(muster):
    """Both interpreters are named: the task's and the submitter's."""
    folder = muster.folder / "venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "python3").symlink_to("/usr/bin/python3")
    muster.write("train.py", "import tensorflow\n")
    path = muster.spec({"framework": "tensorflow", "command": "/usr/bin/python3 train.py",
                        "files": ["train.py"], "tasks": 1})
    done = muster("run", path, env={"PATH": f"{folder}:/usr/bin:/bin"}).expect(1)
    assert (f"python3 of the task (/usr/bin/python3) has no tensorflow; yours is {folder}/python3"
            in " ".join(done.text.split())), done.text


def test_a_command_that_does_not_exist(muster):
    cause, outcome, _ = cause_of(muster, {"command": "no-such-program --x", "tasks": 1})
    assert cause["exit_code"] == 127 and "no-such-program" in cause["evidence"]
    assert "command" in outcome["class"]


def test_a_command_that_is_not_executable(muster):
    muster.write("run.sh", "echo hi\n", mode=0o644)
    cause, _, _ = cause_of(muster, {"command": "./run.sh", "files": ["run.sh"], "tasks": 1})
    assert cause["exit_code"] == 126 and "run.sh" in cause["evidence"]


@pytest.mark.parametrize("code", [1, 3, 137, 255])
def test_exit_codes(muster, code):
    cause, _, _ = cause_of(muster, {"command": f"exit {code}", "tasks": 1})
    assert (cause["exit_code"], cause["signal"]) == (code, None)


@pytest.mark.parametrize("name", ["SEGV", "ABRT", "KILL"])
def test_signals(muster, name):
    cause, _, done = cause_of(muster, {"command": f"kill -{name} $$", "tasks": 1})
    assert (cause["exit_code"], cause["signal"]) == (None, int(getattr(signal, f"SIG{name}")))
    assert f"SIG{name}" in done.text


def test_a_task_over_its_memory(muster):
    muster.write("eat.py", "import time\nblock = b'1' * (400 << 20)\ntime.sleep(60)\n")
    cause, outcome, _ = cause_of(muster, {
        "command": "exec python3 eat.py", "files": ["eat.py"],
        "roles": {"worker": {"memory": "100m"}}})
    assert "memory" in outcome["class"]
    assert re.search(r"\d{3}(\.\d)? MiB of memory; the limit is 100 MiB", cause["evidence"])


def test_a_limit_that_is_smaller_than_the_interpreter(muster):
    job = {"command": "exec python3 -c 'import time; time.sleep(1000)'",
           "roles": {"worker": {"memory": "1m"}}}
    cause, outcome, _ = cause_of(muster, job)
    assert outcome["class"] == "memory.limit"
    assert "the limit is 1 MiB" in cause["evidence"]


def test_hundreds_of_processes_that_come_and_go(muster):
    muster.write("many.py", """
import subprocess
for _ in range(5):
    for child in [subprocess.Popen(["sleep", "0.1"]) for _ in range(200)]:
        assert child.wait() == 0
print("all of them")
""")
    done = muster.run({"command": "exec python3 many.py", "files": ["many.py"],
                       "roles": {"worker": {"memory": "2g"}}})
    assert done.expect(0).out == "all of them\n"
    muster.expect_nothing_left()


def test_memory_of_children_counts(muster):
    muster.write("eat.py", """
import os, time
for _ in range(4):
    if os.fork() == 0:
        block = b"1" * (60 << 20)
        time.sleep(60)
time.sleep(60)
""")
    _, outcome, _ = cause_of(muster, {
        "command": "exec python3 eat.py", "files": ["eat.py"],
        "roles": {"worker": {"memory": "128m"}}})
    assert "memory" in outcome["class"]


def test_memory_taken_faster_than_anybody_looks(muster):
    """If control groups are delegated, the kernel is the guard; otherwise the watch finds it
    later."""
    muster.write("eat.py", """
import os, time
if os.fork() == 0:
    blocks = [b"1" * (1 << 20) for _ in range(600)]
    os._exit(0)
os.wait()
time.sleep(60)
""")
    cause, outcome, _ = cause_of(muster, {
        "command": "exec python3 eat.py", "files": ["eat.py"],
        "roles": {"worker": {"memory": "100m"}}})
    assert outcome["class"] == "memory.limit", outcome
    assert "of memory; the limit is 100 MiB" in cause["evidence"]
    harness.eventually(lambda: not control_groups(muster.job()))


def test_a_rule_of_the_users_own_precedes_the_built_in_one_for_memory(muster):
    muster.write("eat.py", "x = bytearray(600 << 20); import time; time.sleep(60)")
    cause, outcome, _ = cause_of(muster, {
        "command": "exec python3 eat.py", "files": ["eat.py"],
        "roles": {"worker": {"memory": "100m"}},
        "rules": [{"match": {"pattern": "of memory; the limit is"}, "class": "user.spike",
                   "retry": "no"}]})
    assert outcome["class"] == "user.spike", outcome
    assert "the limit is 100 MiB" in cause["evidence"]


def control_groups(job):
    """The control groups of a job's tasks; the last of its processes removes them."""
    return list(pathlib.Path("/sys/fs/cgroup").glob(f"**/muster-{job}-*"))


def groups_are_delegated():
    """Whether this user may make control groups of memory (version 1) where this process lies."""
    return os.access("/sys/fs/cgroup/memory", os.W_OK)


def test_no_control_group_is_left_by_killed_processes(muster):
    """The agent and its keeper die together; the stub is the last process, and cleans up."""
    running = muster.start("run", muster.spec({
        "command": "echo up; exec sleep 1000", "roles": {"worker": {"memory": "100m"}},
        "restart": {**ONCE, "infrastructure": 0}}))
    running.sees("up")
    if groups_are_delegated():
        harness.eventually(lambda: control_groups(muster.job()))
    _, keeper = muster.pids("keeper")
    both = (keeper, *muster.pids("agent"))
    # Both are frozen, so that neither acts on the other's death.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in both:
            os.kill(pid, number)
    running.wait()
    harness.eventually(lambda: not control_groups(muster.job()))


def test_a_task_that_ignores_sigterm_is_killed_after_the_grace(muster):
    command = "trap '' TERM; echo ready; while :; do sleep 0.1; done"
    running = muster.start("run", muster.spec(
        {"command": command, "tasks": 1, "deadlines": {"stop": "1s"}}))
    running.sees("ready")
    muster("stop", "last").expect(0)
    running.wait().expect(4)


def test_a_task_has_the_time_to_save_when_it_is_stopped(muster):
    command = "trap 'sleep 0.5; echo saved; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
    running = muster.start("run", muster.spec({"command": command, "tasks": 1}))
    running.sees("ready")
    muster("stop", "last").expect(0)
    assert running.wait().expect(4).lines("saved")


def test_children_in_other_sessions_are_ended(muster):
    muster.write("fork.py", """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)
        os._exit(0)
print("forked", flush=True)
""")
    done = muster.run_shell("exec python3 fork.py", files=["fork.py"]).expect(0)
    assert done.lines("forked")
    muster.expect_nothing_left()


def test_children_without_our_environment_are_ended(muster):
    mark = f"7{os.getpid()}.25"
    done = muster.run_shell(f"setsid env -i /bin/sleep {mark} & echo left").expect(0)
    assert done.lines("left")
    harness.eventually(lambda: not running_with(mark))


def running_with(word):
    return os.system(f"pgrep -f 'sleep {re.escape(word)}$' >/dev/null") == 0


def test_a_child_that_holds_the_output_open_does_not_delay_the_end(muster):
    muster.run_shell("setsid sleep 1000 & echo parent ends").expect(0)


def test_a_program_that_closes_its_output(muster):
    done = muster.run_shell("echo before; exec >&- 2>&-; sleep 0.3; exit 5", restart=ONCE)
    done.expect(1)
    assert done.lines("before")
    assert muster.status()["outcome"]["first_cause"]["exit_code"] == 5


def test_binary_output_is_kept_and_does_not_reach_the_terminal_raw(muster):
    command = "head -c 4096 /dev/zero; printf '\\033[2J\\377\\376end\\n'"
    done = muster.start("run", muster.spec({"command": command, "tasks": 1}),
                        terminal=True).wait().expect(0)
    assert "end" in done.text and "\x1b[2J" not in done.text
    data = (muster.job_folder() / "logs" / "worker-0.1.stdout").read_bytes()
    assert data == b"\0" * 4096 + b"\x1b[2J\xff\xfeend\n"


def test_a_line_of_100_mb(muster):
    done = muster.run_shell("head -c 104857600 /dev/zero | tr '\\0' x; echo; echo after",
                            within=120).expect(0)
    assert done.out == "x" * 104857600 + "\nafter\n"
    logs = muster.job_folder() / "logs"
    kept = sum(path.stat().st_size for path in logs.glob("worker-0.1.stdout*")
               if path.suffix != ".times")
    assert kept == 104857600 + len("\nafter\n")


def test_a_gigabyte_of_output_is_bounded_on_disk_and_slows_nobody(muster):
    muster.write("flood.py", "import sys\nblock = (b'y' * 99 + b'\\n') * 10000\n"
                 "for _ in range(1000): sys.stdout.buffer.write(block)\n")
    done = muster.run({
        "command": "python3 flood.py; echo the end", "files": ["flood.py"], "tasks": 1,
        "logs": {"max": "64m", "keep": 4}}, within=300).expect(0)
    assert done.out.endswith("the end\n")
    kept = sum(path.stat().st_size for path in (muster.job_folder() / "logs").iterdir())
    assert kept <= 70 << 20
    newest = muster.job_folder() / "logs" / "worker-0.1.stdout"
    assert newest.read_bytes().endswith(b"the end\n")


def test_a_slow_reader_does_not_block_a_task(muster):
    """The client's own output is not read; the task must end all the same."""
    path = muster.spec({"command": "seq 1 2000000; touch done", "tasks": 1})
    client = subprocess.Popen([harness.BINARY, "run", path], env=muster.environment,
                              cwd=muster.folder, stdout=subprocess.PIPE)
    muster.wait_for_phase("ended")
    assert muster.status()["outcome"]["result"] == "succeeded"
    client.kill()
    client.communicate()
    muster.end_everything()


def test_a_variable_that_the_kernel_refuses(muster):
    """A variable can hold 128 KiB at most; a longer one could never be given to the task."""
    done = muster.run({"command": "true", "tasks": 1, "env": {"HUGE": "x" * 200_000}})
    assert done.code in (1, 2)
    assert "HUGE" in done.err or "argument list too long" in done.text.lower()


def test_a_port_taken_between_reservation_and_use_is_retried(muster):
    muster.write("bind.py", """
import os, socket
if os.environ["MUSTER_RESTARTS"] == "0":
    raise OSError(98, "Address already in use")
print("bound", flush=True)
""")
    done = muster.run_shell("python3 bind.py", files=["bind.py"],
                            restart={"backoff": "10ms..20ms"}).expect(0)
    assert done.lines("bound")
    ports = set()
    for path in (muster.job_folder() / "logs").glob("*"):
        ports.add(path.name)
    assert {"worker-0.1.stderr", "worker-0.2.stdout"} <= ports
