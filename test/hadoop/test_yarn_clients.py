"""Clients of jobs on YARN: output, jobs of other hosts, what a job waits for, killed clients."""
# bed: plain
# timeout: 900

import contextlib
import json
import os
import signal

import browser as browsers
import clocks
import pytest
from relay import Relay
from waiting import until
from yarn_jobs import (
    RUN_LIMIT,
    application_of,
    expect_all_over,
    expect_final,
    processes_in,
    running_job,
    status_of,
)

SMALL = ("--set", "roles.worker.memory=128m")


def portal_page(program, job):
    """Opens the page of a job that has ended; returns a function that requests a part of it."""
    portal = program.start("portal", "--on", "yarn")
    site, token = portal.sees(r"page: (http://\S+)/#t=([0-9a-f]+)").groups()
    _, headers, text = browsers.fetch(site + "/api/session", "POST", token.encode())
    base = f"{site}/{json.loads(text)['base']}"
    cookie = {"Cookie": headers["Set-Cookie"].split(";")[0]}
    listed = json.loads(browsers.fetch(base + "api/jobs", headers=cookie)[2])["jobs"]
    assert job in [row["job"] for row in listed]
    return lambda part: browsers.fetch(f"{base}jobs/{job}/{part}", headers=cookie)[2]


def test_output_is_shown_while_a_job_runs_and_from_the_clusters_own_files_after(yarn, elsewhere):
    spec = yarn.spec({"command": "echo from $MUSTER_INDEX; echo oops >&2; exec sleep 1000",
                      "roles": {"worker": {"tasks": 2, "memory": "128m"}}})
    yarn("submit", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    job = yarn.job()

    def shown(where, *words):
        return where("logs", job, *words, within=RUN_LIMIT).out

    until(lambda: "from 1" in shown(yarn) and "from 0" in shown(yarn), RUN_LIMIT, "output")
    assert "worker:1 | from 1\n" in shown(yarn)
    assert "from 0" not in shown(yarn, "worker:1")
    assert "from 1" in shown(elsewhere)
    # A viewer stops nothing.
    for number in (signal.SIGINT, signal.SIGTERM):
        looking = elsewhere.start("logs", job, "-f")
        looking.sees("from 0", RUN_LIMIT)
        looking.signal(number)
        looking.wait(RUN_LIMIT).expect(130)
    assert status_of(yarn)["phase"] == "running"
    following = elsewhere.start("logs", job, "-f", "--grep", "from")
    following.sees("from 0", RUN_LIMIT)
    following.sees("from 1", RUN_LIMIT)
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    followed = following.wait(RUN_LIMIT).expect(0)
    assert followed.out.count("from 0") == 1
    assert "oops" not in followed.out
    after = yarn("logs", job, within=RUN_LIMIT).expect(0).out
    assert after.count("from ") == 2 and after.count("oops") == 2, after
    one = yarn("logs", job, "worker:0", "--stream", "stdout").expect(0).out
    assert one == "worker:0 | from 0\n"


def test_a_job_is_shown_and_stopped_from_another_host(yarn, elsewhere, bed):
    status = running_job(yarn)
    job, application = status["job"], status["application_id"]
    assert elsewhere("status", application, "--json").expect(0).json()["job"] == job
    assert elsewhere("status", "last", "--on", "yarn", "--json").expect(0).json()["job"] == job
    listed = elsewhere("ps", "--on", "yarn", "--json").expect(0).json()["jobs"]
    assert [row["tasks_running"] for row in listed if row["job"] == job] == [2]
    assert "attempt" in elsewhere("show", job[:-2]).expect(0).out
    assert "is not waiting for anything" in elsewhere("why", job).expect(0).out
    elsewhere("stop", job, within=RUN_LIMIT).expect(0)
    until(lambda: application_of(yarn, bed, job)["state"] == "FINISHED", RUN_LIMIT, "the end")
    rows = elsewhere("history", "--on", "yarn", "--json").expect(0).json()["jobs"]
    assert [row["result"] for row in rows if row["job"] == job] == ["stopped"]
    assert elsewhere("status", job, "--json").expect(0).json()["outcome"]["result"] == "stopped"
    page = portal_page(elsewhere, job)
    assert json.loads(page("api/status"))["outcome"]["result"] == "stopped"
    assert page("logs/worker/1") == "up\n"
    elsewhere("status", "nowhere-else").expect_error(2, "no such job")
    elsewhere("portal", "--on", "nowhere").expect_error(2, "there is no such cluster")
    left = bed.shell("fs", "-ls", "-C", f"/user/alice/.muster/jobs/*/*/*/{job}").expect().out
    assert "summary.json" in left and "/secret" not in left


def test_a_job_that_the_cluster_killed_ends_in_its_words(yarn, elsewhere, bed):
    running = yarn.start("run", "-n", "1", *SMALL, "--on", "yarn", "--", "sh", "-c",
                         "echo 'up' 'and' 'away'; exec sleep 1000")
    running.sees("up and away", RUN_LIMIT)
    status = status_of(yarn)
    bed.shell("application", "-kill", status["application_id"]).expect()
    assert "killed by user" in running.wait(RUN_LIMIT).expect(3).err
    shown = yarn("status", status["job"], "--json", within=RUN_LIMIT).expect(0).json()
    assert shown["phase"] == "ended" and shown["outcome"]["result"] == "failed"
    assert "killed" in shown["outcome"]["message"].lower()
    expect_all_over(yarn, bed)
    seen = elsewhere("status", status["job"], "--json", within=RUN_LIMIT).expect(0).json()
    assert seen["outcome"]["class"] == "cluster.application"


def test_an_interrupt_reaches_a_typed_command_as_by_hand(yarn, bed):
    program = ("import time\n"
               "try:\n print('up', flush=True); time.sleep(1000)\n"
               "except KeyboardInterrupt:\n print('saved', flush=True); raise\n")
    running = yarn.start("run", "-n", "2", *SMALL, "--on", "yarn", "--", "python3", "-c", program)
    # Both, as two lines or folded into one.
    running.sees(r"2 tasks.*up|worker:0.*up[\s\S]*worker:1.*up|worker:1.*up[\s\S]*worker:0.*up",
                 RUN_LIMIT)
    until(lambda: status_of(yarn).get("phase") == "running", RUN_LIMIT, lambda: running.text)
    running.signal(signal.SIGINT)
    done = running.wait(RUN_LIMIT).expect(130)
    assert done.text.count("saved") == 2 and "KeyboardInterrupt" in done.text, done.text
    assert yarn.status()["outcome"]["class"] == "stop.user"
    expect_all_over(yarn, bed)


def test_why_a_job_waits_is_told_with_what_to_change(yarn):
    # More than both nodes have together, so some of it is granted and the rest waits.
    big = ("-n", "3", "--set", "roles.worker.memory=12g", "--name", "big")
    running = yarn.start("run", *big, "--on", "yarn", "--", "sleep", "1000")
    job = until(lambda: yarn.jobs() and yarn.jobs()[0], RUN_LIMIT, "the job is submitted")

    def waits():
        done = yarn("why", job, "--json", within=RUN_LIMIT)
        reasons = done.json()["reasons"] if done.code == 0 else []
        # At first its master waits; then the master has not yet said what it waits for.
        return [one for one in reasons if one["advice"] and
                ("12320 MB" in one["text"] or "scheduler" in one["text"])]

    until(waits, RUN_LIMIT, "a reason that names what is asked for, with an advice")
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    running.wait(RUN_LIMIT)


def test_a_command_that_a_node_lacks_is_the_users_mistake(yarn, bed):
    done = yarn("run", "-n", "1", *SMALL, "--set", "restart.process=0", "--on", "yarn", "--",
                "no-such-program", within=RUN_LIMIT).expect(1)
    assert "no-such-program" in done.err
    assert yarn.status()["outcome"]["first_cause"]["exit_code"] == 127
    expect_all_over(yarn, bed)


@pytest.mark.parametrize("words", ["application_", "up and away"], ids=["accepted", "running"])
def test_a_client_that_is_killed_leaves_its_job_alone(yarn, words):
    running = yarn.start("run", "-n", "1", *SMALL, "--on", "yarn", "--", "sh", "-c",
                         "echo 'up' 'and' 'away'; exec sleep 1000")
    running.sees(words, RUN_LIMIT)
    os.kill(running.pid, signal.SIGKILL)

    def up():
        done = yarn("status", "last", "--json")
        return done.code == 0 and done.json()["phase"] == "running"

    until(up, RUN_LIMIT, "the job runs without its client")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)


@contextlib.contextmanager
def way_that_stalls(yarn, bed, port, words):
    """For the block, the program's way to a daemon gets no more answers from a request with these
    words on."""
    with Relay(bed.port(port), stalls_at=words) as relay:
        there = f"localhost:{relay.port}"
        site = {"rm1.rpc": {"yarn-site": {"yarn.resourcemanager.address": there}},
                "nn1.rpc": {"core-site": {"fs.defaultFS": f"hdfs://{there}"}}}[port]
        yarn.environment["HADOOP_CONF_DIR"] = str(bed.client_conf(site))
        try:
            yield relay
        finally:
            yarn.use(bed)


def kill_stop_at(yarn, bed, port, words):
    """Kills `muster stop` while it waits for the answer to such a request."""
    with way_that_stalls(yarn, bed, port, words) as relay:
        stopping = yarn.start("stop", "last")
        until(relay.stalled.is_set, RUN_LIMIT, lambda: f"it asks {words}: {stopping.text}")
        os.kill(stopping.pid, signal.SIGKILL)
        stopping.wait(RUN_LIMIT)


HOLDS_ON = """
trap 'echo told' TERM
echo up
until [ -e {gate} ]; do sleep 0.1; done
"""


def test_a_stop_that_is_killed_is_done_or_not_done_and_can_be_said_again(yarn, bed, tmp_path):
    gate = tmp_path / "gate"
    yarn.write("job.sh", HOLDS_ON.format(gate=gate))
    spec = yarn.spec({"command": "exec sh job.sh", "files": ["job.sh"], "deadlines": {"stop": "5m"},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    running = yarn.start("run", spec, "--on", "yarn")
    running.sees(r"^(\S+ \| )?up", RUN_LIMIT)
    # Where is its master? Nobody was asked to stop yet.
    kill_stop_at(yarn, bed, "rm1.rpc", b"getApplicationReport")
    assert status_of(yarn)["phase"] == "running"
    # The master was asked, so the job stops even without the client that asked.
    stopping = yarn.start("stop", "last")
    running.sees(r"^(\S+ \| )?told", RUN_LIMIT)
    for client in (stopping, running):  # The other client would fetch the job's record.
        os.kill(client.pid, signal.SIGKILL)
        client.wait(RUN_LIMIT)
    assert status_of(yarn)["phase"] == "stopping"
    gate.touch()
    # The job's record is about to be fetched.
    kill_stop_at(yarn, bed, "nn1.rpc", b"getListing")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    assert yarn.status()["outcome"]["result"] == "stopped"
    expect_final(yarn, bed, yarn.job(), "KILLED")


def test_a_stop_of_a_waiting_job_that_is_killed_can_be_said_again(yarn, bed):
    nodes = bed.variant.names("nm")
    for name in nodes:
        bed.freeze(name)
    try:
        yarn("submit", "-n", "1", *SMALL, "--on", "yarn", "--", "true", within=RUN_LIMIT).expect(0)
        job = yarn.job()
        waiting = yarn("status", job, "--json").expect(0).json()
        assert waiting["phase"] == "gathering" and "waits in queue" in waiting["waits_for"]
        assert "waiting: " in yarn("status", job).expect(0).out
        kill_stop_at(yarn, bed, "rm1.rpc", b"getApplicationReport")
        assert application_of(yarn, bed, job)["state"] == "ACCEPTED"
        kill_stop_at(yarn, bed, "rm1.rpc", b"forceKillApplication")
        # What was asked is done.
        expect_final(yarn, bed, job, "KILLED")
        assert "ended" in yarn("stop", "last", within=RUN_LIMIT).expect(0).out
        assert status_of(yarn)["outcome"]["result"] == "stopped"
    finally:
        for name in nodes:
            bed.thaw(name)


def test_old_jobs_and_files_are_removed_and_living_ones_stay(yarn, bed):
    status = running_job(yarn, tasks=1)
    kept = f"/user/alice/.muster/jobs/*/*/*/{status['job']}"
    theirs, half = (f"/user/alice/.muster/store/{name}" for name in (
        "weights.bin", f"{'a' * 64}.0123456789abcdef"))
    bed.shell("fs", "-touchz", theirs, half).expect()
    bed.shell("fs", "-touch", "-t", "20250101:000000", theirs, half).expect()
    would = yarn("clean", "--on", "yarn", "--all", "--dry-run", "--json").expect(0).json()
    assert status["job"] not in would["removed"]
    refused = yarn("clean", "--on", "yarn", "--over", "1g", within=RUN_LIMIT)
    refused.expect_error(2, "yarn cannot be cleaned down to a size", "--older")
    yarn("clean", "--on", "yarn", "--all", within=RUN_LIMIT).expect(0)
    assert "job.json" in bed.shell("fs", "-ls", "-C", kept).expect().out
    stored = bed.shell("fs", "-ls", "-C", "/user/alice/.muster/store").expect().out.split()
    assert theirs in stored, "not ours"
    assert half not in stored, "an upload that nobody finishes"
    assert len(stored) > 1
    # Its container can start again: the files are where they were.
    agent, = processes_in(bed, "muster agent")
    os.kill(agent, signal.SIGKILL)

    def again():
        done = yarn("status", "last", "--json")
        task = done.json()["roles"]["worker"]["tasks"][0] if done.code == 0 else {}
        return task.get("attempts", 0) > 1 and done.json()["phase"] == "running"

    until(again, RUN_LIMIT, "the task runs again")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    job = status["job"]
    until(lambda: application_of(yarn, bed, job)["state"] == "FINISHED", RUN_LIMIT, "the end")
    removed = yarn("clean", "--on", "yarn", "--all", "--json", within=RUN_LIMIT).expect(0).json()
    assert job in removed["removed"] and removed["files"] > 0
    bed.shell("fs", "-rm", theirs).expect()


def test_what_is_old_goes_by_itself_once_a_day(yarn, bed):
    root = "/user/alice/.muster"
    old, young = f"{root}/jobs/2025/01/01/old-aaaaaa", f"{root}/jobs/2025/01/02/young-aaaaaa"
    for folder in (old, young):
        bed.shell("fs", "-mkdir", "-p", f"{folder}/events").expect()
    bed.shell("fs", "-mkdir", "-p", f"{root}/cleaned").expect()
    bed.shell("fs", "-chown", "-R", "alice", root).expect()
    for folder in (old, f"{root}/cleaned"):
        bed.shell("fs", "-touch", "-m", "-t", "20250101:000000", folder).expect()

    def gone(folder):
        return bed.shell("fs", "-test", "-e", folder).code != 0

    run = ("run", "-n", "1", *SMALL, "--on", "yarn", "--", "true")
    done = yarn(*run, within=RUN_LIMIT).expect(0)
    assert gone(old) is False and not (yarn.home / "cleaning.log").exists(), "switched off"
    (yarn.home / "config.yaml").unlink()
    done = yarn(*run, within=RUN_LIMIT).expect(0)
    assert "clean" not in done.text, "nobody hears of it"
    until(lambda: gone(old), 120, "the old job is gone")
    log = yarn.home / "cleaning.log"
    until(lambda: f"yarn: {root}: removed 1 job" in log.read_text(), 60, "a line in the log")
    # Its folder has an old name, but it is not old.
    assert not gone(young)
    assert not bed.shell("fs", "-stat", "%y", f"{root}/cleaned").expect().out.startswith("2025")
    # Another host's turn comes with the next day.
    (yarn.home / "cleaned" / "yarn").unlink()
    bed.shell("fs", "-touch", "-m", "-t", "20250101:000000", young).expect()
    yarn(*run, within=RUN_LIMIT).expect(0)
    until(lambda: (yarn.home / "cleaned" / "yarn").exists(), 60, "it has looked")
    yarn.expect_nothing_left()
    assert not gone(young)
    # No empty folder of a day is left behind, but removing a day does not hide living jobs.
    assert gone(f"{root}/jobs/2025/01/01")
    assert yarn.status()["outcome"]["result"] == "succeeded"
    bed.shell("fs", "-rm", "-r", "-skipTrash", young).expect()


def test_a_client_whose_clock_is_wrong_by_months_removes_nothing_that_is_young(yarn, bed):
    run = ("run", "-n", "1", *SMALL, "--on", "yarn", "--", "true")

    def clean():
        return yarn("clean", "--on", "yarn", "--json", within=RUN_LIMIT).expect(0).json()

    with clocks.shifted(bed, "nn1", days=-60):
        yarn(*run, within=RUN_LIMIT).expect(0)
        assert yarn.status()["outcome"]["result"] == "succeeded"
        job = yarn.job()
        until(lambda: application_of(yarn, bed, job)["state"] == "FINISHED", RUN_LIMIT, "the end")
        done = clean()
        assert (done["removed"], done["files"]) == ([], 0), "by its clock all of it is old"
    # Now HDFS, too, says that it is old.
    assert clean()["removed"] == [job]
