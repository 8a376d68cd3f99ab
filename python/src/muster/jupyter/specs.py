"""A kernel spec for each running task."""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

from muster.jupyter.provisioner import MATCH_VERSIONS, KernelError, muster_program

NAME = re.compile(r"muster\.([a-z0-9._-]+)\.([a-z0-9_-]+)\.(\d+)")
PATIENCE = 20
# A notebook server's page asks often.
FRESH = 3.0


class TaskKernels(KernelSpecManager):
    """The kernel specs that are installed, and one for each task of this user's running jobs,
    such as "worker:0 of digits-7f3k2q"."""

    _tasks: dict[str, str] = {}
    _asked = -FRESH

    def find_kernel_specs(self) -> dict[str, str]:
        if time.monotonic() - self._asked >= FRESH:
            self._tasks = {f"muster.{job}.{role}.{index}": ""
                           for job, role, index in self._running()}
            self._asked = time.monotonic()
        return {**super().find_kernel_specs(), **self._tasks}

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        found = NAME.fullmatch(kernel_name)
        if found is None:
            return super().get_kernel_spec(kernel_name)
        job, role, index = found.groups()
        task = f"{role}:{index}"
        return KernelSpec(
            argv=["python3"], display_name=f"{task} of {job}", language="python",
            interrupt_mode="message",
            metadata={"kernel_provisioner": {"provisioner_name": "muster-provisioner",
                                             "config": {"job": job, "task": task}}})

    def _running(self) -> list[tuple[str, str, int]]:
        """Accepts any answer from the program, which may be of another version: the installed
        kernels do not depend on it."""
        tasks: list[tuple[str, str, int]] = []
        try:
            for entry in self._ask("ps", "--json").get("jobs", []):
                tasks += self._running_of(entry["job"])
        except (KernelError, OSError, subprocess.SubprocessError, ValueError, TypeError, KeyError,
                AttributeError) as error:
            self.log.warning("cannot list the running tasks: %s", say(error))
        return tasks

    def _running_of(self, job: str) -> list[tuple[str, str, int]]:
        status = self._ask("status", job, "--json")
        return [(job, role, task["index"]) for role, told in status.get("roles", {}).items()
                for task in told["tasks"] if task["state"] == "active"]

    def _ask(self, *arguments: str) -> dict[str, Any]:
        done = subprocess.run([muster_program(), *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else {}


def say(error: Exception) -> str:
    if isinstance(error, KernelError | OSError | subprocess.SubprocessError):
        return str(error)
    return (f"{muster_program()} gave an answer that this package does not understand: "
            f"{MATCH_VERSIONS}")
