"""What jobs learn about hosts is kept in HDFS for the user's later jobs."""
# bed: yarn
# timeout: 600

import json
import time

import pytest
from conftest import other_place
from yarn_jobs import RUN_LIMIT


@pytest.fixture
def elsewhere(tmp_path, yarn_bed):
    """The program as alice on another host, which has her Hadoop configuration and nothing else."""
    with other_place(tmp_path / "elsewhere", yarn_bed) as program:
        yield program


def hosts_of(yarn):
    return {task["host"] for task in yarn.status()["roles"]["worker"]["tasks"]}


def test_hosts_that_harmed_jobs_are_kept_in_hdfs_and_avoided(yarn_with_gpus, yarn_bed, elsewhere):
    """The program blames the place where it runs first, and succeeds on another host."""
    yarn = yarn_with_gpus
    kept = "/user/alice/.muster/hosts.jsonl"
    spec = {"command": "[ $MUSTER_ATTEMPT != 1 ] || exit 9", "name": "blames",
            "rules": [{"match": {"exit_code": 9}, "class": "place.broken", "retry": "elsewhere"}],
            "restart": {"host": 2, "backoff": "10ms..10ms"},
            "roles": {"worker": {"tasks": 1, "memory": "128m"}}}
    quiet = {**spec, "command": "true", "roles": {"worker": {"tasks": 3, "memory": "128m"}}}
    yarn_bed.shell("fs", "-rm", "-f", kept)
    yarn.run(quiet, "--on", "yarn", within=RUN_LIMIT).expect(0)
    lines = yarn_bed.shell("fs", "-cat", kept).out.splitlines()
    assert [json.loads(line)["job"] for line in lines] == [yarn.job()]
    assert yarn_bed.shell("fs", "-stat", "%a %u", kept).out.split() == ["600", "alice"]
    yarn.run(spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    [blamed] = [host["host"] for host in json.loads(
        yarn_bed.shell("fs", "-cat", kept).out.splitlines()[-1])["hosts"] if host["failures"]]
    # It harmed another job, too, which was also on others: one in three of them may be avoided.
    line = {"job": "earlier-abc123", "at_us": int(time.time() * 1e6), "hosts": [
        {"host": blamed, "failures": 1, "class": "place.broken"},
        {"host": "gone-1:45454"}, {"host": "gone-2:45454"}]}
    lines = yarn_bed.shell("fs", "-cat", kept).out + json.dumps(line) + "\n"
    local = yarn.write("hosts.jsonl", lines)
    yarn_bed.shell("fs", "-put", "-f", str(local), kept)
    for where, words in ((yarn, ()), (elsewhere, ("--on", "yarn"))):
        rows = where("hosts", "--json", *words, within=RUN_LIMIT).expect(0).json()
        assert [row["host"] for row in rows["harmful"]] == [blamed]
    # Any of its jobs avoids it, from any host.
    told = f"hosts: not {blamed}, which harmed earlier jobs: 2 failures (place.broken"
    ended = elsewhere.run(quiet, "--on", "yarn", within=RUN_LIMIT).expect(0)
    assert told in ended.err and blamed not in hosts_of(elsewhere)
    yarn.run({**quiet, "hosts": {"remembered": False, "avoid": []}}, "--on", "yarn",
             within=RUN_LIMIT).expect(0)
    assert len(yarn_bed.shell("fs", "-cat", kept).out.splitlines()) == 5
