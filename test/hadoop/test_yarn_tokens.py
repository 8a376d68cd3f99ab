"""An application master's token is replaced by the resource manager while it is in use."""
# bed: plain
# hadoop: each
# timeout: 600

import os
import signal

from probing import Probe, until
from yarn_jobs import RUN_LIMIT, attempts_of, processes_in, running_job

# The interval must be more than three times the expiry; a new key counts after one and a half.
EXPIRY_S = 16
ROLLS = {"yarn-site": {
    "yarn.am.liveness-monitor.expiry-interval-ms": EXPIRY_S * 1000,
    "yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs": 3 * EXPIRY_S + 2}}


def test_a_rolled_token_is_taken_over(yarn, bed):
    with bed.configured(ROLLS, restart=["rm1"]):
        running_job(yarn)
        probe = Probe(bed)
        probe.become_unmanaged()
        until(lambda: probe("beat")["rolled"], 120)
        # The old key is no longer valid once heartbeats bring no new token.
        until(lambda: not probe("beat")["rolled"], 120)
        bed.kill("rm1")
        bed.run("rm1")
        until(lambda: probe("beat")["resynced"], 120)
        assert probe.granted(allocation=1)
        probe("finish")
        probe.end()
        # So has the job's master; its connection is up again, with tokens for the nodes.
        os.kill(processes_in(bed, "muster agent")[0], signal.SIGKILL)
        until(lambda: attempts_of(yarn) == [1, 2] and len(processes_in(bed, "sleep 1000")) == 2,
              RUN_LIMIT)
        assert yarn.status()["epoch"] == 1
        yarn("stop", "last", within=RUN_LIMIT).expect(0)
