"""Lives under load: jobs whose processes are killed and frozen as a seed decides, beside busy
processes and a slow disk. What must hold is in `Life.oddities`. A seed replays the choices, not the
machine's speed: `tools/lives --on local --seeds 17`.

Used by test_lives.py here and test/hadoop/test_yarn_lives.py, the short forms, and by tools/lives.
"""

import concurrent.futures
import contextlib
import dataclasses
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

import harness

# Writes the time, on the clock that all processes of this host share, for as long as it lives.
PROGRAM = """
import os, sys, time
folder, seconds = sys.argv[1], float(sys.argv[2])
name = "_".join(os.environ["MUSTER_" + key] for key in ("ROLE", "INDEX", "GENERATION", "ATTEMPT"))
begun = time.monotonic()
with open(f"{folder}/{name}_{os.getpid()}.part", "w", buffering=1) as said:
    said.write(os.getcwd() + "\\n")
    os.rename(said.name, said.name[:-5])
    while (now := time.monotonic()) - begun < seconds:
        said.write(f"{now}\\n")
        time.sleep(0.05)
    said.write("done\\n")
"""

KILL = 0.0


@dataclasses.dataclass(frozen=True)
class Fault:
    """Something that happens to one process: `after` seconds into the tasks' work it is killed, or
    frozen for that long."""

    after: float
    victim: str
    task: int
    frozen: float

    def __str__(self):
        how = f"frozen for {self.frozen:.0f} s" if self.frozen else "killed"
        whose = "" if self.victim in ("master", "client") else f" of worker:{self.task}"
        return f"after {self.after:.1f} s the {self.victim}{whose} is {how}"


OF_TASKS = ("task", "agent", "keeper", "stub")
VICTIMS = (*OF_TASKS, "master", "client")


@dataclasses.dataclass(frozen=True)
class Choices:
    """What a seed decides about a life."""

    seed: int
    tasks: int
    together: int
    framework: str
    hosts: int
    seconds: float
    faults: tuple

    @classmethod
    def of(cls, seed, victims=VICTIMS, frozen=(8, 40), seconds=(2, 30), tasks=(1, 4)):
        draw = random.Random(seed)
        tasks = draw.randint(*tasks)
        work = draw.uniform(*seconds)
        faults = []
        for _ in range(draw.choice((1, 1, 2, 3))):
            victim = draw.choice(victims)
            # YARN itself allows only two masters within ten minutes.
            if victim == "master" and any(fault.victim == "master" for fault in faults):
                continue
            freezes = draw.random() < 0.4
            faults.append(Fault(draw.uniform(0, work), victim, draw.randrange(tasks),
                                draw.uniform(*frozen) if freezes else KILL))
        return cls(seed, tasks, draw.choice((1, 1, 2)), draw.choice(("generic", "pytorch")),
                   draw.randint(1, 3), work, tuple(sorted(faults, key=lambda one: one.after)))

    def __str__(self):
        told = "; ".join(map(str, self.faults))
        return (f"seed {self.seed}: {self.tasks} tasks ({self.framework}, {self.together} in a "
                f"container, {self.hosts} hosts), {self.seconds:.1f} s: {told}")

    def spec(self, folder):
        role = {"tasks": self.tasks, "memory": "64m"}
        if self.together > 1 and self.tasks % self.together == 0:
            role["tasks_per_container"] = self.together
        return {"framework": self.framework, "files": ["program.py"],
                "command": f"exec python3 program.py {folder} {self.seconds:.2f}",
                "restart": {"backoff": "100ms..1s"}, "roles": {"worker": role}}


@dataclasses.dataclass(frozen=True)
class SoonLost(Choices):
    """A silent agent is lost after three seconds."""

    def spec(self, folder):
        liveness = {"beat": "250ms", "suspect": "1s", "lost": "3s"}
        return {**super().spec(folder), "liveness": liveness}


class Attempt:
    """What one attempt of a task wrote."""

    def __init__(self, path):
        _, self.index, self.generation, self.number, self.pid = (
            int(part) if part.isdigit() else part for part in path.name.split("_"))
        self.folder, *lines = path.read_text().splitlines()
        times = [float(line) for line in lines if line != "done"]
        self.first, self.last = (times[0], times[-1]) if times else (0.0, 0.0)

    def beside(self, other):
        """For how many seconds both were alive at once."""
        return min(self.last, other.last) - max(self.first, other.first)


class Life:
    """A job and its faults. `place` starts it and knows its processes."""

    LIMIT = 300

    def __init__(self, choices, place):
        self.choices, self.place = choices, place
        self.said = place.muster.folder / "said"
        self.said.mkdir()
        self.done = []  # The faults that found their victim, and the tasks that they touch.
        self.client_gone = False
        self.orphaned = False
        self.begun = None
        # Worth reporting, although it is correct if the cluster could not reach them: attempts that
        # ran beside their replacement, which is of a newer generation and alone may commit.
        self.notes = []

    def run(self):
        """Runs the life; returns a text for each thing that is odd about it."""
        place, choices = self.place, self.choices
        place.muster.write("program.py", PROGRAM)
        client = place.start(choices.spec(self.said))
        try:
            odd = self.goes_on(client)
        except AssertionError as error:
            odd = [str(error)]
        finally:
            if client.process.poll() is None:
                client.signal(signal.SIGKILL)
        return [*odd, *self.left_behind()]

    def goes_on(self, client):
        harness.eventually(lambda: len(self.attempts()) >= self.choices.tasks
                           or client.process.poll() is not None, self.LIMIT,
                           lambda: f"its tasks begin; the client says: {client.text}")
        self.begun = time.monotonic()
        for fault in self.choices.faults:
            wait_until(self.begun + fault.after)
            self.commit(fault, client)
        harness.eventually(self.is_over, self.LIMIT,
                           lambda: f"the job ends: {self.status()}; {client.text[-2000:]}")
        if self.orphaned:
            self.notes.append("with its last process the job was left to nobody, and says so")
            return []
        if not self.client_gone:
            code = client.wait(self.LIMIT).code
            if code != 0:
                return [f"the client ends with {code}: {client.text[-3000:]}", *self.oddities()]
        return list(self.oddities())

    def is_over(self):
        """Whether the job has ended, or its master and all that could start another are dead."""
        status = self.status()
        struck = any(fault.victim == "master" for fault, _ in self.done)
        self.orphaned = struck and self.place.is_orphaned(status)
        return self.orphaned or status.get("phase") == "ended"

    def commit(self, fault, client):
        victims = self.victims(fault, client)
        if not victims:
            return
        self.done.append((fault, self.mates(fault)))
        if fault.frozen:
            for pid in victims:
                harness.send(pid, signal.SIGSTOP)
            thaw = threading.Timer(fault.frozen, lambda: [
                harness.send(pid, signal.SIGCONT) for pid in victims])
            thaw.daemon = True
            thaw.start()
        else:
            self.client_gone |= fault.victim == "client"
            for pid in victims:
                harness.send(pid, signal.SIGKILL)

    def victims(self, fault, client):
        if fault.victim == "client":
            return [client.pid] if client.process.poll() is None else []
        if fault.victim == "master":
            return self.place.masters()
        newest = max((one for one in self.attempts() if one.index == fault.task),
                     key=lambda one: one.number, default=None)
        # Its pid may have been reused by another process.
        if newest is None or not self.place.has_task(newest.pid):
            return []
        return self.place.of_task(fault.victim, newest.pid)

    def mates(self, fault):
        """The tasks that a fault may restart: those in the container, and the gangs they belong
        to."""
        if fault.victim in ("client", "master"):
            return set()
        if self.place.ONE_GANG or self.choices.framework != "generic":
            return set(range(self.choices.tasks))
        if fault.victim == "task":
            return {fault.task}
        per = self.choices.spec("")["roles"]["worker"].get("tasks_per_container", 1)
        return {index for index in range(self.choices.tasks) if index // per == fault.task // per}

    def attempts(self):
        return [Attempt(path) for path in self.said.iterdir() if not path.name.endswith(".part")]

    def status(self):
        done = self.place.muster("status", self.place.job(), "--json", within=self.LIMIT)
        return done.json() if done.code == 0 else {}

    def oddities(self):
        """What must hold, and does not."""
        status = self.status()
        shown = self.place.muster("show", self.place.job(), "--json").json()
        outcome = status["outcome"]
        if outcome["result"] != self.place.ends_as(self):
            yield f"it {outcome['result']}: {outcome}"
        touched = set().union(*(mates for _, mates in self.done)) | self.place.touched(self)
        for task in status["roles"]["worker"]["tasks"]:
            if task["attempts"] != 1 and task["index"] not in touched:
                told = [fact["text"] for fact in shown["facts"]
                        if f"worker:{task['index']} " in (fact["text"] or "")]
                yield (f"worker:{task['index']}, which nobody touched, had {task['attempts']} "
                       f"attempts: {'; '.join(told[:4])}")
        yield from twins(self.attempts())
        beside = list(twins(self.attempts(), of_one_generation=False))
        if self.place.SEES_EACH_END:
            yield from beside
        else:
            self.notes += beside
        yield from causes(shown["facts"])

    def left_behind(self):
        try:
            harness.eventually(lambda: not self.place.processes(), 90)
        except AssertionError:
            yield f"left behind: {self.place.processes()}"
        if not self.orphaned:
            yield from self.place.left_behind()


def twins(attempts, of_one_generation=True):
    """Attempts of one task that were alive at once, in the same generation or in two."""
    for index in sorted({one.index for one in attempts}):
        each = sorted((one for one in attempts if one.index == index), key=lambda one: one.first)
        for number, one in enumerate(each):
            for other in each[number + 1:]:
                together = one.beside(other)
                same = one.generation == other.generation
                if together > 0 and same == of_one_generation:
                    yield (f"worker:{index}: attempt {other.number} of generation "
                           f"{other.generation} ran beside attempt {one.number} of generation "
                           f"{one.generation} for {together:.2f} s")


def expect_one_after_the_other(life):
    """Its first task was replaced once, in a newer generation, after the last thing that the old
    attempt wrote."""
    first, second = sorted((one for one in life.attempts() if one.index == 0),
                           key=lambda one: one.number)
    assert second.generation > first.generation
    assert first.last < second.first, f"beside each other for {first.beside(second):.2f} s"


def causes(facts):
    """Ends that have no cause. An exit status from a shell, a signal and a report by the cluster
    each have their class."""
    for fact in facts:
        text = fact["text"] or fact["fact"]
        if re.search(r"\b(code [1-9]|signal \d+)", text) and not re.search(r"\([a-z_]+\.\w+", text):
            yield f"no cause of {fact['index']}: {text}"


def words_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    return ""


def above(pid):
    """Muster's processes above a task: its agent, the keeper, the container's stub."""
    found = []
    with contextlib.suppress(OSError):
        while pid > 1:
            pid = harness.parent_of(pid) or 0
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[1:2] in ([b"agent"], [b"keeper"]):
                found.append(pid)
    return found


def wait_until(moment):
    threading.Event().wait(max(0.0, moment - time.monotonic()))


class Local:
    """This machine as the cluster of one life."""

    # Whether the cluster knows of every container when its last process has ended.
    SEES_EACH_END = True
    ONE_GANG = False  # Whether all tasks of a job restart together, whatever its framework.

    def __init__(self, folder, choices):
        folder.mkdir(parents=True)
        self.muster = harness.Muster(folder)
        self.choices = choices

    def start(self, spec):
        return self.muster.start("run", self.muster.spec({**spec, "local": {
            "hosts": self.choices.hosts}}))

    def job(self):
        return "last"

    def masters(self):
        return self.muster.pids("master")

    def has_task(self, pid):
        """Whether a process is a task of this life."""
        return f"{self.muster.folder}/" in words_of(pid)

    def of_task(self, victim, pid):
        """The processes that a fault of the task with this pid strikes."""
        if victim == "task":
            return [pid]
        at = OF_TASKS.index(victim) - 1
        return above(pid)[at:at + 1]  # agent, keeper, stub

    def is_orphaned(self, status):
        """Whether every process of the job was killed: if no cluster starts another master, nobody
        is left who could end the job, and `muster status` says so."""
        alone = status.get("waits_for") and status["waits_for"].startswith("a master: none is run")
        return bool(alone) and not self.masters() and not self.muster.pids("agent")

    def ends_as(self, life):
        """The result that its job must have."""
        return "succeeded"

    def touched(self, life):
        return set()

    def processes(self):
        return self.muster.processes()

    def left_behind(self):
        (job,) = self.muster.jobs()
        folder = self.muster.home / "jobs" / job
        if (folder / "room").exists():
            yield "the room for the last events was not released"
        for claims in pathlib.Path("/tmp").glob(f"muster-claims.{os.getuid()}.*"):
            for claim in claims.iterdir():
                with contextlib.suppress(OSError):
                    if job in claim.name or job in claim.read_text(errors="replace"):
                        yield f"a claim is left: {claim}"

    def end(self):
        self.muster.end_everything()


LOAD = """
import os, sys, time
os.nice(int(sys.argv[1]))
file = os.open(sys.argv[3], os.O_CREAT | os.O_WRONLY) if sys.argv[3:] else None
while True:
    begun = time.monotonic()
    while time.monotonic() < begun + 0.1:
        if file is not None:
            os.pwrite(file, bytes(1 << 22), 0)
            os.fsync(file)
    time.sleep(float(sys.argv[2]) * (time.monotonic() - begun))
"""


@contextlib.contextmanager
def load(folder, busy, nice, share=1):
    """Runs that many processes that compute, and one that fills the disk's queue, each in pulses
    that take that share of the time."""
    command = [sys.executable, "-c", LOAD, str(nice), str(1 / share - 1)]
    running = [subprocess.Popen(command) for _ in range(busy)]
    running.append(subprocess.Popen([*command, folder / "slow"]))
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def live(choices, folder, place=Local):
    """Runs one life; returns it, with what was odd about it."""
    here = place(folder / str(choices.seed), choices)
    life = Life(choices, here)
    try:
        odd = life.run()
    finally:
        here.end()
    return life, odd


def live_all(each, folder, place=Local, together=8, told=lambda life, odd: None):
    """Runs the lives, some at a time; returns the choices of those that were odd, with what was
    odd."""
    with concurrent.futures.ThreadPoolExecutor(together) as pool:
        odd_ones = []
        for future in concurrent.futures.as_completed(
                [pool.submit(live, choices, folder, place) for choices in each]):
            life, odd = future.result()
            told(life, odd)
            if odd:
                odd_ones.append((life.choices, odd))
    return odd_ones
