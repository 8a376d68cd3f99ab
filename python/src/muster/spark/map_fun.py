"""Calls the user's function as TensorFlowOnSpark did: `map_fun(args, ctx)`."""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

from muster.spark import folders
from muster.spark.environment import set_environment
from muster.spark.manager import NodeManager
from tensorflowonspark import tensorboard
from tensorflowonspark.context import TFNodeContext, hold_port

_log = logging.getLogger(__name__)


def run_map_fun(place: Any, function: Callable[[Any, Any], Any], arguments: Any) -> Any:
    """Sets up the function's environment and returns its result."""
    settings = place.settings
    channel = place.connect()
    (place.folder / "terminating").unlink(missing_ok=True)

    def terminating() -> None:
        folders.write(place.folder / "terminating", b"")
        channel.send({"is": "terminating"})

    if settings["fed"]:
        from muster.spark.inlets import keep_freed_memory, open_door

        keep_freed_memory()
        manager = open_door(place.folder, settings["queues"], terminating)
    else:
        manager = NodeManager({name: queue.Queue() for name in settings["queues"]}, terminating)
    host, _, port = place.address.rpartition(":")
    number = _executor_id(settings["template"], place.role, place.index)
    shown, shown_port, shown_path = None, 0, ""
    if settings["tensorboard"] and tensorboard.shown_by(place.view, place.role, place.position):
        shown, shown_port, shown_path = tensorboard.start(settings["log_dir"], number, host)
    channel.send(
        dict(
            place.facts(),
            **{"is": "node"},
            executor_id=number,
            host=host,
            port=int(port),
            pid=os.getpid(),
            tb_pid=shown.pid if shown else 0,
            tb_port=shown_port,
            tb_path=shown_path,
        )
    )
    threading.Thread(
        target=_listen, args=(channel, manager), name="muster-driver", daemon=True
    ).start()
    _set_environment(place, arguments)
    context = _context(place, manager, int(port))
    if isinstance(arguments, list):
        sys.argv = arguments
    # From here on feeding tasks are let in.
    folders.write_json(place.folder / "open.json", dict(place.facts(), pid=os.getpid()))
    try:
        return function(arguments, context)
    finally:
        for feed in manager.feeds():
            feed.inbox.close()
        if shown is not None:
            shown.terminate()


def _listen(channel: Any, manager: NodeManager) -> None:
    while (message := channel.receive()) is not None:
        if message.get("do") == "end-of-feed":
            for feed in manager.feeds():
                if feed.name in message["queues"]:
                    feed.inbox.end()


def _executor_id(template: dict[str, list[int]], role: str, index: int) -> int:
    """The node's number, counted over all roles in the order of the template."""
    return template[role][index]


def _set_environment(place: Any, arguments: Any) -> None:
    # Programs without a chief train independently, as they always did.
    os.environ.pop("TF_CONFIG", None)
    set_environment(
        place.role, place.position, place.view, arguments, place.settings["spark_gpus"],
        place.address,
    )  # fmt: skip
    _log.info("%s: CUDA_VISIBLE_DEVICES=%s", place.name, os.environ["CUDA_VISIBLE_DEVICES"])


def _context(place: Any, manager: NodeManager, port: int) -> TFNodeContext:
    settings = place.settings
    context = TFNodeContext(
        executor_id=_executor_id(settings["template"], place.role, place.index),
        job_name=place.role,
        task_index=place.position,
        cluster_spec=place.view,
        defaultFS=settings["default_fs"],
        working_dir=settings["working_dir"],
        mgr=manager,
        tmp_socket=None if settings["release_port"] else hold_port(port),
    )
    context.generation = place.generation
    context.restart_count = place.restarts
    context.checkpoint_dir = os.environ.get("MUSTER_CHECKPOINT_DIR")
    return context
