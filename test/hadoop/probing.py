"""The YARN probe (yarn_probe/): a client and, once told so, an application's master."""

import waiting
from probe_process import ProbeProcess, RefusedError


def until(condition, within):
    return waiting.until(condition, within, "what the test waits for")


class Probe(ProbeProcess):
    def __init__(self, bed, user="alice", conf=None, **variables):
        super().__init__(bed, "yarn_probe", conf or bed.conf, user, **variables)

    def refused(self, do, **fields):
        error = super().refused(do, **fields)
        assert "org.apache" not in str(error)
        return error

    def accepted(self, do, within=60, **fields):
        """Repeats what is refused until the other side is ready for it."""
        def once():
            try:
                self(do, **fields)
            except RefusedError as error:
                refusals.append(str(error))
                return False
            return True

        refusals = []
        waiting.until(once, within, lambda: f"{do} is accepted; last: {refusals[-1:]}")

    def beat_until(self, done, within=60):
        """Sends heartbeats until `done(answer)` is true; returns its value."""
        found = []

        def beat():
            result = done(self("beat"))
            if result:
                found.append(result)
            return result

        until(beat, within)
        return found[0]

    def granted(self, count=1, **fields):
        """Asks for containers, and returns that many grants."""
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
