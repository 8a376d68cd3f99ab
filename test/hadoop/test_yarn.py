"""YARN's protocols against the real daemons: client, application master, containers."""
# bed: plain
# hadoop: each
# timeout: 900

import pytest
from probing import Probe, until


@pytest.fixture
def probe(bed):
    probe = Probe(bed)
    yield probe
    probe.end()


@pytest.fixture
def master(probe):
    """A probe that is an unmanaged application's master."""
    yield probe.become_unmanaged()
    probe.kill_all()


def test_submits_reports_lists_and_kills(probe):
    submitted = probe("submit", commands=["sleep 1000"], name="digits", attempts=1)
    assert submitted["user"] == "alice"
    assert submitted["type"] == "MUSTER"
    assert submitted["tags"] == ["muster-probe"]
    assert submitted["largest"]["memory"] >= 1024
    listed = probe("list", tags=["muster-probe"])["applications"]
    assert submitted["id"] in [one["id"] for one in listed]
    probe("kill", why="enough")
    report = probe("report")
    assert report["state"] == "killed"
    assert "enough" in report["diagnostics"]


def test_a_master_that_exits_fails_its_application(probe):
    probe("submit", commands=["exit 3"], attempts=1)
    until(lambda: probe("report")["state"] == "failed", 60)
    report = probe("report")
    assert "exitCode: 3" in report["diagnostics"]


def test_refusals_come_in_the_clusters_words(probe):
    nowhere = probe.refused("submit", unmanaged=True, queue="nowhere")
    assert nowhere.code == "not_found", nowhere
    assert "nowhere" in str(nowhere)
    large = probe.refused("submit", commands=["true"], memory=10_000_000)
    assert large.code == "never_fits", large
    assert "10000000" in str(large)
    unknown = probe.refused("report", id="application_1_0001")
    assert unknown.code == "not_found", unknown
    assert "application_1_0001" in str(unknown)


def test_an_unmanaged_master_starts_asks_releases_and_finishes(master):
    assert master.registered["queue"] in ("default", "root.default")
    one, two = master.granted(allocation=7, count=2, memory=256)[:2]
    assert one["allocation"] == 7
    script = "echo $GREETING $CONTAINER_ID; exec sleep 1000"
    started = master("start", container=one["id"], commands=[script])
    assert started == {}
    assert master("status", container=one["id"])["state"] in ("new", "running")
    assert master("report")["containers"] >= 2
    # A container that is already running counts as started.
    assert master("start", container=one["id"], commands=[script]) == {}
    for container in (one, two):
        master("release", container=container["id"])
        assert master.ended(container["id"])["exit"] == -100
    master("finish", why="all done")
    # The end is told before the application's own record shows it.
    until(lambda: master("report")["state"] == "finished", 30)
    report = master("report")
    assert report["final"] == "succeeded"
    assert report["diagnostics"] == "all done"


def test_a_containers_own_exit_is_told(master):
    container = master.granted(allocation=1)[0]["id"]
    master("start", container=container, commands=["echo oops >&2; exit 7"])
    end = master.ended(container)
    assert end["exit"] == 7
    assert "exit code 7" in end["means"]


def test_counted_gpus_are_asked_for_and_granted(master):
    grant = master.granted(allocation=1, gpus=2)[0]
    assert grant["each"]["yarn.io/gpu"] == 2


def test_asks_that_never_fit_are_refused_with_the_numbers(master):
    master("ask", allocation=1, memory=10_000_000)
    large = master.refused("beat")
    assert large.code == "never_fits", large
    assert "10000000" in str(large)


def test_an_unknown_label_is_refused(master):
    master("ask", allocation=1, label="nothing")
    label = master.refused("beat")
    assert label.code == "never_fits", label
    assert "nothing" in str(label)


def test_what_is_withdrawn_is_not_granted(master):
    master("ask", allocation=1, gpus=4, count=50)
    master("beat")
    master("ask", allocation=1, count=0)
    master("beat")
    for _ in range(5):
        assert not master("beat")["granted"]


def test_a_managed_master_registers_with_its_containers_token(bed, probe, tmp_path):
    tokens = tmp_path / "tokens"
    probe("submit", attempts=1, commands=[
        f"cp $HADOOP_TOKEN_FILE_LOCATION {tokens}.new && mv {tokens}.new {tokens}; "
        "while true; do sleep 1; done"])
    until(tokens.exists, 60)
    probe("become", token_file=str(tokens), url="http://localhost:1/")
    until(lambda: probe("report")["state"] == "running", 30)
    assert probe("report")["tracking_url"] == "http://localhost:1/"
    container = probe.granted(allocation=1)[0]["id"]
    probe("start", container=container, commands=["exit 0"])
    assert probe.ended(container)["exit"] == 0
    probe("finish", why="done")
    until(lambda: probe("report")["state"] == "finished", 60)
    assert probe("report")["final"] == "succeeded"


def test_the_next_attempt_of_a_master_finds_its_containers(bed, probe, tmp_path):
    tokens = tmp_path / "tokens"
    probe("submit", attempts=2, keep=True, commands=[
        f"cp $HADOOP_TOKEN_FILE_LOCATION {tokens}.new && "
        f"mv {tokens}.new {tokens}.$CONTAINER_ID; while true; do sleep 1; done"])

    def token_of(attempt):
        return next(tmp_path.glob(f"tokens.container_*_{attempt:02}_*"), None)

    until(lambda: token_of(1), 60)
    probe("become", token_file=str(token_of(1)))
    container = probe.granted(allocation=1)[0]["id"]
    probe("start", container=container, commands=["sleep 1000"])
    # Only containers that the resource manager knows to be running are kept; no call reveals which
    # those are.
    runs = f"{container} Container Transitioned from ACQUIRED to RUNNING"
    until(lambda: runs in bed.log("rm1"), 60)
    probe("fail_attempt", attempt=1)
    until(lambda: token_of(2), 60)
    assert probe.refused("beat").code in ("not_found", "unauthenticated")
    registered = probe("become", token_file=str(token_of(2)))
    assert container in [grant["id"] for grant in registered["previous"]]
    assert probe("status", container=container)["state"] == "running"
    probe("kill")


def test_a_resource_manager_killed_and_restarted_is_told_everything_again(bed, master):
    running = master.granted(allocation=1)[0]["id"]
    master("start", container=running, commands=["sleep 1000"])
    master("ask", allocation=2, count=1, gpus=4)
    bed.kill("rm1")
    bed.run("rm1")
    answers = []

    def beat():
        answers.append(master("beat"))
        return answers[-1]["granted"]

    until(beat, 120)
    assert any(answer["resynced"] for answer in answers)
    assert answers[-1]["granted"][0]["allocation"] == 2
    assert master("status", container=running)["state"] == "running"
    master("finish")


def test_a_killed_node_manager_is_lost_with_its_containers(bed, master):
    grant = master.granted(allocation=1)[0]
    master("start", container=grant["id"], commands=["sleep 1000"])
    port = grant["node"].rsplit(":", 1)[1]
    name = next(name for name in ("nm1", "nm2") if str(bed.port(f"{name}.rpc")) == port)
    bed.kill(name)
    end = master.ended(grant["id"], within=120)
    assert end["exit"] == -100, end
    # The list of nodes may follow the news about their containers.
    until(lambda: any(node["state"] == "lost" for node in master("nodes")["nodes"]), 60)


def test_a_queue_takes_back_its_share_and_the_master_is_told(bed, master):
    """`default` fills every node; what `other` asks for can come only from what is taken back."""
    taken = {grant["id"] for grant in master.granted(allocation=1, count=8, memory=4096)}
    other = Probe(bed, user="bob")
    other.become_unmanaged(queue="other")
    other("ask", allocation=1, count=2, memory=4096)
    warned, ended, granted = set(), {}, []

    def taken_back():
        answer = master("beat")
        warned.update(answer["warned"])
        ended.update({end["id"]: end for end in answer["completed"]})
        granted.extend(other("beat")["granted"])
        return len(granted) >= 2

    until(taken_back, 120)
    assert warned and warned <= taken
    preempted = [end for end in ended.values() if end["exit"] == -102]
    assert len(preempted) >= 2 and {end["id"] for end in preempted} & warned
    assert "preempted" in preempted[0]["means"]
    other("finish")
    other.end()
