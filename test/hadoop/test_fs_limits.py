"""`muster fs` at the limits: odd names, full disks, quotas, memory, what HDFS keeps otherwise."""
# bed: plain
# timeout: 900

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys

import harness
import pytest
from slow_source import SlowSource
from waiting import until

MB = 1 << 20

#: Prints the largest memory of a command in KiB. Between it and this process is a small one,
#: because a process begins with the memory of the one it was forked from.
MEASURE = """if True:
    import resource, subprocess, sys
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")


@pytest.fixture
def fs(muster, bed):
    muster.use(bed)

    def run(*words, **options):
        return muster("fs", *words, **{"within": 120, **options})

    return run


def test_names_of_every_legal_byte(fs, muster, hdfs_folder):
    """One name of every ASCII byte that HDFS keeps, and one of every length of UTF-8."""
    legal = bytes(byte for byte in range(1, 128) if byte not in b"/:").decode()
    names = [legal, "é☃𝄞", "%20", "a b", "-f", "._COPYING_", "*?[a]{b,c}\\"]
    folder = muster.folder / "odd"
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(name.encode())
    fs("mkdir", "-p", hdfs_folder).expect(0)
    fs("put", folder, hdfs_folder).expect(0)
    entries = json.loads(fs("ls", "--json", f"{hdfs_folder}/odd").expect(0).out)["entries"]
    assert sorted(entry["path"].rpartition("odd/")[2] for entry in entries) == sorted(names)
    fs("get", f"{hdfs_folder}/odd", muster.folder / "back").expect(0)
    for name in names:
        assert (muster.folder / "back" / name).read_bytes() == name.encode()
    out = fs("cat", hdfs_folder + "/odd/\\*\\?\\[a\\]\\{b,c\\}\\\\").expect(0).out
    assert out == "*?[a]{b,c}\\"


@pytest.mark.parametrize("name", [b"a:b", b"\xff\xfe"])
def test_names_that_hdfs_cannot_keep_are_refused(fs, muster, hdfs_folder, name):
    path = os.fsencode(muster.folder) + b"/" + name
    pathlib.Path(os.fsdecode(path)).write_text("x")
    fs("mkdir", "-p", hdfs_folder).expect(0)
    fs("put", os.fsdecode(path), hdfs_folder).expect_error(2, "HDFS")
    assert fs("ls", hdfs_folder).expect(0).out == "Found 0 items\n"


def test_quotas_are_told(bed, fs, muster, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    (muster.folder / "big").write_bytes(os.urandom(3 * MB))
    bed.shell("dfsadmin", "-setSpaceQuota", "1m", hdfs_folder).expect()
    fs("put", muster.folder / "big", f"{hdfs_folder}/big").expect_error(6, "space quota")
    bed.shell("dfsadmin", "-clrSpaceQuota", hdfs_folder).expect()
    assert fs("ls", hdfs_folder).expect(0).out == "Found 0 items\n"
    bed.shell("dfsadmin", "-setQuota", "1", hdfs_folder).expect()
    fs("mkdir", f"{hdfs_folder}/more").expect_error(6, "name quota")
    bed.shell("dfsadmin", "-clrQuota", hdfs_folder).expect()
    fs("mkdir", f"{hdfs_folder}/{'n' * 256}").expect_error(2, "shorter name")


def test_permission_denied_is_told(bed, fs, muster, hdfs_folder):
    fs("mkdir", "-p", f"{hdfs_folder}/closed").expect(0)
    bed.shell("fs", "-chmod", "700", f"{hdfs_folder}/closed").expect()
    (muster.folder / "x").write_text("x")
    muster.environment["HADOOP_USER_NAME"] = "mallory"
    for words in (("ls", f"{hdfs_folder}/closed"), ("cat", f"{hdfs_folder}/closed/x"),
                  ("put", muster.folder / "x", f"{hdfs_folder}/x"),
                  ("mkdir", f"{hdfs_folder}/mine"), ("rm", "-r", f"{hdfs_folder}/closed")):
        fs(*words).expect_error(2, "Permission denied", "mallory")


def test_datanodes_without_space_are_told(bed, fs, muster, hdfs_folder):
    (muster.folder / "x").write_text("x")
    fs("mkdir", "-p", hdfs_folder).expect(0)
    full = {"hdfs-site": {"dfs.datanode.du.reserved": 1 << 55}}
    with bed.configured(full, restart=["dn1", "dn2"]):
        fs("put", muster.folder / "x", f"{hdfs_folder}/x").expect_error(6, "no DataNode accepts")
        assert fs("ls", hdfs_folder).expect(0).out == "Found 0 items\n"


@root_only
def test_a_full_local_disk_is_told_and_nothing_is_left(fs, muster, hdfs_folder):
    (muster.folder / "big").write_bytes(os.urandom(3 * MB))
    fs("mkdir", "-p", hdfs_folder).expect(0)
    fs("put", muster.folder / "big", f"{hdfs_folder}/big").expect(0)
    small = muster.folder / "small"
    small.mkdir()
    script = (f"mount -t tmpfs -o size=1m none {small} && "
              f"{harness.BINARY} fs get {hdfs_folder}/big {small}/; "
              f"echo status $?; ls -A {small}")
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], env=muster.environment,
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "status 6\n", done.stderr
    assert "No space left on device" in done.stderr and str(small) in done.stderr


def test_memory_does_not_grow_with_a_file(fs, bed, muster, hdfs_folder):
    """At most 32 MB, whatever the size; make bench measures larger files."""
    with open(muster.folder / "large", "wb") as file:
        for _ in range(12):
            file.write(os.urandom(8 * MB))
    fs("mkdir", "-p", hdfs_folder).expect(0)
    for words in (("put", muster.folder / "large", f"{hdfs_folder}/large"),
                  ("get", f"{hdfs_folder}/large", muster.folder / "back"),
                  ("cat", f"{hdfs_folder}/large")):
        done = subprocess.run([sys.executable, "-c", MEASURE, harness.BINARY, "fs",
                               *map(str, words)],
                              env=muster.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=True, timeout=120)
        assert int(done.stderr) <= 32 * 1024, words[0]
    same = subprocess.run(["cmp", muster.folder / "large", muster.folder / "back"], check=False)
    assert same.returncode == 0


def test_progress_is_shown_on_a_terminal_only(fs, muster, hdfs_folder):
    (muster.folder / "big").write_bytes(os.urandom(64 * MB))
    fs("mkdir", "-p", hdfs_folder).expect(0)
    put = muster.start("fs", "put", muster.folder / "big", f"{hdfs_folder}/big", terminal=True)
    put.sees(r"put \[[# ]+\] big: .* of 64 MiB, .*/s", within=60)
    put.wait(60).expect(0)
    got = fs("get", f"{hdfs_folder}/big", muster.folder / "back").expect(0)
    assert got.out == got.err == ""


def test_a_file_that_is_being_written_is_read_as_far_as_it_is(fs, muster, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    data = os.urandom(5 * MB + 999)
    seen = []

    def part():
        fs("get", "-f", f"{hdfs_folder}/data._COPYING_", muster.folder / "part").expect(0)
        return (muster.folder / "part").read_bytes()

    def look():
        seen.append(until(lambda: len(some := part()) >= MB and some, 60, "a block can be read"))

    source = SlowSource(muster.folder / "pipe", data, look)
    with source.open() as pipe:
        put = muster.start("fs", "put", "-", f"{hdfs_folder}/data", stdin=pipe)
    put.wait(60).expect(0)
    source.end()
    (some,) = seen
    assert some == data[:len(some)]
    assert len(some) < len(data)


def test_a_put_that_was_killed_leaves_nothing_under_the_name(fs, muster, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    data = os.urandom(4 * MB)
    started = queue.Queue()
    source = SlowSource(muster.folder / "pipe", data, lambda: started.get(timeout=60).signal(9))
    with source.open() as pipe:
        put = muster.start("fs", "put", "-", f"{hdfs_folder}/data", stdin=pipe)
        started.put(put)
        put.wait(60).expect(-9)
    listed = fs("ls", hdfs_folder).expect(0).out.splitlines()
    assert [line.rpartition("/")[2] for line in listed[1:]] == ["data._COPYING_"]
    (muster.folder / "again").write_bytes(data)
    fs("put", muster.folder / "again", f"{hdfs_folder}/data").expect(0)
    assert len(fs("ls", hdfs_folder).expect(0).out.splitlines()) == 2
    fs("get", f"{hdfs_folder}/data", muster.folder / "back").expect(0)
    assert (muster.folder / "back").read_bytes() == data


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_copy_leaves_nothing(fs, muster, hdfs_folder, number):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    with subprocess.Popen([harness.BINARY, "fs", "put", "-", f"{hdfs_folder}/data"],
                          env=muster.environment, stdin=subprocess.PIPE) as put:
        put.stdin.write(b"x" * 3 * MB)
        put.stdin.flush()
        until(lambda: "data._COPYING_" in fs("ls", hdfs_folder).out, 60, "the copy has begun")
        put.send_signal(number)
        assert put.wait(60) == -number
    assert fs("ls", hdfs_folder).expect(0).out == "Found 0 items\n"


def test_erasure_coded_files_are_refused_and_replicated_ones_written(bed, fs, muster, hdfs_folder):
    ec = "org.apache.hadoop.hdfs.tools.ECAdmin"
    fs("mkdir", "-p", hdfs_folder).expect(0)
    bed.shell(ec, "-enablePolicy", "-policy", "XOR-2-1-1024k").expect()
    bed.shell(ec, "-setPolicy", "-path", hdfs_folder, "-policy", "XOR-2-1-1024k").expect()
    bed.shell("fs", "-touchz", f"{hdfs_folder}/coded").expect()
    fs("cat", f"{hdfs_folder}/coded").expect_error(2, "erasure-coded", "XOR-2-1-1024k")
    assert "erasure coding: XOR-2-1-1024k" in fs("stat", f"{hdfs_folder}/coded").expect(0).out
    (muster.folder / "x").write_text("x")
    fs("put", muster.folder / "x", f"{hdfs_folder}/x").expect(0)
    assert bed.shell("fs", "-cat", f"{hdfs_folder}/x").expect().out == "x"


def test_encryption_zones_are_refused(bed, fs, muster, hdfs_folder):
    keys = f"jceks://file{muster.folder}/keys.jceks"
    with bed.configured({"core-site": {"hadoop.security.key.provider.path": keys}},
                        restart=["nn1"]):
        fs("mkdir", "-p", hdfs_folder).expect(0)
        bed.java("org.apache.hadoop.crypto.key.KeyShell", "create", "key", "-provider",
                 keys).expect()
        bed.restart("nn1")
        bed.java("org.apache.hadoop.hdfs.tools.CryptoAdmin", "-createZone", "-keyName", "key",
                 "-path", hdfs_folder).expect()
        (muster.folder / "x").write_text("x")
        bed.java("fs", "-put", muster.folder / "x", f"{hdfs_folder}/theirs").expect()
        fs("cat", f"{hdfs_folder}/theirs").expect_error(2, "encryption zone")
        fs("put", muster.folder / "x", f"{hdfs_folder}/x").expect_error(2, "encryption zone")
        listed = fs("ls", hdfs_folder).expect(0).out
        assert "theirs" in listed and "/x" not in listed.replace("theirs", "")
        bed.shell("fs", "-rm", "-r", "-skipTrash", hdfs_folder).expect()
