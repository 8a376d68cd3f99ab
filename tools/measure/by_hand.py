"""Everyday programs by hand and under `muster run`: what they cost, and whether they are the same.

Each is started by the same small program in both ways, which measures it alone: from its start to
its end, the time that it used the processors, and its page faults. The start-up of Muster has its
own row (figures.py). Both ways alternate, so that what else the machine does falls on both; a
program that says, sees or leaves something else than by hand is a failure.
"""

import json
import os
import pathlib
import subprocess

import peers
from table import Row

# Runs the rest of its arguments; writes what that took into the file named first.
MEASURED = """
import json, os, resource, sys, time
began = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(pid, 0)
took = time.perf_counter() - began
with open(sys.argv[1], "w") as file:
    json.dump({"wall": took, "cpu": used.ru_utime + used.ru_stime, "faults": used.ru_minflt,
               "peak_mib": used.ru_maxrss >> 10}, file)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
"""

# What a program sees of the machine: the same by hand, line by line.
SEEN = """
import os, resource
print(sorted(os.sched_getaffinity(0)), os.nice(0), os.umask(0o22), os.getcwd())
print(open("/proc/self/oom_score_adj").read().strip(), os.sched_getscheduler(0))
for name in sorted(dir(resource)):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
for line in open("/proc/self/status"):
    if line.startswith(("Umask", "SigBlk", "SigIgn", "Cap", "NoNewPrivs", "Seccomp", "Mems_al")):
        print(line.strip())
print({k: v for k, v in os.environ.items() if k.startswith(("CUDA", "HIP", "ROCR", "NVIDIA"))})
print(os.sysconf("SC_PHYS_PAGES"), open("/proc/self/cgroup").read())
"""

COMPUTE = "x = 0\nfor i in range(12_000_000): x = (x * 31 + i) & 0xffffffff\nprint(x)"
THREADS = """
import threading, hashlib
data = bytes(64 << 20)
def work():
    for _ in range(3): hashlib.sha256(data).digest()
crowd = [threading.Thread(target=work) for _ in range(2)]
[one.start() for one in crowd]; [one.join() for one in crowd]
print("done")
"""
POOL = """
import multiprocessing
def square(n): return sum(i * i for i in range(n))
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(sum(pool.map(square, [200_000] * 24)))
"""
MANY = """
import subprocess
for _ in range(10):
    crowd = [subprocess.Popen(["true"]) for _ in range(20)]
    print(sum(one.wait() for one in crowd))
"""
TABLE = """
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t (a integer, b text)")
db.executemany("insert into t values (?, ?)", ((i, str(i) * 3) for i in range(600_000)))
print(db.execute("select count(*), sum(a) from t where b like '%77%'").fetchone())
"""
FILES = """
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    for i in range(3000):
        with open(os.path.join(folder, str(i)), "w") as file: file.write("x" * 4096)
    print(sum(len(open(os.path.join(folder, name)).read()) for name in os.listdir(folder)))
"""
BAR = """
import sys, time
for i in range(400):
    sys.stderr.write("\\r%3d%%" % (i // 4)); sys.stderr.flush(); time.sleep(0.003)
"""
FAILS = """
import json
for _ in range(8000): json.loads('[1,' * 100 + '1' + ']' * 100)
json.loads('{')
"""
SOCKETS = """
import socket, threading
near, far = socket.socketpair()
def echo():
    while (data := far.recv(65536)): far.sendall(data)
threading.Thread(target=echo, daemon=True).start()
total = 0
for _ in range(20_000):
    near.sendall(b"x" * 1000)
    total += len(near.recv(65536))
print("done")
"""


def programs(folder):
    """name → words. Each runs for a second or so, and leaves nothing."""
    python = peers.PYTHON
    shell = ["sh", "-c"]
    text = folder / "text"
    text.write_bytes(b"".join(b"%d some words of a line\n" % (i * 7919 % 1000003)
                              for i in range(400_000)))
    return {
        "a loop in Python": [python, "-c", COMPUTE],
        "two threads": [python, "-c", THREADS],
        "a pool of processes": [python, _file(folder, "pool.py", POOL)],
        "200 short processes": [python, "-c", MANY],
        "what it sees": [python, "-c", SEEN],
        "a gibibyte of memory": [python, "-c", "b = b'x' * (1 << 30); print(len(b))"],
        "pages taken and given": [python, "-c", "for _ in range(60): bytes(bytearray(16 << 20))"],
        "a table in SQLite": [python, "-c", TABLE],
        "3,000 small files": [python, "-c", FILES],
        "a progress bar": [python, "-c", BAR],
        "a failure": [python, "-c", FAILS],
        "a socket": [python, "-c", SOCKETS],
        "many lines": ["seq", "1", "3000000"],
        "lines of Python": [python, "-c", "for i in range(500_000): print('step', i)"],
        "lines at once": [python, "-u", "-c", "for i in range(60_000): print('step', i)"],
        "one line of 300 MB": [*shell, "head -c 300000000 /dev/zero | tr '\\0' x"],
        "bytes that are no text": [*shell, "head -c 100000000 /dev/zero"],
        "sort": ["sort", "-n", str(text)],
        "gzip": [*shell, f"gzip -c {text} | wc -c"],
        "grep": [*shell, f"for i in 1 2 3 4 5 6 7 8; do grep -c '77.*line' {text}; done"],
        "sha256sum": [*shell, f"cat {text} {text} {text} {text} {text} {text} | sha256sum"],
        "a status of 7": [*shell, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 7"],
    }


def _file(folder, name, text):
    (folder / name).write_text(text)
    return str(folder / name)


def by_hand(muster, rounds, folder):
    """A row of the time of each program, and one of all together: a sample of each round."""
    measured = _file(folder, "measured.py", MEASURED)
    rows, times = [], {"hand": 0.0, "muster": 0.0}
    walls = {"hand": [0.0] * rounds, "muster": [0.0] * rounds}
    for name, words in programs(folder).items():
        command = [peers.PYTHON, measured, str(folder / "took.json"), *words]
        ways = [("hand", command, os.environ),
                ("muster", [muster.binary, "run", "-q", "--exit-code-from", "worker", "--",
                            *command], muster.environment)]
        took = {"hand": [], "muster": []}
        for turn in range(rounds):
            came = {}
            for way, line, environment in ways if turn % 2 == 0 else reversed(ways):
                came[way] = _run(line, environment, folder)
                took[way].append(came[way].pop("took"))
            if came["hand"] != came["muster"]:
                raise RuntimeError(f"{name}: not as by hand: {_difference(came)}")
        for way, all_times in took.items():
            walls[way] = [sum(pair) for pair in
                          zip(walls[way], (one["wall"] for one in all_times), strict=True)]
            times[way] += min(one["cpu"] for one in all_times)
        shares = [100 * ours["wall"] / theirs["wall"]
                  for ours, theirs in zip(took["muster"], took["hand"], strict=True)]
        rows.append(Row(
            f"by_hand_{len(rows) + 1:02}", f"{name}: its time, in percent of that by hand", "%",
            shares, "muster run -- " + " ".join(words)[:60].replace("\n", " "),
            note=_note(took)))
    rows.append(Row(
        "by_hand_all", "everyday programs: the time of all together, in percent of that by hand",
        "%", [100 * ours / theirs
              for ours, theirs in zip(walls["muster"], walls["hand"], strict=True)],
        "tools/bench --only by-hand", limit=101,
        note=f"{len(rows)} programs; of the processors {times['muster']:.2f} s against "
        f"{times['hand']:.2f} s by hand"))
    return rows


def _note(took):
    """Time, processor time and page faults beside those by hand, the least of each."""
    def least(way, what):
        return min(one[what] for one in took[way])

    return (f"processors {least('muster', 'cpu'):.3f} s, by hand {least('hand', 'cpu'):.3f} s; "
            f"page faults {least('muster', 'faults')}, by hand {least('hand', 'faults')}; "
            f"least time {least('muster', 'wall'):.3f} s, by hand {least('hand', 'wall'):.3f} s")


def _run(line, environment, folder):
    """What a program took, said and came to. Both streams go into files, as by hand."""
    streams = [folder / "out", folder / "err"]
    with open(streams[0], "wb") as out, open(streams[1], "wb") as err:
        done = subprocess.run(line, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=err, cwd=folder, check=False, timeout=120)
    took = json.loads((folder / "took.json").read_text())
    if done.returncode != 0 and "MUSTER_HOME" in environment:
        # Behind the program's own words Muster says what has failed; the log has those alone.
        jobs = pathlib.Path(environment["MUSTER_HOME"]) / "jobs"
        (streams[1],) = max(jobs.iterdir(), key=os.path.getmtime).glob("logs/worker-0.1.stderr")
    return {"took": took, "status": done.returncode, "out": streams[0].read_bytes(),
            "err": streams[1].read_bytes()}


def _difference(came):
    for what in ("status", "out", "err"):
        hand, muster = came["hand"][what], came["muster"][what]
        if hand != muster:
            if isinstance(hand, bytes):
                at = len(os.path.commonprefix([hand, muster]))
                return f"{what} at {at}: {muster[at:at + 200]!r}, by hand {hand[at:at + 200]!r}"
            return f"{what} {muster}, by hand {hand}"
    return "?"
