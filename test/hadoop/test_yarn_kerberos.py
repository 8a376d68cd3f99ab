"""YARN's protocols with Kerberos: by ticket as a client, by tokens as everybody else."""
# bed: kerberos
# hadoop: each
# timeout: 900

import pytest
from probing import Probe, until


@pytest.fixture
def start(kerberos_bed, tmp_path):
    """Starts probes: `start("alice")` has her ticket, `start("alice", ticket=False)` has none."""
    probes = []

    def start(user, ticket=True, conf=None):
        cache = f"FILE:{tmp_path}/{user if ticket else 'none'}"
        if ticket:
            kerberos_bed.kdc.kinit(user, cache)
        probes.append(Probe(kerberos_bed, user, conf=conf, KRB5CCNAME=cache))
        return probes[-1]

    yield start
    for probe in probes:
        probe.end()


@pytest.fixture
def alice(start):
    alice = start("alice")
    yield alice
    alice.kill_all()


@pytest.fixture
def become_master(start, alice, tmp_path):
    """Submits an application of alice; returns a probe that is its master, with only the token of
    its container. (An unmanaged one will not do: asked by ticket, a resource manager gives its
    token to nobody, because it compares the user's name with the ticket's alice@BED.)"""
    tokens, over = tmp_path / "tokens", tmp_path / "over"

    def become_master(conf=None):
        alice("submit", attempts=1, commands=[
            f"cp $HADOOP_TOKEN_FILE_LOCATION {tokens}.new && mv {tokens}.new {tokens}; "
            f"until test -e {over}; do sleep 0.2; done"])
        until(tokens.exists, 60)
        master = start("alice", ticket=False, conf=conf)
        registered = master("become", token_file=str(tokens), url="http://localhost:1/")
        assert registered["queue"] in ("default", "root.default")
        return master

    yield become_master
    over.touch()


@pytest.mark.parametrize("quality", [None, "integrity", "privacy"])
def test_an_applications_life(kerberos_bed, become_master, alice, tmp_path, quality):
    conf = quality and kerberos_bed.client_conf({"core-site": {"hadoop.rpc.protection": quality}})
    master = become_master(conf)
    until(lambda: alice("report")["state"] == "running", 60)
    assert alice("report")["user"] == "alice"
    one, two = master.granted(count=2)[:2]
    mark = tmp_path / "mark"
    master("start", container=one["id"], commands=[f"touch {mark}; exec sleep 1000"])
    until(mark.exists, 60)
    assert master("status", container=one["id"])["state"] == "running"
    master("start", container=two["id"], commands=["exit 7"])
    assert master.ended(two["id"])["exit"] == 7
    master("release", container=one["id"])
    assert master.ended(one["id"])["exit"] == -100
    master("finish", why="all done")
    # The end is told before the application's own record shows it.
    until(lambda: alice("report")["state"] == "finished", 60)
    assert (alice("report")["final"], alice("report")["diagnostics"]) == ("succeeded", "all done")


def test_a_resource_manager_that_starts_again_knows_its_tokens(
        kerberos_bed, become_master, alice):
    master = become_master()
    container = master.granted()[0]["id"]
    master("start", container=container, commands=["sleep 1000"])
    alice("token")
    kerberos_bed.kill("rm1")
    kerberos_bed.run("rm1")
    until(lambda: master("beat", within_ms=120_000)["resynced"], 120)
    alice("cancel_token")
    assert master("status", container=container)["state"] == "running"
    assert master.granted(allocation=2)
    master("finish")


def test_a_token_submits_until_it_is_cancelled(kerberos_bed, start, alice, tmp_path):
    assert alice("token")["kind"] == "RM_DELEGATION_TOKEN"
    tokens = tmp_path / "tokens"
    alice("save_token", to=str(tokens))
    without = start("alice", ticket=False)
    without("take_token", **{"from": str(tokens)})
    submitted = without("submit", commands=["sleep 1000"])
    assert submitted["user"] == "alice"
    without("kill", why="enough")
    # Hadoop's own tools accept it, too.
    environment = {"HADOOP_TOKEN_FILE_LOCATION": str(tokens), "KRB5CCNAME": f"FILE:{tmp_path}/no"}
    shown = kerberos_bed.java("application", "-status", submitted["id"], env=environment).expect()
    assert "enough" in shown.out
    # Only a ticket can get a token, so that none lives for ever.
    assert "kerberos" in str(without.refused("token")).lower()
    alice("cancel_token")
    gone = start("alice", ticket=False)
    gone("take_token", **{"from": str(tokens)})
    error = gone.refused("report", id=submitted["id"])
    assert error.code == "unauthenticated"
    assert "token" in str(error)


def test_without_a_ticket_it_says_what_to_bring(start):
    error = start("alice", ticket=False).refused("metrics")
    assert (error.code, error.blame) == ("unauthenticated", "user")
    assert "kinit" in str(error)
