"""Horovod's elastic mode on YARN: a rank dies in its container; the others continue without it and
take in its replacement. The packages are large, so this is no part of `make test`: tools/pytest
test/hadoop/frameworks"""

import pathlib
import sys

import pytest
from yarn_jobs import expect_final

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "frameworks"))

import elastic_torch  # noqa: E402: found by the line above

LIMIT = 600


@pytest.mark.parametrize("victim", [2, 0], ids=["another rank", "rank 0"])
def test_four_ranks_go_on_without_one_and_take_in_its_replacement(yarn, bed, victim):
    spec = elastic_torch.spec_of(yarn, victim)
    elastic_torch.expect_learned(yarn("run", spec, "--on", "yarn", within=LIMIT), victim)
    expect_final(yarn, bed, yarn.job(), "SUCCEEDED")
