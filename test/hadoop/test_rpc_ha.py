"""Calls to pairs of masters that fail over: the standby, lost answers, retry caches."""
# bed: ha
# hadoop: each
# timeout: 900

import layout
import pytest
from relay import Relay
from rpc_probing import APPLICATIONS, Probe, message

PAIR = ("nn1.rpc", "nn2.rpc")


@pytest.fixture
def probe(ha_bed):
    with Probe(ha_bed) as probe:
        yield probe


def made(probe, path):
    assert probe.call("mkdirs", path, message(0o755), True) == {1: 1}
    return path


def test_asks_the_other_when_one_stands_by(ha_bed, probe):
    active = ha_bed.the_active("nn")
    standby = "nn2" if active == "nn1" else "nn1"
    probe.open(f"{standby}.rpc", f"{active}.rpc")
    assert probe.call("getFileInfo", "/")
    error = probe.open(f"{standby}.rpc", attempts=2).refused("getFileInfo", "/")
    assert error.java_class.endswith("StandbyException")
    assert "state standby" in str(error) and "given up after 2 attempts" in str(error)


def test_a_failover_fails_no_call(ha_bed, probe):
    probe.open(*PAIR, attempts=1000)
    for act in (ha_bed.activate, ha_bed.kill):
        other = "nn2" if ha_bed.the_active("nn") == "nn1" else "nn1"
        probe.begin("load", method="getFileInfo", request=message("/").hex(), callers=8,
                    for_ms=5000)
        if act == ha_bed.kill:
            ha_bed.kill("nn1" if other == "nn2" else "nn2")
        ha_bed.activate(other)
        assert probe.answer()["calls"] > 0


def test_a_failover_of_resource_managers_fails_no_call(ha_bed, probe):
    active = ha_bed.the_active("rm")
    other = "rm2" if active == "rm1" else "rm1"
    probe.open("rm1.rpc", "rm2.rpc", protocol=APPLICATIONS, what="ResourceManager",
               attempts=1000)
    probe("rate", method="getClusterMetrics", calls=4, callers=2)
    probe.begin("load", method="getClusterMetrics", callers=8, for_ms=5000)
    ha_bed.kill(active)
    ha_bed.activate(other)
    assert probe.answer()["calls"] > 0


def test_a_lost_answer_is_asked_for_again(ha_bed, probe, hdfs_folder):
    active = ha_bed.the_active("nn")
    with Relay(ha_bed.port(f"{active}.rpc")) as relay:
        ha_bed.ports["relay"] = relay.port
        probe.open("relay", user=layout.user())
        source = made(probe, f"{hdfs_folder}/source")
        relay.losing.set()
        # If done twice, it would be refused, because the source is gone.
        renamed = probe.call("rename", source, f"{hdfs_folder}/target", repetition="at_most_once")
        assert relay.lost.is_set() and renamed == {1: 1}
        relay.losing.set()
        error = probe.refused("rename", f"{hdfs_folder}/target", f"{hdfs_folder}/again",
                              repetition="not_repeated")
        assert error.may_be_done and "closed the connection" in str(error)
        assert probe.call("getFileInfo", f"{hdfs_folder}/again")


def test_the_other_namenode_knows_what_was_done(ha_bed, probe, hdfs_folder):
    active = ha_bed.the_active("nn")
    other = "nn2" if active == "nn1" else "nn1"
    with Relay(ha_bed.port(f"{active}.rpc"), dies=True) as relay:
        ha_bed.ports["relay"] = relay.port
        probe.open("relay", f"{other}.rpc", user=layout.user(), attempts=100)
        source = made(probe, f"{hdfs_folder}/source")
        relay.losing.set()
        probe.begin("call", method="rename", repetition="at_most_once",
                    request=message(source, f"{hdfs_folder}/target").hex(), within_ms=120_000)
        assert relay.lost.wait(60)
        ha_bed.kill(active)
        ha_bed.activate(other)
        assert probe.answer()["reply"] == message(True).hex()
