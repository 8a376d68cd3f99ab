"""muster cp: files of running tasks, in both directions."""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess

import harness
import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")


@pytest.fixture
def job(muster):
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_tasks()
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


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_for_the_owner_alone_stays_so(muster, job, tmp_path):
    """A new file gets the source's permissions; one that is replaced keeps its own."""
    (tmp_path / "there").mkdir()
    for name, mode in (("key", 0o600), ("run.sh", 0o755), ("suid", 0o4711), ("open", 0o666)):
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(mode)
        allowed = mode & 0o777 & ~0o022
        muster("cp", name, f"{job}:worker:0:{tmp_path}/there/").expect(0)
        assert mode_of(tmp_path / "there" / name) == allowed, name
        muster("cp", f"{job}:worker:0:{tmp_path}/{name}", "back").expect(0)
        assert mode_of(tmp_path / "back") == allowed, name
        (tmp_path / "back").unlink()
    (tmp_path / "private").write_text("old")
    (tmp_path / "private").chmod(0o600)
    muster("cp", f"{job}:worker:0:{tmp_path}/run.sh", "private").expect(0)
    assert (tmp_path / "private").read_text() == "run.sh"
    assert mode_of(tmp_path / "private") == 0o600
    muster("cp", "open", f"{job}:worker:0:{tmp_path}/private").expect(0)
    assert (tmp_path / "private").read_text() == "open"
    assert mode_of(tmp_path / "private") == 0o600


def test_without_stat_in_the_task_the_bytes_are_right(muster, tmp_path):
    """In that case a new file gets the default permissions."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "cat", "wc", "mv", "rm", "chmod", "sleep"):
        (tools / name).symlink_to(shutil.which(name))
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1,
                                  "env": {"PATH": str(tools)}})).expect(0)
    muster.wait_for_phase("running")
    (tmp_path / "run.sh").write_text("bytes")
    (tmp_path / "run.sh").chmod(0o700)
    muster("cp", f"last:worker:0:{tmp_path}/run.sh", "back").expect(0)
    assert ((tmp_path / "back").read_text(), mode_of(tmp_path / "back")) == ("bytes", 0o644)
    muster("cp", "run.sh", f"last:worker:0:{tmp_path}/there").expect(0)
    assert ((tmp_path / "there").read_text(), mode_of(tmp_path / "there")) == ("bytes", 0o700)
    muster("stop", "last").expect(0)


def test_a_task_does_not_write_to_the_terminal(muster, job, tmp_path):
    """Names of files are printed escaped."""
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "\x1b]0;title\x07\x1b[2Jmine")
    told = muster("cp", "-r", f"{job}:worker:0:{folder}", "back").expect(0).err
    assert "left out" in told and "mine" in told
    assert "\x1b" not in told and "\x07" not in told


def test_a_relative_path_is_in_the_tasks_folder(muster, job, tmp_path):
    (tmp_path / "x").write_text("hello")
    muster("cp", "x", f"{job}:worker:0:mine").expect(0)
    assert muster("exec", job, "--", "cat", "mine").expect(0).out == "hello"
    muster("cp", f"{job}:worker:0:mine", "y").expect(0)
    assert (tmp_path / "y").read_text() == "hello"
    # With no path, it is that folder itself.
    muster("cp", "y", f"{job}:worker:0:").expect(0)
    muster("cp", "y", f"{job}:worker:").expect(0)
    assert muster("exec", job, "--", "cat", "y").expect(0).out == "hello"
    muster("cp", f"{job}:worker:0:", "z").expect_error(2, "is a folder")


def test_a_link_to_a_file_is_copied_as_the_file(muster, job, tmp_path):
    """As scp does: a checkpoint is often named by a link, "latest"."""
    (tmp_path / "step-100.pt").write_text("weights")
    (tmp_path / "latest.pt").symlink_to("step-100.pt")
    (tmp_path / "back").mkdir()
    muster("cp", f"{job}:worker:0:{tmp_path}/latest.pt", "back").expect(0)
    muster("cp", "latest.pt", f"{job}:worker:0:{tmp_path}/back/there.pt").expect(0)
    for name in ("latest.pt", "there.pt"):
        assert not (tmp_path / "back" / name).is_symlink()
        assert (tmp_path / "back" / name).read_text() == "weights"


@pytest.mark.parametrize("name", ["x" * 255, "学" * 85])
def test_the_longest_names_are_copied_too(muster, job, tmp_path, name):
    there = tmp_path / "there"
    there.mkdir()
    for content in ("first", "in its place"):
        (tmp_path / name).write_text(content)
        muster("cp", name, f"{job}:worker:0:{there}").expect(0)
        assert (there / name).read_text() == content
    (there / name).write_text("back")
    muster("cp", f"{job}:worker:0:{there}/{name}", ".").expect(0)
    assert (tmp_path / name).read_text() == "back"
    assert [path.name for path in there.iterdir()] == [name]
    assert [path.name for path in tmp_path.iterdir() if ".muster-" in path.name] == []


def test_folders_devices_and_links_as_targets_are_refused(muster, job, tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("/no/such")
    for path, words in ((tmp_path / "dangling", "dangling symbolic link"),
                        (tmp_path, "is a folder"), ("/dev/zero", "not a plain file"),
                        ("/no/such", "does not exist")):
        muster("cp", f"{job}:worker:0:{path}", "copy").expect_error(2, words)
    assert not (tmp_path / "copy").exists()
    muster("cp", "dangling", f"{job}:worker:0:x").expect_error(2, "No such file")
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
    muster("cp", "job.yaml", f"{job}:worker:0:/no/such/x").expect_error(2, "no folder /no/such")
    muster("cp", "job.yaml", f"{job}:worker:0:no/").expect_error(2, "no folder no")


def test_files_of_the_kernel_are_copied_or_refused_in_words(muster, job, tmp_path):
    """They have no size, and some never end."""
    muster("cp", f"{job}:worker:0:/proc/version", "version").expect(0)
    assert (tmp_path / "version").read_text() == pathlib.Path("/proc/version").read_text()
    done = muster("cp", f"{job}:worker:0:/proc/self/mem", "z").expect(1)
    assert done.lines("/proc/self/mem cannot be read to its end: only 0 B arrived"), done.err
    assert not (tmp_path / "z").exists()
    muster("cp", "/proc/version", f"{job}:worker:0:z").expect_error(2, "has no size")
    muster("cp", "/proc/self/mem", f"{job}:worker:0:z").expect_error(2, "cannot read")
    assert muster("exec", job, "--", "ls").expect(0).out == ""


@pytest.fixture
def wrapped(muster, tmp_path):
    """Starts a job in whose task a tool first does something else; returns the job."""
    def start(tool, script, **env):
        tools = tmp_path / "tools"
        tools.mkdir(exist_ok=True)
        path = tools / tool
        path.write_text(f'#!/bin/sh\n{script}\nexec {shutil.which(tool)} "$@"\n')
        path.chmod(0o755)
        started = muster("submit", muster.spec({
            "command": "exec sleep 1000", "tasks": 1,
            "env": {"PATH": f"{tools}:/usr/bin:/bin", **env}}), "--json").expect(0).json()["job"]
        muster.wait_for_tasks(started)
        return started
    return start


@pytest.mark.parametrize("tool, size", [("head", 10), ("dd", 4_194_305)])
def test_a_file_that_grows_is_copied_as_it_was(muster, wrapped, tmp_path, tool, size):
    """A large one is read in large pieces."""
    log = tmp_path / "log"
    data = os.urandom(size)
    job = wrapped(tool, 'echo more >> "$LOG"', LOG=str(log))
    log.write_bytes(data)
    done = muster("cp", f"{job}:worker:0:{log}", "back").expect(0)
    assert (tmp_path / "back").read_bytes() == data
    assert done.lines(f"worker:0:{log} has grown while it was read;.* its first"), done.err


def test_a_file_here_that_grows_is_copied_as_it_was(muster, wrapped, tmp_path):
    log = tmp_path / "log"
    job = wrapped("rm", 'echo more >> "$LOG"', LOG=str(log))
    log.write_bytes(bytes(8 << 20))
    done = muster("cp", str(log), f"{job}:worker:0:{tmp_path}/there").expect(0)
    assert (tmp_path / "there").read_bytes() == bytes(8 << 20)
    assert done.lines(f"{log} has grown while it was read; .* its first 8 MiB"), done.err


@pytest.mark.parametrize("tool, size, told", [("head", 10, "10 B"), ("dd", 4 << 20, "4 MiB")])
def test_a_file_that_becomes_shorter_is_not_copied(muster, wrapped, tmp_path, tool, size, told):
    log = tmp_path / "log"
    job = wrapped(tool, 'truncate -s 3 "$LOG"', LOG=str(log))
    log.write_bytes(bytes(size))
    (tmp_path / "back").write_text("old")
    muster("cp", f"{job}:worker:0:{log}", "back").expect_error(
        2, f"worker:0:{log} became shorter while it was read, 3 B instead of {told}")
    assert (tmp_path / "back").read_text() == "old"


def test_a_file_here_that_becomes_shorter_is_not_copied(muster, wrapped, tmp_path):
    log = tmp_path / "log"
    (tmp_path / "back").write_text("old")
    job = wrapped("rm", 'truncate -s 3 "$LOG"', LOG=str(log))
    log.write_bytes(bytes(64 << 20))
    done = muster("cp", str(log), f"{job}:worker:0:{tmp_path}/back").expect(1)
    assert done.lines(r"only \d+ of the 67108864 bytes for .*/back arrived"), done.err
    assert done.lines(f"{log} became shorter while it was read, 3 B instead of 64 MiB"), done.err
    assert (tmp_path / "back").read_text() == "old"


def test_a_task_with_another_dd_copies_what_is_large_too(muster, wrapped, tmp_path):
    job = wrapped("dd", 'case "$*" in *count_bytes*) echo "bad flag" >&2; exit 1 ;; esac')
    data = os.urandom(4_194_305)
    (tmp_path / "model").write_bytes(data)
    assert muster("cp", f"{job}:worker:0:{tmp_path}/model", "back").expect(0).err == ""
    assert (tmp_path / "back").read_bytes() == data


def test_holes_come_as_zeros_and_are_told_where_there_are_many(muster, job, tmp_path):
    source = tmp_path / "data.mdb"
    with open(source, "wb") as file:
        file.write(b"first")
        file.truncate(200_000_000)
        file.seek(150_000_000)
        file.write(b"last")
    for words in ((f"{job}:worker:0:{source}", "back"), ("data.mdb", f"{job}:worker:0:there")):
        assert muster("cp", *words).expect(0).err == ""
    muster("exec", job, "--", "cmp", source, "there").expect(0)
    muster("exec", job, "--", "cmp", source, tmp_path / "back").expect(0)
    (tmp_path / "back").unlink()
    with open(source, "r+b") as file:
        file.truncate(1 << 40)
    for words in ((f"{job}:worker:0:{source}", "back"), ("data.mdb", f"{job}:worker:0:more")):
        running = muster.start("cp", *words)
        running.sees("data.mdb takes 0 MiB on disk, its copy 1048576 MiB: holes are copied")
        harness.eventually(lambda it=running.pid: any(
            size > 1 << 20 for path, size in harness.open_files(it) if "data.mdb" not in path)
            or any(path.stat().st_size > 1 << 20 for path in tmp_path.rglob("more.muster-*")))
        running.signal(signal.SIGINT)
        assert running.wait().code not in (0, None)
    assert not (tmp_path / "back").exists()
    harness.eventually(lambda: muster("exec", job, "--", "ls").expect(0).out == "there\n")


def test_a_file_that_is_replaced_is_copied_as_one_of_the_two(muster, wrapped, tmp_path):
    """As happens to checkpoints: the new one gets the old one's name."""
    model = tmp_path / "model"
    job = wrapped("head", 'echo newer > "$MODEL.new"; mv "$MODEL.new" "$MODEL"', MODEL=str(model))
    model.write_text("0123456789")
    assert muster("cp", f"{job}:worker:0:{model}", "back").expect(0).err == ""
    assert (tmp_path / "back").read_text() == "0123456789"


def test_a_link_in_a_folders_place_leads_nowhere(muster, wrapped, tmp_path):
    """A task swaps the folder while it is being read."""
    folder = tmp_path / "results"
    (folder / "run").mkdir(parents=True)
    (folder / "run" / "key").write_text("result")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    job = wrapped("find", 'listed=$(mktemp); /usr/bin/find "$@" > "$listed"; '
                  'mv "$WHERE/results/run" "$WHERE/away"; '
                  'ln -s "$WHERE/secret" "$WHERE/results/run"; cat "$listed"; exit',
                  WHERE=str(tmp_path))
    muster("cp", "-r", f"{job}:worker:0:{folder}", "back").expect(0)
    assert tree(tmp_path / "back") == {"run": ("link", f"{tmp_path}/secret")}


def test_a_link_in_a_new_files_place_leads_nowhere(muster, wrapped, tmp_path):
    """Somebody who may write to the target's folder guesses the name of the file growing there."""
    there = tmp_path / "there"
    there.mkdir()
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (there / "file").write_text("old")
    (tmp_path / "new").write_text("new")
    plant = 'ln -s "$MINE" "$THERE/file.muster-$PPID"'
    env = {"MINE": str(mine), "THERE": str(there)}
    job = wrapped("stat", plant, **env)
    muster("cp", "new", f"{job}:worker:0:{there}/file").expect(0)
    assert (there / "file").read_text() == "new" and not (there / "file").is_symlink()
    assert mine.read_text() == "mine"
    job = wrapped("rm", f'/bin/rm "$@"; {plant}; exit', **env)
    (there / "file").write_text("old")
    muster("cp", "new", f"{job}:worker:0:{there}/file").expect_error(1, "File exists")
    assert (there / "file").read_text() == "old"
    assert mine.read_text() == "mine"


def tree(folder):
    """Names, kinds, permissions, times and contents below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        status = path.lstat()
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("folder", status.st_mode & 0o777)
        else:
            found[name] = ("file", status.st_mode & 0o777, int(status.st_mtime), path.read_bytes())
    return found


@pytest.fixture
def grown(tmp_path):
    """Makes a folder with everything that a folder can contain."""
    folder = tmp_path / "the tree"
    (folder / "empty").mkdir(parents=True)
    (folder / "a b").mkdir(mode=0o750)
    (folder / "a b" / "-x *").write_bytes(os.urandom(2_000_000))
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    os.utime(folder / "run.sh", (1_500_000_000, 1_500_000_000))
    (folder / "line\nbreak").write_text("x")
    (folder / ".hidden").write_text("y")
    (folder / "latest").symlink_to("a b/-x *")
    (folder / "dangling").symlink_to("/no/such")
    return folder


def test_folders_go_there_and_come_back_as_they_were(muster, job, grown, tmp_path):
    muster("cp", "-r", "the tree", f"{job}:worker:0:copy").expect(0)
    there = tmp_path / "there"
    there.mkdir()
    muster("cp", "-r", "the tree/", f"{job}:worker:0:{there}").expect(0)
    assert tree(there / "the tree") == tree(grown)
    muster("cp", "-r", f"{job}:worker:0:copy", "back").expect(0)
    assert tree(tmp_path / "back") == tree(grown)
    into = tmp_path / "into"
    into.mkdir()
    muster("cp", "-r", f"{job}:worker:0:copy/", f"{job}:worker:0:copy/run.sh", "into").expect(0)
    assert tree(into / "copy") == tree(grown)
    assert (into / "run.sh").stat().st_mode & 0o777 == 0o755
    assert list(tmp_path.rglob(".muster-cp-*")) == []


def test_the_folder_where_the_program_works_is_a_dot(muster, job, tmp_path):
    muster("exec", job, "--", "sh", "-c", "mkdir out && echo 1 > out/a").expect(0)
    muster("cp", "-r", f"{job}:worker:0:.", "all").expect(0)
    assert (tmp_path / "all" / "out" / "a").read_text() == "1\n"


def test_a_folder_replaces_nothing(muster, job, grown, tmp_path):
    before = tree(grown)
    (tmp_path / "back").write_text("mine")
    muster("cp", "-r", f"{job}:worker:0:{grown}", "back").expect_error(2, "back already exists")
    assert (tmp_path / "back").read_text() == "mine"
    muster("cp", "-r", f"{job}:worker:0:{grown}", ".").expect_error(2, "already exists")
    muster("cp", "-r", "the tree", f"{job}:worker:0:{tmp_path}").expect_error(2, "already exists")
    assert tree(grown) == before
    muster("cp", "the tree", f"{job}:worker:0:x").expect_error(2, "copy it with -r")
    muster("cp", f"{job}:worker:0:{grown}", "x").expect_error(2, "copy it with -r")
    muster("cp", "-r", f"{job}:worker:0:no-such", "x").expect_error(2, "no-such does not exist")
    muster("cp", "-r", "no-such", f"{job}:worker:0:x").expect_error(2, "no-such does not exist")
    muster("cp", "-r", "the tree", f"{job}:worker:0:/no/such/x").expect_error(2, "not a folder")
    muster("cp", "-r", f"{job}:worker:0:{grown}", "no/such/x").expect_error(2, "not a folder")
    assert list(tmp_path.rglob(".muster-cp-*")) == []


def test_a_task_does_not_choose_what_it_replaces(muster, tmp_path):
    """Its own tar sends files that programs here would read, under those names."""
    muster.write("bin/tar", "#!/bin/sh\nexec /usr/bin/tar -C \"$EVIL\" -cf - $SENT\n", mode=0o755)
    muster.write("evil/.profile", "echo gotcha")
    muster.write("evil/.config/x", "gotcha")
    home = tmp_path / "mine"
    home.mkdir()
    (home / ".profile").write_text("mine")
    for sent in (".profile", ".config"):
        job = muster("submit", muster.spec({
            "command": "exec sleep 1000", "tasks": 1,
            "env": {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "EVIL": str(tmp_path / "evil"),
                    "SENT": sent}}), "--json").expect(0).json()["job"]
        harness.eventually(lambda it=job: muster.status(it)["phase"] == "running")
        muster("exec", job, "--", "mkdir", "results").expect(0)
        muster("cp", "-r", f"{job}:worker:0:.", "mine").expect_error(6, f"the task sent {sent}")
        muster("cp", "-r", f"{job}:worker:0:results/", "mine").expect(0)
        assert sorted(os.listdir(home)) == [".profile", "results"]
        assert (home / ".profile").read_text() == "mine"
        (home / "results").unlink() if sent == ".profile" else None


def test_what_is_no_file_is_left_out_and_said(muster, job, grown, tmp_path):
    os.mkfifo(grown / "pipe")
    done = muster("cp", "-r", f"{job}:worker:0:{grown}", "back").expect(0)
    assert done.lines("left out ./the tree/pipe: it is not a file, a folder or a link")
    done = muster("cp", "-r", "the tree", f"{job}:worker:0:{tmp_path}/there").expect(0)
    assert done.lines("left out ./the tree/pipe")
    (grown / "pipe").unlink()
    assert tree(tmp_path / "back") == tree(tmp_path / "there") == tree(grown)


def test_a_folder_of_which_a_part_is_missing_has_no_name(muster, job, grown, tmp_path):
    """Here tar, which reads the source, fails at the end."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "tar").write_text("#!/bin/sh\n/usr/bin/tar \"$@\"; exit 2\n")
    (tools / "tar").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    done = muster("cp", "-r", "the tree", f"{job}:worker:0:{tmp_path}/x", env={"PATH": path})
    assert done.code == 2
    done = muster("cp", "-r", f"{job}:worker:0:{grown}", "x", env={"PATH": path})
    assert done.code != 0
    assert not (tmp_path / "x").exists()
    assert list(tmp_path.rglob(".muster-cp-*")) == []


def test_an_interrupted_copy_leaves_nothing(muster, job, tmp_path):
    """Both ways, in the middle: the source is a folder with a file that never ends."""
    big = tmp_path / "big"
    big.mkdir()
    with open(big / "file", "wb") as file:
        file.truncate(1 << 40)
    there = tmp_path / "there"
    there.mkdir()
    for words in ((f"{job}:worker:0:{big}", "here"), ("big", f"{job}:worker:0:{there}/it")):
        running = muster.start("cp", "-r", *words)
        harness.eventually(lambda: any(path.stat().st_size > 1 << 20
                                       for path in tmp_path.rglob(".muster-cp-*/big/file")))
        running.signal(signal.SIGINT)
        interrupted = running.wait()
        assert interrupted.code not in (0, None) and "tar:" not in interrupted.err
        harness.eventually(lambda: not list(tmp_path.rglob(".muster-cp-*")))
    assert not (tmp_path / "here").exists()
    assert list(there.iterdir()) == []


def test_an_interrupted_copy_ends_where_the_signal_is_not_heard(muster, wrapped, tmp_path):
    """As in a shell that is just about to start the program that reads."""
    came = tmp_path / "came"
    job = wrapped("cat", f"trap '' INT; exec 5>&1; {shutil.which('cat')}\n"
                  'stat -L -c %s /proc/self/fd/5 > "$CAME"; exit 1', CAME=str(came))
    with open(tmp_path / "endless", "wb") as file:
        file.truncate(1 << 40)
    running = muster.start("cp", "endless", f"{job}:worker:0:{tmp_path}/there")
    harness.eventually(lambda: any(path.stat().st_size > 1 << 20
                                   for path in tmp_path.glob("there.muster-*")))
    running.signal(signal.SIGINT)
    assert running.wait().code not in (0, None)
    assert int(came.read_text()) < 4 << 30, "not until the disk is full"
    harness.eventually(lambda: not list(tmp_path.glob("there*")))


def test_a_killed_copy_leaves_nothing_that_the_next_one_does_not_remove(muster, job, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    with open(tmp_path / "endless", "wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "small").write_text("small")
    running = muster.start("cp", f"{job}:worker:0:{tmp_path}/endless", "here/it")
    # Whether it has a name or not, it is among the files that the program has open.
    harness.eventually(lambda: any(
        path.startswith(f"{here}/") and size > 1 << 20
        for path, size in harness.open_files(running.pid)))
    running.signal(signal.SIGKILL)
    running.wait()
    assert not (here / "it").exists()
    (here / "it.muster-abc123").write_text("of a copy where files must have names")
    muster("cp", f"{job}:worker:0:{tmp_path}/small", "here/it").expect(0)
    assert [(path.name, path.read_text()) for path in here.iterdir()] == [("it", "small")]


def test_a_killed_copy_of_a_folder_goes_with_the_next_one(muster, job, tmp_path):
    big = tmp_path / "big"
    big.mkdir()
    with open(big / "file", "wb") as file:
        file.truncate(1 << 40)
    small = tmp_path / "small"
    small.mkdir()
    (small / "x").write_text("x")
    here = tmp_path / "here"
    here.mkdir()
    running = muster.start("cp", "-r", f"{job}:worker:0:{big}", "here")
    (hidden,) = harness.eventually(lambda: [path for path in here.iterdir()
                                            if (path / "big" / "file").exists()])
    # It has an owner for as long as that process lives.
    muster("cp", "-r", f"{job}:worker:0:{small}", "here/first").expect(0)
    assert hidden.exists()
    running.signal(signal.SIGKILL)
    running.wait()
    muster("cp", "-r", f"{job}:worker:0:{small}", "here/second").expect(0)
    assert sorted(path.name for path in here.iterdir()) == ["first", "second"]


def test_a_full_disk_leaves_what_was_there(muster, job, tmp_path):
    """A file system of 1 MiB, which root alone can mount: files and folders, both ways."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount")
    big = tmp_path / "big"
    big.mkdir()
    (big / "file").write_bytes(bytes(3_000_000))
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", small]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot mount here")
    task = f"{job}:worker:0:"
    try:
        (small / "file").write_text("old")
        for words, status, said in (
                ([big / "file", f"{task}{small}/file"], 1, "file could not be written completely"),
                ([f"{task}{big}/file", small / "file"], 6, "small/file; is the disk full?"),
                (["-r", big, f"{task}{small}/tree"], 1, "tree could not be written completely"),
                (["-r", f"{task}{big}", small / "tree"], 6, "is the disk full?")):
            muster("cp", *words).expect_error(status, said)
            assert os.listdir(small) == ["file"], words
            assert (small / "file").read_text() == "old", words
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_from_all_tasks_of_a_role_into_one_folder(muster, tmp_path):
    muster("submit", muster.spec({"command": "echo $MUSTER_INDEX > result; exec sleep 1000",
                                  "tasks": 3})).expect(0)
    muster.wait_for_phase("running")
    job = muster.job()
    for index in range(3):
        harness.eventually(lambda index=index: muster(
            "exec", job, f"worker:{index}", "--", "test", "-s", "result").code == 0)
    muster("cp", f"{job}:worker:result", "out").expect(0)
    assert {path.name: (path / "result").read_text() for path in (tmp_path / "out").iterdir()} == {
        f"worker-{index}": f"{index}\n" for index in range(3)}
    # To all of them, too; and one that does not have it is named.
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "data").write_text("x")
    muster("cp", "-r", "more", f"{job}:worker:more").expect(0)
    for index in range(3):
        assert muster("exec", job, f"worker:{index}", "--", "cat", "more/data").expect(0).out == "x"
    muster("exec", job, "worker:1", "--", "rm", "result").expect(0)
    done = muster("cp", f"{job}:worker:result", "again").expect(2)
    assert done.lines("worker:1 was not copied")
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == ["worker-0", "worker-2"]


def test_a_terminal_sees_how_far_it_is(muster, job, tmp_path):
    (tmp_path / "data").write_bytes(bytes(200_000_000))
    running = muster.start("cp", "data", f"{job}:worker:0:copy", terminal=True)
    running.sees(r"worker:0:copy: [0-9.]+ [KMG]iB, [0-9.]+ [KMG]iB/s")
    running.wait().expect(0)


def test_what_another_user_may_not_read_or_write_is_named_and_nothing_is_left(ada):
    home = ada.home
    started = ada(ada.binary, "submit", "-n", "1", "--json", "--", "sleep", "1000")
    assert started.returncode == 0, started.stderr
    there = json.loads(started.stdout)["job"] + ":worker:0:"
    tree = home / "tree"
    (tree / "closed").mkdir(parents=True)
    (tree / "open").write_text("open")
    (tree / "closed" / "hidden").write_text("hidden")
    (tree / "secret").write_text("secret")
    secrets = [tree / "secret", tree / "closed"]
    for path in (tree, tree / "open", *secrets):
        os.chown(path, 54321, 54321)
    for path in secrets:
        path.chmod(0)
    # Source, destination, status, output.
    cases = [
        ([there + "/etc/shadow", home / "got"], 2, "cannot open /etc/shadow: Permission denied"),
        ([f"{there}{tree}/closed/hidden", home / "got"], 2,
         f"no permission to look for {tree}/closed/hidden in the task"),
        (["-r", f"{there}{tree}/closed/hidden", home / "got"], 2,
         f"no permission to look for {tree}/closed/hidden in the task"),
        (["-r", f"{there}{tree}", home / "got"], 2, "/secret"),  # And by two who talk at once.
        ([tree / "secret", there + "got"], 2, f"cannot read {tree}/secret: Permission denied"),
        (["-r", tree, there + "got"], 2, "/closed"),
        ([tree / "open", there + "/etc/got"], 1, "/etc/got could not be written completely"),
        ([tree / "open", there + "/etc/passwd"], 1, "/etc/passwd could not be written completely"),
        ([f"{there}{tree}/open", "/etc/got"], 6, "cannot write /etc/got: Permission denied")]
    kept = set(os.listdir(home))
    for words, status, said in cases:
        done = ada(ada.binary, "cp", *words)
        assert done.returncode == status, (words, done)
        assert said in done.stderr, (words, done)
        assert set(os.listdir(home)) == kept, words
    inside = ada(ada.binary, "exec", there.partition(":")[0], "--", "ls", "-A")
    assert "got" not in inside.stdout, inside
