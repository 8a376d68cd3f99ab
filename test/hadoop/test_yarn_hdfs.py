"""Jobs on YARN and HDFS: files stored there, checkpoints, and a log while HDFS is away."""
# bed: plain
# timeout: 900

import os
import signal
import subprocess

import libhdfs
import pytest
from waiting import until
from yarn_jobs import (
    READS_BY_LIBHDFS,
    RUN_LIMIT,
    application_of,
    attempts_of,
    job_of,
    processes_in,
    pyarrow,
    running_job,
    status_of,
)


def test_files_of_hdfs_and_the_python_environment_are_fetched_by_the_cluster(yarn, bed, tmp_path):
    environment = tmp_path / "env" / "bin"
    environment.mkdir(parents=True)
    python = environment / "python3"
    python.write_text('#!/bin/sh\necho "the python of $(readlink -f "$0")"\n')
    python.chmod(0o755)
    subprocess.run(["tar", "-C", tmp_path / "env", "-czf", tmp_path / "env.tgz", "bin"], check=True)
    for name, text in (("words.txt", "from hdfs\n"), ("more", "and more\n")):
        bed.shell("fs", "-put", "-f", "-", f"/user/alice/{name}", stdin=text.encode()).expect()
    spec = yarn.spec({"command": "cat words.txt deep/more; python3; echo id $JOB_ID",
                      "files": [bed.uri("/user/alice/words.txt"),
                                {"src": "hdfs:///user/alice/more", "as": "deep/more"}],
                      "python": {"env": str(tmp_path / "env.tgz")},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    assert done.lines("from hdfs") and done.lines("and more"), done.out
    # Where the node manager keeps what it has unpacked for all containers of this user.
    assert done.lines(r"the python of .*/usercache/alice/filecache/"), done.out
    assert done.lines("id application_"), done.out
    missing = yarn("run", "-n", "1", "--set", "files=[hdfs:///user/alice/none]", "--on", "yarn",
                   "--", "true", within=RUN_LIMIT)
    missing.expect_error(2, "/user/alice/none")


def test_a_program_that_is_not_java_reads_and_writes_hdfs_by_libhdfs(yarn, bed):
    bed.shell("fs", "-put", "-f", "-", "/user/alice/words", stdin=b"through libhdfs").expect()
    yarn.write("reads.py", READS_BY_LIBHDFS)
    job = {"command": "python3 reads.py", "files": ["reads.py"],
           "python": {"interpreter": f"{pyarrow()}/python3"},
           "restart": {"process": 0, "container": 0, "host": 0},
           "roles": {"worker": {"tasks": 1, "memory": "1g"}}}
    library = {"ARROW_LIBHDFS_DIR": str(libhdfs.fetch())}
    done = yarn("run", yarn.spec({**job, "env": library}), "--on", "yarn", within=RUN_LIMIT)
    assert done.expect(0).lines("read through libhdfs"), done.text
    answer = f"/user/alice/answer-of-{application_of(yarn, bed, job_of(done))['id']}"
    assert bed.shell("fs", "-cat", answer).expect().out == "THROUGH LIBHDFS"
    assert " alice " in bed.shell("fs", "-ls", answer).expect().out
    # Only what Muster sets shows it the way to Hadoop's classes.
    without = yarn.spec({**job, "env": {**library, "SKIP_HADOOP_PATH": "1"}})
    refused = yarn("run", without, "--on", "yarn", within=RUN_LIMIT).expect(1)
    assert "CLASSPATH not set" in refused.text, refused.text


SAVES_AND_FAILS = """
cd $MUSTER_CHECKPOINT_DIR
if [ $MUSTER_ATTEMPT -gt 1 ]; then echo "found $(cat state)"; exit 0; fi
for step in 1 2 3; do echo step $step > state; muster-commit step-$step || exit 9; done
rm state
exit 3
"""


@pytest.mark.parametrize("cluster", ["local", "yarn"])
def test_checkpoints_are_kept_in_hdfs_and_found_again(yarn, bed, cluster):
    folder = f"/user/alice/kept-{cluster}-{os.getpid()}"
    yarn.write("job.sh", SAVES_AND_FAILS)
    spec = yarn.spec({"command": "sh job.sh", "files": ["job.sh"], "restart": {"process": 1},
                      "checkpoint": {"to": f"hdfs://{folder}", "keep": 2},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    done = yarn("run", spec, "--on", cluster, within=RUN_LIMIT).expect(0)
    assert done.lines("found step 3"), done.text
    listed = bed.shell("fs", "-ls", "-C", folder).expect().out.split()
    assert listed == [f"{folder}/ckpt-00000002", f"{folder}/ckpt-00000003"]


def test_tasks_run_and_restart_while_the_namenode_is_away(yarn, bed):
    running_job(yarn, restart={"process": 3})
    first, second = sorted(processes_in(bed, "sleep 1000"))
    bed.kill("nn1")
    os.kill(first, signal.SIGKILL)
    # The log's file is open: its bytes go to the DataNodes.
    until(lambda: attempts_of(yarn) == [1, 2] and len(processes_in(bed, "sleep 1000")) == 2,
          RUN_LIMIT, lambda: f"the task is started again: {status_of(yarn)}")
    assert second in processes_in(bed, "sleep 1000")
    bed.restore()
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    # Its master may have to wait until the NameNode accepts files again.
    until(lambda: status_of(yarn).get("phase") == "ended", RUN_LIMIT,
          lambda: f"the end is known: {status_of(yarn)}")
    assert yarn.status()["outcome"]["result"] == "stopped"


def test_a_job_outlives_what_was_staged_for_it(yarn, bed):
    running_job(yarn, restart={"process": 3})
    first, second = sorted(processes_in(bed, "sleep 1000"))
    bed.shell("fs", "-rm", "-r", "-skipTrash", "/user/alice/.muster").expect()
    os.kill(first, signal.SIGKILL)
    until(lambda: attempts_of(yarn) == [1, 2] and len(processes_in(bed, "sleep 1000")) == 2,
          RUN_LIMIT, lambda: f"the task is started again: {status_of(yarn)}")
    assert second in processes_in(bed, "sleep 1000")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    until(lambda: status_of(yarn).get("phase") == "ended", RUN_LIMIT,
          lambda: f"the end is known: {status_of(yarn)}")
    # Nothing of the job is left in HDFS: its master told the cluster that it was stopped.
    assert yarn.status()["outcome"]["result"] == "stopped"


def test_the_log_goes_on_when_hdfs_is_back(yarn, bed):
    running_job(yarn, restart={"process": 3})
    first, _ = sorted(processes_in(bed, "sleep 1000"))
    for name in ("dn1", "dn2"):
        bed.kill(name)
    os.kill(first, signal.SIGKILL)
    until(lambda: "the job's log" in yarn("status", "last").text, RUN_LIMIT,
          lambda: "status says what is wrong: " + yarn("status", "last").text)
    assert len(processes_in(bed, "sleep 1000")) == 1
    bed.restore()

    def whole_again():
        tasks = status_of(yarn).get("roles", {}).get("worker", {}).get("tasks", [])
        return sorted(task["attempts"] for task in tasks)[-1:] == [2] and len(
            processes_in(bed, "sleep 1000")) == 2

    until(whole_again, RUN_LIMIT, lambda: f"the task is started again: {status_of(yarn)}")
    assert "the job's log" not in yarn("status", "last").text
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    assert yarn.status()["outcome"]["result"] == "stopped"
