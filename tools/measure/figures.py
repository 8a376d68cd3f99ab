"""Figures of jobs with real processes on this machine: start-up, restarts, losses, takeover."""

import os
import signal
import subprocess
import time

import peers
from table import Row

from muster import Job, enough, memory_mib, wait_until


def start_up(muster, rounds):
    """`muster run -n 1 -- true`, from the shell's fork to its wait."""
    words = [muster.binary, "run", "-q", "-n", "1", "--", "true"]
    row = Row("start_up", "muster run of a one-task `true`, whole command", "ms", [],
              "muster run -q -n 1 -- true", limit=60)
    row.peers = {"shell script": [], "torchrun": []}
    for _ in range(4 * rounds):
        row.samples.append(1000 * peers.seconds_for(words, muster.environment))
        row.peers["shell script"].append(1000 * peers.seconds_for(peers.script(1, "true")))
    for _ in range(rounds):
        row.peers["torchrun"].append(1000 * peers.seconds_for(peers.torchrun(1, "true")))
    return [row]


def all_running(muster, rounds, stamps, tasks=32):
    """From the command until the log says that the last task runs."""
    row = Row("all_running", f"{tasks} tasks: command → all running", "ms", [],
              f"muster run -q -n {tasks} -- sleep 1; muster show last", limit=400)
    row.peers = {"shell script": [], "torchrun": []}
    for _ in range(rounds):
        started = time.time()
        peers.seconds_for([muster.binary, "run", "-q", *muster.quick(tasks), "--", "sleep", "1"],
                          muster.environment)
        row.samples.append(1000 * (newest_job(muster).facts("attempt-started")[-1][1] - started))
    for name, way in {"shell script": peers.script, "torchrun": peers.torchrun}.items():
        for _ in range(rounds):
            stamps.clear()
            started = time.time()
            peers.seconds_for(way(tasks, stamps.COMMAND), stamps.environment)
            row.peers[name].append(1000 * (stamps.last(tasks) - started))
    return [row]


def newest_job(muster):
    newest = max((muster.home / "jobs").iterdir(), key=lambda folder: folder.stat().st_mtime)
    return Job(muster, newest.name)


def restart(muster, rounds, folder):
    """A task is killed again and again; Muster starts it again in its place."""
    told = "kill -9 of a task's process; muster show ID --json"
    known, again = killed_and_restarted(muster, folder / "pids", 4 * rounds, muster.AT_ONCE)
    _, by_default = killed_and_restarted(muster, folder / "pids", rounds,
                                         ["--max-restarts", "1000"])
    return [Row("death_known", "process death → master knows", "ms", known, told, limit=10),
            Row("restart_in_place", "process death → runs again in its place, with "
                "restart.backoff=0s..0s", "ms", again, told, limit=50),
            Row("restart_by_default", "process death → runs again in its place, with the default "
                "restart.backoff", "ms", by_default, told)]


def killed_and_restarted(muster, pids, times, options):
    """Milliseconds from each of the deaths to the master's knowledge, and to the next start."""
    pids.unlink(missing_ok=True)
    kills = []
    with muster.job(1, f"echo $$ >> {pids}; exec sleep 1000", *options) as job:
        for count in range(1, times + 1):
            started = wait_until(lambda count=count: enough(lines_of(pids), count), "a start", 120)
            pid = started[-1]
            job.wait_for("attempt-started", count)
            kills.append(time.time())
            os.kill(int(pid), signal.SIGKILL)
        job.wait_for("attempt-started", times + 1, 120)
        ended = [at for _, at in job.facts("attempt-ended")]
        started = [at for _, at in job.facts("attempt-started")][1:]
    return tuple([1000 * max(0, at - kill) for kill, at in zip(kills, found, strict=True)]
                 for found in (ended, started))


def lines_of(path):
    return path.read_text().split() if path.exists() else []


PRINTER = ("import time\n"
           "for i in range(60): print(i % 7, time.time_ns(), flush=True); time.sleep(0.02)\n")


def followed_output(muster, folder):
    """A line printed by a task → read from the client's pipe."""
    program = folder / "printer.py"
    program.write_text(PRINTER)
    command = f"exec {peers.PYTHON} -S {program}"
    row = Row("followed", "output line → followed on the client", "ms",
              line_delays([muster.binary, "run", "-q", "-n", "1", "--", "sh", "-c", command],
                          muster.environment),
              "muster run -q -n 1 -- python3 PRINTER", limit=50)
    row.peers["shell script"] = line_delays(peers.script(1, command))
    row.peers["torchrun"] = line_delays(peers.torchrun(1, command))
    return [row]


CHATTER = ("import time\n"
           "begun = time.monotonic()\n"
           "for i in range(1000000): print('line', i, 'of a million', flush=True)\n"
           "print('took', time.monotonic() - begun, file=__import__('sys').stderr)\n")


def unbuffered_lines(muster, rounds, folder):
    """A million lines, each written by itself, into a file: what being read costs the program."""
    program = folder / "chatter.py"
    program.write_text(CHATTER)
    words = [peers.PYTHON, "-S", str(program)]
    row = Row("unbuffered", "a million unbuffered lines into a file", "s",
              [chatter_time([muster.binary, "run", "-q", "-n", "1", "--", *words], folder,
                            muster.environment) for _ in range(rounds)],
              "muster run -q -n 1 -- python3 PRINTER >FILE; by the program's own clock")
    row.peers["by hand"] = [chatter_time(words, folder) for _ in range(rounds)]
    return [row]


def chatter_time(words, folder, environment=None):
    with open(folder / "chatter.out", "wb") as out:
        done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.PIPE, text=True, check=True)
    return float(next(line.split()[1] for line in done.stderr.splitlines()
                      if line.startswith("took ")))


def line_delays(words, environment=None):
    delays = []
    with subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for line in process.stdout:
            now, printed = time.time_ns(), line.split()[-1]
            if printed.isdigit() and len(printed) == 19:
                delays.append((now - int(printed)) / 1e6)
    return delays[1:]  # The first one waits for the program's own start.


def silent_host(muster, rounds):
    """Agents and their keepers are stopped: beats end, the connections stay."""
    with muster.job(rounds, "exec sleep 1000") as job:
        job.wait_for("attempt-started", rounds)
        agents = wait_until(lambda: enough(job.agents(), rounds), "the agents")
        stopped = [pid for _, pids in agents for pid in reversed(pids)]
        at = time.time()
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        try:
            suspect = [told - at for told in job.wait_for("agent-suspected", rounds)]
            lost = [told - at for told in job.wait_for("agent-lost", rounds)]
        finally:
            for pid in stopped:
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    pass
    told = "kill -STOP of an agent and its keepers; muster show ID"
    return [Row("suspect", "silent host → suspect (liveness.suspect: 3s)", "s", suspect, told,
                limit=3.1),
            Row("lost", "silent host → lost (liveness.lost: 10s)", "s", lost, told, limit=10.1)]


def takeover(muster, rounds, tasks=4):
    """The master of a running job is killed: another one must hear every agent."""
    delays, lost, before = [], [], 0
    with muster.job(tasks, "exec sleep 1000") as job:
        job.wait_for("attempt-started", tasks)
        for count in range(1, rounds + 1):
            killed = time.time()
            os.kill(job.master_pid(), signal.SIGKILL)
            reports = job.wait_for("agent-reported", tasks * count)
            delays.append(reports[-1] - killed)
            ended = len(job.facts("attempt-ended"))
            lost.append(ended - before)
            before = ended
    told = "kill -9 of the master (its pid stands in master.json); muster show ID"
    return [Row("takeover", f"master after kill -9 → in charge of {tasks} tasks again", "s", delays,
                told, limit=1),
            Row("takeover_lost", "tasks lost by that", "tasks", lost, told,
                limit=0)]


def growth(muster, rounds, counts=(1, 10, 100)):
    """Whole commands as the number of tasks grows, and the memory of Muster's own processes."""
    rows = []
    for tasks in counts:
        row = Row(f"growth_{tasks}", f"whole command, {tasks} x `true`", "ms", [],
                  f"muster run -q -n {tasks} -- true")
        row.peers = {"shell script": [], "torchrun": []}
        for _ in range(rounds):
            words = [muster.binary, "run", "-q", *muster.quick(tasks), "--", "true"]
            row.samples.append(1000 * peers.seconds_for(words, muster.environment))
            row.peers["shell script"].append(1000 * peers.seconds_for(peers.script(tasks, "true")))
            row.peers["torchrun"].append(1000 * peers.seconds_for(peers.torchrun(tasks, "true")))
        rows.append(row)
    return rows


def memory(muster, rounds, tasks=100):
    """Pss divides a page among those who map it, so that the sum is what the machine has lost; Rss
    counts it for each, as if it were alone there. At rest: what only the start needs has been given
    back a second after it.
    """
    agents_of, masters = {"Pss": [], "Rss": []}, {"Pss": [], "Rss": []}
    for _ in range(max(1, rounds)):
        with muster.job(tasks, "exec sleep 1000") as job:
            job.wait_for("attempt-started", tasks)
            agents = wait_until(lambda: enough(job.agents(), tasks), "all agents")
            time.sleep(3)
            for field in agents_of:
                agents_of[field] += [sum(memory_mib(pid, field) for pid in pids[1:])
                                     for _, pids in agents[:20]]
                masters[field].append(memory_mib(job.master_pid(), field))
    told = f"muster submit -n {tasks} -- sleep 100; 3 s later /proc/PID/smaps_rollup"
    words = {"Pss": f"shared pages divided, {tasks} on this machine", "Rss": "shared pages counted "
             "for each, as if alone on a host"}
    return [*(Row(f"agent_memory_{field}", f"memory of an agent and its keeper at rest ({field}: "
                  f"{words[field]})", "MiB", agents_of[field], told, limit=10)
              for field in agents_of),
            *(Row(f"master_memory_{field}", f"memory of the master of {tasks} real agents "
                  f"({field})", "MiB", masters[field], told, limit=24) for field in masters)]
