"""A Spark Standalone cluster on this machine: a master and workers, each a daemon of its own."""

import collections
import contextlib
import os
import pathlib
import re
import subprocess
import threading

import pyspark

STARTED_SECONDS = 60
_SPARK_CLASS = pathlib.Path(pyspark.__file__).parent / "bin" / "spark-class"
# The daemons live for a test or a benchmark, and do little.
_JAVA_OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


class Daemon:
    """One of Spark's own processes. `log` keeps its last lines, for messages."""

    def __init__(self, name, *words):
        self.name = name
        self.log = collections.deque(maxlen=40)
        self._process = subprocess.Popen(
            [_SPARK_CLASS, *map(str, words)],
            env={"SPARK_DAEMON_JAVA_OPTS": _JAVA_OPTIONS, **os.environ,
                 "SPARK_DAEMON_MEMORY": "256m"},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        self._said = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stderr:
            with self._said:
                self.log.append(line)
                self._said.notify_all()
        with self._said:
            self._ended = True
            self._said.notify_all()

    def says(self, pattern):
        """Waits until the daemon has written a line with `pattern`; returns the match."""
        def found():
            return next(filter(None, (re.search(pattern, line) for line in self.log)), None)

        with self._said:
            self._said.wait_for(lambda: found() or self._ended, STARTED_SECONDS)
            match = found()
        if match is None:
            raise RuntimeError(f"Spark's {self.name} did not say `{pattern}` "
                               f"within {STARTED_SECONDS} s:\n{''.join(self.log)}")
        return match

    def kill(self):
        """Ends the daemon at once, and waits for that."""
        self._process.kill()
        self._process.wait()
        self._reader.join()


@contextlib.contextmanager
def cluster(folder, workers=2, cores=1, memory="1g"):
    """Starts a cluster; yields its address, "spark://HOST:PORT". What runs on it ends with it."""
    with contextlib.ExitStack() as daemons:
        def start(name, *words):
            daemon = Daemon(name, *words)
            daemons.callback(daemon.kill)
            return daemon

        master = start("master", "org.apache.spark.deploy.master.Master",
                       "--host", "127.0.0.1", "--port", 0, "--webui-port", 0)
        address = master.says(r"Starting Spark master at (spark://\S+)").group(1)
        started = [start(f"worker {number}", "org.apache.spark.deploy.worker.Worker",
                         "--host", "127.0.0.1", "--webui-port", 0, "--cores", cores,
                         "--memory", memory, "--work-dir",
                         pathlib.Path(folder) / f"worker-{number}", address)
                   for number in range(workers)]
        for worker in started:
            worker.says("Successfully registered with master")
        yield address
