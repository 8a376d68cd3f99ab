"""Horovod's elastic mode with the state of PyTorch's models and optimizers, four ranks.
tools/pytest test/frameworks/test_horovod_torch.py"""

import elastic_torch
import pytest

LIMIT = 600


@pytest.mark.parametrize("victim", [2, 0], ids=["another rank", "rank 0"])
def test_four_ranks_go_on_without_one_and_take_in_its_replacement(muster, victim):
    spec = elastic_torch.spec_of(muster, victim)
    elastic_torch.expect_learned(muster("run", spec, within=LIMIT), victim)
