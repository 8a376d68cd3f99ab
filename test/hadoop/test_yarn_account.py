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


def test_a_file_that_changes_with_each_submission_is_named(yarn):
    spec = yarn.spec({"command": "test -s big.txt -a -s same.txt", "name": "changing",
                      "files": ["big.txt", "same.txt"],
                      "roles": {"worker": {"tasks": 1, "memory": "256m"}}})
    yarn.write("same.txt", "s" * (2 << 20))
    for number in range(3):
        yarn.write("big.txt", f"{number}" * (2 << 20))
        yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    advice = yarn("advise", "last", "--json").expect(0).json()["advice"]
    rules = {row["rule"]: row for row in advice}
    assert "big.txt (2 MiB)" in rules["staging.again"]["evidence"], rules
    assert rules["staging.again"]["numbers"]["uploads"] == 3
    assert "same.txt" not in rules["staging.again"]["evidence"]
    # The same content once more: it was not new in each.
    yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    again = yarn("advise", "last", "--json").expect(0).json()["advice"]
    assert "staging.again" not in {row["rule"] for row in again}
