"""The Spark task that turns an executor's slot into a container of a job."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muster.spark import folders, spark_files

_SPARK_JAR = re.compile(r"spark-core_.*\.jar")
# A stub gives its agent two seconds; less than the driver waits for our answer.
_STUB_SECONDS = 8.0


@dataclass(frozen=True)
class Slot:
    """What the driver gives to one container, through Spark's own channel."""

    job: str
    container: str
    driver: tuple[str, int]
    key: str
    pad: str
    program: str  # Names for SparkFiles.get().
    library: str
    node: dict[str, Any] = field(default_factory=dict)  # What the task's process reads, as JSON.
    work: bytes = b""  # The pickled function and its arguments.
    background: bool = False
    # If nodes come later: how many cores each stands for, so that an executor has no more nodes
    # than slots; else 0. And the containers that have ended.
    cores: int = 0
    gone: tuple[str, ...] = ()


FULL = "full"  # The executor has as many nodes as slots.


@dataclass(frozen=True)
class Held:
    """How holding a slot ended: the holder's last message, and the program's pickled result if it
    ended.
    """

    last: str
    result: bytes | None = None


def hold(slot: Slot, program: str, library: str, process: int, host: str) -> Held:
    """Starts the holder and waits: for the container's end, or, in the background, until all
    containers of the job are there.
    """
    folder = folders.make_container(process, slot.job, slot.container)
    node = dict(
        slot.node,
        driver=list(slot.driver),
        container=slot.container,
        key=slot.key,
        library=library,
        sys_path=module_folders(),
        spark_gpus=_spark_gpus(),
        cwd=os.getcwd(),
        files=spark_files.folder(),
    )
    folders.write_json(folder / "node.json", node)
    folders.write(folder / "work.pkl", slot.work)
    order = {
        "folder": str(folder),
        "driver": list(slot.driver),
        "container": slot.container,
        "key": slot.key,
        "pad": slot.pad,
        "program": program,
        "process": process,
        "ticks": folders.start_ticks(process),
        "executor": folders.executor_name(process),
        "host": host,
        "environment": {
            "PYTHONPATH": os.pathsep.join(module_folders()),
            "SPARK_NODE_PYTHON": sys.executable,
        },
    }
    environment = dict(os.environ)
    # The holder needs only this package; its order says what the program finds.
    environment["PYTHONPATH"] = _own_folder()
    with open(folder / "container.log", "ab") as log:
        holder = subprocess.Popen(
            [sys.executable, "-m", "muster.spark.holder"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            start_new_session=True,
            text=True,
        )
    holder.stdin.write(json.dumps(order) + "\n")
    holder.stdin.flush()
    last = _wait(holder, folder, slot.background)
    result = folder / "result.pkl"
    return Held(last, result.read_bytes() if last == "ended" and result.exists() else None)


def module_folders() -> list[str]:
    """Where this worker's modules come from. Spark names fetched files relative to the worker's
    folder, and the program runs in another one. Spark's own jar, which is on the path of every
    worker and has no modules, is left out: Python reads its thousands of names at each start.
    """
    found = (os.path.abspath(path) for path in sys.path if path)
    return [path for path in found if not _SPARK_JAR.fullmatch(os.path.basename(path))]


def _own_folder() -> str:
    """Where this package is: a folder, or the archive that the driver sent."""
    return os.path.abspath(__file__).rpartition(f"{os.sep}muster{os.sep}spark{os.sep}")[0]


def _wait(holder: subprocess.Popen, folder: Path, background: bool) -> str:
    last = ""
    for line in holder.stdout:
        last = line.strip()
        if last == "go" and background:
            holder.stdin.write("background\n")
            holder.stdin.flush()
        if last == "ended" or (last == "go" and background):
            # Not waited for: it lives on, and this Python worker serves other tasks.
            threading.Thread(target=holder.wait, daemon=True).start()
            break
    else:
        holder.wait()
        _outlive_stub(folder)
        log = (folder / "container.log").read_text(errors="replace")
        last = f"lost: the holder of {folder.name} ended: {last} {log[-1000:]}".strip()
    holder.stdout.close()
    holder.stdin.close()
    return last


def _outlive_stub(folder: Path) -> None:
    """Waits until the stub of a container whose holder was killed is gone, and with it everything
    below: the kernel has told it to end. Some seconds at most.
    """
    stub = folders.read_json(folder / "stub.json")
    if stub is None:
        return
    if not folders.wait_end(**stub, seconds=_STUB_SECONDS):
        with contextlib.suppress(OSError):
            os.kill(stub["pid"], signal.SIGKILL)


def _spark_gpus() -> list[str]:
    """The GPUs that Spark gave to this task."""
    try:
        from pyspark import TaskContext
    except ImportError:
        return []
    context = TaskContext.get()
    resources = context.resources() if context is not None else {}
    return list(resources["gpu"].addresses) if "gpu" in resources else []


def run_slot(slots: Iterator[Slot]) -> Iterator[Held]:
    """The function of the one-task Spark job: mapPartitions over the slot. Whatever goes wrong is
    its result, never its failure: the job decides about retries, not Spark.
    """
    import socket

    from pyspark import SparkFiles

    for slot in slots:
        try:
            if _is_full(slot):
                yield Held(FULL)
                continue
            yield hold(
                slot,
                SparkFiles.get(slot.program),
                SparkFiles.get(slot.library),
                folders.executor_process(),
                socket.gethostname(),
            )
        except Exception as failure:
            yield Held(f"lost: {type(failure).__name__}: {failure}")


def _is_full(slot: Slot) -> bool:
    """Whether this executor can have no more nodes of the job."""
    process = folders.executor_process()
    cores = folders.executor_cores(process)
    if not slot.cores or not cores:
        return False
    found = folders.containers(process, slot.job)
    live = [one for one in found if one.name not in slot.gone and not (one / "gone").exists()]
    return len(live) >= max(1, cores // slot.cores)


def find_results(job: str) -> Callable[[Iterator], Iterator[tuple[int, bytes]]]:
    """The function for mapPartitions that collects what the ended programs of a job returned on
    this executor: (attempt, pickled) each.
    """

    def find(_: Iterator) -> Iterator[tuple[int, bytes]]:
        for container in folders.containers(folders.executor_process(), job):
            ended = folders.read_json(container / "ended.json")
            result = container / "result.pkl"
            if ended is not None and not ended["failed"] and result.exists():
                yield ended["attempt"], result.read_bytes()

    return find
