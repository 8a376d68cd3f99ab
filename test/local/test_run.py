"""A job from the command to its end: output, files, the short form."""

import json
import os
import re
import stat


def test_prefixes_every_line_with_its_task(muster):
    command = "echo out $MUSTER_INDEX; echo err $MUSTER_INDEX >&2"
    done = muster.run({"command": command, "tasks": 3}).expect(0)
    for index in range(3):
        assert re.search(rf"^worker:{index} \| out {index}$", done.out, re.MULTILINE)
        assert re.search(rf"^worker:{index} \| err {index}$", done.err, re.MULTILINE)


def test_ends_with_its_result_and_where_things_are(muster):
    done = muster.run_shell("true").expect(0)
    tail = "\n".join(done.text.splitlines()[-20:])
    assert "succeeded" in tail
    assert str(muster.job_folder()) in tail


def test_piped_output_has_no_colours(muster):
    assert "\x1b" not in muster.run_shell("echo plain").expect(0).text


def test_task_output_goes_to_standard_output_alone(muster):
    done = muster.run_shell("echo a line of the task").expect(0)
    assert "a line of the task" in done.out
    assert "a line of the task" not in done.err


def test_keeps_last_line_without_newline(muster):
    done = muster.run_shell("printf 'no newline at the end'").expect(0)
    assert done.out == "no newline at the end"


def test_a_line_that_many_tasks_say_is_shown_once_for_those_that_follow(muster, gate):
    command = f"{gate.wait}; echo ready"
    run = muster.start("run", muster.spec({"command": command, "tasks": 8}))
    run.sees("running: 0/8 tasks")
    gate.open()
    done = run.wait().expect(0)
    shown = re.findall(r"^worker:([-\d,]+) \| ready$", done.out, re.MULTILINE)
    assert 2 <= len(shown) < 8
    assert any("-" in tasks or "," in tasks for tasks in shown)
    assert all(muster.log_text(f"worker:{index}") == "ready\n" for index in range(8))


def test_spec_may_be_json_and_is_named_after_its_file(muster):
    path = muster.write("my-job.json", json.dumps({"command": "true", "tasks": 1}))
    muster("run", path).expect(0)
    assert re.fullmatch(r"my-job-[a-z0-9]{4,}", muster.job())


def test_words_after_dashes_are_appended_quoted(muster):
    path = muster.spec({"command": "printf '<%s>'", "tasks": 1})
    done = muster("run", path, "--", "two words", "$HOME", "it's").expect(0)
    assert "<two words><$HOME><it's>" in done.text


def test_set_overrides_the_spec(muster):
    path = muster.spec({"command": "echo n $MUSTER_INDEX", "tasks": 1})
    done = muster("run", path, "--set", "roles.worker.tasks=3").expect(0)
    assert done.lines(r"^worker:2\W")


def test_short_form_runs_a_program_of_the_current_folder(muster):
    muster.write("train.py", "import os, sys\nprint('rank', os.environ['RANK'], sys.argv[1])\n")
    done = muster("run", "-n", "2", "--framework", "pytorch", "--", "python3", "train.py",
                  "--x").expect(0)
    assert done.lines(r"^worker:0\W.*rank 0 --x$") and done.lines(r"^worker:1\W.*rank 1 --x$")


def test_short_form_takes_more_roles(muster):
    muster("run", "-n", "1", "--role", "ps=1,memory=64m", "--", "echo", "hi").expect(0)
    assert muster.log_text("worker:0") == muster.log_text("ps:0") == "hi\n"


def test_files_arrive_in_the_task_folder(muster):
    muster.write("data/inner/rows.txt", "42\n")
    muster.write("run.sh", "#!/bin/sh\ncat data/inner/rows.txt", mode=0o755)
    done = muster.run_shell("./run.sh", files=["run.sh", "data/"]).expect(0)
    assert done.lines(r"\b42$")


def test_file_may_get_another_name_and_be_unpacked(muster):
    muster.write("rows.txt", "13\n")
    os.system(f"tar -C {muster.folder} -czf {muster.folder}/rows.tgz rows.txt")
    done = muster.run_shell("cat data/rows.txt", files=[{"src": "rows.tgz", "as": "data"}])
    assert done.expect(0).lines(r"13$")


def test_file_name_may_have_spaces(muster):
    muster.write("with space.txt", "spaced\n")
    done = muster.run_shell("cat 'with space.txt'", files=["with space.txt"])
    assert done.expect(0).lines(r"spaced$")


def test_each_task_has_a_folder_of_its_own(muster):
    command = "echo $MUSTER_INDEX > mine; sleep 0.2; cat mine; pwd"
    done = muster.run({"command": command, "tasks": 2}).expect(0)
    assert done.lines(r"^worker:0\W.*\b0$") and done.lines(r"^worker:1\W.*\b1$")
    assert len({line.split("/", 1)[1] for line in done.lines(r"^worker:\d\W.*/")}) == 2


def test_job_folder_holds_what_the_docs_say(muster):
    muster.run_shell("echo hi").expect(0)
    folder = muster.job_folder()
    names = {path.name for path in folder.iterdir()}
    assert {"spec.yaml", "plan.json", "events", "master.log", "logs", "summary.json"} <= names
    logs = {path.name for path in (folder / "logs").iterdir()}
    assert logs == {"worker-0.1.stdout", "worker-0.1.stderr", "worker-0.1.stdout.times"}
    json.loads((folder / "plan.json").read_text())
    json.loads((folder / "summary.json").read_text())


def test_job_folder_is_private(muster):
    muster.run_shell("true").expect(0)
    assert stat.S_IMODE(muster.job_folder().stat().st_mode) & 0o077 == 0


def test_environment_of_the_client_is_inherited(muster):
    done = muster.run_shell("echo value $SOMETHING", env={"SOMETHING": "inherited"}).expect(0)
    assert "value inherited" in done.text


def test_standard_input_is_empty(muster):
    assert muster.run_shell("cat; echo read all").expect(0).lines("read all$")


def test_a_hundred_tasks(muster):
    roles = {"worker": {"tasks": 100, "memory": "16m"}}
    done = muster.run({"command": "echo task $MUSTER_INDEX", "roles": roles}, within=120).expect(0)
    assert len(done.lines(r"^worker:\d+ \| task \d+$")) == 100


def test_several_jobs_at_once(muster):
    path = muster.spec({"command": "sleep 0.3; echo $MUSTER_JOB_ID", "tasks": 1})
    running = [muster.start("run", path) for _ in range(4)]
    for one in running:
        one.wait().expect(0)
    assert len(muster.jobs()) == 4


def test_a_program_that_will_miss_its_peers_is_warned_of(muster):
    (muster.folder / "train.py").write_text("import d\nd.init_process_group('gloo')\n")
    for command in ("plan", "run"):
        shown = muster(command, "-n", "2", "--", "python3", "train.py").err
        assert "train.py calls init_process_group(...), but the job has no framework" in shown
        assert "--framework pytorch" in shown
        shown = muster(command, "-n", "1", "--", "python3", "train.py").err
        assert "no framework" not in shown
