import contextlib

import harness
import pytest


@contextlib.contextmanager
def program_in(folder):
    program = harness.Muster(folder)
    yield program
    try:
        program.expect_nothing_left()
    finally:
        program.end_everything()


@pytest.fixture
def muster(tmp_path):
    """The program with its own MUSTER_HOME; after the test nothing it started may be left."""
    with program_in(tmp_path) as program:
        yield program


@pytest.fixture
def muster_for_all():
    """The same where other users may pass through."""
    with harness.open_folder() as folder, program_in(folder) as program:
        yield program


@pytest.fixture
def stopped_jobs(muster):
    """Stops the jobs that still run at the end of a test."""
    yield
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


@pytest.fixture
def gate(tmp_path):
    return harness.Gate(tmp_path / "gate")


@pytest.fixture(autouse=True, scope="session")
def binary_exists():
    assert harness.BINARY.exists(), f"{harness.BINARY} is missing: set MUSTER_BINARY"
