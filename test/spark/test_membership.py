"""Clusters whose nodes come and go: executors that come later, and some that are lost."""
# timeout: 600

import json
import os
import signal
import threading
import time

import pytest
from cluster_bed import executor_of, home, spark_context, until  # noqa: F401 (fixtures)

import muster.spark
from muster.spark.ledger import Entry, Ledger
from muster.spark.plan import parse_roles
from tensorflowonspark import TFCluster


@pytest.fixture(scope="module")
def sc(home):  # noqa: F811
    """An application of up to three executors."""
    with spark_context(executors=3) as context:
        executors_become(context, 3)
        yield context


def executors_of(context):
    """Spark's names for the present executors."""
    known = context._jsc.sc().statusStore().executorList(True)
    names = [known.apply(index).id() for index in range(known.size())]
    return [name for name in names if name != "driver"]


def executors_become(context, count):
    """Takes executors away, or has Spark start more of them, as dynamic allocation does."""
    spark = context._jsc.sc()
    nothing = context._jvm.PythonUtils.toScalaMap({})

    def settled():
        # One that was lost may still be coming back.
        names = executors_of(context)
        for name in names[count:]:
            spark.killExecutor(name)
        if len(names) != count:
            assert spark.requestTotalExecutors(count, 0, nothing)
        return len(names) == count

    until(settled, f"{count} executors")


def test_a_fed_gang_grows_with_its_application_and_survives_a_loss(sc, tmp_path):
    def map_fun(args, ctx):
        def leave(name, value):
            part = os.path.join(args, "part-" + name)
            with open(part, "w") as file:
                json.dump(value, file)
            os.rename(part, os.path.join(args, name))

        name = f"{ctx.generation}-{ctx.task_index}"
        leave("begun-" + name, [os.getpid(), ctx.num_workers, len(ctx.cluster_spec["worker"])])
        feed = ctx.get_data_feed()
        with open(os.path.join(args, "rows-" + name), "a", buffering=1) as rows:
            while not feed.should_stop():
                for row in feed.next_batch(50):
                    rows.write(f"{row}\n")
                while ctx.generation <= 2:
                    time.sleep(0.1)  # lint: allow(sleep) until others come, or go

    executors_become(sc, 2)
    cluster = TFCluster.run(
        sc, map_fun, str(tmp_path), 3, 0, input_mode=TFCluster.InputMode.SPARK, min_executors=2
    )
    assert len(cluster.cluster_info) == 2
    rdd = sc.parallelize(range(1000), 8)
    feeding = threading.Thread(target=cluster.train, args=[rdd, 1])
    feeding.start()
    begun = until(lambda: begun_in(tmp_path, 1, 2), "two nodes of generation 1")
    assert [one[1:] for one in begun] == [[2, 2]] * 2
    until(lambda: any(path.stat().st_size for path in tmp_path.glob("rows-1-*")), "rows taken")
    executors_become(sc, 3)
    begun = until(lambda: begun_in(tmp_path, 2, 3), "three nodes of generation 2")
    assert [one[1:] for one in begun] == [[3, 3]] * 3
    os.kill(executor_of(begun[1][0]), signal.SIGKILL)
    # Where Spark replaces it at once, the next generation may begin before both have got so far.
    begun = until(lambda: begun_since(tmp_path, 3, 2), "those that remain go on")
    assert all(members >= 2 for _, members, _ in begun)
    feeding.join()
    cluster.shutdown()
    told = cluster.consumed()
    assert sorted((one.epoch, one.partition) for one in told) == [(0, n) for n in range(8)]
    assert sum(one.rows for one in told) == 1000
    assert all(one.generation >= 3 and one.node.startswith("worker:") for one in told)
    assert max(one.times_fed for one in told) >= 2
    trained = {int(row) for path in tmp_path.glob("rows-[3-9]-*")
               for row in path.read_text().split()}
    # Spark may replace the one that was killed, and all start again: a batch that a node was
    # filling at that moment counts as taken, but is in no file.
    last = max(int(path.name.split("-")[1]) for path in tmp_path.glob("begun-*"))
    rows_of = {part: set(range(125 * part, 125 * part + 125)) for part in range(8)}
    assert all(rows_of[one.partition] <= trained for one in told if one.generation == last)
    assert trained <= set(range(1000)) and len(trained) > 1000 - 50 * 3 * (last - 3) - 1


def begun_in(folder, generation, count):
    """What the programs of a generation printed when they began, if all of them have; else None."""
    found = sorted(folder.glob(f"begun-{generation}-*"))
    return [json.loads(path.read_text()) for path in found] if len(found) >= count else None


def begun_since(folder, generation, count):
    """The same of the first generation from this one on all of whose programs have begun."""
    numbers = {int(path.name.split("-")[1]) for path in folder.glob("begun-*")}
    complete = (begun_in(folder, number, count) for number in sorted(numbers)
                if number >= generation)
    return next(filter(None, complete), None)


def test_nodes_that_need_each_other_little_are_not_disturbed(sc, tmp_path):
    def work(args, ctx):
        name = f"{ctx.generation}-{ctx.task_index}"
        part = os.path.join(args, "part-" + name)
        with open(part, "w") as file:
            json.dump([os.getpid()], file)
        os.rename(part, os.path.join(args, "begun-" + name))
        while sum(address is not None for address in muster.spark.members()["worker"]) < 2:
            time.sleep(0.1)  # lint: allow(sleep) until there are two
        return os.getpid(), ctx.generation, ctx.restart_count

    executors_become(sc, 1)
    results = {}
    roles = {"worker": {"min": 1, "max": 2, "membership": "elastic"}}
    running = threading.Thread(
        target=lambda: results.update(muster.spark.run(work, roles, str(tmp_path), sc=sc))
    )
    running.start()
    [first] = until(lambda: begun_in(tmp_path, 1, 1), "the first node")
    executors_become(sc, 2)
    running.join()
    [one, two] = sorted(results["worker"], key=lambda told: told[1])
    assert one == (first[0], 1, 0)
    assert two[1] == 2


def test_what_a_failed_cluster_has_taken_is_known(sc):
    def map_fun(args, ctx):
        feed = ctx.get_data_feed()
        while not feed.should_stop():
            if any(row >= args for row in feed.next_batch(10)):
                raise LookupError(f"row {args} is one too many")

    executors_become(sc, 1)  # It feeds one partition after the other.
    cluster = TFCluster.run(sc, map_fun, 50, 1, 0, input_mode=TFCluster.InputMode.SPARK)
    with pytest.raises(Exception, match="row 50 is one too many"):
        cluster.train(sc.parallelize(range(100), 4), num_epochs=1)
    with pytest.raises(Exception, match="row 50 is one too many"):
        cluster.shutdown()
    told = cluster.consumed()
    assert [(one.partition, one.rows) for one in told] == [(0, 25), (1, 25)]
    assert all((one.node, one.generation) == ("worker:0", 1) for one in told)


def test_roles_are_what_a_specification_says():
    plan = parse_roles({"chief": 1, "worker": {"min": 2, "max": 4}, "ps": {"tasks": 2}})
    assert plan.template == {"chief": [0], "worker": [1, 2, 3, 4], "ps": [5, 6]}
    assert plan.fewest == {"worker": 2} and plan.closes_up("worker") and plan.least("ps") == 2
    worker = json.loads(plan.specification())["roles"]["worker"]
    assert (worker["min"], worker["max"], worker["membership"]) == (2, 4, "static")
    for wrong in ({"min": 3, "max": 2}, {"max": 0}, {"tasks": "2"}, {"min": 1}, {"size": 2}, 0,
                  {"min": 1, "max": 2, "membership": "rejoin"}):  # fmt: skip
        with pytest.raises(ValueError, match="role worker: .* is neither a number of tasks"):
            parse_roles({"worker": wrong})


def test_the_workers_of_a_cluster_alone_may_be_fewer(sc):
    with pytest.raises(ValueError, match="min_executors=1: .* of which 2 are workers, .* 2 to 3"):
        TFCluster.run(sc, print, {}, 3, 0, master_node="chief", min_executors=1)


def test_a_ledger_counts_every_time_a_partition_was_fed():
    ledger = Ledger()
    feed = ledger.begin("input", 2)
    ledger.extend([Entry(feed, 3, 2, taken=False), Entry(feed, 3, 1, taken=False)])
    assert ledger.consumed() == []
    ledger.extend([Entry(feed, 3, 1, taken=True, rows=7, node="worker:1", generation=2)])
    [one] = ledger.consumed()
    assert (one.queue, one.epoch, one.partition, one.rows) == ("input", 1, 1, 7)
    assert (one.node, one.generation, one.times_fed) == ("worker:1", 2, 4)
