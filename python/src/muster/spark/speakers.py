"""Which messages the driver accepts from peers with a container's key, which the container's
program has.

A program speaks for the task of its own container, and what it says is shown to people.
"""

from __future__ import annotations

import collections
import logging
import re
import threading
from typing import Any

from muster.spark.errors import ChannelError

# What a terminal obeys: control characters except line breaks and tabs, and marks that reverse
# text.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

# How many messages of a container, and how many characters of each, go into the driver's log.
_SAID_MOST = 100
_WORDS_MOST = 64 << 10


def words_of(message: dict[str, Any]) -> str:
    """The last words of a program, or the end of them."""
    return str(message["words"])[-_WORDS_MOST:]


class Complaints:
    """What goes into the driver's log from containers. Nothing shortens that log, so a program that
    goes on and on is cut off. For any thread.
    """

    def __init__(self, log: logging.Logger):
        """`log`: where to."""
        self._log = log
        self._said: collections.Counter[str] = collections.Counter()
        self._lock = threading.Lock()

    def add(self, level: int, container: str, text: str, *arguments: Any) -> None:
        """Logs `text % arguments`, unless there has been enough from this container."""
        with self._lock:
            self._said[container] += 1
            said = self._said[container]
        if said <= _SAID_MOST:
            self._log.log(level, text, *arguments)
        if said == _SAID_MOST:
            self._log.warning("nothing more from %s is shown", container)


def shown(value: Any) -> Any:
    """The same value with every text in it made fit for a terminal."""
    if isinstance(value, str):
        lines = value.replace("\r\n", "\n")
        return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), lines)
    if isinstance(value, dict):
        return {shown(name): shown(one) for name, one in value.items()}
    return [shown(one) for one in value] if isinstance(value, list) else value


class Speakers:
    """Which task each container speaks for: that of its first message."""

    def __init__(self, template: dict[str, list[int]]):
        """`template`: role → the numbers of its nodes."""
        self._template = template
        self._tasks: dict[str, tuple[str, int]] = {}

    def check(self, container: str, role: str, message: dict[str, Any]) -> None:
        """ChannelError for a message from a node that does not belong to that container, which has
        `role`.
        """
        task = message["role"], message["index"]
        numbers = self._template[role]
        if task[0] != role or type(task[1]) is not int or not 0 <= task[1] < len(numbers):
            raise ChannelError(
                f"{container} speaks for {task[0]!r}:{task[1]!r}, but belongs to {role}")
        if self._tasks.setdefault(container, task) != task:
            raise ChannelError(
                f"{container} speaks for {role}:{task[1]}, a different task than before")
        if message.get("executor_id", numbers[task[1]]) != numbers[task[1]]:
            raise ChannelError(f"{container} says another node's number")
