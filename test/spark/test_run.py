"""muster.spark: gangs on executors, what they are fed and what they return."""
# timeout: 600
# application: clusters
# also: newest

import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from cluster_bed import home, sc, until  # noqa: F401 (fixtures)
from pyspark.sql import SparkSession

import muster.spark
from muster.spark.errors import JobError


def test_every_task_returns_its_result(sc):  # noqa: F811
    def work(args, ctx):
        rank, world = os.environ["RANK"], os.environ["WORLD_SIZE"]
        return ctx.job_name, ctx.task_index, args * 2, rank, world, "MASTER_ADDR" in os.environ

    results = muster.spark.run(work, {"worker": 2}, 21, sc=sc, framework="pytorch")
    assert results == {
        "worker": [("worker", 0, 42, "0", "2", True), ("worker", 1, 42, "1", "2", True)]
    }


def test_a_program_that_exits_in_order_returns_nothing(sc):  # noqa: F811
    def work(args, ctx):
        sys.exit(0) if ctx.task_index == 0 else os._exit(0)

    assert muster.spark.run(work, {"worker": 2}, sc=sc) == {"worker": [None, None]}


def test_a_failure_is_told_in_its_own_words(sc):  # noqa: F811
    def work(args, ctx):
        if ctx.task_index == 0:
            raise LookupError("no shard 17")

    with pytest.raises(JobError, match="LookupError: no shard 17"):
        muster.spark.run(work, {"worker": 2}, sc=sc)


def test_a_program_that_fails_once_is_started_again_with_all_others(sc, tmp_path):  # noqa: F811
    def work(args, ctx):
        if ctx.task_index == 1 and ctx.generation == 1:
            os._exit(3)
        return ctx.generation

    assert muster.spark.run(work, {"worker": 2}, sc=sc, max_restarts=2) == {"worker": [2, 2]}


def test_failures_are_answered_as_often_as_was_asked_for(sc, tmp_path):  # noqa: F811
    def work(args, ctx):
        open(os.path.join(args, f"{ctx.generation}-{ctx.task_index}"), "w").close()
        raise RuntimeError(f"generation {ctx.generation} fails")

    with pytest.raises(JobError, match="generation 2 fails"):
        muster.spark.run(work, {"worker": 1}, str(tmp_path), sc=sc, max_restarts=1)
    assert sorted(os.listdir(tmp_path)) == ["1-0", "2-0"]


def test_what_lies_on_an_executor_is_its_users_alone(sc):  # noqa: F811
    def work(args, ctx):
        container = os.environ["SPARK_NODE_FOLDER"]
        everybodys = os.path.join(container, "..", "..", "..")
        found = os.stat(everybodys)
        return os.path.basename(os.path.realpath(everybodys)), found.st_mode & 0o777, found.st_uid

    user = os.getuid()
    told = muster.spark.run(work, {"worker": 1}, sc=sc)
    assert told == {"worker": [(f"muster-spark-{user}", 0o700, user)]}


def frame_of(sc, rows, columns, partitions=4):  # noqa: F811
    return SparkSession(sc).createDataFrame(sc.parallelize(rows, partitions), columns)


def test_a_frame_is_fed_as_columns_and_results_come_by_rank(sc):  # noqa: F811
    def train(args, ctx):
        from muster.spark import batches

        rows, total, longest = 0, 0.0, 0
        for batch in batches(ctx, args["size"]):
            assert sorted(batch) == ["label", "pixels"]
            assert batch["pixels"].shape[1:] == (3,)
            assert (batch["pixels"][:, 0] == batch["label"]).all()
            rows += len(batch["label"])
            longest = max(longest, len(batch["label"]))
            total += float(batch["pixels"].sum())
        seen = sum(len(batch["label"]) for batch in batches(ctx, queue="validation"))
        return ctx.task_index, rows, total, longest, seen

    rows = [([float(i), 0.5, -0.5], i) for i in range(100)]
    told = muster.spark.train_df(
        train, frame_of(sc, rows, "pixels array<float>, label int"), {"size": 16}, nodes=2,
        epochs=3, validation=frame_of(sc, rows[:30], "pixels array<float>, label int", 2),
    )  # fmt: skip
    assert [one[0] for one in told] == [0, 1]
    assert sum(one[1] for one in told) == 300
    assert sum(one[2] for one in told) == 3 * sum(range(100))
    assert all(one[3] <= 16 for one in told)
    assert sum(one[4] for one in told) == 30


def muster_says(*words):
    command = [os.environ["MUSTER_BINARY"], *words]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_the_drivers_job_has_a_status_and_logs(sc, home, tmp_path):  # noqa: F811
    def work(args, ctx):
        print(f"node {ctx.task_index} reads shard {ctx.task_index + 40}", flush=True)
        while not os.path.exists(args):
            time.sleep(0.1)  # lint: allow(sleep) the driver looks at it meanwhile
        os.write(2, b"an end without a newline")

    def task_states():
        done = muster_says("status", "last", "--json")
        status = json.loads(done.stdout) if done.returncode == 0 else {"roles": {}}
        return [task["state"] for task in status["roles"].get("worker", {"tasks": []})["tasks"]]

    go = tmp_path / "go"
    running = threading.Thread(target=muster.spark.run, args=(work, {"worker": 2}, str(go)),
                               kwargs={"sc": sc})  # fmt: skip
    running.start()
    try:
        until(lambda: task_states() == ["active"] * 2, "the tasks are active in `muster status`")
        until(lambda: muster_says("logs", "last").stdout.count("reads shard") == 2, "both logs")
        follower = subprocess.Popen(
            [os.environ["MUSTER_BINARY"], "logs", "last", "worker:1", "-f"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert any(line.endswith("node 1 reads shard 41\n") for line in follower.stdout)
    finally:
        go.write_text("")
        running.join()
    assert follower.stdout.read().endswith("an end without a newline\n")
    assert follower.wait() == 0
    follower.stdout.close()
    assert json.loads(muster_says("status", "last", "--json").stdout)["outcome"]["result"] == (
        "succeeded"
    )
    lines = muster_says("logs", "last", "--json").stdout.splitlines()
    told = sorted((one["task"], one["stream"], one["line"]) for one in map(json.loads, lines))
    assert [one for one in told if "INFO" not in one[2]] == [
        ("worker:0", "stderr", "an end without a newline"),
        ("worker:0", "stdout", "node 0 reads shard 40"),
        ("worker:1", "stderr", "an end without a newline"),
        ("worker:1", "stdout", "node 1 reads shard 41"),
    ]


def test_a_stop_may_interrupt_the_program(sc, home, tmp_path):  # noqa: F811
    """The stop is SIGINT, which the process that keeps the program ignores, so it can report how
    the program ended."""
    def work(args, ctx):
        try:
            print("up", flush=True)
            time.sleep(1000)  # lint: allow(sleep) it is interrupted
        except KeyboardInterrupt:
            print("saved", flush=True)
            raise

    failures = []

    def run():
        try:
            muster.spark.run(work, {"worker": 2}, None, sc=sc)
        except JobError as error:
            failures.append(str(error))

    running = threading.Thread(target=run)
    running.start()
    until(lambda: muster_says("logs", "last").stdout.count("up") == 2, "both programs are up")
    stopped = muster_says("stop", "last", "--interrupt")
    running.join()
    assert stopped.returncode == 0, stopped.stderr
    shown = muster_says("logs", "last").stdout
    assert shown.count("saved") == 2 and shown.count("KeyboardInterrupt") >= 2, shown
    assert len(failures) == 1 and "KeyboardInterrupt" in failures[0], failures


def test_a_column_that_cannot_be_fed_is_named(sc):  # noqa: F811
    def train(args, ctx):
        from muster.spark import batches

        return sum(1 for _ in batches(ctx))

    frame = frame_of(sc, [(1,)], "n int", 1).selectExpr("n", "current_timestamp() as moment")
    with pytest.raises(Exception, match='column "moment" has a type that cannot be fed'):
        muster.spark.train_df(train, frame, nodes=1)


TORCH = "/usr/lib/python3/dist-packages"


@pytest.mark.skipif(not os.path.isdir(f"{TORCH}/torch"), reason="Debian's python3-torch is absent")
@pytest.mark.skipif(np.__version__ >= "2", reason="Debian's python3-torch needs numpy 1")
def test_pytorch_trains_in_step_on_what_spark_feeds(sc):  # noqa: F811
    def train(args, ctx):
        import sys

        sys.path.append(args)
        import torch
        from torch.nn.parallel import DistributedDataParallel

        from muster.spark import batches

        torch.manual_seed(ctx.task_index)  # The ranks agree through DDP alone.
        torch.distributed.init_process_group("gloo")
        model = DistributedDataParallel(torch.nn.Linear(2, 1).double())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        seen = 0
        with model.join():  # One rank may be fed more than the other.
            for batch in batches(ctx, 20):
                wanted = torch.from_numpy(batch["y"]).unsqueeze(1)
                loss = ((model(torch.from_numpy(batch["x"])) - wanted) ** 2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                seen += len(batch["y"])
        weights = [value for one in model.parameters() for value in one.flatten().tolist()]
        torch.distributed.destroy_process_group()
        return seen, weights

    inputs = [[(i % 7) / 7, (i % 11) / 11] for i in range(700)]
    rows = [(x, 3 * x[0] - 2 * x[1] + 1) for x in inputs]
    frame = frame_of(sc, rows, "x array<double>, y double")
    told = muster.spark.train_df(train, frame, TORCH, nodes=2, epochs=8, framework="pytorch")
    assert sum(seen for seen, _ in told) == 8 * len(rows)
    assert told[0][1] == told[1][1]
    assert told[0][1] == pytest.approx([3, -2, 1], abs=0.3)
