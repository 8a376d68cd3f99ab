"""Training and inference as stages of a Spark ML pipeline."""

import argparse
import copy
import logging
import sys

from pyspark import SparkContext, keyword_only  # noqa: F401 (programs import it from here)
from pyspark.ml.base import Estimator, Model
from pyspark.ml.param import TypeConverters
from pyspark.sql import Row, SparkSession

from muster.spark import packing

from . import TFCluster, util
from .params import (
    HasBatchSize,
    HasClusterSize,
    HasEpochs,
    HasExportDir,
    HasGraceSecs,
    HasInputMapping,
    HasInputMode,
    HasMasterNode,
    HasModelDir,
    HasNumPS,
    HasOutputMapping,
    HasProtocol,
    HasReaders,
    HasSignatureDefKey,
    HasSteps,
    HasTagSet,
    HasTensorboard,
    HasTFRecordDir,
    Params,
    TFTypeConverters,
)
from .TFNode import TF_VERSION

logger = logging.getLogger(__name__)

__all__ = [
    "TF_VERSION",
    "HasBatchSize",
    "HasClusterSize",
    "HasEpochs",
    "HasExportDir",
    "HasGraceSecs",
    "HasInputMapping",
    "HasInputMode",
    "HasMasterNode",
    "HasModelDir",
    "HasNumPS",
    "HasOutputMapping",
    "HasProtocol",
    "HasReaders",
    "HasSignatureDefKey",
    "HasSteps",
    "HasTFRecordDir",
    "HasTagSet",
    "HasTensorboard",
    "Namespace",
    "Params",
    "TFEstimator",
    "TFModel",
    "TFParams",
    "TFTypeConverters",
    "TypeConverters",
    "get_meta_graph_def",
    "single_node_env",
    "yield_batch",
]


class Namespace:
    """A program's arguments: an argv list, or attributes by name."""

    argv = None
    __hash__ = None

    def __init__(self, d):
        """From a list, a dict, an argparse.Namespace or another Namespace."""
        if isinstance(d, list):
            self.argv = d
        elif isinstance(d, dict):
            vars(self).update(d)
        elif isinstance(d, argparse.Namespace | Namespace):
            vars(self).update(vars(d))
        else:
            raise Exception(f"Unsupported Namespace args: {d}")

    def __iter__(self):
        return iter(self.argv or list(vars(self)))

    def __repr__(self):
        if self.argv:
            return str(self.argv)
        values = ", ".join(f"{name}={value!r}" for name, value in sorted(vars(self).items()))
        return f"{type(self).__name__}({values})"

    def __eq__(self, other):
        return self.argv == other if self.argv else vars(self) == vars(other)


class TFParams(Params):
    """Arguments of a program and Params of a stage, together."""

    args = None

    def merge_args_params(self):
        """A copy of `args` with every Param, set or default, over it."""
        merged = copy.copy(self.args)
        for param in self.params:
            setattr(merged, param.name, self.getOrDefault(param.name))
        return merged


class TFEstimator(Estimator, TFParams, HasInputMapping, HasClusterSize, HasNumPS, HasInputMode,
                  HasMasterNode, HasProtocol, HasGraceSecs, HasTensorboard, HasModelDir,
                  HasExportDir, HasTFRecordDir, HasBatchSize, HasEpochs, HasReaders,
                  HasSteps):  # fmt: skip
    """Trains on a DataFrame, with a cluster that `fit` starts and ends. Returns a TFModel."""

    train_fn = None
    export_fn = None

    def __init__(self, train_fn, tf_args, export_fn=None):
        """`train_fn(args, ctx)` is the map_fun; it exports the model by itself, so `export_fn` is
        not used.
        """
        super().__init__()
        self.train_fn = train_fn
        self.args = Namespace(tf_args)
        self._setDefault(
            input_mapping={},
            cluster_size=1,
            num_ps=0,
            driver_ps_nodes=False,
            input_mode=TFCluster.InputMode.SPARK,
            master_node="chief",
            protocol="grpc",
            tensorboard=False,
            model_dir=None,
            export_dir=None,
            tfrecord_dir=None,
            batch_size=100,
            epochs=1,
            readers=1,
            steps=1000,
            grace_secs=30,
        )

    def _fit(self, dataset):
        merged = self.merge_args_params()
        logger.info("args and params: %s", merged)
        cluster = TFCluster.run(
            SparkContext.getOrCreate(),
            self.train_fn,
            self.args.argv or merged,
            merged.cluster_size,
            merged.num_ps,
            merged.tensorboard,
            TFCluster.InputMode.SPARK,
            master_node=merged.master_node,
            driver_ps_nodes=merged.driver_ps_nodes,
        )
        # Columns in the order of their names, as DataFeed.input_mapping expects them.
        cluster.train(dataset.select(sorted(merged.input_mapping)).rdd, merged.epochs)
        cluster.shutdown(grace_secs=merged.grace_secs)
        return self._copyValues(TFModel(self.args))


class TFModel(Model, TFParams, HasInputMapping, HasOutputMapping, HasBatchSize, HasModelDir,
              HasExportDir, HasSignatureDefKey, HasTagSet):  # fmt: skip
    """Inference with a SavedModel: each Python worker loads it once, and works alone."""

    def __init__(self, tf_args):
        """`tf_args` as for TFEstimator."""
        super().__init__()
        self.args = Namespace(tf_args)
        self._setDefault(
            input_mapping={},
            output_mapping={},
            batch_size=100,
            model_dir=None,
            export_dir=None,
            signature_def_key=None,
            tag_set=None,
        )

    def _transform(self, dataset):
        merged = self.merge_args_params()
        logger.info("args and params: %s", merged)
        if not merged.export_dir:
            raise AssertionError("Inferencing requires --export_dir argument")
        spark = SparkSession.builder.getOrCreate()
        packing.ship_packages(spark.sparkContext)
        arguments = self.args.argv or merged
        columns = [column for _, column in sorted(merged.output_mapping.items())]
        rows = dataset.select(sorted(merged.input_mapping)).rdd.mapPartitions(
            lambda partition: _infer(partition, merged, arguments)
        )
        return spark.createDataFrame(rows.map(lambda values: Row(*values)), columns)


# Kept by the Python worker: the model stays loaded from one partition to the next.
pred_fn = None
global_args = None
global_model = None


def _load(args):
    """The signature of the SavedModel that `args` name, loaded at most once."""
    global pred_fn, global_args, global_model
    if pred_fn is None or global_args != args:
        import tensorflow as tf

        tags = args.tag_set.split(",") if args.tag_set else None
        global_model = tf.saved_model.load(args.export_dir, tags=tags)
        key = args.signature_def_key or "serving_default"
        known = list(global_model.signatures)
        if key not in known:
            raise Exception(f"{args.export_dir} has no signature {key!r}; it has: {known}")
        pred_fn = global_model.signatures[key]
        global_args = args
    return pred_fn


def _infer(rows, args, tf_args):
    """Rows of input columns to rows of output columns."""
    single_node_env(tf_args)
    import tensorflow as tf

    predict = _load(args)
    inputs = [tensor for _, tensor in sorted(args.input_mapping.items())]
    outputs = sorted(args.output_mapping)
    shapes = {tensor.name.partition(":")[0]: tensor for tensor in predict.inputs}
    unknown = [name for name in inputs if name not in shapes]
    if unknown:
        raise Exception(f"the model has no inputs {unknown}; it has: {sorted(shapes)}")
    for columns in yield_batch(rows, args.batch_size, len(inputs)):
        tensors = {}
        for name, values in zip(inputs, columns, strict=True):
            tensor = tf.constant(values, dtype=shapes[name].dtype)
            # Spark knows only flat arrays.
            tensors[name] = tf.reshape(tensor, [len(values), *shapes[name].shape[1:]])
        predicted = predict(**tensors)
        missing = [name for name in outputs if name not in predicted]
        if missing:
            raise Exception(f"the model has no outputs {missing}; it has: {sorted(predicted)}")
        lengths = [len(predicted[name]) for name in outputs]
        assert all(length == len(columns[0]) for length in lengths), (
            f"Output array sizes {lengths} must match input size: {len(columns[0])}"
        )
        yield from zip(*(predicted[name].numpy().tolist() for name in outputs), strict=True)


def single_node_env(args):
    """Prepares the environment of a program that works alone: argv, class path and GPUs."""
    argv = args if isinstance(args, list) else args.argv
    if argv:
        sys.argv = argv
    asks = not isinstance(args, list) and "num_gpus" in args
    util.single_node_env(args.num_gpus if asks else 1)


def get_meta_graph_def(saved_model_dir, tag_set):
    """TensorFlow 1 only: RuntimeError."""
    raise RuntimeError(
        f"MetaGraphDefs ({saved_model_dir}, tag-set {tag_set}) are read by TensorFlow 1 only: use "
        "tf.saved_model.load()"
    )


def yield_batch(iterable, batch_size, num_tensors=1):
    """Lists of `num_tensors` columns of at most `batch_size` values each. Ends at a None."""
    columns = [[] for _ in range(num_tensors)]
    for item in iterable:
        if item is None:
            break
        for column, value in zip(columns, item, strict=False):
            # TensorFlow knows bytes, not what Spark gives for a binary column.
            column.append(bytes(value) if isinstance(value, bytearray) else value)
        if len(columns[0]) >= batch_size:
            yield columns
            columns = [[] for _ in range(num_tensors)]
    if columns[0]:
        yield columns
