"""Jobs as TonY's users have them: the table tony_jobs.toml, on this machine."""

import harness
import pytest
from tony_jobs import TonyJob, all_jobs

JOBS = [job for job in all_jobs() if not job.get("yarn_only")]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job["name"])
def test_a_job_of_tony(muster, job):
    TonyJob(muster, job, "local").run(harness.PATIENCE)
