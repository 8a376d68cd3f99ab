"""Submissions to YARN: what they print, who may submit, what prevents it, many at once."""
# bed: plain
# timeout: 900

import getpass
import json
import os
import re
import signal

import browser as browsers
from waiting import until
from yarn_jobs import RUN_LIMIT, application_of, job_folders, running_job, status_of

SMALL = ("--set", "roles.worker.memory=128m")
ALL_LIMIT = 600


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
    assert application["priority"] == 3
    until(lambda: application_of(yarn, bed, job)["allocatedVCores"] >= 2, RUN_LIMIT, "its master")
    yarn("stop", job, within=RUN_LIMIT).expect(0)


def test_a_job_runs_on_behalf_of_another_user(yarn, bed):
    # The daemons let the user they run as act for everybody.
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
        submitting.wait(RUN_LIMIT)  # It holds its job's lock until it has ended.
    finally:
        bed.shell("dfsadmin", "-safemode", "leave").expect()
    (job,) = yarn.jobs()
    assert "no master is running" in yarn("status", job).expect(0).out
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
    assert job_folders(bed, full) == job_folders(bed, closed) == set()
    assert half_stored(bed, f"{full}/store") == []


def test_who_may_submit_look_and_kill_is_as_the_access_lists_say(yarn, bed):
    root = "yarn.scheduler.capacity.root"
    rules = {"yarn-site": {"yarn.acl.enable": "true", "yarn.admin.acl": getpass.getuser()},
             "capacity-scheduler": {f"{root}.queues": "default,other,closed",
                                    f"{root}.acl_submit_applications": " ",
                                    f"{root}.acl_administer_queue": " ",
                                    f"{root}.closed.capacity": 0,
                                    f"{root}.closed.state": "STOPPED",
                                    f"{root}.closed.acl_submit_applications": "*",
                                    f"{root}.other.acl_submit_applications": "bob",
                                    f"{root}.default.acl_submit_applications": "alice"},
             # On this cluster a browser itself says who its user is.
             "core-site": {"hadoop.http.filter.initializers":
                           "org.apache.hadoop.security.AuthenticationFilterInitializer"}}
    with bed.configured(rules, restart=["rm1"]):
        before = job_folders(bed)
        for queue, words in (("closed", "STOPPED"), ("other", "alice")):
            yarn("submit", "-n", "1", *SMALL, "--set", f"yarn.queue={queue}", "--on", "yarn", "--",
                 "true", within=RUN_LIMIT).expect_error(2, queue, words)
        assert yarn.jobs() == []
        assert job_folders(bed) == before
        members_look_and_kill(yarn, bed)


def members_look_and_kill(yarn, bed):
    """Bob belongs to the group people, carol to others."""
    status = running_job(yarn, tasks=1,
                         yarn={"acl_view": ["group:people"], "acl_modify": ["group:others"]})
    name = status["application_id"]

    def sees(user):
        app = f"http://localhost:{bed.port('rm1.http')}/ws/v1/cluster/apps/{name}?user.name={user}"
        page = browsers.fetch(f"{status['page']}api/status?user.name={user}")
        return page[0] == 200, "amContainerLogs" in json.loads(browsers.fetch(app)[2])["app"]

    def kills(user):
        return bed.java("application", "-kill", name, env={"HADOOP_USER_NAME": user})

    assert sees("alice") == sees("bob") == (True, True)
    assert sees("carol") == (False, False)
    assert "bob cannot perform operation MODIFY_APP" in kills("bob").err
    assert status_of(yarn)["phase"] == "running"
    kills("carol").expect()
    until(lambda: status_of(yarn).get("phase") == "ended", RUN_LIMIT, "it is killed")


def test_a_user_without_a_place_in_hdfs_is_told_so(yarn):
    yarn.environment["HADOOP_USER_NAME"] = "carol"
    done = yarn("submit", "-n", "1", *SMALL, "--on", "yarn", "--", "true", within=RUN_LIMIT)
    done.expect_error(2, "/user/carol")
    assert yarn.jobs() == []


def half_stored(bed, store="/user/alice/.muster/store"):
    """What uploads have left in the store other than complete files or archives."""
    stored = bed.shell("fs", "-ls", "-C", store).expect().out.split()
    return [name for name in stored
            if not re.fullmatch(r".*/[0-9a-f]{64}(\.zip|\.tar|\.tar\.gz|\.tgz)?", name)]


def test_submissions_at_once_share_what_they_upload(yarn, bed):
    yarn.write("data.bin", "x" * 3_000_000)
    spec = yarn.spec({"command": "test -s data.bin", "files": ["data.bin"],
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    running = [yarn.start("submit", spec, "--on", "yarn") for _ in range(6)]
    for one in running:
        one.wait(RUN_LIMIT).expect(0)
    assert len(yarn.jobs()) == 6
    assert half_stored(bed) == []

    def ended(job):
        done = yarn("status", job, "--json", within=RUN_LIMIT)
        return done.code == 0 and done.json()["phase"] == "ended"

    for job in yarn.jobs():
        until(lambda job=job: ended(job), RUN_LIMIT, f"the end of {job}")
        assert yarn.status(job)["outcome"]["result"] == "succeeded"


def test_fifty_submissions_at_once_all_run_to_their_end(yarn, bed):
    # All their masters at once would leave no room for a task.
    some = {"capacity-scheduler": {"yarn.scheduler.capacity.maximum-am-resource-percent": 0.5}}
    with bed.configured(some, refresh=["-refreshQueues"]):
        running = [yarn.start("submit", "-n", "1", *SMALL, "--set", "master.memory=128m", "--on",
                              "yarn", "--", "true") for _ in range(50)]
        for one in running:
            one.wait(ALL_LIMIT).expect(0)
        jobs = yarn.jobs()
        assert len(jobs) == 50

        def results():
            listed = yarn("history", "--on", "yarn", "--limit", "50", "--json", within=RUN_LIMIT)
            return {row["job"]: row["result"] for row in listed.json()["jobs"]
                    if row["job"] in jobs} if listed.code == 0 else {}

        until(lambda: len(results()) == 50, ALL_LIMIT, "all have ended", pause=1)
        assert set(results().values()) == {"succeeded"}
    assert half_stored(bed) == []
