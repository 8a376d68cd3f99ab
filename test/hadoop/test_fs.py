"""`muster fs` against real NameNodes and DataNodes; what it writes, Hadoop's own shell reads."""
# bed: plain
# hadoop: each
# timeout: 600

import json
import os
import subprocess

import harness
import pytest

MB = 1 << 20
#: Blocks of the beds have 1 MB.
SIZES = [0, 1, 511, 512, 513, 64512, 64513, MB - 1, MB, MB + 1, 2 * MB, 3 * MB + 17]


@pytest.fixture
def fs(muster, bed):
    muster.use(bed)

    def run(*words, **options):
        return muster("fs", *words, **options)

    return run


def piped(muster, command, data=b"", code=0):
    """Runs a shell command in which $MUSTER is the program; returns what it printed."""
    done = subprocess.run(["sh", "-c", command], input=data, capture_output=True, check=False,
                          env={**muster.environment, "MUSTER": harness.BINARY}, cwd=muster.folder)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout


def test_files_of_every_size_are_equal_both_ways(fs, bed, muster, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    contents = {f"f{size}": os.urandom(size) for size in SIZES}
    folder = muster.folder / "files"
    folder.mkdir()
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    fs("put", *[folder / name for name in contents], f"{hdfs_folder}/ours/").expect(0)
    bed.shell("fs", "-put", str(folder), f"{hdfs_folder}/theirs").expect()
    fs("get", f"{hdfs_folder}/theirs", muster.folder / "back").expect(0)
    for name, data in contents.items():
        assert bed.shell("fs", "-cat", f"{hdfs_folder}/ours/{name}").expect().raw == data, name
        assert (muster.folder / "back" / name).read_bytes() == data, name
        assert piped(muster, f"$MUSTER fs cat {hdfs_folder}/ours/{name}") == data, name
    report = bed.shell("fsck", hdfs_folder).expect().out
    assert "Status: HEALTHY" in report


def test_folders_are_copied_with_all_below(fs, bed, muster, hdfs_folder):
    tree = muster.folder / "tree"
    for name in ["a", "b/c", "b/d/e", "ü/x y", "b/100%", "b/q?#&"]:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name)
    (tree / "empty").mkdir()
    fs("mkdir", "-p", hdfs_folder).expect(0)
    fs("put", tree, hdfs_folder).expect(0)
    fs("get", f"{hdfs_folder}/tree", muster.folder / "copy").expect(0)
    left = subprocess.run(["diff", "-r", tree, muster.folder / "copy"], capture_output=True,
                          check=False)
    assert left.returncode == 0, left.stdout
    bed.shell("fs", "-get", f"{hdfs_folder}/tree", str(muster.folder / "theirs")).expect()
    assert subprocess.run(["diff", "-r", tree, muster.folder / "theirs"],
                          check=False).returncode == 0


def test_listings_say_what_hadoops_say(fs, bed, muster, hdfs_folder):
    fs("mkdir", "-p", f"{hdfs_folder}/d/e").expect(0)
    for number in range(3):
        (muster.folder / "x").write_text("x" * number)
        fs("put", muster.folder / "x", f"{hdfs_folder}/d/f{number:02}").expect(0)
    ours = fs("ls", "-R", hdfs_folder).expect(0).out.splitlines()
    theirs = bed.shell("fs", "-ls", "-R", hdfs_folder).expect().out.splitlines()

    def facts(line):
        words = line.split()
        return words[0], words[1], words[2], words[3], words[4], words[-1]

    assert [facts(line) for line in ours] == [facts(line) for line in theirs if line[0] in "d-"]
    entries = json.loads(fs("ls", "--json", f"{hdfs_folder}/d").expect(0).out)
    assert entries["schema"] == "muster.fs.ls/1"
    assert [(entry["path"].rpartition("/")[2], entry["type"], entry["size_bytes"])
            for entry in entries["entries"]] == [
                ("e", "folder", 0), ("f00", "file", 0), ("f01", "file", 1), ("f02", "file", 2)]
    stat = json.loads(fs("stat", "--json", f"{hdfs_folder}/d/f02").expect(0).out)["entries"][0]
    assert (stat["replication"], stat["permission"]) == (2, "0644")


def test_globs_choose_on_the_remote_side_only(fs, muster, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    (muster.folder / "part-[0]").write_text("literal")
    fs("put", muster.folder / "part-[0]", hdfs_folder + "/").expect(0)
    for name in ["part-1", "part-2", "other"]:
        (muster.folder / name).write_text(name)
        fs("put", muster.folder / name, hdfs_folder + "/").expect(0)
    out = fs("cat", f"{hdfs_folder}/part-[12]").expect(0).out
    assert out == "part-1part-2"
    assert fs("cat", f"{hdfs_folder}/{{other,part-1}}").expect(0).out == "otherpart-1"
    assert fs("cat", f"{hdfs_folder}/part-\\[0\\]").expect(0).out == "literal"
    fs("cat", f"{hdfs_folder}/none*").expect_error(2, "matches nothing")
    fs("rm", f"{hdfs_folder}/part-*").expect(0)
    assert len(fs("ls", hdfs_folder).expect(0).out.splitlines()) == 2


def test_standard_streams(muster, bed, fs, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    data = os.urandom(2 * MB + 5)
    piped(muster, f"$MUSTER fs put - {hdfs_folder}/stdin", data)
    assert bed.shell("fs", "-cat", f"{hdfs_folder}/stdin").expect().raw == data
    assert piped(muster, f"$MUSTER fs get {hdfs_folder}/stdin -") == data
    assert piped(muster, f"$MUSTER fs cat {hdfs_folder}/stdin 2>said | head -c 10") == data[:10]
    assert (muster.folder / "said").read_text() == ""


def test_put_and_get_overwrite_only_when_told(fs, muster, hdfs_folder):
    fs("mkdir", "-p", hdfs_folder).expect(0)
    local = muster.folder / "local"
    local.write_text("one")
    fs("put", local, f"{hdfs_folder}/x").expect(0)
    local.write_text("two")
    fs("put", local, f"{hdfs_folder}/x").expect_error(2, "already exists", "-f")
    assert fs("cat", f"{hdfs_folder}/x").expect(0).out == "one"
    fs("put", "-f", local, f"{hdfs_folder}/x").expect(0)
    assert fs("cat", f"{hdfs_folder}/x").expect(0).out == "two"
    fs("get", f"{hdfs_folder}/x", local).expect_error(2, "already exists")
    fs("get", "-f", f"{hdfs_folder}/x", local).expect(0)
    assert len(fs("ls", hdfs_folder).expect(0).out.splitlines()) == 2


def test_moves_and_removes(fs, bed, muster, hdfs_folder):
    fs("mkdir", "-p", f"{hdfs_folder}/from/deep", f"{hdfs_folder}/to").expect(0)
    (muster.folder / "x").write_text("x")
    fs("put", muster.folder / "x", f"{hdfs_folder}/from/x").expect(0)
    fs("mv", f"{hdfs_folder}/from/x", f"{hdfs_folder}/to").expect(0)
    fs("mv", f"{hdfs_folder}/to/x", f"{hdfs_folder}/to/y").expect(0)
    assert fs("cat", f"{hdfs_folder}/to/y").expect(0).out == "x"
    fs("mv", f"{hdfs_folder}/none", f"{hdfs_folder}/to").expect_error(2, "does not exist")
    fs("mv", f"{hdfs_folder}/to", f"{hdfs_folder}/to/below").expect_error(2, "below itself")
    fs("mv", f"{hdfs_folder}/to/y", f"{hdfs_folder}/gone/").expect_error(2, "mkdir")
    fs("mv", f"{hdfs_folder}/{{to,from}}", f"{hdfs_folder}/gone").expect_error(2, "matches 2")
    fs("rm", f"{hdfs_folder}/from").expect_error(2, "is a folder", "-r")
    fs("rm", "-r", f"{hdfs_folder}/from").expect(0)
    fs("rm", f"{hdfs_folder}/from").expect_error(2, "does not exist")
    fs("rm", "-f", f"{hdfs_folder}/from").expect(0)
    listed = bed.shell("fs", "-ls", "-C", hdfs_folder).expect().out.split()
    assert listed == [f"{hdfs_folder}/to"]


def test_what_is_removed_goes_to_the_trash_where_there_is_one(fs, bed, muster, hdfs_folder):
    conf = bed.client_conf({"core-site": {"fs.trash.interval": 60}})
    fs("mkdir", "-p", hdfs_folder).expect(0)
    (muster.folder / "x").write_text("x")
    trashed = []
    for _ in range(2):
        fs("put", muster.folder / "x", f"{hdfs_folder}/x").expect(0)
        removed = fs("rm", "--conf", conf, f"{hdfs_folder}/x").expect(0)
        trashed.append(removed.err.rpartition(": ")[2].strip())
        assert f"/.Trash/Current{hdfs_folder}/x" in trashed[-1]
    assert trashed[0] != trashed[1]
    assert fs("cat", *trashed).expect(0).out == "xx"
    fs("rm", "--conf", conf, trashed[0]).expect(0)
    fs("cat", trashed[0]).expect_error(2, "does not exist")
    fs("put", muster.folder / "x", f"{hdfs_folder}/x").expect(0)
    assert fs("rm", "--conf", conf, "--skip-trash", f"{hdfs_folder}/x").expect(0).err == ""


def test_folders_are_made(fs, hdfs_folder):
    fs("mkdir", f"{hdfs_folder}/a/b").expect_error(2, "cannot create the folder", "-p")
    fs("mkdir", "-p", f"{hdfs_folder}/a/b").expect(0)
    fs("mkdir", f"{hdfs_folder}/a").expect_error(2, "already exists")
    fs("mkdir", "-p", f"{hdfs_folder}/a").expect(0)


def test_mistakes_have_one_message(fs, muster, hdfs_folder):
    fs("ls", "/no/such").expect_error(2, "/no/such does not exist")
    fs("cat", "/").expect_error(2, "/ is a folder")
    (muster.folder / "file").write_text("")
    fs("mkdir", "-p", hdfs_folder).expect(0)
    fs("get", hdfs_folder, muster.folder / "file").expect_error(2, "is a file here, not a folder")
    fs("ls", "s3a://bucket/x").expect_error(2, "is not an HDFS path")
    fs("put", "/no/such/local", "/tmp/x").expect_error(2, "/no/such/local")
    fs("ls", "hdfs://localhost:1/").expect_error(6, "localhost:1")
    fs("ls", "hdfs://no-such-host.invalid:8020/").expect_error(6, "no-such-host.invalid")
    muster.environment["HADOOP_USER_NAME"] = "mallory"
    fs("mkdir", "/forbidden").expect_error(2, "Permission denied", "mallory")
    muster.environment["HADOOP_CONF_DIR"] = "/no/such/conf"
    fs("ls", "/").expect_error(2, "/no/such/conf")
