"""The Params of pipeline.TFEstimator and pipeline.TFModel, one mix-in each."""

from pyspark.ml.param import Param, Params, TypeConverters

from .TFCluster import InputMode


class TFTypeConverters:
    """Converters that pyspark.ml does not have."""

    @staticmethod
    def toDict(value):
        """A dict, or TypeError."""
        if type(value) is dict:
            return value
        raise TypeError(f"Could not convert {value} to OrderedDict")


def _param(name, text, converter):
    """A Param that instances of its class adopt as their own."""
    return Param(Params._dummy(), name, text, typeConverter=converter)


class HasBatchSize(Params):
    """`batch_size`."""

    batch_size = _param("batch_size", "Number of records per batch", TypeConverters.toInt)

    def setBatchSize(self, value):
        """Sets it."""
        return self._set(batch_size=value)

    def getBatchSize(self):
        """Its value."""
        return self.getOrDefault(self.batch_size)


class HasClusterSize(Params):
    """`cluster_size`."""

    cluster_size = _param("cluster_size", "Number of nodes in the cluster", TypeConverters.toInt)

    def setClusterSize(self, value):
        """Sets it."""
        return self._set(cluster_size=value)

    def getClusterSize(self):
        """Its value."""
        return self.getOrDefault(self.cluster_size)


class HasEpochs(Params):
    """`epochs`."""

    epochs = _param("epochs", "Number of epochs to train", TypeConverters.toInt)

    def setEpochs(self, value):
        """Sets it."""
        return self._set(epochs=value)

    def getEpochs(self):
        """Its value."""
        return self.getOrDefault(self.epochs)


class HasGraceSecs(Params):
    """`grace_secs`."""

    grace_secs = _param(
        "grace_secs", "Seconds for work after the feed's end", TypeConverters.toInt
    )

    def setGraceSecs(self, value):
        """Sets it."""
        return self._set(grace_secs=value)

    def getGraceSecs(self):
        """Its value."""
        return self.getOrDefault(self.grace_secs)


class HasInputMapping(Params):
    """`input_mapping`."""

    input_mapping = _param(
        "input_mapping",
        "Mapping of input DataFrame column to input tensor",
        TFTypeConverters.toDict,
    )

    def setInputMapping(self, value):
        """Sets it."""
        return self._set(input_mapping=value)

    def getInputMapping(self):
        """Its value."""
        return self.getOrDefault(self.input_mapping)


class HasInputMode(Params):
    """`input_mode`."""

    input_mode = _param("input_mode", "Input data feeding mode", TypeConverters.toInt)

    def setInputMode(self, value):
        """Sets it; a DataFrame is fed by Spark, so only InputMode.SPARK makes sense."""
        if value == InputMode.TENSORFLOW:
            raise Exception("InputMode.TENSORFLOW is deprecated in pipelines: use InputMode.SPARK")
        return self._set(input_mode=value)

    def getInputMode(self):
        """Its value."""
        return self.getOrDefault(self.input_mode)


class HasMasterNode(Params):
    """`master_node`."""

    master_node = _param("master_node", "Job name of master/chief node", TypeConverters.toString)

    def setMasterNode(self, value):
        """Sets it."""
        return self._set(master_node=value)

    def getMasterNode(self):
        """Its value."""
        return self.getOrDefault(self.master_node)


class HasModelDir(Params):
    """`model_dir`."""

    model_dir = _param("model_dir", "Path to save/load model checkpoints", TypeConverters.toString)

    def setModelDir(self, value):
        """Sets it."""
        return self._set(model_dir=value)

    def getModelDir(self):
        """Its value."""
        return self.getOrDefault(self.model_dir)


class HasNumPS(Params):
    """`num_ps` and `driver_ps_nodes`."""

    num_ps = _param("num_ps", "Number of PS nodes in cluster", TypeConverters.toInt)
    driver_ps_nodes = _param(
        "driver_ps_nodes", "Run PS nodes on driver locally", TypeConverters.toBoolean
    )

    def setNumPS(self, value):
        """Sets the number."""
        return self._set(num_ps=value)

    def getNumPS(self):
        """The number."""
        return self.getOrDefault(self.num_ps)

    def setDriverPSNodes(self, value):
        """Sets where they run."""
        return self._set(driver_ps_nodes=value)

    def getDriverPSNodes(self):
        """Where they run."""
        return self.getOrDefault(self.driver_ps_nodes)


class HasOutputMapping(Params):
    """`output_mapping`."""

    output_mapping = _param(
        "output_mapping",
        "Mapping of output tensor to output DataFrame column",
        TFTypeConverters.toDict,
    )

    def setOutputMapping(self, value):
        """Sets it."""
        return self._set(output_mapping=value)

    def getOutputMapping(self):
        """Its value."""
        return self.getOrDefault(self.output_mapping)


class HasProtocol(Params):
    """`protocol`."""

    protocol = _param("protocol", "Network protocol for Tensorflow", TypeConverters.toString)

    def setProtocol(self, value):
        """Sets it."""
        return self._set(protocol=value)

    def getProtocol(self):
        """Its value."""
        return self.getOrDefault(self.protocol)


class HasReaders(Params):
    """`readers`."""

    readers = _param("readers", "number of reader/enqueue threads", TypeConverters.toInt)

    def setReaders(self, value):
        """Sets it."""
        return self._set(readers=value)

    def getReaders(self):
        """Its value."""
        return self.getOrDefault(self.readers)


class HasSteps(Params):
    """`steps`."""

    steps = _param("steps", "Maximum number of steps to train", TypeConverters.toInt)

    def setSteps(self, value):
        """Sets it."""
        return self._set(steps=value)

    def getSteps(self):
        """Its value."""
        return self.getOrDefault(self.steps)


class HasTensorboard(Params):
    """`tensorboard`."""

    tensorboard = _param("tensorboard", "Launch tensorboard process", TypeConverters.toBoolean)

    def setTensorboard(self, value):
        """Sets it."""
        return self._set(tensorboard=value)

    def getTensorboard(self):
        """Its value."""
        return self.getOrDefault(self.tensorboard)


class HasTFRecordDir(Params):
    """`tfrecord_dir`."""

    tfrecord_dir = _param(
        "tfrecord_dir", "Path to temporarily export a DataFrame as TFRecords",
        TypeConverters.toString,
    )  # fmt: skip

    def setTFRecordDir(self, value):
        """Sets it."""
        return self._set(tfrecord_dir=value)

    def getTFRecordDir(self):
        """Its value."""
        return self.getOrDefault(self.tfrecord_dir)


class HasExportDir(Params):
    """`export_dir`."""

    export_dir = _param("export_dir", "Directory to export saved_model", TypeConverters.toString)

    def setExportDir(self, value):
        """Sets it."""
        return self._set(export_dir=value)

    def getExportDir(self):
        """Its value."""
        return self.getOrDefault(self.export_dir)


class HasSignatureDefKey(Params):
    """`signature_def_key`."""

    signature_def_key = _param(
        "signature_def_key", "Identifier for a specific saved_model signature",
        TypeConverters.toString,
    )  # fmt: skip

    def __init__(self):
        """It is None if it has no value."""
        super().__init__()
        self._setDefault(signature_def_key=None)

    def setSignatureDefKey(self, value):
        """Sets it."""
        return self._set(signature_def_key=value)

    def getSignatureDefKey(self):
        """Its value."""
        return self.getOrDefault(self.signature_def_key)


class HasTagSet(Params):
    """`tag_set`."""

    tag_set = _param(
        "tag_set", "Comma-delimited list of tags identifying a saved_model", TypeConverters.toString
    )

    def setTagSet(self, value):
        """Sets it."""
        return self._set(tag_set=value)

    def getTagSet(self):
        """Its value."""
        return self.getOrDefault(self.tag_set)
