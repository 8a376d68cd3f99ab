"""`muster tony` where TonY's users run it: on YARN, by default, with files in HDFS."""
# bed: plain
# hadoop: each
# timeout: 600

import signal

from yarn_jobs import RUN_LIMIT, application_of, expect_final, job_of

SETTINGS = {"tony.worker.instances": 2, "tony.worker.memory": "256m",
            "tony.application.name": "mine"}


def conf_file(**settings):
    lines = [f"<property><name>{key}</name><value>{value}</value></property>"
             for key, value in settings.items()]
    return "<configuration>\n" + "\n".join(lines) + "\n</configuration>\n"


def test_a_job_with_its_settings_in_hdfs(yarn, bed, hdfs_folder):
    yarn.write("job.xml", conf_file(**SETTINGS))
    yarn.write("src/train.sh", 'echo "$JOB_NAME:$TASK_INDEX of $TASK_NUM in $appid"\n')
    settings = f"/user/alice/tony{hdfs_folder.replace('/', '-')}.xml"
    yarn("fs", "put", "job.xml", settings, within=RUN_LIMIT).expect(0)
    done = yarn("tony", "-conf_file", f"hdfs://{settings}", "-src_dir", "src",
                "-executes", "sh train.sh", within=RUN_LIMIT).expect(0)
    job = job_of(done)
    application = application_of(yarn, bed, job)
    for index in range(2):
        assert done.lines(f"worker:{index} of 2 in {application['id']}"), done.text
    assert application["name"] == "mine"
    expect_final(yarn, bed, job, "SUCCEEDED")


def test_a_missing_file_in_hdfs_is_named(yarn, bed, hdfs_folder):
    yarn("tony", "-conf_file", f"hdfs://{hdfs_folder}/no.xml", "-executes", "true",
         within=RUN_LIMIT).expect_error(255, "no.xml")


def test_a_killed_client_kills_the_application(yarn, bed):
    running = yarn.start("tony", "-executes", "echo up; exec sleep 1000", "-conf",
                         "tony.worker.instances=1", "-conf", "tony.worker.memory=256m")
    assert running.sees(r"(?m)^(\S+ \| )?up$", within=RUN_LIMIT)
    running.signal(signal.SIGTERM)
    assert running.wait(RUN_LIMIT).code == 255
    expect_final(yarn, bed, yarn.job(), "KILLED")


def test_the_files_of_hadoops_configuration_that_settings_name(yarn, bed, tmp_path):
    """Whatever their names, even if nothing else says which cluster it is."""
    core = tmp_path / "cluster" / "hdfs.xml"
    core.parent.mkdir()
    core.write_text((bed.conf / "core-site.xml").read_text())
    yarn.write("tony.xml", conf_file(**{
        **SETTINGS, "tony.application.hdfs-conf-path": core.as_uri(),
        "tony.application.yarn-conf-path": bed.conf / "yarn-site.xml"}))
    done = yarn("tony", "-executes", "echo $JOB_NAME:$TASK_INDEX", within=RUN_LIMIT,
                env={"HADOOP_CONF_DIR": ""}).expect(0)
    assert done.lines("worker:1"), done.text
    expect_final(yarn, bed, job_of(done), "SUCCEEDED")
