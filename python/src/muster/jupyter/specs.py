"""A kernel spec for each task that runs now."""

from __future__ import annotations

import json
import re
import subprocess
import time
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

from muster.jupyter.provisioner import KernelError, muster_program

NAME = re.compile(r"muster\.([a-z0-9._-]+)\.([a-z0-9_-]+)\.(\d+)")
PATIENCE = 20
# The page of a notebook server asks often.
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
        tasks = []
        for entry in self._ask("ps", "--json").get("jobs", []):
            status = self._ask("status", entry["job"], "--json")
            for role, told in status.get("roles", {}).items():
                tasks += [(entry["job"], role, task["index"])
                          for task in told["tasks"] if task["state"] == "active"]
        return tasks

    def _ask(self, *arguments: str) -> dict[str, Any]:
        try:
            done = subprocess.run([muster_program(), *arguments], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=PATIENCE, check=False)
            return json.loads(done.stdout) if done.returncode == 0 else {}
        except (KernelError, subprocess.TimeoutExpired, ValueError) as error:
            self.log.warning("the running tasks are not known: %s", error)
            return {}
