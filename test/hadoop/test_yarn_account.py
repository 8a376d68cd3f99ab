"""The account of jobs on YARN, and sums over them, on the client's host and on others."""
# bed: plain
# timeout: 900

import pytest
from yarn_jobs import RUN_LIMIT


def test_a_job_on_yarn_is_accounted_for_from_any_host(yarn, elsewhere):
    spec = yarn.spec({"command": "echo go; sleep 2", "name": "counted",
                      "roles": {"worker": {"tasks": 2, "memory": "256m"}}})
    yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    job = yarn.job()
    accounts = [where("eff", job, "--json", *words, within=RUN_LIMIT).expect(0).json()
                for where, words in ((yarn, ()), (elsewhere, ("--on", "yarn")))]
    for account in accounts:
        assert account["phase"] == "succeeded" and account["containers"] == 2
        assert sum(account["classes"].values()) == pytest.approx(account["granted_s"], rel=0.01)
        assert account["classes"]["productive"] >= 3
        assert account["classes"]["gathering"] > 0 and account["queued_s"] > 0
        assert account["roles"]["worker"]["requested"]["memory_bytes"] == 256 << 20
        assert account["roles"]["worker"]["used"]["memory_bytes"] > 0
    assert accounts[0]["granted_s"] == accounts[1]["granted_s"]
    for words in ((), ("--on", "yarn")):
        rows = yarn("usage", "--by", "queue", "--json", *words, within=RUN_LIMIT).expect(0).json()
        # Other tests on this cluster use other queues.
        granted_s = sum(row["granted_s"] for row in rows["rows"] if row["key"].startswith("yarn/"))
        assert granted_s >= accounts[0]["granted_s"] - 0.01
    hosts = yarn("hosts", "--json", within=RUN_LIMIT).expect(0).json()["hosts"]
    assert hosts and all(row["failures"] == 0 for row in hosts)
