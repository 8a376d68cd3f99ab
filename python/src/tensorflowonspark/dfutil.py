"""DataFrames from and to TFRecord files of tensorflow.Example.

The records are read and written natively, without TensorFlow. If TensorFlow's Hadoop jar is on
Spark's class path, its input and output formats read and write the files, as before; else the
executors read through Spark and write through pyarrow's file systems.
"""

import io
import logging
import os
import posixpath
import urllib.parse

from pyspark import SparkContext
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from muster import tfrecord

logger = logging.getLogger(__name__)

loadedDF = {}

_INPUT_FORMAT = "org.tensorflow.hadoop.io.TFRecordFileInputFormat"
_OUTPUT_FORMAT = "org.tensorflow.hadoop.io.TFRecordFileOutputFormat"
_KEY_CLASS = "org.apache.hadoop.io.BytesWritable"
_VALUE_CLASS = "org.apache.hadoop.io.NullWritable"

_FLOATS = ("float", "double")
_INTEGERS = ("boolean", "tinyint", "smallint", "int", "bigint", "long")
_TEXTS = ("binary", "string")


def isLoadedDF(df):
    """Whether loadTFRecords() returned this very DataFrame."""
    return df in loadedDF


def saveAsTFRecords(df, output_dir):
    """Writes a DataFrame as TFRecord files, one per partition, into a new folder."""
    examples = df.rdd.mapPartitions(toTFExample(df.dtypes))
    sc = SparkContext.getOrCreate()
    if _has_class(sc, _OUTPUT_FORMAT):
        examples.saveAsNewAPIHadoopFile(
            output_dir, _OUTPUT_FORMAT, keyClass=_KEY_CLASS, valueClass=_VALUE_CLASS
        )
        return
    target = _with_scheme(sc, output_dir)
    _make_new_folder(target)
    written = examples.mapPartitionsWithIndex(lambda index, part: _write_part(target, index, part))
    logger.info("%d records written to %s", sum(written.collect()), target)
    with _open_output(posixpath.join(target, "_SUCCESS")):
        pass


def loadTFRecords(sc, input_dir, binary_features=()):
    """Reads TFRecord files into a DataFrame with one column per feature of the first record, by
    name. Features of bytes become text, unless named in `binary_features`.
    """
    records = _records(sc, input_dir)
    first = records.take(1)
    if not first:
        raise IndexError(f"no records in {input_dir}")
    schema = _schema(tfrecord.decode(bytes(first[0][0])), binary_features)
    rows = records.mapPartitions(lambda part: fromTFExample(part, binary_features))
    df = SparkSession.builder.getOrCreate().createDataFrame(rows, schema)
    loadedDF[df] = input_dir
    return df


def toTFExample(dtypes):
    """For mapPartitions: rows with these `DataFrame.dtypes` to (message, None)."""
    converters = [(name, *_converter(dtype)) for name, dtype in dtypes]

    def convert(iterator):
        for row in iterator:
            features = [
                (name, kind, convert_value(_present(row[name], name)))
                for name, kind, convert_value in converters
            ]
            yield bytearray(tfrecord.encode(features)), None

    return convert


def infer_schema(example, binary_features=()):
    """The DataFrame schema of a tf.train.Example."""
    return _schema(tfrecord.decode(example.SerializeToString()), binary_features)


def fromTFExample(iter, binary_features=()):
    """For mapPartitions: (message, anything) to Rows with their features in the order of names. A
    feature of bytes gives its first value, as it always did.
    """
    for record in iter:
        features = sorted(tfrecord.decode(bytes(record[0])))
        yield Row(
            **{name: _value(name, kind, list_, binary_features) for name, kind, list_ in features}
        )


def _present(value, name):
    if value is None:
        raise Exception(
            f"column {name} has a missing value, which tf.train.Example cannot represent")
    return value


def _converter(dtype):
    """The kind of feature for a column's type, and what makes the feature's list of a value."""
    array = dtype.startswith("array<") and dtype.endswith(">")
    item = dtype[len("array<") : -1] if array else dtype
    if item in _FLOATS:
        return tfrecord.FLOAT, list if array else lambda value: [value]
    if item in _INTEGERS:
        return tfrecord.INT64, list if array else lambda value: [value]
    if item in _TEXTS:
        as_bytes = bytes if item == "binary" else lambda value: str(value).encode()
        if array:
            return tfrecord.BYTES, lambda value: [as_bytes(one) for one in value]
        return tfrecord.BYTES, lambda value: [as_bytes(value)]
    raise Exception(f"Unsupported dtype: {dtype}")


def _value(name, kind, values, binary_features):
    if kind in (tfrecord.INT64, tfrecord.FLOAT):
        return values if len(values) > 1 else (values[0] if values else None)
    if not values:
        return None
    return bytearray(values[0]) if name in binary_features else values[0].decode()


def _schema(features, binary_features):
    types = {tfrecord.INT64: LongType(), tfrecord.FLOAT: DoubleType()}
    fields = []
    for name, kind, values in sorted(features):
        if name in binary_features:
            sql_type = BinaryType()
        else:
            sql_type = types.get(kind, StringType()) if values else StringType()
            sql_type = ArrayType(sql_type) if len(values) > 1 and kind in types else sql_type
        fields.append(StructField(name, sql_type, True))
    return StructType(fields)


def _has_class(sc, name):
    loader = sc._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    try:
        loader.loadClass(name)
    except Exception:
        logger.info(
            "%s is not on the class path: TFRecord files are read and written without it", name)
        return False
    return True


def _records(sc, input_dir):
    """An RDD of (message, None)."""
    if _has_class(sc, _INPUT_FORMAT):
        return sc.newAPIHadoopFile(
            input_dir, _INPUT_FORMAT, keyClass=_KEY_CLASS, valueClass=_VALUE_CLASS
        )
    files = sc.binaryFiles(input_dir)
    return files.flatMap(lambda file: ((record, None) for record in _records_of(*file)))


def _records_of(path, content):
    if posixpath.basename(path).startswith(("_", ".")):
        return iter(())
    try:
        return iter(list(tfrecord.read(io.BytesIO(content))))
    except ValueError as failure:
        raise ValueError(f"{path}: {failure}") from None


def _with_scheme(sc, path):
    """`path` as a URI, on the cluster's default file system if it names none."""
    if urllib.parse.urlsplit(path).scheme:
        return path
    default = sc._jsc.hadoopConfiguration().get("fs.defaultFS").rstrip("/")
    if default in ("file:", "file://"):
        return "file://" + os.path.abspath(path)
    return posixpath.join(default, path.lstrip("/"))


def _file_system(uri):
    from pyarrow import fs

    return fs.FileSystem.from_uri(uri)


def _make_new_folder(uri):
    from pyarrow import fs

    system, path = _file_system(uri)
    if system.get_file_info(path).type != fs.FileType.NotFound:
        raise FileExistsError(f"Output directory {uri} already exists")
    system.create_dir(path, recursive=True)


def _open_output(uri):
    system, path = _file_system(uri)
    return system.open_output_stream(path)


def _write_part(target, index, examples):
    """One partition's file; it gets its name only when complete, even if others try the same."""
    from pyspark import TaskContext

    name = f"part-r-{index:05d}"
    attempt = TaskContext.get().taskAttemptId()
    system, folder = _file_system(target)
    unfinished = posixpath.join(folder, f"_{name}.{attempt}")
    with system.open_output_stream(unfinished) as file:
        count = tfrecord.write(file, (bytes(message) for message, _ in examples))
    system.move(unfinished, posixpath.join(folder, name))
    yield count
