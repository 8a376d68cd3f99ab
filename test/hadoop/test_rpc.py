"""Hadoop RPC as Muster speaks it, with real daemons: users, errors, wrong ports, pauses."""
# bed: plain
# hadoop: each
# timeout: 600

import socket

import layout
import pytest
from rpc_probing import APPLICATIONS, Probe, message
from waiting import until


@pytest.fixture
def probe(bed):
    with Probe(bed) as probe:
        yield probe


def audited(bed, *words):
    """Waits until the NameNode's audit log has a call with all these words; returns its line."""
    def line():
        return next((line for line in bed.log("nn1").splitlines()
                     if "FSNamesystem.audit" in line and all(word in line for word in words)), None)

    until(line, 30, f"an audit line with {words}")
    return line()


def test_the_audit_log_names_user_and_caller(bed, probe, hdfs_folder):
    probe.open("nn1.rpc", user=layout.user())
    assert probe.call("mkdirs", hdfs_folder, message(0o755), True) == {1: 1}
    line = audited(bed, "cmd=mkdirs", f"src={hdfs_folder}\t")
    assert f"ugi={layout.user()} (auth:SIMPLE)" in line
    assert "callerContext=muster_probe" in line


def test_acts_for_another_user(bed, probe, hdfs_folder):
    probe.open("nn1.rpc", user="alice", real_user=layout.user())
    assert probe.call("getFileInfo", hdfs_folder) == {}
    assert f"ugi=alice (auth:PROXY) via {layout.user()} (auth:SIMPLE)" in audited(
        bed, "cmd=getfileinfo", f"src={hdfs_folder}\t")
    probe.open("nn1.rpc", user="bob", real_user="alice")
    error = probe.refused("getFileInfo", "/")
    assert "User: alice is not allowed to impersonate bob" in str(error)
    assert "hadoop.proxyuser.alice" in str(error)
    assert error.code in ("unauthenticated", "permission_denied")


def test_tells_what_the_server_throws(probe):
    error = probe.open("nn1.rpc").refused("mkdirs", "/a/../b", message(0o755), True)
    assert (error.java_class, error.blame) == ("org.apache.hadoop.fs.InvalidPathException", "user")
    error = probe.refused("noSuchMethod")
    assert "noSuchMethod" in str(error) and error.code == "unsupported"
    error = probe.open("nn1.rpc", protocol="no.such.Protocol").refused("getFileInfo", "/")
    assert "no.such.Protocol" in str(error) and error.code == "unsupported"
    error = probe.open("nn1.rpc", protocol=APPLICATIONS).refused("getClusterMetrics")
    assert "ApplicationClientProtocol" in str(error)


def test_says_that_a_port_is_the_wrong_one(bed, probe):
    assert "an HTTP server answers" in str(probe.open("nn1.http").refused("getFileInfo", "/"))
    error = probe.open("dn1.data", call_timeout=2, attempts=2).refused("getFileInfo", "/")
    assert f"localhost:{bed.port('dn1.data')}" in str(error)


def test_gives_up_on_a_silent_socket(bed, probe):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        bed.ports["silent"] = silent.getsockname()[1]
        probe.open("silent", call_timeout=1, attempts=1)
        error = probe.refused("getFileInfo", "/")
        assert "gave up waiting for NameNode" in str(error)
        assert error.code == "deadline_exceeded" and error.may_be_done
        probe.open("silent", kerberos=True, principal="nn/_HOST@BED", handshake_timeout=1,
                   attempts=1)
        error = probe.refused("getFileInfo", "/")
        assert "to authenticate" in str(error) and not error.may_be_done


def test_says_that_nobody_listens(bed, probe):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        bed.ports["closed"] = closed.getsockname()[1]
    error = probe.open("closed", attempts=2).refused("getFileInfo", "/")
    assert "Connection refused; given up after 2 attempts" in str(error)
    assert error.code == "unavailable" and not error.may_be_done


def test_pings_keep_a_call_alive_and_deadlines_end_one(bed, probe):
    probe.open("nn1.rpc", ping_interval_ms=200)
    probe.call("getFileInfo", "/")
    bed.freeze("nn1")
    probe.begin("call", method="getFileInfo", request=message("/").hex())
    with Probe(bed) as other:
        error = other.open("nn1.rpc").refused("getFileInfo", "/", within_ms=1500)
    assert "to answer getFileInfo after 1.5" in str(error) and error.may_be_done
    bed.thaw("nn1")
    assert probe.answer()["reply"]


def test_a_call_that_is_taken_back_leaves_the_connection_alone(probe):
    probe.open("nn1.rpc")
    for after_ms in (0, 1, 2, 5, 10):
        probe("cancel", method="getFileInfo", request=message("/").hex(), after_ms=after_ms)
        assert probe.call("getFileInfo", "/")


def test_connects_again_after_a_restart(bed, probe):
    probe.open("nn1.rpc")
    assert probe.call("getFileInfo", "/")
    bed.restart("nn1")
    assert probe.call("getFileInfo", "/")


def test_a_restart_of_the_resource_manager_fails_no_call(bed, probe):
    probe.open("rm1.rpc", protocol=APPLICATIONS, what="ResourceManager", attempts=1000)
    probe("rate", method="getClusterMetrics", calls=10, callers=2)
    probe.begin("load", method="getClusterMetrics", callers=8, for_ms=8000)
    bed.kill("rm1")
    bed.run("rm1")
    assert probe.answer()["calls"] > 0
    bed.wait_healthy()


def test_many_calls_share_a_connection(probe):
    answer = probe.open("nn1.rpc")("rate", method="getFileInfo", request=message("/").hex(),
                                   calls=2000, callers=32)
    assert answer["calls"] == 2000
