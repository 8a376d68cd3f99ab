"""A Spark application with two one-core executors, and what the tests of clusters share."""

import contextlib
import json
import os
import shutil
import time
from pathlib import Path

import pyspark
import pytest
from pyspark import SparkConf, SparkContext

WAIT_SECONDS = 120


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """MUSTER_HOME of the module's jobs."""
    folder = tmp_path_factory.mktemp("home")
    before = os.environ.get("MUSTER_HOME")
    os.environ["MUSTER_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["MUSTER_HOME"]
    else:
        os.environ["MUSTER_HOME"] = before


@pytest.fixture(scope="module")
def sc(home, request):
    """Master and workers as processes on this machine; executors are JVMs of their own. All files
    of one pytest run share it.
    """
    if SparkContext._active_spark_context is None:
        stack = contextlib.ExitStack()
        stack.enter_context(spark_context())
        request.config.add_cleanup(stack.close)
    return SparkContext._active_spark_context


@contextlib.contextmanager
def spark_context(settings=None, cores=1, executors=2):
    """An application of its own, with more `settings`."""
    conf = SparkConf().set("spark.ui.enabled", "false").set("spark.task.maxFailures", "4")
    # The folders of executors are called after it, and those of all test processes lie together.
    # Masters before Spark 4 do not read it.
    conf.set("spark.deploy.appIdPattern", f"app-%s-%04d-{os.getpid()}")
    for name, value in (settings or {}).items():
        conf.set(name, value)
    context = SparkContext(f"local-cluster[{executors},{cores},1024]", "tests", conf=conf)
    context.setLogLevel("OFF")
    application = context.applicationId
    try:
        yield context
    finally:
        context.stop()
        _sweep(application)


def _sweep(application):
    """Removes the folders of an application's executors, 20 MB each, which Spark keeps beside its
    jars. Those of applications that were cut short are removed, too, once they are older than any
    test gets.
    """
    used = [_current_folder(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    for folder in (Path(pyspark.__file__).parent / "work").glob("app-*"):
        # Before Spark 4, applications that begin in the same second have the same name.
        if any(folder in one.parents for one in used):
            continue
        with contextlib.suppress(FileNotFoundError):
            if folder.name == application or time.time() - folder.stat().st_mtime > 3600:
                shutil.rmtree(folder, ignore_errors=True)


def _current_folder(process):
    try:
        return Path(os.readlink(process / "cwd"))
    except OSError:
        return Path("/")


def until(condition, what):
    """Waits until `condition()` is true and returns its value."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        asked = time.monotonic()
        found = condition()
        if found:
            return found
        # Later if checking takes time, so that what is waited for has the processors.
        time.sleep(max(0.02, min(2 * (time.monotonic() - asked), 1)))  # lint: allow(sleep) a look
    raise AssertionError(f"not in {WAIT_SECONDS} s: {what}")


def processes_with(text):
    """The pids of processes, except this one, whose command line or environment contains `text`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in words:
            found.append(int(entry.name))
    return found


def descendants(process):
    """The pids of a process's children, their children and so on, at this moment."""
    children = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text()
            except OSError:
                continue
            parent = int(text[text.rindex(")") + 2 :].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found, left = [], [process]
    while left:
        more = children.get(left.pop(), [])
        found += more
        left += more
    return found


def executor_of(pid):
    """The JVM in one of whose folders a task's process runs: its container's folder names it."""
    environment = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    folder = dict(one.split("=", 1) for one in environment if "=" in one)["SPARK_NODE_FOLDER"]
    return int(Path(folder).parent.parent.name.split("-")[0])


def counting(folder, answers=False):
    """A map_fun that adds up its rows, for as long as there are any; may answer each with its
    negative.
    """

    def map_fun(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        total = 0
        while not feed.should_stop():
            batch = feed.next_batch(100)
            total += sum(batch)
            if answers:
                feed.batch_results([-row for row in batch])
        with open(os.path.join(folder, f"{ctx.generation}-{ctx.task_index}"), "w") as file:
            json.dump(total, file)

    return map_fun


def told_by_nodes(folder):
    """What `counting` found, by generation and index."""
    return {path.name: json.loads(path.read_text()) for path in folder.iterdir()}
