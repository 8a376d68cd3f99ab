"""`muster tony`: jobs of TonY, by the flags and files that their users have."""

import json
import os
import shutil
import signal
import urllib.request
import zipfile

import harness
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


def test_a_job_that_waits_for_room_is_killed_and_leaves_nothing(muster):
    """Each of two jobs takes more than half of the memory, so the second waits for the first."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 6 // 10 >> 20
    first = muster.start("run", "-n", "1", "--memory", f"{memory}m", "--", "sh", "-c",
                         "echo up; exec sleep 1000")
    first.sees("up")
    running = muster.start("tony", *LOCAL, "-executes", "echo never", *ONE, "-conf",
                           f"tony.worker.memory={memory}m", "-conf", "tony.application.name=second")
    running.sees("(?i)memory")
    running.signal(signal.SIGHUP)
    assert not running.wait().expect(255).lines(r"^never$")
    (waiting,) = [job for job in muster.jobs() if job.startswith("second")]
    outcome = muster("status", waiting, "--json").json()["outcome"]
    assert outcome["reason"] == "stopped_by_user"
    first.signal(signal.SIGTERM)
    first.wait().expect(4)
    muster.expect_nothing_left()


def test_a_client_that_nohup_has_started_goes_on(muster):
    running = muster.start("-c", 'trap "" HUP; exec "$0" "$@"', harness.BINARY, "tony", *LOCAL,
                           "-executes", "echo up; exec sleep 1000", *ONE, program="/bin/sh")
    assert running.sees("up")
    running.signal(signal.SIGHUP)
    muster.wait_for_phase("running")
    running.signal(signal.SIGTERM)
    assert running.wait().code == 255
    assert muster.status()["outcome"]["result"] == "stopped"


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


def test_a_venv_keeps_modes_and_links_where_hosts_have_no_unzip(muster):
    with zipfile.ZipFile(muster.folder / "venv.zip", "w") as archive:
        for name, mode, text in (("bin/python3.11", 0o100755, '#!/bin/sh\necho runs $*\n'),
                                 ("bin/python3", 0o120777, "python3.11")):
            member = zipfile.ZipInfo(name)
            member.create_system, member.external_attr = 3, mode << 16
            archive.writestr(member, text)
    programs = muster.folder / "programs"
    programs.mkdir()
    for name in ("sh", "bash", "python3", "chmod"):
        (programs / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
    done = tony(muster, "-executes", "train.py", "-python_venv", "venv.zip",
                "-python_binary_path", "bin/python3", *ONE, env={"PATH": str(programs)}).expect(0)
    assert done.lines("runs train.py")


SHOW = "python3 -c 'import json, os; print(\"ENV\" + json.dumps(dict(os.environ)))'"


def environments(done):
    """The environments that tasks with the command SHOW have printed, by their names in TonY."""
    found = {}
    for line in done.lines("ENV{"):
        values = json.loads(line[line.index("ENV{") + 3:])
        found[f"{values['JOB_NAME']}:{values['TASK_INDEX']}"] = values
    return found


# What TonY gives its tasks, section by section, without what its containers inherit from YARN.
COMMON = {"JOB_NAME", "TASK_INDEX", "TASK_NUM", "JOB_ID", "appid", "SESSION_ID", "DISTRIBUTED_MODE",
          "ATTEMPT_NUMBER"}
NEVER = {"AM_HOST", "AM_PORT", "METRICS_RPC_PORT", "MALLOC_ARENA_MAX", "PREPROCESSING_JOB",
         "MODEL_PARAMS", "NUM_AM_RETRIES"}


@pytest.mark.parametrize(("framework", "worker", "chief"), [
    ("tensorflow", {"CLUSTER_SPEC", "TF_CONFIG"}, {"IS_CHIEF", "TB_PORT"}),
    ("pytorch", {"INIT_METHOD", "RANK", "WORLD"}, {"IS_CHIEF", "TB_PORT"}),
    ("horovod", {"CLUSTER_SPEC", "HOROVOD_CONTROLLER", "HOROVOD_CPU_OPERATIONS",
                 "HOROVOD_GLOO_TIMEOUT_SECONDS", "HOROVOD_GLOO_RENDEZVOUS_PORT",
                 "HOROVOD_GLOO_RENDEZVOUS_ADDR", "HOROVOD_CROSS_RANK", "HOROVOD_CROSS_SIZE",
                 "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE", "HOROVOD_SIZE", "HOROVOD_RANK",
                 "HOROVOD_HOSTNAME"}, {"IS_CHIEF", "TB_PORT"}),
    ("standalone", set(), {"IS_CHIEF"}),
])
def test_a_task_has_the_variables_that_tony_sets(muster, framework, worker, chief):
    number = 1 if framework == "standalone" else 2
    done = tony(muster, "-executes", SHOW, "-conf", f"tony.worker.instances={number}",
                "-conf", f"tony.application.framework={framework}").expect(0)
    tasks = environments(done)
    assert len(tasks) == number
    for name, found in tasks.items():
        wanted = COMMON | worker | (chief if name == "worker:0" else set())
        assert not wanted - set(found)
        assert not (NEVER | {"IS_CHIEF", "TB_PORT"}) - wanted & set(found)
        assert found["SESSION_ID"] == found["ATTEMPT_NUMBER"] == "0"
        assert found["TASK_NUM"] == str(number)
        assert found.get("HOROVOD_GLOO_TIMEOUT_SECONDS", "2000") == "2000"


def test_where_tensorboard_runs_beside_the_chief_no_task_has_its_port(muster):
    done = tony(muster, "-executes", SHOW, "-sidecar_tensorboard_log_dir", "logs",
                "-conf", "tony.worker.instances=1").expect(0)
    found = environments(done)["worker:0"]
    assert found["TB_LOG_DIR"] == "logs" and "TB_PORT" not in found


def test_a_job_without_tasks_runs_its_command_as_tonys_master_did(muster):
    show = 'echo "$PREPROCESSING_JOB $NAME ${TB_PORT:+port} $([ "$HOME" = "$PWD" ] && echo home)"'
    done = tony(muster, "-executes", show, "-shell_env", "NAME=mine").expect(0)
    assert done.lines("true mine port home")


def test_the_preprocessing_runs_first_and_its_parameters_reach_the_tasks(muster):
    words = ("-conf", "tony.application.enable-preprocess=true", "-conf", "tony.worker.instances=2",
             "-executes", 'echo "trains with $MODEL_PARAMS, not ${PREPROCESSING_JOB:-first}"')
    done = tony(muster, *words, "-conf",
                "tony.am.command=echo prepares $PREPROCESSING_JOB; "
                "echo Model parameters: --layers 3").expect(0)
    assert done.lines("prepares true")
    assert len(done.lines("trains with --layers 3, not first")) == 2
    assert len(muster.jobs()) == 2
    failed = tony(muster, *words, "-conf", "tony.am.command=exit 3").expect(255)
    assert not failed.lines("trains")
    assert len(muster.jobs()) == 3


def test_every_setting_is_explained_and_nothing_is_started(muster):
    conf_file(muster, "tony.xml", **{"tony.worker.instances": 2, "tony.https.port": 1,
                                     "tony.worker.memroy": "1g"})
    done = tony(muster, "--explain", "-executes", "true").expect(0)
    assert "tony.worker.instances = 2 (tony.xml:2)\n  `roles.worker.tasks`\n" in done.out
    assert "-executes = true (command line)\n" in done.out
    assert done.lines("did you mean tony.worker.memory")
    assert not muster.jobs()


def test_what_a_conversion_leaves_out_is_said(muster):
    """For a specification that has everything, nothing is said."""
    words = ("--convert", "-executes", "true", *ONE)
    assert tony(muster, *words).expect(0).err == ""
    done = tony(muster, *words, "--set", "restart.process=0").expect(0)
    assert done.lines("the values of --set are not included")
    assert "restart" not in done.out


def test_an_unknown_setting_is_a_warning(muster):
    done = tony(muster, "-executes", "true", *ONE, "-conf", "tony.worker.memroy=1g").expect(0)
    assert done.lines("warning: tony.worker.memroy: no version .* did you mean tony.worker.memory")


@pytest.mark.parametrize(("text", "said"), [
    ("<configuration>\n<property>\n</configuration>", "tony.xml:3:3: error: not well-formed"),
    ('<!DOCTYPE c [<!ENTITY a SYSTEM "x">]>\n<configuration/>',
     "the entity a is not defined as text in this file"),
    ("<configuration>\n  <proprety/>\n</configuration>", "tony.xml:2:3: error: <proprety>"),
])
def test_files_that_cannot_be_read_are_named_with_the_place(muster, text, said):
    muster.write("tony.xml", text)
    tony(muster, "-executes", "true").expect_error(255, said)


def test_a_venv_without_the_interpreter_is_refused(muster):
    with zipfile.ZipFile(muster.folder / "venv.zip", "w") as archive:
        archive.writestr("mine/bin/python3", "#!/bin/sh\n")
    tony(muster, "-executes", "train.py", "-python_venv", "venv.zip", "-python_binary_path",
         "bin/python3", *ONE).expect_error(255, "it has no bin/python3", "it has mine/bin/python3")
    muster.write("venv.zip", "no archive")
    tony(muster, "-executes", "train.py", "-python_venv", "venv.zip", "-python_binary_path",
         "bin/python3", *ONE).expect_error(255, "venv.zip is not a zip archive")


def test_several_tasks_are_too_many_for_standalone(muster):
    tony(muster, "-executes", "true", "-conf", "tony.worker.instances=2", "-conf",
         "tony.application.framework=standalone").expect_error(255, "standalone jobs have one task")


def test_bash_reads_the_command(muster):
    done = tony(muster, "-executes", "[[ abc == a* ]] && echo matches", *ONE).expect(0)
    assert done.lines("matches")


def test_a_command_that_takes_too_long_is_ended(muster):
    tony(muster, "-executes", "sleep 1000", *ONE, "-conf",
         "tony.task.executor.execution-timeout-ms=200").expect(255)


@pytest.mark.parametrize(("words", "status", "said"), [
    ((), 255, "there is no tony.xml in this folder"),
    (("-conf_file", "tony.xlm"), 255, "no such file: tony.xlm"),
    (("-executs", "a"), 2, "TonY nor Muster has a flag -executs; did you mean -executes?"),
    (("-executes",), 2, "-executes needs a value"),
    (("-executes", "-conf", "a=b"), 2, "-executes needs a value"),
    (("-executes", "python", "train.py"), 2, "`train.py` does not belong to a flag; quote value"),
    (("-executes", "a", "-src_dir", "scr"), 255, "-src_dir scr: no such file or folder; did you"),
])
def test_mistakes_are_named_before_anything_starts(muster, words, status, said):
    (muster.folder / "src").mkdir()
    tony(muster, *words).expect_error(status, said)
    assert not muster.jobs()


SERVER = "exec python3 -m http.server --bind 127.0.0.1 $TB_PORT"


def test_a_notebook_is_reached_by_an_address_of_this_machine(muster):
    muster.write("src/hello.txt", "from the notebook's folder\n")
    running = muster.start("tony", *LOCAL, "--notebook", "-executes", SERVER, "-src_dir", "src")
    address = running.sees(r"http://127\.0\.0\.1:\d+/")[0]

    def answer():
        try:
            with urllib.request.urlopen(address + "hello.txt", timeout=5) as response:
                return response.read()
        except OSError:  # Its server may not be listening yet.
            return None

    text = harness.eventually(answer, harness.PATIENCE, "an answer of the notebook")
    assert text == b"from the notebook's folder\n"
    running.signal(signal.SIGINT)
    running.wait().expect(0)
    assert muster.status()["outcome"]["reason"] == "stopped_by_user"


def test_a_notebook_that_fails_is_told(muster):
    done = tony(muster, "--notebook", "-executes", "exit 3").expect(255)
    assert f"{muster.job()} failed: `muster status {muster.job()}` says why" in done.text
