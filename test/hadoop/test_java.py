"""TonY's Java classes on YARN, with the real classes of Hadoop beside them."""
# bed: plain
# timeout: 600

import signal

import artifacts
import pytest
from java_programs import Java, compile_into
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


def test_a_killed_submitter_kills_the_application(yarn, bed):
    """And it finds the cluster by a folder of the class path, as Hadoop's clients do."""
    running = Java(yarn, "com.linkedin.tony.cli.ClusterSubmitter", *ONE, "-executes",
                   "echo up; exec sleep 1000", class_path=[bed.conf],
                   env={"HADOOP_CONF_DIR": None})
    running.sees("up", RUN_LIMIT)
    running.signal(signal.SIGTERM)
    running.wait(RUN_LIMIT).expect(143)
    expect_final(yarn, bed, yarn.job(), "KILLED")
