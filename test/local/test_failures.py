# timeout: 600
"""Processes, agents, hosts and masters that die, and what happens then."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time

import harness
import pytest

QUICK = {"backoff": "10ms..50ms"}

# Prints its attempt and generation, leaves its process id in a file, and waits for the gate.
MEMBER = """
import os, pathlib, sys, time
role, index = os.environ["MUSTER_ROLE"], os.environ["MUSTER_INDEX"]
attempt, generation = os.environ["MUSTER_ATTEMPT"], os.environ["MUSTER_GENERATION"]
folder = pathlib.Path(sys.argv[1])
print("attempt", attempt, "generation", generation, flush=True)
part = folder / f".{role}-{index}.{attempt}"
part.write_text(str(os.getpid()))
part.rename(folder / f"{role}-{index}.{attempt}")
while not (folder / "gate").exists():
    time.sleep(0.02)
"""


def is_child(pid, parent):
    """Whether the process is a descendant of the other."""
    while pid > 1:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        pid = int(stat.rsplit(")", 1)[1].split()[1])
        if pid == parent:
            return True
    return False


class Gang:
    """A running job of MEMBER programs."""

    def __init__(self, muster, gate, **spec):
        self.muster, self.gate = muster, gate
        muster.write("member.py", MEMBER)
        spec = {"command": f"exec python3 member.py {muster.folder}", "files": ["member.py"],
                "restart": QUICK, **spec}
        self.running = muster.start("run", muster.spec(spec))

    def pid(self, task, attempt=1, within=harness.PATIENCE):
        path = self.muster.folder / f"{task.replace(':', '-')}.{attempt}"
        harness.eventually(path.exists, within, f"{path.name}; output:\n{self.running.text}")
        return int(path.read_text())

    def finish(self, code=0):
        self.gate.open()
        return self.running.wait().expect(code)

    def task(self, role, index):
        tasks = self.muster.status()["roles"][role]["tasks"]
        return next(task for task in tasks if task["index"] == index)


def test_a_killed_task_restarts_alone(muster, gate):
    gang = Gang(muster, gate, tasks=2)
    other = gang.pid("worker:1")
    os.kill(gang.pid("worker:0"), signal.SIGKILL)
    gang.pid("worker:0", attempt=2)
    os.kill(other, 0)
    done = gang.finish()
    assert (gang.task("worker", 0)["attempts"], gang.task("worker", 1)["attempts"]) == (2, 1)
    assert done.lines("worker:0.*(SIGKILL|signal 9)")


def test_a_killed_rank_restarts_the_whole_gang(muster, gate):
    gang = Gang(muster, gate, framework="pytorch", tasks=3)
    for rank in (0, 1):
        gang.pid(f"worker:{rank}")
    os.kill(gang.pid("worker:2"), signal.SIGKILL)
    for rank in range(3):
        gang.pid(f"worker:{rank}", attempt=2)
    gang.finish()
    assert muster.status()["generation"] == 2
    for rank in range(3):
        assert muster.log_text(f"worker:{rank}", attempt=2) == "attempt 2 generation 2\n"


def test_a_worker_of_a_parameter_server_job_rejoins(muster, gate):
    gang = Gang(muster, gate, framework="tensorflow",
                roles={"chief": {}, "worker": {"tasks": 2}, "ps": {}})
    before = {task: gang.pid(task) for task in ("chief:0", "worker:1", "ps:0")}
    os.kill(gang.pid("worker:0"), signal.SIGKILL)
    gang.pid("worker:0", attempt=2)
    for pid in before.values():
        os.kill(pid, 0)
    gang.finish()
    assert gang.task("ps", 0)["attempts"] == 1


def test_restarts_are_bounded(muster):
    done = muster.run_shell("echo try $MUSTER_ATTEMPT; exit 9", restart={
        "process": 2, "container": 0, "host": 0, "backoff": "1ms..2ms"}).expect(1)
    assert len(done.lines(r"^try \d$")) == 3
    assert muster.status()["roles"]["worker"]["tasks"][0]["attempts"] == 3


def test_the_ladder_climbs_from_process_to_container_to_host(muster):
    done = muster.run_shell("echo try $MUSTER_ATTEMPT; exit 9", local={"hosts": 2}, restart={
        "process": 1, "container": 1, "host": 1, "backoff": "1ms..2ms"}).expect(1)
    assert len(done.lines(r"^try \d$")) == 4
    shown = muster("show", "last").expect(0).out
    assert "h1" in shown and "h2" in shown


def test_a_killed_agent_brings_a_new_container(muster, gate):
    gang = Gang(muster, gate, tasks=1)
    first = gang.pid("worker:0")
    (agent,) = muster.pids("agent")
    os.kill(agent, signal.SIGKILL)
    gang.pid("worker:0", attempt=2)
    assert not os.path.exists(f"/proc/{first}") or first not in muster.processes()
    assert muster.pids("agent") != [agent]
    gang.finish()
    assert gang.task("worker", 0)["attempts"] == 2


@pytest.mark.parametrize("which", ["stub", "keeper"])
def test_a_killed_keeper_ends_its_container(muster, gate, which):
    """Either the process that the cluster started, or its child, which keeps the container
    clean."""
    gang = Gang(muster, gate, tasks=1)
    first = gang.pid("worker:0")
    stub, keeper = muster.pids("keeper")
    os.kill(stub if which == "stub" else keeper, signal.SIGKILL)
    gang.pid("worker:0", attempt=2)
    assert first not in muster.processes()
    gang.finish()


def test_a_rule_for_the_clusters_code_decides(muster, gate):
    """On this machine the code is the exit status of the container's first process."""
    gang = Gang(muster, gate, tasks=1, rules=[
        {"match": {"cluster_code": "137"}, "class": "container.reclaimed", "retry": "no"}])
    gang.pid("worker:0")
    stub, _ = muster.pids("keeper")
    os.kill(stub, signal.SIGKILL)
    gang.running.wait().expect(3)
    outcome = muster.status()["outcome"]
    assert outcome["class"] == "container.reclaimed", outcome


def test_a_killed_master_costs_no_task(muster, gate):
    gang = Gang(muster, gate, tasks=3)
    before = [gang.pid(f"worker:{index}") for index in range(3)]
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    harness.eventually(lambda: muster.pids("master") not in ([], [master]))
    for pid in before:
        os.kill(pid, 0)
    harness.eventually(lambda: muster.status()["phase"] == "running")
    gang.finish()
    assert all(gang.task("worker", index)["attempts"] == 1 for index in range(3))


def test_a_task_that_ends_while_there_is_no_master_is_counted(muster, gate):
    gang = Gang(muster, gate, tasks=2)
    gang.pid("worker:0"), gang.pid("worker:1")
    (master,) = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    gang.finish()
    assert muster.status()["outcome"]["result"] == "succeeded"


def test_master_and_agent_killed_together(muster, gate):
    gang = Gang(muster, gate, tasks=2)
    gang.pid("worker:0"), gang.pid("worker:1")
    (master,) = muster.pids("master")
    agent = muster.pids("agent")[0]
    os.kill(master, signal.SIGKILL)
    os.kill(agent, signal.SIGKILL)
    harness.eventually(lambda: any((muster.folder / f"worker-{i}.2").exists() for i in (0, 1)))
    gang.finish()


def test_everything_killed_at_once_leaves_nothing_and_status_still_answers(muster, gate):
    gang = Gang(muster, gate, tasks=2)
    gang.pid("worker:0"), gang.pid("worker:1")
    # All are frozen before the first is killed, because an agent that saw its master go would start
    # another.
    frozen = {gang.running.pid}
    while new := set(muster.processes()) - frozen:
        for pid in new:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        frozen |= new
    for pid in frozen - {gang.running.pid}:
        with contextlib.suppress(ProcessLookupError):  # Some end together with those killed before.
            os.kill(pid, signal.SIGKILL)
    gang.running.wait()
    muster.expect_nothing_left()
    assert muster.status()["job"] == muster.job()
    assert muster("ps", "--json").expect(0).json()["jobs"] == []


def test_a_stopped_agent_is_suspected_then_lost(muster, gate):
    gang = Gang(muster, gate, tasks=1, liveness={"beat": "100ms", "suspect": "1s", "lost": "5s"})
    gang.pid("worker:0")
    (agent,) = muster.pids("agent")
    os.kill(agent, signal.SIGSTOP)
    gang.pid("worker:0", attempt=2)
    gang.finish()


def test_a_short_stop_of_an_agent_costs_nothing(muster, gate):
    gang = Gang(muster, gate, tasks=1)
    gang.pid("worker:0")
    (agent,) = muster.pids("agent")
    os.kill(agent, signal.SIGSTOP)
    time.sleep(4)  # lint: allow(sleep) the silence itself is what is tested
    os.kill(agent, signal.SIGCONT)
    gang.finish()
    assert gang.task("worker", 0)["attempts"] == 1


def test_an_agent_that_slept_through_a_takeover_does_no_harm(muster, gate):
    """The old master's agent wakes up after a new master has replaced its task."""
    gang = Gang(muster, gate, tasks=2, liveness={"beat": "200ms", "suspect": "2s", "lost": "8s"})
    first = gang.pid("worker:1")
    gang.pid("worker:0")
    (agent,) = [pid for pid in muster.pids("agent") if is_child(first, pid)]
    os.kill(agent, signal.SIGSTOP)
    os.kill(muster.pids("master")[0], signal.SIGKILL)
    gang.pid("worker:1", attempt=2)
    with contextlib.suppress(ProcessLookupError):
        os.kill(agent, signal.SIGCONT)
    gang.finish()
    assert gang.task("worker", 0)["attempts"] == 1
    assert gang.task("worker", 1)["attempts"] == 2


def hanging_tar(muster, when):
    """Puts a `tar` first on PATH that hangs while `when` holds; returns the environment for it."""
    muster.write("bin/tar", f"#!/bin/sh\nif {when}; then exec sleep 1000; fi\n"
                 "exec /bin/tar \"$@\"\n", 0o755)
    muster.write("data/rows.txt", "1\n")
    subprocess.run(["/bin/tar", "-C", "data", "-cf", "data.tar", "rows.txt"], cwd=muster.folder,
                   check=True)
    return {"PATH": f"{muster.folder}/bin:/usr/bin:/bin"}


def test_a_container_that_never_joins_is_given_up_after_the_deadline(muster):
    env = hanging_tar(muster, "true")
    done = muster.run({"command": "true", "tasks": 1, "files": ["data.tar"],
                       "deadlines": {"join": "1s"},
                       "restart": {"process": 0, "container": 0, "host": 0, "infrastructure": 0}},
                      env=env)
    done.expect(5)
    assert done.lines(r"last words +not joined within 1\.0 s"), done.text


def test_a_container_that_never_joins_is_replaced(muster):
    mark = muster.folder / "hung"
    env = hanging_tar(muster, f"mkdir {mark} 2>/dev/null")
    done = muster.run({"command": "cat data/rows.txt", "tasks": 1,
                       "files": [{"src": "data.tar", "as": "data"}],
                       "deadlines": {"join": "5s"}, "restart": QUICK}, env=env).expect(0)
    assert done.lines(r"^1$") and mark.exists()
    assert done.lines(r"worker:0 restarts in a new container .*: not joined within 5\.0 s")


def test_a_failing_host_is_avoided(muster):
    """A task that fails until it is on another virtual host succeeds there."""
    command = 'if [ -e "$0.seen" ]; then echo moved; else touch "$0.seen"; exit 9; fi'
    done = muster.run_shell(f"sh -c '{command}' {muster.folder}/mark", local={"hosts": 2}, restart={
        "process": 0, "container": 0, "host": 1, "backoff": "1ms..2ms"}).expect(0)
    assert done.lines("moved")
    assert muster.status()["roles"]["worker"]["tasks"][0]["attempts"] == 2


def test_the_culprit_is_named_and_not_its_victims(muster):
    """Three ranks end with "connection reset" before the fourth, whose fault it is, ends."""
    muster.write("rank.py", """
import os, sys, time
if os.environ["RANK"] == "2":
    time.sleep(0.5)
    raise ValueError("a bad row in part 17")
time.sleep(0.2)
raise RuntimeError("[gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:4242")
""")
    done = muster.run({"framework": "pytorch", "command": "exec python3 rank.py", "tasks": 4,
                       "files": ["rank.py"], "restart": {"process": 0, "container": 0, "host": 0}})
    done.expect(1)
    cause = muster.status()["outcome"]["first_cause"]
    assert cause["task"] == "worker:2"
    assert "ValueError: a bad row in part 17" in cause["evidence"]
    tail = "\n".join(done.text.splitlines()[-20:])
    assert "worker:2" in tail and "a bad row in part 17" in tail


def test_a_rank_that_left_well_before_its_peers_is_named(muster):
    """One had fewer rows, and the others lose their connection to it: nobody failed first."""
    muster.write("rank.py", """
import os, sys, time
left = os.path.join(sys.argv[1], "left")
if os.environ["RANK"] == "2":
    while not all(os.path.exists(f"{left}.{rank}") for rank in (0, 1, 3)):
        time.sleep(0.01)
    with open(left + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(left + ".new", left)
    sys.exit(0)
open(left + "." + os.environ["RANK"], "x").close()
while not os.path.exists(left):
    time.sleep(0.01)
while os.path.exists("/proc/" + open(left).read()):
    time.sleep(0.01)
raise RuntimeError("[gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:4242")
""")
    done = muster.run({"framework": "pytorch", "command": f"exec python3 rank.py {muster.folder}",
                       "tasks": 4, "files": ["rank.py"],
                       "restart": {"process": 0, "container": 0, "host": 0}})
    done.expect(1)
    outcome = muster.status()["outcome"]
    assert outcome["class"] == "peer.lost"
    assert re.search(r"; worker:2 left (\d+\.\d s earlier )?with exit code 0, before its peers "
                     "were done$", outcome["first_cause"]["hint"])
    assert "worker:2 left" in "\n".join(done.text.splitlines()[-20:])
    assert "worker:2 left" in muster("why", muster.job()).expect(0).out


def test_a_rule_of_the_user_comes_first(muster):
    done = muster.run_shell("echo try $MUSTER_ATTEMPT; exit 42", rules=[
        {"match": {"exit_code": 42}, "class": "user.data", "retry": "no"}]).expect(1)
    assert len(done.lines(r"^try \d$")) == 1
    assert muster.status()["outcome"]["class"] == "user.data"


def test_a_tolerated_role_may_fail(muster):
    muster.run({"restart": {"process": 0, "container": 0, "host": 0}, "roles": {
        "worker": {"command": "sleep 0.5"},
        "extra": {"command": "exit 3", "failure": "ignored", "success": "ignored"}}}).expect(0)
    assert muster.status()["outcome"]["result"] == "succeeded"


def test_a_role_that_ends_the_job_stops_the_others(muster):
    muster.run({"roles": {
        "chief": {"command": "echo chief done", "success": "ends_job"},
        "server": {"command": "sleep 1000", "success": "ignored"}}}).expect(0)
    assert muster.status()["roles"]["server"]["tasks"][0]["state"] == "stopped"


def test_a_role_waits_for_another(muster):
    done = muster.run({"roles": {
        "train": {"command": "cat $MUSTER_CHECKPOINT_DIR/made", "after": ["prepare"]},
        "prepare": {"command": "sleep 0.3; echo prepared > $MUSTER_CHECKPOINT_DIR/made"}}})
    assert done.expect(0).lines(r"^(train:0 \| )?prepared$")
