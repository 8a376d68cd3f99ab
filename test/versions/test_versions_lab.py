"""Notebooks and kernels of two versions: the job's, the client's and the Python package's."""

import contextlib
import os
import pathlib
import signal

import harness
import jupyter_environment
import pytest
from jupyter_api import api, run_cell
from test_kernels import Manager, kernels

OTHER = pathlib.Path(os.environ["MUSTER_OTHER_BINARY"]).resolve()
OTHER_REPOSITORY = OTHER.parents[2]
LINK = r"http://127\.0\.0\.1:(\d+)/lab\?token=(\S+)"


@pytest.fixture
def person(tmp_path, python):
    """Somebody with a home of their own, in an environment that has JupyterLab."""
    muster = harness.Muster(tmp_path)
    muster.environment["PATH"] = f"{python.parent}:{muster.environment['PATH']}"
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)
    muster.expect_nothing_left()
    muster.end_everything()


def test_a_notebook_is_come_back_to(person, programs):
    first = person.start("notebook", program=programs[0])
    port, token = first.sees(LINK).groups()
    kernel = api(int(port), token, "kernels", "POST", {"name": "python3"})["id"]
    assert run_cell(int(port), token, kernel, "x = 6 * 7; print(x)") == "42\n"
    second = person.start("notebook", person.job(), program=programs[1])
    there, same = second.sees(LINK).groups()
    assert same == token
    assert run_cell(int(there), token, kernel, "x += 1; print(x)") == "43\n"
    for master in person.pids("master"):
        os.kill(master, signal.SIGKILL)
    for running, local in ((second, there), (first, port)):
        running.sees("connected again")
        assert run_cell(int(local), token, kernel, "print(x)") == "43\n"
        running.signal(signal.SIGINT)
        running.wait().expect(128 + signal.SIGINT)


# The program that runs the job, the program that the package runs, and the package.
KERNELS = {
    "old job": (OTHER, harness.BINARY, jupyter_environment.ROOT),
    "old program": (harness.BINARY, OTHER, jupyter_environment.ROOT),
    "old package": (harness.BINARY, harness.BINARY, OTHER_REPOSITORY),
    "new package alone": (OTHER, OTHER, jupyter_environment.ROOT),
}


@pytest.mark.parametrize("what", KERNELS)
def test_a_kernel_runs_in_a_task_and_outlives_the_master(person, python, tmp_path, what):
    owner, program, package = KERNELS[what]
    if not (package / "python/src/muster/jupyter").exists():
        pytest.skip("that version had no kernels")
    path = person.spec({"name": "digits", "command": "exec sleep 1000", "tasks": 2})
    person.start("submit", path, program=owner).wait().expect(0)
    person.wait_for_phase("running")
    job = person.job()
    variables = jupyter_environment.variables(person, python, tmp_path, package, program)
    with contextlib.closing(Manager(python, variables, tmp_path)) as manager:
        name = f"worker:1 of {job}"
        assert name in manager("names")
        assert manager("start", name) is None
        code = "import os; x = 6 * 7; print(os.environ['MUSTER_INDEX'], x)"
        assert manager("run", code)["printed"] == "1 42\n"
        interrupted = manager("interrupted", "import time; time.sleep(1000)")
        assert interrupted["error"] == "KeyboardInterrupt"
        for master in person.pids("master"):
            os.kill(master, signal.SIGKILL)
        assert manager("run", "print(x)")["printed"] == "42\n"
        assert manager("restart") is None
        assert manager("run", "print('x' in globals())")["printed"] == "False\n"
        assert manager("shutdown", True) is None
        harness.eventually(lambda: kernels(person) == [])
