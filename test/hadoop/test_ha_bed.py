"""The bed with pairs of NameNodes and ResourceManagers: fail-over keeps files and containers."""
# bed: ha

import pytest


def put(bed, folder, text):
    bed.shell("fs", "-mkdir", "-p", folder).expect()
    bed.shell("fs", "-put", "-", f"{folder}/data", stdin=text).expect()


@pytest.mark.parametrize("death", ["none", "killed", "frozen"])
def test_the_other_namenode_takes_over(ha_bed, hdfs_folder, death):
    put(ha_bed, hdfs_folder, b"before")
    old = ha_bed.the_active("nn")
    new = {"nn1": "nn2", "nn2": "nn1"}[old]
    if death == "killed":
        ha_bed.kill(old)
    if death == "frozen":
        ha_bed.freeze(old)
    ha_bed.activate(new)
    assert ha_bed.the_active("nn") == new
    assert ha_bed.shell("fs", "-cat", f"{hdfs_folder}/data").expect().out == "before"
    ha_bed.restore()
    assert ha_bed.the_active("nn") == new


def test_containers_outlive_a_resourcemanager(ha_bed, sleeper):
    old = ha_bed.the_active("rm")
    new = {"rm1": "rm2", "rm2": "rm1"}[old]
    containers = sleeper(ha_bed)
    ha_bed.kill(old)
    ha_bed.activate(new)
    assert ha_bed.the_active("rm") == new
    ha_bed.restore()
    assert sleeper.pids(ha_bed) == containers
