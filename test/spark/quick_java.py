"""How the tests start Java: most of the cost of a Spark test is starting three processes.

They compile once and simply, collect garbage in one thread, trust the classes that they load, and
take those from an archive if there is one. `python quick_java.py` makes it, in the environment in
which it runs; an archive for another Java, or for other flags, has another name. Without it a start
takes half as long again.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

FLAGS = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
         "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote",
         "-Djdk.lang.Process.launchMechanism=VFORK"]  # fmt: skip

# Loads what a driver and its executors load: all of them in one process.
PROGRAM = """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession
    sc = SparkContext("local[1]", "classes", conf=SparkConf().set("spark.ui.enabled", "false"))
    sc.setLogLevel("OFF")
    assert sc.parallelize(range(8), 2).map(lambda x: x + 1).sum() == 36
    assert SparkSession(sc).createDataFrame([(1, "a")], ["n", "s"]).count() == 1
    sc.stop()
    java = SparkContext._gateway.proc  # Writes the archive when it ends.
    java.stdin.close()
    java.wait()
"""


def options(more=()):
    """Returns $SPARK_SUBMIT_OPTS, for drivers, including what drivers pass on to their executors;
    `more` are flags that do not affect the classes.
    """
    words = words_with_archive(more)
    return f'{words} "-Dspark.executor.extraJavaOptions={words}"'


def words_with_archive(more=()):
    """Returns only the flags: $SPARK_DAEMON_JAVA_OPTS, for masters and workers."""
    flags, archive = [*FLAGS, *more], archive_path()
    if archive.exists():
        flags += [f"-XX:SharedArchiveFile={archive}", "-XX:ArchiveRelocationMode=0",
                  "-Xlog:disable"]  # fmt: skip
    return " ".join(flags)


def archive_path():
    home = os.environ.get("JAVA_HOME")
    java = Path(shutil.which(f"{home}/bin/java" if home else "java") or "java").resolve()
    made = java.stat().st_mtime_ns if java.exists() else 0
    name = hashlib.sha256(f"{java} {made} {FLAGS} {PROGRAM}".encode()).hexdigest()[:12]
    return Path(sys.prefix) / f"spark-classes-{name}.jsa"


def make_archive():
    """Returns at once if the archive is there."""
    archive = archive_path()
    if archive.exists():
        return
    part = archive.with_suffix(f".{os.getpid()}")
    flags = [*FLAGS, f"-XX:ArchiveClassesAtExit={part}", "-Xlog:disable"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
                   "SPARK_SUBMIT_OPTS": " ".join(flags)}  # fmt: skip
    print(f"quick_java: making {archive} (100 MB, 10 to 20 s)", file=sys.stderr, flush=True)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM)], env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    if done.returncode != 0 or not part.exists():
        sys.exit(f"quick_java: no archive could be made:\n{done.stdout}{done.stderr}")
    part.rename(archive)


if __name__ == "__main__":
    make_archive()
