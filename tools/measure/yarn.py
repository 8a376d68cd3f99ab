"""Figures of jobs on YARN, on a real cluster of one machine (tools/hadoop), beside TonY's."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from table import Elsewhere, Row

from muster import Muster, memory_mib, processes, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 180.0

# TonY 0.5.3 on such a cluster, 2 cores, 2 workers and 1 ps: its client's start to the last process
# of the user, a whole job of `true`, 32 workers; from the loss to the client's end, and until all
# tasks ran again. Seconds; each list is the smallest, the middle and the largest that were seen.
TONY = {"running_3": [10.2, 12.3, 24.3], "true": [15.9, 21.7, 24.4], "running_32": [49.8, 72.3],
        "process": [11.0, 14.0], "container": [2.7, 6.4, 6.7], "master": [8.0, 25.0],
        "host": [86.0, 87.0],
        "memory": {"client": 128.0, "master": 157.0, "agent": 107.0},
        "cpu": {"client": 3.2, "master": 4.2, "agent": 1.5}}

TONY_SOURCE = "TonY 0.5.3 on such a cluster, another machine of the same kind, November 2026, busy"

# 64 containers of a core each, and a master. Nothing that is measured keeps a core busy.
MANY_CORES = {"yarn-site": {"yarn.nodemanager.resource.cpu-vcores": 32}}


@contextlib.contextmanager
def cluster():
    """A cluster of three hosts for as long as it is measured."""
    sys.path.insert(0, str(ROOT / "tools" / "hadoop"))
    import artifacts  # noqa: PLC0415
    from bed import Bed  # noqa: PLC0415
    bed = Bed.start(artifacts.VERSIONS[-1], "yarn")
    try:
        with bed.configured(MANY_CORES, restart=bed.variant.names("nm")):
            bed.wait_healthy()
            yield bed
    finally:
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
        return ["--on", "yarn", "-n", str(tasks), "--set", "roles.worker.memory=32m"]

    AT_ONCE = [*Muster.AT_ONCE, "--set", "restart.container=1000"]

    def run(self, *words, check=True):
        done = subprocess.run([self.binary, *words], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=PATIENCE)
        if check and done.returncode != 0:
            raise RuntimeError(f"muster {' '.join(words)}: status {done.returncode}: "
                               f"{done.stderr.strip()[-2000:]}")
        return done.stdout


# The bed's node managers report every 250 ms; Hadoop's default is what most clusters have.
DEFAULT_BEATS = {"yarn-site": {"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": 1000}}
TONY_DEFAULT_BEATS = {32: [57.4]}


def tony(samples, what="TonY"):
    return [Elsewhere(what, list(samples), TONY_SOURCE)] if samples else []


def figures(binary, folder, rounds):
    with cluster() as bed:
        muster = OnYarn(binary, pathlib.Path(folder) / "yarn", bed)
        muster.run("run", "-q", *muster.quick(1), "--", "true")  # Uploads the program.
        try:
            return [*running(muster, rounds), whole(muster, rounds), by_flags(muster, rounds),
                    *growth(muster, rounds), *sizes(muster, bed), waiting(muster, bed),
                    *losses(muster, bed, rounds), host_loss(muster, bed, rounds),
                    *by_default(muster, bed, rounds)]
        finally:
            muster.stop_all()


def running(muster, rounds):
    """From the command until the log says that the last task runs."""
    rows = []
    for tasks, ratio in ((3, 3), (32, 8)):
        peer = TONY[f"running_{tasks}"]
        row = Row(f"yarn_running_{tasks}", f"YARN, node managers reporting every "
                  f"250 ms, {tasks} tasks: command → all running", "s", [],
                  f"muster submit --on yarn -n {tasks} -- sleep 1000; muster show last",
                  limit=min(peer) / ratio, elsewhere=tony(peer))
        for _ in range(rounds):
            row.samples.append(until_running(muster, tasks))
        rows.append(row)
    return rows


def by_default(muster, bed, rounds):
    """The same where node managers report once a second."""
    rows = []
    with bed.configured(DEFAULT_BEATS, restart=bed.variant.names("rm")):
        bed.wait_healthy()
        for tasks, limit in ((3, 2.0), (32, min(TONY_DEFAULT_BEATS[32]) / 8)):
            samples = [until_running(muster, tasks) for _ in range(rounds)]
            rows.append(Row(f"yarn_default_beats_{tasks}", f"YARN, node managers reporting every "
                            f"1 s (Hadoop's default), {tasks} tasks: command → all running", "s",
                            samples, f"muster submit --on yarn -n {tasks} -- sleep 1000; "
                            "muster show last", limit=limit,
                            elsewhere=tony(TONY_DEFAULT_BEATS.get(tasks, []))))
    return rows


def until_running(muster, tasks, *options):
    started = time.time()
    with muster.job(tasks, "exec sleep 1000", *options) as job:
        return job.wait_for("attempt-started", tasks, PATIENCE)[-1] - started


def counted(tasks):
    return "1 task" if tasks == 1 else f"{tasks} tasks"


def growth(muster, rounds, counts=(1, 4, 16, 64), together=16):
    """The same as the number of tasks grows, in containers of their own and `together`."""
    rows = []
    for tasks in counts:
        row = Row(f"yarn_growth_{tasks}", f"YARN, {counted(tasks)}, a container each → all running",
                  "s", [], f"muster submit --on yarn -n {tasks} -- sleep 1000; muster show last")
        row.samples = [until_running(muster, tasks) for _ in range(rounds)]
        rows.append(row)
        if tasks >= together:
            setting = f"roles.worker.tasks_per_container={together}"
            rows.append(Row(f"yarn_growth_{tasks}_shared",
                            f"YARN, {tasks} tasks, {together} to a container → all running", "s",
                            [until_running(muster, tasks, "--set", setting)
                             for _ in range(rounds)],
                            f"the same with --set {setting}"))
    return rows


def sizes(muster, bed, tasks=3):
    """What client, master and agents of a job take until all tasks run."""
    words = [muster.binary, "run", "-q", *muster.quick(tasks), "--", "sh", "-c", "exec sleep 1000"]
    with subprocess.Popen(words, env=muster.environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as client:
        try:
            wait_until(lambda: len(pids_of(bed, "sleep 1000")) >= tasks or None,
                       f"{tasks} tasks on YARN", PATIENCE, step=0.1)
            pids = {"client": [client.pid], "master": pids_of(bed, "muster master"),
                    "agent": pids_of(bed, "muster agent")}
            memory = {who: [memory_mib(pid, "Rss") for pid in ids] for who, ids in pids.items()}
            cpu = {who: [cpu_seconds(pid) for pid in ids] for who, ids in pids.items()}
        finally:
            client.send_signal(signal.SIGTERM)
            client.wait(PATIENCE)
    told = f"muster run --on yarn -n {tasks} -- sleep 1000; /proc/PID"
    names = {"client": "the client", "master": "the master", "agent": "each agent"}
    rows = [Row(f"yarn_memory_{who}", f"YARN, {tasks} tasks: memory of {names[who]} (Rss)", "MiB",
                memory[who], told, elsewhere=tony([TONY["memory"][who]])) for who in names]
    rows += [Row(f"yarn_cpu_{who}", f"YARN, {tasks} tasks: CPU of {names[who]} until all run", "s",
                 cpu[who], told, elsewhere=tony([TONY["cpu"][who]])) for who in names]
    return rows


def cpu_seconds(pid):
    """What a process has used of the processor so far."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def waiting(muster, bed, settled=17.0, over=20.0):
    """How often a job calls the resource manager that waits for what others have: `settled`
    seconds after its last change, when it no longer hurries.
    """
    import health  # noqa: PLC0415

    def calls():
        found = 0
        for port in ("rm1.scheduler", "rm1.rpc"):
            name = f"ResourceManager,name=RpcActivityForPort{bed.port(port)}"
            found += health.bean(bed.port("rm1.http"), name).get("RpcProcessingTimeNumOps", 0)
        return found

    hog = ["--set", "roles.worker.memory=9g"]  # One to a host, and little is left.
    with muster.job(3, "exec sleep 1000", *hog) as first:
        first.wait_for("attempt-started", 3, PATIENCE)
        with muster.job(2, "exec sleep 1000", *hog):
            wait_until(lambda: len(pids_of(bed, "muster master")) == 2, "its master", PATIENCE)
            time.sleep(settled)
            before, began = calls(), time.monotonic()
            time.sleep(over)
            made, took = calls() - before, time.monotonic() - began
    return Row("yarn_waiting", "YARN, one job waits, one runs: calls of the resource manager",
               "a minute", [60 * made / took],
               "two jobs of which one fits; /jmx of the resource manager")


def whole(muster, rounds):
    row = Row("yarn_true", "YARN, a job of `true`: the whole command", "s", [],
              "muster run -q --on yarn -n 1 -- true", elsewhere=tony(TONY["true"]))
    for _ in range(rounds):
        started = time.monotonic()
        muster.run("run", "-q", *muster.quick(1), "--", "true")
        row.samples.append(time.monotonic() - started)
    return row


def by_flags(muster, rounds):
    """The flags that TonY's client was given for its figure, given to `muster tony`."""
    flags = ["-executes", "true", "-conf", "tony.worker.instances=2", "-conf",
             "tony.ps.instances=1", "-conf", "tony.worker.memory=64m", "-conf",
             "tony.ps.memory=64m"]
    row = Row("yarn_tony_true", "YARN, TonY's flags for 2 workers and 1 ps of `true`: the whole "
              "command", "s", [], "muster tony -executes true -conf tony.worker.instances=2 -conf "
              "tony.ps.instances=1", elsewhere=tony(TONY["true"]))
    for _ in range(rounds):
        started = time.monotonic()
        muster.run("tony", "--quiet", *flags)
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


def losses(muster, bed, rounds):
    """What is killed is noticed, and the job is whole again."""
    noticed = {"process": [], "container": []}
    whole_again = {"process": [], "container": []}
    masters, lost = [], 0
    # YARN starts a master twice within ten minutes: a job for each round.
    for _ in range(rounds):
        with muster.job(3, "exec sleep 4321", *muster.AT_ONCE) as job:
            job.wait_for("attempt-started", 3, PATIENCE)
            for key, words, told in (("process", "sleep 4321", "attempt-ended"),
                                     ("container", "muster agent", "container-ended")):
                known, again = kill_one(job, bed, words, told)
                noticed[key].append(known)
                whole_again[key].append(again)
            ended = len(job.facts("attempt-ended"))
            masters.append(master_loss(job, bed))
            lost += len(job.facts("attempt-ended")) - ended
    rows = []
    for key in noticed:
        rows.append(Row(f"yarn_{key}_noticed", f"YARN, a killed {key} → noticed", "s",
                        noticed[key], f"kill -9 of a {key}"))
        rows.append(Row(f"yarn_{key}_whole", f"YARN, a killed {key} → all tasks run again, "
                        "with restart.backoff=0s..0s", "s", whole_again[key],
                        f"kill -9 of a {key}", elsewhere=tony(TONY[key])))
    return [*rows, Row("yarn_master", "YARN, a killed master → the next is in charge", "s", masters,
                       "kill -9 of the master", note=f"{lost} tasks lost",
                       elsewhere=tony(TONY["master"], "TonY (all tasks anew)"))]


def kill_one(job, bed, words, told):
    """Seconds from the death of a process with these words until the log tells it, and until all
    tasks run again."""
    before = len(job.facts(told))
    runs = len(job.facts("attempt-started"))
    killed = time.time()
    os.kill(pids_of(bed, words)[-1], signal.SIGKILL)
    noticed = job.wait_for(told, before + 1, PATIENCE)[before]
    job.wait_for("attempt-started", runs + 1, PATIENCE)
    wait_until(lambda: running_tasks(job) == 3, f"{words}: whole again", PATIENCE, step=0.1)
    again = job.facts("attempt-started")[-1][1]
    return max(0.0, noticed - killed), max(0.0, again - killed)


def running_tasks(job):
    text = job.muster.run("status", job.name, "--json", check=False)
    if not text:
        return 0
    tasks = json.loads(text)["roles"]["worker"]["tasks"]
    return sum(task["state"] == "active" and task["attempt_state"] == "running" for task in tasks)


def master_loss(job, bed):
    """Seconds until the next master is in charge of all tasks."""
    killed = time.time()
    os.kill(pids_of(bed, "muster master")[-1], signal.SIGKILL)
    at = job.wait_for("master-recovered", 1, PATIENCE)[0]
    wait_until(lambda: running_tasks(job) == 3, "the next master is in charge", PATIENCE, step=0.1)
    return at - killed


def host_loss(muster, bed, rounds):
    return Row("yarn_host", "YARN, a killed NodeManager with its containers → noticed", "s",
               [seconds_to_notice(muster, bed) for _ in range(rounds)],
               "kill -9 of a NodeManager and its containers", elsewhere=tony(TONY["host"]))


def seconds_to_notice(muster, bed):
    """A node manager and all that it runs end at once, as with a host that loses power."""
    spread = ["--set", "roles.worker.memory=9g", *muster.AT_ONCE]
    with muster.job(3, "exec sleep 8765", *spread) as job:
        job.wait_for("attempt-started", 3, PATIENCE)
        with_master = host_of(bed, pids_of(bed, "muster master")[-1])
        victim = next(name for name in bed.variant.names("nm") if name != with_master)
        killed = time.time()
        bed.kill(victim)
        for pid in [*pids_of(bed, "muster agent"), *pids_of(bed, "sleep 8765")]:
            if host_of(bed, pid) == victim:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        noticed = job.wait_for("agent-lost", 1, PATIENCE)[0]
        bed.restart(victim)
        bed.wait_healthy()
    return max(0.0, noticed - killed)


def host_of(bed, pid):
    """The node manager whose folder a process of a container works in; None if it has ended."""
    try:
        folder = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None
    return next((name for name in bed.variant.names("nm") if f"/{name}/" in folder), None)
