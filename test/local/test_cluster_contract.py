"""The behaviours that every cluster owes, on this machine."""

import pytest
from cluster_contract import BEHAVIOURS
from harness import PATIENCE


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda one: one.__name__)
def test_a_job(behaviour, muster):
    behaviour(muster, "local", PATIENCE)
