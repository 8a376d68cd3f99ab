"""YARN with two resource managers, of which the active one goes away while calls are under way."""
# bed: ha
# hadoop: each
# timeout: 600

import os
import signal

import pytest
from probing import Probe, until
from yarn_jobs import RUN_LIMIT, attempts_of, expect_final, processes_in, running_job


@pytest.fixture
def master(ha_bed):
    probe = Probe(ha_bed)
    yield probe.become_unmanaged()
    probe.kill_all()
    probe.end()


def test_a_killed_resource_manager_is_replaced_under_a_running_application(ha_bed, master):
    running = master.granted(allocation=1)[0]["id"]
    master("start", container=running, commands=["sleep 1000"])
    master("ask", allocation=2)
    old = ha_bed.the_active("rm")
    ha_bed.kill(old)
    # Asked while nobody is there.
    master.begin("beat", within_ms=120000)
    ha_bed.activate({"rm1": "rm2", "rm2": "rm1"}[old])
    answers = [master.answer()]

    def beat():
        answers.append(master("beat"))
        return any(answer["granted"] for answer in answers)

    until(beat, 120)
    assert any(answer["resynced"] for answer in answers)
    assert master("status", container=running)["state"] == "running"
    assert master("report")["state"] == "running"
    master("finish")


def test_a_job_goes_on_with_the_resource_manager_that_takes_over(yarn_with_pairs, ha_bed):
    yarn = yarn_with_pairs
    running_job(yarn)
    tasks = sorted(processes_in(ha_bed, "sleep 1000"))
    old = ha_bed.the_active("rm")
    ha_bed.kill(old)
    ha_bed.activate({"rm1": "rm2", "rm2": "rm1"}[old])
    assert sorted(processes_in(ha_bed, "sleep 1000")) == tasks
    # The new one learns of ended containers and grants new ones.
    os.kill(processes_in(ha_bed, "muster agent")[0], signal.SIGKILL)
    until(lambda: attempts_of(yarn) == [1, 2] and len(processes_in(ha_bed, "sleep 1000")) == 2,
          RUN_LIMIT)
    assert yarn.status()["epoch"] == 1
    yarn("stop", "last", within=RUN_LIMIT).expect(0)
    expect_final(yarn, ha_bed, yarn.job(), "KILLED")


@pytest.mark.parametrize("call", ["beat", "submit"])
def test_a_call_that_a_frozen_resource_manager_never_answers_goes_to_the_other(
        ha_bed, master, call):
    old = ha_bed.the_active("rm")
    ha_bed.freeze(old)
    master.begin(call, within_ms=150000, **({"unmanaged": True} if call == "submit" else {}))
    # Kills the frozen one, which breaks the connection.
    ha_bed.activate({"rm1": "rm2", "rm2": "rm1"}[old])
    assert "error" not in master.answer()


def test_the_standbys_pages_lead_to_the_active_one(ha_bed, master):
    def shown():
        return {queue["path"] for queue in master("rest_queues")["queues"]}

    assert "root.default" in shown()
    old = ha_bed.the_active("rm")
    ha_bed.activate({"rm1": "rm2", "rm2": "rm1"}[old])
    assert "root.default" in shown()
    ha_bed.activate(old)
    assert "root.default" in shown()
