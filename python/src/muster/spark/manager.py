"""`ctx.mgr`: a node's queues and values, as programs for TensorFlowOnSpark expect them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Value:
    """A value as the old managers showed it: str() includes the quotes of its repr()."""

    def __init__(self, value: Any):
        self._value = value

    def __str__(self) -> str:
        return repr(self._value)

    def __eq__(self, other: object) -> bool:
        return self._value == (other._value if isinstance(other, _Value) else other)

    def __hash__(self) -> int:
        return hash(self._value)


class NodeManager:
    """The node's queues and values, in its own process."""

    def __init__(self, queues: dict[str, Any], terminating: Callable[[], None]):
        """`terminating` is called when the program wants no more rows."""
        self._values: dict[str, Any] = {"state": "running"}
        self._terminating = terminating
        self._queues = queues

    def get_queue(self, name: str) -> Any:
        """The queue of that name, None if there is none."""
        return self._queues.get(name)

    def get(self, key: str) -> Any:
        """A value; its str() has quotes, as programs expect."""
        return _Value(self._values[key])

    def set(self, key: str, value: Any) -> None:
        """Sets a value; state 'terminating' ends the feed for good."""
        self._values[key] = value
        if key == "state" and value == "terminating":
            self._terminating()

    def feeds(self) -> list[Any]:
        """The queues that rows come from."""
        return [one for one in self._queues.values() if hasattr(one, "inbox")]
