"""TFSparkNode, TFManager and reservation together, as programs use them without TFCluster."""

import importlib
import inspect
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import pytest

from tensorflowonspark import TFManager, TFNode, TFSparkNode, reservation, util

WAIT_SECONDS = 60


@pytest.fixture
def node(tmp_path, monkeypatch):
    """Starts nodes of one-node clusters, in the background, in an otherwise empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARK_REUSE_WORKER", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr(TFSparkNode.TFSparkNode, "mgr", None)
    monkeypatch.setattr(TFSparkNode.TFSparkNode, "cluster_id", None)
    cluster = _Cluster()
    yield cluster
    cluster.end()


class _Cluster:
    def __init__(self):
        self.server = reservation.Server(1)
        self.meta = {
            "id": id(self),
            "cluster_template": {"worker": [0]},
            "num_executors": 1,
            "default_fs": "file://",
            "working_dir": ".",
            "server_addr": self.server.start(),
        }

    def start(self, fn, args=None, job="worker", background=True):
        """Runs the node's Spark task, here."""
        self.meta["cluster_template"] = {job: [0]}
        queues = ["input", "output", "error"]
        TFSparkNode.run(fn, args, self.meta, False, None, queues, background)([0])

    @property
    def info(self):
        return self.server.reservations.get()

    def end(self):
        self.server.stop()
        for process in multiprocessing.active_children():
            process.kill()
            process.join()


def test_rows_go_to_a_node_in_the_background_and_results_come_back(node):
    def squares(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            feed.batch_results([row * row for row in feed.next_batch(3)])

    node.start(squares)
    infer = TFSparkNode.inference(node.info, feed_timeout=WAIT_SECONDS)
    assert infer(iter(range(10))) == [row * row for row in range(10)]
    assert infer(iter([])) == []
    assert TFSparkNode.shutdown(node.info, queues=["input", "output"])(iter([0])) == [True]
    assert str(TFSparkNode.TFSparkNode.mgr.get("state")) == "'stopped'"


def test_a_program_that_wants_no_more_stops_the_server(node, tmp_path):
    def takes_two(args, ctx):
        feed = ctx.get_data_feed()
        rows = feed.next_batch(2)
        (tmp_path / "rows").write_text(json.dumps(rows))
        feed.terminate()

    node.start(takes_two)
    train = TFSparkNode.train(node.info, node.meta, feed_timeout=WAIT_SECONDS)
    assert train(iter(range(5))) == [True]
    assert json.loads((tmp_path / "rows").read_text()) == [0, 1]
    assert node.server.done
    assert train(iter(range(5))) == [True]  # Thrown away.


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (lambda: 1 / 0, "ZeroDivisionError"),
        (lambda: sys.exit(3), "ended with exit code 3"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), r"was killed by SIGKILL \(9\)"),
    ],
)
def test_how_a_program_failed_is_told_to_all_who_feed_it(node, ending, words):
    def fails(args, ctx):
        ctx.get_data_feed().next_batch(1)
        ending()

    node.start(fails)
    train = TFSparkNode.train(node.info, node.meta, feed_timeout=WAIT_SECONDS)
    infer = TFSparkNode.inference(node.info, feed_timeout=WAIT_SECONDS)
    for attempt in (train, train, infer):
        with pytest.raises(Exception, match=words):
            attempt(iter(range(3)))
    with pytest.raises(Exception, match=words):
        TFSparkNode.shutdown(node.info)(iter([0]))


def test_rows_that_nobody_reads_time_out(node):
    def sleeps(args, ctx):
        signal.pause()

    node.start(sleeps)
    train = TFSparkNode.train(node.info, node.meta, feed_timeout=0.1)
    with pytest.raises(Exception, match="Timeout while feeding partition"):
        train(iter(range(3)))
    with pytest.raises(Exception, match="Queue 'other' not found on this node"):
        TFSparkNode.train(node.info, node.meta, qname="other")(iter([1]))


def test_a_parameter_server_holds_its_task_until_it_is_told(node):
    def serves(args, ctx):
        signal.pause()

    task = threading.Thread(target=node.start, args=(serves,), kwargs={"job": "ps"})
    task.start()
    info = node.server.await_reservations(None, {}, WAIT_SECONDS)
    manager = TFManager.connect(info[0]["addr"], info[0]["authkey"])
    control = manager.get_queue("control")
    control.put(None)
    control.join()
    task.join(WAIT_SECONDS)
    assert not task.is_alive()


def test_a_parameter_server_that_fails_fails_its_task(node):
    def fails(args, ctx):
        raise ValueError("no such variable: w")

    with pytest.raises(Exception, match=r"Exception in ps:(?s:.)*no such variable: w"):
        node.start(fails, job="ps")


def test_a_task_that_is_tried_again_has_its_old_port(node):
    ports = []

    def fails_once(args, ctx):
        ports.append(ctx.cluster_spec["worker"][0])
        if len(ports) == 1:
            raise OSError("a bad day")

    with pytest.raises(OSError, match="a bad day"):
        node.start(fails_once, background=False)
    node.start(fails_once, background=False)
    assert ports[0] == ports[1] and len(node.info) == 1


def test_a_second_node_of_one_cluster_is_refused_here(node):
    node.start(lambda args, ctx: None)
    with pytest.raises(Exception, match="TFManager already started"):
        node.start(lambda args, ctx: None)


def test_the_background_needs_workers_that_stay(node, monkeypatch):
    monkeypatch.delenv("SPARK_REUSE_WORKER")
    with pytest.raises(Exception, match=r"spark\.python\.worker\.reuse"):
        node.start(lambda args, ctx: None)


def test_an_executor_without_a_node_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(TFSparkNode.TFSparkNode, "mgr", None)
    util.write_executor_id(1)
    with pytest.raises(Exception, match="No TFManager found on this node"):
        TFSparkNode.inference([])(iter([1]))


def test_the_old_name_is_the_same_package():
    old = importlib.import_module("com.yahoo.ml.tf")
    assert importlib.import_module("com.yahoo.ml.tf.TFNode") is TFNode
    assert old.TFNode is TFNode and TFNode.__name__ == "tensorflowonspark.TFNode"


def test_the_client_of_old_ends_a_stream_by_its_address():
    server = reservation.Server(1)
    host, port = server.start()
    command = [sys.executable, "-m", "tensorflowonspark.reservation_client"]
    done = subprocess.run([*command, host, str(port)], timeout=WAIT_SECONDS)
    assert done.returncode == 0 and server.done
    server.stop()
    done = subprocess.run([*command, host], timeout=WAIT_SECONDS, capture_output=True, text=True)
    assert done.returncode == 2 and "HOST PORT" in done.stderr


# Every function that programs call, with the names and defaults of its arguments.
SIGNATURES = """
TFCluster.run(sc, map_fun, tf_args, num_executors, num_ps, tensorboard=False, input_mode=0, \
log_dir=None, driver_ps_nodes=False, master_node=None, reservation_timeout=600, \
queues=['input', 'output', 'error'], eval_node=False, release_port=True)
TFCluster.TFCluster.train(self, dataRDD, num_epochs=0, feed_timeout=600, qname='input')
TFCluster.TFCluster.inference(self, dataRDD, feed_timeout=600, qname='input')
TFCluster.TFCluster.shutdown(self, ssc=None, grace_secs=0, timeout=259200)
TFCluster.TFCluster.tensorboard_url(self)
TFNode.hdfs_path(ctx, path)
TFNode.start_cluster_server(ctx, num_gpus=1, rdma=False)
TFNode.export_saved_model(sess, export_dir, tag_set, signatures)
TFNode.release_port(ctx)
TFNode.next_batch(mgr, batch_size, qname='input')
TFNode.batch_results(mgr, results, qname='output')
TFNode.terminate(mgr, qname='input')
TFNode.DataFeed(mgr, train_mode=True, qname_in='input', qname_out='output', input_mapping=None)
TFNode.DataFeed.next_batch(self, batch_size)
TFNode.DataFeed.should_stop(self)
TFNode.DataFeed.batch_results(self, results)
TFNode.DataFeed.terminate(self)
TFSparkNode.TFNodeContext(executor_id=0, job_name='', task_index=0, cluster_spec=None, \
defaultFS='file://', working_dir='.', mgr=None, tmp_socket=None)
TFSparkNode.TFNodeContext.absolute_path(self, path)
TFSparkNode.TFNodeContext.start_cluster_server(self, num_gpus=1, rdma=False)
TFSparkNode.TFNodeContext.export_saved_model(self, sess, export_dir, tag_set, signatures)
TFSparkNode.TFNodeContext.get_data_feed(self, train_mode=True, qname_in='input', \
qname_out='output', input_mapping=None)
TFSparkNode.TFNodeContext.release_port(self)
TFSparkNode.run(fn, tf_args, cluster_meta, tensorboard, log_dir, queues, background)
TFSparkNode.train(cluster_info, cluster_meta, feed_timeout=600, qname='input')
TFSparkNode.inference(cluster_info, feed_timeout=600, qname='input')
TFSparkNode.shutdown(cluster_info, grace_secs=0, queues=['input'])
TFManager.start(authkey, queues, mode='local')
TFManager.connect(address, authkey)
TFParallel.run(sc, map_fn, tf_args, num_executors, use_barrier=True)
pipeline.Namespace(d)
pipeline.TFEstimator(train_fn, tf_args, export_fn=None)
pipeline.TFModel(tf_args)
pipeline.single_node_env(args)
pipeline.get_meta_graph_def(saved_model_dir, tag_set)
pipeline.yield_batch(iterable, batch_size, num_tensors=1)
dfutil.isLoadedDF(df)
dfutil.saveAsTFRecords(df, output_dir)
dfutil.loadTFRecords(sc, input_dir, binary_features=[])
dfutil.toTFExample(dtypes)
dfutil.infer_schema(example, binary_features=[])
dfutil.fromTFExample(iter, binary_features=[])
reservation.Reservations(required)
reservation.Server(count)
reservation.Server.await_reservations(self, sc=None, status=None, timeout=600)
reservation.Client(server_addr)
reservation.Client.register(self, reservation)
gpu_info.get_gpus(num_gpu=1, worker_index=-1, format='string')
util.single_node_env(num_gpus=1, worker_index=-1, nodes=[])
util.get_ip_address()
util.find_in_path(path, file)
util.write_executor_id(num)
util.read_executor_id()
compat.export_saved_model(model, export_dir, is_chief=False)
compat.disable_auto_shard(options)
compat.is_gpu_available()
"""


@pytest.mark.parametrize("line", SIGNATURES.strip().splitlines())
def test_arguments_have_their_names_and_defaults(line):
    path, _, expected = line.partition("(")
    module, *names = path.split(".")
    found = importlib.import_module(f"tensorflowonspark.{module}")
    for name in names:
        found = getattr(found, name)
    shown = [str(one) for one in inspect.signature(found).parameters.values()]
    shown = ", ".join(shown).replace("('input', 'output', 'error')", "['input', 'output', 'error']")
    shown = shown.replace("('input',)", "['input']").replace("=()", "=[]")
    # Our own arguments come last, with a default.
    assert (shown + ")").startswith(expected.rstrip(")"))


PARAMS = {
    "HasBatchSize": "batch_size", "HasClusterSize": "cluster_size", "HasEpochs": "epochs",
    "HasGraceSecs": "grace_secs", "HasInputMapping": "input_mapping",
    "HasInputMode": "input_mode", "HasMasterNode": "master_node", "HasModelDir": "model_dir",
    "HasNumPS": "num_ps", "HasOutputMapping": "output_mapping", "HasProtocol": "protocol",
    "HasReaders": "readers", "HasSteps": "steps", "HasTensorboard": "tensorboard",
    "HasTFRecordDir": "tfrecord_dir", "HasExportDir": "export_dir",
    "HasSignatureDefKey": "signature_def_key", "HasTagSet": "tag_set",
}  # fmt: skip


@pytest.mark.parametrize(("mixin", "param"), PARAMS.items())
def test_every_param_is_set_and_got_by_its_name(mixin, param):
    from tensorflowonspark import pipeline

    class Stage(getattr(pipeline, mixin)):
        pass

    stage = Stage()
    name = mixin.removeprefix("Has")
    value = {"mapping": {"a": "b"}, "tensorboard": True}.get(param.rpartition("_")[2], 7)
    if param in ("master_node", "protocol") or param.endswith(("_dir", "_key", "_set")):
        value = "x"
    assert getattr(stage, f"set{name}")(value) is stage
    assert getattr(stage, f"get{name}")() == value == stage.getOrDefault(param)
