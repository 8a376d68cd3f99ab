"""The job that a program asks for, and the specification that Muster runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Spark's executors have their own limits; the job's must never be reached first.
_MEMORY = "1024t"
_UNFED = ("ps", "evaluator")
_TOGETHER, _APART = "static", "elastic"
# For a job whose nodes come and go: one that does not join must not keep the others waiting long.
_JOIN_SECONDS = 120


def parse_roles(roles: Mapping[str, int | Mapping[str, Any]]) -> JobPlan:
    """A plan of these roles: each a number of tasks, or a mapping with `tasks`, or `min` and
    `max`, and `membership` (static or elastic), as in a specification. ValueError for others.
    """
    plan = JobPlan(template={})
    first = 0
    for role, wanted in roles.items():
        keys = dict(wanted) if isinstance(wanted, Mapping) else {"tasks": wanted}
        membership = keys.pop("membership", _TOGETHER)
        most = keys.pop("max", None) if "tasks" not in keys else keys.pop("tasks")
        least = keys.pop("min", most)
        numbers = isinstance(most, int) and isinstance(least, int)
        if keys or not numbers or not 1 <= least <= most or membership not in (_TOGETHER, _APART):
            raise ValueError(
                f"role {role}: {wanted!r} is neither a number of tasks, nor "
                '{"tasks": N}, nor {"min": N, "max": M, "membership": "static" or "elastic"}'
            )
        plan.template[role] = list(range(first, first + most))
        first += most
        if least < most:
            plan.fewest[role] = least
            plan.memberships[role] = membership
    return plan


@dataclass
class JobPlan:
    """One job. `template`: role → the numbers of its nodes, in the order of the old clusters."""

    template: dict[str, list[int]]
    # The fewest nodes of roles that may have fewer than the template; and, for any role, what a
    # change of its nodes means for the others (the specification's `membership`).
    fewest: dict[str, int] = field(default_factory=dict)
    memberships: dict[str, str] = field(default_factory=dict)
    name: str = "spark"
    framework: str = "generic"
    fed: bool = False  # Rows come from Spark: its tasks' slots are given back.
    on_driver: frozenset[str] = frozenset()  # Roles whose nodes run on the driver's machine.
    queues: list[str] = field(default_factory=lambda: ["input", "output", "error"])
    max_restarts: int = 0
    lost_executors: int = 3
    join_seconds: float = 600.0  # The driver gives up first, and says who is missing.
    tensorboard: bool = False
    log_dir: str | None = None
    release_port: bool = True
    results: bool = False  # What the programs return is wanted.
    # Keys of a specification that the driver may set: "stall", "notify".
    watching: dict[str, Any] = field(default_factory=dict)
    default_fs: str = "file://"
    working_dir: str = "."

    @property
    def size(self) -> int:
        """How many nodes."""
        return sum(len(nodes) for nodes in self.template.values())

    def least(self, role: str) -> int:
        """How many nodes a role must have."""
        return self.fewest.get(role, len(self.template[role]))

    def closes_up(self, role: str) -> bool:
        """Whether the nodes of a role are counted anew in each generation, so that none is missing
        among them: all restart when one comes or goes.
        """
        return role in self.fewest and self.memberships.get(role, _TOGETHER) == _TOGETHER

    def is_fed(self, role: str) -> bool:
        """Whether rows go to the nodes of a role."""
        return self.fed and role not in _UNFED

    def gives_results(self, role: str) -> bool:
        """Whether what the programs of a role return is wanted."""
        return self.results and role not in _UNFED

    def specification(self) -> str:
        """The job's specification, as JSON (which is YAML)."""
        roles = {role: self._role(role, nodes) for role, nodes in self.template.items()}
        elsewhere = self.max_restarts // 2  # The first in place, the others in new containers.
        restarts = {"process": self.max_restarts - elsewhere, "container": elsewhere, "host": 0,
                    "job": 0, "infrastructure": self.lost_executors,
                    "backoff": "1s..10s"}  # fmt: skip
        join = _JOIN_SECONDS if self.fewest else round(2 * self.join_seconds) + 60
        return json.dumps(
            {
                "name": self.name,
                "framework": self.framework,
                "command": 'exec "$SPARK_NODE_PYTHON" -m muster.spark.node',
                "roles": roles,
                "barrier": "gang",
                "restart": restarts,
                "liveness": {"orphan": "10s"},
                "deadlines": {"join": f"{join}s"},
                **self.watching,
            }
        )

    def _role(self, role: str, nodes: list[int]) -> dict[str, Any]:
        count = {"min": self.fewest[role], "max": len(nodes)} if role in self.fewest else {
            "tasks": len(nodes)}  # fmt: skip
        settings: dict[str, Any] = {**count, "memory": _MEMORY,
                                    "membership": self.memberships.get(role, _TOGETHER),
                                    "success": "required", "failure": "fails_job"}  # fmt: skip
        if role in _UNFED:
            # They serve the others, and are stopped when those have ended.
            settings.update(success="ignored")
        return settings

    def node_settings(self, role: str) -> dict[str, Any]:
        """What the task's process reads, as JSON."""
        return {
            "template": self.template,
            "queues": self.queues,
            "fed": self.is_fed(role),
            "elastic": bool(self.fewest),
            "closes_up": [role for role in self.template if self.closes_up(role)],
            "results": self.gives_results(role),
            "tensorboard": self.tensorboard,
            "log_dir": self.log_dir,
            "release_port": self.release_port,
            "default_fs": self.default_fs,
            "working_dir": self.working_dir,
        }
