"""The probe (yarn_probe/): one process that is a client and, once told so, an application's master.

It does one step at a time, so that daemons can be killed between any two, or during one.
"""

import json
import os
import pathlib
import subprocess

import pytest
import waiting

PROBE = pathlib.Path(os.environ["MUSTER_BINARY"]).parent / "yarn_probe"


def until(condition, within):
    return waiting.until(condition, within, "what the test waits for")


class RefusedError(Exception):
    """The probe's answer was an error; `.code` and `.blame` are its own."""

    def __init__(self, answer):
        super().__init__(answer["error"])
        self.code, self.blame = answer.get("code"), answer.get("blame")


class Probe:
    def __init__(self, bed, user="alice", conf=None, **variables):
        environment = {"PATH": "/usr/bin:/bin", **bed.extra_environment, **variables}
        self.process = subprocess.Popen([PROBE, conf or bed.conf, user], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)

    def __call__(self, do, **fields):
        self.begin(do, **fields)
        return self.answer()

    def refused(self, do, **fields):
        """Does what must fail; returns the error, which is one line for people."""
        with pytest.raises(RefusedError) as caught:
            self(do, **fields)
        assert "org.apache" not in str(caught.value)
        assert "\n" not in str(caught.value)
        return caught.value

    def accepted(self, do, within=60, **fields):
        """Does what is refused until the other side is ready for it."""
        def once():
            try:
                self(do, **fields)
            except RefusedError as error:
                refusals.append(str(error))
                return False
            return True

        refusals = []
        waiting.until(once, within, lambda: f"{do} is accepted; last: {refusals[-1:]}")

    def begin(self, do, **fields):
        """Asks; answer() waits for what comes."""
        self.process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
        self.process.stdin.flush()

    def answer(self):
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RefusedError(answer)
        return answer

    def beat_until(self, done, within=60):
        """Beats until `done(answer)`; returns what it returned."""
        found = []

        def beat():
            result = done(self("beat"))
            if result:
                found.append(result)
            return result

        until(beat, within)
        return found[0]

    def granted(self, count=1, **fields):
        """Asks, and returns as many grants."""
        self("ask", count=count, **fields)
        grants = []

        def all_there(answer):
            grants.extend(answer["granted"])
            return len(grants) >= count

        self.beat_until(all_there)
        return grants

    def ended(self, container, within=60):
        def one(answer):
            return next((end for end in answer["completed"] if end["id"] == container), None)

        return self.beat_until(one, within)

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def become_unmanaged(self, **fields):
        """Submits an application whose master is this process, and registers as it."""
        submitted = self("submit", unmanaged=True, **fields)
        until(lambda: self("report")["has_token"], 60)
        self.registered = self("become", url="http://localhost:1/")
        self.application = submitted["id"]
        return self

    def kill_all(self):
        for application in self("list", tags=["muster-probe"])["applications"]:
            if application["state"] in ("accepted", "running"):
                self("kill", id=application["id"], why="the test is over")
