"""`muster fs` while DataNodes and NameNodes die, are slow, damaged or in safe mode."""
# bed: plain
# hadoop: each
# timeout: 900

import contextlib
import glob
import os
import pathlib

import pytest
from slow_source import SlowSource

MB = 1 << 20


@pytest.fixture
def fs(muster, bed):
    muster.use(bed)

    def run(*words, **options):
        return muster("fs", *words, **{"within": 120, **options})

    return run


@pytest.fixture
def stored(fs, muster, hdfs_folder):
    """A file of several blocks, here and in HDFS: its data and its path there."""
    data = os.urandom(6 * MB)
    (muster.folder / "data").write_bytes(data)
    fs("mkdir", "-p", hdfs_folder).expect(0)
    fs("put", muster.folder / "data", f"{hdfs_folder}/data").expect(0)
    return data, f"{hdfs_folder}/data"


@pytest.mark.parametrize("victim", ["dn1", "dn2"])
def test_a_dead_datanode_is_passed_over(fs, bed, muster, stored, victim):
    data, path = stored
    bed.kill(victim)
    fs("get", path, muster.folder / victim).expect(0)
    assert (muster.folder / victim).read_bytes() == data


@pytest.mark.parametrize("victim", ["dn1", "dn2"])
def test_a_datanode_that_dies_during_put_is_replaced(bed, fs, muster, hdfs_folder, victim):
    """In the middle of a block: the fifo holds back 10.5 MB until the node is dead."""
    fs("mkdir", "-p", hdfs_folder).expect(0)
    data = os.urandom(21 * MB)
    source = SlowSource(muster.folder / "pipe", data, lambda: bed.kill(victim))
    with source.open() as pipe:
        put = muster.start("fs", "put", "-", f"{hdfs_folder}/data", stdin=pipe)
    put.wait(180).expect(0)
    source.end()
    assert bed.shell("fs", "-cat", f"{hdfs_folder}/data").expect().raw == data


def test_a_damaged_replica_is_noticed(bed, fs, muster, stored):
    """All replicas of one node are damaged on its disk; those of the other are read."""
    data, path = stored
    blocks = []
    # A block may be moved meanwhile, where a pathlib's glob would fail.
    for name in glob.glob(f"{bed.folder}/**/dn1/**/blk_*", recursive=True):
        with contextlib.suppress(FileNotFoundError):
            if not name.endswith(".meta") and pathlib.Path(name).stat().st_size == MB:
                blocks.append(pathlib.Path(name))
    assert blocks
    for block in blocks:
        with block.open("r+b") as file:
            file.seek(1000)
            byte = file.read(1)
            file.seek(1000)
            file.write(bytes([byte[0] ^ 1]))
    for number in range(4):
        fs("get", "-f", path, muster.folder / f"copy{number}").expect(0)
        assert (muster.folder / f"copy{number}").read_bytes() == data


def test_a_frozen_datanode_is_given_up(bed, fs, muster, stored):
    data, path = stored
    conf = bed.client_conf({"hdfs-site": {"dfs.client.socket-timeout": 2000}})
    bed.freeze("dn1")
    fs("get", "--conf", conf, path, muster.folder / "copy").expect(0)
    assert (muster.folder / "copy").read_bytes() == data


def test_safe_mode_is_waited_for(bed, fs, muster, hdfs_folder):
    bed.shell("dfsadmin", "-safemode", "enter").expect()
    waiting = muster.start("fs", "mkdir", "-p", hdfs_folder, terminal=True)
    waiting.sees("safe mode", 60)
    bed.shell("dfsadmin", "-safemode", "leave").expect()
    waiting.wait(60).expect(0)


def test_a_namenode_that_is_away_is_named_and_one_that_came_back_is_used(bed, fs, stored):
    data, path = stored
    bed.kill("nn1")
    fs("ls", path).expect_error(6, "Connection refused", "given up after 5 attempts")
    bed.restart("nn1")
    assert f"{len(data)}" in fs("ls", path).expect(0).out
