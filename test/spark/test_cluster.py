"""TFCluster on executors: both input modes, what map_fun receives, and what it returns."""
# timeout: 1200
# application: clusters

import json
import os
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import pytest
from cluster_bed import (  # noqa: F401 (fixtures)
    counting,
    home,
    processes_with,
    sc,
    told_by_nodes,
    until,
)
from pyspark.streaming import StreamingContext

from tensorflowonspark import TFCluster, TFNode

SPARK = TFCluster.InputMode.SPARK


def notes(folder):
    """What the nodes wrote, by role and index."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def test_every_node_knows_itself_and_its_peers(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        note = {
            "args": args,
            "executor_id": ctx.executor_id,
            "worker_num": ctx.worker_num,
            "num_workers": ctx.num_workers,
            "cluster_spec": ctx.cluster_spec,
            "working_dir": ctx.working_dir,
            "tmp_socket": ctx.tmp_socket is not None,
            "path": ctx.absolute_path("/data"),
            "tf_config": json.loads(os.environ["TF_CONFIG"]),
            "devices": os.environ["CUDA_VISIBLE_DEVICES"],
            "state": str(ctx.mgr.get("state")),
            "generation": ctx.generation,
        }
        name = f"{ctx.job_name}-{ctx.task_index}.json"
        with open(os.path.join(args["out"], name), "w") as file:
            json.dump(note, file)

    args = {"out": str(tmp_path)}
    cluster = TFCluster.run(sc, map_fun, args, 2, 0, master_node="chief")
    cluster.shutdown()
    told = notes(tmp_path)
    assert list(told) == ["chief-0", "worker-0"]
    chief, worker = told["chief-0"], told["worker-0"]
    assert chief["args"] == args
    assert (chief["executor_id"], worker["executor_id"]) == (0, 1)
    assert chief["worker_num"] == 0 and chief["num_workers"] == 2
    assert chief["cluster_spec"] == worker["cluster_spec"]
    assert worker["tf_config"]["task"] == {"type": "worker", "index": 0}
    assert worker["tf_config"]["cluster"] == worker["cluster_spec"]
    assert chief["path"] == "file:///data"
    assert chief["working_dir"] == os.getcwd()
    assert not chief["tmp_socket"]
    assert chief["devices"] == ""
    assert chief["state"] == "'running'"
    assert chief["generation"] == 1
    assert [node["job_name"] for node in cluster.cluster_info] == ["chief", "worker"]
    addresses = [f"{node['host']}:{node['port']}" for node in cluster.cluster_info]
    assert addresses == chief["cluster_spec"]["chief"] + chief["cluster_spec"]["worker"]
    assert cluster.tensorboard_url() is None


@pytest.mark.parametrize("mode", [TFCluster.InputMode.TENSORFLOW, SPARK])
def test_a_program_finds_what_sparks_tasks_find(sc, tmp_path, mode):  # noqa: F811
    words = sc.broadcast({"known": 7})
    given = tmp_path / f"given-{mode}.txt"
    given.write_text("beside the tasks")
    sc.addFile(str(given))

    def map_fun(args, ctx):
        from pyspark import SparkFiles

        told = [words.value["known"]]
        for name in (args["name"], SparkFiles.get(args["name"])):
            with open(name) as file:
                told.append(file.read())
        with open(os.path.join(args["out"], "told.json"), "w") as file:
            json.dump(told, file)

    args = {"out": str(tmp_path), "name": given.name}
    cluster = TFCluster.run(sc, map_fun, args, 1, 0, input_mode=mode)
    cluster.shutdown()
    assert notes(tmp_path)["told"] == [7, "beside the tasks", "beside the tasks"]


def test_without_a_chief_there_is_no_tf_config_and_a_list_is_argv(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        import sys

        assert "TF_CONFIG" not in os.environ
        assert sys.argv == args == ["program", "--out", args[2]]
        with open(os.path.join(args[2], f"{ctx.task_index}.json"), "w") as file:
            file.write("0")

    TFCluster.run(sc, map_fun, ["program", "--out", str(tmp_path)], 2, 0).shutdown()
    assert len(notes(tmp_path)) == 2


def test_a_held_port_is_the_programs_until_it_lets_it_go(sc):  # noqa: F811
    def map_fun(args, ctx):
        import socket

        port = ctx.tmp_socket.getsockname()[1]
        assert ctx.cluster_spec[ctx.job_name][ctx.task_index].endswith(f":{port}")
        with socket.socket() as other:
            try:
                other.bind(("0.0.0.0", port))
            except OSError:
                refused = True
        assert refused
        ctx.release_port()
        assert ctx.tmp_socket is None

    TFCluster.run(sc, map_fun, {}, 2, 0, master_node="chief", release_port=False).shutdown()


def test_grace_secs_is_answered_with_why_it_is_not_needed(sc, caplog):  # noqa: F811
    with caplog.at_level("INFO", logger="tensorflowonspark.TFCluster"):
        cluster = TFCluster.run(sc, lambda args, ctx: None, {}, 1, 0)
        assert cluster.nodeRDD.getNumPartitions() == 1
        cluster.shutdown(grace_secs=30)
    told = [record.getMessage() for record in caplog.records if "grace_secs" in record.getMessage()]
    assert len(told) == 1 and "waits until every program has ended" in told[0]


@pytest.mark.parametrize("role", ["ps", "evaluator"])
def test_who_serves_the_workers_ends_when_they_have(sc, tmp_path, role):  # noqa: F811
    def map_fun(args, ctx):
        import time

        with open(os.path.join(args["out"], f"{ctx.job_name}.json"), "w") as file:
            file.write("0")
        # The job ends with its worker, however far the others have got.
        while ctx.job_name != "worker" or len(os.listdir(args["out"])) < 2:
            time.sleep(0.1)  # lint: allow(sleep) it serves, or waits for who does

    arguments = {"num_ps": 1} if role == "ps" else {"num_ps": 0, "eval_node": True}
    TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 2, **arguments).shutdown()
    assert list(notes(tmp_path)) == sorted([role, "worker"])


def test_a_job_that_is_over_before_all_were_heard_of_is_not_waited_for(sc):  # noqa: F811
    def map_fun(args, ctx):
        import time

        while ctx.job_name != "worker":
            time.sleep(0.1)  # lint: allow(sleep) it serves

    for _ in range(3):
        TFCluster.run(sc, map_fun, {}, 2, num_ps=1, reservation_timeout=60).shutdown()
        assert sc.parallelize(range(10), 2).sum() == 45  # The slots are free again.


def test_parameter_servers_may_run_on_the_driver(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        import time

        name = f"{ctx.job_name}-{ctx.task_index}-{ctx.executor_id}.json"
        with open(os.path.join(args["out"], name), "w") as file:
            file.write("0")
        # The job ends with its workers, however far the servers have got.
        while ctx.job_name == "ps" or len(os.listdir(args["out"])) < 4:
            time.sleep(0.1)  # lint: allow(sleep) it serves, or waits for who does

    cluster = TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 4, 2, driver_ps_nodes=True)
    cluster.shutdown()
    assert list(notes(tmp_path)) == ["ps-0-0", "ps-1-1", "worker-0-2", "worker-1-3"]


def test_inference_gives_one_result_for_each_row_in_order(sc):  # noqa: F811
    def map_fun(args, ctx):
        feed = TFNode.DataFeed(ctx.mgr, train_mode=False)
        while not feed.should_stop():
            batch = feed.next_batch(7)
            if batch:
                feed.batch_results([value[0] ** 2 for value in batch])

    # Uneven, and some are empty.
    rows = sc.parallelize([[x] for x in range(100)], 3).union(sc.parallelize([], 2))
    cluster = TFCluster.run(sc, map_fun, {}, 2, 0, input_mode=SPARK)
    results = cluster.inference(rows)
    assert results.collect() == [x * x for x in range(100)]
    assert results.sum() == sum(x * x for x in range(100))
    cluster.shutdown()
    with pytest.raises(Exception, match=r"must be computed before shutdown\(\)"):
        results.collect()
    with pytest.raises(Exception, match=r"train\(\) after shutdown\(\)"):
        cluster.train(rows)


def test_training_reads_every_row_once_an_epoch(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed(input_mapping={"b": "y", "a": "x"})
        total, count = 0, 0
        while not feed.should_stop():
            batch = feed.next_batch(16)
            assert list(batch) == ["x", "y"]
            total += sum(batch["x"])
            count += len(batch["y"])
        with open(os.path.join(args["out"], f"{ctx.task_index}.json"), "w") as file:
            json.dump([total, count], file)

    rows = sc.parallelize([(x, str(x)) for x in range(200)], 4)
    cluster = TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 2, 0, input_mode=SPARK)
    cluster.train(rows, num_epochs=3)
    cluster.shutdown()
    told = notes(tmp_path).values()
    assert sum(total for total, _ in told) == 3 * sum(range(200))
    assert sum(count for _, count in told) == 600


def test_queues_of_a_programs_own_and_a_second_feed(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        import queue
        import threading

        own = ctx.mgr.get_queue("own")
        assert own.empty() and own.qsize() == 0 and not own.full()
        threading.Timer(0.2, own.put, ({"any": "thing"},)).start()
        assert own.get(timeout=60) == {"any": "thing"}
        own.task_done()
        own.join()
        try:
            own.get_nowait()
        except queue.Empty:
            ctx.mgr.set("found", "nothing")
        assert str(ctx.mgr.get("found")) == "'nothing'"
        kept = TFNode.DataFeed(ctx.mgr, qname_in="validation").next_batch(10)
        # Across the ends of partitions, which are signalled only for inference.
        kept += [ctx.mgr.get_queue("validation").get() for _ in range(20)]
        feed, total = ctx.get_data_feed(), 0
        while not feed.should_stop():
            total += sum(feed.next_batch(7))
        with open(os.path.join(args, f"{ctx.task_index}.json"), "w") as file:
            json.dump([sum(kept), total], file)

    queues = ["input", "output", "error", "own", "validation"]
    cluster = TFCluster.run(sc, map_fun, str(tmp_path), 1, 0, input_mode=SPARK, queues=queues)
    cluster.train(sc.parallelize(range(30), 2), num_epochs=1, qname="validation")
    cluster.train(sc.parallelize(range(20), 2), num_epochs=1)
    cluster.shutdown()
    assert notes(tmp_path)["0"] == [sum(range(30)), sum(range(20))]


def test_a_program_that_has_enough_ends_the_feed(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed()
        rows = feed.next_batch(10)
        feed.terminate()
        with open(os.path.join(args["out"], f"{ctx.task_index}.json"), "w") as file:
            json.dump(len(rows), file)

    cluster = TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 2, 0, input_mode=SPARK)
    cluster.train(sc.parallelize(range(100_000), 10), num_epochs=2)
    cluster.shutdown()
    assert sum(notes(tmp_path).values()) in (10, 20)


def test_a_stream_is_fed_until_the_programs_have_enough(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed()
        count = 0
        while count < 10 and not feed.should_stop():
            count += len(feed.next_batch(1))
        feed.terminate()
        with open(os.path.join(args["out"], f"{ctx.task_index}.json"), "w") as file:
            json.dump(count, file)

    ssc = StreamingContext(sc, 1)
    stream = ssc.queueStream([sc.parallelize(range(100), 2) for _ in range(20)])
    cluster = TFCluster.run(sc, map_fun, {"out": str(tmp_path)}, 2, 0, input_mode=SPARK)
    # The way programs feed streams themselves: Spark takes what the function returns for a stream.
    stream.foreachRDD(lambda _, rdd: cluster.train(rdd, num_epochs=1))
    cluster.train(stream, feed_timeout=600)
    ssc.start()
    cluster.shutdown(ssc)
    assert max(notes(tmp_path).values()) == 10
    assert sc.parallelize(range(4), 2).sum() == 6


@pytest.mark.skipif(not find_spec("tensorboard"), reason="TensorFlow 2.21 brings no TensorBoard")
def test_tensorboard_runs_as_long_as_the_cluster(sc, tmp_path):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed()
        while not feed.should_stop():
            feed.next_batch(10)

    logs = str(tmp_path / "logs")
    cluster = TFCluster.run(
        sc, map_fun, {}, 2, 0, tensorboard=True, input_mode=SPARK, log_dir=logs
    )
    node = cluster.cluster_info[0]
    assert cluster.tensorboard_url() == (
        f"http://{node['host']}:{node['tb_port']}{node['tb_path']}/"
    )
    # In the middle of an exec a process has no command line.
    until(lambda: node["tb_pid"] in processes_with(logs), "TensorBoard started")
    cluster.shutdown()
    until(lambda: not processes_with(logs), "TensorBoard gone")


def test_two_clusters_at_once_when_there_is_room(sc):  # noqa: F811
    def map_fun(args, ctx):
        feed = ctx.get_data_feed(train_mode=False)
        while not feed.should_stop():
            feed.batch_results([args * row for row in feed.next_batch(10)])

    clusters = [TFCluster.run(sc, map_fun, factor, 2, 0, input_mode=SPARK) for factor in (2, 3)]
    rows = sc.parallelize(range(50), 4)
    doubled, tripled = (cluster.inference(rows) for cluster in clusters)
    assert doubled.zip(tripled).collect() == [(2 * x, 3 * x) for x in range(50)]
    for cluster in clusters:
        cluster.shutdown()


def test_a_cluster_of_another_thread_beside_other_jobs(sc, tmp_path):  # noqa: F811
    def whole_life():
        cluster = TFCluster.run(sc, counting(str(tmp_path)), {}, 2, 0, input_mode=SPARK)
        cluster.train(sc.parallelize(range(1000), 4), num_epochs=2)
        cluster.shutdown()

    with ThreadPoolExecutor(1) as threads:
        cluster = threads.submit(whole_life)
        while not cluster.done():
            assert sc.parallelize(range(100), 4).sum() == sum(range(100))
        cluster.result()
    assert sum(told_by_nodes(tmp_path).values()) == 2 * sum(range(1000))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_executors": 2, "num_ps": 3}, "requires 3 nodes"),
        ({"num_executors": 2, "num_ps": 2}, "at least one worker"),
        (
            {"num_executors": 2, "num_ps": 1, "driver_ps_nodes": True, "input_mode": SPARK},
            "PS nodes",
        ),
        ({"num_executors": 2, "num_ps": 0, "eval_node": True, "input_mode": SPARK}, "evaluator"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused(sc, arguments, words):  # noqa: F811
    with pytest.raises((AssertionError, Exception), match=words):
        TFCluster.run(sc, print, {}, **arguments)
