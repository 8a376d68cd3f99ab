"""Attacks on a job inside a Spark application: on the driver's port, the master's and the agents',
and by its own programs. The attacks are those of test/local/test_strangers.py.
"""
# timeout: 600

import ctypes
import json
import os
import pickle
import re
import signal
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from cluster_bed import descendants, home, processes_with, sc, until  # noqa: F401 (fixtures)

import muster.spark
from muster.spark.channel import connect, container_key

sys.path.insert(0, str(Path(__file__).parents[1] / "local"))

import attacks  # noqa: E402
import harness  # noqa: E402
import siege  # noqa: E402

_PR_CAPBSET_DROP = 24
# CAP_SYS_PTRACE, CAP_SYS_ADMIN and CAP_PERFMON.
_SEES_PROCESSES = (19, 21, 38)
# Beside executors and the driver's Java, on the same machine.
SIZE = max(300, siege.SIZE // 3)


@pytest.fixture(scope="module", autouse=True)
def without_ptrace():
    """Whatever is started from here on has no more power over processes than other users' have; as
    root, a task would see into everything.
    """
    for capability in _SEES_PROCESSES:
        assert ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0


@pytest.fixture
def attacked(sc, home, tmp_path):  # noqa: F811
    """Starts a job; its slots are given back after the test."""
    jobs = []

    def start(function=None, restarts=1):
        jobs.append(Attacked(tmp_path, home, sc, function, restarts))
        jobs[-1].runs()
        return jobs[-1]

    yield start
    for job in jobs:
        job.end()


class Attacked:
    """A job whose programs wait, or run `function`, seen from its driver."""

    def __init__(self, folder, home, sc, function, restarts):  # noqa: F811
        self.muster = harness.Muster(folder)
        self.muster.home = home
        self.muster.environment["MUSTER_HOME"] = str(home)
        self.gate = folder / "gate"
        self.ended = {}
        before = set(harness.listening(os.getpid()))
        jobs = {path.name for path in home.glob("jobs/*")}

        def waits(args, ctx):
            import time

            while not os.path.exists(args):
                time.sleep(0.02)  # lint: allow(sleep) looks for a file that the test makes
            return ctx.task_index

        def drive():
            try:
                self.ended["results"] = muster.spark.run(
                    function or waits, {"worker": 2}, str(self.gate), sc=sc, max_restarts=restarts)
            except Exception as failure:  # Reported by whoever waits for the job.
                self.ended["failure"] = str(failure)

        self.program = threading.Thread(target=drive)
        self.program.start()
        # Its driver's port exists before the job does.
        self.id = until(lambda: self.ended or {path.name for path in home.glob("jobs/*")} - jobs,
                        "a job")
        assert not self.ended, self.ended
        (self.id,) = self.id
        (self.driver,) = set(harness.listening(os.getpid())) - before

    def status(self):
        done = self.muster("status", self.id, "--json")
        return done.json() if done.code == 0 else {}

    def attempts(self):
        return sorted(task["attempts"] for task in self.status()["roles"]["worker"]["tasks"])

    def runs(self, attempt=1):
        until(lambda: self.ended or (self.status().get("phase") == "running"
                                     and self.attempts()[-1] >= attempt), "the job runs")
        assert not self.ended, self.ended

    def pids(self, verb):
        pattern = re.compile(rf"muster\S* {verb}\b")
        return [pid for pid in processes_with(self.id)
                if pattern.search(words_of(pid))]

    def end(self):
        """Waits for the end of a job that succeeds."""
        self.gate.touch()
        self.program.join(harness.PATIENCE)
        assert not self.program.is_alive()
        return self.ended


def words_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


@pytest.mark.parametrize("kind", attacks.KINDS)
def test_the_owner_and_the_nodes_get_through(attacked, kind):
    job = attacked()
    (master,) = job.pids("master")
    agents = job.pids("agent")
    places = [(job.driver, {"count": SIZE}), (siege.place_of(master), {"count": SIZE}),
              (siege.place_of(agents[0]), {"count": SIZE // 4})]

    def nodes_come():
        """All programs are started again, and prove their keys on the driver's port."""
        for pid in descendants(agents[1]):
            harness.send(pid, signal.SIGKILL)
        job.runs(attempt=2)

    def stop():
        job.muster("stop", job.id, "--no-wait").expect(0)

    siege.hold_out(kind, places, [master, *agents, os.getpid()], stop, nodes_come)
    assert "stopped" in job.end()["failure"]


def hostile_program():
    """A nested function, so that executors get its code, not a reference to this module."""

    def hostile(args, ctx):
        """Has its container's key for the driver's port, and sends whatever it likes there; then
        prints endlessly.
        """
        from muster.spark.channel import connect
        from muster.spark.errors import ChannelError

        folder = Path(os.environ["SPARK_NODE_FOLDER"])
        settings = json.loads((folder / "node.json").read_text())
        driver, name = tuple(settings["driver"]), settings["container"]
        key = bytes.fromhex(settings["key"])
        for message in ({"is": "slot", "host": "h", "listen": "127.0.0.1", "folder": "/", "pid": 1,
                         "executor": "0"}, {"is": "ended", "exit_code": 0, "words": "over"},
                        {"is": "launch-failed", "reason": "no"}, {"is": "nothing"}, {},
                        {"is": "stop-stream"},
                        *({"is": "exit", "role": "worker", "index": index, "attempt": 1,
                           "failed": True, "stopped": False, "words": "\x1b[2Jmine"}
                          for index in range(2) if index != ctx.task_index),
                        *({"is": "node", "role": "worker", "index": index, "attempt": 1,
                           "executor_id": index, "host": "elsewhere", "port": 1, "pid": 1}
                          for index in range(2) if index != ctx.task_index)):
            channel = connect(driver, name, key)
            channel.send(message)
            channel.close()
        others = 0
        for other in ("c0", "c1", "c2", "c3", "driver", "owner"):
            if other != name:
                try:
                    connect(driver, other, key)
                except ChannelError:
                    others += 1
        Path(f"{args}.{ctx.task_index}").write_text(str(others))
        while not os.path.exists(args):
            os.write(1, b"\x1b]0;mine\x07" + b"x" * 65536)
        return ctx.task_index

    return hostile


def test_a_hostile_program_says_and_prints_what_it_likes(attacked, tmp_path):
    """Nobody else's container is touched, and the job goes on to its end."""
    job = attacked(hostile_program(), restarts=0)
    told = [tmp_path / f"gate.{index}" for index in range(2)]
    until(lambda: all(path.exists() and path.read_text() for path in told), "both have said it")
    assert [int(path.read_text()) for path in told] == [5, 5]
    (master,) = job.pids("master")
    siege.hold_out("hostile", [], [master, *job.pids("agent"), os.getpid()], job.status)
    assert job.attempts() == [1, 1]
    assert job.end()["results"] == {"worker": [0, 1]}


def container_of(agent):
    """The agent, its keeper, the container's stub and its holder."""
    found = [agent]
    for _ in range(3):
        found.append(int(Path(f"/proc/{found[-1]}/stat").read_text().rsplit(")", 1)[1].split()[1]))
    assert "muster.spark.holder" in words_of(found[-1]), [words_of(pid) for pid in found]
    return found


class Opened:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def containers_in_tmp(job, within=""):
    """The folders of a job's containers on this host, or the files in them that match."""
    places = Path(tempfile.gettempdir())
    found = list(places.glob(f"muster-spark-{os.getuid()}/*/{job.id}{within}"))
    assert found, f"nothing of {job.id} is in {places}"
    return found


def test_nobody_finds_a_key(attacked, home):  # noqa: F811
    """A task has the key of its own container for the driver's port, and no other."""
    job = attacked()
    secret = bytes.fromhex((home / "jobs" / job.id / "secret").read_text())
    keys = siege.keys_of(secret, ["c1", "c2"]).values()
    folders = containers_in_tmp(job)
    pids = {pid for agent in job.pids("agent") for pid in container_of(agent)}
    assert len(pids) == 8, pids
    assert siege.seek(siege.AS_ANOTHER_USER, keys, pids, "/dev/shm", *folders, home) == []
    folders = containers_in_tmp(job)
    told = siege.seek([], keys, pids, *folders)
    assert not told, "\n".join(told)
    assert job.end()["results"] == {"worker": [0, 1]}


def test_nothing_that_comes_over_the_drivers_port_is_unpickled(attacked, tmp_path):
    """Not even with a container's key."""
    job = attacked()
    mark = tmp_path / "opened"
    bomb = pickle.dumps(Opened(mark))
    settings = [json.loads(path.read_text()) for path in
                containers_in_tmp(job, "/*/node.json")]
    assert len(settings) == 2
    for one in settings:
        key = bytes.fromhex(one["key"])
        channel = connect(tuple(one["driver"]), one["container"], key)
        for text in (bomb.decode("latin-1"), bomb.hex()):
            channel.send({"is": "ended", "exit_code": 0, "words": text, "result": text})
        channel.close()
    assert container_key(bytes(32), "c1") not in [bytes.fromhex(one["key"]) for one in settings]
    assert job.end()["results"] == {"worker": [0, 1]}
    assert not mark.exists()
