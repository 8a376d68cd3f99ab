"""What tests of jobs on YARN look at."""

import json
import pathlib
import re
import subprocess

import harness
import sleeper
from waiting import until

RUN_LIMIT = 180

# With pyarrow, in a task whose ARROW_LIBHDFS_DIR names the folder of libhdfs.so: prints one of
# alice's files, and writes another.
READS_BY_LIBHDFS = """
import os
from pyarrow import fs
hdfs = fs.HadoopFileSystem("default")
with hdfs.open_input_stream("/user/alice/words") as words:
    read = words.read()
print("read", read.decode().strip(), flush=True)
with hdfs.open_output_stream("/user/alice/answer-of-" + os.environ["JOB_ID"]) as answer:
    answer.write(read.upper())
"""


def application_of(yarn, bed, job):
    folder = yarn.home / "jobs" / job
    name = json.loads((folder / "application.json").read_text())["application_id"]
    return bed.get(f"{bed.the_active('rm')}.http", f"/ws/v1/cluster/apps/{name}")["app"]


def expect_final(yarn, bed, job, status):
    """The cluster hears of a job's end a moment after the job's own client."""
    until(lambda: application_of(yarn, bed, job)["finalStatus"] == status, 60,
          lambda: f"final status {status} of {application_of(yarn, bed, job)}")


def job_of(finished):
    return finished.lines(r"^job: ")[0].rsplit("/", 1)[1]


def status_of(yarn):
    """The last job's status, or None while it cannot be asked."""
    done = yarn("status", "last", "--json")
    return done.json() if done.code == 0 else {}


def tasks_of(yarn):
    return status_of(yarn).get("roles", {}).get("worker", {}).get("tasks", [])


def attempts_of(yarn):
    return sorted(task["attempts"] for task in tasks_of(yarn))


def states_of(yarn):
    return sorted(task["state"] for task in tasks_of(yarn))


def running_job(yarn, /, tasks=2, memory="128m", **top):
    """Submits a job whose tasks sleep, and waits until all are asleep; returns its status."""
    spec = yarn.spec({"command": "echo up; exec sleep 1000",
                      "roles": {"worker": {"tasks": tasks, "memory": memory}}, **top})
    yarn("submit", spec, "--on", "yarn", within=RUN_LIMIT).expect(0)
    folder = pathlib.Path(yarn.environment["HADOOP_CONF_DIR"]).parent

    def up():
        status = status_of(yarn)
        # Just before that, in the middle of its shell's exec, a process has no command line.
        asleep = sum(command.startswith("sleep 1000")
                     for command in sleeper.processes_of(folder).values())
        return status.get("phase") == "running" and asleep >= tasks and status

    return until(up, RUN_LIMIT, "the job runs")


def processes_in(bed, words):
    """Pids of the processes of this bed's containers whose command line has these words."""
    found = sleeper.processes_of(bed.folder)
    return [pid for pid, command in found.items() if words in command]


def job_folders(bed, root="/user/alice/.muster"):
    """The folders of jobs in HDFS."""
    return set(bed.shell("fs", "-ls", "-d", "-C", f"{root}/jobs/*/*/*/*").out.split())


def expect_all_over(yarn, bed, job=None):
    """Nothing of a job that has ended still runs, and nothing of it can be reached any longer."""
    job = job or yarn.job()
    until(lambda: application_of(yarn, bed, job)["state"] in ("FINISHED", "FAILED", "KILLED"), 60,
          lambda: f"the cluster knows the end: {application_of(yarn, bed, job)}")
    until(lambda: not processes_in(bed, "./muster "), 60,
          lambda: f"no program is left: {sleeper.processes_of(bed.folder)}")
    assert not (yarn.home / "jobs" / job / "master.lock").exists()


def wait_until_kept(yarn, bed, containers):
    """Waits until the resource manager knows that this many containers of the job are running,
    including the master's: only those outlive a master, and it learns of them from their
    NodeManagers' heartbeats, after the tasks have started."""
    number = application_of(yarn, bed, yarn.job())["id"].removeprefix("application_")
    until(lambda: len(set(re.findall(rf"container_(?:e\d+_)?{number}_01_(\d+) Container "
                                     "Transitioned from ACQUIRED to RUNNING",
                                     bed.log("rm1")))) >= containers,
          60, lambda: f"the resource manager knows {containers} running containers of {number}")


def pyarrow():
    """The folder of programs in the environment that has pyarrow and little else."""
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "spark_newest"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip()) / "bin"
