"""Lives under load on Spark (test/local/lives.py): each is an application of its own on a shared
Standalone cluster, with a job of one task on each of its executors. Executors and holders are
killed and frozen, too; so is the driver, whose end is the job's.
"""

import contextlib
import functools
import os
import pathlib
import sys

import harness
import lives
import quick_java

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tools" / "spark")]

# Not the master: it lives and ends with its driver, and is a process on the driver's machine.
VICTIMS = (*lives.OF_TASKS, "holder", "executor", "executor", "client")
WORKERS = 2  # A life has at most one executor on each.

DRIVER = """
import os, sys, time
from pyspark import SparkConf, SparkContext

address, mark, tasks, said, seconds, framework = sys.argv[1:]
settings = {"spark.ui.enabled": "false", "spark.cores.max": tasks, "spark.executor.cores": "1",
            "spark.executor.memory": "512m", "spark.executorEnv.TEST_LIFE": mark}
conf = SparkConf()
for name, value in settings.items():
    conf.set(name, value)
context = SparkContext(address, mark, conf=conf)
context.setLogLevel("OFF")


def work(args, ctx):
    folder, seconds = args
    keys = ("ROLE", "INDEX", "GENERATION", "ATTEMPT")
    name = "_".join(os.environ["MUSTER_" + key] for key in keys)
    begun = time.monotonic()
    with open(f"{folder}/{name}_{os.getpid()}.part", "w", buffering=1) as said:
        said.write(os.getcwd() + "\\n")
        os.rename(said.name, said.name[:-5])
        while (now := time.monotonic()) - begun < seconds:
            said.write(f"{now}\\n")
            time.sleep(0.05)
        said.write("done\\n")


import muster.spark

muster.spark.run(work, {"worker": int(tasks)}, (said, float(seconds)), sc=context,
                 framework=framework, max_restarts=6)
context.stop()
"""


class Choices(lives.Choices):
    """A driver has no specification; its arguments are written instead."""

    def arguments(self, folder):
        return [str(self.tasks), str(folder), f"{self.seconds:.2f}", self.framework]

    def spec(self, folder):
        return {"roles": {"worker": {"tasks": self.tasks}}}


def choices(seed):
    return Choices.of(seed, victims=VICTIMS, seconds=(5, 30), tasks=(1, WORKERS))


class OnSpark(lives.Local):
    """The cluster of one life: an application."""

    # An executor's holder that hangs is not waited for, so nobody sees its container's end.
    SEES_EACH_END = False
    ONE_GANG = True

    def __init__(self, folder, drawn, address):
        folder.mkdir(parents=True)
        self.muster = harness.Muster(folder)
        self.choices, self.address = drawn, address
        self.mark = f"life-{os.getpid()}-{drawn.seed}"
        self.muster.environment.update(
            PATH=f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin", TEST_LIFE=self.mark,
            PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1",
            SPARK_SUBMIT_OPTS=quick_java.options(), PYTHONPATH=str(REPOSITORY / "python" / "src"),
            MUSTER_BINARY=str(harness.BINARY),
            MUSTER_FEED_LIBRARY=os.environ["MUSTER_FEED_LIBRARY"])

    def start(self, spec):
        program = self.muster.write("driver.py", DRIVER)
        drawn = self.choices
        return harness.Running(
            [str(program), self.address, self.mark, *drawn.arguments(self.muster.folder / "said")],
            self.muster.environment, self.muster.folder, program=sys.executable)

    def masters(self):
        return self.muster.pids("master")

    def has_task(self, pid):
        return pid in self.processes()

    def of_task(self, victim, pid):
        if victim in lives.OF_TASKS:
            return super().of_task(victim, pid)
        stubs = super().of_task("stub", pid)
        holders = [parent for parent in map(harness.parent_of, stubs)
                   if "muster.spark.holder" in lives.words_of(parent)]
        if victim == "holder":
            return holders
        folders = filter(None, map(container_of, stubs))
        return [int(folder.parent.parent.name.split("-")[0]) for folder in folders]

    def processes(self):
        """The processes of the driver and of its executors, without the workers' own."""
        mark = f"TEST_LIFE={self.mark}".encode()
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = lives.words_of(folder.name)
        return found

    def ends_as(self, life):
        return "stopped" if life.client_gone else "succeeded"

    def left_behind(self):
        return ()

    def end(self):
        for pid in self.processes():
            harness.send(pid, lives.signal.SIGKILL)
        self.muster.end_everything()


def container_of(pid):
    """A container's folder on its executor, from the environment of its stub."""
    with contextlib.suppress(OSError):
        for entry in pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0"):
            if entry.startswith("SPARK_NODE_FOLDER="):
                return pathlib.Path(entry.partition("=")[2])
    return None


@contextlib.contextmanager
def cluster(folder, together):
    """A Standalone cluster; yields what makes the place of a life on it."""
    import standalone

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with standalone.cluster(folder, workers=WORKERS, cores=together, memory="8g") as address:
        yield functools.partial(_place, address=address)


def _place(folder, drawn, address):
    return OnSpark(folder, drawn, address)
