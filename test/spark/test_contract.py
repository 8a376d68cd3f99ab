"""The behaviours that every cluster owes, on Spark: a driver's program starts its jobs, and the
command line asks about them.
"""
# timeout: 600
# application: clusters

import os
import sys
import threading
from pathlib import Path
from unittest import mock

import pytest
from cluster_bed import WAIT_SECONDS, home, sc, until  # noqa: F401 (fixtures)

import muster.spark
from muster.spark.errors import JobError

sys.path.insert(0, str(Path(__file__).parents[1] / "local"))

import harness  # noqa: E402
from cluster_contract import BEHAVIOURS, refuses_what_can_never_fit  # noqa: E402


class SparkMuster(harness.Muster):
    """The program in the driver's home; `sc` is the application that its jobs run in."""

    def __init__(self, folder, home, sc):  # noqa: F811
        super().__init__(folder)
        self.home = home
        self.environment["MUSTER_HOME"] = str(home)
        self.sc = sc
        self.programs = []

    def submit(self, command, on, within=WAIT_SECONDS):
        assert on == "spark"

        def work(arguments, ctx):
            os.execv("/bin/sh", ["sh", "-c", arguments])

        def drive():
            try:
                muster.spark.run(work, {"worker": 1}, command, sc=self.sc)
            except JobError:
                pass  # A test has stopped it.

        jobs = self.home / "jobs"
        before = set(jobs.iterdir()) if jobs.exists() else set()
        program = threading.Thread(target=drive)
        self.programs.append(program)

        def begun():
            new = set(jobs.glob("*")) - before
            return [one.name for one in new if (one / "master.json").exists()]

        # This process is the client, so settings in its environment apply to the job.
        settings = {name: value for name, value in self.environment.items()
                    if name.startswith("MUSTER_SET_")}
        with mock.patch.dict(os.environ, settings):
            program.start()
            return until(begun, "a job has begun")[0]

    def end(self):
        """Stops what still runs and waits for the programs."""
        for entry in self("ps", "--json").expect(0).json()["jobs"]:
            self("stop", entry["job"]).expect(0)
        for program in self.programs:
            program.join(WAIT_SECONDS)
            assert not program.is_alive()


@pytest.fixture
def spark(tmp_path, home, sc):  # noqa: F811
    program = SparkMuster(tmp_path, home, sc)
    yield program
    program.end()


# Only Spark knows which executors there will be, so nothing is refused beforehand.
OWED = [behaviour for behaviour in BEHAVIOURS if behaviour is not refuses_what_can_never_fit]


@pytest.mark.parametrize("behaviour", OWED, ids=lambda one: one.__name__)
def test_a_job(behaviour, spark):
    behaviour(spark, "spark", WAIT_SECONDS)
