"""A job on YARN as a run on a real MLflow server, which the next master continues; Hadoop's
versions do not differ in this."""
# bed: yarn
# timeout: 600

import os
import signal

import harness
import pytest
from test_mlflow import TRAIN, Server, ended, items, run_of
from yarn_jobs import RUN_LIMIT, application_of, processes_in


@pytest.fixture
def bed(yarn_bed):
    """Not the plain bed, for which most files wait (cmake/programs.cmake)."""
    return yarn_bed


def test_a_job_on_yarn_is_a_run(yarn, bed, tmp_path):
    gate, server = harness.Gate(tmp_path / "gate"), Server(tmp_path)
    yarn.write("train.py", TRAIN)
    spec = yarn.spec({"command": f"python3 train.py {gate.path} --epochs 5", "files": ["train.py"],
                      "name": "digits", "roles": {"worker": {"tasks": 2, "memory": "128m"}}})
    try:
        server.start()
        # Only the client has them; the master in its container learns them from the job.
        running = yarn.start("run", spec, "--on", "yarn", env={
            "MLFLOW_TRACKING_URI": server.uri, "MLFLOW_EXPERIMENT_NAME": "yarn"})
        before = run_of(server, "yarn", lambda run: run["data"].get("metrics"))
        assert before["info"]["status"] == "RUNNING"
        (master,) = processes_in(bed, "muster master")
        os.kill(master, signal.SIGKILL)
        told = items(before["data"]["tags"])["muster.logged_until"]
        after = run_of(server, "yarn",
                       lambda run: items(run["data"]["tags"])["muster.logged_until"] > told)
        assert after["info"]["run_id"] == before["info"]["run_id"]
        gate.open()
        running.wait(RUN_LIMIT).expect(0)
        run = run_of(server, "yarn", ended)
        params, tags = items(run["data"]["params"]), items(run["data"]["tags"])
        assert (run["info"]["status"], tags["muster.result"]) == ("FINISHED", "succeeded")
        assert (params["epochs"], params["roles.worker.tasks"]) == ("5", "2")
        assert run["info"]["run_name"] == tags["muster.job"] == yarn.job()
        loss = server.history(run, "loss")
        steps, times = ([point[name] for point in loss] for name in ("step", "timestamp"))
        assert len(set(times)) == len(times), "nothing was told twice"
        assert steps == sorted(steps) and steps[-1] >= 3
        assert all(abs(point["value"] - 1 / point["step"]) < 1e-9 for point in loss)
        application = application_of(yarn, bed, yarn.job())["id"]
        assert tags["muster.application_id"] == application
    finally:
        server.end()
