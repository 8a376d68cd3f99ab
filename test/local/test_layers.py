"""Where values come from: site file, configuration, environment, spec, --set; later wins."""

import pytest


def test_each_layer_beats_the_one_before(muster):
    muster.home.mkdir()
    (muster.home / "config.yaml").write_text(
        "defaults: {env: {A: config, B: config, C: config, D: config}}\n")
    path = muster.spec({"command": "echo $A $B $C $D", "tasks": 1, "env": {"C": "spec",
                                                                          "D": "spec"}})
    done = muster("run", path, "--set", "env.D=set", env={"MUSTER_SET_ENV__B": "variable"})
    assert done.expect(0).lines(r"^config variable spec set$")


def test_roles_of_the_environment_need_not_exist(muster):
    path = muster.spec({"command": "echo hi", "tasks": 1})
    muster("run", path, env={"MUSTER_SET_ROLES__WORKER__TASKS": "2"}).expect(0)
    assert muster.log_text("worker:0") == "hi\n"


def test_a_site_has_defaults(muster, site):
    path = muster.spec({"command": "echo from $PLACE", "tasks": 1})
    assert site("defaults: {env: {PLACE: site}}\n", "run", path).expect(0).lines("from site$")


def test_a_site_has_limits(muster, site):
    path = muster.spec({"command": "true", "tasks": 5})
    site("limits: {tasks: 3}\n", "run", path).expect_error(2, "5", "this site allows at most 3")
    assert muster.jobs() == []


def test_a_site_enforces(muster, site):
    path = muster.spec({"command": "true", "tasks": 1, "logs": {"keep": 7}})
    done = site("enforced: {logs: {keep: 3}}\n", "run", path).expect(0)
    assert done.lines("warning: logs.keep is 3 on this site")


def test_a_broken_site_file_is_named(muster, site):
    path = muster.spec({"command": "true", "tasks": 1})
    site("limtis: {}\n", "run", path).expect_error(2, "/etc/muster/site.yaml:1:1", "limits")


@pytest.mark.parametrize(("limits", "role", "words"), [
    ("memory: 1g", {"memory": "2g"}, ("2g", "1g")),
    ("vcores: 2", {"vcores": 3}, ("3", "2")),
    ("gpus: 0", {"gpus": 1}, ("1", "0")),
    ("total_memory: 3g", {"tasks": 2, "memory": "2g"}, ("4g", "3g")),
    ("total_vcores: 3", {"tasks": 2, "vcores": 2}, ("4", "3")),
    ("total_gpus: 1", {"tasks": 2, "gpus": 1}, ("2", "1")),
], ids=lambda one: one.split(":")[0] if isinstance(one, str) else "")
def test_a_site_limits_what_tasks_and_jobs_take(muster, site, limits, role, words):
    path = muster.spec({"command": "true", "roles": {"worker": role}})
    site("limits: {" + limits + "}\n", "run", path).expect_error(2, "this site allows", *words)
    assert muster.jobs() == []


@pytest.mark.parametrize(("run", "words"), [
    (None, ("deadlines.run is none", "at most 1h")), ("2h", ("2h", "this site allows at most 1h")),
    ("30m", ())], ids=str)
def test_a_site_limits_how_long_jobs_run(muster, site, run, words):
    deadlines = {"deadlines": {"run": run}} if run else {}
    path = muster.spec({"command": "true", "tasks": 1, **deadlines})
    done = site("limits: {run: 1h}\n", "run", path)
    if words:
        done.expect_error(2, *words)
    else:
        done.expect(0)
