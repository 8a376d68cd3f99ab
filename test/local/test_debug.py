# timeout: 300
"""muster debug: a closer look at a process of a task, with the real py-spy and gdb."""

import json
import pathlib
import shutil
import sys
import xml.etree.ElementTree

import harness
import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")

PROGRAM = """
def busy_loop():
    while True:
        sum(range(1000))

print("ready", flush=True)
busy_loop()
"""
PLAIN = "/usr/bin:/bin"


@pytest.fixture(scope="session")
def with_py_spy():
    """A PATH with the py-spy of the tests' own environment."""
    folder = pathlib.Path(sys.executable).parent
    assert (folder / "py-spy").exists()
    return f"{folder}:{PLAIN}"


@pytest.fixture
def start(muster):
    def start(path=PLAIN, command="exec /usr/bin/python3 program.py"):
        muster.write("program.py", PROGRAM)
        muster("submit", muster.spec({"command": command, "tasks": 1, "files": ["program.py"]}),
               env={"PATH": path}).expect(0)
        harness.eventually(lambda: "ready" in muster("logs", muster.job()).text)
        return muster.job()

    return start


def test_a_flame_graph_and_a_profile(muster, start, with_py_spy, tmp_path):
    job = start(with_py_spy)
    done = muster("debug", job, "worker:0", "flame", "--time", "1s").expect(0)
    assert done.out == "worker-0.svg\n"
    graph = (tmp_path / "worker-0.svg").read_text()
    assert xml.etree.ElementTree.fromstring(graph).tag.endswith("svg")
    assert "busy_loop (program.py:" in graph
    muster("debug", job, "worker:0", "record", "--time", "1s", "--rate", "50", "-o",
           "my profile.json").expect(0)
    profile = json.loads((tmp_path / "my profile.json").read_text())
    assert "busy_loop" in [frame["name"] for frame in profile["shared"]["frames"]]
    assert [path for path in tmp_path.iterdir() if ".muster-" in path.name] == []
    # It is a session, and nothing of it is left in the task.
    assert "debug-probe" in muster("show", job, "--json").expect(0).out


def test_without_a_task_it_is_the_first(muster, start, with_py_spy, tmp_path):
    job = start(with_py_spy, command="/usr/bin/python3 program.py; true")
    muster("debug", job, "flame", "--time", "1s", "--output", "x.svg").expect(0)
    assert "busy_loop" in (tmp_path / "x.svg").read_text()
    assert "busy_loop (program.py:" in muster("debug", job).expect(0).out


def test_py_spy_is_sent_from_where_the_command_is_typed(muster, start, with_py_spy, tmp_path):
    job = start()
    muster("debug", job, "worker:0", "flame", "--time", "1s",
           env={"PATH": with_py_spy}).expect(0)
    assert "busy_loop" in (tmp_path / "worker-0.svg").read_text()


def test_top_shows_where_the_time_goes(muster, start, with_py_spy):
    job = start(with_py_spy)
    running = muster.start("debug", job, "worker:0", "top", terminal=True)
    running.sees("busy_loop")
    running.type(b"\x03")
    running.wait()


@pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb")
def test_gdb_attaches_to_a_process(muster, start):
    job = start()
    running = muster.start("debug", job, "worker:0", "gdb", terminal=True)
    running.sees(r"\(gdb\)")
    running.type(b"info inferiors\n")
    running.sees(r"process \d+")
    running.type(b"detach\nquit\n")
    running.wait().expect(0)
    assert muster("exec", job, "--", "true").expect(0)


def test_what_is_missing_is_said_with_what_installs_it(muster, start, tmp_path):
    job = start()
    for what in ("flame", "record"):
        muster("debug", job, "worker:0", what, env={"PATH": PLAIN}).expect_error(
            2, "there is no py-spy on", "pip install py-spy")
    assert [path.name for path in tmp_path.glob("worker-0*")] == []


def test_gdb_is_missing(muster, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    muster("submit", muster.spec({"command": "exec /bin/sleep 1000", "tasks": 1}),
           env={"PATH": str(tools)}).expect(0)
    muster.wait_for_phase("running")
    running = muster.start("debug", "last", "worker:0", "gdb", terminal=True)
    running.sees("there is no gdb on .*apt-get install gdb")
    running.wait().expect(2)


def test_mistakes_are_named(muster, start, with_py_spy):
    job = start(with_py_spy)
    muster("debug", job, "worker:0", "strace").expect_error(2, "WHAT must be dump, record, top")
    muster("debug", job, "worker:0", "flame", "--time", "0s").expect_error(2, "--time")
    muster("debug", job, "worker:0", "flame", "--time", "soon").expect_error(2, "--time")
    muster("debug", job, "worker:0", "flame", "--rate", "0").expect_error(2, "--rate")
    muster("debug", job, "worker:0", "flame", "--pid", "1").expect_error(
        2, "1 is not a process of the task")
    muster("debug", job, "worker:0", "top").expect_error(2, "needs a terminal")
    muster("debug", job, "worker:7", "flame").expect_error(2, "worker:7")
