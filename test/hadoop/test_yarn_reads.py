"""What the resource manager reports about itself, over RPC and on its REST pages; node labels."""
# bed: plain
# hadoop: each
# timeout: 600

import pytest
from probing import Probe, until


@pytest.fixture
def probe(bed):
    probe = Probe(bed)
    yield probe
    probe.kill_all()
    probe.end()


def test_asks_about_the_cluster(probe):
    until(lambda: probe("metrics")["active"] == 2, 60)
    nodes = probe("nodes")["nodes"]
    assert {node["capacity"]["yarn.io/gpu"] for node in nodes} == {4}
    default = probe("queue", queue="default")
    assert default["state"] == "running"
    assert probe.refused("queue", queue="nowhere").code == "not_found"
    # By name or by path, depending on the version.
    rights = {queue.split(".")[-1]: may for queue, may in probe("rights")["queues"].items()}
    assert rights["default"] is True


def test_labelled_nodes_carry_what_asks_for_the_label(bed, probe):
    with bed.node_labels({"nm2": "gpu"}):
        assert probe("labels")["labels"] == ["gpu"]
        probe.become_unmanaged()
        labelled = probe.granted(allocation=1, label="gpu")[0]
        assert labelled["node"].endswith(f":{bed.port('nm2.rpc')}")
        plain = probe.granted(allocation=2)[0]
        assert plain["node"].endswith(f":{bed.port('nm1.rpc')}")
        probe("finish")


def test_the_schedulers_page_shows_queues_and_their_limits(probe):
    queues = {queue["path"]: queue for queue in probe("rest_queues")["queues"]}
    assert {"root", "root.default", "root.other"} <= queues.keys()
    assert 0 < queues["root.default"]["capacity"] < 100
    assert queues["root.default"]["master_limit"]["memory"] > 0


def test_activities_tell_why_a_request_waits(probe):
    probe.become_unmanaged()
    probe("ask", allocation=1, gpus=4, count=20)
    seen = []

    def why():
        probe("beat")
        seen[:] = probe("activities")["all"]
        words = " ".join(one["diagnostic"].lower() for one in seen)
        return ("headroom" in words or "resource" in words) and any(one["nodes"] for one in seen)

    until(why, 60)
    probe("finish")


def test_an_application_that_is_not_there_has_no_activities(probe):
    assert probe("activities", id="application_1_0001")["all"] == []
