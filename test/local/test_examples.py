# timeout: 1200
"""The examples, with their real frameworks."""

import os
import pathlib
import re
import subprocess

import harness
import pytest

EXAMPLES = harness.REPOSITORY / "examples"


@pytest.fixture(scope="module")
def venv():
    """Returns a function from the environment's name to its folder; makes it when missing."""
    def make(name):
        done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", name],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    return make


def run(muster, folder, venv):
    """Runs an example in its virtual environment; returns (the run, its accuracy)."""
    name = "tensorflow" if folder in ("digits", "digits-mirrored") else "torch"
    path = f"{venv(name)}/bin:{os.environ['PATH']}"
    done = muster("run", EXAMPLES / folder / "job.yaml", env={"PATH": path}, within=280).expect(0)
    (line,) = done.lines("test accuracy")
    return done, float(re.search(r"test accuracy (0\.\d+|1\.000)", line).group(1))


def test_digits(muster, venv):
    done, accuracy = run(muster, "digits", venv)
    assert accuracy >= 0.95
    assert done.lines(r"^(chief:0\W.*)?epoch 20 of 20")
    for task in ("worker:0", "worker:1", "ps:0"):
        assert done.lines(rf"^{task}\W.*serving on 127\.0\.0\.1:\d+")
    roles = muster.status()["roles"]
    assert roles["chief"]["tasks"][0]["state"] == "succeeded"
    assert roles["ps"]["tasks"][0]["state"] == "stopped"
    assert list(muster.home.rglob("ckpt-20.index"))


def test_digits_mirrored(muster, venv):
    _, accuracy = run(muster, "digits-mirrored", venv)
    assert accuracy >= 0.95


def test_digits_torch(muster, venv):
    _, accuracy = run(muster, "digits-torch", venv)
    assert accuracy >= 0.95


def test_digits_resume(muster, venv):
    done, accuracy = run(muster, "digits-resume", venv)
    assert accuracy >= 0.95
    assert done.lines(r"^worker:1\W.*killing this process at step 210")
    for rank in (0, 1):
        assert "resumed from step 200" in muster.log_text(f"worker:{rank}", attempt=2)
    status = muster.status()
    assert status["generation"] == 2
    assert {task["attempts"] for task in status["roles"]["worker"]["tasks"]} == {2}


def test_a_parameter_server_job_survives_the_death_of_a_worker(muster, venv):
    path = f"{venv('tensorflow')}/bin:{os.environ['PATH']}"
    running = muster.start("run", EXAMPLES / "digits" / "job.yaml", "--", "--epochs", "30",
                           env={"PATH": path})
    running.sees("epoch 5 of 30", 120)
    (worker,) = [pid for pid, line in muster.processes().items()
                 if line.startswith("python3 train.py") and is_task(pid, "worker", "1")]
    os.kill(worker, 9)
    done = running.wait(240).expect(0)
    assert done.lines("test accuracy 0.9")
    roles = muster.status()["roles"]
    assert roles["worker"]["tasks"][1]["attempts"] == 2
    assert roles["ps"]["tasks"][0]["attempts"] == roles["chief"]["tasks"][0]["attempts"] == 1


def is_task(pid, role, index):
    text = pathlib.Path(f"/proc/{pid}/environ").read_text(errors="replace")
    values = dict(item.split("=", 1) for item in text.split("\0") if "=" in item)
    return (values.get("MUSTER_ROLE"), values.get("MUSTER_INDEX")) == (role, index)
