"""muster stop and muster submit."""

import os
import signal
import time

import harness


def without_master(muster):
    """A job whose master has died without its agents knowing yet, and these agents."""
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 2})).expect(0)
    muster.wait_for_phase("running")
    agents = muster.pids("agent")
    for agent in agents:
        os.kill(agent, signal.SIGSTOP)
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    harness.eventually(lambda: not muster.pids("master"))
    return agents


def test_a_job_between_two_masters_is_not_over(muster):
    agents = without_master(muster)
    assert "no master is running" not in muster("status", "last").expect(0).out
    (row,) = muster("ps", "--json").expect(0).json()["jobs"]
    assert row["phase"] != "lost"
    stopping = muster.start("stop", "last")
    plan = muster.job_folder() / "plan.json"
    os.utime(plan, (0, 0))
    muster("clean", "--older", "1d").expect(0)
    assert plan.exists()
    for agent in agents:
        os.kill(agent, signal.SIGCONT)
    stopping.wait().expect(0)
    assert muster.status()["outcome"]["result"] == "stopped"
    muster.expect_nothing_left()


def test_submit_returns_at_once_and_says_what_to_type(muster):
    done = muster("submit", muster.spec({"command": "sleep 1000", "tasks": 1})).expect(0)
    job = muster.job()
    assert job in done.out
    for verb in ("status", "logs", "stop"):
        assert f"muster {verb}" in done.text
    muster.wait_for_phase("running")
    muster("stop", job).expect(0)


def test_submit_json(muster):
    done = muster("submit", muster.spec({"command": "true", "tasks": 1}), "--json").expect(0)
    assert done.json()["job"] == muster.job()
    muster.wait_for_phase("ended")


def test_stop_returns_when_the_job_has_ended_and_nothing_is_left_then(muster):
    muster("submit", muster.spec({"command": "sleep 1000", "tasks": 3})).expect(0)
    muster.wait_for_phase("running")
    muster("stop", "last").expect(0)
    assert muster.status()["phase"] == "ended"
    muster.expect_nothing_left()


def test_stopping_twice_is_no_error(muster):
    muster("submit", muster.spec({"command": "sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_phase("running")
    first, second = muster.start("stop", "last"), muster.start("stop", "last")
    first.wait().expect(0)
    second.wait().expect(0)
    muster("stop", "last").expect(0)


def test_stopping_an_ended_job_changes_nothing(muster):
    muster.run_shell("true").expect(0)
    muster("stop", "last").expect(0)
    assert muster.status()["outcome"]["result"] == "succeeded"


def test_stopping_no_job(muster):
    muster("stop", "nothing-abc").expect_error(2, "no such job", "nothing-abc")


def test_stop_right_after_submit(muster):
    for _ in range(3):
        muster("submit", muster.spec({"command": "sleep 1000", "tasks": 4})).expect(0)
        muster("stop", "last").expect(0)
        assert muster.status()["outcome"]["result"] == "stopped"


def test_a_job_between_two_masters_goes_on_and_is_stopped_by_the_next(muster):
    """Everybody who may start the next master is asleep; until one of them has, nothing is lost."""
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_phase("running")
    job = muster.job()
    sleepers = muster.pids("agent") + muster.pids("keeper")
    for pid in sleepers:
        os.kill(pid, signal.SIGSTOP)
    for pid in muster.pids("master"):
        os.kill(pid, signal.SIGKILL)
    wait = "another master: its agents are starting one"
    assert harness.eventually(lambda: wait in muster("status", job).expect(0).out)
    assert "lost" not in muster("ps").expect(0).out
    assert wait in muster("why", job).expect(0).out
    stopping = muster.start("stop", job)
    reaching = muster.start("exec", job, "--", "echo", "reached")
    for pid in sleepers:
        os.kill(pid, signal.SIGCONT)
    assert "stopped" in stopping.wait().expect(0).out
    ended = reaching.wait()
    assert "reached" in ended.out or "ending" in ended.err or "ended" in ended.err, ended.text
    muster.expect_nothing_left()


def test_a_job_of_which_nothing_runs_is_not_waited_for(muster):
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_phase("running")
    job = muster.job()
    muster.end_everything()
    assert "a master: none is running" in harness.eventually(
        lambda: (told := muster("why", job).expect(0).out) and "none is running" in told and told)
    for words in (("exec", job, "--", "true"), ("forward", job, "0:80")):
        muster(*words, within=20).expect_error(6, "no master of this job is running", job)
    assert "has no master: none of it is running" in muster("stop", job).expect(0).out


def test_term_goes_to_the_whole_process_group(muster):
    command = "(trap 'echo child stopped; exit' TERM; echo up; while :; do sleep 0.05; done) & wait"
    running = muster.start("run", muster.spec({"command": command, "tasks": 1}))
    running.sees("up")
    muster("stop", "last").expect(0)
    assert running.wait().expect(4).lines("child stopped")


def test_a_program_under_the_shell_has_the_grace_too(muster):
    """TERM ends the shell at once; its program, which saves its work, must not end at once."""
    muster.write("save.py", """
import signal, sys, time
def save(*_):
    time.sleep(0.5)
    print("saved", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
print("up", flush=True)
time.sleep(1000)
""")
    running = muster.start("run", muster.spec(
        {"command": "python3 save.py", "files": ["save.py"], "tasks": 1}))
    running.sees("up")
    muster("stop", "last").expect(0)
    assert running.wait().expect(4).lines("saved")


def test_a_job_goes_on_without_its_client(muster, gate):
    muster("submit", muster.spec({"command": gate.wait, "tasks": 2})).expect(0)
    muster.wait_for_phase("running")
    gate.open()
    assert muster.wait_for_phase("ended")["outcome"]["exit_status"] == 0


def test_clean_removes_only_old_jobs(muster):
    muster.run_shell("true").expect(0)
    muster("clean").expect(0)
    assert len(muster.jobs()) == 1


def test_what_ended_long_ago_goes_by_itself_once_a_day(muster):
    def age(path, days):
        then = time.time() - days * 86400
        os.utime(path, (then, then))

    for name in ("old", "young"):
        muster.run_shell("true", name=name).expect(0)
    old, young = (muster.home / "jobs" / job for job in muster.jobs())
    age(old / "summary.json", 31)
    for folder in (old, young):  # The time of submission does not count.
        age(folder / "plan.json", 100)
    muster.run_shell("true").expect(0)
    assert old.exists(), "a home's first day has nothing that is old"
    age(muster.home / "cleaned" / "local", 2)
    (muster.home / "config.yaml").write_text("cleaning: {older: none}\n")
    muster.run_shell("true").expect(0)
    (muster.home / "config.yaml").write_text("cleaning: {over: 1k}\n")
    muster.expect_nothing_left()
    assert old.exists(), "switched off"
    assert "clean" not in muster.run_shell("true").expect(0).text
    harness.eventually(lambda: not old.exists(), what="the old job goes")
    muster.expect_nothing_left()
    # All jobs together are too large, but what ended today stays.
    assert young.exists() and len(muster.jobs()) == 4
    log = (muster.home / "cleaning.log").read_text()
    assert f"this host: removed {old.name}" in log and log.count("this host") == 1


def test_clean_all_keeps_what_runs(muster, gate):
    muster.run_shell("true").expect(0)
    running = muster.start("run", muster.spec({"name": "now", "command": gate.wait, "tasks": 1}))
    running.sees("running")
    muster("clean", "--all").expect(0)
    assert [job.split("-")[0] for job in muster.jobs()] == ["now"]
    gate.open()
    running.wait().expect(0)


def test_a_job_that_must_wait_says_for_what(muster):
    """Each of two jobs takes more than half of the memory, so the second waits for the first."""
    total_mib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    roles = {"worker": {"memory": f"{total_mib * 6 // 10}m"}}
    first = muster.start("run", muster.spec(
        {"name": "first", "command": "sleep 1000", "roles": roles}))
    muster.wait_for_phase("running")
    second = muster.start("run", muster.spec({"name": "second", "command": "true", "roles": roles},
                                             name="second.yaml"))
    second.sees("(?i)memory")
    (waiting,) = [job for job in muster.jobs() if job.startswith("second")]
    assert muster.status(waiting)["phase"] == "gathering"
    assert "memory" in muster("status", waiting).expect(0).out
    muster("stop", "first").expect(0)
    second.wait().expect(0)
    first.wait().expect(4)
    harness.eventually(lambda: not muster.processes())


def test_several_jobs_are_stopped_at_the_same_time(muster):
    spec = muster.spec({"command": "trap 'sleep 0.5; exit 0' TERM; sleep 1000 & wait", "tasks": 1})
    jobs = [muster("submit", spec).expect(0).out.strip() for _ in range(2)]
    for job in jobs:
        harness.eventually(lambda job=job: muster.status(job)["phase"] == "running")
    done = muster("stop", *jobs).expect(0)
    assert done.out.splitlines() == [f"{job} stopped" for job in jobs]
    muster("stop", jobs[0], "nothing-abc").expect_error(2, "no such job", "nothing-abc")
