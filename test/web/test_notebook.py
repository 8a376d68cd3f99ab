"""muster notebook, with Jupyter's server alone: a cell runs through the tunnel."""
# timeout: 900

import contextlib
import os
import pathlib
import signal

import pytest
from jupyter_api import api, run_cell

LINK = r"http://127\.0\.0\.1:(\d+)/tree\?token=(\S+)"


@pytest.fixture
def muster(muster, python):
    muster.environment["PATH"] = f"{python.parent}:{muster.environment['PATH']}"
    # An environment without JupyterLab has the server alone.
    muster.write("site/sitecustomize.py", "import sys\nsys.modules['jupyterlab'] = None\n")
    muster.environment["PYTHONPATH"] = str(muster.folder / "site")
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


def test_a_cell_runs_through_the_tunnel_which_outlives_the_master(muster):
    running = muster.start("notebook")
    port, token = running.sees(LINK).groups()
    port = int(port)
    kernel = api(port, token, "kernels", "POST", {"name": "python3"})["id"]
    assert run_cell(port, token, kernel, "x = 6 * 7; print(x)") == "42\n"
    # The token is in nobody's command line, environment or log.
    for pid, line in muster.processes().items():
        assert token not in line
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It has ended meanwhile.
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            assert token.encode() not in environment
    job = muster.job()
    assert token not in muster("logs", job).expect(0).text
    assert token not in muster("show", job, "--json").expect(0).text
    # It lives on when the master dies.
    os.kill(muster.pids("master")[0], signal.SIGKILL)
    running.sees("connected again")
    assert run_cell(port, token, kernel, "print(x + 1)") == "43\n"
    # It is left, and come back to.
    running.signal(signal.SIGINT)
    running.wait().expect(128 + signal.SIGINT)
    again = muster.start("notebook", job)
    port, same = again.sees(LINK).groups()
    assert same == token
    assert run_cell(int(port), token, kernel, "print(x)") == "42\n"
    muster("stop", job).expect(0)
    assert "ended" in again.wait().expect(6).err


def test_it_shows_the_persons_folder_and_ends_when_nobody_uses_it(muster):
    muster.write("mine.txt", "hello")
    running = muster.start("notebook", "--idle", "1s", "--name", "short")
    port, token = running.sees(LINK).groups()
    assert "mine.txt" in [each["name"] for each in api(port, token, "contents")["content"]]
    # Jupyter looks once a minute.
    assert "ended" in running.wait(within=300).expect(6).err


def test_an_environment_without_jupyter_is_said_before_anything_is_asked(muster):
    muster.environment["PATH"] = "/usr/bin:/bin"
    muster("notebook").expect_error(2, "no Jupyter", "pip install jupyterlab")
    assert muster.jobs() == []
    muster("notebook", "--idle", "soon").expect_error(2, "--idle")
    refused = muster("notebook", "nothing-abc").expect_error(2, "no such job")
    assert "muster logs" not in refused.err
