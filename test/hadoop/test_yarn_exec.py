"""muster exec and muster shell in containers of YARN."""
# bed: plain
# timeout: 900

import signal

from waiting import until
from yarn_jobs import RUN_LIMIT, application_of, expect_all_over, running_job, status_of


def test_commands_run_in_containers_as_their_tasks_do(yarn, bed):
    job = running_job(yarn)["job"]
    done = yarn("exec", job, "worker:1", "--", "sh", "-c",
                "echo $MUSTER_ROLE:$MUSTER_INDEX $CONTAINER_ID; pwd; cat; echo bad >&2; exit 5",
                within=RUN_LIMIT)
    assert done.code == 5, done.text
    first, folder = done.out.splitlines()
    assert first.startswith("worker:1 container_"), done.text
    assert application_of(yarn, bed, job)["id"] in folder, done.text
    assert done.err == "bad\n"

    both = yarn("exec", job, "worker", "--", "sh", "-c", "echo I am $MUSTER_INDEX",
                within=RUN_LIMIT).expect(0)
    assert both.lines("worker:0.*I am 0") and both.lines("worker:1.*I am 1")
    missing = yarn("exec", job, "--", "no-such-program", within=RUN_LIMIT)
    missing.expect_error(127, "no-such-program")

    shell = yarn.start("shell", job, "worker:0", terminal=True)
    shell.type(b"echo host=$MUSTER_INDEX; exit 3\n")
    shell.sees("host=0")
    shell.wait(RUN_LIMIT).expect(3)

    shown = yarn("show", job, within=RUN_LIMIT).expect(0).out
    assert "opened exec in worker:1 from" in shown
    assert "opened shell in worker:0" in shown

    yarn("stop", job, within=RUN_LIMIT).expect(0)
    expect_all_over(yarn, bed, job)


def test_a_session_ends_with_its_container(yarn, bed):
    job = running_job(yarn, tasks=1)["job"]
    running = yarn.start("exec", job, "--", "sh", "-c",
                         "trap '' HUP TERM; echo up; while :; do sleep 1; done")
    running.sees("up", RUN_LIMIT)
    yarn("stop", job, within=RUN_LIMIT).expect(0)
    assert running.wait(RUN_LIMIT).code in (3, 128 + signal.SIGKILL)
    until(lambda: status_of(yarn).get("phase") == "ended", 60, "the job has ended")
    yarn("exec", job, "--", "true", within=RUN_LIMIT).expect_error(6, "ended")
