"""`muster tony`: jobs of TonY, by the flags and files that their users have."""

import json
import signal
import zipfile

import pytest

LOCAL = ("--on", "local")
ONE = ("-conf", "tony.worker.instances=1")


def conf_file(muster, name, **settings):
    lines = [f"<property><name>{key}</name><value>{value}</value></property>"
             for key, value in settings.items()]
    return muster.write(name, "<configuration>\n" + "\n".join(lines) + "\n</configuration>\n")


def tony(muster, *arguments, **options):
    return muster("tony", *LOCAL, *arguments, **options)


def test_a_job_by_flags_in_every_spelling(muster):
    muster.write("src/train.sh", 'echo "$JOB_NAME:$TASK_INDEX of $TASK_NUM says $GREETING $1"\n')
    done = tony(muster, "-executes", "sh train.sh", "--task_params=again", "--src_dir", "src",
                "--conf", "tony.worker.instances=2", "-shell_env=GREETING=hello").expect(0)
    assert sorted(done.lines("says")) == ["worker:0 | worker:0 of 2 says hello again",
                                          "worker:1 | worker:1 of 2 says hello again"]


def test_the_specification_is_kept_and_runs_again_from_elsewhere(muster):
    muster.write("src/train.sh", "echo trained\n")
    done = tony(muster, "-executes", "sh train.sh", "-src_dir", "src", *ONE).expect(0)
    lines = done.text.splitlines()
    spec = lines[lines.index("muster: the job as a specification:") + 1]
    elsewhere = muster.folder / "elsewhere"
    elsewhere.mkdir()
    assert muster("run", spec, cwd=elsewhere).expect(0).lines("trained")


def test_layers_are_laid_as_tony_lays_them(muster):
    conf_file(muster, "tony.xml", **{
        "tony.worker.instances": 3, "tony.containers.command": "echo ran $A $B $C",
        "tony.execution.envs": "A=1", "tony.application.name": "mine"})
    conf_file(muster, "site/tony-site.xml", **{"tony.worker.instances": 2})
    site = {"TONY_CONF_DIR": str(muster.folder / "site")}
    done = tony(muster, "-conf", "tony.execution.envs=B=2", "-shell_env", "C=3", env=site).expect(0)
    assert len(done.lines("ran 1 2 3")) == 2, "the site's file wins over the job's"
    done = tony(muster, "-conf", "tony.worker.instances=1", env=site).expect(0)
    assert len(done.lines("ran 1")) == 1, "and -conf over both"


def test_the_named_file_is_read_instead_of_tony_xml(muster):
    conf_file(muster, "tony.xml", **{"tony.worker.instances": 1, "x.y": "1",
                                     "tony.containers.command": "echo wrong"})
    conf_file(muster, "other.xml", **{"tony.worker.instances": 1,
                                      "tony.containers.command": "echo right"})
    for words in (("-conf_file", "other.xml"), ("other.xml",),
                  (f"-conf_file=file://{muster.folder}/other.xml",)):
        assert tony(muster, *words).expect(0).lines("right")


@pytest.mark.parametrize(("words", "status"), [((), 255), (("--muster-exit-status",), 1)])
def test_a_failure_ends_as_scripts_of_tony_expect(muster, words, status):
    tony(muster, "-executes", "exit 3", *ONE, *words).expect(status)


def test_json_prints_the_events_of_run(muster):
    done = tony(muster, "--json", "-executes", "echo out", *ONE).expect(0)
    events = [json.loads(line) for line in done.out.splitlines()]
    assert (events[0]["event"], events[-1]["event"]) == ("submitted", "ended")
    assert events[0]["on"] == "local"
    assert any(event["event"] == "output" for event in events)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_client_ends_the_job(muster, number):
    running = muster.start("tony", *LOCAL, "-executes", "echo up; exec sleep 1000", *ONE)
    assert running.sees("up")
    running.signal(number)
    assert running.wait().code == 255
    assert muster.status()["outcome"]["reason"] == "stopped_by_user"


def test_a_venv_lies_where_tony_puts_it(muster):
    with zipfile.ZipFile(muster.folder / "packed.zip", "w") as archive:
        program = zipfile.ZipInfo("bin/python3")
        program.external_attr = 0o755 << 16
        archive.writestr(program, '#!/bin/sh\necho "interpreter runs $*"\n')
    done = tony(muster, "-executes", "train.py --steps 2", "-python_venv", "packed.zip",
                "-python_binary_path", "bin/python3", *ONE).expect(0)
    assert done.lines("interpreter runs train.py --steps 2")
    done = tony(muster, "-executes", "venv/bin/python3 -V", "-python_venv", "packed.zip",
                *ONE).expect(0)
    assert done.lines("interpreter runs -V")


@pytest.mark.parametrize(("words", "status", "said"), [
    ((), 255, "there is no tony.xml in this folder"),
    (("-conf_file", "tony.xlm"), 255, "no such file: tony.xlm"),
    (("-executs", "a"), 2, "TonY nor Muster has a flag -executs; did you mean -executes?"),
    (("-executes",), 2, "-executes needs a value"),
    (("-executes", "-conf", "a=b"), 2, "-executes needs a value"),
    (("-executes", "python", "train.py"), 2, "`train.py` belongs to no flag; quote a value"),
    (("-executes", "a", "-src_dir", "scr"), 255, "-src_dir scr: no such file or folder; did you"),
])
def test_mistakes_are_named_before_anything_starts(muster, words, status, said):
    (muster.folder / "src").mkdir()
    tony(muster, *words).expect_error(status, said)
    assert not muster.jobs()
