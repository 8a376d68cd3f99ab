"""muster notebook on each version of Hadoop."""
# bed: plain
# hadoop: each
# timeout: 600

from notebooks import expect_a_life
from yarn_jobs import expect_all_over


def test_a_notebook_outlives_its_master(yarn, bed, python):
    expect_a_life(yarn, bed, python)
    expect_all_over(yarn, bed)
