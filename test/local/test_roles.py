"""Which failures end the job: `failure` of a role, and the keys that overrule it."""

import pytest

# Index 0 is the chief and fails if the spec says so; the others likewise.
FAILS = {"chief": "test $MUSTER_INDEX != 0", "other": "test $MUSTER_INDEX = 0"}


@pytest.mark.parametrize("key, failing, result", [
    ({}, "chief", 0),
    ({}, "other", 0),
    ({"chief_failure_fails_job": True}, "chief", 1),
    ({"chief_failure_fails_job": True}, "other", 0),
    ({"stop_on_first_failure": True}, "other", 1),
])
def test_tolerated_failures_end_the_job_where_a_key_says_so(muster, key, failing, result):
    path = muster.spec({
        "command": FAILS[failing], "restart": {"process": 0, "container": 0, "host": 0}, **key,
        "roles": {"worker": {"tasks": 2, "failure": "tolerated"}}})
    muster("run", path).expect(result)


def test_an_ignored_role_ends_the_job_with_stop_on_first_failure(muster, gate):
    roles = {"worker": {"tasks": 1, "command": f"while ! [ -e {gate.path} ]; do sleep 0.05; done"},
             "logger": {"tasks": 1, "command": "false", "success": "ignored",
                        "failure": "ignored"}}
    path = muster.spec({"stop_on_first_failure": True, "roles": roles,
                        "restart": {"process": 0, "container": 0, "host": 0}})
    done = muster("run", path).expect(1)
    assert "logger:0" in done.text
