# timeout: 600
"""Running by hand is the yardstick: what people try first behaves under `muster run` as it does
without. Times are measured by `tools/bench --only watched`, not by tests."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import harness
import pytest
from harness import BINARY

PYTHON = sys.executable

# name → the command; each prints something, and ends in its own way
PROGRAMS = {
    "hello": ["echo", "hello world"],
    "arguments": ["printf", "%s|", "a b", "", "$HOME", "*", "it's"],
    "many lines": ["seq", "1", "5000"],
    "no end of line": ["printf", "no newline"],
    "blank lines": ["printf", "\\n\\n  indented\\n\\n"],
    "long line": ["sh", "-c", "head -c 200000 /dev/zero | tr '\\0' x; echo"],
    "unicode": ["printf", "grüße 学习 🚀\\n"],
    "not text": ["printf", "\\377\\376 half \\303\\n"],
    "both streams": ["sh", "-c", "echo out; echo err >&2; echo out again"],
    "exit 7": ["sh", "-c", "echo before; exit 7"],
    "false": ["false"],
    "no such file": ["ls", "/no/such/file"],
    "pipe": ["sh", "-c", "seq 1000 | sort -r | head -3"],
    "own folder": ["sh", "-c", "pwd; cat data.txt; echo written > result.txt"],
    "variables": ["sh", "-c", "echo $GREETING $PATH; unset NOTHING; echo ${NOTHING-none}"],
    "limits": ["sh", "-c", "ulimit -v; ulimit -n; ulimit -u; ulimit -l; ulimit -s; ulimit -c"],
    "traceback": [PYTHON, "-c", "import json\njson.loads('{')"],
    "unbuffered": [PYTHON, "-u", "-c", "for i in range(300): print(i, 'again')"],
    "killed": ["sh", "-c", "echo last words; kill -KILL $$"],
    "children": [PYTHON, "-c", "import multiprocessing as m; "
                 "p = m.get_context('fork').Pool(4); print(sum(p.map(abs, range(99))))"],
    "memory": [PYTHON, "-c", "b = b'x' * (1300 << 20); print(len(b))"],
    "cores": [PYTHON, "-c", "import os; print(sorted(os.sched_getaffinity(0)), os.nice(0))"],
}


def by_hand(muster, command, **environment):
    return subprocess.run(command, cwd=muster.folder, stdin=subprocess.DEVNULL,
                          env={**muster.environment, **environment},
                          capture_output=True, check=False)


def kept(muster, stream):
    folder = muster.home / "jobs" / muster.jobs()[-1] / "logs"
    return (folder / f"worker-0.1.{stream}").read_bytes()


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_and_status_are_those_of_the_command(muster, name):
    muster.write("data.txt", "42\n")
    surroundings = {"GREETING": "hello"}
    hand = by_hand(muster, PROGRAMS[name], **surroundings)
    (muster.folder / "result.txt").unlink(missing_ok=True)
    done = muster("run", "--quiet", "--exit-code-from", "worker", "--", *PROGRAMS[name],
                  env=surroundings)
    assert kept(muster, "stdout") == hand.stdout
    assert kept(muster, "stderr") == hand.stderr
    code = hand.returncode if hand.returncode >= 0 else 128 - hand.returncode
    assert done.code == code, done.text
    assert (muster.folder / "result.txt").exists() == (name == "own folder")
    # Nothing is tried twice, and what is followed is what was printed.
    (task,) = muster.status()["roles"]["worker"]["tasks"]
    assert task["attempts"] == 1
    said = [line.split("| ", 1)[-1].rstrip("\n") for line in done.out.splitlines()]
    expected = hand.stdout.decode(errors="replace").splitlines()
    if name not in ("not text", "long line", "unicode", "blank lines"):
        assert [line.rstrip() for line in said] == [line.rstrip() for line in expected]


ALTERNATES = """
import os
for turn in range(3000):
    os.write(1, b"out %d\\n" % turn)
    os.write(2, b"err %d\\n" % turn)
"""
IN_ORDER = "".join(f"out {turn}\nerr {turn}\n" for turn in range(3000))


@pytest.mark.parametrize("place", ["terminal", "file", "pipe"])
def test_both_streams_keep_their_order_where_they_are_one_place(muster, place):
    """A terminal, `> file 2>&1` and `2>&1 | less` show what was written in the order of writing, as
    by hand: through one pipe per stream the order within a millisecond would be lost."""
    command = ["run", "--quiet", "--", PYTHON, "-c", ALTERNATES]
    if place == "terminal":
        running = muster.start(*command, terminal=True)
        text = running.wait().expect(0).text.replace("\r\n", "\n")
    elif place == "file":
        path = muster.folder / "both"
        with open(path, "wb") as both:
            subprocess.run([BINARY, *command], cwd=muster.folder, env=muster.environment,
                           stdout=both, stderr=both, check=True, timeout=harness.PATIENCE)
        text = path.read_text()
    else:
        text = subprocess.run([BINARY, *command], cwd=muster.folder, env=muster.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
                              timeout=harness.PATIENCE).stdout.decode()
    # A terminal shows the task's name before its lines.
    name = re.compile(r"^(\x1b.*?m)*worker:0.*?\| (\x1b.*?m)?")
    lines = [name.sub("", line) for line in text.splitlines(True)]
    assert "".join(line for line in lines if not line.startswith("muster: ")) == IN_ORDER
    assert kept(muster, "stdout").decode() == IN_ORDER and kept(muster, "stderr") == b""
    told = muster("logs", "last", "--stream", "stderr").expect(0)
    assert "--stream cannot tell them apart" in told.err and not told.out


def test_streams_of_two_places_stay_two(muster):
    command = ["--", "sh", "-c", "echo out; echo err >&2"]
    muster("run", "--name", "a", *command).expect(0)
    assert (kept(muster, "stdout"), kept(muster, "stderr")) == (b"out\n", b"err\n")
    # If they are one place, whoever wants to tell them apart later has to ask for it.
    asked = ["run", "--name", "b", "--set", "logs.merged=false", *command]
    subprocess.run([BINARY, *asked], cwd=muster.folder, env=muster.environment, check=True,
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.PATIENCE)
    assert (kept(muster, "stdout"), kept(muster, "stderr")) == (b"out\n", b"err\n")
    # A specification states for itself what it wants.
    path = muster.spec({"name": "c", "command": "echo out; echo err >&2", "tasks": 1,
                        "logs": {"merged": True}})
    muster("run", "--quiet", path).expect(0)
    assert (kept(muster, "stdout"), kept(muster, "stderr")) == (b"out\nerr\n", b"")


@contextlib.contextmanager
def full_pipe():
    """Yields the two ends of a pipe that is full."""
    reader, writer = os.pipe()
    with open(reader, "rb") as rest, open(writer, "wb", buffering=0) as full:
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(writer, False)
        while full.write(b"x") is not None:
            pass
        os.set_blocking(writer, True)
        yield rest, full


def test_a_job_that_is_over_before_its_client_looks_is_told_whole(muster):
    """Short programs end while the client waits for its turn on a busy machine; here it waits until
    somebody reads what it prints about the start."""
    command = ["sh", "-c", "echo early; echo trouble >&2; exit 7"]
    with full_pipe() as (rest, full):
        running = subprocess.Popen(
            [BINARY, "run", "--exit-code-from", "worker", "--", *command], cwd=muster.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=full, env=muster.environment)
        full.close()
        harness.eventually(lambda: list(muster.home.glob("jobs/*/summary.json")))
        err = rest.read().decode()
        assert running.communicate(timeout=harness.PATIENCE)[0] == b"early\n"
        assert running.returncode == 7, err
        assert "trouble\n" in err


def events_of(text):
    """What `run --json` printed, without what differs between jobs: times, the job."""
    events = [json.loads(line) for line in text.splitlines()]
    return [(event["event"], event.get("task"), event.get("state"), event.get("attempt_state"),
             event.get("phase"), event.get("line"), event.get("exit_code")) for event in events]


def run_with_full_stderr(muster, *arguments):
    """A client that waits until somebody reads what it prints about the start; and where to read
    it."""
    with full_pipe() as (rest, full):
        yield subprocess.Popen(
            [BINARY, "run", *arguments], cwd=muster.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=full, env=muster.environment)
        full.close()
        yield rest


def test_events_of_a_job_that_was_over_before_are_those_of_any_other(muster):
    command = ["--json", "--exit-code-from", "worker", "--", "sh", "-c", "echo early; exit 7"]
    followed = events_of(muster("run", *command).expect(7).out)
    late = run_with_full_stderr(muster, *command)
    running = next(late)
    rest = next(late)
    harness.eventually(lambda: len(list(muster.home.glob("jobs/*/summary.json"))) == 2)
    # Its master is gone, too: there is nobody to ask.
    harness.eventually(lambda: not muster.pids("master"))
    rest.read()
    out = running.communicate(timeout=harness.PATIENCE)[0].decode()
    assert running.returncode == 7
    assert sorted(map(str, events_of(out))) == sorted(map(str, followed))
    assert events_of(out)[-1][0] == "ended"
    assert json.loads(out.splitlines()[-1])["status"]["phase"] == "ended"


def test_a_master_that_dies_before_it_can_say_how_its_job_ended(muster):
    """If nothing is left of the job to start another master, the log says it."""
    late = run_with_full_stderr(muster, "--exit-code-from", "worker", "--",
                                "sh", "-c", "echo early; exit 7")
    running = next(late)
    rest = next(late)
    harness.eventually(lambda: list(muster.home.glob("jobs/*/summary.json")))
    muster.expect_only(running.pid)
    (muster.job_folder() / "summary.json").unlink()
    err = rest.read().decode()
    assert running.communicate(timeout=harness.PATIENCE)[0] == b"early\n"
    assert running.returncode == 7, err


def test_a_job_of_which_nothing_lives_is_given_up_at_once(muster):
    late = run_with_full_stderr(muster, "--", "sleep", "1000")
    running = next(late)
    rest = next(late)
    harness.eventually(lambda: muster.pids("agent"))

    def send_all(number):
        left = set(muster.processes()) - {running.pid}
        for pid in left:
            harness.send(pid, number)
        return left

    # All are frozen before the first is killed, because an agent that saw its master go would start
    # another.
    still = [set()]

    def all_stand_still():
        still.append(send_all(signal.SIGSTOP))
        return still[-1] == still[-2]

    harness.eventually(all_stand_still)
    harness.eventually(lambda: not send_all(signal.SIGKILL))
    err = rest.read().decode()
    running.communicate(timeout=harness.PATIENCE)
    assert running.returncode == 6, err
    assert "no longer has a master" in err and "answered for 30" not in err


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 4), (signal.SIGINT, 130)])
def test_a_signal_does_not_wait_for_a_reader(muster, stream, number, status):
    """By hand a signal ends a program no matter who reads its output, or how slowly."""
    with full_pipe() as (rest, full):
        other = "stdout" if stream == "stderr" else "stderr"
        running = subprocess.Popen(
            [BINARY, "run", "--", "sh", "-c", "yes | head -c 10000000; exec sleep 1000"],
            cwd=muster.folder, stdin=subprocess.DEVNULL, env=muster.environment,
            **{stream: full, other: subprocess.DEVNULL})
        full.close()
        # What the kernel reports for a process that waits for a pipe.
        waits = pathlib.Path(f"/proc/{running.pid}/wchan")
        log = muster.home / "jobs"
        harness.eventually(lambda: [path for path in log.glob("*/logs/worker-0.1.stdout")
                                    if path.stat().st_size >= 10000000])
        harness.eventually(lambda: "pipe" in waits.read_text() or "poll" in waits.read_text())
        running.send_signal(number)
        assert running.wait(harness.PATIENCE) == status
        assert muster.status()["outcome"]["result"] == "stopped"
        assert not harness.readable(rest, 0) or rest.read(1) == b"x"


# What a program sees of the machine and of those who started it.
SEEN = """
import os, resource, sys
print(sorted(os.sched_getaffinity(0)), os.nice(0), os.getcwd(), os.getgroups(), os.umask(0))
print(open("/proc/self/oom_score_adj").read().strip(), os.sched_getscheduler(0), sys.argv[1:])
print([(name, resource.getrlimit(getattr(resource, name))) for name in sorted(dir(resource))
       if name.startswith("RLIMIT_")])
for line in open("/proc/self/status"):
    name, _, value = line.partition(":")
    if name == "SigIgn":  # Without the two that the C library keeps to itself: no env resets them.
        print(name, hex(int(value, 16) & ~(3 << 31)))
    if line.startswith(("SigBlk", "Cap", "NoNewPrivs", "Seccomp", "Mems_al", "Threads")):
        print(line.strip())
print(sorted(os.listdir("/proc/self/fd")), repr(sys.stdin.read()), os.readlink("/proc/self/fd/0"))
print({name: value for name, value in sorted(os.environ.items())
       if name.startswith(("CUDA", "HIP", "ROCR", "NVIDIA", "LC_", "LANG", "PYTHON", "TMP"))})
print(open("/proc/self/cgroup").read(), os.sysconf("SC_PHYS_PAGES"), sys.stdout.encoding)
"""


def test_a_program_sees_what_it_sees_by_hand(muster):
    command = [PYTHON, "-c", SEEN, "a b", "", "*", "$HOME", "it's"]
    # Whoever started the tests may ignore signals, as a shell does for its background processes.
    signals = ["env", "--default-signal"]
    limits = ["sh", "-c", 'umask 027; ulimit -n 512; ulimit -c 0; exec nice -n 3 "$@"', "-"]
    for before in (signals, [*signals, *limits]):
        by_itself = subprocess.run(
            [*before, *command], cwd=muster.folder, stdin=subprocess.DEVNULL,
            env=muster.environment, capture_output=True, check=True)
        under_muster = subprocess.run(
            [*before, BINARY, "run", "--quiet", "--", *command], cwd=muster.folder,
            stdin=subprocess.DEVNULL, env=muster.environment, capture_output=True, check=True)
        assert under_muster.stdout.decode() == by_itself.stdout.decode()


def test_lines_of_python_come_at_once_on_a_terminal(muster, gate):
    """As by hand; into a file or a pipe they come in blocks, which costs less."""
    muster.environment.pop("PYTHONUNBUFFERED", None)
    program = muster.write("says.py", f"import os\nprint('epoch 1')\nos.system({gate.wait!r})\n")
    running = muster.start("run", "--", PYTHON, program, terminal=True)
    running.sees("epoch 1")
    gate.open()
    running.wait().expect(0)
    assert "PYTHONUNBUFFERED" not in environment_of(muster)[0]
    own = muster.start("run", "--set", "env.PYTHONUNBUFFERED=", "--", "env", terminal=True)
    own.sees(r"PYTHONUNBUFFERED=\s*$")
    own.wait().expect(0)


def test_input_that_no_task_gets_is_warned_of(muster):
    with open(muster.write("words.txt", "hello\n")) as words:
        done = muster.start("run", "--", "cat", stdin=words).wait().expect(0)
    assert done.out == "" and done.lines("warning: tasks do not receive this standard input")
    assert not muster("run", "--", "true").expect(0).lines("standard input")


def test_a_line_of_shell_in_quotes_is_told_apart(muster):
    muster("run", "--", "echo a b").expect_error(2, "'echo a b' is one word", "sh -c 'echo a b'")
    muster("run", "--", " ").expect_error(2, "the command after -- is empty")
    program = muster.write("my program", "#!/bin/sh\necho mine\n", 0o755)
    assert muster("run", "--quiet", "--", program).expect(0).lines("mine")
    muster("run", "-n", "2", "train.py").expect_error(2, "muster run -n 2 -- python3 train.py")
    muster("run", "--gpus", "all", "--", "true").expect_error(2, "--gpus 1", "share all")


def environment_of(muster, *options, tasks=1, env=None):
    """What `env` prints under `muster run -n TASKS`, by task."""
    muster("run", "--quiet", "-n", tasks, *options, "--", "env", env=env).expect(0)
    folder = muster.home / "jobs" / muster.jobs()[-1] / "logs"
    found = []
    for index in range(tasks):
        text = (folder / f"worker-{index}.1.stdout").read_text()
        found.append(dict(line.split("=", 1) for line in text.splitlines() if "=" in line))
    return found


def test_threads_are_the_machines_cores_divided_by_the_tasks(muster):
    cores = len(os.sched_getaffinity(0))
    (alone,) = environment_of(muster)
    assert alone["OMP_NUM_THREADS"] == str(cores)


def test_tasks_beside_each_other_share_the_cores(muster):
    cores = len(os.sched_getaffinity(0))
    for task in environment_of(muster, tasks=2):
        assert task["OMP_NUM_THREADS"] == str(max(1, cores // 2))


def test_what_the_user_says_of_threads_wins(muster):
    (told,) = environment_of(muster, "--vcores", 3)
    assert told["OMP_NUM_THREADS"] == "3"
    muster.end_everything()


def test_the_users_own_threads_win(muster):
    (own,) = environment_of(muster, env={"OMP_NUM_THREADS": "5"})
    assert own["OMP_NUM_THREADS"] == "5"


def test_devices_are_those_of_the_shell(muster):
    for index, task in enumerate(environment_of(muster, "--framework", "pytorch", tasks=2)):
        assert "CUDA_VISIBLE_DEVICES" not in task and "HIP_VISIBLE_DEVICES" not in task
        assert (task["LOCAL_RANK"], task["LOCAL_WORLD_SIZE"]) == (str(index), "2")


def test_devices_that_the_shell_chose_stay_chosen(muster):
    (task,) = environment_of(muster, env={"CUDA_VISIBLE_DEVICES": "1"})
    assert task["CUDA_VISIBLE_DEVICES"] == "1"


def test_gpus_that_are_refused_are_not_seen(muster):
    (task,) = environment_of(muster, "--gpus", 0)
    assert task["CUDA_VISIBLE_DEVICES"] == "-1"


def test_what_was_not_asked_for_is_not_claimed(muster):
    """A second job beside one that named no memory starts at once, whatever it wants."""
    muster("submit", "-n", "1", "--", "sleep", "600").expect(0)
    first = muster.job()
    free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    done = muster("run", "--memory", f"{free * 3 // 5}m", "--", "true").expect(0)
    assert not done.lines("waiting: .* of memory")
    muster("stop", first).expect(0)


def test_the_first_lines_say_what_was_assumed(muster):
    done = muster("run", "--", "true").expect(0)
    (line,) = done.lines("^muster: assumed: ")
    cores = len(os.sched_getaffinity(0))
    assert "no memory limit but the machine's" in line
    assert f"{cores} core{'s' if cores > 1 else ''} per task" in line
    done = muster("plan", "--memory", "1g", "--vcores", "1", "--", "true").expect(0)
    assert "assumed: no memory" not in done.out and "per task" not in done.out
    assert "1 container of 1.0 GiB, 1 vcore" in done.out


def test_a_program_that_fails_runs_as_often_as_was_said(muster):
    failing = ("--set", "restart.backoff=1ms..2ms", "--", "sh", "-c", "echo try; exit 7")

    def tries(*options):
        done = muster("run", *options, *failing).expect(1)
        return len(done.lines("^try$"))

    assert tries() == 1
    assert tries("--max-restarts", "2") == 3
    assert tries("--set", "restart.process=1") == 2


def test_a_smaller_budget_gives_fewer_tries(muster):
    def tries(restart):
        done = muster.run_shell("echo try; exit 7", restart={"backoff": "1ms..2ms", **restart})
        return len(done.expect(1).lines("^try$"))

    assert tries({}) == 4
    assert tries({"process": 1}) == 2
    assert tries({"process": 0}) == 1


def test_a_task_over_its_limit_is_not_tried_again(muster):
    done = muster("run", "--memory", "100m", "--max-restarts", "3", "--", PYTHON, "-c",
                  "b = b'x' * (400 << 20); import time; time.sleep(60)")
    done.expect(1)
    assert done.lines("trying again cannot help") and done.lines("memory.limit")
    assert muster.status()["roles"]["worker"]["tasks"][0]["attempts"] == 1


def test_options_of_the_quick_form_are_refused_beside_a_specification(muster):
    path = muster.spec({"command": "true", "tasks": 1})
    for option in ("--memory", "--vcores", "--gpus", "--max-restarts"):
        muster("run", path, option, "1").expect_error(2, option, "without a specification", "--set")
