"""The fixtures of test/local; tests here need packages that `make test` does not install."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "local"))

import harness  # noqa: E402: found by the line above
import pytest  # noqa: E402


@pytest.fixture
def muster(tmp_path):
    """The program with its own MUSTER_HOME; after the test nothing it started may be left."""
    program = harness.Muster(tmp_path)
    yield program
    try:
        program.expect_nothing_left()
    finally:
        program.end_everything()
