"""What a task finds in its environment: Muster's own names, and what each framework reads."""

import json
import os
import re
import socket

import harness
import pytest

# Each waits until all tasks in its view have printed, because the end of a chief ends tasks nobody
# waits for.
SHOW = """
import json, os, pathlib, threading

print("ENV" + json.dumps(dict(os.environ)), flush=True)
shown = pathlib.Path(os.environ["SHOWN"])
(shown / f"{os.environ['MUSTER_ROLE']}:{os.environ['MUSTER_INDEX']}").touch()
view = json.loads(os.environ["MUSTER_VIEW"])
expected = {f"{role}:{index}" for role in view for index in range(len(view[role]))}
pause = threading.Event()
while not expected <= set(os.listdir(shown)):
    pause.wait(0.02)
"""


def environments(muster, spec):
    """Runs the spec with a program that prints its environment; returns task → environment."""
    shown = muster.folder / "shown"
    shown.mkdir()
    muster.write("show.py", SHOW)
    spec = {"command": "exec python3 show.py", "files": ["show.py"], **spec}
    muster.run(spec, env={"SHOWN": str(shown)}).expect(0)
    found = {}
    for path in (muster.job_folder() / "logs").glob("*.stdout"):
        for line in path.read_text().splitlines():
            if line.startswith("ENV"):
                values = json.loads(line[3:])
                found[f"{values['MUSTER_ROLE']}:{values['MUSTER_INDEX']}"] = values
    return found


def test_names_that_are_always_there(muster):
    tasks = environments(muster, {"tasks": 2})
    one = tasks["worker:1"]
    assert one["MUSTER_JOB_ID"] == muster.job()
    assert (one["MUSTER_ROLE"], one["MUSTER_INDEX"]) == ("worker", "1")
    assert (one["MUSTER_ATTEMPT"], one["MUSTER_GENERATION"], one["MUSTER_RESTARTS"]) == (
        "1", "1", "0")
    assert os.path.isabs(one["MUSTER_CHECKPOINT_DIR"])
    view = json.loads(one["MUSTER_VIEW"])
    assert list(view) == ["worker"] and len(view["worker"]) == 2
    assert view["worker"][1].split(":") == ["127.0.0.1", one["MUSTER_PORT"]]
    assert len(set(view["worker"])) == 2


def test_network_holds_for_master_agents_and_tasks(muster, gate):
    low = harness.free_range(20)
    running = muster.start("run", muster.spec({
        "command": f"echo at $MUSTER_VIEW and $MUSTER_PORT; {gate.wait}", "tasks": 2,
        "network": {"interface": "127.0.0.2", "port_range": f"{low}-{low + 19}"}}))
    muster.wait_for_phase("running")
    listening = [connection for pid in muster.pids("master") + muster.pids("agent")
                 for connection in harness.listening(pid)]
    gate.open()
    view = json.loads(re.search(r"at (\{.*\}) and", running.wait().expect(0).text).group(1))
    assert len(listening) == 3, listening
    told = [tuple(task.rsplit(":", 1)) for task in view["worker"]]
    for host, port in listening + [(host, int(port)) for host, port in told]:
        assert host == "127.0.0.2" and low <= port < low + 20, (listening, view)
    assert len({port for _, port in told}) == 2


def test_an_unknown_interface_is_refused_with_those_that_exist(muster):
    spec = muster.spec({"command": "true", "tasks": 1, "network": {"interface": "ib9"}})
    for command in ("plan", "run"):
        muster(command, spec).expect_error(
            2, "network.interface", "`ib9`", "it has", "(127.0.0.1)")


def test_ports_that_run_out_are_named(muster):
    low = harness.free_range(7)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", low + 2))
        # None ends, freeing its port for another, before all have asked for theirs.
        done = muster.run({"command": "exec sleep 60", "tasks": 2,
                           "restart": {"process": 0, "container": 0, "host": 0},
                           "network": {"port_range": f"{low}-{low + 6}"}})
    assert done.code != 0
    assert f"{low} to {low + 6}" in done.text, done.text


def test_a_range_with_fewer_ports_than_the_job_needs_is_refused(muster):
    two = {"command": "true", "tasks": 2, "network": {"port_range": "20000-20005"}}
    done = muster("plan", muster.spec(two))
    assert (done.code, "20000-20005 has 6 ports" in done.text, "need 7" in done.text) == (
        6, True, True), done.text
    two["network"]["port_range"] = "20000-20002"
    muster("run", muster.spec(two)).expect_error(2, "20000-20002 has 3 ports", "need 4")


def test_view_file_says_the_same_as_the_variable(muster):
    done = muster.run_shell('cat "$MUSTER_VIEW_FILE"; echo; echo "$MUSTER_VIEW"').expect(0)
    first, second = (re.search(r"\{.*\}", line).group() for line in done.lines(r"\{"))
    assert json.loads(first) == json.loads(second)


def test_all_tasks_have_one_view(muster):
    tasks = environments(muster, {"roles": {"chief": {}, "worker": {"tasks": 2}}})
    assert len({values["MUSTER_VIEW"] for values in tasks.values()}) == 1


def test_threads_default_to_vcores_and_the_user_wins(muster):
    one = environments(muster, {"roles": {"worker": {"vcores": 2}}})["worker:0"]
    assert one["OMP_NUM_THREADS"] == "2"


def test_env_of_the_spec_and_of_the_role(muster):
    tasks = environments(muster, {
        "env": {"A": "top", "B": "top", "OMP_NUM_THREADS": "7"},
        "roles": {"chief": {"env": {"B": "role"}}, "worker": {}}})
    assert (tasks["chief:0"]["A"], tasks["chief:0"]["B"]) == ("top", "role")
    assert tasks["worker:0"]["B"] == "top"
    assert tasks["worker:0"]["OMP_NUM_THREADS"] == "7"


def test_named_ports(muster):
    one = environments(muster, {"roles": {"worker": {"ports": ["http", "debug"]}}})["worker:0"]
    ports = {one["MUSTER_PORT"], one["MUSTER_PORT_HTTP"], one["MUSTER_PORT_DEBUG"]}
    assert len(ports) == 3 and all(1024 <= int(port) < 65536 for port in ports)


def test_names_of_tony(muster):
    tasks = environments(muster, {"framework": "tensorflow", "roles": {"chief": {}, "worker": {}}})
    chief, worker = tasks["chief:0"], tasks["worker:0"]
    assert (worker["JOB_NAME"], worker["TASK_INDEX"], worker["TASK_NUM"]) == ("worker", "0", "2")
    assert chief["IS_CHIEF"] == "true" and "IS_CHIEF" not in worker
    assert chief["JOB_ID"] == muster.job()
    assert json.loads(worker["CLUSTER_SPEC"]) == json.loads(worker["MUSTER_VIEW"])


def test_tf_config_of_a_parameter_server_job(muster):
    tasks = environments(muster, {
        "framework": "tensorflow",
        "roles": {"chief": {}, "worker": {"tasks": 2}, "ps": {}, "evaluator": {},
                  "tensorboard": {}}})
    config = json.loads(tasks["worker:1"]["TF_CONFIG"])
    assert config["task"] == {"type": "worker", "index": 1}
    assert set(config["cluster"]) == {"chief", "worker", "ps"}
    assert [len(config["cluster"][role]) for role in ("chief", "worker", "ps")] == [1, 2, 1]
    assert config["cluster"]["worker"][1].endswith(":" + tasks["worker:1"]["MUSTER_PORT"])
    assert "evaluator" in json.loads(tasks["evaluator:0"]["TF_CONFIG"])["cluster"]


def test_pytorch_has_what_torchrun_sets(muster):
    tasks = environments(muster, {"framework": "pytorch", "tasks": 3})
    zero = tasks["worker:0"]
    for rank in range(3):
        one = tasks[f"worker:{rank}"]
        assert (one["RANK"], one["WORLD_SIZE"]) == (str(rank), "3")
        assert (one["LOCAL_RANK"], one["LOCAL_WORLD_SIZE"], one["GROUP_RANK"]) == (
            "0", "1", str(rank))
        assert one["ROLE_RANK"] == str(rank)
        assert (one["MASTER_ADDR"], one["MASTER_PORT"]) == (
            zero["MASTER_ADDR"], zero["MASTER_PORT"])
        assert one["INIT_METHOD"] == f"tcp://{one['MASTER_ADDR']}:{one['MASTER_PORT']}"
        assert (one["WORLD"], one["TORCHELASTIC_RESTART_COUNT"]) == ("3", "0")


def test_local_ranks_count_within_a_container(muster):
    tasks = environments(muster, {
        "framework": "pytorch", "roles": {"worker": {"tasks": 4, "tasks_per_container": 2}}})
    ranks = [(one["RANK"], one["LOCAL_RANK"], one["LOCAL_WORLD_SIZE"], one["GROUP_RANK"])
             for _, one in sorted(tasks.items())]
    assert ranks == [("0", "0", "2", "0"), ("1", "1", "2", "0"),
                     ("2", "0", "2", "1"), ("3", "1", "2", "1")]


def test_ranks_are_global_with_the_chief_first(muster):
    tasks = environments(muster, {
        "framework": "pytorch", "roles": {"worker": {"tasks": 2}, "chief": {}}})
    assert tasks["chief:0"]["RANK"] == "0"
    assert [tasks[f"worker:{i}"]["RANK"] for i in range(2)] == ["1", "2"]


def test_jax_finds_its_coordinator(muster):
    tasks = environments(muster, {"framework": "jax", "tasks": 2})
    assert len({one["JAX_COORDINATOR_ADDRESS"] for one in tasks.values()}) == 1
    assert {one["JAX_PROCESS_ID"] for one in tasks.values()} == {"0", "1"}
    assert {one["JAX_NUM_PROCESSES"] for one in tasks.values()} == {"2"}
    for one in tasks.values():  # What its initialize() without arguments relies on.
        assert one["OMPI_MCA_orte_hnp_uri"].endswith(one["JAX_COORDINATOR_ADDRESS"])
        assert one["OMPI_COMM_WORLD_SIZE"] == "2"
        assert one["OMPI_COMM_WORLD_RANK"] == one["JAX_PROCESS_ID"]
        assert one["OMPI_COMM_WORLD_LOCAL_RANK"] in ("0", "1")


def test_no_gpu_is_seen_without_asking(muster):
    one = environments(muster, {"tasks": 1})["worker:0"]
    assert one["CUDA_VISIBLE_DEVICES"] in ("", "-1")


def test_an_interpreter_of_the_spec_is_first_on_path(muster):
    muster.write("venv/bin/python3", "#!/bin/sh\necho private interpreter\n", mode=0o755)
    done = muster.run_shell("python3 anything", python={"env": "venv"}).expect(0)
    assert "private interpreter" in done.text


def test_a_role_has_a_python_of_its_own(muster):
    muster.write("venv/bin/python3", "#!/bin/sh\necho private interpreter\n", mode=0o755)
    muster.run({"command": "python3 -c 'print(1)'", "roles": {
        "chief": {"tasks": 1, "python": {"env": "venv"}}, "worker": {"tasks": 1}}}).expect(0)
    assert muster.log_text("chief:0") == "private interpreter\n"
    assert muster.log_text("worker:0") == "1\n"


@pytest.mark.parametrize("flag", ["SO_REUSEADDR", "SO_REUSEPORT"])
def test_the_reserved_port_can_be_bound_and_nobody_else_has_it(muster, flag):
    muster.write("listen.py", f"""
import os, socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.{flag}, 1)
s.bind(("127.0.0.1", int(os.environ["MUSTER_PORT"])))
s.listen()
c = socket.create_connection(s.getsockname())
s.accept()
print("bound by", os.environ["MUSTER_INDEX"], flush=True)
""")
    done = muster.run({"command": "exec python3 listen.py", "files": ["listen.py"], "tasks": 2})
    assert len(done.expect(0).lines(r"bound by \d$")) == 2


def test_no_secret_of_the_job_reaches_a_task(muster):
    one = environments(muster, {"tasks": 1})["worker:0"]
    assert not [name for name in one if re.search("SECRET|KEY|PSK", name)
                and name.startswith("MUSTER")]


def test_a_role_has_its_own_command_files_and_restarts(muster):
    muster.write("a.txt", "of a\n")
    muster.write("b.txt", "of b\n")
    muster.run({"command": "cat a.txt", "files": ["a.txt"],
                "restart": {"process": 2, "container": 0, "host": 0, "backoff": "1ms..2ms"},
                "roles": {"one": {}, "two": {"command": "cat b.txt; exit 9", "files": ["b.txt"],
                                             "restart": {"process": 1}, "failure": "ignored"}}})
    assert muster.log_text("one:0") == "of a\n"
    assert muster.log_text("two:0") == "of b\n"
    roles = muster.status()["roles"]
    assert roles["two"]["tasks"][0]["attempts"] == 2
