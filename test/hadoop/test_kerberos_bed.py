"""The bed with a realm of its own: tickets are needed, and every quality of protection is
spoken."""
# bed: kerberos

import artifacts
import pytest


def put(bed, path, text, **with_):
    return bed.java("fs", "-appendToFile", text, path, **with_)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("kept")
    return path


def test_ticket_of_the_daemons_user_is_the_superuser(kerberos_bed, hdfs_folder):
    kerberos_bed.shell("fs", "-mkdir", "-p", hdfs_folder).expect()
    kerberos_bed.shell("fs", "-chown", "alice:people", hdfs_folder).expect()
    assert "alice people" in kerberos_bed.shell("fs", "-ls", "-d", hdfs_folder).expect().out


@pytest.mark.parametrize("quality", ["authentication", "integrity", "privacy"])
def test_each_quality_of_protection(kerberos_bed, hdfs_folder, text, quality):
    conf = kerberos_bed.client_conf({
        "core-site": {"hadoop.rpc.protection": quality},
        "hdfs-site": {"dfs.data.transfer.protection": quality}})
    kerberos_bed.shell("fs", "-mkdir", "-p", hdfs_folder).expect()
    put(kerberos_bed, f"{hdfs_folder}/data", text, conf=conf).expect()
    assert kerberos_bed.shell("fs", "-cat", f"{hdfs_folder}/data").expect().out == "kept"


def test_without_a_ticket_nothing_goes(kerberos_bed, tmp_path):
    done = kerberos_bed.java("fs", "-ls", "/", env={"KRB5CCNAME": f"FILE:{tmp_path}/none"})
    assert done.code != 0
    assert "Client cannot authenticate via:[TOKEN, KERBEROS]" in done.err


def test_other_users_have_tickets_of_their_own(kerberos_bed, hdfs_folder, tmp_path):
    cache = kerberos_bed.kdc.kinit("alice", f"FILE:{tmp_path}/tickets")
    kerberos_bed.shell("fs", "-mkdir", "-p", hdfs_folder).expect()
    kerberos_bed.shell("fs", "-chmod", "777", hdfs_folder).expect()
    kerberos_bed.java("fs", "-mkdir", f"{hdfs_folder}/hers", env={"KRB5CCNAME": cache}).expect()
    assert "alice" in kerberos_bed.shell("fs", "-ls", hdfs_folder).expect().out


def test_delegation_token_stands_for_a_ticket(kerberos_bed, tmp_path):
    tokens = tmp_path / "tokens"
    kerberos_bed.shell("dtutil", "get", kerberos_bed.uri(), "-renewer", "alice", tokens).expect()
    without = {"KRB5CCNAME": f"FILE:{tmp_path}/none", "HADOOP_TOKEN_FILE_LOCATION": str(tokens)}
    kerberos_bed.java("fs", "-ls", "/", env=without).expect()


def test_runs_a_sample_application(kerberos_bed):
    jar = next((artifacts.folder_of(kerberos_bed.version) / "jars").glob("*distributedshell*"))
    done = kerberos_bed.java(
        "org.apache.hadoop.yarn.applications.distributedshell.Client", "-jar", jar,
        "-shell_command", "echo of a container", "-num_containers", "1",
        "-container_memory", "64", "-master_memory", "256", within=300).expect()
    assert "Application completed successfully" in done.err


def test_a_killed_namenode_comes_back(kerberos_bed):
    kerberos_bed.kill("nn1")
    kerberos_bed.restore()
    kerberos_bed.shell("fs", "-ls", "/").expect()
