"""recording.*: what people see on terminals in tasks is kept, and they are told."""

import json
import pathlib
import re
import stat

import harness
import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")

SHELL = {"SHELL": "/bin/sh", "TERM": "dumb", "PS1": "$ "}


def start(muster, **recording):
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1,
                                  "recording": recording})).expect(0)
    muster.wait_for_phase("running")
    return muster.job()


def recordings(muster):
    return sorted((muster.job_folder() / "logs").glob("*.cast"))


def shown(path):
    """The header of a recording, and all that was shown, in order."""
    header, *events = map(json.loads, path.read_text().splitlines())
    assert [at for at, _, _ in events] == sorted(at for at, _, _ in events)
    return header, "".join(text for _, kind, text in events if kind == "o")


def test_what_terminals_show_is_kept_and_the_person_and_the_log_say_so(muster):
    """recording.terminals: off, nothing is kept."""
    job = start(muster, terminals=True)
    running = muster.start("shell", job, terminal=True, env=SHELL)
    running.sees("everything this terminal shows is recorded")
    running.type(b"echo $((6 * 7))-shown\n")
    running.sees("42-shown")
    running.type(b"sh -c 'stty -echo; echo silent; read secret; stty echo; echo got it'\n")
    running.sees(r"^silent$")
    running.type(b"hunter2\n")
    running.sees(r"^got it$")
    running.type(b"exit 0\n")
    running.wait().expect(0)
    muster.start("exec", "-t", job, "--", "echo", "by exec", terminal=True).wait().expect(0)
    muster("exec", job, "--", "echo", "without a terminal").expect(0)
    first, second = recordings(muster)
    assert first.name == "worker-0.1.terminal-1.cast"
    for path in (first, second):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    header, text = shown(first)
    assert (header["version"], header["title"]) == (2, "worker:0, attempt 1")
    assert "/bin/sh" in header["command"]
    assert "42-shown" in text
    assert "hunter2" not in first.read_text(), "what is typed without an echo is not shown"
    assert shown(second)[1].strip() == "by exec"
    told = muster("show", job).expect(0).out
    assert "opened shell (recorded) in worker:0" in told
    assert "opened exec with a terminal (recorded) in worker:0" in told
    assert re.search(r"opened exec in worker:0", told)


def test_without_it_nothing_is_kept(muster):
    job = start(muster, terminals=False)
    done = muster.start("exec", "-t", job, "--", "echo", "x", terminal=True).wait().expect(0)
    assert "recorded" not in done.text
    assert recordings(muster) == []


def test_a_terminal_ends_when_its_file_is_full(muster):
    """recording.max: nothing is shown that is not kept."""
    job = start(muster, terminals=True, max="1m")
    running = muster.start("exec", "-t", job, "--", "sh", "-c", "trap '' HUP; yes 0123456789",
                           terminal=True)
    done = running.wait()
    assert done.code == 128 + 9
    assert "cannot be recorded: its recording has reached recording.max, 1 MiB" in done.text
    (path,) = recordings(muster)
    assert path.stat().st_size <= 1 << 20
    # All that was kept was shown, and nothing else.
    assert done.text.count("0123456789") == shown(path)[1].count("0123456789")


def test_a_terminal_that_cannot_be_recorded_does_not_begin(muster):
    job = start(muster, terminals=True)
    logs = muster.job_folder() / "logs"
    moved = pathlib.Path(f"{logs}.moved")
    logs.rename(moved)
    logs.write_text("no folder")
    try:
        done = muster.start("shell", job, terminal=True, env=SHELL).wait()
        assert done.code == 126
        assert "the terminal cannot be recorded" in done.text
    finally:
        logs.unlink()
        moved.rename(logs)


def test_a_full_disk_ends_a_terminal(muster, tmp_path):
    """The folder of logs lies on a file system of 1 MiB: root alone can mount it."""
    if harness.os.geteuid() != 0:
        pytest.skip("needs root to mount")
    job = start(muster, terminals=True)
    logs = muster.job_folder() / "logs"
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(logs)]
    if harness.subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot mount here")
    try:
        done = muster.start("exec", "-t", job, "--", "yes", "0123456789", terminal=True).wait()
        assert "cannot be recorded: " in done.text
        assert "No space left on device" in done.text
        assert done.code == 128 + 1
    finally:
        harness.subprocess.run(["umount", "-l", str(logs)], check=True)
