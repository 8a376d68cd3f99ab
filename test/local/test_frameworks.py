"""Frameworks as their programs see them, by programs that need no package: what Horovod's ranks ask
their rendezvous, what a framework defined by a file gives its tasks, what starts MPI's daemons."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import harness
import pytest
import siege

# What horovod/common/gloo does with its store: one connection for each request, 404 means "later".
RANK = r"""
import http.client, json, os, sys, time

where = (os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"],
         int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"]))
rank, size = int(os.environ["HOROVOD_RANK"]), int(os.environ["HOROVOD_SIZE"])

def ask(method, path, body=None):
    connection = http.client.HTTPConnection(*where, timeout=60)
    connection.request(method, path, body)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text

def wait(path):
    while True:
        status, text = ask("GET", path)
        if status == 200:
            return text
        assert status == 404, status
        time.sleep(0.02)

print("ENV" + json.dumps({k: v for k, v in os.environ.items() if k.startswith("HOROVOD_")}))
generation = os.environ["MUSTER_GENERATION"]
if rank == 0:
    print("before", generation, ask("GET", "/global/left-over")[0], flush=True)
assert ask("PUT", f"/global/{rank}", f"address of {rank}")[0] == 200
others = [wait(f"/global/{other}").decode() for other in range(size)]
print("all", others, flush=True)
if len(sys.argv) > 1 and generation == "1":
    if rank == 0:
        ask("PUT", "/global/left-over", "x")
    wait("/global/left-over")
    ask("PUT", f"/seen/{rank}", "x")
    [wait(f"/seen/{other}") for other in range(size)]
    if rank == size - 1:
        sys.exit(9)
    time.sleep(600)
ask("PUT", f"/done/{rank}", "x")
[wait(f"/done/{other}") for other in range(size)] if rank == 0 else None
"""


def variables(text):
    return [json.loads(line[line.index("ENV{") + 3:])
            for line in text.splitlines() if "ENV{" in line]


def test_horovods_ranks_find_each_other(muster):
    muster.write("rank.py", RANK)
    done = muster.run({"framework": "horovod", "command": "exec python3 rank.py",
                       "files": ["rank.py"], "tasks": 3}).expect(0)
    for index in range(3):
        assert ("all ['address of 0', 'address of 1', 'address of 2']"
                in muster.log_text(f"worker:{index}"))
    found = sorted(variables(done.text), key=lambda one: int(one["HOROVOD_RANK"]))
    for rank, one in enumerate(found):
        # As horovodrun sets them, and TonY.
        assert set(one) == {
            "HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE",
            "HOROVOD_CROSS_RANK", "HOROVOD_CROSS_SIZE", "HOROVOD_HOSTNAME", "HOROVOD_CONTROLLER",
            "HOROVOD_CPU_OPERATIONS", "HOROVOD_GLOO_RENDEZVOUS_ADDR",
            "HOROVOD_GLOO_RENDEZVOUS_PORT", "HOROVOD_GLOO_IFACE", "HOROVOD_GLOO_TIMEOUT_SECONDS"}
        assert (one["HOROVOD_SIZE"], one["HOROVOD_GLOO_IFACE"]) == ("3", "lo")
        assert (one["HOROVOD_CONTROLLER"], one["HOROVOD_CPU_OPERATIONS"]) == ("gloo", "gloo")
        assert (one["HOROVOD_LOCAL_RANK"], one["HOROVOD_LOCAL_SIZE"]) == ("0", "1")
        assert (one["HOROVOD_CROSS_RANK"], one["HOROVOD_CROSS_SIZE"]) == (str(rank), "3")


def test_ranks_of_one_container_are_local_to_each_other(muster):
    muster.write("rank.py", RANK)
    done = muster.run({"framework": "horovod", "command": "exec python3 rank.py",
                       "files": ["rank.py"],
                       "roles": {"worker": {"tasks": 4, "tasks_per_container": 2}}}).expect(0)
    places = {one["HOROVOD_RANK"]: (one["HOROVOD_LOCAL_RANK"], one["HOROVOD_LOCAL_SIZE"],
                                    one["HOROVOD_CROSS_RANK"], one["HOROVOD_CROSS_SIZE"])
              for one in variables(done.text)}
    assert places == {"0": ("0", "2", "0", "2"), "1": ("1", "2", "0", "2"),
                      "2": ("0", "2", "1", "2"), "3": ("1", "2", "1", "2")}


def test_a_restarted_gang_begins_with_an_empty_store(muster):
    muster.write("rank.py", RANK)
    done = muster.run({"framework": "horovod", "command": "exec python3 rank.py fail-once",
                       "files": ["rank.py"], "tasks": 2,
                       "restart": {"backoff": "10ms..10ms"}}).expect(0)
    assert done.lines("before 1 404") and done.lines("before 2 404")


def test_a_framework_is_a_file_of_the_users(muster):
    """Its roles, templates over the view, the position among the ranks, and the name people see."""
    muster("version").expect(0)
    (muster.home / "frameworks").mkdir(parents=True, mode=0o700)
    muster.home.chmod(0o700)
    muster.write("home/frameworks/fabric.yaml", """
runtime: {module: fabric}
variables:
  FABRIC_HUB: "tcp://{hub.0.address}"
  FABRIC_PORT: "{hub.0.ports.control}"
  FABRIC_PLACE: "{rank} of {world_size}, {role} {index}"
  FABRIC_ALL: "{worker.addresses}"
  FABRIC_JSON: '{{"job": "{job}"}}'
  SHADOWED: "{rank}"
roles:
  hub:
    tasks: 1
    ports: [control]
    success: ignored
    command: echo "hub $FABRIC_HUB $FABRIC_PORT ${FABRIC_PLACE-no place}"; exec sleep 600
    variables: {FABRIC_HUB: "my own"}
""")
    # The job ends with the workers, whether the hub has spoken or not.
    command = ("until grep -qs '^hub' $MUSTER_HOME/jobs/*/logs/hub-0.1.stdout; do sleep 0.02; "
               'done; echo "$FABRIC_PLACE; $FABRIC_HUB; $FABRIC_ALL; $FABRIC_JSON; $SHADOWED"')
    spec = {"framework": "fabric", "command": command, "tasks": 2, "env": {"SHADOWED": "mine"}}
    done = muster.run(spec).expect(0)
    view_lines = done.lines(r"1 of 2, worker 1; tcp://127\.0\.0\.1:\d+; "
                            r"127\.0\.0\.1:\d+,127\.0\.0\.1:\d+; {\"job\": \"job-\w+\"}; mine")
    assert len(view_lines) == 1, done.text
    assert muster.log_text("hub:0").startswith("hub my own ")
    plan = muster("plan", muster.folder / "job.yaml", "--yaml").expect(0)
    assert "name: fabric" in plan.out


def test_a_wrong_framework_file_is_one_line_with_its_place(muster):
    muster("version").expect(0)
    (muster.home / "frameworks").mkdir(parents=True, mode=0o700)
    muster.home.chmod(0o700)
    path = muster.write("home/frameworks/fabric.yaml", "variables: {HUB: '{hub.0.adress}'}\n")
    done = muster.run({"framework": "fabric", "command": "true", "tasks": 1})
    done.expect_error(2, f"{path}:1:", "did you mean `address`?")
    assert len(done.err.splitlines()) == 1
    done = muster.run({"framework": "fabrik", "command": "true", "tasks": 1})
    done.expect_error(2, "did you mean `fabric`?")


def test_a_program_of_the_framework_prints_variables(muster):
    muster.write("place.py", """
import json, os, sys
view = json.load(sys.stdin)
print("# for people", file=sys.stderr)
print("PLACE=" + os.environ["MUSTER_ROLE"] + " among " + str(len(view["worker"])))
""")
    done = muster.run({"runtime": {"name": "fabric", "program": "python3 place.py"},
                       "command": "echo got $PLACE", "files": ["place.py"], "tasks": 2}).expect(0)
    assert len(done.lines("got worker among 2")) >= 1


@pytest.mark.parametrize(("program", "words"), [
    ("exit 3", "ended with status 3"),
    ("echo hello", "line 1 of its output is not NAME=VALUE: `hello`"),
])
def test_a_program_that_fails_has_a_class_of_its_own(muster, program, words):
    done = muster.run({"runtime": {"program": program}, "command": "true", "tasks": 1}).expect(1)
    outcome = muster.status()["outcome"]
    assert outcome["class"] == "user.framework_program", outcome
    assert f"the framework's program `{program}`" in done.text and words in done.text


def test_a_framework_that_python_lacks_has_a_class_of_its_own(muster):
    done = muster.run({"framework": "xgboost", "tasks": 1,
                       "command": "exec python3 -c 'import xgboost'",
                       "python": {"interpreter": "/usr/bin/python3"}},
                      "--set", "roles.tracker.command=exec sleep 600").expect(1)
    outcome = muster.status()["outcome"]
    assert outcome["class"] == "user.framework", outcome
    assert done.lines("has no xgboost"), done.text


def test_what_prepares_runs_first_and_must_succeed(muster):
    spec = {"command": "cat made; exit 0", "roles": {
        "worker": {"tasks": 1, "prepare": "echo by $MUSTER_ROLE > made # with a comment"}}}
    assert muster.run(spec).expect(0).lines("by worker")
    spec["roles"]["worker"]["prepare"] = "exit 5"
    spec["restart"] = {"process": 0}
    muster.run(spec, "--exit-code-from", "worker").expect(5)


def mpi(command, **more):
    return {"framework": "mpi", "command": command,
            "roles": {"launcher": {"tasks": 1}, "worker": {"tasks": 2}}, **more}


def test_mpi_starts_its_daemons_in_other_tasks(muster):
    """What mpirun does with the agent that it is given in place of ssh."""
    command = ("cat mpi-hosts; $OMPI_MCA_plm_rsh_agent worker-1 "
               "'echo hello from $MUSTER_ROLE-$MUSTER_INDEX; pwd; exit 7'; echo it ended with $?")
    done = muster.run(mpi(command)).expect(0)
    assert done.lines("worker-0 slots=1") and done.lines("worker-1 slots=1")
    assert done.lines("it ended with 7")
    log = muster.log_text("worker:1")
    assert "hello from worker-1" in log and "/worker-1.1" in log


def test_what_mpi_started_ends_with_its_connection(muster):
    muster.write("start.py", """
import os, subprocess, sys, time
agent = os.environ["OMPI_MCA_plm_rsh_agent"].split()
child = subprocess.Popen([*agent, "worker-0", "trap 'echo was told to end; exit 1' TERM; "
                          "touch started; while :; do sleep 0.05; done"])
view = sys.argv[1]
while not os.path.exists(view):
    time.sleep(0.02)
child.kill()
while "was told" not in open(sys.argv[2]).read():
    time.sleep(0.02)
""")
    work = "$PWD/../worker-0.1/started"
    log = "$PWD/../../logs/worker-0.1.stdout"
    muster.run(mpi(f"exec python3 start.py {work} {log}", files=["start.py"])).expect(0)


def test_only_tasks_of_the_job_start_programs(muster):
    command = ("MUSTER_TASK_KEY=wrong $OMPI_MCA_plm_rsh_agent worker-0 'touch intruder'; "
               "echo status $?; $OMPI_MCA_plm_rsh_agent worker-7 true; echo status $?")
    done = muster.run(mpi(command)).expect(0)
    assert len(done.lines("status 255")) == 2
    assert "does not know the job's key" in muster.log_text("worker:0", stream="stderr")
    assert done.lines("worker-7 is not in the job's view")
    assert not list(muster.home.rglob("intruder"))


def test_who_proves_nothing_keeps_no_command_from_starting(muster):
    """Many connections from the job's hosts that send nothing, or never send the last byte."""
    address = ("127.0.0.1", harness.free_range())
    view = muster.write("view.json", json.dumps({"worker": [f"127.0.0.1:{address[1]}"]}))
    known = {"MUSTER_TASK_KEY": "k" * 64, "MUSTER_VIEW_FILE": str(view)}
    node = muster.start("start-node", f"127.0.0.1:{address[1]}", env=known)
    assert muster("start-on", "worker-0", "exit 7", env=known).code == 7
    idle = [socket.create_connection(address, timeout=harness.PATIENCE) for _ in range(150)]
    for peer in idle[::2]:
        peer.sendall(b"1000000\n")
    assert muster("start-on", "worker-0", "exit 7", env=known).code == 7
    for peer in idle:
        peer.close()
    node.signal(signal.SIGTERM)
    node.wait()


def test_the_key_of_the_tasks_is_in_no_file_and_no_other_job(muster):
    show = "python3 -c 'import os; print(os.environ.get(\"MUSTER_TASK_KEY\", \"none\")[:8])'"
    muster.run({"runtime": {"key": True}, "command": show, "tasks": 2}).expect(0)
    keys = {muster.log_text(f"worker:{index}").strip() for index in range(2)}
    assert len(keys) == 1 and re.fullmatch("[0-9a-f]{8}", *keys)
    full = ("python3 -c 'import os; open(\"key\", \"w\").write(os.environ[\"MUSTER_TASK_KEY\"]); "
            "1 / 0'")
    muster.run({"runtime": {"key": True}, "command": full, "tasks": 1}).expect(1)
    (written,) = muster.home.rglob("work/*/key")
    key = written.read_text()
    assert len(key) == 64 and muster.files_with(key) == [written]
    assert muster.run({"command": show, "tasks": 1}).expect(0).lines("none")
    assert os.environ.get("MUSTER_TASK_KEY") is None


# The variables that each library's launch code reads; DeepSpeed asks MPI if one is missing.
ABOVE_TORCH = """
import os
names = {
    "lightning": "TORCHELASTIC_RUN_ID MASTER_ADDR MASTER_PORT WORLD_SIZE RANK LOCAL_RANK "
                 "GROUP_RANK",
    "accelerate": "RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT",
    "deepspeed": "RANK WORLD_SIZE LOCAL_RANK MASTER_ADDR MASTER_PORT",
    "transformers": "RANK WORLD_SIZE LOCAL_RANK",
}
for library, wanted in names.items():
    missing = [name for name in wanted.split() if not os.environ.get(name)]
    assert not missing, (library, missing)
numbers = [int(os.environ[name]) for name in ("RANK", "LOCAL_RANK", "GROUP_RANK", "WORLD_SIZE")]
print("numbers", numbers, flush=True)
"""


def test_libraries_above_pytorch_find_what_they_read(muster):
    muster.write("read.py", ABOVE_TORCH)
    done = muster.run({"framework": "pytorch", "command": "exec python3 read.py",
                       "files": ["read.py"],
                       "roles": {"worker": {"tasks": 4, "tasks_per_container": 2}}}).expect(0)
    found = sorted(line[line.index("numbers"):] for line in done.lines("numbers"))
    assert found == ["numbers [0, 0, 0, 4]", "numbers [1, 1, 0, 4]", "numbers [2, 0, 1, 4]",
                     "numbers [3, 1, 1, 4]"]


# What horovod/common/gloo asks when a collective has failed: its place in the next round.
ELASTIC_RANK = r"""
import http.client, os, signal
env = os.environ
place = env["HOROVOD_RANK"], env["HOROVOD_SIZE"]
print("begins with", *place, flush=True)

def ask():
    connection = http.client.HTTPConnection(env["HOROVOD_GLOO_RENDEZVOUS_ADDR"],
                                            int(env["HOROVOD_GLOO_RENDEZVOUS_PORT"]), timeout=300)
    connection.request("GET", f"/rank_and_size/{env['HOROVOD_HOSTNAME']}:0")
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    return answer.read().decode().split(",")[:2]

if env["MUSTER_ATTEMPT"] == "1":
    while place[1] != "3":  # One of them was late.
        place = ask()
    print("all are in:", *place, flush=True)
    if env["MUSTER_INDEX"] == "0":
        os.kill(os.getpid(), signal.SIGKILL)
    place = ask()
    print("goes on with", *place, flush=True)
    while place[1] != "3":
        place = ask()
print("ends with", *place, flush=True)
"""


def test_horovods_elastic_ranks_get_their_places_anew(muster):
    muster.write("rank.py", ELASTIC_RANK)
    done = muster.run({"framework": "horovod-elastic", "command": "exec python3 rank.py",
                       "files": ["rank.py"], "restart": {"backoff": "10ms..10ms"},
                       "roles": {"worker": {"min": 2, "max": 3, "membership": "elastic"}}}
                      ).expect(0)
    rounds = [line.split(": ", 2)[2].split(", ") for line in done.lines(r"round \d+: 3 ranks: ")]
    first, last = rounds[0], rounds[-1]
    assert sorted(first) == ["worker:0", "worker:1", "worker:2"], done.text
    for rank, worker in enumerate(first):
        assert done.lines(rf"{worker} \| all are in: {rank} 3"), done.text
    # Those that were running keep their order; the newcomer comes last, because rank 0 has the
    # state.
    assert last == [*(worker for worker in first if worker != "worker:0"), "worker:0"], done.text
    assert done.lines(r"worker:0 \| begins with 2 3"), done.text
    for rank, worker in enumerate(last):
        assert done.lines(rf"{worker} \| ends with {rank} 3"), done.text


# Makes the kernel deny pidfd_open, as before Linux 5.3, for a program and everything it starts.
BEFORE_PIDFD = f"""#!/usr/bin/python3
import ctypes, os, struct, sys
PIDFD_OPEN = 434
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, PIDFD_OPEN), (0x06, 0, 0, 0x00050000 | 38),
         (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0
assert libc.syscall(PIDFD_OPEN, os.getpid(), 0) == -1
os.execv("{harness.BINARY}", sys.argv)
"""


def test_horovods_elastic_ranks_are_known_to_live_before_linux_5_3(muster):
    old = muster.write("old", BEFORE_PIDFD, mode=0o755)
    muster.write("rank.py", ELASTIC_RANK)
    spec = muster.spec({"framework": "horovod-elastic", "command": "exec python3 rank.py",
                        "files": ["rank.py"], "restart": {"backoff": "10ms..10ms"},
                        "roles": {"worker": {"min": 2, "max": 3, "membership": "elastic"}}})
    done = muster.start("run", spec, program=old).wait().expect(0)
    assert len(done.lines(r"ends with \d 3")) == 3, done.text


def test_what_mpi_starts_ends_before_linux_5_3(muster):
    old = muster.write("old", BEFORE_PIDFD, mode=0o755)
    command = "$OMPI_MCA_plm_rsh_agent worker-0 'exit 7'; echo it ended with $?"
    done = muster.start("run", muster.spec(mpi(command)), program=old).wait().expect(0)
    assert done.lines("it ended with 7")


@pytest.fixture
def for_all():
    """A folder that every user may write to, as /tmp is."""
    folder = pathlib.Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


def test_a_folder_of_rays_that_another_user_took_stops_nobody(for_all):
    """Its name reveals the job: whoever sees the job's processes could keep its tasks from
    starting."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    file = pathlib.Path(__file__).parents[2] / "src/spec/frameworks/ray.yaml"
    scripts = re.findall(r"(?:prepare|command): ([|>])-?\n((?: {6,}.*\n)+)", file.read_text())
    assert len(scripts) == 3
    taken = for_all / "ray-job-worker-0"
    taken.mkdir()
    for name, text in (("python3", f'echo "$@" >> {for_all}/said'), ("sleep", "kill $PPID")):
        (for_all / name).write_text(f"#!/bin/sh\n{text}\n")
        (for_all / name).chmod(0o755)
    for kind, script in scripts:
        words = script if kind == "|" else " ".join(script.split())
        subprocess.run(
            [*siege.AS_ANOTHER_USER, "sh", "-c", words],
            env={"PATH": f"{for_all}:/usr/bin:/bin", "RAY_FOLDER": str(taken)}, cwd=for_all,
            timeout=harness.PATIENCE, check=False)
    said = (for_all / "said").read_text().splitlines()
    assert len(said) == 3, said
    for line in said:
        folder = re.search(r"--raylet-socket-name (\S+)/s/raylet", line)[1]
        assert folder.startswith(f"{taken}."), line
        assert os.stat(folder).st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("framework", "leader", "helpers", "everywhere", "in_workers"), [
    ("dask", "driver", ["scheduler"], {"DASK_SCHEDULER_ADDRESS"}, {"DASK_HOST"}),
    ("ray", "driver", ["head"], {"RAY_ADDRESS", "RAY_NODE_IP_ADDRESS", "RAY_FOLDER",
                                 "RAY_USAGE_STATS_ENABLED", "RAY_raylet_start_wait_time_s"}, set()),
    ("mpi", "launcher", [], {"MPI_HOST", "MPI_WORKERS", "MPI_SLOTS"}, set()),
    ("horovod-elastic", None, [], {
        "HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE",
        "HOROVOD_CROSS_RANK", "HOROVOD_CROSS_SIZE", "HOROVOD_HOSTNAME", "HOROVOD_CONTROLLER",
        "HOROVOD_CPU_OPERATIONS", "HOROVOD_GLOO_RENDEZVOUS_ADDR", "HOROVOD_GLOO_RENDEZVOUS_PORT",
        "HOROVOD_GLOO_IFACE", "HOROVOD_ELASTIC", "HOROVOD_ELASTIC_JOIN"}, set()),
    ("xgboost", None, ["tracker"], {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_NUM_WORKER",
                                    "DMLC_TASK_ID"}, set()),
])
def test_the_variables_of_musters_own_files(muster, framework, leader, helpers, everywhere,
                                            in_workers):
    show = "env > env.tmp; mv env.tmp env.txt"
    wait = "until [ -e ../worker-0.1/env.txt ]; do sleep 0.02; done"
    sets = [f"roles.{role}.command=exec sleep 600" for role in helpers]
    if leader:
        sets += [f"roles.worker.command={show}; exec sleep 600", f"roles.{leader}.prepare=true"]
    muster.run({"framework": framework, "command": f"{show}; {wait}", "tasks": 1},
               *(word for one in sets for word in ("--set", one))).expect(0)

    def names(task):
        (path,) = muster.home.rglob(f"{task}.1/env.txt")
        return {line.split("=")[0] for line in path.read_text().splitlines()}

    assert everywhere | in_workers <= names("worker-0")
    if leader:
        assert everywhere <= names(f"{leader}-0")
