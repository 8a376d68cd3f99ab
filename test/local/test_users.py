# timeout: 300
"""Several users on one machine: what one has, the other waits for, and can neither read nor end."""

import os
import shutil
import subprocess

import harness
import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="changing the user needs root")

ADA, BOB = 54321, 54322


class User(harness.Muster):
    """The program as another uid, with a home that is that user's alone."""

    def __init__(self, folder, uid):
        folder.mkdir()
        super().__init__(folder)
        self.uid = uid
        self.home.mkdir(mode=0o700)
        for path in (folder, self.home):
            os.chown(path, uid, uid)
        self.binary = shutil.copy(harness.BINARY, folder.parent / "muster")
        self.environment["HOME"] = str(folder)

    def __call__(self, *arguments, within=harness.PATIENCE, env=None, cwd=None):
        return subprocess.run(
            ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", self.binary,
             *map(str, arguments)], env={**self.environment, **(env or {})}, cwd=self.folder,
            capture_output=True, text=True, timeout=within, check=False)


@pytest.fixture
def users(tmp_path):
    folder = tmp_path
    while folder.as_posix() not in ("/", "/tmp"):
        folder.chmod(folder.stat().st_mode | 0o055)
        folder = folder.parent
    both = [User(tmp_path / "ada", ADA), User(tmp_path / "bob", BOB)]
    yield both
    try:
        for user in both:
            user.expect_nothing_left()
    finally:
        for user in both:
            user.end_everything()


def test_one_waits_for_what_the_other_has(users):
    ada, bob = users
    total_mib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    roles = {"worker": {"memory": f"{total_mib * 6 // 10}m"}}
    first = ada("submit", ada.spec({"name": "adas", "command": "sleep 1000", "roles": roles}))
    assert first.returncode == 0, first.stderr
    harness.eventually(lambda: "running" in ada("status", "last").stdout)
    second = bob("submit", bob.spec({"name": "bobs", "command": "id -u", "roles": roles}))
    assert second.returncode == 0, second.stderr
    waiting = harness.eventually(
        lambda: (text := bob("status", "last").stdout) and "waiting: " in text and text, 30)
    assert "of memory on this machine" in waiting and first.stdout.strip() in waiting, waiting
    assert ada("stop", "last").returncode == 0
    harness.eventually(lambda: "succeeded" in bob("status", "last").stdout)
    assert str(BOB) in bob("logs", "last").stdout


def test_nobody_reads_or_stops_the_job_of_another(users):
    ada, bob = users
    job = ada("submit", ada.spec({"command": "sleep 1000", "tasks": 1})).stdout.strip()
    harness.eventually(lambda: "running" in ada("status", "last").stdout)
    for verb in ("status", "stop", "logs"):
        done = bob(verb, job, env={"MUSTER_HOME": str(ada.home)})
        assert done.returncode in (2, 6), done
        assert "Permission denied" in done.stderr, done.stderr
    assert "running" in ada("status", "last").stdout
    assert ada("stop", "last").returncode == 0
