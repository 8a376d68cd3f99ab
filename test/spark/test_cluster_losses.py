"""What becomes of a cluster when executors, Python workers or the driver are lost."""
# timeout: 900

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from cluster_bed import (  # noqa: F401 (fixtures)
    WAIT_SECONDS,
    counting,
    descendants,
    executor_of,
    home,
    processes_with,
    sc,
    told_by_nodes,
    until,
)

from muster.spark.errors import JobError
from muster.spark.job import Job
from muster.spark.plan import JobPlan
from tensorflowonspark import TFCluster

SPARK = TFCluster.InputMode.SPARK


def test_a_lost_executor_is_replaced_and_training_goes_on(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed()
        import time

        name = f"{ctx.generation}-{ctx.task_index}"
        with open(os.path.join(args["out"], name + ".begun"), "w") as file:
            file.write(str(os.getpid()))
        total = 0
        while not feed.should_stop():
            total += sum(feed.next_batch(100))
            # The first generation never gets further than its executor's end.
            while ctx.generation == 1:
                time.sleep(0.1)  # lint: allow(sleep) until it is killed
        with open(os.path.join(args["out"], name + ".json"), "w") as file:
            json.dump(total, file)

    cluster = TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 2, 0, input_mode=SPARK)
    begun = until(lambda: list(tmp_path.glob("1-*.begun")), "a program of generation 1")
    executor = executor_of(int(until(begun[0].read_text, "its pid")))
    killer = threading.Timer(1.0, os.kill, (executor, signal.SIGKILL))
    killer.start()
    cluster.train(sc.parallelize(range(1000), 4), num_epochs=1)
    killer.join()
    cluster.shutdown()
    consumed = cluster.consumed()
    assert sorted((one.partition, one.rows) for one in consumed) == [(n, 250) for n in range(4)]
    assert all(one.generation > 1 for one in consumed)
    totals = [json.loads(path.read_text()) for path in tmp_path.glob("[2-9]-*.json")]
    assert len(totals) == 2
    # At least once: rows that the lost programs had read are fed again.
    assert sum(totals) >= sum(range(1000))


@pytest.mark.parametrize("lost", ["program", "executor"])
def test_what_is_lost_in_the_middle_of_inference_is_asked_again(sc, tmp_path, lost):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        import time

        while not feed.should_stop():
            batch = feed.next_batch(10)
            # The first generation never gets further than into the partition with row 250.
            # Both programs may get there, so each writes a file of its own until it is complete.
            while ctx.generation == 1 and any(row >= 250 for row in batch):
                part = os.path.join(args, f"pid-{os.getpid()}.part")
                with open(part, "w") as file:
                    file.write(str(os.getpid()))
                os.replace(part, os.path.join(args, "pid"))
                time.sleep(0.1)  # lint: allow(sleep) until it is killed
            feed.batch_results([[row, ctx.generation] for row in batch])

    cluster = TFCluster.run(
        sc, map_fun, str(tmp_path), 2, 0, input_mode=SPARK, max_restarts=int(lost == "program")
    )
    asked = {}

    def ask():
        asked["results"] = cluster.inference(sc.parallelize(range(1000), 8)).collect()

    asking = threading.Thread(target=ask)
    asking.start()
    until((tmp_path / "pid").exists, "a program in the middle")
    pid = int((tmp_path / "pid").read_text())
    os.kill(executor_of(pid) if lost == "executor" else pid, signal.SIGKILL)
    asking.join()
    cluster.shutdown()
    rows = [row for row, _ in asked["results"]]
    assert rows == list(range(1000))
    assert max(generation for _, generation in asked["results"]) > 1


def test_a_job_that_lost_too_many_executors_says_why(sc, tmp_path):  # noqa: F811
    def work(args, ctx):
        import time

        with open(args + ".part", "w") as file:
            file.write(str(os.getpid()))
        os.rename(args + ".part", args)
        while True:
            time.sleep(1)  # lint: allow(sleep) until it is killed

    pid = tmp_path / "pid"
    job = Job(sc, JobPlan(template={"worker": [0]}, lost_executors=0), work, str(pid))
    try:
        until(pid.exists, "the program")
        os.kill(executor_of(int(pid.read_text())), signal.SIGKILL)
        assert job.wait(WAIT_SECONDS)
        with pytest.raises(JobError, match=r"worker:0 .*no restarts left: executor \d+: \w"):
            job.raise_failure()
    finally:
        job.close()


def counting_alone(sc, folder):  # noqa: F811
    """A running cluster whose programs feed themselves: each counts to 20 with a checkpoint of its
    own after every step. In the first generation they stop at 10, until they are lost.
    """

    def map_fun(args, ctx):
        import time

        checkpoint = os.path.join(args, f"checkpoint-{ctx.task_index}")
        step, total = 0, 0
        if os.path.exists(checkpoint):
            with open(checkpoint) as file:
                step, total = json.load(file)
        begun = step
        while step < 20:
            step, total = step + 1, total + step + 1
            with open(checkpoint + ".part", "w") as file:
                json.dump([step, total], file)
            os.rename(checkpoint + ".part", checkpoint)
            if ctx.generation == 1 and step == 10:
                with open(os.path.join(args, f"pid-{ctx.task_index}"), "w") as file:
                    file.write(str(os.getpid()))
            while ctx.generation == 1 and step == 10:
                time.sleep(0.1)  # lint: allow(sleep) until it is killed
        with open(os.path.join(args, f"told-{ctx.task_index}"), "w") as file:
            json.dump([ctx.generation > 1, begun, total], file)

    cluster = TFCluster.run(sc, map_fun, str(folder), 2, 0)
    for index in range(2):
        pid = folder / f"pid-{index}"
        until(lambda pid=pid: pid.exists() and pid.read_text(), "the programs at step 10")
    return cluster


def told_alone(folder):
    """What those programs returned: whether they began again, where, and their totals."""
    return [json.loads((folder / f"told-{index}").read_text()) for index in range(2)]


def test_a_lost_executor_costs_programs_without_a_feed_a_restart(sc, tmp_path):  # noqa: F811
    cluster = counting_alone(sc, tmp_path)
    os.kill(executor_of(int((tmp_path / "pid-1").read_text())), signal.SIGKILL)
    cluster.shutdown()
    assert told_alone(tmp_path) == [[True, 10, sum(range(21))]] * 2


def test_a_reaped_python_worker_costs_programs_without_a_feed_a_restart(sc, tmp_path):  # noqa: F811
    cluster = counting_alone(sc, tmp_path)
    for pid in descendants(os.getpid()):
        if _is_python_worker(pid):
            os.kill(pid, signal.SIGKILL)
    cluster.shutdown()
    assert told_alone(tmp_path) == [[True, 10, sum(range(21))]] * 2
    # Every slot is free again, because Spark tried those tasks once more, in vain.
    assert sc.parallelize(range(4), 2).sum() == 6


def _is_python_worker(pid):
    """Whether a process is pyspark's daemon, or one of its workers."""
    try:
        return b"pyspark.daemon" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_nodes_live_without_the_python_workers_that_started_them(sc, tmp_path):  # noqa: F811
    cluster = TFCluster.run(sc, counting(str(tmp_path)), {}, 2, 0, input_mode=SPARK)
    until(lambda: not sc.statusTracker().getActiveJobsIds(), "every slot is given back")
    workers = [pid for pid in descendants(os.getpid()) if _is_python_worker(pid)]
    assert workers
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not any(_is_python_worker(pid) for pid in workers), "the workers gone")
    cluster.train(sc.parallelize(range(200), 4), num_epochs=1)
    cluster.shutdown()
    told = told_by_nodes(tmp_path)
    assert sorted(told) == ["1-0", "1-1"] and sum(told.values()) == sum(range(200))


def test_a_killed_driver_leaves_no_process(tmp_path):
    program = tmp_path / "driver.py"
    program.write_text(textwrap.dedent(f"""
        import sys, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from cluster_bed import spark_context
        from tensorflowonspark import TFCluster

        def map_fun(args, ctx):
            time.sleep(1000)

        with spark_context() as sc:
            # One whose rows come from Spark, which gives its slots back, and one that keeps them.
            clusters = [TFCluster.run(sc, map_fun, {{}}, 2, 0, input_mode=mode) for mode in (1, 0)]
            print("running", flush=True)
            time.sleep(1000)
    """))  # fmt: skip
    mark = f"driver-{os.getpid()}-{time.time_ns()}"
    environment = dict(os.environ, TEST_MARK=mark, MUSTER_HOME=str(tmp_path / "home"))
    driver = subprocess.Popen(
        [sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert driver.stdout.readline() == "running\n"
    assert len(processes_with(mark)) > 5
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    until(lambda: not processes_with(mark), "all processes of the killed driver gone")
