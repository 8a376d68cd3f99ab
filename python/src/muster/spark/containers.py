"""The containers of a job: one Spark task each, and the holder that it starts."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import os
import pickle
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark import StorageLevel, inheritable_thread_target

from muster.spark import fitness, packing, precedence, slot
from muster.spark.channel import Channel, container_key, mask
from muster.spark.plan import JobPlan

_KEY_BYTES = 32
_DIAGNOSTICS_MOST = 4000
# What a lost holder leaves behind needs this long to end: its stub is told by the kernel, and its
# keeper gives the agent two seconds. Meanwhile Spark may say why the executor was lost.
_LEAVES_SECONDS = 2.5
# If the Spark task of the slot is still there, it sees all of that go. A live holder ends its
# container within two seconds and says so; one that hangs is not waited for any longer: nobody can
# see what becomes of its container.
_UNSEEN_SECONDS = 10.0
_EXIT_STATUS = re.compile(r"(?:exit(?:ed)?(?: with)? (?:status|code):?|exitCode:) *(-?\d+)", re.I)
# What Spark says instead of YARN's own exit status.
_SAID_FOR_STATUS = {
    "physical memory limits": "-104",
    "virtual memory limits": "-103",
    "was preempted": "-102",
}
# How often Spark is asked for new executors: it does not announce them.
_ROOM_SECONDS = 0.5


@dataclass
class _Container:
    """One container, from the request to its end."""

    name: str
    request: int
    role: str
    pad: bytes
    channel: Channel | None = None  # To its holder.
    executor: str = ""  # Spark's name of its executor.
    granted: bool = False
    lost: str = ""  # How it was lost, if it was.
    released: bool = False
    slot_over: bool = False  # Its Spark task has ended: nothing on the executor watches it.
    ended: bool = False


@dataclass(frozen=True)
class Application:
    """What the containers of one job have in common."""

    sc: Any
    job: str
    plan: JobPlan
    payload: packing.Payload
    work: bytes
    secret: bytes
    address: tuple[str, int]


class Containers:
    """Asks Spark for what the master requests. `tell` sends a message to the master. Calls are
    for any thread.
    """

    def __init__(self, application: Application, tell: Callable[[dict[str, Any]], None]):
        self._application = application
        self._tell = tell
        self._changed = threading.Condition(threading.RLock())
        self._all: dict[str, _Container] = {}
        self._closed = False
        self._kept: list[Any] = []  # RDDs whose blocks keep executors from looking idle.
        # Role and index → what the program returned.
        self.results: dict[tuple[str, int], Any] = {}

    # ---- what the master asks

    def request(self, number: int, role: str) -> None:
        """Asks Spark for a slot."""
        container = _Container(f"c{number}", number, role, os.urandom(_KEY_BYTES))
        with self._changed:
            self._all[container.name] = container
        try:
            hold = inheritable_thread_target(self._hold)
        except AssertionError:  # This is how pyspark says that there is no application any more.
            self._ended(container, None, "the Spark application has ended")
            return
        threading.Thread(
            target=hold, args=(container,), name=f"muster-{container.name}", daemon=True
        ).start()

    def cancel(self, number: int) -> None:
        """The slot is no longer needed."""
        self.release(f"c{number}")

    def launch(self, name: str, order: str, key: str) -> None:
        """Has the holder start keeper and agent. The agent's key travels masked."""
        container = self._all[name]
        masked = mask(bytes.fromhex(key), container.pad).hex()
        channel = container.channel
        message = {"do": "launch", "order": order, "masked": masked}
        if channel is None or not channel.send(message):
            self._launch_failed(name, "the connection to its holder is gone")

    def release(self, name: str) -> None:
        """Ends a container; its slot goes back to Spark."""
        with self._changed:
            container = self._all.get(name)
            if container is None or container.released:
                return
            container.released = True
            channel = container.channel
        if channel is not None:
            channel.send({"do": "release"})
        elif not container.ended:
            self._give_up(container)

    def close(self, words: str) -> None:
        """The job is over: tells every holder why, and gets every slot back."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            everyone = list(self._all.values())
            kept, self._kept = self._kept, []
        for container in everyone:
            if container.channel is not None:
                container.channel.send({"do": "over", "words": words})
            self.release(container.name)
        for blocks in kept:
            with contextlib.suppress(Exception):  # The application may have ended.
                blocks.unpersist()

    # ---- what others say

    def go(self) -> None:
        """The gang is complete: tasks that only hold a slot for it may end."""
        with self._changed:
            channels = [one.channel for one in self._all.values() if one.channel]
        for channel in channels:
            channel.send({"do": "go"})

    def role_of(self, name: str) -> str:
        """The role of a container; KeyError if there is none of that name."""
        with self._changed:
            return self._all[name].role

    def on_message(self, channel: Channel, message: dict[str, Any]) -> None:
        """Handles a holder's messages."""
        what = message["is"]
        if what == "slot":
            self._granted(channel, message)
            return
        with self._changed:
            container = self._all[channel.name]
            if container.channel is not channel:
                return
        if what == "ended":
            code, words = message["exit_code"], message["words"]
            if code is None:
                container.lost = words
            self._ended(container, code, words)
        elif what == "launch-failed":
            self._launch_failed(channel.name, message["reason"])

    def on_gone(self, channel: Channel) -> None:
        """A connection closed: if it was a holder's, its container has ended."""
        with self._changed:
            container = self._all.get(channel.name)
            if container is None or container.channel is not channel:
                return
            words = "the executor, or the holder of its slot, is gone"
            told = container.ended or self._closed
            if not told and not container.released:
                container.lost = words
        if not told:
            begun = time.monotonic()
            removed = self._removal(container.executor, _LEAVES_SECONDS)
            words = removed or words
            self._wait_until(lambda: container.ended or self._closed, begun + _LEAVES_SECONDS)
            if not removed:
                self._wait_until(
                    lambda: container.ended or self._closed or container.slot_over,
                    begun + _UNSEEN_SECONDS,
                )
        self._ended(container, None, words)

    def losses(self, seconds: float) -> str:
        """How containers were lost, in Spark's words if they come within this time; "" if none was.
        """
        with self._changed:
            lost = [one for one in self._all.values() if one.lost]
        deadline = time.monotonic() + seconds
        said: dict[str, str] = {}
        while any(one.executor not in said for one in lost) and time.monotonic() < deadline:
            said = self._removals()
            time.sleep(0.1)  # lint: allow(sleep) Spark tells nobody when it knows
        told = [f"executor {one.executor}: {said.get(one.executor, one.lost)}" for one in lost]
        return "; ".join(dict.fromkeys(told))

    def application_runs(self) -> bool:
        """Whether the Spark application has neither ended nor begun to end."""
        context = self._application.sc._jsc  # None when SparkContext.stop() is through.
        try:
            return context is not None and not context.sc().isStopped()
        except Exception:  # Spark's process is gone.
            return False

    @property
    def granted(self) -> int:
        """How many slots Spark has given."""
        with self._changed:
            return sum(one.granted for one in self._all.values())

    def wait_ended(self, seconds: float) -> None:
        """Waits at most this long until every container has ended."""
        deadline = time.monotonic() + seconds
        self._wait_until(
            lambda: all(one.ended or not one.granted for one in self._all.values()), deadline
        )

    # ---- Spark

    def _hold(self, container: _Container) -> None:
        """Runs the Spark task of a container, from the request to its end."""
        application = self._application
        plan = application.plan
        wanted = slot.Slot(
            job=application.job,
            container=container.name,
            driver=application.address,
            key=container_key(application.secret, container.name).hex(),
            pad=container.pad.hex(),
            program=application.payload.program,
            library=application.payload.library,
            node=plan.node_settings(container.role),
            work=application.work,
            background=plan.fed and container.role not in plan.on_driver,
            cores=self._cores_of_slot() if plan.fed and plan.fewest else 0,
        )
        try:
            on_driver = container.role in plan.on_driver
            held = _hold_here(wanted) if on_driver else self._hold_on_executor(wanted)
        except Exception as failure:
            held = slot.Held(f"lost: the Spark task ended: {str(failure)[:2000]}")
        with self._changed:
            container.slot_over = True
            self._changed.notify_all()
        if held.last == "go":
            return
        if held.result is not None:
            # It came as the result of a Spark task, through Spark's own channel.
            role, index, value = pickle.loads(held.result)
            with self._changed:
                self.results[role, index] = value
                self._changed.notify_all()
        self._see_the_end(container)
        self._ended(container, None, held.last if held.last.startswith("lost") else "")

    def _see_the_end(self, container: _Container) -> None:
        """The Spark task of a container has ended, but its processes may outlive it: its holder is
        told to end them, and says when they are gone, if it has not already.
        """
        with self._changed:
            channel = container.channel
        if channel is not None:
            channel.send({"do": "release"})
            until = time.monotonic() + _UNSEEN_SECONDS
            self._wait_until(lambda: container.ended or self._closed, until)

    def _wait_until(self, condition: Callable[[], bool], deadline: float) -> None:
        with self._changed:
            self._changed.wait_for(condition, max(0.0, deadline - time.monotonic()))

    def fetch_results(self, wanted: set[tuple[str, int]], seconds: float) -> None:
        """Looks for the results of programs whose slots were given back: Spark tasks collect what
        is on their executors, until all are there or the time is up.
        """
        sc = self._application.sc
        deadline = time.monotonic() + seconds
        while not wanted <= self.results.keys() and time.monotonic() < deadline:
            slots = max(2 * sc.defaultParallelism, len(wanted))
            sc.setJobGroup(self._group("results"), f"{self._application.job}: results")
            tasks = sc.parallelize(range(slots), slots)
            found = tasks.mapPartitions(slot.find_results(self._application.job)).collect()
            # The newest attempt of each task counts.
            for _, data in sorted(set(found)):
                role, index, value = pickle.loads(data)
                with self._changed:
                    self.results[role, index] = value
                    self._changed.notify_all()

    def wait_results(self, wanted: set[tuple[str, int]], seconds: float) -> bool:
        """Waits until these programs have given their results; false if that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: wanted <= self.results.keys(), seconds)

    def _hold_on_executor(self, wanted: slot.Slot) -> slot.Held:
        """Holds a slot of an executor. If nodes come later, existing ones have given their slots
        back: it must not be on one of their executors.
        """
        while True:
            with self._changed:
                container = self._all[wanted.container]
                if container.released or self._closed:
                    return slot.Held("")
                gone = tuple(one.name for one in self._all.values() if one.ended)
            held = self._try_to_hold(dataclasses.replace(wanted, gone=gone))
            if held.last != slot.FULL:
                return held
            self._await_room(container, wanted.cores)

    def _await_room(self, container: _Container, cores: int) -> None:
        """Waits until some executor has fewer nodes than slots, or the container is no longer
        wanted.
        """

        def unwanted() -> bool:
            return container.released or self._closed

        with self._changed:
            while not self._changed.wait_for(unwanted, _ROOM_SECONDS):
                held = collections.Counter(
                    one.executor for one in self._all.values() if one.granted and not one.ended
                )
                if any(held[name] < max(1, has // cores) for name, has in self._executors()):
                    return

    def _cores_of_slot(self) -> int:
        """How many cores a task takes."""
        return int(self._application.sc.getConf().get("spark.task.cpus", "1"))

    def _executors(self) -> list[tuple[str, int]]:
        """The executors that Spark has now, and their cores."""
        known = self._application.sc._jsc.sc().statusStore().executorList(True)
        everyone = [known.apply(index) for index in range(known.size())]
        return [(one.id(), one.totalCores()) for one in everyone if one.id() != "driver"]

    def _try_to_hold(self, wanted: slot.Slot) -> slot.Held:
        sc = self._application.sc
        sc.setJobGroup(self._group(wanted.container), f"{wanted.job}: {wanted.container}")
        task = sc.parallelize([wanted], 1).mapPartitions(slot.run_slot)
        keeps = wanted.background and fitness.keeps_executors(sc.getConf())
        if keeps:
            # Between partitions the node holds no task, but an executor with a block stays.
            task.persist(StorageLevel.MEMORY_AND_DISK)
            with self._changed:
                self._kept.append(task)
        with precedence.put_first(sc, self._group(wanted.container)):
            held = task.collect()[0]
        if keeps and held.last == slot.FULL:
            task.unpersist()
            with self._changed:
                self._kept = [one for one in self._kept if one is not task]
        return held

    def _removals(self) -> dict[str, str]:
        """The executors that Spark has removed, and why."""
        with contextlib.suppress(Exception):  # Another Spark may not have this.
            known = self._application.sc._jsc.sc().statusStore().executorList(False)
            everyone = [known.apply(index) for index in range(known.size())]
            reasons = {one.id(): one.removeReason() for one in everyone}
            return {name: reason.get() for name, reason in reasons.items() if reason.isDefined()}
        return {}

    def _removal(self, executor: str, seconds: float) -> str:
        """Why Spark has removed the executor; "" if it does not say so within this time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.application_runs():
            if said := self._removals().get(executor):
                return said
            time.sleep(0.1)  # lint: allow(sleep) Spark tells nobody when it knows
        return ""

    def _group(self, container: str) -> str:
        return f"muster-{self._application.job}-{container}"

    def _give_up(self, container: _Container) -> None:
        """Takes back the Spark task of a container that was never granted."""
        with contextlib.suppress(Exception):  # The application may have ended.
            self._application.sc.cancelJobGroup(self._group(container.name))

    # ---- holders

    def _granted(self, channel: Channel, message: dict[str, Any]) -> None:
        with self._changed:
            container = self._all[channel.name]
            # Spark retries a task whose Python worker died, and its container with it: the master
            # requests another one.
            unwanted = container.granted or container.released or self._closed
            if not container.granted:
                container.channel = channel
                container.executor = message["executor"]
                container.granted = True
        if unwanted:
            channel.send({"do": "release"})
            return
        self._tell(
            {
                "is": "granted",
                "request": container.request,
                "container": container.name,
                "host": message["host"],
                "folder": message["folder"],
                "listen": message["listen"],
            }
        )

    def _launch_failed(self, name: str, reason: str) -> None:
        self._tell({"is": "launch-failed", "container": name, "reason": reason})

    def _ended(self, container: _Container, code: int | None, words: str) -> None:
        with self._changed:
            if container.ended:
                return
            container.ended = True
            granted, wanted = container.granted, not (container.released or self._closed)
            self._changed.notify_all()
        if not granted:
            if wanted:
                self._tell({"is": "refused", "request": container.request, "reason": words})
            return
        ended: dict[str, Any] = {
            "is": "ended",
            "container": container.name,
            "kind": "host_lost" if code is None else "completed" if code == 0 else "killed",
            "diagnostics": words[:_DIAGNOSTICS_MOST],
        }
        if code is not None and code >= 0:
            ended["exit_code"] = code
        elif code_of := exit_status_in(words):
            ended["code"] = code_of
        self._tell(ended)


def exit_status_in(words: str) -> str:
    """The exit status of a container or an executor in Spark's reason for its loss; "" if none."""
    for said, status in _SAID_FOR_STATUS.items():
        if said in words:
            return status
    found = _EXIT_STATUS.search(words)
    return found[1] if found else ""


def _hold_here(wanted: slot.Slot) -> slot.Held:
    """A container on the driver's own machine."""
    return slot.hold(
        wanted,
        str(packing.program_path()),
        str(packing.library_path()),
        os.getpid(),
        socket.gethostname(),
    )
