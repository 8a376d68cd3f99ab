"""What the cluster does to a running job, on real daemons."""
# bed: plain
# hadoop: each
# timeout: 900

import contextlib
import os
import re
import shutil
import signal

import sleeper as sleeper_module
from waiting import until
from yarn_jobs import (
    RUN_LIMIT,
    attempts_of,
    expect_all_over,
    expect_final,
    processes_in,
    running_job,
    states_of,
    status_of,
    wait_until_kept,
)

SAVES = "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.1; done"


def test_a_preempted_task_is_told_saves_and_comes_back(yarn, bed, sleeper):
    spec = yarn.spec({"command": SAVES, "restart": {"process": 0, "container": 0, "host": 0},
                      "roles": {"worker": {"tasks": 4, "memory": "7g"}}})
    running = yarn.start("run", spec, "--on", "yarn")
    until(lambda: status_of(yarn).get("phase") == "running", RUN_LIMIT,
          lambda: running.text)
    sleeper(bed, queue="other", memory_mb=6144)
    running.sees("saved", RUN_LIMIT)
    sleeper.end()
    until(lambda: status_of(yarn).get("phase") == "running" and attempts_of(yarn)[-1:] == [2],
          RUN_LIMIT, lambda: f"what was taken comes back: {status_of(yarn)}")
    running.signal(signal.SIGINT)
    assert "stopped" in running.wait(RUN_LIMIT).expect(4).err


def test_a_job_outlives_restarts_of_the_clusters_daemons_and_a_host_that_falls_ill(
        yarn, bed, tmp_path):
    running_job(yarn, memory="9g", restart={"process": 0, "container": 0, "host": 0})
    tasks = {host_of_process(pid): pid for pid in processes_in(bed, "sleep 1000")}
    (master,) = processes_in(bed, "muster master --on yarn")
    (ill,) = set(tasks) - {host_of_process(master)}
    check = tmp_path / "check"
    check.write_text(f"#!/bin/sh\ntest ! -e {tmp_path}/ill || echo ERROR it smells of smoke\n")
    check.chmod(0o755)
    checks = {"yarn-site": {"yarn.nodemanager.health-checker.script.path": str(check),
                            "yarn.nodemanager.health-checker.interval-ms": 500}}
    for daemon in ("rm1", ill):
        bed.kill(daemon)
    with bed.configured(checks, restart=["rm1", ill]):
        assert sorted(processes_in(bed, "sleep 1000")) == sorted(tasks.values())
        # The connection to the resource manager is up again: it reports hosts and grants
        # containers.
        (tmp_path / "ill").touch()
        until(lambda: states_of(yarn) == ["active", "waiting"], RUN_LIMIT,
              lambda: f"the task of the ill host waits: {status_of(yarn)}")
        until(lambda: "unhealthy" in yarn("show", "last").text, RUN_LIMIT, "it is told of")
        (tmp_path / "ill").unlink()
        until(lambda: attempts_of(yarn) == [1, 2] and len(processes_in(bed, "sleep 1000")) == 2,
              RUN_LIMIT, lambda: f"the task comes back: {status_of(yarn)}")
    (kept,) = set(tasks.values()) - {tasks[ill]}
    assert kept in processes_in(bed, "sleep 1000")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    expect_final(yarn, bed, yarn.job(), "KILLED")


def test_a_host_that_is_lost_is_waited_for_and_the_other_task_goes_on(yarn, bed):
    running_job(yarn, memory="9g", restart={"process": 0, "container": 0, "host": 0})
    tasks = {host_of_process(pid): pid for pid in processes_in(bed, "sleep 1000")}
    (master,) = processes_in(bed, "muster master --on yarn")
    (lost,) = set(tasks) - {host_of_process(master)}
    (kept,) = set(tasks) - {lost}
    bed.kill(lost)
    kill_all(sleeper_module.processes_of(bed.folder / lost))
    until(lambda: states_of(yarn) == ["active", "waiting"], RUN_LIMIT,
          lambda: f"its task waits: {status_of(yarn)}")
    # Otherwise nobody reports that it is back: the manager takes it for the same one, and it stays
    # avoided.
    until(lambda: is_lost(bed, lost), RUN_LIMIT, "the cluster has noticed, too")
    bed.restore()
    until(lambda: status_of(yarn).get("phase") == "running" and attempts_of(yarn) == [1, 2],
          RUN_LIMIT, lambda: f"it comes back: {status_of(yarn)}")
    assert tasks[kept] in processes_in(bed, "sleep 1000")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)


def test_a_container_whose_files_are_gone_says_so_in_the_clusters_words(yarn, bed):
    yarn.write("word.txt", "a word of " + yarn.home.name)
    running_job(yarn, tasks=1, files=["word.txt"], restart={"container": 1, "host": 0})
    bed.shell("fs", "-rm", "-r", "-skipTrash", "/user/alice/.muster/store").expect()
    for copy in bed.folder.glob("nm*/local/usercache/alice/filecache/*"):
        shutil.rmtree(copy)  # A node fetches again what it no longer has.
    os.kill(processes_in(bed, "muster agent")[0], signal.SIGKILL)
    until(lambda: status_of(yarn).get("phase") == "ended", RUN_LIMIT,
          lambda: f"the job ends: {status_of(yarn)}")
    evidence = yarn.status()["outcome"]["first_cause"]["evidence"]
    assert "File does not exist: hdfs://" in evidence and "\n\tat " not in evidence, evidence
    expect_final(yarn, bed, yarn.job(), "FAILED")
    expect_all_over(yarn, bed)


def test_a_task_over_its_memory_is_told_with_the_numbers(yarn, bed):
    spec = yarn.spec({"command": "python3 -c 'x = bytearray(600 << 20); input()' < /dev/zero",
                      "restart": {"process": 0, "container": 0, "host": 0},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(1)
    assert "128" in done.err and "memory" in done.err, done.err


def is_lost(bed, name):
    """Returns whether the resource manager has given up a node manager."""
    nodes = bed.get("rm1.http", "/ws/v1/cluster/nodes?states=LOST")["nodes"] or {}
    place = f":{bed.port(f'{name}.rpc')}"
    return any(node["id"].endswith(place) for node in nodes.get("node", []))


def host_of_process(pid):
    """The node manager in whose folder a container's process is."""
    return re.search(r"/(nm\d)/", os.readlink(f"/proc/{pid}/cwd"))[1]


WAITS_ONCE = """
if [ $MUSTER_ATTEMPT -gt 1 ]; then echo "found $(cat $MUSTER_CHECKPOINT_DIR/state)"; exit 0; fi
echo one > $MUSTER_CHECKPOINT_DIR/state
muster-commit one && echo kept && exec sleep 1000
"""


def job_with_a_checkpoint(yarn, folder):
    """A job that waits with its checkpoint committed, and prints what it finds when it is
    restarted."""
    yarn.write("job.sh", WAITS_ONCE)
    spec = yarn.spec({"command": "sh job.sh", "files": ["job.sh"],
                      "checkpoint": {"to": f"hdfs:///user/alice/{folder}"},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    running = yarn.start("run", spec, "--on", "yarn")
    running.sees("kept", RUN_LIMIT)
    return running


def kill_all(pids):
    """Kills all processes; those that have already ended do not matter."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_a_master_that_dies_with_its_containers_goes_on_from_the_checkpoint(yarn, bed):
    running = job_with_a_checkpoint(yarn, "lost")
    # Such a cluster ends everything with the master; whichever is killed first, no program is left.
    kill_all(processes_in(bed, "./muster "))
    until(lambda: not processes_in(bed, "sleep 1000"), 60, "the containers end")
    done = running.wait(RUN_LIMIT).expect(0)
    assert done.lines("found one"), done.text


def test_all_hosts_are_taken_away_and_come_back(yarn, bed):
    running = job_with_a_checkpoint(yarn, "taken")
    excluded = bed.folder / "excluded-nodes"
    excluded.write_text("localhost\n")
    try:
        bed.shell("rmadmin", "-refreshNodes", "-g", "600", "-server").expect()
        until(lambda: "decommissioning" in yarn("show", "last").text, RUN_LIMIT, "it is told of")
        assert len(processes_in(bed, "sleep 1000")) == 1
        bed.shell("rmadmin", "-refreshNodes").expect()
        until(lambda: not any(bed.running(name) for name in bed.variant.names("nm")), RUN_LIMIT,
              "the node managers go")
        until(lambda: not processes_in(bed, "./muster "), RUN_LIMIT, "so do their containers")
    finally:
        excluded.write_text("")
        bed.shell("rmadmin", "-refreshNodes").expect()
    bed.restore()
    done = running.wait(RUN_LIMIT).expect(0)
    assert done.lines("found one"), done.text


def test_a_master_that_was_cut_off_leaves_the_job_to_its_successor(yarn, bed):
    running_job(yarn, tasks=1)
    wait_until_kept(yarn, bed, 2)
    (old,) = processes_in(bed, "muster master --on yarn")
    bed.freeze(host_of_process(old))
    os.kill(old, signal.SIGSTOP)
    # The resource manager gives up the silent node, and with it the master.
    until(lambda: status_of(yarn).get("epoch") == 2 and states_of(yarn) == ["active"], RUN_LIMIT,
          lambda: f"the next master is in charge: {status_of(yarn)}")
    os.kill(old, signal.SIGCONT)
    until(lambda: old not in processes_in(bed, "muster master"), RUN_LIMIT, "the old one goes")
    assert status_of(yarn)["epoch"] == 2
    bed.restore()
    until(lambda: states_of(yarn) == ["active"], RUN_LIMIT,
          lambda: f"the job runs on: {status_of(yarn)}")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    assert yarn.status()["outcome"]["result"] == "stopped"


def test_a_job_is_stopped_while_its_files_are_fetched(yarn, bed):
    words = b"The fields of " + str(yarn.home).encode()
    bed.shell("fs", "-put", "-f", "-", "/user/alice/holes", stdin=words).expect()

    def holds(path):
        with contextlib.suppress(FileNotFoundError):  # Blocks of other tests are being deleted.
            return path.suffix != ".meta" and path.read_bytes() == words
        return False

    def copies():
        return [path for path in bed.folder.glob("dn*/data/current/*/current/finalized/**/blk_*")
                if holds(path)]

    until(lambda: len(copies()) == 2, RUN_LIMIT, "both DataNodes have the file")
    for copy in copies():
        copy.unlink()  # Its readers look for it a while.
    spec = yarn.spec({"command": "true", "files": [{"src": "hdfs:///user/alice/holes", "as": "x"}],
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    running = yarn.start("run", spec, "--on", "yarn")
    fetching = rf"{number_of(running)}_01_000002 transitioned from NEW to LOCALIZING"
    until(lambda: any(re.search(fetching, bed.log(name)) for name in ("nm1", "nm2")), RUN_LIMIT,
          "its container fetches files")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    assert "stopped" in running.wait(RUN_LIMIT).expect(4).err
    assert yarn.status()["outcome"]["result"] == "stopped"
    expect_all_over(yarn, bed)


def number_of(running):
    """The part of the application's id that its containers have in their names."""
    return running.sees(r"application_(\d+_\d+)", RUN_LIMIT)[1]


def test_a_program_that_a_node_does_not_run_is_told(yarn, bed):
    running_job(yarn, memory="9g", restart={"process": 0, "container": 1, "host": 0})
    programs = [path for path in bed.folder.glob("nm*/local/usercache/alice/filecache/*/*")
                if path.stat().st_size > 1_000_000]
    assert len(programs) >= 2
    for program in programs:
        program.chmod(0o644)
    try:
        os.kill(processes_in(bed, "muster agent")[0], signal.SIGKILL)
        until(lambda: status_of(yarn).get("phase") == "ended", RUN_LIMIT,
              lambda: f"the job ends: {status_of(yarn)}")
    finally:
        for program in programs:
            program.chmod(0o755)
    evidence = yarn.status()["outcome"]["first_cause"]["evidence"]
    assert "/muster: Permission denied" in evidence, evidence
    expect_final(yarn, bed, yarn.job(), "FAILED")
    expect_all_over(yarn, bed)
