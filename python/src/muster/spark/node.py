"""One task of a job on Spark: `python -m muster.spark.node`, started by the container's agent.

Two processes: the user's program runs in the child; the parent is small, waits for it, and records
how it ended where feeding tasks and the driver find it, before it ends the same way.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import resource
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from muster.spark import folders
from muster.spark.channel import connect
from muster.spark.errors import ChannelError

_PR_SET_PDEATHSIG = 1
_WORDS_MOST = 64 << 10
_NOTED_SECONDS = 10.0


class Place:
    """What a node knows about itself."""

    def __init__(self):
        """From the container's folder and the agent's environment."""
        self.folder = Path(os.environ["SPARK_NODE_FOLDER"])
        self.settings: dict[str, Any] = folders.read_json(self.folder / "node.json")
        self.role = os.environ["MUSTER_ROLE"]
        self.index = int(os.environ["MUSTER_INDEX"])
        self.attempt = int(os.environ["MUSTER_ATTEMPT"])
        self.generation = int(os.environ["MUSTER_GENERATION"])
        self.restarts = int(os.environ.get("MUSTER_RESTARTS", "0"))
        view = os.environ.get("MUSTER_VIEW") or Path(os.environ["MUSTER_VIEW_FILE"]).read_text()
        members: dict[str, list[str | None]] = json.loads(view)
        # The tasks that start, or run, in this generation; a missing task has no address.
        self.view = {role: [one for one in nodes if one] for role, nodes in members.items()}
        self.address: str = members[self.role][self.index] or ""
        # Its place among the others: counted anew if all restart when one comes or goes.
        closes_up = self.role in self.settings["closes_up"]
        before = sum(1 for one in members[self.role][: self.index] if one)
        self.position = before if closes_up else self.index

    @property
    def name(self) -> str:
        """For people: "worker:1"."""
        return f"{self.role}:{self.index}"

    def connect(self):
        """A channel to the driver."""
        return connect(
            tuple(self.settings["driver"]),
            self.settings["container"],
            bytes.fromhex(self.settings["key"]),
        )

    def facts(self) -> dict[str, Any]:
        """What identifies this run of the task."""
        return {
            "role": self.role,
            "index": self.index,
            "attempt": self.attempt,
            "generation": self.generation,
        }


def main() -> int:
    """The whole life of both processes; returns the child's exit status in the child."""
    place = Place()
    # open.json first: with it but without ended.json a node that has ended would seem to be there.
    for name in ("open.json", "failure.json", "ended.json", "result.pkl"):
        (place.folder / name).unlink(missing_ok=True)
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        return _child(place)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, status = os.waitpid(child, 0)
    if status == 0 and not (place.folder / "result.pkl").exists():
        _leave_result(place, None)  # It exited by itself, normally.
    _leave_word(place, status, bool(stopped))
    if os.WIFSIGNALED(status):
        # The same end as the child's, so that the agent sees what it was, but without a second core
        # dump.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _leave_word(place: Place, status: int, stopped: bool) -> None:
    ended: dict[str, Any] = dict(place.facts(), stopped=stopped)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        ended["signal"] = number
        words = f"{place.name} was killed by {signal.Signals(number).name} ({number})"
    else:
        ended["code"] = os.WEXITSTATUS(status)
        words = f"{place.name} ended with exit code {ended['code']}"
    failure = folders.read_json(place.folder / "failure.json")
    ended["words"] = failure["words"] if failure else words
    ended["failed"] = status != 0
    ended["terminating"] = (place.folder / "terminating").exists()
    folders.write_json(place.folder / "ended.json", ended)
    try:
        channel = place.connect()
    except (OSError, ChannelError):
        return  # The agent tells the master; this only adds more detail.
    channel.send(dict(ended, **{"is": "exit"}))
    # The driver gets the words before it learns of the end.
    channel.receive(_NOTED_SECONDS)
    channel.close()


def _child(place: Place) -> int:
    try:
        _run(place)
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            _tell_failure(place)
        raise
    except BaseException:
        _tell_failure(place)
        return 1
    return 0


def _tell_failure(place: Place) -> None:
    """The program's own error goes to its stderr and to its feeders."""
    words = traceback.format_exc()
    folders.write_json(place.folder / "failure.json", {"words": words[-_WORDS_MOST:]})
    sys.stderr.write(words)
    sys.stderr.flush()


def _run(place: Place) -> None:
    settings = place.settings
    os.environ["MUSTER_FEED_LIBRARY"] = settings["library"]
    for path in settings["sys_path"]:
        if path not in sys.path:
            sys.path.append(path)
    from muster.spark.map_fun import run_map_fun
    from muster.spark.spark_files import Files
    from muster.spark.work import load_work

    # Programs find the application's files by relative names, as Spark's tasks do.
    os.chdir(settings["cwd"])
    sys.meta_path.insert(0, Files(settings["files"]))

    function, arguments = load_work(place.folder / "work.pkl")
    _leave_result(place, run_map_fun(place, function, arguments))


def _leave_result(place: Place, result: Any) -> None:
    """The driver gets it as the result of the Spark task."""
    if place.settings["results"]:
        data = pickle.dumps((place.role, place.index, result), protocol=5)
        folders.write(place.folder / "result.pkl", data)


if __name__ == "__main__":
    sys.exit(main())
