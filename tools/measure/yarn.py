"""Figures of jobs on YARN, on a real cluster of one machine (tools/hadoop), beside TonY's."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from table import Row

from muster import Muster, memory_mib, processes, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 180.0

# TonY 0.5.3 on such a cluster, 2 cores, 2 workers and 1 ps: its client's start to the last process
# of the user, a whole job of `true`, 32 workers; from the loss to the client's end, and until all
# tasks ran again. Seconds; each list is the smallest, the middle and the largest that were seen.
TONY = {"running_3": [10.2, 12.3, 24.3], "true": [15.9, 21.7, 24.4], "running_32": [49.8, 72.3],
        "process": [11.0, 14.0], "container": [2.7, 6.4, 6.7], "master": [8.0, 25.0]}


@contextlib.contextmanager
def cluster():
    """A cluster for as long as it is measured; the bed of MUSTER_HADOOP_BEDS, if one is up."""
    sys.path.insert(0, str(ROOT / "tools" / "hadoop"))
    import artifacts  # noqa: PLC0415
    from bed import Bed  # noqa: PLC0415
    version = artifacts.VERSIONS[-1]
    beds = os.environ.get("MUSTER_HADOOP_BEDS")
    link = pathlib.Path(beds or "/nonexistent") / f"plain-{version}"
    lent = (link / "control").exists()
    bed = Bed.attach(link.resolve()) if lent else Bed.start(version, "plain")
    try:
        yield bed
    finally:
        if not lent:
            bed.end()


class OnYarn(Muster):
    """Muster as alice, whose cluster this is."""

    def __init__(self, binary, folder, bed):
        super().__init__(binary, folder)
        self.environment |= {"HADOOP_CONF_DIR": str(bed.conf), "HADOOP_USER_NAME": "alice"}
        bed.shell("fs", "-mkdir", "-p", "/user/alice").expect()
        bed.shell("fs", "-chown", "alice", "/user/alice").expect()

    @staticmethod
    def quick(tasks):
        return ["--on", "yarn", "-n", str(tasks), "--set", "roles.worker.memory=32m",
                "--set", "restart.process=1000", "--set", "restart.container=1000",
                "--set", "restart.backoff=0s..0s"]

    def run(self, *words, check=True):
        done = subprocess.run([self.binary, *words], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=PATIENCE)
        if check and done.returncode != 0:
            raise RuntimeError(f"muster {' '.join(words)}: status {done.returncode}: "
                               f"{done.stderr.strip()[-2000:]}")
        return done.stdout


def figures(binary, folder, rounds):
    with cluster() as bed:
        muster = OnYarn(binary, pathlib.Path(folder) / "yarn", bed)
        muster.run("run", "-q", *muster.quick(1), "--", "true")  # Uploads the program.
        try:
            return [*running(muster, bed, rounds), whole(muster, rounds), *losses(muster, bed)]
        finally:
            muster.stop_all()


def running(muster, bed, rounds):
    """From the command until the log says that the last task runs."""
    rows = []
    for tasks, ratio in ((3, 3), (32, 8)):
        peer = TONY[f"running_{tasks}"]
        row = Row(f"yarn_running_{tasks}", f"YARN, {tasks} tasks: command → all running", "s", [],
                  f"muster submit --on yarn -n {tasks} -- sleep 1000; muster show last",
                  limit=min(peer) / ratio, peers={"TonY": peer})
        for _ in range(rounds if tasks == 3 else max(1, rounds // 2)):
            started = time.time()
            with muster.job(tasks, "exec sleep 1000") as job:
                row.samples.append(job.wait_for("attempt-started", tasks, PATIENCE)[-1] - started)
                row.note = row.note or sizes(bed, tasks)
        rows.append(row)
    return rows


def sizes(bed, tasks):
    """What master and agents of the job that runs take."""
    masters, agents = pids_of(bed, "muster master"), pids_of(bed, "muster agent")
    if not masters or len(agents) < tasks:
        return ""
    each = sum(memory_mib(pid) for pid in agents) / len(agents)
    return f"memory: master {memory_mib(masters[-1]):.0f} MiB, each agent {each:.1f} MiB"


def whole(muster, rounds):
    row = Row("yarn_true", "YARN, a job of `true`: the whole command", "s", [],
              "muster run -q --on yarn -n 1 -- true", peers={"TonY": TONY["true"]})
    for _ in range(rounds):
        started = time.monotonic()
        muster.run("run", "-q", *muster.quick(1), "--", "true")
        row.samples.append(time.monotonic() - started)
    return row


def pids_of(bed, words):
    """Processes of the bed's containers whose command line has these words."""
    found = []
    for pid, (_, command) in processes().items():
        if words in " ".join(command):
            with contextlib.suppress(OSError):
                environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
                if str(bed.folder).encode() in environment:
                    found.append(pid)
    return sorted(found)


def losses(muster, bed):
    """What is killed is noticed, and the job is whole again."""
    rows = []
    with muster.job(3, "exec sleep 4321") as job:
        job.wait_for("attempt-started", 3, PATIENCE)
        for key, words, told in (("process", "sleep 4321", "attempt-ended"),
                                 ("container", "muster agent", "container-ended")):
            before = len(job.facts(told))
            runs = len(job.facts("attempt-started"))
            killed = time.time()
            os.kill(pids_of(bed, words)[-1], signal.SIGKILL)
            noticed = job.wait_for(told, before + 1, PATIENCE)[before]
            job.wait_for("attempt-started", runs + 1, PATIENCE)
            wait_until(lambda: running_tasks(job) == 3, f"{key}: whole again", PATIENCE, step=0.1)
            again = job.facts("attempt-started")[-1][1]
            rows.append(Row(f"yarn_{key}_noticed", f"YARN, a killed {key} → noticed", "s",
                            [max(0.0, noticed - killed)], f"kill -9 of a {key}"))
            rows.append(Row(f"yarn_{key}_whole", f"YARN, a killed {key} → all tasks run again",
                            "s", [max(0.0, again - killed)], f"kill -9 of a {key}",
                            peers={"TonY": TONY[key]}))
        rows.append(master_loss(job, bed))
    return rows


def running_tasks(job):
    text = job.muster.run("status", job.name, "--json", check=False)
    if not text:
        return 0
    tasks = json.loads(text)["roles"]["worker"]["tasks"]
    return sum(task["state"] == "active" and task["attempt_state"] == "running" for task in tasks)


def master_loss(job, bed):
    tasks = pids_of(bed, "sleep 4321")
    killed = time.time()
    os.kill(pids_of(bed, "muster master")[-1], signal.SIGKILL)
    at = job.wait_for("master-recovered", 1, PATIENCE)[0]
    wait_until(lambda: running_tasks(job) == 3, "the next master is in charge", PATIENCE, step=0.1)
    lost = len(set(tasks) - set(pids_of(bed, "sleep 4321")))
    return Row("yarn_master", "YARN, a killed master → the next is in charge", "s", [at - killed],
               "kill -9 of the master", peers={"TonY (all tasks anew)": TONY["master"]},
               note=f"{lost} tasks lost")
