"""Muster as its users see it: the command line, the log, and the processes of a job."""

import contextlib
import datetime
import json
import os
import pathlib
import subprocess
import time

STEP = 0.005  # Seconds between two looks at something that is waited for.


class Muster:
    """Runs one binary with a home of its own below `folder`."""

    def __init__(self, binary, folder):
        self.binary = str(binary)
        self.home = pathlib.Path(folder) / "home"
        self.environment = dict(os.environ, MUSTER_HOME=str(self.home), NO_COLOR="1")

    def run(self, *words, check=True):
        """Runs a command to its end; returns its output."""
        done = subprocess.run([self.binary, *words], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=60)
        if check and done.returncode != 0:
            raise RuntimeError(f"muster {' '.join(words)}: status {done.returncode}: "
                               f"{done.stderr.strip()[-2000:]}")
        return done.stdout

    def stop_all(self):
        """Stops what a failed measurement may have left running."""
        for folder in (self.home / "jobs").glob("*"):
            if not (folder / "summary.json").exists():
                self.run("stop", folder.name, check=False)

    @contextlib.contextmanager
    def job(self, tasks, script, *options):
        """A job of `tasks` shells that run `script`; it is stopped at the end of the block."""
        words = json.loads(self.run("submit", "--json", *self.quick(tasks), *options, "--",
                                    "sh", "-c", script))
        job = Job(self, words["job"])
        try:
            yield job
        finally:
            self.run("stop", job.name, check=False)

    @staticmethod
    def quick(tasks):
        """The quick form for many small tasks: the memory is what each may use."""
        return ["-n", str(tasks), "--set", "roles.worker.memory=16m"]

    # Tries without end, and without the pause between them that users get by default.
    AT_ONCE = ["--set", "restart.process=1000", "--set", "restart.backoff=0s..0s"]


class Job:
    """One job, while it runs and afterwards."""

    def __init__(self, muster, name):
        self.muster = muster
        self.name = name
        self.folder = muster.home / "jobs" / name

    def facts(self, kind=None):
        """The event log: [(fact, wall-clock seconds)], oldest first."""
        document = json.loads(self.muster.run("show", self.name, "--json"))
        found = [(fact["fact"], seconds_of(fact["time"])) for fact in document["facts"]]
        return [fact for fact in found if kind in (None, fact[0])]

    def wait_for(self, kind, count=1, at_most=30.0):
        """Waits until the log has so many facts of a kind; returns their times."""
        return wait_until(lambda: enough([at for _, at in self.facts(kind)], count),
                          f"{self.name}: {count} facts {kind}", at_most, step=0.05)

    def master_pid(self):
        return json.loads((self.folder / "master.json").read_text())["pid"]

    def agents(self):
        """[(pid of the agent, pids of stub, keeper and agent)] of each of its containers."""
        tree = processes()
        found = []
        for pid, (parent, words) in tree.items():
            if words[1:2] == ["agent"]:
                keeper = parent
                stub = tree.get(keeper, (0, []))[0]
                if self.owns(tree, stub):
                    found.append((pid, [stub, keeper, pid]))
        return found

    def owns(self, tree, pid):
        words = tree.get(pid, (0, []))[1]
        return any(f".{self.name}." in word for word in words)


def enough(values, count):
    return values if len(values) >= count else None


def wait_until(probe, what, at_most=30.0, step=STEP):
    """Calls `probe` until it returns something that is not None or False; that is returned."""
    end = time.monotonic() + at_most
    while True:
        found = probe()
        if found is not None and found is not False:
            return found
        if time.monotonic() > end:
            raise RuntimeError(f"waited {at_most:.0f} s in vain for {what}")
        time.sleep(step)


def seconds_of(text):
    return datetime.datetime.fromisoformat(text).timestamp()


def processes():
    """pid → (parent's pid, words of the command line) of everything that runs."""
    tree = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
        except (OSError, ValueError, IndexError):
            continue
        tree[int(entry)] = (parent, words)
    return tree


def memory_mib(pid, field="Pss"):
    """Memory of a process: Pss shares each page with those who map it, too; Rss does not."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        for line in file:
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/{pid}/smaps_rollup has no {field}")
