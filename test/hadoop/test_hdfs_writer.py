"""HDFS files that stay open: what readers see after each flush, writers that die, leases."""
# bed: plain
# hadoop: each
# timeout: 600

import os
import pathlib
import subprocess

import pytest

MB = 1 << 20
PROBE = pathlib.Path(os.environ["MUSTER_BINARY"]).parent / "hdfs_probe"


class Probe:
    """A writer (hdfs_probe/) that does what it is told."""

    def __init__(self, bed, path):
        self.process = subprocess.Popen(
            [PROBE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"PATH": "/usr/bin:/bin", "HADOOP_CONF_DIR": str(bed.conf)})

    def __call__(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self):
        self.process.kill()
        self.end()

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


@pytest.fixture
def probes(bed):
    """`probes(path)` starts a writer of a path; all end with the test."""
    started = []

    def start(path):
        started.append(Probe(bed, path))
        return started[-1]

    yield start
    for probe in started:
        if probe.process.poll() is None:
            probe.kill()


def content(size):
    return bytes(place % 251 for place in range(size))


def test_flushed_bytes_are_seen_by_ours_and_by_hadoops_readers(bed, probes, hdfs_folder):
    path = f"{hdfs_folder}/log"
    writer, reader = probes(path), probes(path)
    size = 0
    for more in (1, 100, 411, 512, 70_000, MB, 3):
        size += more
        assert writer(f"write {more}") == f"wrote {size}"
        assert writer("flush") == f"flushed {size}"
        assert reader("read") == f"read {size}"
        assert bed.shell("fs", "-cat", path).expect().raw == content(size)
    assert writer("close") == f"closed {size}"
    assert bed.shell("fs", "-cat", path).expect().raw == content(size)


@pytest.mark.parametrize("victim", ["dn1", "dn2"])
def test_a_datanode_that_dies_between_flushes_is_left(bed, probes, hdfs_folder, victim):
    path = f"{hdfs_folder}/log"
    writer = probes(path)
    writer("write 100000")
    assert writer("flush") == "flushed 100000"
    bed.kill(victim)
    assert writer("write 100000") == "wrote 200000"
    assert writer("flush") == "flushed 200000"
    assert writer("close") == "closed 200000"
    assert bed.shell("fs", "-cat", path).expect().raw == content(200000)


def test_a_writer_whose_file_is_removed_is_told(bed, probes, hdfs_folder):
    path = f"{hdfs_folder}/log"
    writer = probes(path)
    writer("write 1000")
    assert writer("flush") == "flushed 1000"
    bed.shell("fs", "-rm", path).expect()
    writer("write 1000")
    said = writer("close")
    assert said.startswith("error: ") and path in said
    assert "does not have any open files" in said
