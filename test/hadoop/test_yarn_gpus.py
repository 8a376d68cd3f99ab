"""YARN's GPUs and node labels, on nodes that find GPUs which do not really exist."""
# bed: yarn
# timeout: 600

import re

from yarn_jobs import RUN_LIMIT, application_of, job_of


def test_each_task_has_its_own_gpus_on_the_hosts_of_its_label(yarn_with_gpus, yarn_bed):
    yarn = yarn_with_gpus
    spec = yarn.spec({
        "command": 'echo "device $CUDA_VISIBLE_DEVICES of $(nvidia-smi -L | head -1)"',
        "roles": {"single": {"tasks": 2, "memory": "128m", "gpus": 1, "node_label": "gpu"},
                  "whole": {"tasks": 2, "tasks_per_container": 2, "memory": "128m", "gpus": 1,
                            "node_label": "gpu"}}})
    with yarn_bed.node_labels({"nm2": "gpu"}):
        done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    lines = done.lines(r"device \d+ of GPU 0: .*UUID: GPU-nm2-0")
    assert sorted(re.search(r"device (\d+)", line)[1] for line in lines) == ["0", "1", "2", "3"]


def spread_over(yarn, tasks, **role):
    """The hosts of workers that must not share one."""
    spec = yarn.spec({"command": "true", "roles": {
        "worker": {"tasks": tasks, "memory": "64m", "constraint": "notin,node,worker", **role}}})
    yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    return {task["host"] for task in yarn.status()["roles"]["worker"]["tasks"]}


def test_a_constraint_spreads_workers_also_over_the_hosts_of_a_label(yarn_with_gpus, yarn_bed):
    everywhere = spread_over(yarn_with_gpus, 3)
    assert len(everywhere) == 3
    with yarn_bed.node_labels({"nm2": "gpu", "nm3": "gpu"}):
        labelled = spread_over(yarn_with_gpus, 2, node_label="gpu")
    assert labelled == {f"localhost:{yarn_bed.port(name + '.rpc')}" for name in ("nm2", "nm3")}


def test_the_label_of_the_job_is_that_of_roles_without_their_own(yarn_with_gpus, yarn_bed):
    """And of the master."""
    spec = yarn_with_gpus.spec({"command": "true", "yarn": {"node_label": "gpu"},
                                "roles": {"worker": {"tasks": 2, "memory": "64m"}}})
    with yarn_bed.node_labels({"nm2": "gpu"}):
        done = yarn_with_gpus("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
        application = application_of(yarn_with_gpus, yarn_bed, job_of(done))["id"]
        attempts = yarn_bed.get(f"{yarn_bed.the_active('rm')}.http",
                                f"/ws/v1/cluster/apps/{application}/appattempts")
    (master,) = attempts["appAttempts"]["appAttempt"]
    place = f"localhost:{yarn_bed.port('nm2.rpc')}"
    workers = yarn_with_gpus.status()["roles"]["worker"]["tasks"]
    assert {task["host"] for task in workers} == {place}
    assert master["nodeId"] == place


def test_a_label_that_the_queue_may_not_use_is_refused(yarn_with_gpus, yarn_bed):
    with yarn_bed.node_labels({"nm2": "gpu"}):
        refused = yarn_with_gpus("run", "-n", "1", "--set", "roles.worker.node_label=gpu", "--set",
                                 "yarn.queue=other", "--on", "yarn", "--", "true")
    refused.expect_error(6, "the queue other may not use the node label gpu")
