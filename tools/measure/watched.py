"""What it costs that programs are watched: page faults under Muster and by hand, and what the agent
of several tasks takes of a core.
"""

import json
import os
import re
import statistics

import peers
from table import Row

GIB = 1 << 30

# Holds GIB_HELD, then takes and gives back 64 MiB as often as it can. Every other second the
# agent above it is stopped, if there is one: two processes differ by some per cent in how fast
# they get memory, two seconds of one process do not. Tells the steps a second with and without the
# agent, the processor time of a step, and how much of a core the agent used.
PROGRAM = '''
import json, mmap, os, signal, time

def agent():
    pid = os.getppid()
    while pid > 1:
        words = open(f"/proc/{pid}/cmdline").read().split("\\0")
        if words[1:2] == ["agent"]:
            return pid
        pid = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])

def used(pid):
    threads = f"/proc/{pid}/task"
    return sum(int(open(f"{threads}/{one}/schedstat").read().split()[0])
               for one in os.listdir(threads)) / 1e9

held = b"x" * int(float(os.environ["GIB_HELD"]) * (1 << 30))
page, size = mmap.PAGESIZE, 64 << 20
touched = bytes(size // page)
above = agent()

def speed(seconds):
    steps, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as chunk:
            chunk[::page] = touched
        steps += 1
    return steps, time.perf_counter() - started

def tell_agent(number):
    if above:
        os.kill(above, number)

sums = {"with": [0, 0.0], "without": [0, 0.0]}
speed(1)
before, own, started = used(above) if above else 0, time.process_time(), time.perf_counter()
for turn in range(int(os.environ["BENCH_SECONDS"])):
    # With, without, without, with: what changes steadily strikes both alike.
    way = ("with", "without", "without", "with")[turn % 4]
    tell_agent(signal.SIGSTOP if way == "without" else signal.SIGCONT)
    try:
        for at, value in enumerate(speed(1)):
            sums[way][at] += value
    finally:
        tell_agent(signal.SIGCONT)
steps = sums["with"][0] + sums["without"][0]
took = time.perf_counter() - started
with open(os.environ["BENCH_RESULT"], "w") as file:
    json.dump({"speed": steps / took, "cpu": (time.process_time() - own) / steps,
               **{way: count / seconds for way, (count, seconds) in sums.items()},
               "agent": 100 * ((used(above) if above else 0) - before) / sums["with"][1]}, file)
'''

# One of eight tasks of one agent: holds its part, has threads that rest, as those of frameworks do,
# and works for a tenth of the time. The first one measures the agent.
ONE_OF_EIGHT = PROGRAM[:PROGRAM.index("held = ")] + '''
import threading

held = b"x" * int(float(os.environ["GIB_HELD"]) * (1 << 30))
for _ in range(int(os.environ["BENCH_THREADS"])):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
above, seconds = agent(), int(os.environ["BENCH_SECONDS"])

def rest(until):
    while time.perf_counter() < until:
        working = time.perf_counter()
        while time.perf_counter() - working < 0.01:
            sum(range(1000))
        time.sleep(0.09)

rest(time.perf_counter() + 3)
before, started = used(above), time.perf_counter()
rest(started + seconds)
if os.environ["MUSTER_INDEX"] == "0":
    with open(os.environ["BENCH_RESULT"], "w") as file:
        json.dump(100 * (used(above) - before) / (time.perf_counter() - started), file)
'''


def available():
    """What the system can give to programs, with what its caches would give back."""
    with open("/proc/meminfo") as file:
        return int(re.search(r"MemAvailable:\s+(\d+) kB", file.read())[1]) << 10


def watched(muster, rounds, folder, sizes=(1, 8, 16), seconds=16):
    """Rounds alternate between the two ways. What the machine cannot hold is left out."""
    program, result = folder / "faults.py", folder / "faults"
    program.write_text(PROGRAM)
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // GIB
    rows = []
    for size in sizes:
        if (size + 2) * GIB > available():
            continue
        extra = {"GIB_HELD": str(size), "BENCH_SECONDS": str(seconds),
                 "BENCH_RESULT": str(result)}
        # Two thirds of its limit, where tasks live, if the machine has as much.
        limit = f"{min(max(size * 3 // 2, size + 1), whole)}g"
        under = [muster.binary, "run", "-q", "--memory", limit, "--", peers.PYTHON, str(program)]
        ways = [("hand", [peers.PYTHON, str(program)], dict(os.environ, **extra)),
                ("muster", under, dict(muster.environment, **extra))]
        came = {"hand": [], "muster": []}
        for turn in range(rounds):
            for name, words, environment in ways if turn % 2 == 0 else reversed(ways):
                result.unlink(missing_ok=True)
                peers.seconds_for(words, environment)
                came[name].append(json.loads(result.read_text()))
        rows += rows_of(size, limit, came)
    return rows


def of_eight(muster, rounds, folder, seconds=20):
    """Of one agent with eight tasks, which have few threads or many."""
    program, result, spec = folder / "eight.py", folder / "eight", folder / "eight.yaml"
    program.write_text(ONE_OF_EIGHT)
    limit = min(6.0, (available() / GIB - 2) / 8)
    held = limit * 2 / 3
    spec.write_text(f"name: eight\ncommand: exec {peers.PYTHON} {program}\nroles:\n  worker: "
                    f"{{tasks: 8, tasks_per_container: 8, memory: {int(1024 * limit)}m}}\n")
    rows = []
    for threads in (4, 64):
        extra = {"GIB_HELD": str(held), "BENCH_SECONDS": str(seconds),
                 "BENCH_THREADS": str(threads), "BENCH_RESULT": str(result)}
        came = []
        for _ in range(rounds):
            result.unlink(missing_ok=True)
            peers.seconds_for([muster.binary, "run", "-q", str(spec)],
                              dict(muster.environment, **extra))
            came.append(json.loads(result.read_text()))
        rows.append(Row(f"watching_eight_{threads}", "of a core, what the agent uses beside 8 "
                        f"tasks of {held:.1f} GiB and {threads} threads each", "%", came,
                        "muster run eight.yaml (tasks_per_container: 8)", limit=0.3))
    return rows


def rows_of(size, limit, came):
    """The speed while the agent watches beside that while it does not, what its watching took of a
    core, and, to judge the first by, the same comparison of seconds in which nobody watches.
    """
    speeds = {way: statistics.median(one["speed"] for one in all_of)
              for way, all_of in came.items()}
    cpu = {way: 1000 * statistics.median(one["cpu"] for one in all_of)
           for way, all_of in came.items()}
    compared = {way: [100 * one["with"] / one["without"] for one in all_of]
                for way, all_of in came.items()}
    command = f"muster run --memory {limit} -- python3 faults.py"
    return [
        Row(f"watched_{size}", f"page faults beside {size} GiB of a limit of {limit}, in percent "
            "of those while the agent is stopped", "%", compared["muster"], command, limit=99,
            at_least=True,
            note=f"by hand, where nobody watches, the same seconds differ by "
            f"{statistics.median(compared['hand']) - 100:+.1f} %; whole processes: "
            f"{speeds['muster']:.1f} steps/s, by hand {speeds['hand']:.1f}; processor time of a "
            f"step {cpu['muster']:.2f} ms, by hand {cpu['hand']:.2f} ms"),
        Row(f"watching_{size}", f"of a core, what the agent uses beside a program of {size} GiB",
            "%", [one["agent"] for one in came["muster"]], command, limit=0.3)]
