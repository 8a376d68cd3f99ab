"""Real training on YARN: TensorFlow, checkpoints in HDFS, and deaths half-way."""
# bed: plain
# timeout: 1200

import contextlib
import os
import pathlib
import re
import signal
import subprocess

import harness
import pytest
from waiting import until
from yarn_jobs import processes_in, status_of, wait_until_kept

EXAMPLES = harness.REPOSITORY / "examples"


@pytest.fixture(scope="module")
def tensorflow():
    """The interpreter of the environment that has TensorFlow."""
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "tensorflow"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip()) / "bin" / "python3"


def start(yarn, example, python, to, epochs):
    return yarn.start("run", EXAMPLES / example / "job.yaml", "--on", "yarn",
                      "--set", f"python.interpreter={python}", "--set", f"checkpoint.to={to}",
                      "--", "--epochs", str(epochs))


def accuracy_of(done):
    return float(re.search(r"test accuracy (0\.\d+|1\.000)", done.lines("test accuracy")[-1])[1])


def task_pids(bed, role, index):
    """The pids of a task's own program, without the shell that started it."""
    wanted = {f"MUSTER_ROLE={role}".encode(), f"MUSTER_INDEX={index}".encode()}
    found = []
    for pid in processes_in(bed, "train.py"):
        process = pathlib.Path(f"/proc/{pid}")
        with contextlib.suppress(OSError):  # It ends meanwhile.
            if (process / "comm").read_text().startswith("python") and wanted <= set(
                    (process / "environ").read_bytes().split(b"\0")):
                found.append(pid)
    return found


def checkpoints_in(bed, folder):
    listed = bed.shell("fs", "-ls", "-C", folder)
    return [line.rsplit("/", 1)[1] for line in listed.out.split()]


def test_a_gang_whose_worker_dies_goes_on_from_its_checkpoint_in_hdfs(yarn, bed, tensorflow):
    folder = "/user/alice/mirrored"
    running = start(yarn, "digits-mirrored", tensorflow, bed.uri(folder), 200)
    running.sees("epoch 5 of 200", 240)
    (worker,) = task_pids(bed, "worker", 0)
    os.kill(worker, signal.SIGSTOP)  # The others wait for it, so that the training does not end.
    until(lambda: any(name.startswith("ckpt-") for name in checkpoints_in(bed, folder)), 240,
          lambda: f"the first checkpoint in HDFS; so far:\n{running.text}")
    os.kill(worker, signal.SIGKILL)
    done = running.wait(300).expect(0)
    assert accuracy_of(done) >= 0.95
    assert done.lines(r"^(chief:0\W.*)?resumed from epoch [1-9]"), done.out
    # All of the gang starts over, and for that cause alone.
    assert len(done.lines(r"worker:0 restarts .*, 1 other with it: .*program\.killed")) == 1
    roles = yarn.status()["roles"]
    assert roles["chief"]["tasks"][0]["attempts"] == roles["worker"]["tasks"][0]["attempts"] == 2
    kept = checkpoints_in(bed, folder)
    assert 1 <= len(kept) <= 3 and all(name.startswith("ckpt-") for name in kept), kept


def test_a_training_whose_master_dies_goes_on_without_a_restart(yarn, bed, tensorflow):
    running = start(yarn, "digits", tensorflow, bed.uri("/user/alice/servers"), 30)
    running.sees("epoch 5 of 30", 240)
    (chief,) = task_pids(bed, "chief", 0)
    os.kill(chief, signal.SIGSTOP)
    tasks = sorted(processes_in(bed, "train.py"))
    wait_until_kept(yarn, bed, 5)
    (master,) = processes_in(bed, "muster master --on yarn")
    os.kill(master, signal.SIGKILL)
    until(lambda: processes_in(bed, "muster master --on yarn") not in ([], [master]), 120,
          "the next master starts")
    until(lambda: status_of(yarn).get("phase") == "running", 120, "the next master is in charge")
    assert sorted(processes_in(bed, "train.py")) == tasks
    os.kill(chief, signal.SIGCONT)
    done = running.wait(300).expect(0)
    assert accuracy_of(done) >= 0.95
    attempts = [task["attempts"] for role in yarn.status()["roles"].values()
                for task in role["tasks"]]
    assert attempts == [1, 1, 1, 1]
