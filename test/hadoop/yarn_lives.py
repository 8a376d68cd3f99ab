"""Lives under load on YARN (test/local/lives.py): their jobs share a bed whose NodeManagers and
DataNodes are killed and frozen, too.
"""

import contextlib
import functools
import pathlib
import random
import sys
import threading
import time

import conftest
import lives
import sleeper
from bed import Bed

choices = functools.partial(lives.Choices.of, seconds=(5, 40))
NODE_LOST = 15  # A resource manager's patience on the bed, in seconds.


class OnYarn(lives.Local):
    """The cluster of one life. `daemons` says what has happened to the cluster meanwhile."""

    # Nobody sees the end of what runs on a node that is lost or cannot be reached for long.
    SEES_EACH_END = False

    def __init__(self, folder, drawn, bed, daemons):
        folder.mkdir(parents=True)
        self.muster = conftest.HadoopMuster(folder).use(bed)
        self.muster.environment["HADOOP_USER_NAME"] = "alice"
        self.choices, self.bed, self.daemons = drawn, bed, daemons
        self.application = None

    def start(self, spec):
        client = self.muster.start("run", self.muster.spec(spec), "--on", "yarn")
        self.application = client.sees(r"application_(\d+_\d+)", 180)[1]
        return client

    def job(self):
        return "last"

    def masters(self):
        return [pid for pid, words in self.processes().items() if "muster master --on" in words]

    def is_orphaned(self, status):
        return False  # The resource manager starts another master.

    def touched(self, life):
        """The tasks whose node was lost, with their gangs."""
        lost = {attempt.index for attempt in life.attempts()
                for node, begun, ended in self.daemons.lost if f"/{node}/" in attempt.folder
                and attempt.first < ended and attempt.last > begun}
        whole = lost and life.choices.framework != "generic"
        return set(range(life.choices.tasks)) if whole else lost

    def processes(self):
        if self.application is None:
            return {}
        needle = self.application.encode()
        found = {}
        for pid, words in sleeper.processes_of(self.bed.folder).items():
            with contextlib.suppress(OSError):
                if needle in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                    found[pid] = words
        return found

    def left_behind(self):
        path = f"/user/alice/.muster/jobs/*/*/*/{self.muster.job()}/secret"
        if self.bed.shell("fs", "-ls", "-C", path).out.strip():
            yield "the job's secret is still in HDFS"

    def end(self):
        if self.application is not None and self.processes():
            self.bed.shell("application", "-kill", f"application_{self.application}")
        self.muster.end_everything()


class Daemons:
    """Kills and freezes NodeManagers and DataNodes, one at a time, until it is told to end."""

    def __init__(self, bed, seed=0, suffers=True):
        self.bed, self.draw = bed, random.Random(seed)
        self.silent = []  # Daemons: name, since when, until when, or None while it lasts.
        self.done = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run if suffers else self.over.wait)
        self.thread.start()

    def run(self):
        while not self.over.wait(self.draw.uniform(5, 15)):
            name = self.draw.choice(["nm1", "nm2", "dn1", "dn2"])
            begun = time.monotonic()
            self.silent.append((name, begun, None))
            if self.draw.random() < 0.5:
                self.done.append(f"{name} killed")
                self.bed.kill(name)
                self.over.wait(self.draw.uniform(0, 5))
                self.bed.run(name)
            else:
                seconds = self.draw.uniform(8, 40 if name.startswith("nm") else 20)
                self.done.append(f"{name} frozen for {seconds:.0f} s")
                self.bed.freeze(name)
                self.over.wait(seconds)
                self.bed.thaw(name)
            with contextlib.suppress(AssertionError):
                self.bed.wait_healthy(120)
            self.silent[-1] = (name, begun, time.monotonic())

    @property
    def lost(self):
        """Node managers that the resource manager may have given up, for whatever reason they were
        slow: name, since when, until when. What they are told once they are back comes with one of
        their next heartbeats."""
        now = time.monotonic()
        return [(name, begun, (ended or now) + 30) for name, begun, ended in list(self.silent)
                if name.startswith("nm") and (ended or now) - begun > NODE_LOST - 3]

    def end(self):
        self.over.set()
        self.thread.join()
        self.bed.restore()


@contextlib.contextmanager
def on_bed(bed, seed=0, suffers=True):
    """Yields what makes the place of a life on this bed, while its daemons suffer."""
    bed.shell("fs", "-mkdir", "-p", "/user/alice").expect()
    bed.shell("fs", "-chmod", "755", "/user").expect()
    bed.shell("fs", "-chown", "alice", "/user/alice").expect()
    daemons = Daemons(bed, seed, suffers)
    try:
        yield lambda folder, drawn: OnYarn(folder, drawn, bed, daemons)
    finally:
        daemons.end()
        print("the cluster:", "; ".join(daemons.done), file=sys.stderr)


@contextlib.contextmanager
def cluster():
    """A bed of its own."""
    bed = Bed.start(conftest.artifacts.VERSIONS[-1])
    try:
        with on_bed(bed) as place:
            yield place
    finally:
        bed.end()
