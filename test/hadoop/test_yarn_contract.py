"""The behaviours that every cluster owes, on YARN."""
# bed: plain
# timeout: 900

import pytest
from cluster_contract import BEHAVIOURS
from yarn_jobs import RUN_LIMIT


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda one: one.__name__)
def test_a_job(behaviour, yarn):
    behaviour(yarn, "yarn", RUN_LIMIT)
