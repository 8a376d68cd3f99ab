"""MUSTER_HOME that is missing, read-only, full, damaged; a user without a name; odd limits."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import harness
import pytest

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounts and changes of user need root")


def in_namespace(muster, script, within=harness.PATIENCE):
    """Runs a shell script with mounts of its own."""
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script], env=muster.environment, cwd=muster.folder,
        capture_output=True, text=True, timeout=within, check=False)


def test_the_home_is_made(muster):
    shutil.rmtree(muster.home, ignore_errors=True)
    muster.run_shell("true").expect(0)


def test_the_home_defaults_to_a_folder_in_the_user_s_home(muster):
    path = muster.spec({"command": "true", "tasks": 1})
    environment = {**muster.environment}
    del environment["MUSTER_HOME"]
    subprocess.run([harness.BINARY, "run", path], env=environment, cwd=muster.folder, check=True,
                   timeout=harness.PATIENCE, capture_output=True)
    assert (muster.folder / ".muster" / "jobs").is_dir()


def test_jobs_holds_nothing_but_job_folders(muster):
    muster.run_shell("true").expect(0)
    muster.run_shell("exit 1", restart={"process": 0, "container": 0, "host": 0}).expect(1)
    assert all((muster.home / "jobs" / job / "plan.json").exists() for job in muster.jobs())


@root_only
@pytest.mark.parametrize("others", ["own it", "write to it", "own the folder above",
                                    "own the link to it"])
def test_a_home_of_others_is_refused(muster, others):
    """Whoever can write there can put settings and programs into the jobs, and read their
    secrets."""
    above = muster.folder / "above"
    home = above / "home"
    home.mkdir(parents=True, mode=0o700)
    path = {"own it": home, "own the folder above": above}.get(others, muster.folder)
    if others == "own the link to it":
        link = muster.folder / "link"
        link.symlink_to(above)
        os.chown(link, 54321, 54321, follow_symlinks=False)
        home = link / "home"
    elif others == "write to it":
        home.chmod(0o777)
    else:
        os.chown(path, 54321, 54321)
    environment = {**muster.environment, "MUSTER_HOME": str(home)}
    for command in (["ps"], ["run", "--", "true"], ["status", "last"]):
        told = subprocess.run([harness.BINARY, *command], env=environment, cwd=muster.folder,
                              timeout=harness.PATIENCE, capture_output=True, text=True, check=False)
        assert told.returncode == 2, told.stderr
        assert told.stderr.startswith(f"muster: jobs cannot be kept in {home}: "), told.stderr
        assert told.stderr.count("\n") == 1 and "MUSTER_HOME" in told.stderr
    subprocess.run([harness.BINARY, "version"], env=environment, check=True)
    assert list((above / "home").iterdir()) == []


def test_the_home_is_a_file(muster):
    muster.home.write_text("")
    muster.run_shell("true").expect_error(6, str(muster.home))
    muster.home.unlink()


@root_only
def test_the_home_is_read_only(muster):
    muster.home.mkdir()
    path = muster.spec({"command": "true", "tasks": 1})
    done = in_namespace(muster, f"mount --bind {muster.home} {muster.home} && "
                        f"mount -o remount,bind,ro {muster.home} && {harness.BINARY} run {path}")
    assert done.returncode == 6, done.stderr
    assert "Read-only file system" in done.stderr and str(muster.home) in done.stderr


@root_only
def test_the_disk_is_full_before_the_start(muster):
    muster.home.mkdir()
    path = muster.spec({"command": "true", "tasks": 1})
    done = in_namespace(muster, f"mount -t tmpfs -o mode=0700,size=64k none {muster.home} && "
                        f"dd if=/dev/zero of={muster.home}/fill bs=1k 2>/dev/null; "
                        f"{harness.BINARY} run {path}")
    assert done.returncode == 6, done.stderr
    assert "No space left" in done.stderr


@root_only
def test_the_disk_fills_while_the_job_runs(muster):
    """Output is lost from the files, but the task ends as it wants to and the client sees it."""
    muster.home.mkdir()
    path = muster.spec({"command": "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo the end",
                        "tasks": 1})
    done = in_namespace(muster, f"mount -t tmpfs -o mode=0700,size=4m none {muster.home} && "
                        f"{harness.BINARY} run {path}")
    assert "the end" in done.stdout, done.stderr
    # Standard output may be somebody's data: it contains what the program wrote, and nothing else.
    assert re.search(r"^\(.* of its output could not be logged: .*No space left", done.stderr,
                     re.MULTILINE), done.stderr
    assert set(done.stdout.replace("the end", "")) == {"x", "\n"}
    assert done.returncode in (0, 3)


@root_only
def test_a_job_ends_properly_on_a_disk_that_is_full_by_then(muster):
    """Room was reserved for the last facts and the summary."""
    muster.home.mkdir()
    path = muster.spec({"command": f"dd if=/dev/zero of={muster.home}/fill bs=1k; echo full",
                        "tasks": 1})
    done = in_namespace(muster, f"mount -t tmpfs -o mode=0700,size=2m none {muster.home} && "
                        f"{harness.BINARY} run {path}; echo status $?; "
                        f"ls {muster.home}/jobs/*; {harness.BINARY} history --json; "
                        f"{harness.BINARY} show last --json")
    assert "status 0" in done.stdout, done.stdout + done.stderr
    assert "summary.json" in done.stdout and "room" not in done.stdout.split()
    assert '"result":"succeeded"' in done.stdout
    assert '"fact":"container-ended"' in done.stdout


@root_only
def test_a_job_on_a_full_disk_can_be_stopped(muster, gate):
    muster.home.mkdir()
    path = muster.spec({"command": f"dd if=/dev/zero of={muster.home}/fill bs=1k; "
                                   f"touch {gate.path}; sleep 1000", "tasks": 2})
    done = in_namespace(muster, f"mount -t tmpfs -o mode=0700,size=2m none {muster.home} && "
                        f"{harness.BINARY} submit {path} && "
                        f"while ! [ -e {gate.path} ]; do sleep 0.05; done; "
                        f"{harness.BINARY} stop last; echo status $?; {harness.BINARY} history")
    assert "status 0" in done.stdout, done.stdout + done.stderr
    assert " stopped" in done.stdout


def test_a_log_with_a_torn_tail_is_read_to_there(muster):
    muster.run_shell("true").expect(0)
    before = muster.status()
    segment = max((muster.job_folder() / "events").iterdir())
    with segment.open("ab") as file:
        file.write(b"\x40\x00\x00\x00torn")
    (muster.job_folder() / "summary.json").unlink()
    assert muster.status()["outcome"] == before["outcome"]


@pytest.mark.parametrize("damage", ["middle", "empty", "random", "gone"])
def test_a_corrupt_log_is_said_to_be_one(muster, damage):
    muster.run_shell("true").expect(0)
    (muster.job_folder() / "summary.json").unlink()
    segment = max((muster.job_folder() / "events").iterdir())
    data = bytearray(segment.read_bytes())
    if damage == "middle":
        data[len(data) // 2] ^= 0xFF
        segment.write_bytes(data)
    elif damage == "empty":
        segment.write_bytes(b"")
    elif damage == "random":
        segment.write_bytes(os.urandom(4096))
    else:
        segment.unlink()
    done = muster("show", "last")
    assert done.code in (0, 6), done.text
    assert "terminate" not in done.err and done.code != 70
    if done.code:
        assert muster.job() in done.err
    muster("ps", "--json").expect(0)
    muster("history", "--json").expect(0)


def test_foreign_things_in_the_jobs_folder_do_not_confuse(muster):
    muster.run_shell("true").expect(0)
    jobs = muster.home / "jobs"
    (jobs / "notes.txt").write_text("mine")
    (jobs / "empty-folder").mkdir()
    muster("ps").expect(0)
    muster("history").expect(0)
    muster("clean").expect(0)
    assert (jobs / "notes.txt").exists()


@root_only
def test_a_user_without_a_name(muster_for_all):
    muster = muster_for_all
    muster.home.mkdir()
    os.chown(muster.home, 54321, 54321)
    path = muster.spec({"command": "id -u", "tasks": 1})
    binary = shutil.copy(harness.BINARY, muster.folder / "muster")
    environment = {**muster.environment, "HOME": str(muster.home)}
    environment.pop("USER", None)
    done = subprocess.run(
        ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", binary, "run", path],
        env=environment, cwd=muster.folder, capture_output=True, text=True,
        timeout=harness.PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "54321" in done.stdout


def test_without_home_user_or_path(muster):
    path = muster.spec({"command": "/bin/echo bare", "tasks": 1})
    done = subprocess.run(
        [harness.BINARY, "run", path], env={"MUSTER_HOME": str(muster.home)}, cwd=muster.folder,
        capture_output=True, text=True,
        timeout=harness.PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "bare" in done.stdout


def test_a_home_with_blanks_and_a_long_name(muster):
    home = muster.folder / ("with a space " + "x" * 120)
    path = muster.spec({"command": "echo $MUSTER_JOB_ID", "tasks": 1})
    muster("run", path, env={"MUSTER_HOME": str(home)}).expect(0)
    assert "last" not in muster("status", "last", "--json", env={"MUSTER_HOME": str(home)}).json()[
        "job"]


def test_few_open_files_allowed(muster):
    path = muster.spec({"command": "true", "tasks": 20})
    script = f"ulimit -n 256; '{harness.BINARY}' run '{path}'"
    done = subprocess.run(["sh", "-c", script], env=muster.environment, cwd=muster.folder,
                          capture_output=True, text=True, timeout=harness.PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def few(muster):
    """The program, started from a shell that allows 60 open files."""
    script = f'#!/bin/sh\nulimit -Sn 60\nexec {harness.BINARY} "$@"\n'
    return muster.write("few", script, mode=0o755)


def test_more_tasks_than_a_shell_has_descriptors_for(muster, few):
    """The master takes as many as the host allows; programs get the shell's limit."""
    done = muster.start("run", "-q", "-n", "50", "--", "sh", "-c", "ulimit -Sn",
                        program=few).wait().expect(0)
    assert {line.rpartition("| ")[2] for line in done.out.splitlines()} == {"60"}


def test_who_may_have_many_connections_takes_what_the_host_allows(muster, few, gate):
    muster.start("run", "--", "sh", "-c", gate.wait, program=few)
    muster.wait_for_phase("running")
    ready = {("portal",): "page:", ("forward", "last", "0:9"): r"127\.0\.0\.1:",
             ("exec", "last", "--", "sh", "-c", f"echo in; {gate.wait}"): "^in"}
    clients = [muster.start(*command, program=few) for command in ready]
    for client, pattern in zip(clients, ready.values(), strict=True):
        client.sees(pattern)
    servers = [*muster.pids("master"), *muster.pids("agent")]
    assert len(servers) == 2
    for pid in [*servers, *(client.pid for client in clients)]:
        (line,) = re.findall("(?m)^Max open files +([0-9]+) +([0-9]+)",
                             pathlib.Path(f"/proc/{pid}/limits").read_text())
        assert line[0] == line[1] != "60"
    gate.open()
    clients[0].signal(signal.SIGINT)
    for client in clients:
        client.wait()


def test_the_folder_of_the_client_is_removed_meanwhile(muster):
    gone = muster.folder / "gone"
    gone.mkdir()
    path = muster.spec({"command": "sleep 0.5; echo still", "tasks": 1})
    running = muster.start("run", path, cwd=gone)
    gone.rmdir()
    assert running.wait().expect(0).lines("still")


def test_a_spec_of_a_past_job_can_be_run_again(muster):
    muster.run_shell("echo hi", name="again").expect(0)
    copy = muster.job_folder() / "spec.yaml"
    muster("run", copy).expect(0)
    plan = json.loads((muster.home / "jobs" / muster.jobs()[0] / "plan.json").read_text())
    assert plan


def test_ended_jobs_are_kept_as_long_as_the_configuration_says(muster):
    muster.run_shell("true").expect(0)
    config = muster.home / "config.yaml"
    config.write_text("cleaning: {older: 1h}\n")
    muster("clean").expect(0)
    assert len(muster.jobs()) == 1
    config.write_text("cleaning: {older: 1s}\n")
    harness.eventually(lambda: muster("clean").expect(0) and not muster.jobs())


def test_ended_jobs_may_take_as_much_space_as_the_configuration_says(muster):
    for _ in range(2):
        muster.run_shell("true").expect(0)
    config = muster.home / "config.yaml"
    config.write_text("cleaning: {over: 1g}\n")
    muster("clean").expect(0)
    assert len(muster.jobs()) == 2
    config.write_text("cleaning: {over: 1k}\n")
    muster("clean").expect(0)
    assert muster.jobs() == []
