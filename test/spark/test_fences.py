"""The replacement of a task whose agent hangs starts once the old container is gone: if the
container can be reached, nobody ever sees two attempts of one task at work.
"""
# timeout: 600

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from cluster_bed import WAIT_SECONDS, executor_of, home, sc, until  # noqa: F401 (fixtures)

from muster.spark.job import Job
from muster.spark.plan import JobPlan

sys.path.insert(0, str(Path(__file__).parents[1] / "local"))

import lives  # noqa: E402


def writing_the_time():
    """A function that writes the time for as long as it lives: in the first generation until it is
    killed.
    """

    def work(args, ctx):
        names = ("ROLE", "INDEX", "GENERATION", "ATTEMPT")
        name = "_".join([os.environ["MUSTER_" + key] for key in names] + [str(os.getpid())])
        begun = time.monotonic()
        with open(f"{args}/{name}.part", "w", buffering=1) as said:
            said.write(os.getcwd() + "\n")
            os.rename(said.name, said.name[:-5])
            while ctx.generation == 1 or time.monotonic() - begun < 1:
                said.write(f"{time.monotonic()}\n")
                time.sleep(0.02)  # lint: allow(sleep) the pace at which it writes

    return work


class Life:
    """A job of one node whose first attempt is at work, and its processes by kind."""

    def __init__(self, sc, folder):  # noqa: F811
        self.folder = folder
        self.job = Job(sc, JobPlan(template={"worker": [0]}), writing_the_time(), str(folder))
        self.stopped = []
        try:
            [first] = until(self.attempts, "the first attempt")
            agent, keeper, stub = lives.above(first.pid)
        except BaseException:
            self.job.close()
            raise
        holder = int(Path(f"/proc/{stub}/stat").read_text().rpartition(")")[2].split()[1])
        assert b"muster.spark.holder" in Path(f"/proc/{holder}/cmdline").read_bytes()
        self.pids = {"agent": agent, "keeper": keeper, "stub": stub, "holder": holder,
                     "executor": executor_of(first.pid)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.stopped:
            lives.harness.send(pid, signal.SIGCONT)
        self.job.close()

    def attempts(self):
        paths = [path for path in self.folder.iterdir() if not path.name.endswith(".part")]
        return sorted(map(lives.Attempt, paths), key=lambda one: one.number)

    def freeze(self, *names):
        for name in names:
            os.kill(self.pids[name], signal.SIGSTOP)
            self.stopped.append(self.pids[name])

    def kill(self, name):
        os.kill(self.pids[name], signal.SIGKILL)

    def ends(self):
        """Waits for the job's end; returns both attempts, of which the second is newer."""
        assert self.job.wait(WAIT_SECONDS)
        self.job.raise_failure()
        first, second = self.attempts()
        assert second.generation > first.generation
        return first, second


@pytest.mark.parametrize(
    "frozen", [("agent",), ("agent", "keeper"), ("agent", "keeper", "stub")], ids="+".join
)
def test_a_frozen_agents_container_goes_before_its_task_starts_again(
    sc, tmp_path, frozen  # noqa: F811
):
    with Life(sc, tmp_path) as life:
        life.freeze(*frozen)
        first, second = life.ends()
    assert first.last < second.first, f"beside each other for {first.beside(second):.2f} s"


@pytest.mark.parametrize("lost", ["executor", "holder"])
def test_a_lost_executors_container_goes_before_its_task_starts_again(
    sc, tmp_path, lost  # noqa: F811
):
    with Life(sc, tmp_path) as life:
        life.freeze("agent")
        life.kill(lost)
        first, second = life.ends()
    assert first.last < second.first, f"beside each other for {first.beside(second):.2f} s"


def test_a_lost_executors_frozen_keeper_goes_before_its_task_starts_again(
    sc, tmp_path  # noqa: F811
):
    with Life(sc, tmp_path) as life:
        life.freeze("agent", "keeper")
        life.kill("executor")
        first, second = life.ends()
    assert first.last < second.first, f"beside each other for {first.beside(second):.2f} s"


def test_a_container_that_nobody_can_reach_is_not_waited_for_for_ever(sc, tmp_path):  # noqa: F811
    with Life(sc, tmp_path) as life:
        frozen = time.monotonic()
        life.freeze("agent", "holder")
        first, second = life.ends()
        # It was silent for a while, and then had the time that fencing gives it.
        assert second.first - frozen > 10
        assert first.last > second.first, "the old one was reached, after all"
    until(lambda: not lives.words_of(first.pid), "the old attempt has ended")
