"""The bed itself: its daemons work, faults can be made and mended, nothing outlives it."""
# bed: plain

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import types

import artifacts
import layout
import place
import pytest
from bed import Bed
from control import BedError, ask
from sleeper import processes_of
from waiting import until

MB = 1 << 20


def test_stores_files_of_several_blocks(bed, hdfs_folder):
    data = os.urandom(3 * MB + 17)
    bed.shell("fs", "-mkdir", "-p", hdfs_folder).expect()
    bed.shell("fs", "-put", "-", f"{hdfs_folder}/data", stdin=data).expect()
    assert bed.shell("fs", "-cat", f"{hdfs_folder}/data").expect().raw == data

    def report():
        return bed.shell("fsck", f"{hdfs_folder}/data", "-blocks").expect().out

    # A file is complete with the first replica of each block that is reported.
    until(lambda: "Average block replication:\t2.0" in report(), 60, report)
    assert "Total blocks (validated):\t4" in report()


def test_errors_of_the_shell_are_seen(bed, hdfs_folder):
    done = bed.shell("fs", "-cat", f"{hdfs_folder}/missing").expect(1)
    assert "No such file or directory" in done.err


def test_one_shell_serves_every_user_of_the_bed(bed):
    bed.shell("fs", "-ls", "/").expect()
    before = ask(bed.folder, do="status")["shell"]
    Bed.attach(bed.folder).shell("fs", "-ls", "/").expect()
    assert ask(bed.folder, do="status")["shell"] == before and before["ended"] is None


def test_a_shell_that_hangs_or_was_killed_is_replaced(bed):
    bed.freeze("nn1")
    with pytest.raises(AssertionError, match="did not end within 1 s"):
        bed.shell("fs", "-ls", "/", within=1)
    bed.thaw("nn1")
    bed.shell("fs", "-ls", "/").expect()
    os.kill(ask(bed.folder, do="status")["shell"]["pid"], signal.SIGKILL)
    # Its socket is closed before it is known to have ended.
    until(lambda: ask(bed.folder, do="status")["shell"]["ended"] is not None, 60, "it has ended")
    bed.shell("fs", "-ls", "/").expect()


def test_runs_a_sample_application(bed):
    jar = next((artifacts.folder_of(bed.version) / "jars").glob("*distributedshell*"))
    done = bed.java("org.apache.hadoop.yarn.applications.distributedshell.Client", "-jar", jar,
                    "-shell_command", "echo of a container", "-num_containers", "2",
                    "-container_memory", "64", "-master_memory", "256", within=300).expect()
    assert "Application completed successfully" in done.err


def test_offers_gpus_labels_and_queues(bed):
    nodes = bed.get("rm1.http", "/ws/v1/cluster/nodes")["nodes"]["node"]
    assert len(nodes) == 2
    for node in nodes:
        kinds = node["availableResource"]["resourceInformations"]["resourceInformation"]
        assert {"yarn.io/gpu": 4}.items() <= {kind["name"]: kind["value"] for kind in kinds}.items()
    with bed.node_labels({"nm2": "gpu"}):
        labels = bed.get("rm1.http", "/ws/v1/cluster/get-node-to-labels")
        assert f"localhost:{bed.port('nm2.rpc')}" in json.dumps(labels)
    queues = bed.get("rm1.http", "/ws/v1/cluster/scheduler")["scheduler"]["schedulerInfo"]["queues"]
    assert {queue["queueName"] for queue in queues["queue"]} == {"default", "other"}


def test_keeps_its_state_in_its_own_folder(bed):
    """Beds of two versions start at the same time."""
    stores = {each["key"]: each["value"]
              for each in bed.get("rm1.http", "/conf?format=json")["properties"]
              if re.search(r"\.fs-store\.root-dir$|\.fs\.state-store\.uri$", each["key"])}
    assert {"yarn.node-attribute.fs-store.root-dir", "yarn.node-labels.fs-store.root-dir",
            "yarn.resourcemanager.fs.state-store.uri"} <= stores.keys()
    outside = {key: value for key, value in stores.items()
               if not value.startswith(f"file://{bed.folder}/")}
    assert not outside


def test_daemons_take_their_classes_from_an_archive(bed):
    archive = str(layout.archive_of(bed.version))
    for name in bed.variant.daemons:
        assert archive in pathlib.Path(f"/proc/{bed.pid(name)}/maps").read_text(), name


@pytest.mark.parametrize("name", ["nn1", "dn1", "rm1", "nm1"])
def test_a_killed_daemon_comes_back(bed, hdfs_folder, name):
    bed.shell("fs", "-mkdir", "-p", hdfs_folder).expect()
    bed.shell("fs", "-put", "-", f"{hdfs_folder}/data", stdin=b"before").expect()
    before = bed.pid(name)
    bed.kill(name)
    assert not bed.running(name)
    bed.restore()
    assert bed.running(name) and bed.pid(name) != before
    assert bed.shell("fs", "-cat", f"{hdfs_folder}/data").expect().out == "before"


def test_safe_mode_is_left_by_restore(bed, hdfs_folder):
    bed.shell("dfsadmin", "-safemode", "enter").expect()
    assert "safe mode" in bed.shell("fs", "-mkdir", "-p", hdfs_folder).expect(1).err
    bed.restore()
    bed.shell("fs", "-mkdir", "-p", hdfs_folder).expect()


def test_runs_with_other_settings_for_a_while(bed):
    with bed.configured({"hdfs-site": {"dfs.namenode.fs-limits.max-component-length": 5}}, ["nn1"]):
        assert "limit" in bed.shell("fs", "-mkdir", "/a-long-name").expect(1).err
    bed.shell("fs", "-mkdir", "-p", "/a-long-name").expect()


def test_killed_owner_of_a_bed_leaves_nothing(hadoop_version, tmp_path, sleeper):
    """The owner here stands for a pytest or ctest with its bed."""
    program = ("import pathlib, signal, sys\n"
               "from bed import Bed\n"
               "bed = Bed.start(sys.argv[1])\n"
               "pathlib.Path(sys.argv[2]).write_text(str(bed.folder))\n"
               "print('up', flush=True)\n"
               "signal.pause()\n")
    told = tmp_path / "folder"
    owner = subprocess.Popen(
        [sys.executable, "-B", "-c", program, hadoop_version, told], stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(artifacts.HERE)})
    try:
        assert owner.stdout.readline() == b"up\n"
        folder = pathlib.Path(told.read_text())
        sleeper(Bed.attach(folder))
    finally:
        owner.kill()
        owner.wait()
    nothing_is_left(folder)


def test_lies_where_there_is_room(tmp_path, monkeypatch):
    disk, memory = tmp_path / "disk", tmp_path / "memory"
    disk.mkdir()
    memory.mkdir()
    room = {disk: place.NEEDED, memory: place.NEEDED}
    monkeypatch.setattr(place.tempfile, "gettempdir", lambda: str(disk))
    monkeypatch.setattr(place, "MEMORY", memory)
    monkeypatch.setattr(place, "room_in", room.get)
    assert place.make_folder("bed-").parent == disk
    room[disk] -= 1
    assert place.make_folder("bed-").parent == memory
    room[memory] = place.GIB // 2
    with pytest.raises(BedError, match=rf"{memory} has 0\.5; make room, or let TMPDIR"):
        place.make_folder("bed-")
    assert len(list(tmp_path.glob("*/bed-*"))) == 2


def test_a_file_system_that_runs_nothing_has_no_room(monkeypatch):
    assert place.room_in(pathlib.Path("/no/such/folder")) == 0
    status = types.SimpleNamespace(f_flag=0, f_bavail=place.NEEDED >> 12, f_frsize=1 << 12)
    monkeypatch.setattr(place.os, "statvfs", lambda folder: status)
    assert place.room_in(pathlib.Path("/tmp")) == place.NEEDED
    status.f_flag = os.ST_NOEXEC
    assert place.room_in(pathlib.Path("/tmp")) == 0


@pytest.mark.parametrize(("victim", "number"), [
    ("owner", signal.SIGKILL), ("keeper", signal.SIGKILL), ("guard", signal.SIGKILL),
    ("keeper", signal.SIGINT), ("guard", signal.SIGTERM)])
def test_keeper_leaves_nothing(tmp_path, victim, number):
    """However it ends; here with a daemon and its orphan in a session of its own."""
    folder = tmp_path / "bed"
    folder.mkdir()
    owner = subprocess.Popen(["sleep", "12345"])
    guard = subprocess.Popen(
        [sys.executable, "-B", artifacts.HERE / "keeper.py", folder, str(owner.pid)],
        start_new_session=True)
    try:
        until((folder / "control").exists, 60, "the keeper answers")
        ask(folder, do="start", name="daemon", log=str(tmp_path / "log"),
            environment={"PATH": os.environ["PATH"], "BED": str(folder)},
            command=["sh", "-c", "setsid sh -c 'sleep 12345 & exit' & exec sleep 12345"])
        until(lambda: sleeping(folder) == 2, 60, "both sleep")
        os.kill({"owner": owner.pid, **ask(folder, do="who")}[victim], number)
        nothing_is_left(folder)
    finally:
        for process in (owner, guard):
            process.kill()
            process.wait()


def sleeping(folder):
    return list(processes_of(folder).values()).count("sleep 12345 ")


def nothing_is_left(folder):
    until(lambda: not processes_of(folder), 60, lambda: f"they end: {processes_of(folder)}")
    until(lambda: not folder.exists(), 60, f"{folder} is removed")
