"""A job on Spark's executors as a run on a real MLflow server."""
# timeout: 600
# application: clusters

import sys
from pathlib import Path

from cluster_bed import home, sc  # noqa: F401 (fixtures)

import muster.spark

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "local"), str(TESTS / "web")]

from test_mlflow import Server, ended, items, run_of  # noqa: E402


def test_a_job_on_spark_is_a_run(sc, home, tmp_path, monkeypatch):  # noqa: F811
    def work(args, ctx):
        import json
        import os
        import socket
        import time

        report = socket.socket(socket.AF_UNIX)
        report.connect(os.environ["MUSTER_REPORT"])
        for step in range(1, 6):
            report.sendall(json.dumps({"step": step, "loss": 1 / step}).encode() + b"\n")
            time.sleep(1)  # lint: allow(sleep) a program that trains
        return ctx.task_index

    server = Server(tmp_path)
    try:
        server.start()
        # Only the driver has them.
        monkeypatch.setenv("MLFLOW_TRACKING_URI", server.uri)
        monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "spark")
        assert muster.spark.run(work, {"worker": 2}, sc=sc)["worker"] == [0, 1]
        run = run_of(server, "spark", ended)
        tags = items(run["data"]["tags"])
        assert (run["info"]["status"], tags["muster.result"]) == ("FINISHED", "succeeded")
        assert [point["step"] for point in server.history(run, "loss")][-1] == 5
        assert items(run["data"]["params"])["roles.worker.tasks"] == "2"
    finally:
        server.end()
