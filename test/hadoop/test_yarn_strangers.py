"""Attacks on jobs on YARN: from the network, through the cluster's proxy, by other users and by
tasks. The attacks are those of test/local/test_strangers.py.
"""
# bed: plain
# timeout: 600

import glob
import os
import pathlib
import re
import signal

import attacks
import pytest
import siege
import sleeper
from conftest import other_place
from waiting import until
from yarn_jobs import RUN_LIMIT, expect_final, job_folders

JOBS_AT_ONCE = 6  # As many as the bed has room for, with one more container for each.
# Beside the bed's daemons, on the same machine.
SIZE = max(300, siege.SIZE // 3)


def submit(yarn, command="echo up; exec sleep 1000", **more):
    spec = yarn.spec({"command": command,
                      "roles": {"worker": {"tasks": 2, "memory": "64m"}}, **more})
    return yarn("submit", spec, "--on", "yarn", "--json", within=RUN_LIMIT).expect(0).json()["job"]


def job_status(yarn, job):
    done = yarn("status", job, "--json")
    return done.json() if done.code == 0 else {}


def runs(yarn, job):
    return until(lambda: (status := job_status(yarn, job)).get("phase") == "running" and status,
                 RUN_LIMIT, lambda: f"{job} runs: {job_status(yarn, job)}")


def attempts_of(yarn, job):
    tasks = job_status(yarn, job).get("roles", {}).get("worker", {}).get("tasks", [])
    return sorted(task["attempts"] for task in tasks)


def pids_of(bed, application, verb):
    """The processes of one application's containers that are `muster VERB`."""
    number = application.removeprefix("application_").encode()

    def belongs(pid):
        try:
            return number in pathlib.Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False

    return sorted(pid for pid, command in sleeper.processes_of(bed.folder).items()
                  if f"muster {verb}" in command and belongs(pid))


def test_the_owner_and_the_agents_get_through_every_attack(yarn, bed):
    """The next jobs are started before their turn, because getting containers takes longest."""
    kinds, jobs = list(attacks.KINDS), {}
    for turn, kind in enumerate(kinds):
        for ahead in kinds[turn:turn + JOBS_AT_ONCE]:
            jobs[ahead] = jobs.get(ahead) or submit(yarn)
        job = jobs[kind]
        application = runs(yarn, job)["application_id"]
        (master,) = until(lambda it=application: pids_of(bed, it, "master --on"), 60, "its master")
        kept, lost = until(lambda it=application: (pids := pids_of(bed, it, "agent"))[1:] and pids,
                           60, "its agents")
        places = [(siege.place_of(master), {"count": SIZE}),
                  (siege.place_of(kept), {"count": SIZE // 4})]
        if kind == "forged":
            proxy = ("127.0.0.1", bed.port("rm1.http"))
            places.append((proxy, {"path": f"/proxy/{application}/api/status"}))

        def an_agent_comes(job=job, lost=lost):
            os.kill(lost, signal.SIGKILL)
            until(lambda: attempts_of(yarn, job) == [1, 2]
                  and job_status(yarn, job).get("phase") == "running", RUN_LIMIT,
                  lambda: f"a new agent gets in: {job_status(yarn, job)}")

        siege.hold_out(kind, places, [master, kept],
                       lambda job=job: yarn("stop", job, "--no-wait").expect(0), an_agent_comes)
    for kind, job in jobs.items():
        expect_final(yarn, bed, job, "KILLED")
        assert attempts_of(yarn, job) == [1, 2], kind


# What the page serves below /proxy/APPLICATION/, and what it must not.
TARGETS = ("", "api/status", "api/jobs", "api/session", "logs/worker/0", "secret", "events/1.log",
           "..%2fsecret", "%2e%2e/container_tokens", "//etc/passwd", "plan.json")


@pytest.fixture
def besieged(yarn):
    """A job with a secret from its user."""
    yarn.environment["TOKEN_OF_ALICE"] = "hunter2-correct-horse-battery"
    job = submit(yarn, env={"TOKEN": {"from_env": "TOKEN_OF_ALICE"}})
    return runs(yarn, job)


def keys_of(yarn, status):
    """All of a job's keys, and the secret that its user has put in."""
    secret = bytes.fromhex((yarn.home / "jobs" / status["job"] / "secret").read_text())
    shown = yarn("show", status["job"]).expect(0).out
    containers = set(re.findall(r"\bcontainer_\w+", shown))
    assert len(containers) >= 2, shown
    return [*siege.keys_of(secret, containers).values(), b"hunter2-correct-horse-battery"]


def test_no_request_gets_more_than_the_page(yarn, bed, besieged):
    """Neither through the proxy nor past it, whatever it claims to be: all can look, as everybody
    may if the cluster identifies nobody, and no request changes anything."""
    application = besieged["application_id"]
    keys = keys_of(yarn, besieged)
    proxied = f"/proxy/{application}/"
    (master,) = pids_of(bed, application, "master --on")
    agents = pids_of(bed, application, "agent")
    assert len(agents) == 2
    doors = [(("127.0.0.1", bed.port("rm1.http")), proxied, "GET"),
             (siege.place_of(master), "/", "GET POST PUT DELETE PATCH OPTIONS"),
             *((siege.place_of(agent), "/", "GET POST") for agent in agents)]
    shown = 0
    for place, base, methods in doors:
        for target in TARGETS:
            for method in methods.split():
                code, text = siege.ask(place, method, base + target, attacks.CLAIMS)
                assert not any(form in text for key in keys for form in (key, key.hex().encode())
                               ), (place, method, target)
                assert method == "GET" or code >= 400, (place, method, target, code)
                assert place not in map(siege.place_of, agents) or code == 401, (target, code)
                shown += code == 200 and besieged["job"].encode() in text
    assert shown > 0, "the page is not seen at all"
    assert runs(yarn, besieged["job"])["phase"] == "running"
    assert attempts_of(yarn, besieged["job"]) == [1, 1]


def test_nobody_finds_a_key(yarn, bed, besieged):
    """Neither another user of the host nor a task, in files, environments and processes."""
    keys = keys_of(yarn, besieged)
    for folder in bed.folder.glob("nm*/local"):
        # As on a cluster, where others can get only as far as the folders of their containers.
        for one in [folder, *list(folder.parents)[:2]]:
            one.chmod(one.stat().st_mode | 0o055)
    folders = [bed.folder / "logs", *bed.folder.glob("nm*/local"), *bed.folder.glob("nm*/userlogs")]
    pids = pids_of(bed, besieged["application_id"], "")
    assert siege.seek(siege.AS_ANOTHER_USER, keys, pids, *folders, "/dev/shm") == []
    containers = bed.folder.glob("nm*/local/usercache/alice/appcache/"
                                 f"{besieged['application_id']}/container_*")
    # A task has what its user gave to it.
    assert siege.seek(siege.AS_THE_SAME_USER, keys[:-1], pids, *containers, bed.folder / "logs",
                      *bed.folder.glob("nm*/userlogs")) == []


@pytest.fixture
def bob(tmp_path, bed):
    """The program as another user of the cluster."""
    with other_place(tmp_path / "bob", bed, "bob") as program:
        yield program


def test_another_user_of_the_cluster_gets_nothing(yarn, bob, bed, besieged):
    job, application = besieged["job"], besieged["application_id"]
    for words in (("stop", application), ("logs", application), ("exec", application, "--", "id")):
        done = bob(*words, "--on", "yarn") if words[0] == "stop" else bob(*words)
        assert done.code not in (0, 70), done.text
        assert "Traceback" not in done.text and "hunter2" not in done.text
    (folder,) = (one for one in job_folders(bed) if one.endswith(job))
    done = bed.java("fs", "-cat", f"{folder}/secret", env={"HADOOP_USER_NAME": "bob"})
    assert done.code != 0 and "Permission denied" in done.err, done
    assert runs(yarn, job)["phase"] == "running"
    assert attempts_of(yarn, job) == [1, 1]


def holds_something(path):
    """Files that are rotated can be renamed or removed between being listed and being read."""
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def test_a_hostile_task_stops_nobody(yarn, bed):
    """It prints endlessly, and leaves daemons in sessions of their own."""
    yarn.write("hostile.py", siege.HOSTILE)
    job = submit(yarn, "python3 hostile.py", files=["hostile.py"], logs={"max": "1m", "keep": 2})
    application = runs(yarn, job)["application_id"]
    flood = f"nm*/**/{application}/**/*stdout*"
    # The glob of pathlib fails where a folder vanishes meanwhile.
    until(lambda: len([path for path in glob.glob(str(bed.folder / flood), recursive=True)
                       if holds_something(pathlib.Path(path))]) >= 4,
          RUN_LIMIT, "its output is turned over")
    pids = pids_of(bed, application, "master --on") + pids_of(bed, application, "agent")
    siege.hold_out("hostile", [], pids, lambda: yarn("stop", job, "--no-wait").expect(0))
    expect_final(yarn, bed, job, "KILLED")
    until(lambda: not pids_of(bed, application, ""), 60, "nothing is left")
