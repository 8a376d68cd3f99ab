"""Jobs such as TonY's users have, on YARN: those in tony_jobs.toml that are marked for the gate or,
by hand, all of them with $MUSTER_TONY_JOBS=all."""
# bed: plain
# timeout: 600

import os

import pytest
from tony_jobs import TonyJob, all_jobs, unlike
from yarn_jobs import RUN_LIMIT, application_of

JOBS = [job for job in all_jobs() if job.get("yarn") or os.environ.get("MUSTER_TONY_JOBS") == "all"]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job["name"])
def test_a_job_of_tony(yarn, bed, job, hdfs_folder):
    path = f"/user/alice/{hdfs_folder.replace('/', '-')}"
    TonyJob(yarn, job, "yarn", path).run(RUN_LIMIT)
    if "application" in job:
        found = application_of(yarn, bed, yarn.job())
        shown = {name: found.get(name) for name in job["application"]}
        assert not unlike("application", shown, job["application"])
