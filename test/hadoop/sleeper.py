"""The simplest application on YARN: its only container, the master's, just sleeps.

It is submitted over REST and needs neither Java nor Muster, so that tests of the bed and of faults
have a container to work with.
"""

import contextlib
import json
import os
import pathlib
import urllib.error
import urllib.request

from waiting import until

COMMAND = "sleep 12345"


def processes_of(folder):
    """Returns pid → command of the processes with the folder in their command or environment."""
    needle = str(folder).encode()
    found = {}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(process.name) != os.getpid():
                command = (process / "cmdline").read_bytes()
                if needle in command + (process / "environ").read_bytes():
                    found[int(process.name)] = command.replace(b"\0", b" ").decode(errors="replace")
    return found


class Sleeper:
    def __init__(self):
        self.started = []

    def __call__(self, bed, *, queue="default", memory_mb=64, first=None):
        """Starts one and waits until it sleeps; returns the pids of all that sleep on the bed. The
        command `first` is run before."""
        before = self.pids(bed)
        command = f"{first} && {COMMAND}" if first else COMMAND
        name = json.loads(self.post(bed, "/new-application", {}))["application-id"]
        self.post(bed, "", {
            "application-id": name, "application-name": "sleeper", "application-type": "TEST",
            "am-container-spec": {"commands": {"command": command}}, "max-app-attempts": 1,
            "queue": queue, "resource": {"memory": memory_mb, "vCores": 1}})
        self.started.append((bed, name))
        until(lambda: set(self.pids(bed)) - set(before), 180,
              lambda: f"{name} sleeps{bed.log_tails()}")
        return self.pids(bed)

    def pids(self, bed):
        return sorted(pid for pid, command in processes_of(bed.folder).items()
                      if command.startswith(COMMAND))

    def end(self):
        """Kills them all, even if the test left no resource manager, and waits until they have
        ended; a bed that has ended took its own with it."""
        for bed, name in self.started:
            if bed.is_up():
                bed.restore()
                # Refused if it has finished.
                with contextlib.suppress(urllib.error.HTTPError):
                    self.send(bed, f"/{name}/state", {"state": "KILLED"}, "PUT")
        until(lambda: not any(self.pids(bed) for bed, _ in self.started), 180, "sleepers end")
        self.started.clear()

    def post(self, bed, path, document):
        return self.send(bed, path, document, "POST")

    def send(self, bed, path, document, method):
        active = bed.the_active("rm")
        port = bed.port(f"{active}.http")
        request = urllib.request.Request(
            f"http://localhost:{port}/ws/v1/cluster/apps{path}?user.name=nobody", method=method,
            data=json.dumps(document).encode(), headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read()
