"""What the cluster does to a running job, on real daemons."""
# bed: plain
# hadoop: newest
# timeout: 900

import contextlib
import os
import signal

from waiting import until
from yarn_jobs import RUN_LIMIT, expect_final, processes_in, running_job, status_of


def attempts_of(yarn):
    tasks = status_of(yarn).get("roles", {}).get("worker", {}).get("tasks", [])
    return sorted(task["attempts"] for task in tasks)


def test_a_job_outlives_restarts_of_the_clusters_daemons(yarn, bed):
    running_job(yarn)
    tasks = sorted(processes_in(bed, "sleep 1000"))
    bed.restart("rm1", "nm1", number=signal.SIGKILL)
    assert sorted(processes_in(bed, "sleep 1000")) == tasks
    # The line to the resource manager is up again: it gives a container, and hears of the end.
    os.kill(processes_in(bed, "muster agent")[0], signal.SIGKILL)
    until(lambda: attempts_of(yarn) == [1, 2] and len(processes_in(bed, "sleep 1000")) == 2,
          RUN_LIMIT, lambda: f"the container is replaced: {status_of(yarn)}")
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    expect_final(yarn, bed, yarn.job(), "KILLED")


def test_a_task_over_its_memory_is_told_with_the_numbers(yarn, bed):
    spec = yarn.spec({"command": "python3 -c 'x = bytearray(600 << 20); input()' < /dev/zero",
                      "restart": {"process": 0, "container": 0, "host": 0},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(1)
    assert "128" in done.err and "memory" in done.err, done.err


WAITS_ONCE = """
if [ $MUSTER_ATTEMPT -gt 1 ]; then echo "found $(cat $MUSTER_CHECKPOINT_DIR/state)"; exit 0; fi
echo one > $MUSTER_CHECKPOINT_DIR/state
muster-commit one && echo kept && exec sleep 1000
"""


def test_a_master_that_dies_with_its_containers_goes_on_from_the_checkpoint(yarn, bed):
    yarn.write("job.sh", WAITS_ONCE)
    spec = yarn.spec({"command": "sh job.sh", "files": ["job.sh"],
                      "checkpoint": {"to": "hdfs:///user/alice/lost"},
                      "roles": {"worker": {"tasks": 1, "memory": "128m"}}})
    running = yarn.start("run", spec, "--on", "yarn")
    running.sees("kept", RUN_LIMIT)
    (master,) = processes_in(bed, "muster master --on yarn")
    os.kill(master, signal.SIGKILL)
    for pid in processes_in(bed, "muster keeper"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    until(lambda: not processes_in(bed, "sleep 1000"), 60, "the containers end")
    done = running.wait(RUN_LIMIT).expect(0)
    assert done.lines("found one"), done.text
