"""Bad specs: exit status 2, FILE:LINE:COLUMN, the culprit, a suggestion; nothing is started."""

import os
import re
import socket

import pytest

ROLE = "roles:\n  worker: {tasks: 1}\n"

# name → (text of the spec, words that the message must contain)
SPECS = {
    "not yaml": ("roles: [1, 2\ncommand: {", []),
    "not a mapping": ("- one\n- two\n", []),
    "empty": ("", []),
    "binary": ("\x00\x01\x02", []),
    "unknown key": (f"comand: echo\n{ROLE}", ["comand", "command"]),
    "unknown key of a role": ("command: echo\nroles:\n  worker: {taks: 1}\n", ["taks", "tasks"]),
    "key twice": (f"command: echo\ncommand: echo\n{ROLE}", ["command"]),
    "role twice": ("command: echo\nroles:\n  a: {tasks: 1}\n  a: {tasks: 2}\n", ["a"]),
    "wrong type": ("command: [echo]\nroles: 5\n", ["roles"]),
    "tasks not a number": ("command: echo\ntasks: many\n", ["tasks", "many"]),
    "zero tasks": ("command: echo\nroles:\n  worker: {tasks: 0}\n", ["tasks", "0"]),
    "a million tasks": ("command: echo\nroles:\n  worker: {tasks: 1000000}\n", ["1000000"]),
    "negative tasks": ("command: echo\ntasks: -1\n", ["-1"]),
    "neither roles nor tasks": ("command: echo\n", ["roles", "tasks"]),
    "roles and tasks": (f"command: echo\ntasks: 2\n{ROLE}", ["roles", "tasks"]),
    "role name": ("command: echo\nroles:\n  Big Worker: {tasks: 1}\n", ["Big Worker"]),
    "role without command": ("roles:\n  worker: {tasks: 1}\n", ["worker", "command"]),
    "memory 2gb": ("command: e\nroles:\n  worker: {memory: 2gb}\n", ["2gb", "2g"]),
    "memory -1": ("command: e\nroles:\n  worker: {memory: -1}\n", ["-1"]),
    "memory 1e9g": ("command: e\nroles:\n  worker: {memory: 1e9g}\n", ["1e9g"]),
    "memory 0": ("command: e\nroles:\n  worker: {memory: 0}\n", ["memory"]),
    "duration": ("command: e\ntasks: 1\ndeadlines: {run: 5 parsecs}\n", ["5 parsecs"]),
    "cyclic after": (
        "command: e\nroles:\n  a: {after: [b]}\n  b: {after: [a]}\n", ["after", "a", "b"]),
    "after itself": ("command: e\nroles:\n  a: {after: [a]}\n", ["after", "a"]),
    "after nobody": ("command: e\nroles:\n  a: {after: [zzz]}\n", ["zzz"]),
    "contradicting policies": (
        "command: e\nroles:\n  a: {tasks: 1}\n  b: {success: ignored, failure: tolerated}\n",
        ["success", "failure"]),
    "two chiefs": ("command: e\nroles:\n  a: {chief: true}\n  b: {chief: true}\n", ["chief"]),
    "unknown framework": ("framework: tensorflwo\ncommand: e\ntasks: 1\n",
                          ["tensorflwo", "tensorflow"]),
    "min above max": ("command: e\nroles:\n  a: {min: 4, max: 2}\n", ["min", "max"]),
    "rule pattern": ("command: e\ntasks: 1\nrules: [{match: {pattern: '('}, class: user.x}]\n",
                     ["pattern"]),
    "env without a value": ("command: e\ntasks: 1\nenv: {A: {from_env: NOT_SET_ANYWHERE}}\n",
                            ["NOT_SET_ANYWHERE"]),
    "env name": ("command: e\ntasks: 1\nenv: {'A=B': x}\n", ["A=B"]),
    "missing file": (f"command: e\nfiles: [nothing.py]\n{ROLE}", ["nothing.py"]),
    "file above the spec's task folder": (
        f"command: e\nfiles: [{{src: job.yaml, as: ../up}}]\n{ROLE}", ["../up"]),
    "absolute name": (f"command: e\nfiles: [{{src: job.yaml, as: /tmp/x}}]\n{ROLE}", ["/tmp/x"]),
    "two files of one name": (
        f"command: e\nfiles: [job.yaml, {{src: job.yaml, as: job.yaml}}]\n{ROLE}", ["job.yaml"]),
    "very deep": ("a: " + "[" * 5000, []),
    "memory as Kubernetes writes it": (
        "command: e\nroles:\n  worker: {memory: 2Gi}\n", ["2Gi", "did you mean `2g`"]),
    "framework torch": ("framework: torch\ncommand: e\ntasks: 1\n", ["did you mean `pytorch`"]),
    "framework that is not supported": (
        "framework: kubeflow\ncommand: e\ntasks: 1\n", ["kubeflow", "use generic"]),
    "cpus of a role": (
        "command: e\nroles:\n  worker: {cpus: 2}\n", ["cpus", "did you mean `vcores`"]),
    "gpu at the top": (
        "command: e\ntasks: 1\ngpu: 1\n", ["gpu", "did you mean `roles.worker.gpus`"]),
    "two tensorflow chiefs": (
        "framework: tensorflow\ncommand: e\nroles: {chief: {tasks: 2}}\n",
        ["roles.chief.tasks", "at most one chief, not 2"]),
    "ranks as granted": (
        "framework: pytorch\ncommand: e\ntasks: 2\nbarrier: as_granted\n", ["as_granted", "gang"]),
    "program beside the specification only": (
        f"command: sh job.yaml\n{ROLE}", ["`job.yaml`", "files: [job.yaml]"]),
    "program that is nowhere": (
        f"command: ./nowhere.sh\n{ROLE}", ["`nowhere.sh`", "does not exist"]),
}


# Known only once the client looks at its environment and its files, so the name serves as the
# place.
WITHOUT_PLACE = {"env without a value", "missing file"}


@pytest.mark.parametrize("name", SPECS)
def test_is_refused_with_its_place(muster, name):
    text, words = SPECS[name]
    path = muster.spec(text)
    done = muster("run", path).expect(2)
    for word in words:
        assert word in done.err, done.err
    if name not in WITHOUT_PLACE:
        assert re.search(rf"{re.escape(path.name)}:\d+:\d+: error: ", done.err), done.err
    assert len(done.err.splitlines()) <= 10
    assert muster.jobs() == []


@pytest.mark.parametrize("name", SPECS)
def test_validate_and_plan_say_the_same_as_run(muster, name):
    path = muster.spec(SPECS[name][0])
    validated = muster("validate", path).expect(2)
    assert validated.out == ""
    assert validated.err == muster("run", path).expect(2).err
    assert validated.err == muster("plan", path).expect(2).err


@pytest.mark.parametrize("word", ["horovod", "dask", "xgboost", "ray", "mpi"])
def test_each_framework_is_offered_and_accepted(muster, word):
    bad = muster.spec({"command": "e", "tasks": 1, "framework": "nonsense"})
    assert word in muster("validate", bad).expect(2).err
    assert word in muster("explain", "framework").expect(0).out
    muster("validate", muster.spec({"command": "e", "tasks": 1, "framework": word})).expect(0)


def test_several_errors_are_told_at_once_and_at_most_ten_lines(muster):
    text = "command: e\ntasks: 1\n" + "".join(f"wrong{i}: 1\n" for i in range(30))
    done = muster("run", muster.spec(text)).expect(2)
    assert 2 <= len(done.err.splitlines()) <= 10


def test_a_good_spec_validates(muster):
    done = muster("validate", muster.spec({"command": "true", "tasks": 1})).expect(0)
    assert done.err == ""
    assert muster.jobs() == []


def test_a_file_that_is_a_socket(muster):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(muster.folder / "sock"))
        done = muster.run_shell("true", files=["sock"])
    done.expect_error(2, "sock")


def test_a_file_that_is_a_pipe(muster):
    os.mkfifo(muster.folder / "pipe")
    muster.run_shell("true", files=["pipe"]).expect_error(2, "pipe")


def test_an_empty_file_is_a_mistake_where_the_command_names_it(muster):
    muster.write("empty.py", "")
    done = muster.run_shell("python3 empty.py", files=["empty.py"])
    done.expect_error(2, "empty.py", "job.yaml:")
    assert muster.jobs() == []
    muster.write("__init__.py", "")
    muster.write("package/__init__.py", "")
    done = muster.run_shell("ls package __init__*", files=["package", "__init__.py"])
    assert len(done.expect(0).lines("__init__.py$")) == 2


def test_an_archive_that_is_none(muster):
    muster.write("rows.txt", "no archive\n")
    files = [{"src": "rows.txt", "unpack": "yes"}]
    done = muster.run({"command": "true", "tasks": 1, "files": files})
    done.expect(1)
    assert "rows.txt: cannot unpack the archive: " in done.text
    assert "class       user.files" in done.text


def test_a_file_name_with_a_newline(muster):
    muster.write("two\nlines", "content\n")
    done = muster.run_shell("cat two*", files=["two\nlines"])
    done.expect_error(2, "`two\\nlines` contains a line break")


def test_a_link_that_points_outside_of_its_folder(muster):
    (muster.folder / "data").mkdir()
    (muster.folder / "data" / "hosts").symlink_to("/etc/hosts")
    muster.run_shell("cat data/hosts", files=["data/"]).expect_error(2, "hosts")


def test_a_link_inside_of_its_folder_is_kept(muster):
    muster.write("data/rows", "linked\n")
    (muster.folder / "data" / "same").symlink_to("rows")
    done = muster.run_shell("cat data/same", files=["data/"])
    assert done.expect(0).lines("linked$")


def test_a_file_that_cannot_be_read(muster):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    muster.write("closed", "x", mode=0)
    muster.run_shell("true", files=["closed"]).expect_error(2, "closed")


def test_the_spec_is_a_folder(muster):
    muster("run", muster.folder).expect_error(2, str(muster.folder))


def test_set_is_checked_like_the_spec(muster):
    path = muster.spec({"command": "true", "tasks": 1})
    muster("run", path, "--set", "roles.worker.taks=3").expect_error(2, "taks", "tasks")
    muster("run", path, "--set", "roles.worker.memory=2gb").expect_error(2, "2gb", "2g")
    muster("run", path, "--set", "nonsense").expect_error(2, "nonsense")


def test_the_environment_layer_is_checked_too(muster):
    path = muster.spec({"command": "true", "tasks": 1})
    done = muster("run", path, env={"MUSTER_SET_LOGS__KEEP": "many"})
    done.expect_error(2, "MUSTER_SET_LOGS__KEEP", "many")
