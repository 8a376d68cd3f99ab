"""What jobs learn about hosts is kept in HDFS for the user's later jobs."""
# bed: yarn
# timeout: 600

import json
import time

import pytest
from conftest import other_place
from yarn_jobs import RUN_LIMIT, job_of

KEPT = "/user/alice/.muster/hosts.jsonl"


@pytest.fixture
def elsewhere(tmp_path, yarn_bed):
    """The program as alice on another host, which has her Hadoop configuration and nothing else."""
    with other_place(tmp_path / "elsewhere", yarn_bed) as program:
        yield program


def run_noted(bed, program, spec):
    """Runs a job whose master writes what it found about hosts; returns the job's end and that. A
    master gives HDFS a second for it, so another job has to do where that was not enough."""
    for _ in range(3):
        before = len(noted(bed))
        ended = program.run(spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
        if added := noted(bed)[before:]:
            [line] = added
            assert line["job"] == job_of(ended)
            return ended, line
    raise AssertionError("no master has written what it found")


def noted(bed):
    return [json.loads(line) for line in bed.shell("fs", "-cat", KEPT).out.splitlines()]


def hosts_of(yarn):
    return {task["host"] for task in yarn.status()["roles"]["worker"]["tasks"]}


def test_hosts_that_harmed_jobs_are_kept_in_hdfs_and_avoided(yarn_with_gpus, yarn_bed, elsewhere):
    """The program blames the place where it runs first, and succeeds on another host."""
    yarn = yarn_with_gpus
    spec = {"command": "[ $MUSTER_ATTEMPT != 1 ] || exit 9", "name": "blames",
            "rules": [{"match": {"exit_code": 9}, "class": "place.broken", "retry": "elsewhere"}],
            "restart": {"host": 2, "backoff": "10ms..10ms"},
            "roles": {"worker": {"tasks": 1, "memory": "128m"}}}
    quiet = {**spec, "command": "true", "roles": {"worker": {"tasks": 3, "memory": "128m"}}}
    yarn_bed.shell("fs", "-rm", "-f", KEPT)
    _, line = run_noted(yarn_bed, yarn, quiet)
    assert noted(yarn_bed) == [line]
    assert yarn_bed.shell("fs", "-stat", "%a %u", KEPT).out.split() == ["600", "alice"]
    _, line = run_noted(yarn_bed, yarn, spec)
    [blamed] = [host["host"] for host in line["hosts"] if host["failures"]]
    # It harmed another job, too, which was also on others: one in three of them may be avoided.
    line = {"job": "earlier-abc123", "at_us": int(time.time() * 1e6), "hosts": [
        {"host": blamed, "failures": 1, "class": "place.broken"},
        {"host": "gone-1:45454"}, {"host": "gone-2:45454"}]}
    lines = yarn_bed.shell("fs", "-cat", KEPT).out + json.dumps(line) + "\n"
    local = yarn.write("hosts.jsonl", lines)
    yarn_bed.shell("fs", "-put", "-f", str(local), KEPT)
    for where, words in ((yarn, ()), (elsewhere, ("--on", "yarn"))):
        rows = where("hosts", "--json", *words, within=RUN_LIMIT).expect(0).json()
        assert [row["host"] for row in rows["harmful"]] == [blamed]
    # Any of its jobs avoids it, from any host.
    told = f"hosts: avoiding {blamed}, which caused trouble for earlier jobs: 2 failures (place."
    ended, _ = run_noted(yarn_bed, elsewhere, quiet)
    assert told in ended.err and blamed not in hosts_of(elsewhere)
    run_noted(yarn_bed, yarn, {**quiet, "hosts": {"remembered": False, "avoid": []}})
