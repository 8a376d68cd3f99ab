"""What clients see of jobs on YARN: output, jobs of other hosts, what a job waits for, bad days."""
# bed: plain
# hadoop: newest
# timeout: 900

import getpass
import json
import os
import signal

import browser as browsers
import pytest
from conftest import HadoopMuster
from waiting import until
from yarn_jobs import RUN_LIMIT, application_of, processes_in, running_job

SMALL = ("--set", "roles.worker.memory=128m")


@pytest.fixture
def elsewhere(tmp_path, bed):
    """The program as alice on another host: she has her Hadoop configuration there, no more."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    other = HadoopMuster(folder).use(bed)
    other.environment["HADOOP_USER_NAME"] = "alice"
    yield other
    other.end_everything()


def portal_page(program, job):
    """Opens the page of a job that has ended; returns what asks for a part of it."""
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
    assert "waits for nothing" in elsewhere("why", job).expect(0).out
    elsewhere("stop", job, within=RUN_LIMIT).expect(0)
    until(lambda: application_of(yarn, bed, job)["state"] == "FINISHED", RUN_LIMIT, "the end")
    rows = elsewhere("history", "--on", "yarn", "--json").expect(0).json()["jobs"]
    assert [row["result"] for row in rows if row["job"] == job] == ["stopped"]
    assert elsewhere("status", job, "--json").expect(0).json()["outcome"]["result"] == "stopped"
    page = portal_page(elsewhere, job)
    assert json.loads(page("api/status"))["outcome"]["result"] == "stopped"
    assert page("logs/worker/1") == "up\n"
    elsewhere("status", "nowhere-else").expect_error(2, "no such job")
    left = bed.shell("fs", "-ls", "-C", f"/user/alice/.muster/jobs/*/*/*/{job}").expect().out
    assert "summary.json" in left and "/secret" not in left


def test_a_job_that_the_cluster_killed_ends_in_its_words(yarn, elsewhere, bed):
    status = running_job(yarn, tasks=1)
    bed.shell("application", "-kill", status["application_id"]).expect()
    shown = yarn("status", status["job"], "--json", within=RUN_LIMIT).expect(0).json()
    assert shown["phase"] == "ended" and shown["outcome"]["result"] == "failed"
    assert "killed" in shown["outcome"]["message"].lower()
    seen = elsewhere("status", status["job"], "--json", within=RUN_LIMIT).expect(0).json()
    assert seen["outcome"]["class"] == "cluster.application"


def test_why_a_job_waits_is_told_with_what_to_change(yarn):
    # More than both nodes have together: some of it is granted, the rest waits.
    big = ("-n", "3", "--set", "roles.worker.memory=12g", "--name", "big")
    running = yarn.start("run", *big, "--on", "yarn", "--", "sleep", "1000")
    job = until(lambda: yarn.jobs() and yarn.jobs()[0], RUN_LIMIT, "the job is submitted")

    def waits():
        done = yarn("why", job, "--json", within=RUN_LIMIT)
        reasons = done.json()["reasons"] if done.code == 0 else []
        return [one for one in reasons if one["advice"]]

    reasons = until(waits, RUN_LIMIT, "a reason with an advice")
    assert any("12320 MB" in one["text"] or "scheduler" in one["text"] for one in reasons), reasons
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    running.wait(RUN_LIMIT)


def test_what_a_submission_says_reaches_the_resource_manager(yarn, bed):
    spec = yarn.spec({"command": "exec sleep 1000",
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}},
                      "master": {"memory": "384m", "vcores": 2, "attempts": 1},
                      "yarn": {"queue": "other", "tags": ["Team-A"], "priority": 3,
                               "type": "TRAINING", "acl_view": ["bob"]}})
    yarn("submit", spec, "--on", "yarn", "--name", "shaped", within=RUN_LIMIT).expect(0)
    job = yarn.job()
    application = application_of(yarn, bed, job)
    assert application["queue"].split(".")[-1] == "other"
    assert application["name"] == "shaped"
    assert application["applicationType"] == "TRAINING"
    assert {"muster", f"muster:{job}", "team-a"} <= set(application["applicationTags"].split(","))
    assert application["priority"] == 3 or application["priority"] == 0  # Capped by the cluster.
    until(lambda: application_of(yarn, bed, job)["allocatedVCores"] >= 2, RUN_LIMIT, "its master")
    yarn("stop", job, within=RUN_LIMIT).expect(0)


def test_a_job_runs_on_behalf_of_another_user(yarn, bed):
    # Whom the daemons run as, they let act for everybody.
    yarn.environment["HADOOP_USER_NAME"] = getpass.getuser()
    yarn("run", "-n", "1", *SMALL, "--on", "yarn", "--proxy-user", "alice", "--", "true",
         within=RUN_LIMIT).expect(0)
    assert application_of(yarn, bed, yarn.job())["user"] == "alice"
    assert yarn("status", "last", "--json").expect(0).json()["outcome"]["result"] == "succeeded"


def test_masters_that_cannot_be_asked_are_named(yarn, bed):
    def attempt(site, *words):
        yarn.environment["HADOOP_CONF_DIR"] = str(bed.client_conf(
            {"yarn-site": {"yarn.resourcemanager.connect.max-wait.ms": 2000} | site}))
        done = yarn("submit", "-n", "1", *SMALL, "--on", "yarn", "--", "true", within=RUN_LIMIT)
        done.expect_error(6, *words)

    attempt({"yarn.resourcemanager.address": "localhost:1"}, "localhost:1")
    attempt({"yarn.resourcemanager.address": f"localhost:{bed.port('rm1.http')}"}, "HTTP server")
    assert yarn.jobs() == []


def test_a_name_node_in_safe_mode_is_waited_for(yarn, bed):
    bed.shell("dfsadmin", "-safemode", "enter").expect()
    try:
        submitting = yarn.start("submit", "-n", "1", *SMALL, "--on", "yarn", "--", "true")
        submitting.sees("safe mode", RUN_LIMIT)
    finally:
        bed.shell("dfsadmin", "-safemode", "leave").expect()
    submitting.wait(RUN_LIMIT).expect(0)


def test_a_client_that_is_killed_before_the_cluster_has_its_job_leaves_none_there(yarn, bed):
    bed.shell("dfsadmin", "-safemode", "enter").expect()
    try:
        submitting = yarn.start("submit", "-n", "1", *SMALL, "--on", "yarn", "--", "true")
        submitting.sees("safe mode", RUN_LIMIT)
        os.kill(submitting.pid, signal.SIGKILL)
    finally:
        bed.shell("dfsadmin", "-safemode", "leave").expect()
    (job,) = yarn.jobs()
    assert "no master runs" in yarn("status", job).expect(0).out
    (row,) = yarn("ps", "--all", "--json").expect(0).json()["jobs"]
    assert (row["job"], row["phase"]) == (job, "lost")
    applications = bed.get("rm1.http", "/ws/v1/cluster/apps?user=alice")["apps"] or {}
    assert not [one for one in applications.get("app", []) if job in one["applicationTags"]]


def test_a_full_place_in_hdfs_and_a_read_only_one_are_told(yarn, bed, hdfs_folder):
    def attempt(folder, code, *words):
        done = yarn("submit", "-n", "1", *SMALL, "--set", f"yarn.staging={folder}", "--on", "yarn",
                    "--", "true", within=RUN_LIMIT)
        done.expect_error(code, folder, *words)

    full, closed = f"{hdfs_folder}/full", f"{hdfs_folder}/closed"
    bed.shell("fs", "-mkdir", "-p", full, closed).expect()
    bed.shell("fs", "-chown", "alice", full).expect()
    bed.shell("dfsadmin", "-setSpaceQuota", "1m", full).expect()
    attempt(full, 6, "quota", "ask for a larger space quota")
    attempt(closed, 2, "alice")
    assert yarn.jobs() == []


def test_queues_that_take_no_job_are_named(yarn, bed):
    root = "yarn.scheduler.capacity.root"
    rules = {"yarn-site": {"yarn.acl.enable": "true"},
             "capacity-scheduler": {f"{root}.acl_submit_applications": " ",
                                    f"{root}.acl_administer_queue": " ",
                                    f"{root}.default.acl_submit_applications": "*",
                                    f"{root}.default.state": "STOPPED",
                                    f"{root}.other.acl_submit_applications": "bob"}}

    def attempt(queue, *words):
        done = yarn("submit", "-n", "1", *SMALL, "--set", f"yarn.queue={queue}", "--on", "yarn",
                    "--", "true", within=RUN_LIMIT)
        done.expect_error(2, queue, *words)

    with bed.configured(rules, restart=["rm1"]):
        attempt("default", "STOPPED")
        attempt("other", "alice")
    assert yarn.jobs() == []


def test_a_user_without_a_place_in_hdfs_is_told_so(yarn):
    yarn.environment["HADOOP_USER_NAME"] = "carol"
    done = yarn("submit", "-n", "1", *SMALL, "--on", "yarn", "--", "true", within=RUN_LIMIT)
    done.expect_error(2, "/user/carol")
    assert yarn.jobs() == []


def test_a_command_that_a_node_lacks_is_the_users_mistake(yarn):
    done = yarn("run", "-n", "1", *SMALL, "--set", "restart.process=0", "--on", "yarn", "--",
                "no-such-program", within=RUN_LIMIT).expect(1)
    assert "no-such-program" in done.err


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


def test_submissions_at_once_share_what_they_upload(yarn, bed):
    yarn.write("data.bin", "x" * 3_000_000)
    spec = yarn.spec({"command": "test -s data.bin", "files": ["data.bin"],
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    running = [yarn.start("submit", spec, "--on", "yarn") for _ in range(6)]
    for one in running:
        one.wait(RUN_LIMIT).expect(0)
    assert len(yarn.jobs()) == 6
    stored = bed.shell("fs", "-ls", "-C", "/user/alice/.muster/store").expect().out.split()
    assert not [name for name in stored if "." in name.rsplit("/", 1)[1].replace(".zip", "")]

    def ended(job):
        done = yarn("status", job, "--json", within=RUN_LIMIT)
        return done.code == 0 and done.json()["phase"] == "ended"

    for job in yarn.jobs():
        until(lambda job=job: ended(job), RUN_LIMIT, f"the end of {job}")
        assert yarn.status(job)["outcome"]["result"] == "succeeded"


def test_fifty_submissions_at_once_are_all_taken(yarn, bed):
    nodes = bed.variant.names("nm")
    for name in nodes:
        bed.freeze(name)  # The jobs wait, and need not be waited for.
    try:
        running = [yarn.start("submit", "-n", "1", *SMALL, "--on", "yarn", "--", "true")
                   for _ in range(50)]
        for one in running:
            one.wait(RUN_LIMIT).expect(0)
        jobs = yarn.jobs()
        assert len(jobs) == 50
        waiting = bed.get("rm1.http", "/ws/v1/cluster/apps?states=ACCEPTED")["apps"]["app"]
        tags = {tag for one in waiting for tag in one["applicationTags"].split(",")}
        assert {f"muster:{job}" for job in jobs} <= tags
        stored = bed.shell("fs", "-ls", "-C", "/user/alice/.muster/store").expect().out.split()
        assert all("." not in name.rsplit("/", 1)[1].replace(".zip", "") for name in stored)
        bed.shell("application", "-kill", *[one["id"] for one in waiting]).expect()
    finally:
        for name in nodes:
            bed.thaw(name)


def test_old_jobs_and_files_are_removed_and_living_ones_stay(yarn, bed):
    status = running_job(yarn, tasks=1)
    kept = f"/user/alice/.muster/jobs/*/*/*/{status['job']}"
    would = yarn("clean", "--on", "yarn", "--all", "--dry-run", "--json").expect(0).json()
    assert status["job"] not in would["removed"]
    yarn("clean", "--on", "yarn", "--all", within=RUN_LIMIT).expect(0)
    assert "job.json" in bed.shell("fs", "-ls", "-C", kept).expect().out
    assert bed.shell("fs", "-ls", "-C", "/user/alice/.muster/store").expect().out.split()
    # Its container can start anew: the files are where they were.
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
