"""Spark's Python workers run on the interpreter of the tests, and its Java starts quickly."""

import atexit
import os
import shutil
import sys
import tempfile

import quick_java

# Files that Java and Spark store; an executor that is killed would leave them behind.
_folder = tempfile.mkdtemp(prefix="muster-java-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("SPARK_LOCAL_DIRS", _folder)
_places = [f"-Djava.io.tmpdir={_folder}"]
os.environ.setdefault("SPARK_SUBMIT_OPTS", quick_java.options(_places))
os.environ.setdefault("SPARK_DAEMON_JAVA_OPTS", quick_java.words_with_archive(_places))
# Options for the process that only prints how Java is to be started.
os.environ.setdefault("SPARK_LAUNCHER_OPTS", " ".join(quick_java.FLAGS))
