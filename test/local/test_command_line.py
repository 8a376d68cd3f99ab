"""The verbs that read and help: help, version, explain, config, plan, init, doctor, completion."""

import json
import re
import subprocess

import harness
import pytest

VERBS = ["run", "submit", "plan", "ps", "status", "logs", "top", "metrics", "stop", "why", "eff",
         "advise", "usage", "hosts", "exec", "shell", "cp", "show", "history", "portal",
         "tensorboard", "validate", "explain", "config", "init", "demo", "doctor", "clean",
         "completion", "help", "version"]
# Of a job.
OF_A_JOB = ["status", "logs", "metrics", "stop", "why", "eff", "advise", "exec", "shell", "show"]


def test_help_names_every_verb(muster):
    text = muster("--help").expect(0).out
    for verb in VERBS:
        assert re.search(rf"^\s+{verb}\b", text, re.MULTILINE), verb
    assert muster("help").expect(0).out == text
    assert muster("help", "fs", "put").expect(0).out == muster("fs", "put", "--help").expect(0).out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(muster, verb):
    done = muster(verb, "--help").expect(0)
    assert verb in done.out and done.err == ""


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_refuses_unknown_flags(muster, verb):
    words = {"completion": ["bash"], "validate": ["x.yaml"], "cp": ["a", "b"]}.get(
        verb, ["last"] if verb in OF_A_JOB else [])
    muster(verb, *words, "--certainly-not-a-flag").expect_error(2, "certainly-not-a-flag")


def test_no_verb_at_all_shows_help(muster):
    done = muster()
    assert done.code in (0, 2) and "run" in done.text


def test_an_unknown_verb_has_a_suggestion(muster):
    muster("statsu").expect_error(2, "statsu", "status")


def test_a_program_in_place_of_a_specification_is_told_how_to_run(muster):
    done = muster("run", "train.py").expect(2)
    assert done.err == ("muster: train.py is a program, not a specification: "
                        "muster run -n 1 -- python3 train.py\n")


def test_a_script_that_no_path_has_is_told_how_to_start(muster):
    (muster.folder / "train.py").write_text("print(1)")
    done = muster("run", "-n", "2", "--", "train.py", "--lr", "1", cwd=muster.folder).expect(2)
    assert done.err == ("muster: train.py is a file, not a command; "
                        "start it as in -- python3 train.py\n")
    assert not muster("ps", "--all", "--json").expect(0).json()["jobs"]


def test_version(muster):
    assert re.search(r"\d+\.\d+", muster("version").expect(0).out)
    assert "version" in muster("version", "--json").expect(0).json()
    assert muster("--version").expect(0).out


def test_explain_a_key(muster):
    text = muster("explain", "restart.process").expect(0).out
    assert "restart.process" in text and "3" in text
    assert "memory" in muster("explain", "roles.worker.memory").expect(0).out
    muster("explain", "restrat").expect_error(2, "restrat", "restart")
    assert "checkpoint" in muster("explain").expect(0).out


def test_config_says_who_won(muster):
    (muster.home).mkdir()
    (muster.home / "config.yaml").write_text("defaults: {logs: {keep: 9}}\n")
    text = muster("config", "--explain", "logs.keep").expect(0).out
    assert "9" in text and "config.yaml" in text
    text = muster("config", "--explain", "logs.keep", env={"MUSTER_SET_LOGS__KEEP": "7"}).out
    assert "7" in text and "MUSTER_SET_LOGS__KEEP" in text
    assert muster("config", "--json").expect(0).json()


def test_config_lists_what_layers_set(muster):
    assert muster("config").expect(0).out == "nothing is set; all keys have their built-in values\n"
    muster.home.mkdir(exist_ok=True)
    (muster.home / "config.yaml").write_text("defaults: {logs: {keep: 9}}\n")
    path = muster.spec("command: a\ntasks: 2\n")
    text = muster("config", "--spec", path, "--set", "tasks=3").expect(0).out
    assert re.search(r"^logs\.keep = 9  \(.*config\.yaml:1:25\)$", text, re.MULTILINE), text
    assert "roles.worker.tasks = 3  (--set tasks=3)" in text


def test_explain_lists_every_key(muster):
    lines = muster("explain").expect(0).out.splitlines()
    assert any(re.match(r"restart\.window +duration, at least 1s, or none; 1h$", line)
               for line in lines)
    assert any(re.match(r"files\[\]\.src +text; required$", line) for line in lines)


def test_the_home_s_config_is_a_layer(muster):
    muster.home.mkdir()
    (muster.home / "config.yaml").write_text("defaults: {env: {FROM_CONFIG: 'yes'}}\n")
    assert muster.run_shell("echo got $FROM_CONFIG").expect(0).lines("got yes$")
    (muster.home / "config.yaml").write_text("defaults: {logz: {keep: 9}}\n")
    muster.run_shell("true").expect_error(2, "config.yaml:1:12", "logz", "logs")


def test_plan_changes_nothing_and_asks_for_everything(muster):
    path = muster.spec({"command": "true", "framework": "pytorch",
                        "roles": {"worker": {"tasks": 3, "memory": "512m"}}})
    text = muster("plan", path).expect(0).out
    assert "worker" in text and "3 containers of 544 MiB" in text
    assert muster.jobs() == []
    assert muster("plan", path, "--json").expect(0).json()


def test_keys_without_effect_here_are_told_with_the_reason(muster):
    path = muster.spec({"command": "true", "yarn": {"queue": "ml"}, "master": {"attempts": 3},
                        "roles": {"worker": {"constraint": "notin,node,worker",
                                             "resources": {"fpga": 1}, "node_label": "gpu"}}})
    for command in ("plan", "run"):
        text = muster(command, path).expect(0).text
        for key in ("yarn.queue", "master.attempts", "roles.worker.constraint",
                    "roles.worker.resources", "roles.worker.node_label"):
            assert f"{key} has no effect on this machine: " in text, text
    plain = muster("run", muster.spec({"command": "true", "tasks": 1}))
    assert "no effect" not in plain.expect(0).text


def test_a_job_on_anothers_behalf_is_refused_where_nobody_can_act_for_them(muster):
    for command in ("plan", "run", "submit"):
        muster(command, "--proxy-user", "bob", "--", "true").expect_error(2, "--proxy-user")
    assert muster.jobs() == []


def test_plan_yaml_of_the_short_form_is_a_spec(muster):
    done = muster("plan", "--yaml", "-n", "2", "--framework", "pytorch", "--", "echo", "a b")
    path = muster.spec(done.expect(0).out)
    assert muster("run", path).expect(0).lines("a b$")


def test_plan_says_that_it_can_never_fit(muster):
    path = muster.spec({"command": "true", "roles": {"worker": {"memory": "100000g"}}})
    done = muster("plan", path).expect(6)
    assert "can never fit" in done.text and "TiB" in done.text


def test_init_writes_a_spec_that_validates(muster):
    done = muster("init", "--list").expect(0)
    templates = re.findall(r"^\s*([a-z][a-z-]+)\b", done.out, re.MULTILINE)
    assert {"pytorch-ddp", "tensorflow-ps"} <= set(templates)
    for name in templates:
        folder = muster.folder / name
        folder.mkdir()
        muster("init", name, cwd=folder).expect(0)
        (spec,) = folder.glob("*.yaml")
        muster("validate", spec, cwd=folder).expect(0)
        muster("init", name, cwd=folder).expect_error(2, spec.name)


def test_doctor_asked_for_a_cluster_that_is_not_configured(muster):
    """Unasked, it only notes that there is none; whoever asks for a cluster must learn it from the
    exit status."""
    nowhere = {"HADOOP_CONF_DIR": "", "YARN_CONF_DIR": "", "HADOOP_HOME": ""}
    done = muster("doctor", "--on", "yarn", env=nowhere).expect(6)
    assert re.search(r"^bad +hadoop +no Hadoop cluster is configured\n +set HADOOP_CONF_DIR",
                     done.out, re.MULTILINE)
    noted = muster("doctor", env=nowhere).expect(0)
    assert re.search(r"^note +hadoop +no Hadoop cluster", noted.out, re.MULTILINE)


def test_doctor_finds_this_machine_fit(muster):
    done = muster("doctor").expect(0)
    assert re.search("(?i)memory", done.out)
    assert muster("doctor", "--json").expect(0).json()["schema"].startswith("muster.doctor/")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(muster, shell):
    text = muster("completion", shell).expect(0).out
    assert "muster completion words" in text
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=text.encode(), check=True)
    muster("completion", "tcsh").expect_error(2, "tcsh", "bash")


def test_completion_of_verbs_and_jobs(muster):
    muster.run_shell("true", name="alpha").expect(0)
    assert {"submit", "status", "stop"} <= set(words(muster, "s"))
    assert muster.job() in words(muster, "status", "al")


def words(muster, *typed):
    return muster("completion", "words", "--", *typed).expect(0).out.split()


def test_completion_of_what_the_home_and_the_job_know(muster):
    muster.home.mkdir()
    (muster.home / "config.yaml").write_text("clusters: {lab: {type: yarn, conf: /etc/lab}}\n")
    muster.run_shell("true", name="alpha").expect(0)
    assert words(muster, "run", "--on", "") == ["local", "yarn", "lab"]
    assert words(muster, "logs", "last", "w") == ["worker", "worker:0"]
    assert words(muster, "stop", "") == ["last"]  # It has ended.
    assert muster.job() in words(muster, "tensorboard", "")
    path = muster.spec({"command": "true", "roles": {"chief": {}, "ps": {}}})
    assert words(muster, "run", path, "--exit-code-from", "") == ["chief", "ps"]
    muster("completion", "words", "--", "run", "").expect(3)  # The shell itself offers files.


@pytest.mark.parametrize(("line", "offered"), [
    (["muster", "st"], ["status", "stop", "stacks"]),
    (["muster", "run", "--set", "framework", "=", "py"], ["pytorch"]),
    (["muster", "run", "--on", "=", "l"], ["local"]),
    (["muster", "run", "--set", "restart.win"], ["restart.window="]),
    (["muster", "init", "pytorch-d"], ["pytorch-ddp"]),
    (["muster", "validate", "some"], ["some.yaml"]),
])
def test_completion_in_bash(muster, line, offered):
    (muster.folder / "some.yaml").write_text("")
    script = muster("completion", "bash").expect(0).out
    shell = (f'muster() {{ "{harness.BINARY}" "$@"; }}\n{script}\nCOMP_WORDS=("$@")\n'
             'COMP_CWORD=$(($# - 1))\n_muster 2>/dev/null\nprintf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", shell, "bash", *line], capture_output=True, text=True,
                          check=False, env=muster.environment, cwd=muster.folder)
    assert done.stdout.split() == offered, done.stderr


def test_demo_shows_the_features_in_seconds(muster):
    done = muster("demo").expect(0)
    assert len({line.split(":")[0] for line in done.lines(r"^[a-z]+:\d\W")}) >= 1
    assert muster.status()["outcome"]["result"] == "succeeded"


def test_internal_verbs_are_not_for_people(muster):
    for verb in ("master", "agent", "keeper"):
        assert muster(verb).code != 0


def test_output_to_a_full_device(muster):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([harness.BINARY, "version"], stdout=full, stderr=subprocess.PIPE,
                              env=muster.environment, timeout=harness.PATIENCE, check=False)
    assert done.returncode != 0


def test_json_names_its_schema(muster):
    def schema_of(*arguments):
        return muster(*arguments, "--json").expect(0).json()["schema"]

    path = muster.spec({"command": "exec sleep 1000", "tasks": 1})
    assert schema_of("version") == "muster.version/1"
    assert schema_of("validate", path) == "muster.validate/1"
    assert schema_of("plan", path) == "muster.fit/1"
    assert schema_of("submit", path) == "muster.submitted/1"
    muster.wait_for_phase("running")
    assert schema_of("shell", "last", "--list") == "muster.shells/1"
    assert schema_of("why", "last") == "muster.why/1"
    muster("stop", "last").expect(0)
    assert schema_of("clean", "--dry-run") == "muster.clean/1"


def test_the_oldest_jobs_are_removed_down_to_a_size(muster):
    for _ in range(2):
        muster("run", muster.spec({"command": "true", "tasks": 1})).expect(0)
    everything = muster.jobs()
    kept = muster("clean", "--older", "365d", "--over", "1t", "--json").expect(0).json()
    assert kept["removed"] == []
    removed = muster("clean", "--older", "365d", "--over", "1k", "--json").expect(0).json()
    assert sorted(removed["removed"]) == everything and muster.jobs() == []


def test_json_goes_to_standard_output_alone(muster):
    muster.run_shell("true").expect(0)
    done = muster("status", "last", "--json").expect(0)
    json.loads(done.out)
    assert done.err == ""
