"""Programs that embed TonY's classes, as their users have written them: what they see of a job."""
# together: 4

import signal

import pytest
from java_programs import EMBEDDING, SIGNATURES, Java, compile_into

LOCAL = ("--on", "local")
SMALL = ("-conf", "tony.worker.memory=64m", "-conf", "tony.chief.memory=64m",
         "-conf", "tony.ps.memory=64m")
ONE = (*LOCAL, *SMALL, "-conf", "tony.worker.instances=1")
TWO = (*LOCAL, *SMALL, "-conf", "tony.worker.instances=2")
UP = "echo up; exec sleep 1000"
# More than anybody takes while a listener is busy.
FLOOD = "yes | head -n 200000; exec sleep 1000"


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return compile_into(tmp_path_factory.mktemp("embedding"), *EMBEDDING)


@pytest.fixture
def embed(muster, programs):
    """Starts one of the programs of test/java/embedding."""
    def start(name, *flags, **options):
        return Java(muster, name, *flags, class_path=[programs, SIGNATURES], **options)

    return start


def test_listeners_hear_the_same_one_after_the_other(embed, gate):
    """On the thread of start(), each with a set of its own; a listener that leaves hears nothing
    further."""
    done = embed("Listeners", *TWO, "-executes", gate.wait,
                 env={"GATE": str(gate.path)}).wait().expect(0)
    lines = done.out.splitlines()
    assert lines[0] == "listeners 2" and "start 0" in lines
    calls = next(line for line in lines if line.startswith("calls ")).split()[1:]
    pairs = list(zip(calls[::2], calls[1::2], strict=True))
    before = pairs.count(("first", "second"))
    assert 0 < before < len(pairs), calls
    assert pairs[before:] == [("second", "late")] * (len(pairs) - before), calls
    assert {"elsewhere false", "failed false"} <= set(lines)
    assert next(line for line in lines if line.startswith("first set ")).count("[TaskInfo]") == 2


def test_the_last_set_is_as_tonys_client_prints_it(embed):
    done = embed("States", *TWO, "-conf", "tony.ps.instances=1", "-conf",
                 "tony.ps.command=exec sleep 1000", "-executes",
                 '[ "$JOB_NAME$TASK_INDEX" = worker0 ] || exit 3',
                 "--set", "restart.process=0").wait().expect(0)
    assert done.out.splitlines() == [
        "FAILED worker 1", "SUCCEEDED worker 0", "FINISHED ps 0", "start 0"]


def test_what_start_returns(embed):
    """It is like TonY's final status: not every failed task fails a job, and nothing else is
    printed."""
    done = embed(
        "Statuses", *ONE, "-executes", "echo shown to nobody", "--",
        *ONE, "-executes", "exit 3", "--set", "restart.process=0", "--",
        *TWO, "-executes", '[ "$TASK_INDEX" = 0 ] || exit 3', "--set", "restart.process=0", "--",
        *TWO, "-executes", '[ "$TASK_INDEX" = 0 ] || exit 3', "--set", "restart.process=0",
        "-conf", "tony.application.fail-on-worker-failure-enabled=true", "--",
        *ONE, "-executes", "exec sleep 1000", "-conf", "tony.application.timeout=300", "--",
        *LOCAL, "-executes", "true", "-conf", "tony.am.memory=64m").wait().expect(0)
    assert done.out.split() == [word for status in (0, -1, 0, -1, -1, 0)
                                for word in ("start", str(status))]


def test_init_refuses_in_one_line_and_may_be_called_again(muster, embed):
    muster.write("broken.xml", "<configuration><property>")
    done = embed(
        "Refusals", "-executs true", "-conf_file nowhere.xml -executes true",
        "-conf_file broken.xml -executes true", "-executes", "",
        "-conf tony.worker.instances=-1 -executes true",
        "-conf tony.worker.instances=2 -conf tony.task.max-total-instances=1 -executes true",
        "-help",
        " ".join([*ONE, "-executes", "true"])).wait().expect(0)
    lines = [line for line in done.out.splitlines()
             if line.startswith(("too early", "refused", "init", "start"))]
    assert len(lines) == 11, done.text
    for line, said in zip(lines, [
            "too early: call init()", "-executes", "nowhere.xml", "broken.xml", "-executes",
            "there is no tony.xml", "tony.worker.instances", "tony.task.max-total-instances",
            "init false", "init true", "start 0"], strict=True):
        assert said in line, done.text
    assert len(muster.jobs()) == 1


def test_kills_before_during_and_after_a_job(muster, embed):
    done = embed("Kills", *TWO, "-executes", FLOOD).wait().expect(0)
    assert sorted(done.out.splitlines()) == ["end", "killed", "killed", "start -1"]
    assert muster.status()["outcome"]["result"] == "stopped"


def test_a_listener_that_does_not_return_holds_up_no_kill(muster, embed):
    done = embed("Blocked", *ONE, "-executes", FLOOD).wait().expect(0)
    assert done.out.splitlines() == ["killed", "start -1", "worker FINISHED"]
    assert muster.status()["outcome"]["result"] == "stopped"


def test_clients_of_one_process_know_nothing_of_each_other(muster, embed):
    done = embed("Clients", *ONE, "-executes", "true").wait().expect(0)
    lines = done.out.splitlines()
    assert sorted(lines[:2]) == ["one 0", "two 0"]
    assert lines[2:] == ["[worker] [chief, worker]", "again 0 [chief, worker]"]
    assert len(muster.jobs()) == 3


def test_an_error_in_a_listener_ends_neither_the_job_nor_the_others(embed):
    done = embed("Errors", *ONE, "-executes", "true").wait().expect(0)
    first, last = done.out.splitlines()
    assert first == "start 0" and last.endswith("status: SUCCEEDED"), done.text
    assert "AssertionError: this listener is wrong" in done.err


def test_a_listener_may_end_the_process(muster, embed):
    """The hook that kills the job, such as schedulers have, runs while the listener waits."""
    done = embed("Exits", "exit", *TWO, "-executes", FLOOD).wait().expect(7)
    assert done.out.splitlines() == ["all run", "killed"]
    assert muster.status()["outcome"]["result"] == "stopped"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_hook_of_the_programs_kills_the_job(muster, embed, number):
    running = embed("Exits", "stay", *ONE, "-executes", UP)
    running.sees("all run")
    running.signal(number)
    done = running.wait().expect(128 + number)
    assert "killed" in done.out
    assert muster.status()["outcome"]["result"] == "stopped"


def test_a_submitter_that_is_ended_gets_no_status_to_end_with(muster, embed):
    """System.exit() with it could replace the signal's, in the last moment of the process."""
    running = embed("Ended", *ONE, "-executes", UP)
    running.sees("up")
    running.signal(signal.SIGTERM)
    done = running.wait().expect(128 + signal.SIGTERM)
    assert "returned false" in done.out
    assert muster.status()["outcome"]["result"] == "stopped"


def test_a_client_of_ones_own_is_the_one_that_starts(muster, embed):
    done = embed("Spied", *ONE, "-executes", "true").wait().expect(0)
    assert done.out.splitlines() == ["would start", "submit 42"]
    assert muster.jobs() == []


def test_a_listener_may_come_late(muster, embed):
    running = embed("Late", *ONE, "-executes", f"until [ -e {muster.folder}/go ]; "
                    "do sleep 0.1; done")  # lint: allow(sleep) until the listener listens
    running.sees("listens")
    muster.write("go", "")
    done = running.wait().expect(0)
    assert done.out.splitlines() == ["listens", "start 0", "heard SUCCEEDED"]
