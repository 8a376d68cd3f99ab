"""The nodes that the tasks of an executor can feed, and what it means for them when a node ends."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from muster.spark import folders

_WAIT_FOR_NODE = 60.0
# After the end of a container, how the job continues is known within this time.
_NEWS_SECONDS = 15.0


class NodeEndedError(Exception):
    """The node will read no more rows; the exception has its own message."""


class InferenceError(Exception):
    """The node does not return what inference needs: trying again cannot help."""


class NodeRestartsError(Exception):
    """The node ended, and the job restarts it."""


class NoMoreWantedError(Exception):
    """The node asked for the end of the feed and has ended: rows may be discarded."""


def is_final(ended: dict[str, Any]) -> bool:
    """Whether it is known already that this end of a node is final, or that it is not. After a
    failure the job decides.
    """
    return ended["stopped"] or not ended["failed"]


def is_left_behind(node: Path) -> bool:
    """Whether the container of a node has ended and the job continues without it."""
    gone = node / "gone"
    if not gone.exists() or (node / "over.json").exists():
        return False
    settings = folders.read_json(node / "node.json")
    return settings["elastic"] or time.time() - gone.stat().st_mtime >= _NEWS_SECONDS


def ending(ended: dict[str, Any], node: Path) -> Exception:
    """What a feeding task raises for this end of a node."""
    over = folders.read_json(node / "over.json")
    if over is not None and over["words"]:
        return NodeEndedError(f"Exception in worker:\n{over['words']}")
    if ended["failed"] and not ended["stopped"]:
        return NodeEndedError(f"Exception in worker:\n{ended['words']}")
    if ended["terminating"] and not ended["failed"]:
        return NoMoreWantedError(f"{ended['role']}:{ended['index']} wanted no more rows")
    if ended["stopped"]:
        return NodeRestartsError(
            f"{ended['role']}:{ended['index']} was stopped to restart with its peers"
        )
    return NodeEndedError(
        f"Exception in worker:\nmap_fun of {ended['role']}:{ended['index']} returned before the "
        "end of the feed; a program that wants no more rows must call "
        "DataFeed.terminate() first, and results of inference() must be computed before shutdown()"
    )


def find_node(process: int, job: str, timeout: float, only_here: bool) -> Path | None:
    """The node that rows of this executor go to: its own, else one of another executor of this
    host; None if there is none. Waits for one that is starting or restarting. NodeEndedError if the
    job is over, or its node returned; NoMoreWantedError if it needs no more rows.

    `only_here`: others of this host count only while they take rows, and not at all in a job whose
    nodes come and go: the slot of an executor without a node may be what its next node waits for.
    For the same reason the slot is given back, through an exception, if no other node has started
    for a while.
    """
    begun = time.monotonic()
    while True:
        states = _states(folders.containers(process, job))
        patience = max(timeout, _WAIT_FOR_NODE)
        if all(state == "never" for state, _ in states):
            patience = _WAIT_FOR_NODE
            # Rings belong to a host, not to an executor.
            others = folders.neighbours(process, job)
            states += [one for one in _states(others) if not only_here or _lends(*one)]
        ready = [container for state, container in states if state == "open"]
        if ready:
            return ready[os.getpid() % len(ready)]
        if not any(state == "starting" for state, _ in states):
            _from_ended(states)
            return None
        if time.monotonic() - begun > patience:
            raise Exception(
                "Timeout while feeding partition: the node of this executor has not started in "
                f"{patience:g} s"
            )
        time.sleep(0.05)  # lint: allow(sleep) files tell nobody


def _states(found: list[Path]) -> list[tuple[str, Path]]:
    return [(_state(container), container) for container in found]


def _lends(state: str, container: Path) -> bool:
    """Whether a node takes the rows of an executor that may still get one of its own."""
    settings = folders.read_json(container / "node.json")
    elastic = settings is not None and settings["elastic"]
    return state == "ended" or (state == "open" and not elastic)


def _state(container: Path) -> str:
    """Whether rows can go to a container: "open", "starting", "ended" or "never"."""
    settings = folders.read_json(container / "node.json")
    if settings is None:
        return "starting"
    if not settings["fed"]:
        return "never"
    ended = folders.read_json(container / "ended.json")
    returned = ended is not None and not ended["failed"] and not ended["stopped"]
    if returned or (container / "over.json").exists():
        return "ended"
    gone = container / "gone"
    if gone.exists():
        if settings["elastic"]:
            return "never"  # The others continue without it.
        # How the job continues, or why it ended, will be known in a moment.
        fresh = time.time() - gone.stat().st_mtime < _NEWS_SECONDS
        return "starting" if fresh else "never"
    opened = folders.read_json(container / "open.json")
    return "starting" if opened is None or ended is not None else "open"


def _from_ended(states: list[tuple[str, Path]]) -> None:
    """Raises what the ends of this executor's nodes mean for its rows; nothing if it never had
    one.
    """
    for state, container in states:
        if state != "ended":
            continue
        over = folders.read_json(container / "over.json")
        if over is not None and over["words"]:
            raise NodeEndedError(f"Exception in worker:\n{over['words']}")
        ended = folders.read_json(container / "ended.json")
        if ended is not None:
            raise ending(ended, container)
