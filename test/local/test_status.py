"""What the reading commands print, and their JSON."""

import datetime
import json
import os
import re
import subprocess
import sys

import harness
import pytest
from harness import eventually

STATUS_KEYS = {"schema", "job", "application_id", "phase", "on", "generation", "outcome", "roles",
               "endpoints", "timeline"}
CAUSE_KEYS = {"task", "attempt", "host", "exit_code", "signal", "evidence", "log"}
TASK_KEYS = {"index", "state", "attempts", "host", "exit_code"}


def test_status_of_a_failed_job(muster):
    command = '[ $MUSTER_INDEX = 0 ] && sleep 60; echo "ValueError: bad row" >&2; exit 7'
    once = {"process": 0, "container": 0, "host": 0}
    muster.run({"command": command, "tasks": 2, "restart": once}).expect(1)
    status = muster.status()
    assert set(status) >= STATUS_KEYS
    assert status["schema"] == "muster.status/1"
    assert (status["job"], status["phase"], status["on"]) == (muster.job(), "ended", "local")
    assert status["application_id"] is None and status["generation"] == 1
    outcome = status["outcome"]
    assert (outcome["result"], outcome["exit_status"]) == ("failed", 1)
    assert outcome["class"].startswith("user.")
    cause = outcome["first_cause"]
    assert set(cause) >= CAUSE_KEYS
    assert (cause["task"], cause["attempt"], cause["exit_code"], cause["signal"]) == (
        "worker:1", 1, 7, None)
    assert "ValueError: bad row" in cause["evidence"]
    assert cause["log"].endswith("worker-1.1.stderr")
    tasks = {task["index"]: task for task in status["roles"]["worker"]["tasks"]}
    assert set(tasks[0]) >= TASK_KEYS
    assert (tasks[1]["state"], tasks[1]["exit_code"], tasks[1]["attempts"]) == ("failed", 7, 1)
    assert (tasks[0]["state"], tasks[0]["exit_code"]) == ("stopped", None)


def test_status_of_a_succeeded_job(muster):
    muster.run_shell("true").expect(0)
    status = muster.status()
    assert status["outcome"]["result"] == "succeeded"
    assert status["outcome"]["exit_status"] == 0
    assert status["outcome"]["first_cause"] is None
    assert status["roles"]["worker"]["tasks"][0]["exit_code"] == 0
    steps = {entry["step"]: entry["ms"] for entry in status["timeline"]}
    assert steps and all(isinstance(ms, int) and 0 <= ms < 60000 for ms in steps.values())


def test_status_while_it_runs(muster, gate):
    running = muster.start("run", muster.spec({"command": gate.wait, "tasks": 2}))
    status = muster.wait_for_phase("running")
    assert status["outcome"] is None
    assert {task["state"] for task in status["roles"]["worker"]["tasks"]} == {"active"}
    text = muster("status", "last").expect(0).out
    assert "running" in text and "worker" in text
    gate.open()
    running.wait().expect(0)
    assert muster.status()["phase"] == "ended"


def test_status_tells_what_tasks_use(muster, gate):
    running = muster.start("run", muster.spec({
        "command": gate.wait, "roles": {"worker": {"tasks": 2, "memory": "64m"}}}))
    muster.wait_for_phase("running")

    def used():
        text = muster("status", "last").expect(0).out
        return re.search(r"worker:1 +active .* pid \d+  cpu \d\.\d\d, memory [\d.]+[KM]/64M",
                         text)

    eventually(used, what=lambda: muster("status", "last").out)
    gate.open()
    running.wait().expect(0)
    assert "cpu" not in muster("status", "last").expect(0).out


def test_status_by_a_unique_prefix(muster):
    muster.run_shell("true", name="alpha").expect(0)
    muster.run_shell("true", name="beta").expect(0)
    assert muster.status("alpha")["job"].startswith("alpha-")
    assert muster.status("b")["job"].startswith("beta-")


def test_an_ambiguous_prefix_lists_the_candidates(muster):
    muster.run_shell("true", name="alpha").expect(0)
    muster.run_shell("true", name="alpha").expect(0)
    muster("status", "alpha").expect_error(2, *muster.jobs())


def test_no_such_job_suggests_the_nearest(muster):
    muster.run_shell("true", name="digits").expect(0)
    job = muster.job()
    near = job[:-1] + ("z" if job[-1] != "z" else "y")
    muster("status", near).expect_error(2, "no such job", near, "did you mean", job)
    muster("status", "last", env={"MUSTER_HOME": str(muster.folder / "empty")}).expect(2)


def test_ps_lists_what_runs_and_history_what_ran(muster, gate):
    muster.run_shell("true", name="past").expect(0)
    running = muster.start("run", muster.spec({"name": "now", "command": gate.wait, "tasks": 1}))
    running.sees("running")
    listed = muster("ps", "--json").expect(0).json()
    assert listed["schema"] == "muster.jobs/1"
    assert [job["job"].split("-")[0] for job in listed["jobs"]] == ["now"]
    assert "now-" in muster("ps").expect(0).out
    gate.open()
    running.wait().expect(0)
    past = muster("history", "--json").expect(0).json()
    assert past["schema"] == "muster.jobs/1"
    assert {job["job"] for job in past["jobs"]} == set(muster.jobs())
    assert all(job["result"] == "succeeded" for job in past["jobs"])
    assert "past-" in muster("history").expect(0).out


@pytest.fixture
def ten_thousand(muster):
    """A home with 10,001 jobs that have ended."""
    muster.run_shell("true", name="past").expect(0)
    one = muster.job_folder()
    for number in range(10000):
        folder = one.parent / f"past-copy{number:05}"
        folder.mkdir()
        for name in ("plan.json", "summary.json", "spec.yaml"):
            os.link(one / name, folder / name)
    return one.name


def test_lists_say_what_their_limit_leaves_out(muster, ten_thousand):
    done = muster("history").expect(0)
    assert len(done.out.splitlines()) == 1 + 20
    assert "9981 more; --limit 10001 shows more of them" in done.err
    assert len(muster("history", "--json").expect(0).json()["jobs"]) == 10001
    assert len(muster("ps", "--all", "--json").expect(0).json()["jobs"]) == 10001
    assert len(muster("history", "--json", "--limit", "3").expect(0).json()["jobs"]) == 3
    assert muster("ps").expect(0).err == ""


# The limits for one command: seconds of processor time, and memory.
CPU_MAX, KIB_MAX = 3.0, 128 << 10

# A process is charged with the memory that its parent had before exec, so this small one starts the
# command instead of the tests.
MEASURE = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=2)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def measured(muster, *arguments):
    """Runs a command; returns its exit status and both streams, and fails unless it was quick and
    small."""
    done = subprocess.run([sys.executable, "-c", MEASURE, harness.BINARY, *arguments],
                          env=muster.environment, cwd=muster.folder, capture_output=True,
                          text=True, timeout=harness.PATIENCE, check=True)
    code, cpu, kib = json.loads(done.stdout)
    print(f"{arguments}: {cpu:.2f} s, {kib >> 10} MiB")
    assert cpu < CPU_MAX and kib < KIB_MAX, (arguments, cpu, kib)
    return code, done.stderr


def test_a_home_of_ten_thousand_jobs(muster, ten_thousand, gate):
    """Every command that looks for jobs is quick and complete there, whatever its arguments."""
    running = muster.start("run", muster.spec({"name": "now", "command": gate.wait, "tasks": 1}))
    muster.wait_for_phase("running")
    (now,) = (job for job in muster.jobs() if job.startswith("now-"))
    code, listed = measured(muster, "ps", "--json")
    assert code == 0 and [job["job"] for job in json.loads(listed)["jobs"]] == [now]
    for words in (("ps",), ("history",), ("history", "--limit", "10001"), ("ps", "--all"),
                  ("history", "--json"), ("status", "last"), ("status", "now"),
                  ("status", ten_thousand), ("why", ten_thousand)):
        code, text = measured(muster, *words)
        assert code == 0, text
        assert words[1:2] != ("--limit",) or len(text.splitlines()) == 10002
    for words in (("status", "past"), ("status", "past-copx00001"), ("logs", "x" * 10000),
                  ("stop", "past-copy1")):
        code, text = measured(muster, *words)
        assert code == 2 and len(text) < 11000 and len(text.splitlines()) < 10, text[:2000]
    code, offered = measured(muster, "completion", "words", "--", "status", "")
    assert len(set(offered.split()) & {*muster.jobs()}) == 10002
    code, offered = measured(muster, "completion", "words", "--", "stop", "")
    assert {*muster.jobs()} & {*offered.split()} == {now}
    gate.open()
    running.wait().expect(0)


def test_ps_and_history_of_an_empty_home(muster):
    assert muster("ps", "--json").expect(0).json()["jobs"] == []
    assert muster("history", "--json").expect(0).json()["jobs"] == []
    muster("ps").expect(0)
    muster("history").expect(0)


def test_show_tells_the_story_of_a_job(muster):
    muster.run_shell("exit 3", restart={"process": 0, "container": 0, "host": 0}).expect(1)
    text = muster("show", "last").expect(0).out
    assert "worker:0" in text and "3" in text
    shown = muster("show", "last", "--json").expect(0).json()
    assert shown["schema"].startswith("muster.show/")


def test_summary_agrees_with_status(muster):
    muster.run_shell("true").expect(0)
    summary = json.loads((muster.job_folder() / "summary.json").read_text())
    assert summary["outcome"] == muster.status()["outcome"]


def test_times_are_iso_8601(muster):
    muster.run_shell("true").expect(0)
    job = muster("history", "--json").expect(0).json()["jobs"][0]
    times = [value for value in job.values()
             if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT", value)]
    assert times
    for value in times:
        datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))


def test_why_of_a_job_that_failed_says_what_to_do(muster):
    muster.write("train.py", "import numpyy\n")
    muster.run_shell("python3 train.py", files=["train.py"]).expect(1)
    why = muster("why", "last").expect(0).out
    assert why.startswith(f"{muster.job()} has ended: failed\n  - worker:0 ")
    assert "user.import: a Python import failed\n      the task's Python cannot import nump" in why
    told = muster("why", "last", "--json").expect(0).json()
    assert told["phase"] == "ended" and "numpyy" in told["reasons"][0]["advice"]


def test_why_of_a_job_that_succeeded_or_was_stopped(muster):
    muster.run_shell("true").expect(0)
    assert muster("why", "last").expect(0).out == f"{muster.job()} has ended: succeeded\n"
    muster("submit", muster.spec({"command": "sleep 1000", "tasks": 1})).expect(0)
    muster("stop", "last").expect(0)
    assert "stop.user: somebody stopped the job\n      nothing is broken" in (
        muster("why", "last").expect(0).out)


def test_why_of_a_job_that_waits_says_what_to_change(muster):
    most = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') * 6 // 10 >> 20}m"
    role = {"command": "sleep 1000", "roles": {"worker": {"tasks": 1, "memory": most}}}
    first = muster("submit", muster.spec(role), "--json").expect(0).json()["job"]
    eventually(lambda: muster.status(first)["phase"] == "running")
    second = muster("submit", muster.spec(role), "--json").expect(0).json()["job"]
    waits = eventually(lambda: [line for line in muster("why", second).expect(0).out.splitlines()
                                if "muster ps" in line])
    assert "asking for less" in waits[0]
    muster("stop", first, second).expect(0)
