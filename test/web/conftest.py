import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
for _folder in (HERE, HERE.parent / "local"):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))

import browser as browsers  # noqa: E402: found by the lines above
import harness  # noqa: E402
import jupyter_environment  # noqa: E402


@pytest.fixture
def muster(tmp_path):
    """The program with its own MUSTER_HOME; after the test nothing it started may be left."""
    program = harness.Muster(tmp_path)
    yield program
    try:
        program.expect_nothing_left()
    finally:
        program.end_everything()


@pytest.fixture
def gate(tmp_path):
    return harness.Gate(tmp_path / "gate")


@pytest.fixture(scope="session", autouse=True)
def one_chromium():
    """For all windows of a test file."""
    with browsers.Chromium.shared():
        yield


@pytest.fixture
def browser():
    window = browsers.Browser()
    yield window
    window.close()


@pytest.fixture(scope="session")
def python():
    """The interpreter of an environment that has JupyterLab and a kernel."""
    return jupyter_environment.interpreter()


@pytest.fixture
def jupyter(muster, python, tmp_path):
    """The environment of a notebook server's process, in which the wheel is installed."""
    return jupyter_environment.variables(muster, python, tmp_path)


@pytest.fixture
def digits(muster):
    """A job of two workers that sleep."""
    muster("submit", muster.spec({"command": "exec sleep 1000", "name": "digits",
                                  "roles": {"worker": {"tasks": 2}}})).expect(0)
    muster.wait_for_phase("running")
    yield muster.job()
    muster("stop", muster.job()).expect(0)
