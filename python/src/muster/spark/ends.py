"""How nodes have ended, as they told the driver themselves."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class _End:
    attempt: int
    words: str | None  # Why it failed; None: it ended well.


class Ends:
    """The end of the newest attempt of each node. An attempt reports its beginning and its end over
    two connections, so its end may arrive first. Not thread-safe.
    """

    def __init__(self):
        self._by_name: dict[str, _End] = {}  # In the order in which they were reported.

    def begun(self, name: str, attempt: int) -> None:
        """An attempt of a node began: it supersedes what earlier ones said."""
        end = self._by_name.get(name)
        if end is not None and end.attempt < attempt:
            del self._by_name[name]

    def ended(self, name: str, attempt: int, words: str | None) -> None:
        """An attempt of a node ended: well, or with these last words. Repeated, or from an earlier
        attempt than the known one, it changes nothing.
        """
        end = self._by_name.get(name)
        if end is None or end.attempt < attempt:
            self._by_name.pop(name, None)
            self._by_name[name] = _End(attempt, words)

    def well(self, name: str) -> bool:
        """Whether this node's newest attempt has ended well."""
        end = self._by_name.get(name)
        return end is not None and end.words is None

    def words(self, name: str) -> str | None:
        """Why this node's newest attempt failed; None if it has not."""
        end = self._by_name.get(name)
        return end.words if end is not None else None

    def first_words(self) -> str | None:
        """Why the first of the failed nodes failed; None if none has."""
        return next((one.words for one in self._by_name.values() if one.words is not None), None)
