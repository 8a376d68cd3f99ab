"""A cluster of TensorFlow nodes on the executors of a Spark application."""

import contextlib
import logging
import os

from pyspark.streaming import DStream

from muster.spark import fitness, results
from muster.spark.errors import JobError
from muster.spark.feeder import Feeder
from muster.spark.job import Job
from muster.spark.plan import JobPlan

logger = logging.getLogger(__name__)

# Kept for programs that look at it: why the newest cluster failed.
tf_status = {}

_DEFAULT_EPOCHS = 10
_STREAM_LOOK_SECONDS = 1


class InputMode:
    """Where rows come from: the nodes read them themselves, or Spark feeds them."""

    TENSORFLOW = 0
    SPARK = 1


class ClusterFailedError(Exception, SystemExit):
    """The cluster failed; the message is that of the node that failed. If not caught, it ends the
    driver with exit status 1.
    """

    def __init__(self, words):
        """`words`: the traceback, exit code or signal of the node that failed first."""
        super().__init__(words)
        self.code = 1


class TFCluster:
    """A running cluster."""

    sc = None
    defaultFS = None
    working_dir = None
    num_executors = None
    nodeRDD = None
    cluster_id = None
    cluster_info = None
    cluster_meta = None
    input_mode = None
    queues = None
    server = None
    _was_shut_down = False

    @property
    def meta(self):
        """`cluster_meta`."""
        return self.cluster_meta

    def train(self, dataRDD, num_epochs=0, feed_timeout=600, qname="input"):
        """Feeds the rows of an RDD to the nodes, `num_epochs` times (0: 10 times), and waits until
        they have been read; for a DStream, feeds rows from now on and returns at once.
        InputMode.SPARK only. Returns nothing, because Spark would take any return value for a
        stream.
        """
        assert self.input_mode == InputMode.SPARK, "TFCluster.train() requires InputMode.SPARK"
        assert qname in self.queues, f"Unknown queue: {qname}"
        assert num_epochs >= 0, "num_epochs cannot be negative"
        if self._was_shut_down:
            _raise_failure(self._job)
            raise Exception("train() after shutdown(): TFCluster.run() starts another cluster")
        settings = self._job.feed_settings(qname, feed_timeout)
        feed = Feeder(self.sc, self._job, settings)
        if isinstance(dataRDD, DStream):
            dataRDD.foreachRDD(lambda rdd: feed.feed_rows(rdd))  # It counts a method's arguments.
            return
        with _cluster_failures(self._job):
            feed.feed_rows(dataRDD, num_epochs or _DEFAULT_EPOCHS)

    def consumed(self):
        """The partitions that the programs have taken to their ends so far, also of a train() that
        failed: muster.spark.ledger.Consumed each, with rows, node, generation and how often the
        partition was fed. InputMode.SPARK only.
        """
        assert self.input_mode == InputMode.SPARK, "TFCluster.consumed() requires InputMode.SPARK"
        return self._job.ledger.consumed()

    def inference(self, dataRDD, feed_timeout=600, qname="input"):
        """An RDD of one result for each row, in order within a partition. InputMode.SPARK only. Its
        actions raise ClusterFailedError if the cluster fails or returns a different number of
        results.
        """
        assert self.input_mode == InputMode.SPARK, "TFCluster.inference() requires InputMode.SPARK"
        assert qname in self.queues, f"Unknown queue: {qname}"
        from muster.spark import feeding

        job = self._job
        given = dataRDD.mapPartitions(feeding.inference(job.feed_settings(qname, feed_timeout)))
        return results.telling(given, lambda failure: _explain(job, failure))

    def shutdown(self, ssc=None, grace_secs=0, timeout=259200):
        """Ends the feed and waits until every map_fun has ended; Exception with the original words
        if one failed. After `timeout` seconds the cluster is ended by force; 0: never. `grace_secs`
        is accepted and has no effect: the ends of the programs are waited for.
        """
        if grace_secs:
            logger.info(
                "grace_secs=%s has no effect: shutdown() waits until every program has ended",
                grace_secs,
            )
        try:
            if ssc is not None:
                self._await_stream(ssc)
            self._was_shut_down = True
            self._job.look_for_application()
            if self.input_mode == InputMode.SPARK:
                self._job.end_of_feed()
            if not self._job.wait(timeout if timeout > 0 else None):
                self._job.stop(f"shutdown() after {timeout} s")
                raise ClusterFailedError(
                    f"the nodes had not ended {timeout} s after shutdown(): the cluster was stopped"
                )
            _raise_failure(self._job)
        finally:
            self._job.close()

    def tensorboard_url(self):
        """Where TensorBoard shows this cluster; None without it."""
        for node in self.cluster_info:
            if node["tb_port"]:
                return f"http://{node['host']}:{node['tb_port']}{node['tb_path']}/"
        return None

    def _await_stream(self, ssc):
        """Waits for the stream's end, and ends it when no program wants more rows."""
        try:
            while not ssc.awaitTerminationOrTimeout(_STREAM_LOOK_SECONDS):
                if self.server.done or self._job.terminating.is_set():
                    logger.info("the programs want no more rows: stopping the stream")
                    ssc.stop(stopSparkContext=False, stopGraceFully=True)
                    return
                if self._job.failure is not None:
                    break
        except Exception:
            # A batch failed: because of a node, whose message is better, or by itself.
            ssc.stop(stopSparkContext=False, stopGraceFully=False)
            self._job.settle()
            _raise_failure(self._job)
            raise
        ssc.stop(stopSparkContext=False, stopGraceFully=False)


class _Stoppable:
    """What is left of the reservation server: programs ask whether it is done."""

    def __init__(self, job):
        self._job = job

    @property
    def done(self):
        """Whether the stream was ended: stop(), or reservation.Client.request_stop()."""
        return self._job.stream_stopped.is_set()

    def stop(self):
        """Ends a wait for the stream."""
        self._job.stream_stopped.set()


@contextlib.contextmanager
def _cluster_failures(job):
    """Raises JobError as the ClusterFailedError that users of this API expect."""
    try:
        yield
    except JobError as failure:
        words = str(failure)
        if job.failure is not None:
            tf_status["error"] = job.failure
            logger.error("the cluster failed:\n%s", job.failure)
            words = f"Exception in worker:\n{job.failure}"
        raise ClusterFailedError(words) from failure.__cause__


def _raise_failure(job):
    with _cluster_failures(job):
        job.raise_failure()


def _explain(job, failure):
    """Raises why the cluster failed, else what its node said in Spark's `failure`, if anything."""
    if isinstance(failure, ClusterFailedError):
        return  # Belongs to an action that is part of another one.
    with _cluster_failures(job):
        job.explain(failure)


def run(sc, map_fun, tf_args, num_executors, num_ps, tensorboard=False,
        input_mode=InputMode.TENSORFLOW, log_dir=None, driver_ps_nodes=False, master_node=None,
        reservation_timeout=600, queues=("input", "output", "error"), eval_node=False,
        release_port=True, max_restarts=0, min_executors=None):  # fmt: skip
    """Starts `map_fun(tf_args, ctx)` on `num_executors` nodes, of which `num_ps` are parameter
    servers, one is the `master_node` ('chief' or 'master') and one the evaluator, if asked for.
    Returns the TFCluster when every node has begun.

    Up to `max_restarts` failures of programs, all nodes are restarted (`ctx.generation`); after the
    loss of executors they always are, at most three times.

    With `min_executors` the cluster begins as soon as that many nodes are there, continues with the
    remaining ones when it loses some, and grows up to `num_executors` when executors come; all
    restart each time. Only the number of workers varies.
    """
    _check_modes(driver_ps_nodes, eval_node, input_mode)
    num_executors = fitness.whole_number("num_executors", num_executors, 1)
    num_ps = fitness.whole_number("num_ps", num_ps, 0)
    max_restarts = fitness.whole_number("max_restarts", max_restarts, 0)
    fitness.check_function("map_fun", map_fun)
    fitness.check(sc, fed=input_mode == InputMode.SPARK)
    template = _template(num_executors, num_ps, master_node, eval_node)
    fewest = _fewest(template, num_executors, min_executors)
    tf_status.clear()
    default_fs = sc._jsc.hadoopConfiguration().get("fs.defaultFS")
    if default_fs.startswith("file://") and len(default_fs) > len("file://"):
        default_fs = default_fs.rstrip("/")
        default_fs = "file://" if len(default_fs) < len("file://") else default_fs
    plan = JobPlan(
        template=template,
        fewest=fewest,
        name=_job_name(sc),
        fed=input_mode == InputMode.SPARK,
        on_driver=frozenset(["ps"]) if driver_ps_nodes else frozenset(),
        queues=list(queues),
        max_restarts=max_restarts,
        join_seconds=reservation_timeout,
        tensorboard=tensorboard,
        log_dir=log_dir,
        release_port=release_port,
        default_fs=default_fs,
        working_dir=os.getcwd(),
    )
    job = Job(sc, plan, map_fun, tf_args)
    try:
        with _cluster_failures(job):
            job.await_nodes(reservation_timeout)
    except BaseException:
        job.close()
        raise
    return _cluster(sc, job, plan, input_mode, num_executors)


def _cluster(sc, job, plan, input_mode, num_executors):
    cluster = TFCluster()
    cluster.sc = sc
    cluster.nodeRDD = sc.parallelize(range(num_executors), num_executors)
    cluster.input_mode = input_mode
    cluster.queues = plan.queues
    cluster.server = _Stoppable(job)
    cluster.cluster_id = job.id
    logger.info("listening for reservations at %s", job.address)
    cluster.cluster_info = [_node_info(job, node) for _, node in sorted(job.nodes.items())]
    cluster.cluster_meta = {
        "id": job.id,
        "cluster_template": plan.template,
        "num_executors": num_executors,
        "default_fs": plan.default_fs,
        "working_dir": plan.working_dir,
        "server_addr": job.address,
        "release_port": plan.release_port,
    }
    cluster._job = job
    url = cluster.tensorboard_url()
    if url:
        logger.info("TensorBoard: %s", url)
    return cluster


def _node_info(job, node):
    return {
        "executor_id": node["executor_id"],
        "host": node["host"],
        "job_name": node["role"],
        "task_index": node["index"],
        "port": node["port"],
        "tb_pid": node["tb_pid"],
        "tb_port": node["tb_port"],
        "tb_path": node["tb_path"],
        "addr": None,
        "authkey": None,
        "job": {"id": job.id, "library": job.feed_library},
    }


def _check_modes(driver_ps_nodes, eval_node, input_mode):
    if driver_ps_nodes and input_mode != InputMode.TENSORFLOW:
        raise Exception(
            "running PS nodes on driver locally is only supported in InputMode.TENSORFLOW"
        )
    if eval_node and input_mode != InputMode.TENSORFLOW:
        raise Exception("running evaluator nodes is only supported in InputMode.TENSORFLOW")


def _template(num_executors, num_ps, master_node, eval_node):
    """Role → numbers of its nodes: ps first, then master, evaluator, workers."""
    num_master = 1 if master_node else 0
    num_eval = 1 if eval_node else 0
    num_workers = max(num_executors - num_ps - num_eval - num_master, 0)
    total = num_ps + num_master + num_eval + num_workers
    assert total == num_executors, (
        f"cluster requires {total} nodes, but only {num_executors} executors available"
    )
    assert num_master + num_workers > 0, "cluster requires at least one worker or master/chief node"
    template = {}
    numbers = iter(range(num_executors))
    for role, count in (("ps", num_ps), (master_node, num_master), ("evaluator", num_eval),
                        ("worker", num_workers)):  # fmt: skip
        if count:
            template[role] = [next(numbers) for _ in range(count)]
    return template


def _fewest(template, num_executors, min_executors):
    """Role → the fewest nodes it may have, if it may have fewer than the template says."""
    if min_executors is None or min_executors == num_executors:
        return {}
    workers = len(template.get("worker", ()))
    least = min_executors - (num_executors - workers)
    if not 1 <= least < workers:
        raise ValueError(
            f"min_executors={min_executors}: with num_executors={num_executors}, of which "
            f"{workers} are workers, it may be from {num_executors - workers + 1} "
            f"to {num_executors}"
        )
    return {"worker": least}


def _job_name(sc):
    kept = "".join(c if c.isalnum() else "-" for c in sc.appName.lower())[:30].strip("-")
    return kept or "spark"
