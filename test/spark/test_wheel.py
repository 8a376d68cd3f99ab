"""The wheel: its contents run on the platforms that it names, and a driver needs nothing else."""
# timeout: 600

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT_SECONDS = 240


def python(script, **environment):
    """Runs a script without anything of this checkout; returns what it prints."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "MUSTER_BINARY", "MUSTER_FEED_LIBRARY")}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", script], env=kept | environment, text=True,
                          capture_output=True, timeout=WAIT_SECONDS)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which pip has installed the wheel, which is made from the program and library
    under test.
    """
    dist, target = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("site")
    for _ in range(2):  # The second takes the place of the first.
        packed = subprocess.run(
            [sys.executable, "-B", ROOT / "tools/wheel.d/pack.py", "--dist", dist,
             "--program", os.environ["MUSTER_BINARY"],
             "--library", os.environ["MUSTER_FEED_LIBRARY"]],
            text=True, capture_output=True,
        )  # fmt: skip
        assert packed.returncode == 0, packed.stderr
    [wheel] = dist.iterdir()
    assert wheel.match("muster_ml-*-py3-none-manylinux2014_x86_64.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q",
                    "--no-deps", "--no-index", "--no-compile", "--target", target, wheel],
                   check=True, timeout=WAIT_SECONDS)  # fmt: skip
    return target


def test_the_command_is_the_program(installed):
    script = f"""
import sys
sys.path.insert(0, {str(installed)!r})
from muster import native
sys.argv = ["muster", "version"]
native.main()
"""
    assert python(script).startswith("muster ")
    assert (installed / "bin" / "muster").exists()


# Only the driver knows the folder; executors get what they need from the driver.
DRIVER = """
import os, sys
sys.path.insert(0, {site!r})
from pyspark import SparkConf, SparkContext
from tensorflowonspark import TFCluster

def map_fun(args, ctx):
    feed = ctx.get_data_feed(train_mode=False)
    while not feed.should_stop():
        feed.batch_results([value * args for value in feed.next_batch(10)])

conf = SparkConf().set("spark.ui.enabled", "false")
sc = SparkContext("local-cluster[1,1,1024]", "wheel", conf=conf)
sc.setLogLevel("OFF")
cluster = TFCluster.run(sc, map_fun, 3, 1, 0, input_mode=TFCluster.InputMode.SPARK)
print(cluster.inference(sc.parallelize(range(25), 2)).sum())
cluster.shutdown()
sc.stop()
"""


def test_a_driver_needs_nothing_else(installed, tmp_path):
    script = DRIVER.format(site=str(installed))
    assert python(script, MUSTER_HOME=str(tmp_path)).split() == [str(3 * sum(range(25)))]
