"""What a site forbids: each way into running tasks, for queues and roles."""

import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")

VERBS = {
    "exec": lambda job: ("exec", job, "worker:0", "--", "true"),
    "cp": lambda job: ("cp", f"{job}:worker:0:/etc/hostname", "copy"),
    "forward": lambda job: ("forward", job, "worker:0", "0:80"),
    "debug": lambda job: ("debug", job, "worker:0"),
    "notebook": lambda job: ("notebook", job),
}


@pytest.fixture
def job(muster):
    path = muster.spec({"command": "exec sleep 1000", "roles": {"worker": {"tasks": 1},
                                                                "ps": {"tasks": 1}},
                        "yarn": {"queue": "prod"}})
    muster("submit", path).expect(0)
    muster.wait_for_phase("running")
    return muster.job()


@pytest.mark.parametrize("verb", VERBS)
def test_a_site_forbids_ways_into_tasks(muster, site, job, verb):
    text = f"forbidden:\n  - {{verbs: [{verb}], why: ask ops@example.org}}\n"
    done = site(text, *VERBS[verb](job))
    done.expect_error(2, f"the site forbids {verb}", "/etc/muster/site.yaml:2:5",
                      "ask ops@example.org")
    assert not (muster.folder / "copy").exists()
    # The others are not forbidden, and none of this is a session.
    assert "session-opened" not in muster("show", job, "--json").expect(0).out
    other = "exec" if verb != "exec" else "cp"
    site(text, *VERBS[other](job)).expect(0)


def test_a_rule_is_for_its_queues_and_roles(site, job):
    def may(rule, *words):
        return site(f"forbidden: [{rule}]\n", *words)

    command = ("exec", job, "ps:0", "--", "true")
    may("{roles: [worker]}", *command).expect(0)
    may("{queues: [research]}", *command).expect(0)
    may("{roles: [ps], queues: [research]}", *command).expect(0)
    may("{roles: [ps], queues: [prod, research]}", *command).expect_error(
        2, "the site forbids exec for tasks of ps in the queues prod, research",
        "/etc/muster/site.yaml:1:13")
    may("{roles: [ps]}", "exec", job, "worker", "ps", "--", "true").expect_error(2, "tasks of ps")
    may("{}", *command).expect_error(2, "the site forbids exec: ")
    # A proxy to all hosts reaches tasks of every role.
    may("{verbs: [forward], roles: [ps]}", "forward", job, "--socks", "0").expect_error(
        2, "the site forbids forward for tasks of ps")
    may("{verbs: [debug]}", "stacks", job).expect_error(2, "the site forbids debug")


@pytest.mark.parametrize("verb", ["shell", "exec", "cp", "forward"])
def test_ssh_is_as_much_as_each_of_four_ways(muster, site, job, verb):
    """Also for somebody who was let in before there was a rule."""
    muster("ssh-config", job).expect(0)
    text = f"forbidden: [{{verbs: [{verb}], roles: [ps], why: ask ops}}]\n"
    for refused in (("ssh-config", job), ("ssh-proxy", job, "ps:0")):
        site(text, *refused).expect_error(2, f"the site forbids {verb} for tasks of ps",
                                          "/etc/muster/site.yaml:1:13", "ask ops")
    assert "muster-sshd" not in muster("show", job, "--json").expect(0).out
    site(text, "ssh-config", job, "worker").expect(0)


def test_a_new_notebook_is_refused_before_anything_is_made(muster, site):
    # The local side of what is asked for exists.
    muster.write("modules/jupyter_server/__init__.py", "")
    muster.environment["PYTHONPATH"] = str(muster.folder / "modules")
    site("forbidden: [{verbs: [notebook]}]\n", "notebook").expect_error(
        2, "the site forbids notebook", "/etc/muster/site.yaml:1:13")
    assert muster.jobs() == []


def test_a_rule_that_cannot_be_read_is_an_error(site, job):
    site("forbidden: [{verb: [exec]}]\n", "exec", job, "--", "true").expect_error(
        2, "/etc/muster/site.yaml:1:14", "did you mean `verbs`")
