"""muster cp: files of running tasks, in both directions."""

import os

import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")


@pytest.fixture
def job(muster):
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_phase("running")
    return muster.job()


def test_files_go_there_and_come_back_unchanged(muster, job, tmp_path):
    data = os.urandom(3_000_000)
    (tmp_path / "a name").write_bytes(data)
    (tmp_path / "empty").write_bytes(b"")
    there = tmp_path / "the re"
    there.mkdir()
    muster("cp", "./a name", "empty", f"{job}:worker:0:{there}/").expect(0)
    assert sorted(path.name for path in there.iterdir()) == ["a name", "empty"]
    assert (there / "a name").read_bytes() == data
    back = tmp_path / "back"
    back.mkdir()
    muster("cp", f"{job}:worker:0:{there}/a name", f"{job}:worker:{there}/empty",
           "back").expect(0)
    assert (back / "a name").read_bytes() == data
    assert (back / "empty").read_bytes() == b""
    assert len(list(back.iterdir())) == 2


def test_a_relative_path_is_in_the_tasks_folder(muster, job, tmp_path):
    (tmp_path / "x").write_text("hello")
    muster("cp", "x", f"{job}:worker:0:mine").expect(0)
    assert muster("exec", job, "--", "cat", "mine").expect(0).out == "hello"
    muster("cp", f"{job}:worker:0:mine", "y").expect(0)
    assert (tmp_path / "y").read_text() == "hello"


def test_links_folders_and_devices_are_refused(muster, job, tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    for path, words in ((tmp_path / "link", "symbolic link"), (tmp_path, "is a folder"),
                        ("/dev/zero", "not a plain file"), ("/no/such", "does not exist")):
        muster("cp", f"{job}:worker:0:{path}", "copy").expect_error(2, words)
    assert not (tmp_path / "copy").exists()
    muster("cp", "link", f"{job}:worker:0:x").expect_error(2, "not a plain file")
    muster("cp", "/dev/zero", f"{job}:worker:0:x").expect_error(2, "not a plain file")
    muster("cp", "file", f"{job}:worker:0:{tmp_path}/link").expect_error(2, "symbolic link")
    muster("cp", f"{job}:worker:0:{tmp_path}/file", "link").expect_error(2, "not a plain file")
    assert (tmp_path / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if ".muster-" in path.name] == []


def test_mistakes_are_named(muster, job):
    muster("cp", f"{job}:worker:0:x").expect_error(2, "where to")
    muster("cp", f"{job}:worker", ".").expect_error(2, "JOB:TASK:PATH")
    muster("cp", "a", "b").expect_error(2, "JOB:TASK:PATH")
    muster("cp", f"{job}:ps:0:x", ".").expect_error(2, "no role")
    muster("cp", "no-such", f"{job}:worker:0:x").expect_error(2, "no-such")
