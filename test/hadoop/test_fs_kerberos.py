"""`muster fs` with Kerberos: tickets, tokens, every quality of protection, encrypted data
transfer."""
# bed: kerberos
# hadoop: each
# timeout: 900

import os

import pytest

MB = 1 << 20


@pytest.fixture
def tokens(kerberos_bed, tmp_path):
    path = tmp_path / "tokens"
    kerberos_bed.shell("dtutil", "get", kerberos_bed.uri(), "-renewer", "alice", path).expect()
    return path


@pytest.fixture
def fs(muster, kerberos_bed, tokens):
    """`muster fs` with a token and no ticket."""
    muster.use(kerberos_bed)
    muster.environment["KRB5CCNAME"] = f"FILE:{muster.folder}/none"
    muster.environment["HADOOP_TOKEN_FILE_LOCATION"] = str(tokens)

    def run(*words, **options):
        return muster("fs", *words, **{"within": 120, **options})

    return run


def goes_there_and_back(bed, fs, muster, hdfs_folder, conf):
    data = os.urandom(3 * MB + 17)
    (muster.folder / "data").write_bytes(data)
    fs("mkdir", "-p", "--conf", conf, hdfs_folder).expect(0)
    fs("put", "-f", "--conf", conf, muster.folder / "data", f"{hdfs_folder}/data").expect(0)
    fs("get", "-f", "--conf", conf, f"{hdfs_folder}/data", muster.folder / "back").expect(0)
    assert (muster.folder / "back").read_bytes() == data
    assert bed.shell("fs", "-cat", f"{hdfs_folder}/data").expect().raw == data


@pytest.mark.parametrize("quality", ["authentication", "integrity", "privacy"])
def test_each_quality_of_protection(kerberos_bed, fs, muster, hdfs_folder, quality):
    conf = kerberos_bed.client_conf({
        "core-site": {"hadoop.rpc.protection": quality},
        "hdfs-site": {"dfs.data.transfer.protection": quality}})
    goes_there_and_back(kerberos_bed, fs, muster, hdfs_folder, conf)


def test_privacy_by_aes(kerberos_bed, fs, muster, hdfs_folder):
    conf = kerberos_bed.client_conf({"hdfs-site": {
        "dfs.data.transfer.protection": "privacy",
        "dfs.encrypt.data.transfer.cipher.suites": "AES/CTR/NoPadding"}})
    goes_there_and_back(kerberos_bed, fs, muster, hdfs_folder, conf)


@pytest.mark.parametrize("suite", ["", "AES/CTR/NoPadding"])
def test_encrypted_data_transfer(kerberos_bed, fs, muster, hdfs_folder, tokens, suite):
    settings = {"hdfs-site": {"dfs.encrypt.data.transfer": "true",
                              "dfs.encrypt.data.transfer.cipher.suites": suite}}
    with kerberos_bed.configured(settings, restart=["nn1", "dn1", "dn2"]):
        goes_there_and_back(kerberos_bed, fs, muster, hdfs_folder, kerberos_bed.conf)


def test_a_datanode_that_dies_is_left(kerberos_bed, fs, muster, hdfs_folder):
    data = os.urandom(3 * MB)
    (muster.folder / "data").write_bytes(data)
    fs("mkdir", "-p", hdfs_folder).expect(0)
    fs("put", muster.folder / "data", f"{hdfs_folder}/data").expect(0)
    kerberos_bed.kill("dn1")
    fs("get", f"{hdfs_folder}/data", muster.folder / "back").expect(0)
    assert (muster.folder / "back").read_bytes() == data


def test_a_cancelled_token_is_told(kerberos_bed, fs, tokens):
    service = kerberos_bed.uri().removeprefix("hdfs://").rstrip("/")
    kerberos_bed.shell("dtutil", "cancel", "-alias", service, tokens).expect()
    fs("ls", "/").expect_error(2, "token")


def test_other_protection_than_the_datanodes_is_told(kerberos_bed, fs, muster, hdfs_folder):
    """A client that does not protect the transfer although the DataNodes require it."""
    conf = kerberos_bed.client_conf({"hdfs-site": {"dfs.data.transfer.protection": ""}})
    fs("mkdir", "-p", hdfs_folder).expect(0)
    (muster.folder / "x").write_text("x")
    done = fs("put", "--conf", conf, muster.folder / "x", f"{hdfs_folder}/x")
    done.expect_error(6, "dfs.data.transfer.protection")


def test_a_ticket_is_enough(kerberos_bed, muster, hdfs_folder):
    muster.use(kerberos_bed)

    def fs(*words):
        return muster("fs", *words, within=120)

    goes_there_and_back(kerberos_bed, fs, muster, hdfs_folder, kerberos_bed.conf)


def test_neither_ticket_nor_token_is_told(kerberos_bed, muster):
    muster.use(kerberos_bed)
    muster.environment["KRB5CCNAME"] = f"FILE:{muster.folder}/none"
    muster("fs", "ls", "/").expect_error(2, "no Kerberos ticket", "kinit")
