import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
for _folder in (HERE, HERE.parent / "local", ROOT / "tools" / "wheel.d"):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))

import browser as browsers  # noqa: E402: found by the lines above
import harness  # noqa: E402
import pack  # noqa: E402


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
    made = subprocess.run([ROOT / "tools/setup_python", "jupyter"], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=600)
    return pathlib.Path(made.stdout.strip()) / "bin" / "python3"


@pytest.fixture
def jupyter(muster, python, tmp_path):
    """The environment of a notebook server's process, in which the wheel is installed."""
    site = tmp_path / "site"
    info = site / "muster_ml-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(pack.ENTRY_POINTS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: muster-ml\nVersion: 1.0\n")
    muster.environment["PATH"] = f"{python.parent}:{muster.environment['PATH']}"
    return {**muster.environment, "PYTHONPATH": f"{ROOT / 'python' / 'src'}:{site}",
            "MUSTER_BINARY": str(harness.BINARY), "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
            "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
            "JUPYTER_DATA_DIR": str(tmp_path / "data"),
            "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces")}


@pytest.fixture
def digits(muster):
    """A job of two workers that sleep."""
    muster("submit", muster.spec({"command": "exec sleep 1000", "name": "digits",
                                  "roles": {"worker": {"tasks": 2}}})).expect(0)
    muster.wait_for_phase("running")
    yield muster.job()
    muster("stop", muster.job()).expect(0)
