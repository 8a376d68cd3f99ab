"""The job that a program asks for, and the specification that Muster runs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

# Spark's executors have their own limits; the job's must never be the first to be met.
_MEMORY = "1024t"
_UNFED = ("ps", "evaluator")


@dataclass
class JobPlan:
    """One job. `template`: role → the numbers of its nodes, in the order of the old clusters."""

    template: dict[str, list[int]]
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
    default_fs: str = "file://"
    working_dir: str = "."

    @property
    def size(self) -> int:
        """How many nodes."""
        return sum(len(nodes) for nodes in self.template.values())

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
        return json.dumps(
            {
                "name": self.name,
                "framework": self.framework,
                "command": 'exec "$SPARK_NODE_PYTHON" -m muster.spark.node',
                "roles": roles,
                "barrier": "gang",
                "restart": restarts,
                "liveness": {"orphan": "10s"},
                "deadlines": {"join": f"{round(2 * self.join_seconds) + 60}s"},
            }
        )

    def _role(self, role: str, nodes: list[int]) -> dict[str, Any]:
        settings: dict[str, Any] = {"tasks": len(nodes), "memory": _MEMORY, "membership": "static",
                                    "success": "required", "failure": "fails_job"}  # fmt: skip
        if role in _UNFED:
            # They serve the others, and are ended when those have ended.
            settings.update(success="ignored")
        return settings

    def node_settings(self, role: str) -> dict[str, Any]:
        """What the task's process reads as JSON."""
        return {
            "template": self.template,
            "queues": self.queues,
            "fed": self.is_fed(role),
            "results": self.gives_results(role),
            "tensorboard": self.tensorboard,
            "log_dir": self.log_dir,
            "release_port": self.release_port,
            "default_fs": self.default_fs,
            "working_dir": self.working_dir,
        }
