"""Jobs on a cluster that runs the Fair Scheduler."""
# bed: plain
# timeout: 600

import pytest
from waiting import until
from yarn_jobs import RUN_LIMIT, expect_final, job_of

FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"
QUEUES = """<?xml version="1.0"?>
<allocations>
  <queue name="tiny"><maxResources>2500 mb, 3 vcores</maxResources></queue>
</allocations>
"""


@pytest.fixture
def fair(yarn, bed):
    """The program on a bed whose resource manager runs the Fair Scheduler."""
    queues = str(yarn.write("fair-scheduler.xml", QUEUES))
    with bed.configured({"yarn-site": {
            "yarn.resourcemanager.scheduler.class": FAIR,
            "yarn.scheduler.fair.allocation.file": queues,
            # Only the Capacity Scheduler has this.
            "yarn.resourcemanager.scheduler.monitor.enable": "false"}}, restart=["rm1"]):
        yield yarn


def test_jobs_run_and_wait_for_reasons_that_are_told(fair, bed):
    done = fair("run", "-n", "2", "--set", "roles.worker.memory=128m", "--set",
                "roles.worker.gpus=1", "--on", "yarn", "--", "echo", "fair enough",
                within=RUN_LIMIT).expect(0)
    assert done.out.count("fair enough") == 2
    expect_final(fair, bed, job_of(done), "SUCCEEDED")

    # The master and one task take 2048 MB: memory is granted in steps of 1024.
    fair("submit", "-n", "2", "--set", "roles.worker.memory=128m", "--set", "yarn.queue=tiny",
         "--on", "yarn", "--", "true", within=RUN_LIMIT).expect(0)

    def told():
        why = fair("why", "last", within=RUN_LIMIT)
        return why.code == 0 and "more than what is left" in why.out and why.out

    why = until(told, RUN_LIMIT, "the queue's limit is told")
    assert "queue root.tiny may use 2500 MB and 3 vcores in total" in why, why
    assert "a container of 1024 MB" in why, why
    fair("stop", "last", within=RUN_LIMIT).expect(0)

    single = ("-n", "1", "--on", "yarn", "--set")
    fair("run", *single, "roles.worker.node_label=gpu", "--", "true").expect_error(
        6, "the cluster runs the Fair Scheduler, which has no node labels")
    fair("run", *single, "roles.worker.constraint=notin,node,worker", "--", "true").expect_error(
        6, "the cluster's Fair Scheduler does not accept placement constraints",
        "placement-processor")
