"""Tests of two versions of the program: build/release/muster and $MUSTER_OTHER_BINARY
(tools/versions)."""

import os
import pathlib
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "test" / "local"), str(REPOSITORY / "test" / "web")]

import harness  # noqa: E402
import jupyter_environment  # noqa: E402

OTHER = pathlib.Path(os.environ["MUSTER_OTHER_BINARY"]).resolve()


@pytest.fixture(params=[(OTHER, harness.BINARY), (harness.BINARY, OTHER)],
                ids=["new client of an old job", "old client of a new job"])
def programs(request):
    """The program that runs the job, and the one that is the client."""
    return request.param


@pytest.fixture
def muster(programs, tmp_path):
    """The client; its job, in which two tasks sleep, is stopped at the end."""
    client = harness.Muster(tmp_path)
    path = client.spec({"name": "two", "command": "exec sleep 1000", "tasks": 2})
    client.start("submit", path, program=programs[0]).wait().expect(0)
    client.wait_for_phase("running")
    yield client
    client.start("stop", "last", program=programs[0]).wait().expect(0)
    client.expect_nothing_left()
    client.end_everything()


@pytest.fixture(scope="session")
def python():
    """The interpreter of an environment that has JupyterLab and a kernel."""
    return jupyter_environment.interpreter()
