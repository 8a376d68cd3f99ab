"""TonY's Java classes on YARN, with the real classes of Hadoop beside them."""
# bed: plain
# timeout: 600

import json
import signal
import zipfile

import artifacts
import pytest
from java_programs import Java, compile_into
from tony_jobs import settings_of
from yarn_jobs import RUN_LIMIT, application_of, expect_final

ONE = ("-conf", "tony.worker.instances=1", "-conf", "tony.worker.memory=128m")


@pytest.fixture
def hadoop_jars(hadoop_version):
    return artifacts.class_path(hadoop_version).split(":")


@pytest.fixture
def submitting(yarn, hadoop_jars, tmp_path):
    """Starts Submitting, which asks for two workers by its Configuration."""
    folder = compile_into(tmp_path, "Submitting", class_path=hadoop_jars)
    return lambda *flags, **options: Java(yarn, "Submitting", *flags,
                                          class_path=[folder, *hadoop_jars], **options)


def test_a_program_with_hadoops_types_hears_of_its_application(yarn, bed, submitting):
    done = submitting("-executes", "true").wait(RUN_LIMIT).expect(0)
    application = application_of(yarn, bed, yarn.job())
    number = int(application["id"].rsplit("_", 1)[1])
    lines = done.out.splitlines()
    assert lines.count(f"application {application['id']} number {number}") == 1, done.text
    for index in range(2):
        states = [line.split()[2] for line in lines if line.startswith(f"task worker:{index} ")]
        assert list(dict.fromkeys(states)) == ["NEW", "READY", "RUNNING", "SUCCEEDED"], done.out
    urls = {line.split()[3] for line in lines if line.startswith("task ")}
    assert len(urls) == 1 and application["id"] in urls.pop()
    assert lines[-2:] == ["conf 2", "submit 0 with"]
    expect_final(yarn, bed, yarn.job(), "SUCCEEDED")


def test_flags_that_are_wrong_are_the_exception_that_tony_throws(yarn, submitting):
    done = submitting("-executes", "true", "-conf", "tony.worker.vcores=many").wait(RUN_LIMIT)
    assert done.lines(r'^refused: .*tony\.worker\.vcores: .*not `many`'), done.text
    assert "submit -1 without" in done.out.splitlines()
    assert yarn.jobs() == []


def test_a_scheduler_writes_its_settings_and_waits_for_the_id(yarn, bed, hadoop_jars, tmp_path):
    """Hadoop's own settings in TonY's file, hundreds of them, cause no messages."""
    folder = compile_into(tmp_path, "Scheduler", class_path=hadoop_jars)
    done = Java(yarn, "Scheduler", "tony.containers.command=exec sleep 1000",
                "tony.execution.envs=A=1", class_path=[folder, *hadoop_jars])
    done = done.wait(RUN_LIMIT).expect(0)
    name = application_of(yarn, bed, yarn.job())["id"]
    assert done.out.splitlines() == [
        "types [ps, worker] memory 128 2048", f"application {name} runs true", "start -1"]
    assert not done.lines(r"\d\d of TonY's settings"), done.text
    expect_final(yarn, bed, yarn.job(), "KILLED")


def test_the_configuration_has_what_init_has_read(yarn, hadoop_jars, tmp_path):
    """Also, tony.xml is found in a jar on the class path."""
    folder = compile_into(tmp_path, "Merged", class_path=hadoop_jars)
    jar = tmp_path / "settings.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("tony.xml", settings_of({
            "tony.worker.memory": "128m", "tony.worker.instances": 7, "tony.application.name": "x",
            "tony.containers.envs": "B=2"}))
    names = ["tony.worker.instances", "tony.worker.memory", "tony.worker.vcores",
             "tony.application.name", "tony.containers.envs", "tony.containers.command",
             "tony.python-exec-path", "tony.execution.envs", "tony.containers.resources"]
    done = Java(yarn, "Merged", *names, "--", "--on", "local", "--conf=tony.application.name=y",
                "-conf", "tony.containers.envs=C=3", "-python_binary_path", "/bin/echo",
                "-executes", "seen $A$B$C", "-task_params", "$D$E", "--shell_env=D=4",
                "-shell_env", "E=5", "-hdfs_classpath", "file:///etc/hostname",
                class_path=[folder, jar, *hadoop_jars]).wait(RUN_LIMIT).expect(0)
    assert done.out.splitlines() == [
        "same true", "tony.worker.instances 2 7", "tony.worker.memory 128m 128m",
        "tony.worker.vcores null 3", "tony.application.name y y",
        "tony.containers.envs A=1,C=3 B=2,C=3",
        "tony.containers.command /bin/echo seen $A$B$C $D$E /bin/echo seen $A$B$C $D$E",
        "tony.python-exec-path /bin/echo /bin/echo",
        "tony.execution.envs D=4,E=5 D=4,E=5",
        "tony.containers.resources file:///etc/hostname file:///etc/hostname", "start 0"]
    spec = json.loads(yarn("status", "last", "--json").out)
    assert spec["name"] == "y" and len(spec["roles"]["worker"]["tasks"]) == 2
    seen = yarn("logs", "last", "worker:0").lines("seen 13 45$")
    assert seen, "set by the program: B is not there"


def test_a_submitter_made_after_tonys_own(yarn, bed, hadoop_jars, tmp_path):
    """It ships a file of its own, and removes it at the end."""
    folder = compile_into(tmp_path, "OwnSubmitter", class_path=hadoop_jars)
    own = tmp_path / "own.txt"
    own.write_text("shipped\n")
    done = Java(yarn, "OwnSubmitter", own, *ONE, "-executes", "cat tony.jar",
                class_path=[folder, *hadoop_jars]).wait(RUN_LIMIT).expect(0)
    assert "shipped" in yarn("logs", "last", "worker:0").out, done.text
    (place,) = [line.split()[1] for line in done.out.splitlines() if line.startswith("put ")]
    assert yarn("fs", "-ls", place).code != 0


def test_files_of_a_programs_own_count_below_tony_xml(yarn, hadoop_jars, tmp_path):
    """What addResource() reads is overridden by what TonY reads afterwards, except values that are
    final."""
    folder = compile_into(tmp_path, "Layered", class_path=hadoop_jars)
    own = tmp_path / "own.xml"
    own.write_text(settings_of({
        "tony.worker.instances": 5, "tony.worker.memory": "96m", "tony.worker.vcores": 3,
        "tony.execution.envs": "A=own", "tony.application.name": "kept"}).replace(
            "<value>kept</value>", "<value>kept</value><final>true</final>"))
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "tony.xml").write_text(settings_of({
        "tony.worker.instances": 2, "tony.execution.envs": "A=tony", "tony.worker.vcores": 2,
        "tony.application.name": "other"}))
    done = Java(yarn, "Layered", own, "--on", "local", "-executes", "echo seen $A",
                class_path=[folder, conf, *hadoop_jars]).wait(RUN_LIMIT).expect(0)
    assert done.out.splitlines() == ["start 0"]
    spec = json.loads(yarn("status", "last", "--json").out)
    assert spec["name"] == "kept" and len(spec["roles"]["worker"]["tasks"]) == 2
    assert yarn("logs", "last", "worker:0").lines("seen tony$")
    spec = (yarn.job_folder() / "spec.yaml").read_text()
    assert "memory: 96m\n" in spec and "vcores: 1\n" in spec


def test_a_killed_submitter_kills_the_application(yarn, bed):
    """It also finds the cluster through a folder on the class path, as Hadoop's clients do."""
    running = Java(yarn, "com.linkedin.tony.cli.ClusterSubmitter", *ONE, "-executes",
                   "echo up; exec sleep 1000", class_path=[bed.conf],
                   env={"HADOOP_CONF_DIR": None})
    running.sees(r"(?m)^(\S+ \| )?up$", RUN_LIMIT)
    running.signal(signal.SIGTERM)
    running.wait(RUN_LIMIT).expect(143)
    expect_final(yarn, bed, yarn.job(), "KILLED")
