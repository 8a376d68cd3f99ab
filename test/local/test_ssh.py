"""muster ssh-config: OpenSSH's programs reach tasks through the job's master."""

import json
import os
import pathlib
import re
import shutil
import stat
import subprocess

import harness
import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")


@pytest.fixture
def person(tmp_path):
    """The home of the user whom sshd lets in, without start-up files."""
    home = tmp_path / "person"
    home.mkdir()
    return home


def submit(muster, person, spec):
    """Starts a job on a host where the user's shell is bash and `person` the home: sshd reads both
    from /etc/passwd, whatever HOME says. Only root can arrange that.
    """
    mount = None
    if os.geteuid() == 0:
        passwd = muster.write("passwd", re.sub(
            "^(root:.*):[^:]*:[^:]*$", rf"\1:{person}:/bin/bash",
            pathlib.Path("/etc/passwd").read_text(), flags=re.MULTILINE))
        mount = (passwd, "/etc/passwd")
    muster("submit", muster.spec(spec), env={"TOKEN": "hush-4711"}, mount=mount).expect(0)
    muster.wait_for_tasks()


@pytest.fixture
def job(muster, person):
    """Starts a job of one task that sleeps, with a secret in its environment."""
    submit(muster, person, {"command": "exec sleep 1000", "tasks": 1, "env": {
        "COLOUR": "it's 'green'", "TOKEN": {"from_env": "TOKEN"}}})
    return muster.job()


def config(muster, job, tmp_path):
    path = tmp_path / "ssh_config"
    path.write_text(muster("ssh-config", job).expect(0).out)
    return path


def run(program, config, *arguments, **options):
    return subprocess.run([program, "-F", config, *arguments], capture_output=True, text=True,
                          timeout=harness.PATIENCE, stdin=subprocess.DEVNULL, check=False,
                          **options)


def test_ssh_runs_commands_as_the_task(muster, job, tmp_path):
    file = config(muster, job, tmp_path)
    done = run("ssh", file, f"{job}.worker-0",
               'echo "$COLOUR $MUSTER_ROLE:$MUSTER_INDEX $TOKEN"; pwd; exit 7')
    assert done.returncode == 7, done.stderr
    colour, folder = done.stdout.splitlines()
    assert colour == "it's 'green' worker:0 hush-4711"
    where = muster("exec", job, "--", "pwd").expect(0).out.strip()
    shown = muster("show", job).expect(0).out
    assert "opened exec in worker:0" in shown and "muster-sshd" in shown, shown
    assert "sshd_config" not in shown
    assert os.path.realpath(folder) == os.path.realpath(where)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to have a home with a start-up file")
def test_a_command_finds_the_tasks_environment_despite_bashrc(muster, job, person, tmp_path):
    (person / ".bashrc").write_text("export COLOUR=red\ntouch ~/was-read\n")
    file = config(muster, job, tmp_path)
    done = run("ssh", file, f"{job}.worker-0", 'echo "$COLOUR"')
    assert done.stdout == "it's 'green'\n", done.stderr
    assert (person / "was-read").exists()


def test_scp_and_sftp_copy_files(muster, job, tmp_path):
    file = config(muster, job, tmp_path)
    data = os.urandom(2_000_000)
    (tmp_path / "data").write_bytes(data)
    there = tmp_path / "there"
    done = run("scp", file, str(tmp_path / "data"), f"{job}.worker-0:{there}")
    assert done.returncode == 0, done.stderr
    assert there.read_bytes() == data
    done = subprocess.run(["sftp", "-F", file, "-b", "-", f"{job}.worker-0"], capture_output=True,
                          text=True, timeout=harness.PATIENCE, check=False,
                          input=f"get {there} {tmp_path}/back\n")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "back").read_bytes() == data


def test_rsync_copies_a_folder(muster, job, tmp_path):
    file = config(muster, job, tmp_path)
    (tmp_path / "code" / "deep").mkdir(parents=True)
    (tmp_path / "code" / "deep" / "a.py").write_text("print(1)\n")
    done = subprocess.run(["rsync", "-a", "-e", f"ssh -F {file}", str(tmp_path / "code") + "/",
                           f"{job}.worker-0:{tmp_path}/synced/"], capture_output=True, text=True,
                          timeout=harness.PATIENCE, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "synced" / "deep" / "a.py").read_text() == "print(1)\n"


def test_the_keys_are_the_jobs_and_its_owners_alone(muster, job, tmp_path):
    config(muster, job, tmp_path)
    folder = muster.job_folder() / "ssh"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("id_ed25519", "host_ed25519"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    key = (folder / "host_ed25519").read_text()
    shown = muster("show", job, "--json").expect(0).out
    assert key.splitlines()[1] not in shown
    assert config(muster, job, tmp_path).read_text() == config(muster, job, tmp_path).read_text()


def test_nothing_is_left_in_the_task(muster, person, tmp_path):
    """No value of the task's environment is in a file of the session's, either."""
    place = tmp_path / "tmp"
    place.mkdir()
    submit(muster, person, {"command": "exec sleep 1000", "tasks": 1,
                            "env": {"TMPDIR": str(place)}})
    file = config(muster, "last", tmp_path)
    host = next(line.split()[1] for line in file.read_text().splitlines() if "Host " in line)
    done = run("ssh", file, host, f"ls -A {place}; grep -rl MUSTER_VIEW_FILE {place}; echo $?")
    assert done.stdout.startswith("muster-ssh.") and done.stdout.endswith("\n1\n"), done
    harness.eventually(lambda: not any(place.iterdir()))


def test_another_host_key_is_refused(muster, job, tmp_path):
    file = config(muster, job, tmp_path)
    host_key = muster.job_folder() / "ssh" / "host_ed25519"
    for name in (host_key, pathlib.Path(f"{host_key}.pub")):
        name.unlink()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", host_key], check=True)
    done = run("ssh", file, f"{job}.worker-0", "true")
    assert done.returncode == 255
    assert "verification failed" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount")
def test_a_task_without_sshd_says_what_is_missing(muster, tmp_path):
    sshd = shutil.which("sshd", path="/usr/sbin:/usr/bin")
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1}),
           mount=("/dev/null", sshd)).expect(0)
    muster.wait_for_phase("running")
    file = config(muster, "last", tmp_path)
    done = run("ssh", file, f"{muster.job()}.worker-0", "true")
    assert done.returncode == 255
    assert "there is no sshd in this task" in done.stderr
    assert "openssh-server" in done.stderr


def test_a_task_does_not_write_the_configuration(muster, tmp_path):
    """It contains the user that the task claims to run as, and ssh would expand or fail to read
    some names."""
    said = muster.write("said", "ada\n")
    program = muster.write("bin/id", f"#!/bin/sh\ncat {said}\n", mode=0o755)
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1, "env": {
        "PATH": f"{program.parent}:{os.environ['PATH']}"}})).expect(0)
    muster.wait_for_phase("running")
    for name in ("a b", 'a"b', "%h", "${HOME}", "ada\\", "", "ada\nProxyCommand id"):
        said.write_text(name)
        refused = muster("ssh-config", "last")
        assert refused.code != 0 and "does not say which user" in refused.err, (name, refused.err)
        assert refused.out == "", name
    said.write_text("HOST\\ada$\n")
    assert '  User "HOST\\ada$"\n' in muster("ssh-config", "last").expect(0).out


def test_a_proxy_without_keys_says_who_makes_them(muster, job):
    muster("ssh-proxy", job, "worker:0").expect_error(2, f"muster ssh-config {job}")


def test_a_managed_file_holds_the_jobs_that_there_are(muster, job, tmp_path):
    first = muster("ssh-config", job, "--write").expect(0)
    assert 'Include "' in first.out
    managed = pathlib.Path(first.lines("^wrote ")[0].split(" ", 1)[1])
    muster("ssh-config", job, "--write").expect(0)
    assert managed.read_text().count(f"Host {job}.worker-0\n") == 1
    managed.write_text("# muster: gone-1\nHost gone-1.worker-0\n" + managed.read_text())
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text(f'Include "{managed}"\n')
    assert "Include" not in muster("ssh-config", job, "--write").expect(0).out
    assert "gone-1" not in managed.read_text()


def test_a_user_other_than_root_logs_in(ada):
    home = ada.home
    binary = ada.binary
    started = ada(binary, "submit", "-n", "1", "--json", "--", "sleep", "1000")
    assert started.returncode == 0, started.stderr
    job = json.loads(started.stdout)["job"]
    made = ada(binary, "ssh-config", job)
    assert made.returncode == 0, made.stderr
    (home / "config").write_text(made.stdout)
    host = f"{job}.worker-0"
    done = ada("ssh", "-F", home / "config", host, "id -un; exit 7")
    assert (done.returncode, done.stdout) == (7, "ada\n"), done.stderr
    done = ada("ssh", "-tt", "-F", home / "config", host, "tty")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("/dev/pts/")
    (home / "sent").write_text("hello")
    done = ada("rsync", "-e", f"ssh -F {home / 'config'}", home / "sent",
               f"{host}:{home}/there")
    assert done.returncode == 0, done.stderr
    assert (home / "there").read_text() == "hello"
