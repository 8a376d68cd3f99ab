# timeout: 600
"""By hand is the yardstick: what people try first under `muster run` is what it is without. Times
are measured by `tools/bench --only watched`, and no test's business."""

import os
import subprocess
import sys

import pytest

PYTHON = sys.executable

# name → the command; each says something, and ends in its own way
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
    # Nothing is tried twice, and what is followed is what was said.
    (task,) = muster.status()["roles"]["worker"]["tasks"]
    assert task["attempts"] == 1
    said = [line.split("| ", 1)[-1].rstrip("\n") for line in done.out.splitlines()]
    expected = hand.stdout.decode(errors="replace").splitlines()
    if name not in ("not text", "long line", "unicode", "blank lines"):
        assert [line.rstrip() for line in said] == [line.rstrip() for line in expected]


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
    """A second job beside a first one that named no memory starts at once, whatever it wants."""
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
