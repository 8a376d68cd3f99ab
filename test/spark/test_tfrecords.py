"""TFRecord files: as TensorFlow writes and reads them, and as Spark DataFrames."""

import io

import pytest
from pyspark import SparkConf, SparkContext
from pyspark.sql import Row, SparkSession

from muster import tfrecord
from tensorflowonspark import dfutil

FEATURES = [
    ("image", tfrecord.BYTES, [b"\x00\xff", b""]),
    ("label", tfrecord.INT64, [-1, 2**62]),
    ("weights", tfrecord.FLOAT, [0.5, -2.0, 3.0]),
]


@pytest.fixture(scope="module")
def tensorflow():
    import tensorflow

    return tensorflow


@pytest.fixture(scope="module")
def sc():
    context = SparkContext(
        "local[2]", "tfrecords", conf=SparkConf().set("spark.ui.enabled", "false")
    )
    SparkSession(context)  # Gives RDDs their toDF.
    yield context
    context.stop()


def test_tensorflow_reads_what_we_write(tensorflow, tmp_path):
    path = tmp_path / "a.tfrecord"
    records = [b"", b"hello", bytes(200_000), tfrecord.encode(FEATURES)]
    with open(path, "wb") as file:
        assert tfrecord.write(file, iter(records)) == 4
    read = [bytes(record.numpy()) for record in tensorflow.data.TFRecordDataset(str(path))]
    assert read == records
    example = tensorflow.train.Example.FromString(read[-1])
    assert list(example.features.feature["image"].bytes_list.value) == FEATURES[0][2]
    assert list(example.features.feature["label"].int64_list.value) == FEATURES[1][2]
    assert list(example.features.feature["weights"].float_list.value) == FEATURES[2][2]


def test_we_read_what_tensorflow_writes(tensorflow, tmp_path):
    train = tensorflow.train
    example = train.Example(
        features=train.Features(
            feature={
                "image": train.Feature(bytes_list=train.BytesList(value=FEATURES[0][2])),
                "label": train.Feature(int64_list=train.Int64List(value=FEATURES[1][2])),
                "weights": train.Feature(float_list=train.FloatList(value=FEATURES[2][2])),
            }
        )
    )
    path = str(tmp_path / "a.tfrecord")
    with tensorflow.io.TFRecordWriter(path) as writer:
        for record in (b"x" * 3_000_000, example.SerializeToString()):
            writer.write(record)
    with open(path, "rb") as file:
        first, second = tfrecord.read(file)
    assert first == b"x" * 3_000_000
    assert sorted(tfrecord.decode(second)) == FEATURES
    schema = dfutil.infer_schema(example, ["image"])
    assert schema.simpleString() == "struct<image:binary,label:array<bigint>,weights:array<double>>"


def test_damage_is_named_with_its_place():
    data = bytearray(tfrecord.frame([b"one", b"two"]))
    data[-1] ^= 1
    with pytest.raises(ValueError, match="not a TFRecord at byte 19: the checksum of its data"):
        list(tfrecord.read(io.BytesIO(data)))
    with pytest.raises(ValueError, match="ends in the middle of a record that begins at byte 19"):
        list(tfrecord.read(io.BytesIO(data[:25])))
    with pytest.raises(ValueError, match="not a tensorflow.Example"):
        tfrecord.decode(b"\xff")


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        (("a", tfrecord.INT64, [1, "x"]), 'value 1 of feature "a" is not a 64-bit integer'),
        (("a", tfrecord.INT64, [2**63]), "not a 64-bit integer"),
        (("a", tfrecord.BYTES, ["x"]), "is not bytes"),
        (("a", 9, []), r"\(name, kind, list of values\)"),
        ((b"a", tfrecord.INT64, []), "name must be text"),
    ],
)
def test_values_that_are_not_of_their_kind(feature, words):
    with pytest.raises(ValueError, match=words):
        tfrecord.encode([feature])


ROW = ("text ü", 1, [2, 3, 4], -1.5, [-2.5, 3.5], bytearray(b"\xff\xfe"), True)
NAMES = ["a", "b", "c", "d", "e", "f", "g"]


def test_a_frame_comes_back(sc, tmp_path):
    frame = sc.parallelize([ROW, ROW, ROW], 2).toDF(NAMES)
    folder = f"file://{tmp_path}/out"
    dfutil.saveAsTFRecords(frame, folder)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["_SUCCESS", "part-r-00000", "part-r-00001"]

    loaded = dfutil.loadTFRecords(sc, folder, binary_features=["f"])
    assert dfutil.isLoadedDF(loaded)
    assert not dfutil.isLoadedDF(frame)
    assert not dfutil.isLoadedDF(loaded.filter(loaded.b == 1))
    rows = loaded.collect()
    assert len(rows) == 3
    assert rows[0] == Row(**dict(zip(NAMES, [*ROW[:6], 1], strict=True)))


def test_an_existing_folder_is_not_written_into(sc, tmp_path):
    frame = sc.parallelize([(1,)], 1).toDF(["a"])
    with pytest.raises(FileExistsError, match="already exists"):
        dfutil.saveAsTFRecords(frame, f"file://{tmp_path}")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_a_feature_is_named(sc, tmp_path):
    with pytest.raises(Exception, match="Unsupported dtype: map<string,int>"):
        dfutil.toTFExample([("a", "map<string,int>")])
    frame = sc.parallelize([(1, "x"), (2, None)], 1).toDF(["a", "b"])
    with pytest.raises(Exception, match="column b has a missing value"):
        dfutil.saveAsTFRecords(frame, f"file://{tmp_path}/out")
    assert not (tmp_path / "out" / "_SUCCESS").exists()


def test_an_empty_folder_has_no_schema(sc, tmp_path):
    (tmp_path / "part-0").write_bytes(b"")
    with pytest.raises(IndexError, match="no records in"):
        dfutil.loadTFRecords(sc, f"file://{tmp_path}")
