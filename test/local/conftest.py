import contextlib
import grp
import os
import pathlib
import shutil
import subprocess
import tempfile

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
    """The same in a folder that other users may pass through."""
    with harness.open_folder() as folder, program_in(folder) as program:
        yield program


@pytest.fixture
def stopped_jobs(muster):
    """Stops the jobs that are still running at the end of a test."""
    yield
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


@pytest.fixture
def site(muster):
    """Returns a function that runs muster where /etc/muster/site.yaml says so."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount")
    etc = muster.folder / "etc"
    subprocess.run(["cp", "-a", "/etc", etc], check=True)
    (etc / "muster").mkdir()

    def run(text, *arguments):
        (etc / "muster" / "site.yaml").write_text(text)
        return muster(*arguments, mount=(etc, "/etc"))

    return run


@pytest.fixture
def ada():
    """Runs programs as a user who is not root, in a separate home folder."""
    if os.geteuid() != 0:
        pytest.skip("the other tests run as such a user")
    # Not below pytest's folder, which each start of pytest closes to other users.
    home = pathlib.Path(tempfile.mkdtemp(prefix="muster-ada-"))
    os.chown(home, 54321, 54321)
    program = harness.Muster(home)
    program.environment.pop("USER", None)
    passwd = home / "passwd"
    passwd.write_text(pathlib.Path("/etc/passwd").read_text()
                      + f"ada:x:54321:54321::{home}:/bin/sh\n")
    # sshd needs terminals that belong to the group, as on hosts and in containers.
    terminals = f"gid={grp.getgrnam('tty').gr_gid},mode=620,ptmxmode=666,newinstance"
    become = (f"mount --bind {passwd} /etc/passwd && mount -t devpts -o {terminals} none /dev/pts "
              "&& mount --bind /dev/pts/ptmx /dev/ptmx && "
              'exec setpriv --reuid=54321 --regid=54321 --clear-groups "$@"')

    def call(*words):
        return subprocess.run(
            ["unshare", "-m", "sh", "-c", become, "sh", *map(str, words)], cwd=home,
            env={**program.environment, "HOME": str(home)}, capture_output=True, text=True,
            timeout=harness.PATIENCE, stdin=subprocess.DEVNULL, check=False)

    call.home = home
    call.binary = shutil.copy(harness.BINARY, home / "muster")
    yield call
    try:
        call(call.binary, "stop", "last")
        program.expect_nothing_left()
    finally:
        program.end_everything()
        shutil.rmtree(home)


@pytest.fixture
def gate(tmp_path):
    return harness.Gate(tmp_path / "gate")


@pytest.fixture(autouse=True, scope="session")
def binary_exists():
    assert harness.BINARY.exists(), f"{harness.BINARY} is missing: set MUSTER_BINARY"
