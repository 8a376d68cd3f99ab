"""Jobs on a cluster that keeps no container beyond its master, so that the next master has none."""
# bed: plain
# hadoop: each
# timeout: 600

import os
import signal

from test_yarn_failures import job_with_a_checkpoint
from waiting import until
from yarn_jobs import RUN_LIMIT, processes_in

FORGETS = {"yarn-site": {"yarn.resourcemanager.work-preserving-recovery.enabled": "false"}}


def test_a_job_goes_on_from_its_checkpoint_where_the_cluster_keeps_no_container(yarn, bed):
    # That is the client's configuration: it asks to keep none, and the resource manager itself ends
    # them all.
    yarn.environment["HADOOP_CONF_DIR"] = str(bed.client_conf(FORGETS))
    # Nor is it a fault of the task.
    for rung in ("PROCESS", "CONTAINER", "HOST"):
        yarn.environment[f"MUSTER_SET_RESTART__{rung}"] = "0"
    running = job_with_a_checkpoint(yarn, "forgotten")
    (master,) = processes_in(bed, "muster master --on yarn")
    # The checkpoint may be stored before the shell has become the program that sleeps.
    (task,) = until(lambda: processes_in(bed, "sleep 1000"), RUN_LIMIT, "the task sleeps")
    os.kill(master, signal.SIGKILL)
    until(lambda: task not in processes_in(bed, "sleep 1000"), RUN_LIMIT, "the container is ended")
    done = running.wait(RUN_LIMIT).expect(0)
    assert done.lines("found one"), done.text
    shown = yarn("show", "last").expect(0).out
    assert "the cluster did not keep it when the master ended" in shown, shown
