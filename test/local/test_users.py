# timeout: 300
"""Several users on one machine: what one holds, another waits for; and neither can read or end the
other's jobs."""

import os
import pathlib
import shutil
import subprocess
import sys

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
        self.environment.pop("USER", None)

    def __call__(self, *arguments, within=harness.PATIENCE, env=None, cwd=None):
        return subprocess.run(
            ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", self.binary,
             *map(str, arguments)], env={**self.environment, **(env or {})}, cwd=self.folder,
            capture_output=True, text=True, timeout=within, check=False)


@pytest.fixture
def shared():
    with harness.open_folder() as folder:
        yield folder


@pytest.fixture
def users(shared):
    both = [User(shared / "ada", ADA), User(shared / "bob", BOB)]
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
        lambda: (text := bob("status", "last").stdout) and "of memory on this machine" in text
        and text, 30)
    assert "waiting: " in waiting and first.stdout.strip() in waiting, waiting
    assert ada("stop", "last").returncode == 0
    harness.eventually(lambda: "succeeded" in bob("status", "last").stdout)
    assert str(BOB) in bob("logs", "last").stdout


# Anybody may open the files of a process that has ended, and those of the program that a child of
# Muster's has become: only what is still Muster's after its file was opened counts.
OPENS_PROCESSES_OF_MUSTER = """
is_muster() {
  case "$(cat $1/comm) $(tr '\\0' ' ' <$1/cmdline)" in
  muster*" agent "*|exe*" agent "*|muster*" keeper "*|muster*" master "*) ;;  # Not this shell.
  *) false ;;
  esac
}
for process in /proc/[0-9]*; do
  if is_muster $process; then
    echo seen $(tr '\\0' ' ' <$process/cmdline | cut -d ' ' -f 2)
    for file in environ mem maps fd/0; do
      (: <$process/$file) 2>/dev/null && is_muster $process && echo "opened $file"
    done
    ls $process/fd >/dev/null 2>&1 && is_muster $process && echo "opened fd"
  fi
done 2>/dev/null
true
"""


def test_a_task_does_not_see_into_its_agent(users):
    """Both belong to the same user; the agent has its container's key, and the master's environment
    the secrets of all roles."""
    ada, _ = users
    done = ada("run", ada.spec({"command": OPENS_PROCESSES_OF_MUSTER, "tasks": 1}))
    assert done.returncode == 0, done.stdout + done.stderr
    told = ada("logs", "last").stdout
    assert all(f"seen {verb}" in told for verb in ("master", "keeper", "agent")), told
    assert "opened" not in told, told


def test_locks_and_files_of_others_stop_no_job(users):
    """What a user can do to another's claims: lock files that can be opened, and occupy names."""
    ada, bob = users
    squatted = pathlib.Path("/tmp/muster-claims")
    before = set(pathlib.Path("/tmp").glob(f"muster-claims.{ADA}.*"))
    holder = subprocess.Popen(
        ["setpriv", f"--reuid={BOB}", f"--regid={BOB}", "--clear-groups", sys.executable, "-c",
         HOLDS_CLAIMS, str(squatted), str(ADA)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True)
    assert holder.stdout.readline() == "held\n"
    try:
        done = ada("run", ada.spec({"command": "true", "tasks": 1}), within=30)
        assert done.returncode == 0, done.stderr
    finally:
        holder.communicate("")
        for folder in set(pathlib.Path("/tmp").glob(f"muster-claims.{ADA}.*")) - before:
            shutil.rmtree(folder)


HOLDS_CLAIMS = """
import fcntl, os, pathlib, sys
stem, victim = sys.argv[1:]
made = []
for path in (stem, f"{stem}.{victim}.aaaaaa", f"{stem}.{victim}"):
    try:
        os.mkdir(path, 0o777)
        made.append(path)
    except OSError:
        pass
held = [open(path) for path in pathlib.Path(stem).parent.glob(pathlib.Path(stem).name + "*")
        if path.is_file()]
held += [os.open(path, os.O_RDONLY) for path in
         pathlib.Path(stem).parent.glob(pathlib.Path(stem).name + "*") if path.is_dir()]
for one in held:
    fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
print("held", flush=True)
sys.stdin.read()
for path in made:
    os.rmdir(path)
"""


def test_nobody_reads_or_stops_the_job_of_another(users):
    ada, bob = users
    job = ada("submit", ada.spec({"command": "sleep 1000", "tasks": 1})).stdout.strip()
    harness.eventually(lambda: "running" in ada("status", "last").stdout)
    for verb in ("status", "stop", "logs"):
        done = bob(verb, job, env={"MUSTER_HOME": str(ada.home)})
        assert done.returncode in (2, 6), done
        assert "belongs to another user" in done.stderr, done.stderr
    assert "running" in ada("status", "last").stdout
    assert ada("stop", "last").returncode == 0
