"""The ML pipeline, TFParallel and everything else that needs TensorFlow itself."""
# timeout: 900
# application: tensorflow

import argparse
import itertools
import json
import os

import pytest
from cluster_bed import home, sc  # noqa: F401 (fixtures)
from pyspark.sql import SparkSession

from tensorflowonspark import TFCluster, TFParallel, pipeline
from tensorflowonspark.pipeline import Namespace, TFEstimator, TFModel


def test_a_namespace_is_what_it_was_made_of():
    values = {"a": 1, "b": "two"}
    assert Namespace(values) == Namespace(argparse.Namespace(**values)) == Namespace(values)
    assert "a" in Namespace(values) and "c" not in Namespace(values)
    assert sorted(Namespace(values)) == ["a", "b"]
    argv = Namespace(["--x", "1"])
    assert argv == ["--x", "1"] and list(argv) == ["--x", "1"] and argv.argv == ["--x", "1"]
    with pytest.raises(Exception, match="Unsupported Namespace args"):
        Namespace(7)


def test_params_lie_over_arguments_defaults_too(sc):  # noqa: F811
    estimator = TFEstimator(print, {"a": 1, "epochs": 9}).setBatchSize(10).setModelDir("/m")
    merged = estimator.merge_args_params()
    assert (merged.a, merged.batch_size, merged.model_dir, merged.epochs) == (1, 10, "/m", 1)
    assert estimator.args.epochs == 9
    assert estimator.getMasterNode() == "chief" and estimator.getGraceSecs() == 30
    with pytest.raises(Exception, match="deprecated"):
        estimator.setInputMode(0)
    with pytest.raises(TypeError):
        estimator.setInputMapping([("x", "y")])


def test_batches_are_columns():
    rows = [(1, bytearray(b"a")), (2, b"b"), (3, "c")]
    assert list(pipeline.yield_batch(rows, 2, 2)) == [[[1, 2], [b"a", b"b"]], [[3], ["c"]]]
    assert list(pipeline.yield_batch([None, (1,)], 2)) == []


def test_an_estimator_trains_and_its_model_predicts(sc, tmp_path):  # noqa: F811
    def train(args, ctx):
        import numpy as np
        import tensorflow as tf

        feed = ctx.get_data_feed(input_mapping=args.input_mapping)
        weight, count = tf.Variable([[0.0], [0.0]]), 0
        while not feed.should_stop():
            batch = feed.next_batch(args.batch_size)
            if batch["x"]:
                x, y = np.array(batch["x"], "float32"), np.array(batch["y"], "float32")
                # One step reaches the solution, because the features are unit vectors.
                weight.assign_add(tf.matmul(x.T / np.maximum(x.sum(0)[:, None], 1), y - x @ weight))
                count += len(y)
        assert count > 0
        if ctx.job_name == "chief":
            module = tf.Module()
            module.weight = weight
            signature = tf.function(
                lambda x: {"sum": tf.matmul(x, module.weight)},
                input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")],
            )
            tf.saved_model.save(module, args.export_dir, signatures={"serving_default": signature})

    spark = SparkSession(sc)
    rows = [([1.0, 0.0], [3.0]), ([0.0, 1.0], [5.0])] * 40
    frame = spark.createDataFrame(sc.parallelize(rows, 2), ["features", "label"])
    export = str(tmp_path / "export")
    estimator = (
        TFEstimator(train, {})
        .setInputMapping({"features": "x", "label": "y"})
        .setExportDir(export)
        .setClusterSize(2)
        .setBatchSize(10)
        .setEpochs(2)
    )
    model = estimator.fit(frame)
    assert isinstance(model, TFModel) and model.getExportDir() == export
    model.setInputMapping({"features": "x"}).setOutputMapping({"sum": "total"})
    model.setSignatureDefKey("serving_default").setTagSet("serve")
    test = spark.createDataFrame([([1.0, 1.0], 0), ([2.0, 0.0], 1)], ["features", "id"])
    predicted = model.transform(test)
    assert predicted.columns == ["total"]
    assert [round(row.total[0], 3) for row in predicted.collect()] == [8.0, 6.0]


def test_programs_side_by_side(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        with open(f"{args['out']}/{ctx.executor_id}.json", "w") as file:
            json.dump([ctx.worker_num, ctx.num_workers, ctx.job_name, args["x"]], file)

    for barrier in (True, False):
        folder = tmp_path / str(barrier)
        folder.mkdir()
        TFParallel.run(sc, map_fun, {"x": 1, "out": str(folder)}, 2, use_barrier=barrier)
        told = [json.loads((folder / f"{n}.json").read_text()) for n in range(2)]
        assert told == [[0, 2, "", 1], [1, 2, "", 1]]


def test_a_failure_of_one_of_them_is_the_jobs(sc):  # noqa: F811
    def map_fun(args, ctx):
        raise ValueError("no such file: shard-7")

    with pytest.raises(Exception, match="no such file: shard-7"):
        TFParallel.run(sc, map_fun, {}, 2, use_barrier=False)


def test_a_worker_killed_in_mid_training_costs_no_more_than_a_restart(sc, tmp_path):  # noqa: F811
    def train(args, ctx):
        import signal

        import numpy as np
        import tensorflow as tf

        strategy = tf.distribute.MultiWorkerMirroredStrategy()
        with strategy.scope():
            mean = tf.VariableAggregation.MEAN
            weight = tf.Variable([[0.0], [0.0]], aggregation=mean)
        step = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(weight=weight, step=step)
        if tf.train.latest_checkpoint(args["out"]):
            checkpoint.restore(tf.train.latest_checkpoint(args["out"]))
        begun = int(step)

        @tf.function
        def descend(x, y):
            slope = tf.matmul(x, x @ weight - y, transpose_a=True)
            weight.assign_sub(slope / 10.0)  # The mean of all workers'.

        feed = ctx.get_data_feed()
        while step < 40:
            if ctx.generation == 1 and ctx.job_name == "worker" and step == 15:
                os.kill(os.getpid(), signal.SIGKILL)
            rows = feed.next_batch(10)
            x = np.array([row[0] for row in rows], "float32")
            y = np.array([row[1] for row in rows], "float32")
            strategy.run(descend, args=(tf.constant(x), tf.constant(y)))
            step.assign_add(1)
            if step == 10 and ctx.job_name == "chief":
                checkpoint.save(os.path.join(args["out"], "ckpt"))
        feed.terminate()
        if ctx.job_name == "chief":
            with open(os.path.join(args["out"], "told.json"), "w") as file:
                found = weight.numpy().ravel().tolist()
                json.dump([ctx.generation, ctx.restart_count, begun, found], file)

    rows = [([1.0, 0.0], [3.0]), ([0.0, 1.0], [5.0])]
    endless = sc.parallelize(range(4), 4).flatMap(lambda _: itertools.cycle(rows))
    cluster = TFCluster.run(
        sc, train, {"out": str(tmp_path)}, 2, 0, input_mode=TFCluster.InputMode.SPARK,
        master_node="chief", max_restarts=1,
    )  # fmt: skip
    cluster.train(endless, num_epochs=1)
    cluster.shutdown()
    generation, restarts, begun, weight = json.loads((tmp_path / "told.json").read_text())
    assert (generation, restarts, begun) == (2, 1, 10)
    assert [round(value, 3) for value in weight] == [3.0, 5.0]


def test_a_cluster_server_serves_on_tensorflow_2(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        import tensorflow as tf

        cluster, server = ctx.start_cluster_server()
        assert cluster.as_dict() == ctx.cluster_spec
        if ctx.job_name == "ps":
            server.join()
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                value = tf.compat.v1.get_variable("value", initializer=20)
            with tf.compat.v1.Session(server.target) as session:
                session.run(value.initializer)
                found = session.run(value.assign_add(22))
        with open(args["out"], "w") as file:
            json.dump([int(found), value.device], file)

    out = tmp_path / "found.json"
    TFCluster.run(sc, map_fun, {"out": str(out)}, 2, 1).shutdown()
    assert json.loads(out.read_text()) == [42, "/job:ps/task:0"]
