"""The exit status of the command line says whose move it is."""

import signal

ONCE = {"process": 0, "container": 0, "host": 0}


def test_success_is_0(muster):
    muster.run_shell("true").expect(0)


def test_a_failing_program_is_1_whatever_its_code(muster):
    for code in (1, 2, 3, 42, 137):
        muster.run_shell(f"exit {code}", restart=ONCE).expect(1)


def test_exit_code_from_a_role_passes_its_own_on(muster):
    path = muster.spec({"command": "exit 42", "tasks": 1, "restart": ONCE})
    muster("run", path, "--exit-code-from", "worker").expect(42)


def test_exit_code_from_an_unknown_role_is_2(muster):
    path = muster.spec({"command": "true", "tasks": 1})
    muster("run", path, "--exit-code-from", "nobody").expect_error(2, "nobody")
    assert muster.jobs() == []


def test_bad_usage_is_2(muster):
    muster("run").expect(2)
    muster("frobnicate").expect_error(2, "frobnicate")
    muster("run", "--no-such-flag").expect_error(2, "--no-such-flag")
    muster("run", "missing.yaml").expect_error(2, "missing.yaml")
    muster("run", muster.spec("roles: ["), "--on", "nowhere").expect(2)


def test_an_unknown_cluster_is_2(muster):
    muster("run", muster.spec({"command": "true", "tasks": 1}), "--on", "nowhere").expect_error(
        2, "nowhere")


def test_stopped_by_somebody_is_4(muster):
    running = muster.start("run", muster.spec({"command": "sleep 100", "tasks": 2}))
    muster.wait_for_phase("running")
    muster("stop", "last").expect(0)
    running.wait().expect(4)
    outcome = muster.status()["outcome"]
    assert (outcome["result"], outcome["exit_status"]) == ("stopped", 4)


def test_a_run_deadline_is_5(muster):
    done = muster.run_shell("sleep 100", deadlines={"run": "1s"})
    done.expect(5)
    assert done.lines(r"did not end within 1(\.0)? ?s")


def test_a_job_that_can_never_fit_is_6_with_the_numbers(muster):
    done = muster.run({"command": "true", "roles": {"worker": {"memory": "100000g"}}})
    done.expect(6)
    assert "worker" in done.err and "GiB" in done.err or "100000g" in done.err
    assert muster("ps", "--json").json()["jobs"] == []


def test_gpus_that_do_not_exist_are_6(muster):
    done = muster.run({"command": "true", "roles": {"worker": {"gpus": 64}}})
    done.expect(6)
    assert "64" in done.err and "gpu" in done.err.lower()


def test_more_vcores_than_cores_is_one_warning(muster):
    spec = {"command": "echo ran", "roles": {"worker": {"tasks": 2, "vcores": 500}}}
    done = muster.run(spec).expect(0)
    assert len(done.lines("(?i)warning.*vcores")) == 1
    muster.run({**spec, "local": {"strict_vcores": True}}).expect(6)


def test_detached_is_130(muster):
    running = muster.start("run", muster.spec({"command": "sleep 100", "tasks": 1}), terminal=True)
    muster.wait_for_phase("running")
    running.type(b"\x03")
    running.wait().expect(130)
    muster("stop", "last").expect(0)


def test_a_signal_is_reported_as_a_signal(muster):
    muster.run_shell("kill -SEGV $$", restart=ONCE).expect(1)
    cause = muster.status()["outcome"]["first_cause"]
    assert (cause["exit_code"], cause["signal"]) == (None, signal.SIGSEGV)
