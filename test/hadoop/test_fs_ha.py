"""`muster fs` while one NameNode of a pair takes over from the other."""
# bed: ha
# hadoop: each
# timeout: 900

import os

import pytest
from slow_source import SlowSource

MB = 1 << 20


@pytest.fixture
def fs(muster, ha_bed):
    muster.use(ha_bed)

    def run(*words, **options):
        return muster("fs", *words, **{"within": 180, **options})

    return run


def other(name):
    return {"nn1": "nn2", "nn2": "nn1"}[name]


@pytest.mark.parametrize("death", ["none", "killed", "frozen"])
def test_a_put_goes_on_with_the_namenode_that_takes_over(fs, ha_bed, muster, hdfs_folder, death):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    old = ha_bed.the_active("nn")

    def take_over():
        if death == "killed":
            ha_bed.kill(old)
        if death == "frozen":
            ha_bed.freeze(old)
        ha_bed.activate(other(old))

    data = os.urandom(9 * MB)
    source = SlowSource(muster.folder / "pipe", data, take_over)
    with source.open() as pipe:
        put = muster.start("fs", "put", "-", f"{hdfs_folder}/data", stdin=pipe)
    put.wait(240).expect(0)
    source.end()
    ha_bed.restore()
    assert ha_bed.shell("fs", "-cat", f"{hdfs_folder}/data").expect().raw == data
    assert len(fs("ls", hdfs_folder).expect(0).out.splitlines()) == 2


def test_the_active_namenode_is_found_from_its_name_service(fs, ha_bed, muster, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    (muster.folder / "x").write_text("x")
    for name in ("nn2", "nn1"):
        ha_bed.activate(name)
        fs("put", "-f", muster.folder / "x", f"hdfs://bed{hdfs_folder}/x").expect(0)
        assert fs("cat", f"{hdfs_folder}/x").expect(0).out == "x"


def test_a_standby_alone_is_told(fs, ha_bed):
    active = ha_bed.the_active("nn")
    ha_bed.shell("haadmin", "-transitionToStandby", active).expect()
    try:
        conf = ha_bed.client_conf({"hdfs-site": {"dfs.client.failover.max.attempts": 3}})
        fs("ls", "--conf", conf, "/").expect_error(6, "standby", "NameNode")
    finally:
        ha_bed.activate(active)
