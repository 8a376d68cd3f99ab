"""Tasks that hang in containers of YARN, and the notices of it."""
# bed: plain
# timeout: 600

import json
import pathlib
import sys

from yarn_jobs import RUN_LIMIT, expect_all_over, expect_final, job_of, status_of

# The second waits for a lock that nobody releases, the first for a byte from the second.
HANGS = """
import os, socket, threading

def waits_for_its_peer():
    here, there = socket.socketpair()
    here.recv(1)

def loads():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

print("up", flush=True)
loads() if os.environ["MUSTER_INDEX"] == "1" else waits_for_its_peer()
"""


def test_a_task_that_hangs_is_named_and_told_of(yarn, bed):
    yarn.write("program.py", HANGS)
    told = yarn.folder / "told"
    py_spy = pathlib.Path(sys.executable).parent
    spec = yarn.spec({
        "framework": "pytorch", "files": ["program.py"],
        "command": "exec /usr/bin/python3 program.py", "env": {"PATH": f"{py_spy}:/usr/bin:/bin"},
        "stall": {"after": "5s", "then": "fail"},
        "notify": {"on": ["stall", "end"], "command": f"{{ cat; echo; }} >> {told}"},
        "roles": {"worker": {"tasks": 2, "memory": "128m"}}})
    done = yarn("run", spec, "--on", "yarn", within=RUN_LIMIT).expect(1)
    outcome = status_of(yarn)["outcome"]
    assert outcome["class"] == "program.stalled", done.text
    stalls = [task["stall"] for task in status_of(yarn)["roles"]["worker"]["tasks"]]
    [stall] = [stall for stall in stalls if stall]
    assert {"worker:0 receives from a socket in waits_for_its_peer (program.py:6)",
            "worker:1 waits in loads (program.py:11)"} <= set(stall["evidence"].splitlines())
    notices = [json.loads(line) for line in told.read_text().splitlines() if line]
    assert [notice["on"] for notice in notices] == ["stall", "end"]
    assert "worker:" in notices[0]["message"] and notices[0]["task"].startswith("worker:")
    job = job_of(done)
    expect_final(yarn, bed, job, "FAILED")
    expect_all_over(yarn, bed, job)
