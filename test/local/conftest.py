import harness
import pytest


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
