"""Modules of tensorflowonspark that need no cluster: names, values and messages as programs
expect."""

import json
import os
import pathlib
import socket
import stat
import struct
import threading

import pytest

from muster import feed
from muster.feed.reader import RowReader
from tensorflowonspark import TFManager, TFNode, gpu_info, marker, reservation, util

DEADLINE = 30


@pytest.fixture
def nvidia_smi(tmp_path, monkeypatch):
    """Puts an nvidia-smi on PATH that knows three GPUs, of which the named ones are busy."""

    def make(*busy):
        listed = "\\n".join(f"GPU {i}: Tesla T4 (UUID: GPU-{i})" for i in range(3))
        used = "\\n".join(f"GPU-{i}" for i in busy)
        program = tmp_path / "nvidia-smi"
        program.write_text(
            '#!/bin/sh\ncase "$*" in\n'
            f"--list-gpus) printf '{listed}\\n' ;;\n"
            f"*noheader*) printf '{used}\\n' ;;\n"
            "*) echo 'gpu_uuid, pid, process_name' ;;\nesac\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return make


def test_gpus_are_the_free_ones_in_order(nvidia_smi):
    nvidia_smi(1)
    assert gpu_info.is_gpu_available()
    assert gpu_info.get_gpus(1, 0, format=gpu_info.AS_LIST) == ["0"]
    assert gpu_info.get_gpus(1, 1) == "2"
    assert gpu_info.get_gpus(1, 2) == "0"  # Starts over.
    assert sorted(gpu_info.get_gpus(2, -1, gpu_info.AS_LIST)) == ["0", "2"]


def test_too_few_gpus_are_named_after_three_looks(nvidia_smi, monkeypatch):
    nvidia_smi(0, 1)
    waits = []
    monkeypatch.setattr(gpu_info.time, "sleep", waits.append)
    with pytest.raises(Exception, match=r"Unable to find 2 free GPU\(s\)"):
        gpu_info.get_gpus(2)
    assert waits == [30, 60]


def test_a_format_nobody_knows(nvidia_smi):
    nvidia_smi()
    with pytest.raises(Exception, match="Unknown GPU format"):
        gpu_info.get_gpus(1, format="json")


def test_nodes_of_one_host_share_its_gpus(nvidia_smi, monkeypatch):
    nvidia_smi()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    nodes = ["10.0.0.10:1", "10.0.0.1:1", "10.0.0.1:2"]  # One address begins as the other does.
    util.single_node_env(1, 2, nodes)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "1"
    util.single_node_env(0)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == ""


def test_hadoop_jars_are_put_on_the_class_path_once(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "hadoop"
    program.write_text('#!/bin/sh\n[ "$*" = "classpath --glob" ] && echo /a.jar:/b.jar\n')
    program.chmod(0o755)
    monkeypatch.setenv("HADOOP_HOME", str(tmp_path))
    monkeypatch.delenv("HADOOP_PREFIX", raising=False)
    monkeypatch.delenv("CLASSPATH", raising=False)
    monkeypatch.setenv("TFOS_CLASSPATH_UPDATED", "")
    monkeypatch.delenv("TFOS_CLASSPATH_UPDATED")
    util.expand_hadoop_classpath()
    util.expand_hadoop_classpath()
    assert os.environ["CLASSPATH"] == "/a.jar:/b.jar"


def test_the_executor_id_is_a_file_of_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match="No executor_id file found"):
        util.read_executor_id()
    util.write_executor_id(7)
    assert util.read_executor_id() == 7
    assert util.find_in_path(f"/nowhere:{tmp_path}", "executor_id") == str(tmp_path / "executor_id")
    assert util.find_in_path("/nowhere", "executor_id") is False


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("hdfs://nn/a", "hdfs://nn/a"),
        ("gs://bucket/a", "gs://bucket/a"),
        ("/a/b", "hdfs://nn/a/b"),
        ("a/b", "hdfs://nn/user/{user}/a/b"),
    ],
)
def test_paths_get_their_file_system(path, expected):
    ctx = type("Context", (), {"defaultFS": "hdfs://nn", "working_dir": "/w"})
    assert TFNode.hdfs_path(ctx, path) == expected.format(user=TFNode.getpass.getuser())


def test_what_is_gone_says_so():
    for gone in (TFNode.next_batch, TFNode.batch_results):
        with pytest.raises(Exception, match="DEPRECATED"):
            gone(None, 1)
    with pytest.raises(Exception, match="DEPRECATED"):
        TFNode.terminate(None)
    with pytest.raises(Exception, match="DEPRECATED"):
        TFNode.export_saved_model(None, "", "", {})


@pytest.fixture
def manager():
    started = TFManager.start(b"key", ["input", "output", "mine"], "local")
    started.set("state", "running")
    yield TFManager.connect(started.address, b"key")
    started.shutdown()


def test_a_manager_gives_queues_and_quoted_values(manager):
    manager.get_queue("mine").put({"any": "thing"})
    assert manager.get_queue("mine").get() == {"any": "thing"}
    assert str(manager.get("state")) == "'running'"


def test_batches_end_with_the_feed_and_with_partitions(manager):
    queue = manager.get_queue("input")
    for item in [1, 2, marker.EndPartition(), 3, None]:
        queue.put(item)
    feeding = TFNode.DataFeed(manager, train_mode=False)
    assert feeding.next_batch(10) == [1, 2]
    assert feeding.next_batch(10) == [3]
    assert feeding.should_stop()
    feeding.batch_results([4, 5])
    assert [manager.get_queue("output").get() for _ in range(2)] == [4, 5]
    queue.join()  # Every item and mark was acknowledged.


def test_training_does_not_see_partitions(manager):
    queue = manager.get_queue("input")
    for item in [(1, "a"), marker.EndPartition(), (2, "b"), None]:
        queue.put(item)
    feeding = TFNode.DataFeed(manager, input_mapping={"col2": "y", "col1": "x"})
    assert feeding.input_tensors == ["x", "y"]
    assert feeding.next_batch(10) == {"x": [1, 2], "y": ["a", "b"]}


def test_reservations_carry_bytes_and_tuples():
    server = reservation.Server(2)
    address = server.start()
    clients = [reservation.Client(address) for _ in range(2)]
    meta = {"host": "h", "port": 1, "addr": ("127.0.0.1", 5), "authkey": b"\x00\xff"}
    assert clients[0].register(meta) == "OK"
    waited = []
    waiter = threading.Thread(target=lambda: waited.extend(clients[0].await_reservations()))
    waiter.start()
    assert clients[1].register({"host": "i"}) == "OK"
    waiter.join(DEADLINE)
    assert waited == [meta, {"host": "i"}]
    assert server.await_reservations(None, {}, 1) == waited
    assert clients[1].request_stop() == "OK"
    assert server.done
    server.stop()
    with pytest.raises(OSError):
        socket.create_connection(address, timeout=DEADLINE)


def test_missing_nodes_are_counted_when_time_is_up():
    server = reservation.Server(3)
    with pytest.raises(Exception, match="timed out waiting for reservations.*3 of 3"):
        server.await_reservations(None, {}, 0)


def test_a_failed_launch_ends_the_wait():
    server = reservation.Server(1)
    with pytest.raises(SystemExit) as failure:
        server.await_reservations(None, {"error": "boom"}, DEADLINE)
    assert failure.value.code == 1


def test_nothing_from_the_network_is_unpickled(tmp_path):
    server = reservation.Server(1)
    address = server.start()
    proof = tmp_path / "proof"
    pickled = b"cposix\nsystem\n(S'touch " + str(proof).encode() + b"'\ntR."
    with socket.create_connection(address) as peer:
        peer.sendall(struct.pack(">I", len(pickled)) + pickled)
        assert peer.recv(1) == b""  # Hung up on.
    with socket.create_connection(address) as peer:
        peer.sendall(b"\xff\xff\xff\xff")
        assert peer.recv(1) == b""
    with socket.create_connection(address) as peer:
        text = json.dumps({"type": "NOTHING"}).encode()
        peer.sendall(struct.pack(">I", len(text)) + text)
        assert reservation.MessageSocket().receive(peer) == "ERR"
    assert not proof.exists()
    server.stop()


@pytest.mark.parametrize("spec", ["x", "9-", "70000", "5-3"])
def test_a_port_range_that_is_none(spec, monkeypatch):
    monkeypatch.setenv("TFOS_SERVER_PORT", spec)
    with pytest.raises(Exception, match="Invalid TFOS_SERVER_PORT"):
        reservation.Server(1).get_server_ports()


def test_rows_are_read_across_blocks_and_acknowledged_by_block():
    inbox = feed.Inbox()
    ring = inbox.add(blocks=4, block_bytes=4096)
    producer = feed.Producer(*[os.dup(fd) for fd in inbox.descriptors(ring)])
    producer.put_rows(range(300), DEADLINE)
    producer.end_partition(DEADLINE)
    reader = RowReader(inbox)
    assert reader.read(10, DEADLINE) == (list(range(10)), 0)
    with pytest.raises(feed.FeedTimeoutError):
        producer.wait_consumed(0)
    assert reader.read(1000, DEADLINE) == (list(range(10, 300)), feed.END_OF_PARTITION)
    producer.wait_consumed(DEADLINE)
    producer.put_rows([1, 2], DEADLINE)
    with pytest.raises(feed.FeedTimeoutError):
        reader.read(3, 0.01)
    producer.put_rows([3], DEADLINE)
    assert reader.read(3, DEADLINE) == ([1, 2, 3], 0)


def test_the_package_imports_neither_spark_nor_tensorflow():
    import subprocess
    import sys

    names = "TFManager, TFNode, compat, gpu_info, marker, reservation, util"
    code = (
        f"import sys; from tensorflowonspark import {names}; "
        "sys.exit(bool({'tensorflow', 'pyspark'} & set(sys.modules)))"
    )
    source = pathlib.Path(TFNode.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
