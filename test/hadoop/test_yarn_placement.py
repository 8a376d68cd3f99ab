"""Where a job's containers may run, and in what: constraints, Docker."""
# bed: plain
# timeout: 600

import os
import pathlib
import re
import signal
import urllib.request

import harness
from waiting import until
from yarn_jobs import RUN_LIMIT, application_of, processes_in, running_job, status_of

# What Docker and Podman leave at the root of a container. If the whole bed runs in one, none of its
# containers can tell that this is not its own.
MARKS = (pathlib.Path("/.dockerenv"), pathlib.Path("/run/.containerenv"))


def hosts_of(yarn):
    roles = until(lambda: status_of(yarn).get("roles"), 60, "the job's master answers")
    return {name: [task["host"] for task in role["tasks"]] for name, role in roles.items()}


def is_of(pid, role):
    try:
        variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return f"MUSTER_ROLE={role}".encode() in variables.split(b"\0")


def task_processes(bed, role):
    """Pids of the processes that sleep for this role."""
    return [pid for pid in processes_in(bed, "sleep 1000") if is_of(pid, role)]


def test_roles_run_beside_and_away_from_others_also_after_a_loss(yarn, bed):
    spec = yarn.spec({"command": "exec sleep 1000", "roles": {
        "ps": {"tasks": 1, "memory": "64m"},
        "plain": {"tasks": 1, "memory": "64m"},
        "near": {"tasks": 1, "memory": "64m", "constraint": "in,node,ps"},
        "far": {"tasks": 1, "memory": "64m", "allocation_tags": ["away"],
                "constraint": "and(notin,node,ps:cardinality,node,away,0,1)"}}})
    yarn("submit", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    until(lambda: status_of(yarn).get("phase") == "running"
          and len(processes_in(bed, "sleep 1000")) == 4, RUN_LIMIT, "all run")

    def well_placed():
        hosts = hosts_of(yarn)
        return hosts["near"] == hosts["ps"] and hosts["far"] != hosts["ps"]

    assert well_placed(), hosts_of(yarn)
    (task,) = task_processes(bed, "near")
    os.kill(harness.parent_of(task), signal.SIGKILL)

    def whole_again():
        tasks = status_of(yarn).get("roles", {}).get("near", {}).get("tasks", [])
        now = task_processes(bed, "near")
        return tasks and tasks[0]["attempts"] == 2 and now and now != [task]

    until(whole_again, RUN_LIMIT, "the lost container is replaced")
    assert well_placed(), hosts_of(yarn)
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    until(lambda: not processes_in(bed, "sleep 1000"), 60, "nothing is left")


def test_what_a_constraint_keeps_waiting_is_told_and_can_be_stopped(yarn):
    spec = yarn.spec({"command": "true", "roles": {
        "worker": {"tasks": 3, "memory": "64m", "constraint": "notin,node,worker"}}})
    yarn("submit", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)

    def told():
        why = yarn("why", "last", within=RUN_LIMIT)
        return why.code == 0 and "loosen the role's `constraint`" in why.out and why.out

    def spread():
        hosts = [host for host in hosts_of(yarn)["worker"] if host]
        return len(set(hosts)) == len(hosts) == 2

    until(spread, RUN_LIMIT, "each host has a worker")
    assert "notin,node,worker" in until(told, RUN_LIMIT, "the constraint is named")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    assert yarn.status()["outcome"]["result"] == "stopped"


def test_a_wrong_constraint_is_refused_with_its_place(yarn):
    for constraint, words in (("notin,host,worker", "column 7: the scope must be `node` or `rack`"),
                              ("in,node,ps", "no role of this job has the tag ps")):
        refused = yarn("run", "-n", "1", "--set", f"roles.worker.constraint={constraint}", "--on",
                       "yarn", "--", "true")
        refused.expect_error(2, "roles.worker.constraint: ", words)
    assert yarn.jobs() == []


def test_docker_is_asked_for_and_a_node_without_it_is_an_error(yarn):
    spec = yarn.spec({
        "command": "env | grep ^YARN_CONTAINER_RUNTIME_ | sort", "restart": {"infrastructure": 0},
        "roles": {"worker": {"tasks": 1, "memory": "64m", "restart": {"container": 0, "host": 0},
                             "docker": {"image": "hub.example:5000/ml/tf:2",
                                        "mounts": ["/data:/data:ro", "/scratch:/tmp/s"]}}}})
    done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT)
    if any(mark.exists() for mark in MARKS):
        done.expect(0)
        seen = [line.split("| ", 1)[-1] for line in done.lines("YARN_CONTAINER_RUNTIME_")]
        assert seen == ["YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK=host",
                        "YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=hub.example:5000/ml/tf:2",
                        "YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS=/data:/data:ro,/scratch:/tmp/s:rw",
                        "YARN_CONTAINER_RUNTIME_TYPE=docker"], done.out
    else:
        assert done.code != 0
        assert "outside of Docker, without the image hub.example:5000/ml/tf:2" in done.err
        assert "yarn.nodemanager.runtime.linux.allowed-runtimes" in done.err


def satisfied(bed, application):
    """How many of an attempt's containers were on the host they were requested for, in its rack, or
    elsewhere, according to the resource manager's page about the attempt."""
    attempt = application.replace("application", "appattempt") + "_000001"
    active = bed.the_active("rm")
    place = f"http://localhost:{bed.port(active + '.http')}/cluster/appattempt/{attempt}"
    with urllib.request.urlopen(place, timeout=60) as reply:
        page = reply.read().decode()
    rows = re.findall(r"Num (?:Node Local|Rack Local|Off Switch) Containers(.*?)</tr>", page,
                      re.DOTALL)
    return [sum(int(number) for number in re.findall(r">\s*(\d+)\s*<", row)) for row in rows]


def test_workers_are_asked_for_by_host_and_spread_evenly(yarn, bed):
    """Containers requested for any host are granted one by one, with each report of a node."""
    # The master asks for any host after two reports without a grant: here not for 30 s.
    yarn.environment["HADOOP_CONF_DIR"] = str(bed.client_conf({"yarn-site": {
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": 15000}}))
    running_job(yarn, tasks=6, memory="32m")
    hosts = hosts_of(yarn)["worker"]
    counts = sorted(hosts.count(host) for host in set(hosts))
    assert len(counts) == 2 and counts[1] - counts[0] <= 1, hosts
    application = application_of(yarn, bed, yarn.job())["id"]
    near, _, elsewhere = satisfied(bed, application)
    assert near == 6 and elsewhere == 1, "the master alone was asked for anywhere"
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
