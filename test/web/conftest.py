import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
for _folder in (HERE, HERE.parent / "local"):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))

import browser as browsers  # noqa: E402: found by the lines above
import harness  # noqa: E402


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


@pytest.fixture
def browser():
    window = browsers.Browser()
    yield window
    window.close()
