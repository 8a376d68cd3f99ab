"""A job on the executors of a Spark application, seen from its driver."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from typing import Any

from muster.spark import fitness, packing, stop_key
from muster.spark.channel import Channel, Server, new_secret
from muster.spark.containers import Application, Containers
from muster.spark.ends import Ends
from muster.spark.errors import ChannelError, JobError
from muster.spark.feeding import FeedSettings
from muster.spark.ledger import Ledger, LedgerParam
from muster.spark.link import MasterLink
from muster.spark.plan import JobPlan
from muster.spark.results import words_in
from muster.spark.speakers import Complaints, Speakers, shown, words_of
from muster.spark.work import dump_work
from tensorflowonspark.reservation import TFOS_SERVER_HOST, TFOS_SERVER_PORT, ports_of

_log = logging.getLogger(__name__)
_SUBMIT_SECONDS = 60
_CLOSE_SECONDS = 10.0
_RESULTS_SECONDS = 60.0
# Holders need this long at most; the master waits a little longer.
_FINISH_SECONDS = 4.0
# The resource manager reports a lost executor with one of its next heartbeats.
_LOSS_SECONDS = 5.0
# The job learns of a node's end a moment after the tasks that feed it.
_SETTLE_SECONDS = 10.0


class Job:
    """Starts when it is constructed; `close` ends it. Any thread may call it."""

    def __init__(self, sc: Any, plan: JobPlan, function: Callable[[Any, Any], Any],
                 arguments: Any):  # fmt: skip
        """Runs `function(arguments, ctx)` as the nodes of `plan`. JobError if `sc` cannot."""
        fitness.check(sc, plan.fed)
        self.plan = plan
        self.nodes: dict[int, dict[str, Any]] = {}  # By number: what each said when it began.
        self.terminating = threading.Event()  # A program wants no more rows.
        self.stream_stopped = threading.Event()  # Another program of this user ended the stream.
        self.ledger = Ledger()
        self.entries = sc.accumulator(self.ledger, LedgerParam())  # For feeding tasks.
        self._payload = packing.ship(sc)
        work = dump_work(function, arguments)
        secret = new_secret()
        self._changed = threading.Condition(threading.RLock())
        self._channels: dict[str, Channel] = {}  # To the nodes, by container.
        self._speakers = Speakers(plan.template)
        self._complaints = Complaints(_log)
        self._failure: str | None = None
        self._ends = Ends()
        self._gone = False
        self._feeds_ended: list[str] = []  # By queue.
        self._closing = False
        host = os.environ.get(TFOS_SERVER_HOST) or sc.getConf().get("spark.driver.host")
        ports = ports_of(os.environ.get(TFOS_SERVER_PORT))
        self._server = Server(secret, socket.gethostbyname(host), ports, self._serve)
        self.address = self._server.address
        ours, theirs = socket.socketpair()
        self._link = MasterLink(ours, self._on_master, self._on_master_gone)
        try:
            self.id = self._submit(theirs)
        except BaseException:
            self._server.close()
            ours.close()
            raise
        finally:
            theirs.close()
        self._containers = Containers(
            Application(sc, self.id, plan, self._payload, work, secret, self.address),
            self._link.send,
        )
        self._stop_key = stop_key.leave(self.id, self.address[1], secret)
        self._link.start()

    # ---- what programs ask

    def await_nodes(self, timeout: float) -> None:
        """Waits until every node has begun, or the job has already succeeded: a serving node can be
        ended before it reports when the others finish that quickly. JobError with the cause if one
        fails; Exception with the missing nodes after `timeout` seconds.
        """

        def decided() -> bool:
            return self._failure is not None or self._gone or self._enough()

        with self._changed:
            if not self._changed.wait_for(decided, timeout):
                raise Exception(f"timed out waiting for reservations: {self._missing()}")
        self.raise_failure()

    @property
    def failure(self) -> str | None:
        """Why the job failed, in the words of the node that did; None if it has not."""
        return self._failure

    def raise_failure(self) -> None:
        """JobError if the job has failed."""
        if self._failure is not None:
            raise JobError(self._failure)

    def explain(self, failure: Exception | None) -> None:
        """JobError if the job has failed, or with what its node said in Spark's `failure`."""
        said = words_in(failure) if failure is not None else None
        if said is not None:
            self.settle()
        if self._failure is not None or said is not None:
            raise JobError(self._failure or said) from failure

    def settle(self) -> None:
        """Waits briefly until it is known what the end of a node means for the job."""
        self.wait(_SETTLE_SECONDS)

    def look_for_application(self) -> None:
        """Fails a job at once if its Spark application has ended: no container will come back."""
        if self._containers.application_runs():
            return
        with self._changed:
            if self._closing or self._gone or self._failure is not None:
                return
            self._failure = (
                f"the Spark application has ended, and {self.id} with it, before its programs had: "
                "call shutdown() before SparkContext.stop()"
            )
            self._changed.notify_all()
        self.stop("the end of the Spark application")
        self._containers.close(self._failure)

    @property
    def running(self) -> bool:
        """The job has not ended."""
        return not self._gone

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the job's end; false if that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: self._gone, timeout)

    def wait_for_failure(self, other: Callable[[], bool]) -> None:
        """Waits until the job has failed or `other` returns true; wake() checks again."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure is not None or other())

    def wake(self) -> None:
        """A condition that waiting calls check may have changed."""
        with self._changed:
            self._changed.notify_all()

    def end_of_feed(self, queue: str | None = None) -> None:
        """No more rows will come through a queue (None: any): programs read what is left.
        """
        with self._changed:
            ended = self.plan.queues if queue is None else [queue]
            self._feeds_ended.extend(ended)
            channels = list(self._channels.values())
        for channel in channels:
            channel.send({"do": "end-of-feed", "queues": ended})

    def stop(self, by: str) -> None:
        """Stops the job, with its grace period."""
        self._link.send({"is": "stop", "by": by})

    def close(self) -> None:
        """Releases everything; a job that still runs is ended."""
        with self._changed:
            self._closing = True
        self._link.close()
        self.wait(_CLOSE_SECONDS)
        self._server.close()
        self._stop_key.unlink(missing_ok=True)

    def results(self) -> dict[str, list[Any]]:
        """What the programs returned, by role in the order of their indices; waits for the Spark
        tasks that collect it. JobError if the job failed or a result is lost.
        """
        awaited = {
            role: self._gave_results(role)
            for role in self.plan.template
            if self.plan.gives_results(role)
        }
        wanted = {(role, index) for role, indices in awaited.items() for index in indices}
        if self.plan.fed:
            self._containers.fetch_results(wanted, _RESULTS_SECONDS)
        arrived = self._containers.wait_results(wanted, _RESULTS_SECONDS)
        if self._failure is not None or not arrived:
            raise JobError(self._failure or f"results of {self.id} were lost with their executors")
        given = self._containers.results
        return {role: [given[role, index] for index in each] for role, each in awaited.items()}

    def _gave_results(self, role: str) -> list[int]:
        """The indices of the nodes that must have results."""
        everyone = range(len(self.plan.template[role]))
        with self._changed:
            return [i for i in everyone if role not in self.plan.fewest or
                    self._ends.well(f"{role}:{i}")]  # fmt: skip

    @property
    def feed_library(self) -> str:
        """The name under which executors find the feed library."""
        return self._payload.library

    def feed_settings(self, queue: str, timeout: float) -> FeedSettings:
        """What a feeding task needs to know."""
        return FeedSettings(self.id, self._payload.library, queue, timeout)

    # ---- the master

    def _submit(self, theirs: socket.socket) -> str:
        with tempfile.NamedTemporaryFile("w", prefix="muster-", suffix=".yaml") as file:
            file.write(self.plan.specification())
            file.flush()
            command = [str(packing.program_path()), "submit", file.name, "--on", "spark", "--json",
                       "--spark-link-fd", str(theirs.fileno()),
                       "--spark-listen", self.address[0]]  # fmt: skip
            done = subprocess.run(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SUBMIT_SECONDS,
            )
        if done.returncode != 0:
            raise JobError(f"the job could not be started: {done.stderr.strip()}")
        return json.loads(done.stdout)["job"]

    def _on_master(self, message: dict[str, Any]) -> None:
        what = message["do"]
        if what == "request":
            self._containers.request(message["request"], message["role"])
        elif what == "cancel":
            self._containers.cancel(message["request"])
        elif what == "launch":
            self._containers.launch(message["container"], message["order"], message["key"])
        elif what == "release":
            self._containers.release(message["container"])
        elif what == "finish":
            self._finish(message["result"])

    def _finish(self, result: str) -> None:
        """The job is over, whatever remains of it."""
        with self._changed:
            if result != "succeeded" and self._failure is None and not self._closing:
                # Only its own words are available until the master's are on disk.
                self._failure = self._ends.first_words()
            words = self._failure or ""
            self._changed.notify_all()
        self._containers.close(words)
        self._containers.wait_ended(_FINISH_SECONDS)
        self._link.send({"is": "finished"})

    def _on_master_gone(self) -> None:
        failure = None if self._closing or self._failure is not None else self._outcome()
        with self._changed:
            self._failure = self._failure or failure
            self._gone = True
            self._changed.notify_all()
        self._containers.close(self._failure or "")
        self._server.close()

    def _outcome(self) -> str | None:
        """How the job ended according to the master; None for a success."""
        done = subprocess.run(
            [str(packing.program_path()), "status", self.id, "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        try:
            outcome = json.loads(done.stdout)["outcome"]
        except (ValueError, KeyError):
            outcome = None
        if outcome is None:
            return (f"the master of {self.id} ended without an error message: "
                    f"see `muster show {self.id}`")
        if outcome["result"] == "succeeded":
            return None
        cause = outcome.get("first_cause")
        with self._changed:
            first = self._ends.first_words()
            words = self._ends.words(cause["task"]) if cause else None
        if words:
            return words
        if cause:
            if losses := self._containers.losses(_LOSS_SECONDS):
                return f"{outcome['message']}: {losses}"
            return f"{cause['task']}: {cause.get('evidence') or 'it left no error message'}"
        return first or f"job {self.id} {outcome['result']}: see `muster show {self.id}`"

    # ---- nodes and holders

    def _serve(self, channel: Channel) -> None:
        """One connection: a holder's, a node's, or a node's final message. Anything that is not one
        of their messages ends it: a program has its container's key, too.
        """
        try:
            while (message := channel.receive()) is not None:
                self._on_peer(channel, shown(message))
        except (KeyError, TypeError, ValueError, ChannelError) as failure:
            self._complaints.add(
                logging.WARNING, channel.name, "a message of %s was not understood: %s",
                channel.name, repr(failure)[:500],
            )
        self._containers.on_gone(channel)
        self.look_for_application()

    def _on_peer(self, channel: Channel, message: dict[str, Any]) -> None:
        what = message["is"]
        if what in ("node", "exit"):
            role = self._containers.role_of(channel.name)
            with self._changed:
                self._speakers.check(channel.name, role, message)
        if what == "stop-stream" and channel.name != stop_key.NAME:
            raise ChannelError("a program ends the stream of others")
        if what == "node":
            self._begun(channel, message)
        elif what == "terminating":
            self.terminating.set()
            self.wake()
        elif what == "stop-stream":
            self.stream_stopped.set()
            channel.send({"do": "noted"})
        elif what == "exit":
            self._exited(channel.name, message)
            channel.send({"do": "noted"})
        else:
            self._containers.on_message(channel, message)

    def _begun(self, channel: Channel, message: dict[str, Any]) -> None:
        with self._changed:
            self._channels[channel.name] = channel
            self.nodes[message["executor_id"]] = message
            self._ends.begun(f"{message['role']}:{message['index']}", message["attempt"])
            complete = self._enough()
            ended = list(self._feeds_ended)
            self._changed.notify_all()
        if ended:
            channel.send({"do": "end-of-feed", "queues": ended})
        if complete:
            self._containers.go()

    def _exited(self, container: str, message: dict[str, Any]) -> None:
        if message["failed"] and message["stopped"]:
            return
        name = f"{message['role']}:{message['index']}"
        words = words_of(message) if message["failed"] else None
        if words is not None:
            self._complaints.add(logging.ERROR, container, "%s failed:\n%s", name, words)
        with self._changed:
            self._ends.ended(name, message["attempt"], words)

    def _present(self, role: str) -> list[int]:
        """The nodes of a role that have begun, by their indices."""
        return [one["index"] for one in self.nodes.values() if one["role"] == role]

    def _enough(self) -> bool:
        """Whether as many nodes have begun as there must be."""
        return all(len(self._present(role)) >= self.plan.least(role) for role in self.plan.template)

    def _missing(self) -> str:
        with self._changed:
            present = {role: self._present(role) for role in self.plan.template}
        least = {role: self.plan.least(role) for role in self.plan.template}
        missing = [
            f"{role}:{index}"
            for role, nodes in self.plan.template.items()
            for index in range(len(nodes))
            if len(present[role]) < least[role] and index not in present[role]
        ]
        count = sum(max(0, least[role] - len(present[role])) for role in least)
        return (
            f"{count} of {sum(least.values())} nodes missing ({', '.join(missing)}); "
            f"Spark has given {self._containers.granted} slots so far: "
            "does the application have enough free executor cores?"
        )
