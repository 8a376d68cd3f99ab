"""Jobs on YARN: the program as a user runs it, on real daemons."""
# bed: plain
# hadoop: each
# timeout: 900

import json
import os
import signal
import time

import browser as browsers
import pytest
from waiting import until
from yarn_jobs import (
    RUN_LIMIT,
    application_of,
    expect_final,
    job_folders,
    job_of,
    processes_in,
    running_job,
    wait_until_kept,
)


def test_two_processes_run_and_succeed(yarn, bed):
    script = 'echo "rank $MUSTER_INDEX of $MUSTER_ROLE in $MUSTER_JOB_ID"'
    done = yarn("run", "-n", "2", "--name", "pair", "--set", "roles.worker.memory=128m", "--on",
                "yarn", "--", "sh", "-c", script, within=RUN_LIMIT).expect(0)
    for index in range(2):
        assert f"rank {index} of worker in pair-" in done.out, done.out
    expect_final(yarn, bed, job_of(done), "SUCCEEDED")
    application = application_of(yarn, bed, job_of(done))
    assert application["applicationType"] == "MUSTER"
    assert application["name"] == "pair"
    shown = yarn("status", "last", "--json").expect(0).json()
    assert shown["phase"] == "ended"
    assert shown["outcome"]["result"] == "succeeded"
    assert [task["state"] for task in shown["roles"]["worker"]["tasks"]] == ["succeeded"] * 2
    yarn("show", "last").expect(0)


def test_a_task_finds_no_key_of_muster(yarn, bed):
    """Neither in the token file that it inherits nor in those of the application's other containers
    on its node, including the master's.
    """
    script = ('cd "$(dirname "$HADOOP_TOKEN_FILE_LOCATION")/.." && '
              'echo "looked: $(ls */container_tokens | wc -l)" && '
              'echo "found: $(grep -la "muster[.]" */container_tokens | wc -l)"')
    done = yarn("run", "-n", "1", "--set", "roles.worker.memory=128m", "--on", "yarn", "--", "sh",
                "-c", script, within=RUN_LIMIT).expect(0)
    assert done.lines(r"looked: [1-9]"), done.out
    assert done.lines(r"found: 0$"), done.out


def test_files_and_folders_go_along_and_are_uploaded_once(yarn, bed):
    # Unlike anybody else's, so that nobody else has uploaded it.
    odd = 'wi`th $HOME "é.txt'
    yarn.write("run.sh", f'# {yarn.home}\necho "$0: $(cat data/deep/numbers) '
               '$(stat -c %a data/tool) $(cat wi*)"\n')
    yarn.write(odd, "odd")
    yarn.write("data/own", str(yarn.home))
    yarn.write("data/deep/numbers", "1 2 3")
    yarn.write("data/tool", "#!/bin/sh\n", mode=0o750)
    spec = yarn.spec({"command": "sh run.sh", "files": ["run.sh", "data/", odd],
                      "roles": {"worker": {"tasks": 2, "memory": "128m"}}})

    def stored():
        return set(bed.shell("fs", "-ls", "-C", "/user/alice/.muster/store").out.split())

    before = stored()
    done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    assert done.out.count("run.sh: 1 2 3 750 odd") == 2, done.out
    first = stored()
    # Script, file and folder, and what another test may have uploaded already: the program, the
    # file.
    assert 2 <= len(first - before) <= 4
    yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    assert stored() == first


def test_files_of_one_content_are_all_there(yarn):
    for name in ("a.txt", "b.txt", "pack/in.txt"):
        yarn.write(name, f"the same in {yarn.home}\n")
    spec = yarn.spec({"command": "cat a.txt b.txt c.txt pack/in.txt",
                      "files": ["a.txt", "b.txt", {"src": "pack/in.txt", "as": "c.txt"}, "pack/"],
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    for _ in range(2):  # The second one finds all of them uploaded.
        done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
        assert done.out.count(f"the same in {yarn.home}") == 4, done.out


def test_a_program_that_fails_is_told_with_its_last_words(yarn, bed):
    spec = yarn.spec({"command": "echo worse; echo it broke >&2; exit 7", "restart": {"process": 0},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(1)
    assert "it broke" in done.err
    assert "exit code 7" in done.err
    expect_final(yarn, bed, job_of(done), "FAILED")
    outcome = yarn.status()["outcome"]
    assert outcome["first_cause"]["exit_code"] == 7


def test_a_running_job_is_shown_and_stopped_from_elsewhere(yarn, bed):
    status = running_job(yarn)
    assert status["on"] == "yarn"
    assert status["application_id"].startswith("application_")
    shown = yarn("status", "last").expect(0).out
    assert "worker:1" in shown
    # If the cluster cannot be asked, nothing is said about the job.
    configuration = yarn.environment.pop("HADOOP_CONF_DIR")
    yarn("status", "last").expect_error(2, "HADOOP_CONF_DIR")
    yarn.environment["HADOOP_CONF_DIR"] = configuration
    assert yarn("status", "last", "--json").expect(0).json()["phase"] == "running"
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    expect_final(yarn, bed, yarn.job(), "KILLED")
    assert yarn.status()["outcome"]["result"] == "stopped"


def test_the_page_works_through_the_resource_manager_s_proxy(yarn, bed):
    status = running_job(yarn, tasks=1)
    link = status["page"]
    assert link.endswith(f":{bed.port('rm1.http')}/proxy/{status['application_id']}/")
    code, _, text = browsers.fetch(link + "api/status")
    assert code == 200 and json.loads(text)["job"] == yarn.job()
    assert browsers.fetch(link + "nothing")[0] == 404
    window = browsers.Browser()
    try:
        window.open(link)
        window.sees('tr[data-task="worker:0"] [data-field=state]', "^active$")
        assert window.text("#job") == yarn.job()
        window.click('tr[data-task="worker:0"] button')
        window.sees("#log-text", "^up\n?$")
        yarn("stop", "last", within=RUN_LIMIT).expect(0)
        window.sees("#outcome-title", "stopped")
    finally:
        window.close()


def test_a_killed_master_is_replaced_and_no_task_restarts(yarn, bed):
    running_job(yarn)
    wait_until_kept(yarn, bed, 3)
    tasks = processes_in(bed, "sleep 1000")
    assert len(tasks) == 2
    (master,) = processes_in(bed, "muster master --on yarn")
    os.kill(master, signal.SIGKILL)
    until(lambda: application_of(yarn, bed, yarn.job())["state"] == "ACCEPTED"
          or processes_in(bed, "muster master --on yarn") not in ([], [master]), RUN_LIMIT,
          "the next master starts")

    def taken_over():
        # Until then it is the log that says "running".
        done = yarn("status", "last", "--json")
        return done.code == 0 and (done.json()["phase"], done.json()["epoch"]) == ("running", 2)

    until(taken_over, RUN_LIMIT, "the next master is in charge")
    assert processes_in(bed, "sleep 1000") == tasks
    assert [task["attempts"] for task in yarn.status()["roles"]["worker"]["tasks"]] == [1, 1]
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    until(lambda: not processes_in(bed, "sleep 1000"), 60, "nothing is left")


@pytest.mark.parametrize(("window", "stand"), [("1s", "running"), ("10m", "ended")])
def test_only_masters_that_died_within_the_window_count(yarn, bed, window, stand):
    job = running_job(yarn, master={"attempts": 2}, yarn={"attempt_window": window})["job"]
    wait_until_kept(yarn, bed, 3)
    masters = []

    def stands():
        if application_of(yarn, bed, job)["state"] in ("FAILED", "FINISHED", "KILLED"):
            return "ended"
        done = yarn("status", "last", "--json")
        found = processes_in(bed, "muster master --on yarn")
        new = found and found[0] not in masters
        return new and done.code == 0 and done.json()["phase"] == "running" and "running"

    for _ in range(2):
        assert until(stands, RUN_LIMIT, "a master is in charge") == "running"
        # The cluster counts from the end of the previous master, which it has seen by now.
        seen = time.monotonic()
        until(lambda since=seen: time.monotonic() > since + 1.5, RUN_LIMIT, "the window is over")
        masters += processes_in(bed, "muster master --on yarn")
        os.kill(masters[-1], signal.SIGKILL)
    assert until(stands, RUN_LIMIT, "another master, or the end") == stand
    if stand == "running":
        yarn("stop", "last", within=RUN_LIMIT).expect(0)


def test_a_cluster_is_named_by_the_configuration(yarn, bed):
    conf = yarn.environment.pop("HADOOP_CONF_DIR")
    (yarn.home / "config.yaml").write_text(
        "cleaning: {older: none}\n"
        f"clusters: {{prod: {{type: yarn, conf: {conf}}}, here: {{type: local}}}}\n")
    words = ["-n", "1", "--set", "roles.worker.memory=128m"]
    done = yarn("run", *words, "--on", "prod", "--", "echo", "at work", within=RUN_LIMIT).expect(0)
    assert application_of(yarn, bed, job_of(done))["finalStatus"]
    assert "on this machine" in yarn("run", *words, "--on", "here", "--", "true").expect(0).text
    yarn("run", *words, "--on", "prot", "--", "true").expect_error(
        2, "--on prot", "the known clusters are local, yarn, here and prod")


def test_a_container_that_dies_is_replaced(yarn, bed):
    running_job(yarn)
    agent, _ = sorted(processes_in(bed, "muster agent"))
    os.kill(agent, signal.SIGKILL)

    def whole_again():
        done = yarn("status", "last", "--json")
        if done.code != 0:
            return False
        tasks = done.json()["roles"]["worker"]["tasks"]
        return (done.json()["phase"] == "running" and max(task["attempts"] for task in tasks) > 1
                and len(processes_in(bed, "sleep 1000")) == 2)

    until(whole_again, RUN_LIMIT, "the gang is whole again")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)


def test_what_cannot_be_had_is_refused_before_anything_is_uploaded(yarn, bed):
    before = job_folders(bed)
    big = yarn("run", "-n", "1", "--set", "roles.worker.memory=900g", "--on", "yarn", "--", "true")
    big.expect_error(6, "16384 MB")
    for setting, words in (("gpus=5", "5 yarn.io/gpu are requested in one container"),
                           ("resources.fpga=1", "has no resource type fpga"),
                           ("node_label=tpu", "has no node label tpu")):
        refused = yarn("run", "-n", "1", "--set", f"roles.worker.{setting}", "--on", "yarn", "--",
                       "true")
        refused.expect_error(6, words)
    nowhere = yarn("run", "-n", "1", "--set", "yarn.queue=nowhere", "--set",
                   "roles.worker.memory=128m", "--on", "yarn", "--", "true", within=RUN_LIMIT)
    nowhere.expect_error(2, "nowhere")
    assert job_folders(bed) == before
    assert yarn.jobs() == []


def test_without_a_hadoop_configuration_one_message_says_where_it_was_looked_for(muster):
    done = muster("run", "-n", "1", "--on", "yarn", "--", "true")
    done.expect_error(2, "HADOOP_CONF_DIR")
    assert muster.jobs() == []
