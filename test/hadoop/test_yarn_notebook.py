"""muster notebook in a container of YARN: its files outlive it in HDFS."""
# bed: yarn
# timeout: 900

import os
import signal

import pytest
from jupyter_api import api, run_cell
from notebooks import LINK, begin, save, start, text_of
from waiting import until
from yarn_jobs import RUN_LIMIT, expect_all_over, processes_in


@pytest.fixture
def bed(yarn_bed):
    """Not the plain bed, for which most files wait (cmake/programs.cmake)."""
    return yarn_bed


def leave(running):
    running.signal(signal.SIGINT)
    running.wait().expect(128 + signal.SIGINT)


def test_its_files_outlive_the_container_in_hdfs(yarn, bed, python):
    name = f"book-{os.getpid()}"
    folder = f"/user/alice/notebooks/{name}"

    def kept(path):
        return bed.shell("fs", "-cat", f"{folder}/{path}").out

    yarn.write("data.csv", "1,2\n")
    running, port, token = start(yarn, python, name, "--set", f"files=[{yarn.folder}/data.csv]")
    assert f"its files are kept in HDFS, in {folder}," in running.text
    assert "warning" not in running.text, "of what she has not set"
    assert text_of(port, token, "data.csv") == "1,2\n"
    save(port, token, "first [1].txt", "saved")
    kernel = api(port, token, "kernels", "POST", {"name": "python3"})["id"]
    written = run_cell(port, token, kernel, "import os; os.makedirs('deep/er'); "
                       "open('deep/er/x', 'w').write('by a program'); "
                       "open('gone', 'w').write('x'); print('done')")
    assert written == "done\n"
    until(lambda: kept("deep/er/x") == "by a program" and kept("gone") == "x", 60,
          "what a program wrote is kept")
    assert kept("first \\[1\\].txt") == "saved"
    # Nothing that came with the job is kept, nor anything that was renamed or deleted.
    api(port, token, "contents/first [1].txt", "PATCH", {"path": "second.txt"})
    api(port, token, "contents/gone", "DELETE")
    until(lambda: sorted(path.rsplit("/", 1)[1] for path in bed.shell(
        "fs", "-ls", "-C", folder).out.splitlines()) == ["deep", "second.txt"], 60,
        lambda: f"the folder is as it is there: {bed.shell('fs', '-ls', '-R', folder).out}")
    # What is saved last is kept, too.
    save(port, token, "second.txt", "the last word")
    yarn("stop", yarn.job(), within=RUN_LIMIT).expect(0)
    assert "ended" in running.wait(RUN_LIMIT).expect(6).err
    expect_all_over(yarn, bed)
    assert kept("second.txt") == "the last word"

    # The next notebook has them, and loses nothing when its container is lost.
    running, port, token = start(yarn, python, name, "--idle", "1s")
    assert text_of(port, token, "second.txt") == "the last word"
    assert text_of(port, token, "deep/er/x") == "by a program"
    save(port, token, "third.txt", "x" * 100_000)
    until(lambda: kept("third.txt") == "x" * 100_000, 60, "it is kept")
    # Nobody uses it; Jupyter checks once a minute.
    assert "ended" in running.wait(within=300).expect(6).err
    last = max(yarn.jobs(), key=lambda job: (yarn.home / "jobs" / job).stat().st_mtime)
    until(lambda: (told := yarn("status", last, "--json")).code == 0
          and told.json()["phase"] == "ended", 60, "it has ended")
    assert yarn("status", last, "--json").json()["outcome"]["result"] == "succeeded"


def test_a_lost_container_loses_no_file_and_a_second_notebook_overwrites_none(yarn, bed, python):
    name = f"lost-{os.getpid()}"
    folder = f"/user/alice/elsewhere-{os.getpid()}"
    rivals = [begin(yarn, python, name, "--folder", f"hdfs://{folder}") for _ in range(2)]
    second = until(lambda: next((each for each in rivals if each.process.poll() is not None), None),
                   RUN_LIMIT, "one of two that begin at once is refused")
    (running,) = (each for each in rivals if each is not second)
    port, token = running.sees(LINK, RUN_LIMIT).groups()
    back = f"`muster notebook {yarn.job()}` returns to it"
    second.wait().expect_error(2, folder, back, "--folder starts another")
    yarn("notebook", "--on", "yarn", "--folder", f"hdfs:{folder}/part").expect_error(2, back)
    save(port, token, "a.ipynb.txt", "saved")
    until(lambda: bed.shell("fs", "-cat", f"{folder}/a.ipynb.txt").out == "saved", 60, "it is kept")
    for agent in processes_in(bed, "muster agent"):
        os.kill(agent, signal.SIGKILL)
    leave(running)
    job = yarn.job()
    again = yarn.start("notebook", job)
    port, token = again.sees(LINK, RUN_LIMIT).groups()
    assert f"its files are kept in HDFS, in {folder}," in again.text
    assert text_of(port, token, "a.ipynb.txt") == "saved"
    leave(again)
    yarn("stop", job, within=RUN_LIMIT).expect(0)


def test_mistakes_are_named(yarn):
    yarn("notebook", "--folder", "hdfs:///x").expect_error(2, "--folder", "HDFS", "this machine")
    yarn("notebook", "--folder", "none").expect_error(2, "none is not a folder")
    yarn("notebook", "--on", "yarn", "--folder", "rel").expect_error(2, "`rel`", "hdfs://")
